//! `list`: pages by filter.

use clap::{Args, ValueEnum};
use lore_engine::{Order, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Operation;
use super::filters::Filters;
use super::views::PageList;
use crate::failure::Result;
use crate::session::Session;

/// List pages by type, tag, status, wing, path, date or property
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore list --type person --sort title\n  lore list --tag founder --since 30d --format brief"
)]
pub struct List {
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(flatten)]
    filters: Filters,
    /// In which order
    #[arg(long, value_enum, default_value = "updated")]
    #[serde(default)]
    sort: Sort,
    /// How many at the most [default: 50]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Which page of the list, from 1
    #[arg(long)]
    #[serde(default)]
    page: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sort {
    #[default]
    Updated,
    Created,
    Title,
}

impl Operation for List {
    const NAME: &'static str = "list";
    type Output = PageList;

    fn run(self, session: &Session) -> Result<PageList> {
        let memory = session.fresh()?;
        let order = match self.sort {
            Sort::Updated => Order::Updated,
            Sort::Created => Order::Created,
            Sort::Title => Order::Title,
        };
        let limit = self.limit.unwrap_or(50);
        let offset = self.page.unwrap_or(1).saturating_sub(1).saturating_mul(limit);
        let window = Window { limit, offset };
        let rows = memory.store().list(memory.project(), &self.filters.build(memory)?, order, window)?;
        Ok(PageList { pages: rows.into_iter().map(Into::into).collect() })
    }
}
