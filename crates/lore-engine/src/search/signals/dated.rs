//! Finds the pages that have a date of the query.

use lore_ports::{PageNo, StatementFilter, StatementKind};

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::dates_in;
use crate::search::fuse::Scored;
use crate::search::request::SearchRequest;

/// Returns the pages of a list that have a date of the query, with that date.
pub(super) fn dated(
    context: &VaultContext,
    request: &SearchRequest,
    list: &[Scored],
) -> Result<Vec<(PageNo, String)>> {
    let asked = dates_in(&request.text);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let pages: Vec<PageNo> = list.iter().map(|(page, _)| *page).collect();
    let wanted = StatementFilter { pages: Some(&pages), kind: Some(StatementKind::Entry), naming: None };
    let mut found: Vec<(PageNo, String)> = Vec::new();
    for row in context.store().statements(context.project(), &wanted)? {
        let Some(day) = row.statement.interval.from else { continue };
        let day = day.to_string();
        if asked.iter().any(|date| day.starts_with(date.as_str()))
            && !found.iter().any(|(page, _)| *page == row.page)
        {
            found.push((row.page, day));
        }
    }
    for page in context.store().pages(context.project(), &pages)? {
        let named = |date: &&String| page.slug.contains(date.as_str()) || page.title.contains(date.as_str());
        if let Some(date) =
            asked.iter().find(named).filter(|_| !found.iter().any(|(known, _)| *known == page.number))
        {
            found.push((page.number, date.clone()));
        }
    }
    Ok(found)
}
