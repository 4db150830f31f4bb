//! The structured lines of a text, each with the lines of its list item.

use std::collections::BTreeMap;
use std::ops::Range;

use lore_text::{fold, on_one_line, slugify};

use crate::body::{ItemRange, item_ranges};
use crate::edit::doc::Doc;
use crate::page::{Entry, Fact, LINKS_TO, Link, Observation};

/// A kind of structured line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// `- predicate:: object`.
    Fact,
    /// `- verb [[Target]]`.
    Relation,
    /// `- [category] text`.
    Observation,
    /// A timeline entry, or other text among the entries.
    Timeline,
}

/// What a structured line says.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body<'d> {
    Fact(&'d Fact),
    Relation(&'d Link),
    Observation(&'d Observation),
    Entry(&'d Entry),
    /// Text between the entries of a timeline, which is kept like them.
    Text,
}

/// A structured line.
#[derive(Debug)]
pub(super) struct Statement<'d> {
    pub(super) body: Body<'d>,
    /// First line of its item.
    pub(super) first: usize,
    /// Last line of its own text.
    pub(super) last: usize,
    /// Last line of the item, including everything nested in it.
    pub(super) whole: usize,
}

impl Statement<'_> {
    pub(super) fn kind(&self) -> LineKind {
        match self.body {
            Body::Fact(_) => LineKind::Fact,
            Body::Relation(_) => LineKind::Relation,
            Body::Observation(_) => LineKind::Observation,
            Body::Entry(_) | Body::Text => LineKind::Timeline,
        }
    }

    /// Returns everything it says, without its position; equal for two lines that say the same.
    pub(super) fn signature(&self, doc: &Doc<'_>) -> String {
        match self.body {
            Body::Fact(fact) => format!("fact {:?}", Fact { line: 0, ..fact.clone() }),
            Body::Relation(link) => {
                format!("relation {:?}", (&link.relation, &link.target, &link.context, link.interval))
            }
            Body::Observation(line) => {
                format!("observation {:?}", (&line.category, &line.content, &line.context))
            }
            Body::Entry(entry) => {
                format!("entry {:?}", (&entry.date, &entry.source, &entry.summary, &entry.detail))
            }
            Body::Text => format!("text {}", self.text(doc)),
        }
    }

    /// Returns what identifies it while its dates, provenance or context change; `None` for kinds without such a key.
    pub(super) fn key(&self) -> Option<String> {
        match self.body {
            Body::Fact(fact) => Some(format!("{} {}", about(fact, &fact.predicate), fold(&fact.object))),
            Body::Relation(link) => Some(format!("{} {}", fold(&link.relation), slugify(&link.target))),
            Body::Observation(_) | Body::Entry(_) | Body::Text => None,
        }
    }

    /// Returns its own text on one line, as a receipt shows it.
    pub(super) fn text(&self, doc: &Doc<'_>) -> String {
        let lines: Vec<&str> = (self.first..=self.last).map(|line| doc.lines.content(line)).collect();
        on_one_line(&lines.join("\n"))
    }
}

/// Returns subject and topic of a fact, normalized.
pub(super) fn about(fact: &Fact, topic: &str) -> String {
    let subject = fact.subject.as_deref().map(fold).unwrap_or_default();
    format!("{subject} | {}", fold(topic).replace(['-', ' '], "_"))
}

/// Returns the structured lines of a text in order.
pub(super) fn statements<'d>(doc: &'d Doc<'_>) -> Vec<Statement<'d>> {
    let page = &doc.page;
    // One item is one statement, even if it has several links.
    let mut found: BTreeMap<usize, Statement<'d>> = BTreeMap::new();
    for entry in &page.entries {
        let (first, last) = (entry.lines.first as usize, entry.lines.last as usize);
        found.insert(first, Statement { body: Body::Entry(entry), first, last, whole: last });
    }
    let facts = page.facts.iter().map(|fact| (fact.line, Body::Fact(fact)));
    let observations = page.observations.iter().map(|line| (line.line, Body::Observation(line)));
    let is_relation = |link: &&Link| link.relation != LINKS_TO && link.span.start < link.span.end;
    let relations = page.links.iter().filter(is_relation).map(|link| (link.line, Body::Relation(link)));
    let items = item_ranges(doc.format, doc.text);
    for (line, body) in facts.chain(observations).chain(relations) {
        let Some(item) = item_at(doc, &items, line as usize, body) else { continue };
        let last_line = |range: &Range<usize>| {
            let length = doc.text[range.clone()].trim_end().len();
            doc.lines.at(range.start + length.saturating_sub(1))
        };
        let (first, last) = (doc.lines.at(item.whole.start), last_line(&item.own));
        let whole = last_line(&item.whole).max(last);
        found.entry(first).or_insert(Statement { body, first, last, whole });
    }
    let mut all: Vec<Statement<'d>> = found.into_values().collect();
    all.extend(timeline_text(doc, &all));
    all.sort_by_key(|statement| statement.first);
    all
}

/// Returns the item that says something on a line.
fn item_at<'i>(doc: &Doc<'_>, items: &'i [ItemRange], line: usize, body: Body<'_>) -> Option<&'i ItemRange> {
    let at = match body {
        Body::Relation(link) => link.span.start,
        _ => doc.lines.end(line).saturating_sub(1),
    };
    let before = items.partition_point(|item| item.own.start <= at);
    let fits = |item: &&ItemRange| match body {
        Body::Relation(_) => item.own.contains(&at),
        _ => doc.lines.at(item.own.start) == line,
    };
    items[..before].iter().rev().take(8).find(fits)
}

/// Returns the text between the entries of a timeline. Text below a rule without any entry is ordinary text.
fn timeline_text<'d>(doc: &Doc<'_>, items: &[Statement<'d>]) -> Vec<Statement<'d>> {
    let Some(timeline) = doc.page.timeline else { return Vec::new() };
    let start = doc.lines.at(timeline.start);
    let in_timeline = |item: &&Statement<'_>| doc.lines.start(item.first) >= timeline.start;
    let items: Vec<&Statement<'_>> = items.iter().filter(in_timeline).collect();
    let is_timeline = items.iter().any(|item| matches!(item.body, Body::Entry(_)));
    if timeline.of(doc.text).trim().is_empty() || !is_timeline {
        return Vec::new();
    }
    let mut taken = vec![false; doc.lines.count() + 2];
    for item in &items {
        taken[item.first..=item.whole].fill(true);
    }
    for heading in &doc.page.headings {
        let first = heading.lines.first as usize;
        taken[first..=doc.heading_end(first)].fill(true);
    }
    let mut runs: Vec<Statement<'d>> = Vec::new();
    for line in (start..=doc.lines.count()).filter(|line| !taken[*line] && !doc.blank(*line)) {
        match runs.last_mut() {
            Some(run) if run.last + 1 == line => (run.last, run.whole) = (line, line),
            _ => runs.push(Statement { body: Body::Text, first: line, last: line, whole: line }),
        }
    }
    runs
}
