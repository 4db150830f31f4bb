//! A text with its parsed page, in which edits of the body look up positions.

use std::cell::OnceCell;
use std::ops::Range;

use super::lines::{Lines, insert_block, insert_lines};
use crate::body::{ItemRange, item_ranges};
use crate::format::Format;
use crate::org::HeadlinePlaces;
use crate::page::{Heading, Page};

pub(super) struct Doc<'a> {
    pub(super) format: Format,
    pub(super) text: &'a str,
    pub(super) lines: Lines<'a>,
    pub(super) page: Page,
    /// The list items of an Org file, by the start of their text.
    items: OnceCell<Vec<ItemRange>>,
    /// The stars and the title of each heading of an Org file, by the start of its line.
    pub(super) headlines: OnceCell<HeadlinePlaces>,
}

/// Byte offsets of a section.
#[derive(Debug, Clone)]
pub(super) struct SectionBounds {
    /// Start of the heading.
    pub(super) start: usize,
    /// End of the heading, including its line ending.
    pub(super) body_start: usize,
    /// Start of the first subsection, or the end of the section if there is none.
    pub(super) own_end: usize,
    /// Start of the next section or the rule, or the end of the text.
    pub(super) end: usize,
}

impl<'a> Doc<'a> {
    pub(super) fn new(format: Format, text: &'a str) -> Self {
        let page = format.read("", text).0.page;
        Doc {
            format,
            text,
            lines: Lines::new(text),
            page,
            items: OnceCell::new(),
            headlines: OnceCell::new(),
        }
    }

    /// Returns the offsets of a heading's section. A section of the truth ends at the rule, whatever its level.
    pub(super) fn section(&self, heading: &Heading) -> SectionBounds {
        let (start, body_start, end) = self.bounds(heading);
        let own_end = self
            .page
            .headings
            .iter()
            .map(|other| self.lines.start(other.lines.first as usize))
            .find(|other| *other > start)
            .map_or(end, |other| other.min(end));
        SectionBounds { start, body_start, own_end: own_end.max(body_start), end }
    }

    /// Returns the start of a heading's section, the start of its text, and its end.
    pub(super) fn bounds(&self, heading: &Heading) -> (usize, usize, usize) {
        let first = heading.lines.first as usize;
        let start = self.lines.start(first);
        let after = self.lines.end(heading.lines.last as usize);
        let in_truth = start < self.page.truth.end;
        let end = if in_truth { after.min(self.page.truth.end) } else { after };
        (start, self.lines.end(self.heading_end(first)).min(end), end)
    }

    /// Returns the first section with one of these names, ignoring case, that starts within a range.
    pub(super) fn section_called(&self, names: &[&str], within: Range<usize>) -> Option<SectionBounds> {
        let named =
            |heading: &&Heading| names.iter().any(|name| name.eq_ignore_ascii_case(heading.text.trim()));
        let sections = self.page.headings.iter().filter(named).map(|heading| self.section(heading));
        sections.into_iter().find(|section| within.contains(&section.start))
    }

    /// Returns whether a line belongs to the truth.
    pub(super) fn in_truth(&self, line: u32) -> bool {
        self.lines.start(line as usize) < self.page.truth.end
    }

    /// Returns the last line of a heading, which is the underline if it has one.
    pub(super) fn heading_end(&self, first: usize) -> usize {
        if self.format == Format::Org {
            return super::org_heading::head_end(self, first);
        }
        let content = self.lines.content(first).trim_start();
        let rest = content.trim_start_matches('#');
        let hashes = content.len() - rest.len();
        // Every kind of space within a line that Markdown knows.
        if (1..=6).contains(&hashes) && (rest.is_empty() || rest.starts_with([' ', '\t', '\x0b', '\x0c'])) {
            return first;
        }
        let underline = |line: &usize| {
            let content = self.lines.content(*line);
            // A line that is indented further continues the text of the heading.
            let underline = if content.starts_with("    ") { "" } else { content.trim() };
            !underline.is_empty()
                && (underline.bytes().all(|b| b == b'=') || underline.bytes().all(|b| b == b'-'))
        };
        (first + 1..=self.lines.count())
            .take_while(|line| !self.blank(*line))
            .find(underline)
            .unwrap_or(first)
    }

    /// Adds a list item after another, with the same indent and bullet.
    pub(super) fn insert_after_item(&self, line: usize, item: &str) -> String {
        let (prefix, bullet) = self.item(line).unwrap_or(("", '-'));
        let last = self.item_end(line);
        insert_lines(self.text, self.lines.end(last), &format!("{prefix}{bullet} {item}"))
    }

    /// Adds a list item at the end of a range of whole lines: to its last list, or as a new list.
    pub(super) fn insert_at_end(&self, within: Range<usize>, item: &str) -> String {
        let first = self.lines.at(within.start);
        let last = if within.is_empty() { first.saturating_sub(1) } else { self.lines.at(within.end - 1) };
        let Some(last) = (first..=last).rev().find(|line| !self.blank(*line)) else {
            return insert_block(self.text, within.start, within.start, &format!("- {item}"));
        };
        let outermost = (first..=last)
            .rev()
            .find(|line| self.blank(*line) || self.outer(self.lines.content(*line)).is_empty())
            .unwrap_or(last);
        if self.item(outermost).is_some_and(|(prefix, _)| prefix.is_empty()) {
            return self.insert_after_item(outermost, item);
        }
        insert_block(self.text, within.start, self.lines.end(last), &format!("- {item}"))
    }

    pub(super) fn blank(&self, line: usize) -> bool {
        self.lines.content(line).trim().is_empty()
    }

    /// Returns the text before a list item's bullet, and the bullet.
    pub(super) fn item(&self, line: usize) -> Option<(&'a str, char)> {
        let content = self.lines.content(line);
        let outer = self.outer(content);
        let rest = &content[outer.len()..];
        let bullet = rest.chars().next().filter(|bullet| matches!(bullet, '-' | '*' | '+'))?;
        let is_heading = self.format == Format::Org && outer.is_empty() && bullet == '*';
        let spaced = rest[1..].starts_with([' ', '\t']);
        (spaced && !is_heading).then_some((outer, bullet))
    }

    /// Returns the bytes of a list item's text: its first line and the lines that continue it.
    pub(super) fn item_text(&self, line: usize) -> Range<usize> {
        if self.format == Format::Org {
            let own = self.org_item(line).map_or(0, |item| item.own.end);
            let start = self.lines.start(line);
            return start..own.max(start + self.lines.content(line).trim_end().len());
        }
        let lines = line + 1..=self.lines.count();
        let continuation = lines.take_while(|line| !self.blank(*line) && self.continues_paragraph(*line));
        let last = continuation.last().unwrap_or(line);
        let start = self.lines.start(line);
        start..self.lines.start(last) + self.lines.content(last).trim_end().len()
    }

    /// Returns the last line of the item on a line: the lines that continue its text, and deeper lines in the same
    /// quote, even after blank lines.
    pub(super) fn item_end(&self, line: usize) -> usize {
        if self.format == Format::Org {
            let end = |item: &ItemRange| {
                self.lines
                    .at(item.whole.start + self.text[item.whole.clone()].trim_end().len().saturating_sub(1))
            };
            return self.org_item(line).map_or(line, end);
        }
        let quotes = |outer: &str| outer.matches('>').count();
        let item = self.outer(self.lines.content(line));
        let mut last = line;
        for next in (line + 1..=self.lines.count()).filter(|next| !self.blank(*next)) {
            let found = self.outer(self.lines.content(next));
            let deeper = found.len() > item.len() && quotes(found) == quotes(item);
            if !deeper && (next > last + 1 || !self.continues_paragraph(next)) {
                break;
            }
            last = next;
        }
        last
    }

    /// Returns the item of an Org file whose text starts on a line.
    fn org_item(&self, line: usize) -> Option<&ItemRange> {
        let items = self.items.get_or_init(|| item_ranges(self.format, self.text));
        let start = self.lines.start(line);
        let at = items.partition_point(|item| item.own.start < start);
        items.get(at).filter(|item| self.lines.at(item.own.start) == line)
    }

    /// Returns the indent and quote marks before the text of a line.
    fn outer<'l>(&self, line: &'l str) -> &'l str {
        let marks: &[char] = if self.format == Format::Org { &[' ', '\t'] } else { &[' ', '\t', '>'] };
        &line[..line.len() - line.trim_start_matches(marks).len()]
    }

    /// Returns whether a line continues the paragraph of an item above it: it starts no block of its own.
    fn continues_paragraph(&self, line: usize) -> bool {
        let content = self.lines.content(line);
        let text = &content[self.outer(content).len()..];
        let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let starts_block = self.item(line).is_some()
            || text.starts_with(['#', '<', '|', '_'])
            || ["---", "***", "```", "~~~"].iter().any(|start| text.starts_with(start))
            || (numbered.len() < text.len() && numbered.starts_with(['.', ')']));
        !starts_block
    }
}
