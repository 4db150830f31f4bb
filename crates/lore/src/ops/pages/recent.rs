//! `recent`: recently changed pages.

use clap::Args;
use lore_ports::{Filter, Order};
use lore_text::since;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::views::{ListRange, PageList};

/// List recently changed pages, newest first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore recent\n  lore recent 7d\n  lore recent \"last month\"\n  lore recent 2024-03-01"
)]
pub struct Recent {
    /// Since: `7d`, `two weeks`, `this week`, `last monday`, a date [default: 1 day]
    #[serde(default)]
    timeframe: Option<String>,
    /// Maximum number of results [default: 50]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Page of results, starting at 1
    #[arg(long)]
    #[serde(default)]
    page: Option<usize>,
}

impl Operation for Recent {
    const NAME: &'static str = "recent";
    type Output = PageList;

    fn run(self, session: &Session) -> Result<PageList> {
        let context = session.fresh()?;
        let start = since(self.timeframe.as_deref().unwrap_or("1 day"), &context.now())?;
        let namespace = session.namespace_filter(context, None)?;
        let filter = Filter { since: Some(start), namespace, ..Default::default() };
        PageList::read(context, &filter, Order::Updated, &ListRange::new(self.limit, self.page)?)
    }
}
