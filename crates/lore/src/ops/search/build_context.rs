//! `build-context`: a page with its neighbourhood, for agents.

use clap::Args;
use lore_engine::{Neighbour, Reach, Temporal, neighbours};
use lore_text::since;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::pages::show::{PageView, Show};
use crate::ops::views::timestamp;
use crate::ops::{Operation, Render};

/// Maximum number of neighbours.
const NEIGHBOURS: usize = 50;

/// Read a page with the pages it links to and from
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore build-context memory://people/ada\n  lore build-context \"Ada Lovelace\" --depth 2 --timeframe 30d"
)]
pub struct BuildContext {
    /// memory:// URI, or any other reference to the page
    #[arg(value_name = "REF")]
    path: String,
    /// Maximum link distance [default: 1]
    #[arg(long)]
    #[serde(default)]
    depth: Option<usize>,
    /// Only neighbours changed since: `7d`, `last month`, a date
    #[arg(long)]
    #[serde(default)]
    timeframe: Option<String>,
}

/// Output of `build-context`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Surroundings {
    page: PageView,
    /// Neighbours, nearest first.
    related: Vec<Related>,
    /// Whether neighbours were left out.
    cut: bool,
}

/// A neighbour.
#[derive(Debug, Serialize, JsonSchema)]
struct Related {
    slug: String,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    summary: Option<String>,
    /// Link distance.
    hops: usize,
    /// `active`, `stale`, `contested`, `superseded`, `compacted`, or the status declared in the file.
    status: String,
    updated: String,
}

impl Operation for BuildContext {
    const NAME: &'static str = "build-context";
    type Output = Surroundings;

    fn run(self, session: &Session) -> Result<Surroundings> {
        let context = session.fresh()?;
        let depth = self.depth.unwrap_or(1);
        if depth > 20 {
            return Err(AppError::usage("the depth is more than 20", "use a smaller --depth"));
        }
        let page = context.page(&self.path)?;
        let since = self.timeframe.as_deref().map(|text| since(text, &context.now())).transpose()?;
        let reach =
            Reach { depth, limit: NEIGHBOURS + 1, temporal: Temporal::Current, today: context.today() };
        let around = neighbours(context, &page, &reach, since)?;
        let related = around.pages.into_iter().map(|Neighbour { page, hops, state }| Related {
            slug: page.slug,
            title: page.title,
            kind: page.kind,
            summary: page.summary,
            hops,
            status: state.status,
            updated: timestamp(page.updated),
        });
        Ok(Surroundings {
            related: related.collect(),
            cut: around.cut,
            page: Show::whole(&self.path).run(session)?,
        })
    }
}

impl Render for Surroundings {
    fn human(&self) -> String {
        let mut text = self.page.human();
        if !self.related.is_empty() {
            text.push_str("\nRelated:\n");
        }
        for one in &self.related {
            let summary = one.summary.as_deref().map(|summary| format!(": {summary}")).unwrap_or_default();
            text.push_str(&format!(
                "  {}  {} ({}, {}){summary}\n",
                one.slug, one.title, one.kind, one.status
            ));
        }
        if self.cut {
            text.push_str("  and more\n");
        }
        text
    }
}
