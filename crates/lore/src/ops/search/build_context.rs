//! `build-context`: a page with its neighbourhood, for agents.

use std::collections::BTreeSet;

use clap::Args;
use lore_engine::{Error, Neighbour, Reach, Temporal, neighbours};
use lore_ports::Window;
use lore_text::since;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::pages::show::{PageView, Show};
use crate::ops::views::{check_not_zero, timestamp};
use crate::ops::{Operation, Render};

/// Maximum number of pages that a pattern gives.
const MATCHES: usize = 10;

/// Maximum number of neighbours.
const NEIGHBOURS: usize = 50;

/// Read a page with the pages it links to and from
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore build-context memory://people/ada\n  lore build-context \"Ada Lovelace\" --depth 2 --timeframe 30d"
)]
pub struct BuildContext {
    /// memory:// URI, any other reference to the page, or a pattern such as people/*
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
    /// Maximum number of pages that match a pattern [default: 10]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Page of results, starting at 1 [default: 1]
    #[arg(long)]
    #[serde(default)]
    page: Option<usize>,
}

/// Output of `build-context`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Surroundings {
    page: PageView,
    /// The other pages that match a pattern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    further: Vec<PageView>,
    /// Neighbours, nearest first.
    related: Vec<Related>,
    /// Whether neighbours were left out.
    cut: bool,
    /// Whether more pages match the pattern.
    more: bool,
}

/// A neighbour.
#[derive(Debug, Serialize, JsonSchema)]
struct Related {
    slug: String,
    id: String,
    path: Line,
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

impl From<Neighbour> for Related {
    fn from(Neighbour { page, hops, state }: Neighbour) -> Related {
        Related {
            slug: page.slug,
            id: page.id,
            path: page.path.into(),
            title: page.title,
            kind: page.kind,
            summary: page.summary,
            hops,
            status: state.status,
            updated: timestamp(page.updated),
        }
    }
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
        let visible = session.visible(context)?;
        check_not_zero(&[("limit", self.limit), ("page", self.page)])?;
        let (most, page) = (self.limit.unwrap_or(MATCHES), self.page.unwrap_or(1));
        let offset = (page - 1).saturating_mul(most).min(u32::MAX as usize);
        let window = Window { limit: most.saturating_add(1), offset };
        let mut matches = match context.pages_matching(&self.path, window)? {
            Some(mut pages) if !pages.is_empty() => {
                pages.retain(|page| visible.has(&page.slug));
                pages
            }
            _ => vec![context.page(&self.path)?],
        };
        let more = matches.len() > most;
        let mut cut = more;
        matches.truncate(most);
        let since = self.timeframe.as_deref().map(|text| since(text, &context.now())).transpose()?;
        let reach =
            Reach { depth, limit: NEIGHBOURS + 1, temporal: Temporal::Current, today: context.today() };
        let mut seen: BTreeSet<String> = matches.iter().map(|page| page.slug.clone()).collect();
        let mut related = Vec::new();
        for page in &matches {
            let around = neighbours(context, page, &reach, since)?;
            cut |= around.cut;
            let shown = around.pages.into_iter().filter(|one| visible.has(&one.page.slug));
            let new = shown.filter(|one| seen.insert(one.page.slug.clone()));
            related.extend(new.map(Related::from));
        }
        related.sort_by_key(|one| one.hops);
        let views = matches.iter().map(|page| Show::whole(&format!("./{}", page.path)).run(session));
        let mut views = views.collect::<Result<Vec<PageView>>>()?.into_iter();
        let page =
            views.next().ok_or_else(|| Error::NotFound { reference: self.path, suggestions: Vec::new() })?;
        Ok(Surroundings { page, further: views.collect(), related, cut, more })
    }
}

impl Render for Surroundings {
    fn human(&self) -> String {
        let mut text = self.page.human();
        text.extend(self.further.iter().map(|page| format!("\n{}", page.human())));
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
