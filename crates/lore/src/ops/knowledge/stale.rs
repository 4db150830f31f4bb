//! `stale`: pages that may be out of date.

use clap::Args;
use lore_engine::{Stale as StaleQuery, State, find_stale};
use lore_memory::short_id;
use lore_ports::{Filter, PageRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::filters::Filters;
use crate::ops::views::{check_not_zero, lines};
use crate::ops::{Operation, Render};

/// List stale pages with the reason and date
///
/// A page is superseded when another page `supersedes` it. Age and missing links count if the policy enables them (see
/// `lifecycle` in lore.toml): by default after 60 days without a change or review, and after 30 days without an inbound
/// link. A `status:` in the file overrides all of these: `lore set-status REF active` marks a page as still valid.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore stale\n  lore stale --path clients --limit 10 --json\n  lore stale --namespace clients"
)]
pub struct Stale {
    /// Only pages under this path
    #[arg(long, value_name = "PREFIX")]
    #[serde(default)]
    path: Option<String>,
    /// Only pages of this namespace; `all` for every page
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    namespace: Option<String>,
    /// Maximum number of results
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
}

/// Output of `stale`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StalePages {
    /// Most recently stale first.
    pages: Vec<StaleItem>,
}

/// A stale page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StaleItem {
    /// Short form of its id.
    pub id: String,
    /// Slug of the page.
    pub slug: String,
    /// Title of the page.
    pub title: String,
    /// `stale` or `superseded`.
    pub status: String,
    /// When it became stale.
    pub stale_since: Option<String>,
    /// Why it is stale.
    pub reason: String,
}

impl StaleItem {
    /// Converts a page with its state.
    pub fn new(context: &lore_engine::VaultContext, page: PageRow, state: State) -> Result<StaleItem> {
        Ok(StaleItem {
            id: short_id(context, &page)?,
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
        check_not_zero(&[("limit", self.limit)])?;
        let context = session.fresh()?;
        let filters = Filters { path: self.path, namespace: self.namespace, ..Filters::default() };
        let Filter { path, namespace, .. } = filters.build(session, context)?;
        let found = find_stale(context, &StaleQuery { path, namespace, limit: self.limit, looks: None })?;
        let item = |(page, state)| StaleItem::new(context, page, state);
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
