//! Edits of a heading of an Org file that is a node: its text, its drawer, its tags. It is given by its line.
//!
//! The heading of a node keeps its id, and no heading outside of its section changes.

use std::ops::Range;

use super::EditError;
use super::doc::{Doc, SectionBounds};
use super::lines::{insert_block, splice};
use super::org_heading::marks_and_title;
use super::section::append_within;
use super::tag::{is_same, name};
use crate::format::Format;
use crate::org;
use crate::page::{Heading, Node};

/// Adds text to a node: above its first subheading, or at the end of its section if the text starts with a heading.
pub fn append_to_node(text: &str, line: u32, addition: &str) -> Result<String, EditError> {
    let doc = Doc::new(Format::Org, text);
    let section = section(&doc, line)?;
    let end = if addition.trim_start().starts_with('*') { section.end } else { section.own_end };
    checked(&doc, &section, append_within(&doc, section.body_start..end, addition))
}

/// Inserts text below the heading and the drawer of a node.
pub fn prepend_to_node(text: &str, line: u32, addition: &str) -> Result<String, EditError> {
    let doc = Doc::new(Format::Org, text);
    let section = section(&doc, line)?;
    let block = addition.trim_end();
    let edited = match block.is_empty() {
        true => text.to_owned(),
        false => insert_block(text, doc.page.truth.start, section.body_start, block),
    };
    checked(&doc, &section, edited)
}

/// Makes an edit in the section of a node, which is given to it as a text of its own.
pub fn edit_node(
    text: &str,
    line: u32,
    edit: impl FnOnce(&str) -> Result<String, EditError>,
) -> Result<String, EditError> {
    let doc = Doc::new(Format::Org, text);
    let section = section(&doc, line)?;
    let range = section.start..section.end;
    let edited = splice(text, range.clone(), &edit(&text[range])?);
    checked(&doc, &section, edited)
}

/// Edits a property in the drawer of a node, which is given to the edit as a text of its own. The title and the tags are
/// no properties of a drawer.
pub fn edit_node_property(
    text: &str,
    line: u32,
    key: &str,
    edit: impl FnOnce(&str) -> Result<String, EditError>,
) -> Result<String, EditError> {
    let doc = Doc::new(Format::Org, text);
    let section = section(&doc, line)?;
    let failed = || EditError::Property { key: key.to_owned() };
    if ["id", "title", "tags"].iter().any(|own| own.eq_ignore_ascii_case(key)) {
        return Err(failed());
    }
    let drawer = org::heading_drawer(text, section.start).ok_or_else(failed)?;
    let written = edit(&text[drawer.clone()])?;
    checked(&doc, &section, splice(text, drawer, &written))
}

/// Adds a tag to the line of a heading. If the node already has the tag, or inherits it, the text is unchanged.
pub fn add_node_tag(text: &str, line: u32, tag: &str) -> Result<String, EditError> {
    let (doc, tag) = (Doc::new(Format::Org, text), name(tag)?);
    let known = &node(&doc, line)?.tags;
    if known.iter().any(|known| is_same(known, tag)) {
        return Ok(text.to_owned());
    }
    let (_, own) = own_tags(&doc, line)?;
    with_tags(&doc, line, &[own.as_slice(), &[tag]].concat(), tag)
}

/// Removes a tag from the line of a heading. If the node does not have the tag, the text is unchanged; one that it inherits
/// is an error.
pub fn remove_node_tag(text: &str, line: u32, tag: &str) -> Result<String, EditError> {
    let (doc, tag) = (Doc::new(Format::Org, text), name(tag)?);
    let (_, own) = own_tags(&doc, line)?;
    let left: Vec<&str> = own.iter().copied().filter(|known| !is_same(known, tag)).collect();
    if left.len() < own.len() {
        return with_tags(&doc, line, &left, tag);
    }
    match node(&doc, line)?.tags.iter().any(|known| is_same(known, tag)) {
        true => Err(EditError::InheritedTag { tag: tag.to_owned() }),
        false => Ok(text.to_owned()),
    }
}

fn node<'d>(doc: &'d Doc<'_>, line: u32) -> Result<&'d Node, EditError> {
    doc.page.nodes.iter().find(|node| node.lines.first == line).ok_or(EditError::NoNode { line })
}

fn heading<'d>(doc: &'d Doc<'_>, line: u32) -> Result<&'d Heading, EditError> {
    node(doc, line)?;
    doc.page.headings.iter().find(|heading| heading.lines.first == line).ok_or(EditError::NoNode { line })
}

fn section(doc: &Doc<'_>, line: u32) -> Result<SectionBounds, EditError> {
    Ok(doc.section(heading(doc, line)?))
}

/// Returns the bytes from the title of a heading to the end of its tags, and the tags.
fn own_tags<'t>(doc: &Doc<'t>, line: u32) -> Result<(Range<usize>, Vec<&'t str>), EditError> {
    let (_, title) = marks_and_title(doc, heading(doc, line)?).ok_or(EditError::NoNode { line })?;
    let at = line as usize;
    let end = doc.lines.start(at) + doc.lines.content(at).trim_end().len();
    let tags = doc.text[title.end.min(end)..end].trim().split(':').filter(|tag| !tag.is_empty());
    Ok((title.end.min(end)..end, tags.collect()))
}

/// Returns the text with these tags on the line of a heading.
fn with_tags(doc: &Doc<'_>, line: u32, tags: &[&str], changed: &str) -> Result<String, EditError> {
    let (range, own) = own_tags(doc, line)?;
    let old = &doc.text[range.clone()];
    let space = &old[..old.len() - old.trim_start().len()];
    let space = if space.is_empty() { " " } else { space };
    let written = if tags.is_empty() { String::new() } else { format!("{space}:{}:", tags.join(":")) };
    let edited = splice(doc.text, range, &written);
    let section = section(doc, line)?;
    let inherited = node(doc, line)?.tags.iter().filter(|tag| !own.contains(&tag.as_str()));
    let mut expected: Vec<String> = inherited.cloned().collect();
    expected.extend(tags.iter().map(|tag| (*tag).to_owned()));
    let after = Doc::new(Format::Org, &edited);
    let mut reads: Vec<String> = node(&after, line)?.tags.clone();
    expected.sort();
    reads.sort();
    expected.dedup();
    if reads != expected {
        let heading = after.lines.content(line as usize);
        return Err(EditError::unreadable("a heading", heading, "tag", changed));
    }
    checked(doc, &section, edited)
}

/// Returns the edited text, or an error if the node has lost its id or a heading outside of its section has changed.
fn checked(doc: &Doc<'_>, section: &SectionBounds, edited: String) -> Result<String, EditError> {
    let after = Doc::new(Format::Org, &edited);
    let line = doc.lines.at(section.start) as u32;
    let outside = |doc: &Doc<'_>, end: usize| {
        let start = |heading: &Heading| doc.lines.start(heading.lines.first as usize);
        let all = doc.page.headings.iter().filter(|one| start(one) < section.start || start(one) >= end);
        all.map(|one| (one.level, one.text.clone())).collect::<Vec<_>>()
    };
    let end = edited.len() - (doc.text.len() - section.end);
    let has_id = node(&after, line)?.id == node(doc, line)?.id;
    match has_id && outside(doc, section.end) == outside(&after, end) {
        true => Ok(edited),
        false => Err(EditError::Hidden { count: doc.page.nodes.len() }),
    }
}
