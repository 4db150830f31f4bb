//! `links` and `backlinks`.

use clap::{Args, ValueEnum};
use lore_engine::{Temporal, VaultContext};
use lore_page::Node;
use lore_ports::{LinkFilter, LinkRow, PageRow};
use lore_text::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::as_of::{Holding, Moment};
use crate::ops::views::{LinkItem, lines};
use crate::ops::{Operation, Render};

/// Temporal filter for links.
#[derive(Debug, Clone, Copy, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Validity {
    /// Valid today.
    Current,
    /// Ended.
    Historical,
    /// All.
    All,
}

impl From<Validity> for Temporal {
    fn from(validity: Validity) -> Temporal {
        match validity {
            Validity::Current => Temporal::Current,
            Validity::Historical => Temporal::Historical,
            Validity::All => Temporal::All,
        }
    }
}

/// List the links on a page, with their ids
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore links people/ada\n  lore links people/ada --temporal current --json\n  lore links people/ada --as-of 2019-06\n  lore links people/ada --as-of-commit HEAD~10"
)]
pub struct Links {
    /// Page with the links
    #[arg(value_name = "REF")]
    reference: String,
    /// Temporal filter [default: all]
    #[arg(long, value_enum)]
    #[serde(default)]
    temporal: Option<Validity>,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
}

/// List the links to a page
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore backlinks companies/acme\n  lore backlinks companies/acme --temporal all\n  lore backlinks companies/acme --as-of 2019"
)]
pub struct Backlinks {
    /// Target page
    #[arg(value_name = "REF")]
    reference: String,
    /// Temporal filter [default: current]
    #[arg(long, value_enum)]
    #[serde(default)]
    temporal: Option<Validity>,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
}

/// Output of `links` and `backlinks`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkList {
    slug: String,
    links: Vec<LinkItem>,
}

impl Operation for Links {
    const NAME: &'static str = "links";
    type Output = LinkList;

    fn run(self, session: &Session) -> Result<LinkList> {
        let context = &*self.moment.view(session)?;
        let page = context.page(&self.reference)?;
        let holding = self.moment.holding(context, self.temporal, Validity::All)?;
        let node = context.node(&page, &self.reference)?;
        let mut links = collect(
            context,
            &LinkFilter::From(&[page.number]),
            &holding,
            node.as_ref().map(|node| (&page, node)),
        )?;
        let visible = session.visible(context)?;
        links.retain(|link| link.to.as_deref().is_none_or(|to| visible.has(to)));
        Ok(LinkList { slug: page.slug, links })
    }
}

impl Operation for Backlinks {
    const NAME: &'static str = "backlinks";
    type Output = LinkList;

    fn run(self, session: &Session) -> Result<LinkList> {
        let context = &*self.moment.view(session)?;
        let page = context.page(&self.reference)?;
        let holding = self.moment.holding(context, self.temporal, Validity::Current)?;
        let node = context.node(&page, &self.reference)?;
        let mut links = collect(
            context,
            &LinkFilter::To(&[page.number]),
            &holding,
            node.as_ref().map(|node| (&page, node)),
        )?;
        let visible = session.visible(context)?;
        links.retain(|link| visible.has(&link.from));
        Ok(LinkList { slug: page.slug, links })
    }
}

/// Whether a link from or to a page is one from or to a node of it.
pub fn is_of_node(page: &PageRow, node: &Node, row: &LinkRow) -> bool {
    if row.from_path == page.path && row.to != Some(page.number) {
        return (node.lines.first..=node.lines.last).contains(&row.link.line);
    }
    let names = std::iter::once(&node.id).chain([&node.title]).chain(&node.aliases);
    let is_named = names.into_iter().any(|name| row.link.names[0] == fold(name));
    is_named || row.link.heading.as_ref().is_some_and(|heading| fold(heading) == fold(&node.title))
}

fn collect(
    context: &VaultContext,
    filter: &LinkFilter<'_>,
    holding: &Holding,
    node: Option<(&PageRow, &Node)>,
) -> Result<Vec<LinkItem>> {
    let rows = context.store().links(context.project(), filter)?;
    let mut links = rows
        .into_iter()
        .filter(|row| node.is_none_or(|(page, node)| is_of_node(page, node, row)))
        .filter(|row| holding.temporal.takes(row, &holding.day))
        .map(|row| LinkItem::new(context, row))
        .collect::<Result<Vec<_>>>()?;
    links.sort_by(|a, b| a.path.cmp(&b.path).then(a.line.cmp(&b.line)));
    Ok(links)
}

impl Render for LinkList {
    fn human(&self) -> String {
        if self.links.is_empty() {
            return "no links\n".into();
        }
        let line = |link: &LinkItem| {
            let context = link.context.as_deref().unwrap_or_default();
            format!("{:>16}  {}\n{:18}{}:{}  {context}", link.id, link.sentence(), "", link.path, link.line)
        };
        lines(self.links.iter().map(line))
    }

    fn brief(&self) -> String {
        lines(self.links.iter().map(LinkItem::sentence))
    }

    fn exit(&self) -> u8 {
        u8::from(self.links.is_empty())
    }
}
