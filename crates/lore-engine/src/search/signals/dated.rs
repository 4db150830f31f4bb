//! Finds the pages that have a date of the query.

use lore_ports::{PageNo, StatementFilter, StatementKind};

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::dates_in;
use crate::search::fuse::Scored;
use crate::search::page_date::page_date;
use crate::search::request::SearchRequest;

/// The length of a day, `YYYY-MM-DD`.
const DAY: usize = 10;

/// A page that has a date of the query.
pub(super) struct Dated {
    pub page: PageNo,
    /// The page's date.
    pub date: String,
    /// Whether the query names that day, rather than its month.
    pub is_day: bool,
}

/// Returns the pages of a list that have a date of the query.
pub(super) fn dated(context: &VaultContext, request: &SearchRequest, list: &[Scored]) -> Result<Vec<Dated>> {
    let asked = dates_in(&request.text);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let pages: Vec<PageNo> = list.iter().map(|(page, _)| *page).collect();
    let wanted = StatementFilter { pages: Some(&pages), kind: Some(StatementKind::Entry), naming: None };
    let mut found: Vec<Dated> = Vec::new();
    let mut add = |page: PageNo, date: String, asked: &str| {
        if !found.iter().any(|known| known.page == page) {
            found.push(Dated { page, date, is_day: asked.len() == DAY });
        }
    };
    for row in context.store().statements(context.project(), &wanted)? {
        let Some(day) = row.statement.interval.from else { continue };
        let day = day.to_string();
        if let Some(date) = asked.iter().find(|date| day.starts_with(date.as_str())) {
            add(row.page, day, date);
        }
    }
    for page in context.store().pages(context.project(), &pages)? {
        let own = page_date(&page).map(|date| date.day).unwrap_or_default();
        let has = |date: &&String| {
            [&page.slug, &page.title].iter().any(|name| name.contains(date.as_str()))
                || own.starts_with(date.as_str())
        };
        if let Some(date) = asked.iter().find(has) {
            add(page.number, date.clone(), date);
        }
    }
    Ok(found)
}
