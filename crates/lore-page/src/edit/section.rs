//! Edits by section: the text under a heading, including its subsections.

use std::ops::Range;

use super::EditError;
use super::doc::{Doc, SectionBounds};
use super::lines::{insert_block, line_end, splice, with_line_end};
use crate::format::Format;
use crate::page::Heading;

/// Replaces the text under a heading, including subsections.
///
/// The heading is named by its text, with hashes (`## Log`) or by a path (`2024/Log`, `2024 > Log`) if several share
/// it. Its line is kept; if `with` starts with the same heading, it is not duplicated. The blank lines around the old
/// text are kept around the new text.
pub fn replace_section(format: Format, text: &str, heading: &str, with: &str) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let found = &doc.page.headings[find(&doc.page.headings, heading)?];
    let SectionBounds { body_start, end, .. } = doc.section(found);
    let line_end = line_end(text);
    let with = with_line_end(without_heading(format, with, &found.text), line_end);
    let old = SectionParts::of(&text[body_start..end]);
    let new = SectionParts::of(with.trim_end());
    if old.content.trim_end() == new.content {
        return Ok(text.to_owned());
    }

    // An empty section has its only blank lines at its end.
    let had_blank = !old.before.is_empty() || (old.content.is_empty() && !old.after.is_empty());
    let before = match (new.content.is_empty(), had_blank || !new.before.is_empty()) {
        (true, _) | (_, false) => "",
        (false, true) if old.before.is_empty() => line_end,
        (false, true) => old.before,
    };
    let content_end = if new.content.is_empty() { "" } else { line_end };
    // Without a blank line before it, the rule would turn the paragraph above it into a heading.
    let after = if end < text.len() && old.after.is_empty() { line_end } else { old.after };
    let head_end = if text[..body_start].ends_with('\n') { "" } else { line_end };
    let written = format!("{head_end}{before}{}{content_end}{after}", new.content);
    Ok(splice(text, body_start..end, &written))
}

/// Replaces the text under a heading, and the subsections that the new text has too. Other subsections stay after it.
///
/// The heading is named as in [`replace_section`].
pub fn replace_own_text(format: Format, text: &str, heading: &str, with: &str) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let headings = &doc.page.headings;
    let at = find(headings, heading)?;
    let given: Vec<String> =
        Doc::new(format, with).page.headings.into_iter().map(|heading| heading.text.to_lowercase()).collect();
    let own = doc.section(&headings[at]);
    let parents = parents(headings);
    let direct = (at + 1..headings.len()).filter(|inner| parents[*inner] == Some(at));
    let is_inside = |bounds: &SectionBounds| bounds.start < own.end;
    let missing = direct.filter(|inner| !given.contains(&headings[*inner].text.to_lowercase()));
    let kept: Vec<SectionBounds> =
        missing.map(|inner| doc.section(&headings[inner])).filter(is_inside).collect();
    let mut new = without_heading(format, with, &headings[at].text).trim_end().to_owned();
    for bounds in kept {
        let section = text[bounds.start..bounds.end].trim_end();
        new.push_str(if new.is_empty() { "" } else { "\n\n" });
        new.push_str(section);
    }
    replace_section(format, text, heading, &new)
}

/// Adds text at the end of a section and its subsections. A list item directly follows a list.
///
/// The heading is named as in [`replace_section`].
pub fn append_to_section(
    format: Format,
    text: &str,
    heading: &str,
    addition: &str,
) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let found = &doc.page.headings[find(&doc.page.headings, heading)?];
    let SectionBounds { body_start, end, .. } = doc.section(found);
    Ok(append_within(&doc, body_start..end, addition))
}

/// Adds text at the end of a range of whole lines. A list item directly follows a list.
pub(super) fn append_within(doc: &Doc<'_>, within: Range<usize>, addition: &str) -> String {
    let text = doc.text;
    let addition = addition.trim_matches(['\n', '\r']);
    if addition.trim().is_empty() {
        return text.to_owned();
    }
    let old = SectionParts::of(&text[within.clone()]);
    let line_end = line_end(text);
    let block = with_line_end(addition, line_end);
    if old.content.is_empty() {
        return insert_block(text, doc.page.truth.start, within.end, block.trim_end());
    }
    let is_list = is_item(addition) && old.content.lines().next_back().is_some_and(is_item_line);
    let gap = if is_list { "" } else { line_end };
    let ended = if old.content.ends_with('\n') { "" } else { line_end };
    let at = within.start + old.before.len() + old.content.len();
    splice(text, at..at, &format!("{ended}{gap}{block}{line_end}"))
}

/// Replaces a text inside a section and its subsections, if it occurs there as often as expected: once by default.
///
/// The heading is named as in [`replace_section`].
pub fn replace_in_section(
    format: Format,
    text: &str,
    heading: &str,
    from: &str,
    to: &str,
    expected_count: Option<usize>,
) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let found = &doc.page.headings[find(&doc.page.headings, heading)?];
    let SectionBounds { body_start, end, .. } = doc.section(found);
    let replaced = super::replace_text(&text[body_start..end], from, to, expected_count)?;
    Ok(splice(text, body_start..end, &replaced))
}

/// Whether a text starts with a list item.
fn is_item(text: &str) -> bool {
    let marker = text.trim_start_matches(|character: char| character.is_ascii_digit());
    ["- ", "* ", "+ ", ". ", ") "].iter().any(|bullet| marker.starts_with(bullet))
}

/// Whether a line is, or continues, a list item.
fn is_item_line(line: &str) -> bool {
    line.starts_with([' ', '\t']) || is_item(line)
}

/// Inserts a block of text before a section's heading, with a blank line on either side.
pub fn insert_before_section(
    format: Format,
    text: &str,
    heading: &str,
    addition: &str,
) -> Result<String, EditError> {
    insert(format, text, heading, addition, |section| section.start)
}

/// Inserts a block of text directly below a section's heading, with a blank line on either side.
pub fn insert_below_heading(
    format: Format,
    text: &str,
    heading: &str,
    addition: &str,
) -> Result<String, EditError> {
    insert(format, text, heading, addition, |section| section.body_start)
}

/// Inserts a block of text after a section and its subsections, with a blank line on either side.
pub fn insert_after_section(
    format: Format,
    text: &str,
    heading: &str,
    addition: &str,
) -> Result<String, EditError> {
    insert(format, text, heading, addition, |section| section.end)
}

fn insert(
    format: Format,
    text: &str,
    heading: &str,
    addition: &str,
    at: fn(&SectionBounds) -> usize,
) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let found = &doc.page.headings[find(&doc.page.headings, heading)?];
    let at = at(&doc.section(found));
    let block = addition.trim_end();
    Ok(if block.is_empty() { text.to_owned() } else { insert_block(text, doc.page.truth.start, at, block) })
}

/// A section's text and the blank lines around it. If all of it is blank, it counts as `after`.
struct SectionParts<'a> {
    before: &'a str,
    content: &'a str,
    after: &'a str,
}

impl<'a> SectionParts<'a> {
    fn of(text: &'a str) -> Self {
        let blank_length = |lines: &mut dyn Iterator<Item = &'a str>| -> usize {
            lines.take_while(|line| line.trim().is_empty()).map(str::len).sum()
        };
        let after = blank_length(&mut text.split_inclusive('\n').rev());
        let (rest, after) = text.split_at(text.len() - after);
        let before = blank_length(&mut rest.split_inclusive('\n'));
        let (before, content) = rest.split_at(before);
        SectionParts { before, content, after }
    }
}

/// Removes the heading that a text starts with, if it is this one.
fn without_heading<'a>(format: Format, with: &'a str, heading: &str) -> &'a str {
    let doc = Doc::new(format, with);
    let first = (1..=doc.lines.count()).find(|line| !doc.blank(*line));
    match doc.page.headings.first() {
        Some(found) if Some(found.lines.first as usize) == first && found.text == heading => {
            &with[doc.section(found).body_start..]
        }
        _ => with,
    }
}

/// Returns the index of the heading that `requested` names.
pub(super) fn find(headings: &[Heading], requested: &str) -> Result<usize, EditError> {
    let requested = requested.trim();
    // A heading may contain a slash, so the whole text is tried before a path.
    let whole = vec![SectionStep::of(requested)];
    let paths =
        [" > ", "/"].map(|separator| requested.split(separator).map(SectionStep::of).collect::<Vec<_>>());
    for path in [whole].into_iter().chain(paths) {
        for same in [|a: &str, b: &str| a == b, |a: &str, b: &str| a.to_lowercase() == b.to_lowercase()] {
            let found: Vec<_> =
                (0..headings.len()).filter(|at| matches_path(&path, headings, *at, same)).collect();
            match *found {
                [] => {}
                [only] => return Ok(only),
                [first, ..] => {
                    return Err(EditError::AmbiguousSection {
                        heading: requested.to_owned(),
                        count: found.len(),
                        example: example_path(headings, first),
                    });
                }
            }
        }
    }
    let sections = headings.iter().map(|heading| heading.text.clone()).collect();
    Err(EditError::NoSection { heading: requested.to_owned(), sections })
}

/// One heading of a path, with its level if hashes or stars were given.
struct SectionStep<'a> {
    level: Option<usize>,
    text: &'a str,
}

impl<'a> SectionStep<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.trim();
        let mark = if text.starts_with('*') { '*' } else { '#' };
        let rest = text.trim_start_matches(mark);
        let level = text.len() - rest.len();
        if level >= 1 && (mark == '*' || level <= 6) && rest.starts_with(char::is_whitespace) {
            SectionStep { level: Some(level), text: rest.trim() }
        } else {
            SectionStep { level: None, text }
        }
    }

    fn fits(&self, heading: &Heading, same: fn(&str, &str) -> bool) -> bool {
        self.level.is_none_or(|level| level == usize::from(heading.level))
            && same(self.text, heading.text.trim())
    }
}

/// Returns whether the path leads to a heading: the heading and its parents match the steps of the path.
fn matches_path(
    path: &[SectionStep<'_>],
    headings: &[Heading],
    at: usize,
    same: fn(&str, &str) -> bool,
) -> bool {
    let chain = std::iter::successors(Some(at), |at| parent(headings, *at));
    let mut steps = path.iter().rev();
    let fitting = chain.zip(steps.by_ref()).take_while(|(at, step)| step.fits(&headings[*at], same)).count();
    fitting == path.len()
}

/// Returns the heading above each heading, in one pass.
pub(super) fn parents(headings: &[Heading]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let above = |(at, heading): (usize, &Heading)| {
        while open.pop_if(|outer| headings[*outer].level >= heading.level).is_some() {}
        let outer = open.last().copied();
        open.push(at);
        outer
    };
    headings.iter().enumerate().map(above).collect()
}

fn parent(headings: &[Heading], at: usize) -> Option<usize> {
    (0..at).rev().find(|before| headings[*before].level < headings[at].level)
}

fn example_path(headings: &[Heading], at: usize) -> String {
    let heading = &headings[at];
    match parent(headings, at) {
        Some(parent) => format!("{} > {}", headings[parent].text, heading.text),
        None => format!("{} {}", "#".repeat(usize::from(heading.level)), heading.text),
    }
}
