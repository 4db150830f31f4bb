//! `show`: a page with its metadata, statements and links.

use clap::Args;
use lore_engine::history::truth_change;
use lore_engine::{State, VaultContext, node_named, node_place, states, supersession};
use lore_page::{ByteRange, Diagnostic, Node, Properties, parse};
use lore_ports::{LinkFilter, PageRow, StatementFilter, StatementKind};
use lore_vault::decode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::external_text::PageText;
use crate::ops::knowledge::links::is_of_node;
use crate::ops::lifecycle_view::{ContradictionItem, SupersederItem, chain_sentence};
use crate::ops::line::Line;
use crate::ops::views::{LinkItem, shown_date, timestamp};
use crate::ops::{Operation, Render};

/// Show a page with its version, status, statements and line numbers
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore show \"Ada Lovelace\"\n  lore show people/ada-lovelace --with-links --json"
)]
pub struct Show {
    /// Id or id prefix, slug, path, title, alias or memory:// URI
    #[arg(value_name = "REF")]
    reference: String,
    /// Also show links from and to the page
    #[arg(long)]
    #[serde(default)]
    with_links: bool,
    /// Only these lines of the file, such as 12-30 or 12
    #[arg(long, value_name = "FIRST-LAST", allow_hyphen_values = true)]
    #[serde(default)]
    lines: Option<String>,
}

/// Output of `show`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageView {
    slug: String,
    id: String,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    path: Line,
    version: u64,
    /// `active`, `stale`, `contested`, `superseded`, `compacted`, or the status declared in the file.
    status: String,
    /// Why it has that status.
    reasons: Vec<String>,
    /// When the status began.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// Pages that supersede it, then the pages that supersede those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    superseded_by: Vec<SupersederItem>,
    /// Pages that contradict it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<ContradictionItem>,
    /// Date of the last review, as declared in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewed: Option<String>,
    /// Warnings about the page.
    warnings: Vec<String>,
    wing: String,
    /// Topic within the wing: the property `room`, else the first section.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
    tags: Vec<String>,
    summary: Option<String>,
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    properties: Properties,
    created: String,
    updated: String,
    /// When the text above the first rule last changed, as far as the history knows.
    truth_updated_at: String,
    /// When the text below it last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline_updated_at: Option<String>,
    /// SHA-256 of the file.
    hash: String,
    headings: Vec<HeadingView>,
    /// The heading that the reference names, if that is a node of its own; the content is its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<NodeView>,
    /// Headings with an id of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<NodeView>,
    observations: Vec<StatementView>,
    facts: Vec<StatementView>,
    entries: Vec<StatementView>,
    /// Parse warnings, by line.
    #[schemars(with = "Vec<serde_json::Value>")]
    diagnostics: Vec<Diagnostic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<LinkItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backlinks: Option<Vec<LinkItem>>,
    /// Text above the first rule, without the frontmatter.
    compiled_truth: PageText,
    /// Text below that rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<PageText>,
    /// First and last line of the content, if a range was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<[u32; 2]>,
    content: PageText,
}

/// A heading with the lines of its section.
#[derive(Debug, Serialize, JsonSchema)]
struct HeadingView {
    level: u8,
    text: String,
    lines: [u32; 2],
}

/// A heading of an Org file with an id of its own.
#[derive(Debug, Serialize, JsonSchema)]
struct NodeView {
    id: String,
    title: String,
    /// The file and the heading: `path.org::*Heading`.
    place: Line,
    lines: [u32; 2],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    todo: Option<String>,
}

impl NodeView {
    fn new(path: &str, node: &Node) -> NodeView {
        NodeView {
            id: node.id.clone(),
            title: node.title.clone(),
            place: node_place(path, node).into(),
            lines: [node.lines.first, node.lines.last],
            aliases: node.aliases.clone(),
            refs: node.refs.clone(),
            tags: node.tags.clone(),
            todo: node.todo.clone(),
        }
    }
}

/// An observation, fact or timeline entry.
#[derive(Debug, Serialize, JsonSchema)]
struct StatementView {
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    /// Category of an observation, predicate of a fact, source of an entry.
    predicate: String,
    /// Content of an observation, object of a fact, summary of an entry.
    object: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    /// Tags, context, source, by, confidence, evidence or detail.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    notes: std::collections::BTreeMap<String, String>,
}

impl Show {
    /// Returns parameters for a page with its links.
    pub fn whole(reference: &str) -> Show {
        Show { reference: reference.to_owned(), with_links: true, lines: None }
    }
}

impl Operation for Show {
    const NAME: &'static str = "show";
    type Output = PageView;

    fn run(self, session: &Session) -> Result<PageView> {
        let context = session.fresh()?;
        let page = context.page(&self.reference)?;
        let content = decode(&context.read(&page)?.bytes).text.into_owned();
        let parsed = parse(&page.path, &content).page;
        let node = node_named(&parsed, [&page.path, &page.slug], &self.reference).cloned();
        let range = self.lines.as_deref().map(|text| line_range(text, &content)).transpose()?;
        let range = range.or(node.as_ref().map(|node| [node.lines.first, node.lines.last]));
        let within = |line: u32| range.is_none_or(|[first, last]| first <= line && line <= last);
        let visible = session.visible(context)?;
        let links = |filter: LinkFilter<'_>| -> Result<Vec<LinkItem>> {
            let rows = context.store().links(context.project(), &filter)?;
            let rows =
                rows.into_iter().filter(|row| node.as_ref().is_none_or(|node| is_of_node(&page, node, row)));
            let mut items: Vec<LinkItem> =
                rows.map(|row| LinkItem::new(context, row)).collect::<Result<_>>()?;
            let shown = |slug: &str| slug == page.slug || visible.has(slug);
            items.retain(|link| shown(&link.from) && link.to.as_deref().is_none_or(shown));
            Ok(items)
        };
        let number = [page.number];
        let state = states(context, std::slice::from_ref(&page))?.pop().unwrap_or_default();
        let superseded_by = superseders(context, &page, &state)?;
        let part = |bytes: ByteRange| PageText::new(context, &page, bytes.of(&content).trim().to_owned());
        // A range of lines is all that was asked for.
        let (compiled_truth, timeline) = match range {
            None => (part(parsed.truth), parsed.timeline.map(part)),
            Some(_) => (PageText::default(), None),
        };
        let truth_change = truth_change(context, &page.path, &content)?;
        let truth_updated_at = truth_change.map_or(page.created.min(page.updated), |change| change.at);
        let timeline_updated_at = match parsed.timeline {
            Some(_) => Some(timestamp(timeline_change(context, &page, &content)?)),
            None => None,
        };
        let section = parsed.headings.iter().find(|heading| heading.level == 2).map(|found| &found.text);
        let room = page.properties.text("room").map(str::to_owned).or_else(|| section.cloned());
        let shown = range.map(|lines| lines_of(&content, lines)).unwrap_or(content);
        let content = PageText::new(context, &page, shown);
        let nodes = parsed.nodes.iter().map(|node| NodeView::new(&page.path, node)).collect();
        Ok(PageView {
            node: node.as_ref().map(|node| NodeView::new(&page.path, node)),
            nodes: if node.is_some() { Vec::new() } else { nodes },
            compiled_truth,
            timeline,
            room,
            headings: parsed
                .headings
                .into_iter()
                .filter(|heading| within(heading.lines.first))
                .map(|heading| HeadingView {
                    level: heading.level,
                    text: heading.text,
                    lines: [heading.lines.first, heading.lines.last],
                })
                .collect(),
            observations: statements(context, &page, StatementKind::Observation, &within)?,
            facts: statements(context, &page, StatementKind::Fact, &within)?,
            entries: statements(context, &page, StatementKind::Entry, &within)?,
            links: if self.with_links { Some(links(LinkFilter::From(&number))?) } else { None },
            backlinks: if self.with_links { Some(links(LinkFilter::To(&number))?) } else { None },
            slug: page.slug,
            id: page.id,
            title: page.title,
            kind: page.kind,
            path: page.path.into(),
            version: page.version,
            reasons: state.reasons.iter().map(ToString::to_string).collect(),
            warnings: state.warnings(),
            status: state.status,
            since: state.since,
            superseded_by,
            contradicts: state
                .contradicts
                .into_iter()
                .map(|(slug, context)| ContradictionItem { slug, context })
                .collect(),
            reviewed: page.properties.text("reviewed").map(shown_date),
            wing: page.wing,
            tags: page.tags,
            summary: page.summary,
            properties: page.properties,
            truth_updated_at: timestamp(truth_updated_at),
            timeline_updated_at,
            created: timestamp(page.created),
            updated: timestamp(page.updated),
            hash: page.hash.to_string(),
            diagnostics: page.diagnostics,
            lines: range,
            content,
        })
    }
}

/// Returns when the timeline of a page last changed, in milliseconds since 1970: a snapshot has the time at which it was
/// replaced, so the newest one with another timeline has the time of the change.
fn timeline_change(context: &VaultContext, page: &PageRow, text: &str) -> Result<i64> {
    let timeline = |text: &str| {
        parse(&page.path, text)
            .page
            .timeline
            .map(|range| range.of(text).trim().to_owned())
            .unwrap_or_default()
    };
    let (now, store, project) = (timeline(text), context.store(), context.project());
    for row in store.snapshots(project, &page.path)? {
        let old = store.snapshot_bytes(project, row.number)?;
        if old.is_some_and(|bytes| timeline(&decode(&bytes).text) != now) {
            return Ok(row.at);
        }
    }
    Ok(page.created.min(page.updated))
}

/// Parses a range of lines, cut to the lines of a text.
fn line_range(text: &str, content: &str) -> Result<[u32; 2]> {
    let count = content.lines().count() as u32;
    let (first, last) = text.trim().split_once('-').unwrap_or((text.trim(), text.trim()));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|line| *line > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last && first <= count => Ok([first, last.min(count)]),
        (Some(first), Some(last)) if first <= last => Err(AppError::usage(
            format!("the page has {count} lines, but line {first} was requested"),
            "pass lines that exist, or none to read the whole page",
        )),
        _ => Err(AppError::usage(
            format!("{text:?} is not a range of lines"),
            "pass the first and the last line, as in 12-30",
        )),
    }
}

fn lines_of(content: &str, [first, last]: [u32; 2]) -> String {
    let lines = content.split_inclusive('\n').skip(first as usize - 1).take((last + 1 - first) as usize);
    lines.collect()
}

/// Returns the whole chain of pages that supersede a page; without one, the index is not queried.
fn superseders(context: &VaultContext, page: &PageRow, state: &State) -> Result<Vec<SupersederItem>> {
    if state.superseded_by.is_empty() {
        return Ok(Vec::new());
    }
    let rings = (1..).zip(supersession(context, page)?);
    let item = |step: usize, (slug, title)| SupersederItem { slug, title, step };
    Ok(rings.flat_map(|(step, ring)| ring.into_iter().map(move |page| item(step, page))).collect())
}

fn statements(
    context: &VaultContext,
    page: &PageRow,
    kind: StatementKind,
    within: &dyn Fn(u32) -> bool,
) -> Result<Vec<StatementView>> {
    let filter = StatementFilter { pages: Some(&[page.number]), kind: Some(kind), naming: None };
    let rows = context.store().statements(context.project(), &filter)?;
    Ok(rows
        .into_iter()
        .filter(|row| within(row.statement.lines.first))
        .map(|row| StatementView {
            line: row.statement.lines.first,
            subject: row.statement.subject,
            predicate: row.statement.predicate,
            object: row.statement.object,
            valid_from: row.statement.interval.from.map(|date| date.to_string()),
            valid_until: row.statement.interval.until.map(|date| date.to_string()),
            notes: row.statement.notes.into_iter().collect(),
        })
        .collect())
}

impl PageView {
    /// Returns the status and its reasons as text.
    fn status_lines(&self) -> String {
        let since = self.since.as_deref().map(|day| format!(" since {day}")).unwrap_or_default();
        // A status declared in the file needs no reason.
        let why: Vec<&str> =
            self.reasons.iter().map(String::as_str).filter(|why| !why.starts_with("status: ")).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
        let mut text = format!("status: {}{since}{why}\n", self.status);
        if self.superseded_by.iter().any(|page| page.step > 1) {
            text.extend(chain_sentence(&self.superseded_by).map(|chain| format!("{chain}\n")));
        }
        text.extend(self.reviewed.iter().map(|day| format!("reviewed: {day}\n")));
        text
    }
}

impl Render for PageView {
    fn human(&self) -> String {
        let mut text = format!("{}  ({}, version {})\n", self.slug, self.kind, self.version);
        let (place, id) = match &self.node {
            Some(node) => (&node.place, &node.id),
            None => (&self.path, &self.id),
        };
        text.push_str(&format!("{place}  updated {}  id {id}\n", self.updated));
        text.push_str(&self.status_lines());
        if !self.tags.is_empty() {
            text.push_str(&format!("tags: {}\n", self.tags.join(", ")));
        }
        for diagnostic in &self.diagnostics {
            text.push_str(&format!("warning: line {}: {}\n", diagnostic.line, diagnostic.message));
        }
        text.push('\n');
        let (head, foot) = self.content.fence();
        text.push_str(&head);
        let first = self.lines.map_or(1, |[first, _]| first as usize);
        for (number, line) in self.content.exact().lines().enumerate() {
            text.push_str(&format!("{:>4}  {line}\n", number + first));
        }
        text.push_str(&foot);
        for (heading, links) in [("links", &self.links), ("backlinks", &self.backlinks)] {
            let Some(links) = links else { continue };
            text.push_str(&format!("\n{heading} ({})\n", links.len()));
            text.extend(links.iter().map(|link| format!("  {}\n", link.sentence())));
        }
        text
    }

    fn brief(&self) -> String {
        let summary = self.summary.as_deref().unwrap_or(&self.title);
        format!("{}  {} (version {}): {summary}\n", self.slug, self.kind, self.version)
    }
}
