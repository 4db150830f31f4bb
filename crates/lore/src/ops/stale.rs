//! `stale`: pages that may no longer hold.

use clap::Args;
use lore_engine::{PageRow, Stale as Wanted, State, find_stale, short_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filters::Filters;
use super::views::lines;
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::session::Session;

/// List stale pages with the reason and since when: superseded, past their threshold, or linked by nobody
///
/// A page is superseded when another `supersedes` it. Age and missing links count where the policy asks for it (see
/// `lifecycle` in lore.toml): by default after 60 days without a change or review, and after 30 days without an inbound
/// link. A `status:` in the file goes before all of these: `lore set-status REF active` says that a page still holds.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore stale\n  lore stale --path clients --limit 10 --json")]
pub struct Stale {
    /// Pages whose path starts so; `clients/` is a folder
    #[arg(long, value_name = "PREFIX")]
    #[serde(default)]
    path: Option<String>,
    /// How many at the most
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
}

/// Stale pages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StalePages {
    /// The one that became stale last first.
    pages: Vec<StaleItem>,
}

/// A stale page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StaleItem {
    /// A short form of its id.
    pub id: String,
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// `stale` or `superseded`.
    pub status: String,
    /// Since when.
    pub stale_since: Option<String>,
    /// Why.
    pub reason: String,
}

impl StaleItem {
    /// The item of a page in its state.
    pub fn new(memory: &lore_engine::Memory, page: PageRow, state: State) -> Result<StaleItem> {
        Ok(StaleItem {
            id: short_id(memory, &page)?,
            reason: state.reason(),
            slug: page.slug,
            title: page.title,
            status: state.status,
            stale_since: state.since,
        })
    }
}

impl Operation for Stale {
    const NAME: &'static str = "stale";
    type Output = StalePages;

    fn run(self, session: &Session) -> Result<StalePages> {
        if self.limit == Some(0) {
            return Err(Failure::usage("--limit counts from 1", "leave it out to see them all"));
        }
        let memory = session.fresh()?;
        let path = Filters { path: self.path, ..Filters::default() }.build(memory)?.path;
        let found = find_stale(memory, &Wanted { path, limit: self.limit, looks: None })?;
        let item = |(page, state)| StaleItem::new(memory, page, state);
        Ok(StalePages { pages: found.into_iter().map(item).collect::<Result<_>>()? })
    }
}

impl Render for StalePages {
    fn human(&self) -> String {
        if self.pages.is_empty() {
            return "no stale pages\n".into();
        }
        let width = self.pages.iter().map(|page| page.slug.chars().count()).max().unwrap_or(0).min(50);
        lines(self.pages.iter().map(|page| {
            let since = page.stale_since.as_deref().unwrap_or("          ");
            format!("{since}  {:<width$}  {}: {}", page.slug, page.title, page.reason)
        }))
    }

    fn brief(&self) -> String {
        lines(self.pages.iter().map(|page| page.slug.clone()))
    }

    fn exit(&self) -> u8 {
        u8::from(self.pages.is_empty())
    }
}
