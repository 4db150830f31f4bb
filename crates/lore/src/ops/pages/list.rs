//! `list`: pages by filter.

use clap::{Args, ValueEnum};
use lore_engine::VaultContext;
use lore_ports::{Filter, Order, PageRow, Window};
use lore_text::PartialDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::as_of::date;
use crate::ops::filters::Filters;
use crate::ops::views::{ListRange, PageList, shown_date};

/// List pages by type, tag, status, wing, path, date or property
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore list --type person --sort title\n  lore list --tag founder --since 30d --format brief\n  lore list --type commitment --tag open --due 2026-11-08"
)]
pub struct List {
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(flatten)]
    filters: Filters,
    /// Only pages due on this day or earlier (a date, `today`, `next friday`), earliest first
    #[arg(long, value_name = "DATE", conflicts_with = "sort")]
    #[serde(default)]
    due: Option<String>,
    /// Sort order
    #[arg(long, value_enum, default_value = "updated")]
    #[serde(default)]
    sort: SortOrder,
    /// Maximum number of results [default: 50]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Page of results, starting at 1
    #[arg(long)]
    #[serde(default)]
    page: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortOrder {
    #[default]
    Updated,
    Created,
    Title,
}

impl Operation for List {
    const NAME: &'static str = "list";
    type Output = PageList;

    fn run(self, session: &Session) -> Result<PageList> {
        let context = session.fresh()?;
        let order = match self.sort {
            SortOrder::Updated => Order::Updated,
            SortOrder::Created => Order::Created,
            SortOrder::Title => Order::Title,
        };
        let range = ListRange::new(self.limit, self.page)?;
        let filter = self.filters.build(session, context)?;
        match &self.due {
            Some(day) => due(context, &filter, date("--due", day, context)?, &range),
            None => PageList::read(context, &filter, order, &range),
        }
    }
}

/// Returns the pages due by a day, earliest first; on the same day, by declared priority.
fn due(context: &VaultContext, filter: &Filter, by: PartialDate, range: &ListRange) -> Result<PageList> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let rows = context.store().list(context.project(), filter, Order::Title, all)?;
    let last = by.last_day();
    let day = |row: &PageRow| {
        let due_date = row
            .properties
            .text("due")
            .map(shown_date)
            .and_then(|text| text.trim().parse::<PartialDate>().ok());
        due_date.map(PartialDate::last_day)
    };
    let priority = |row: &PageRow| row.properties.text("priority").map_or("~".into(), str::to_lowercase);
    let mut due: Vec<PageRow> =
        rows.into_iter().filter(|row| day(row).is_some_and(|day| day <= last)).collect();
    due.sort_by_cached_key(|row| (day(row), priority(row), row.path.clone()));
    let (total, window) = (due.len() as u64, range.window());
    Ok(PageList::new(due.into_iter().skip(window.offset).take(window.limit).collect(), total, range))
}
