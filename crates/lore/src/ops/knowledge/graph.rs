//! `graph`: the neighbourhood of a page, or the map of a vault.

mod draw;

use std::collections::HashSet;

use clap::Args;
use lore_engine::{Neighbourhood, Reach, VaultContext};
use lore_ports::{Filter, Order, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::as_of::Moment;
use crate::ops::filters::Filters;
use crate::ops::knowledge::links::Validity;
use crate::ops::views::LinkItem;
use crate::ops::{Operation, Render};

/// Show the pages within a few links of a page, and their links
///
/// Without a page, all pages and their links are shown, those with the most links first. Filters select pages; the page
/// at the centre is always shown.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore graph people/ada\n  lore graph --tag procedure --where projects=emacs\n  lore graph companies/acme --depth 1 --temporal all\n  lore graph companies/acme --as-of 2019\n  lore graph people/ada --svg > ada.svg\n  lore graph people/ada --dot | dot -Tpng > ada.png"
)]
pub struct Graph {
    /// Page at the centre [default: the whole vault]
    #[arg(value_name = "REF")]
    #[serde(default)]
    reference: Option<String>,
    /// Maximum link distance [default: 2]
    #[arg(long)]
    #[serde(default)]
    depth: Option<usize>,
    /// Temporal filter [default: current]
    #[arg(long, value_enum)]
    #[serde(default)]
    temporal: Option<Validity>,
    /// Maximum number of results [default: 50]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Print Graphviz DOT
    #[arg(long, conflicts_with = "svg")]
    #[serde(default)]
    dot: bool,
    /// Print SVG
    #[arg(long)]
    #[serde(default)]
    svg: bool,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(flatten)]
    filters: Filters,
}

/// Output of `graph`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphView {
    /// The page at the centre, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    centre: Option<String>,
    nodes: Vec<GraphNode>,
    edges: Vec<LinkItem>,
    /// Whether pages were left out because of the limit.
    cut: bool,
    /// DOT or SVG, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<String>,
    /// How to get more pages.
    #[serde(skip)]
    hint: String,
}

/// A page in the graph.
#[derive(Debug, Serialize, JsonSchema)]
struct GraphNode {
    slug: String,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    /// Link distance from the centre; without one, from the page with the most links.
    hops: usize,
}

impl Operation for Graph {
    const NAME: &'static str = "graph";
    type Output = GraphView;

    fn run(self, session: &Session) -> Result<GraphView> {
        let context = &*self.moment.view(session)?;
        let page = self.reference.as_deref().map(|reference| context.page(reference)).transpose()?;
        let holding = self.moment.holding(context, self.temporal, Validity::Current)?;
        let reach = Reach {
            depth: self.depth.unwrap_or(2).min(20),
            limit: self.limit.unwrap_or(50).max(1),
            temporal: holding.temporal,
            today: holding.day,
        };
        let is_filtered = self.filters.is_given();
        let filter = self.filters.build(session, context)?;
        let found = match &page {
            Some(page) if !is_filtered => context.graph(page, &reach)?,
            Some(page) => {
                // All that is near is looked at, and the limit counts what is left.
                let near = context.graph(page, &Reach { limit: usize::MAX, ..reach.clone() })?;
                let wanted = matching(context, &filter)?;
                keep(near, reach.limit, |number| number == page.number || wanted.contains(&number))
            }
            None => {
                let rows = context.store().list(context.project(), &filter, Order::Title, EVERY)?;
                let pages: Vec<i64> = rows.iter().map(|row| row.number).collect();
                context.map(&pages, &reach)?
            }
        };
        let numbers: Vec<i64> = found.pages.iter().map(|(page, _)| *page).collect();
        let rows = context.store().pages(context.project(), &numbers)?;
        let mut nodes: Vec<GraphNode> = rows
            .into_iter()
            .zip(found.pages.iter().map(|(_, hops)| *hops))
            .map(|(row, hops)| GraphNode { slug: row.slug, title: row.title, kind: row.kind, hops })
            .collect();
        nodes.sort_by(|a, b| (a.hops, &a.slug).cmp(&(b.hops, &b.slug)));
        let mut edges =
            found.links.into_iter().map(|row| LinkItem::new(context, row)).collect::<Result<Vec<_>>>()?;
        let visible = session.visible(context)?;
        let centre = page.map(|page| page.slug);
        let shown = |slug: &str| centre.as_deref() == Some(slug) || visible.has(slug);
        nodes.retain(|node| shown(&node.slug));
        edges.retain(|edge| shown(&edge.from) && edge.to.as_deref().is_none_or(shown));
        let mut view = GraphView {
            centre,
            nodes,
            edges,
            cut: found.cut,
            drawing: None,
            hint: if found.cut { session.hint("raise --limit") } else { String::new() },
        };
        if self.dot {
            view.drawing = Some(draw::dot(&view));
        } else if self.svg {
            view.drawing = Some(draw::svg(&view));
        }
        Ok(view)
    }
}

/// Every row of a list.
const EVERY: Window = Window { limit: i64::MAX as usize, offset: 0 };

fn matching(context: &VaultContext, filter: &Filter) -> Result<HashSet<i64>> {
    let rows = context.store().list(context.project(), filter, Order::Title, EVERY)?;
    Ok(rows.into_iter().map(|row| row.number).collect())
}

/// Keeps the nearest of the pages that are wanted, and the links between them.
fn keep(mut found: Neighbourhood, limit: usize, is_wanted: impl Fn(i64) -> bool) -> Neighbourhood {
    found.pages.retain(|(page, _)| is_wanted(*page));
    found.cut = found.pages.len() > limit;
    found.pages.truncate(limit);
    let kept: HashSet<i64> = found.pages.iter().map(|(page, _)| *page).collect();
    found.links.retain(|row| kept.contains(&row.from) && row.to.is_some_and(|to| kept.contains(&to)));
    found
}

impl Render for GraphView {
    fn human(&self) -> String {
        let mut text = String::new();
        for node in &self.nodes {
            text.push_str(&format!(
                "{}{}  {} ({})\n",
                "  ".repeat(node.hops),
                node.slug,
                node.title,
                node.kind
            ));
        }
        text.push('\n');
        text.extend(self.edges.iter().map(|edge| format!("{}\n", edge.sentence())));
        if self.cut {
            text.push_str(&format!("more pages: {}\n", self.hint));
        }
        text
    }

    fn brief(&self) -> String {
        crate::ops::views::lines(self.edges.iter().map(LinkItem::sentence))
    }

    fn raw(&self) -> Option<&[u8]> {
        self.drawing.as_deref().map(str::as_bytes)
    }
}
