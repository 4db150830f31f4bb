//! The structured lines that a caller removes from a page by name.

use lore_text::on_one_line;

use super::LineKind;
use super::statement::Statement;
use crate::edit::EditError;
use crate::edit::doc::Doc;
use crate::edit::lines::{line_end, with_line_end};
use crate::page::Node;

/// The structured lines that a rewrite may remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dropped {
    all: bool,
    kinds: Vec<LineKind>,
    lines: Vec<String>,
    found: Option<String>,
}

impl Dropped {
    /// Reads a list of lines, with or without their bullets; `all`, `facts`, `relations`, `observations` and `timeline`
    /// stand for every line of that kind. A heading with an id is named by the id or by its text.
    pub fn parse<'t>(items: impl IntoIterator<Item = &'t str>) -> Dropped {
        let mut dropped = Dropped::default();
        for item in items {
            match item.trim() {
                "all" => dropped.all = true,
                "facts" => dropped.kinds.push(LineKind::Fact),
                "relations" => dropped.kinds.push(LineKind::Relation),
                "observations" => dropped.kinds.push(LineKind::Observation),
                "timeline" => dropped.kinds.push(LineKind::Timeline),
                line => dropped.lines.push(plain(line)),
            }
        }
        dropped
    }

    /// Whether every structured line may be removed.
    pub fn is_all(&self) -> bool {
        self.all
    }

    /// Adds every line that contains a part of this text: the caller who replaces the text has named them.
    pub fn with_found(self, text: &str) -> Dropped {
        Dropped { found: Some(text.to_owned()), ..self }
    }

    /// Returns an error if a named line is not on the page.
    pub(super) fn check(&self, doc: &Doc<'_>, statements: &[Statement<'_>]) -> Result<(), EditError> {
        let is_there = |line: &&String| {
            let is_node = doc.page.nodes.iter().any(|node| names_node(line, node, doc));
            is_node || statements.iter().any(|statement| names(line, &statement.text(doc)))
        };
        match self.lines.iter().find(|line| !is_there(line)) {
            Some(line) => Err(EditError::NoLine { line: line.clone() }),
            None => Ok(()),
        }
    }

    /// Returns for each statement whether it is dropped.
    pub(super) fn of(&self, doc: &Doc<'_>, statements: &[Statement<'_>]) -> Vec<bool> {
        let found = self.occurrences(doc.text);
        let is_found = |statement: &Statement<'_>| overlaps(&found, doc, statement.first, statement.whole);
        let is_named = |statement: &Statement<'_>| {
            let text = statement.text(doc);
            self.lines.iter().any(|line| names(line, &text))
        };
        let is_dropped = |statement: &Statement<'_>| {
            self.all || self.kinds.contains(&statement.kind()) || is_found(statement) || is_named(statement)
        };
        statements.iter().map(is_dropped).collect()
    }

    /// Returns for each node whether it is dropped.
    pub(super) fn nodes(&self, doc: &Doc<'_>) -> Vec<bool> {
        let found = self.occurrences(doc.text);
        let is_dropped = |node: &Node| {
            let first = node.lines.first as usize;
            self.all
                || overlaps(&found, doc, first, doc.heading_end(first))
                || self.lines.iter().any(|line| names_node(line, node, doc))
        };
        doc.page.nodes.iter().map(is_dropped).collect()
    }

    /// Whether everything is dropped.
    pub(super) fn has_all(&self) -> bool {
        self.all
    }

    /// Whether the whole timeline is dropped.
    pub(super) fn has_timeline(&self) -> bool {
        self.all || self.kinds.contains(&LineKind::Timeline)
    }

    /// Whether it belongs to a replacement of text, which removes nothing else.
    pub(super) fn is_replacement(&self) -> bool {
        self.found.is_some()
    }

    fn occurrences(&self, text: &str) -> Vec<(usize, usize)> {
        let Some(found) = self.found.as_deref().filter(|found| !found.is_empty()) else { return Vec::new() };
        let in_file = with_line_end(found, line_end(text));
        let found = if text.contains(found) { found } else { &in_file };
        text.match_indices(found).map(|(at, found)| (at, at + found.len())).collect()
    }
}

/// Whether one of these ranges, which are in order, has a part of these lines.
fn overlaps(found: &[(usize, usize)], doc: &Doc<'_>, first: usize, last: usize) -> bool {
    let end = doc.lines.start(last) + doc.lines.content(last).len();
    let before = found.partition_point(|(start, _)| *start < end);
    found[..before].iter().rev().any(|(_, found_end)| *found_end > doc.lines.start(first))
}

/// Whether a given line is the id, the title or the heading line of a node.
fn names_node(line: &str, node: &Node, doc: &Doc<'_>) -> bool {
    let line = line.trim_start_matches('*').trim();
    let heading = plain(doc.lines.content(node.lines.first as usize));
    let id = line.strip_prefix(":ID:").or_else(|| line.strip_prefix("id:")).unwrap_or(line).trim();
    id == node.id || line == node.title || line == heading.trim_start_matches('*').trim()
}

/// Whether a given line is this text, with or without the detail of an entry.
fn names(line: &str, text: &str) -> bool {
    let text = plain(text);
    text == line
        || (text.starts_with('*') && text.strip_prefix(line).is_some_and(|rest| rest.starts_with(' ')))
}

/// Returns a line on one line and without its bullet.
fn plain(line: &str) -> String {
    let line = on_one_line(line);
    let bullet = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet));
    bullet.unwrap_or(&line).trim().to_owned()
}
