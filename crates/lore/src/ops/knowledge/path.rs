//! `path`: the shortest chain of links between two pages.

use clap::Args;
use lore_engine::Reach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::as_of::Moment;
use crate::ops::knowledge::links::Validity;
use crate::ops::views::{LinkItem, count, lines};
use crate::ops::{Operation, Render};

/// Default maximum number of links.
const DEPTH: usize = 12;

/// Show the shortest chain of links between two pages
///
/// Links are followed in either direction.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore path people/ada companies/acme\n  lore path people/ada companies/acme --as-of 2019\n  lore path people/ada people/bob --temporal all --limit-depth 4\n\nOf chains of the same length, the one with the most typed relations is shown. Exits with 1 if there is none."
)]
pub struct Path {
    /// Start page
    #[arg(value_name = "FROM")]
    from: String,
    /// End page
    #[arg(value_name = "TO")]
    to: String,
    /// Temporal filter [default: current]
    #[arg(long, value_enum)]
    #[serde(default)]
    temporal: Option<Validity>,
    /// Maximum number of links [default: 12]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit_depth: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
}

/// Output of `path`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PathView {
    from: String,
    to: String,
    /// Whether there is a chain.
    found: bool,
    /// Pages on the chain, both ends included.
    pages: Vec<String>,
    /// Links between consecutive pages, in either direction.
    links: Vec<LinkItem>,
    /// Maximum number of links.
    limit_depth: usize,
}

impl Operation for Path {
    const NAME: &'static str = "path";
    type Output = PathView;

    fn run(self, session: &Session) -> Result<PathView> {
        let context = &*self.moment.view(session)?;
        let (from, to) = (context.page(&self.from)?, context.page(&self.to)?);
        let holding = self.moment.holding(context, self.temporal, Validity::Current)?;
        let depth = self.limit_depth.unwrap_or(DEPTH);
        let reach = Reach { depth, limit: usize::MAX, temporal: holding.temporal, today: holding.day };
        let chain = context.path(&from, &to, &reach)?;
        let found = chain.is_some();
        let chain = chain.unwrap_or_default();
        let pages = context.store().pages(context.project(), &chain.pages)?;
        let links = chain.links.into_iter().map(|row| LinkItem::new(context, row));
        Ok(PathView {
            from: from.slug,
            to: to.slug,
            found,
            pages: pages.into_iter().map(|page| page.slug).collect(),
            links: links.collect::<Result<_>>()?,
            limit_depth: depth,
        })
    }
}

impl Render for PathView {
    fn human(&self) -> String {
        if !self.found {
            let limit = count(self.limit_depth as u64, "link");
            return format!("no chain of up to {limit} between {} and {}\n", self.from, self.to);
        }
        let mut text = format!("{}\n", self.from);
        for (page, link) in self.pages.iter().skip(1).zip(&self.links) {
            let context = link.context.as_deref().unwrap_or_default();
            let place = format!("    {}:{}  {context}", link.path, link.line);
            text.push_str(&format!("  {}\n{}\n{page}\n", link.sentence(), place.trim_end()));
        }
        text
    }

    fn brief(&self) -> String {
        lines(self.links.iter().map(LinkItem::sentence))
    }

    fn exit(&self) -> u8 {
        u8::from(!self.found)
    }
}
