//! Headings with an id of their own, which a new text keeps unless the caller drops them.

use std::collections::HashSet;

use super::Dropped;
use crate::edit::EditError;
use crate::edit::doc::Doc;
use crate::page::Node;

/// Returns an error if a node of the old text is missing from the new one and not dropped, or if the new text is that of a
/// single node.
pub(super) fn check_nodes(old: &Doc<'_>, new: &Doc<'_>, dropped: &Dropped) -> Result<(), EditError> {
    if old.page.nodes.is_empty() || dropped.has_all() {
        return Ok(());
    }
    check_lone_node(old, new, lone_node(old))?;
    // The file has the id of a node: its text was written as that of the page.
    let id = new.page.id.as_ref().filter(|_| new.page.id != old.page.id);
    if let Some(node) = old.page.nodes.iter().find(|node| id == Some(&node.id)) {
        return Err(lone(node));
    }
    // A heading may keep its id without being a node, if it is excluded.
    let known: HashSet<&str> = new.text.lines().filter_map(id_on).collect();
    let named = dropped.nodes(old);
    let is_lost = |(node, is_named): &(&Node, bool)| !is_named && !known.contains(node.id.as_str());
    match old.page.nodes.iter().zip(named).find(is_lost) {
        Some((node, _)) => Err(EditError::LostNode { heading: node.title.clone(), id: node.id.clone() }),
        None => Ok(()),
    }
}

/// Returns an error if a new truth is the text of a node that the old one does not start with.
pub(in crate::edit) fn check_truth_node(old: &Doc<'_>, truth: &Doc<'_>) -> Result<(), EditError> {
    let start = old.page.truth.start;
    let blank = old.text[start..].len() - old.text[start..].trim_start_matches(['\r', '\n']).len();
    let starts = |node: &&Node| old.lines.start(node.lines.first as usize) == start + blank;
    check_lone_node(old, truth, old.page.nodes.first().filter(starts))
}

/// Returns an error if a new text is that of a node of the old one, which starts with another or none.
fn check_lone_node(old: &Doc<'_>, new: &Doc<'_>, first: Option<&Node>) -> Result<(), EditError> {
    let is_known = |node: &&Node| old.page.nodes.iter().any(|other| other.id == node.id);
    match lone_node(new).filter(is_known).filter(|node| first.is_none_or(|first| first.id != node.id)) {
        Some(node) => Err(lone(node)),
        None => Ok(()),
    }
}

fn lone(node: &Node) -> EditError {
    EditError::LoneNode { heading: node.title.clone(), id: node.id.clone() }
}

/// Returns the id on a line of a property drawer.
fn id_on(line: &str) -> Option<&str> {
    let (key, id) = line.trim().split_at_checked(":ID:".len())?;
    key.eq_ignore_ascii_case(":ID:").then_some(id.trim())
}

/// Returns the node that a text starts with, after nothing but the file's property drawer.
fn lone_node<'d>(doc: &'d Doc<'_>) -> Option<&'d Node> {
    let first = doc.page.headings.first()?.lines.first;
    let node = doc.page.nodes.first().filter(|node| node.lines.first == first)?;
    let head = &doc.text[..doc.lines.start(first as usize)];
    let mut lines =
        head.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
    let is_end = |line: &str| line.eq_ignore_ascii_case(":END:");
    let is_bare = match lines.next() {
        None => true,
        Some(line) => {
            line.eq_ignore_ascii_case(":PROPERTIES:") && lines.any(is_end) && lines.next().is_none()
        }
    };
    is_bare.then_some(node)
}
