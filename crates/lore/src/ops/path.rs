//! `path`: how two pages hang together.

use clap::Args;
use lore_engine::Reach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::links::Validity;
use super::moment::Moment;
use super::views::{LinkItem, count, lines};
use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// How many links a chain may have where nothing else is asked for.
const DEPTH: usize = 12;

/// Show the shortest chain of links between two pages, in whichever direction each link stands
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore path people/ada companies/acme\n  lore path people/ada companies/acme --as-of 2019\n  lore path people/ada people/bob --temporal all --limit-depth 4\n\nOf chains of the same length, the one with the most stated relations is shown. Exit 1 where there is none."
)]
pub struct Path {
    /// The page it starts from
    #[arg(value_name = "FROM")]
    from: String,
    /// The page it leads to
    #[arg(value_name = "TO")]
    to: String,
    /// Links by validity [default: current]
    #[arg(long, value_enum)]
    #[serde(default)]
    temporal: Option<Validity>,
    /// How many links at the most [default: 12]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit_depth: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
}

/// A chain of links.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PathView {
    from: String,
    to: String,
    /// Whether there is a chain.
    found: bool,
    /// Every page on the way, both ends included.
    pages: Vec<String>,
    /// The link between each page and the next; it may stand on either.
    links: Vec<LinkItem>,
    /// How many links were looked for at the most.
    limit_depth: usize,
}

impl Operation for Path {
    const NAME: &'static str = "path";
    type Output = PathView;

    fn run(self, session: &Session) -> Result<PathView> {
        let memory = &*self.moment.view(session)?;
        let (from, to) = (memory.page(&self.from)?, memory.page(&self.to)?);
        let holding = self.moment.holding(memory, self.temporal, Validity::Current)?;
        let depth = self.limit_depth.unwrap_or(DEPTH);
        let reach = Reach { depth, limit: usize::MAX, temporal: holding.temporal, today: holding.day };
        let chain = memory.path(&from, &to, &reach)?;
        let found = chain.is_some();
        let chain = chain.unwrap_or_default();
        let pages = memory.store().pages(memory.project(), &chain.pages)?;
        let links = chain.links.into_iter().map(|row| LinkItem::new(memory, row));
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
