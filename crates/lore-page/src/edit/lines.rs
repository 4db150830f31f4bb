//! Lines and line endings.

use std::ops::Range;

use super::EditError;
use crate::frontmatter::content_start;

/// A text by line, numbered from 1 as everywhere in a page.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let after_ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        // The first line starts after a byte order mark: nothing is ever inserted before it.
        let starts =
            [content_start(text)].into_iter().chain(after_ends).filter(|start| *start < text.len()).collect();
        Lines { text, starts }
    }

    /// Returns the number of lines.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the byte where a line starts, or the end of the text for a line after the last.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// Returns the byte after a line and its line ending.
    pub(super) fn end(&self, line: usize) -> usize {
        self.start(line + 1)
    }

    /// Returns a line's text without its line ending.
    pub(super) fn content(&self, line: usize) -> &'a str {
        without_end(&self.text[self.start(line)..self.end(line)])
    }

    /// Returns the line that contains a byte.
    pub(super) fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).max(1)
    }
}

/// Returns the line ending that most lines of the text have; `\n` if there is none.
pub(super) fn line_end(text: &str) -> &'static str {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    let windows = text.matches("\r\n").count();
    if windows * 2 > all { "\r\n" } else { "\n" }
}

/// Converts the line endings of a text.
pub(super) fn with_line_end(text: &str, line_end: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', line_end)
}

/// Joins the lines of a text: line breaks and the space around them become single spaces. The space within a line stays,
/// unlike in [`lore_text::on_one_line`]: it may be part of inline code.
pub(super) fn join_lines(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns an error if a required part of a line is empty.
pub(super) fn filled(part: &'static str, text: &str) -> Result<(), EditError> {
    if text.is_empty() { Err(EditError::Missing { part }) } else { Ok(()) }
}

pub(super) fn without_end(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

/// Replaces a range of bytes.
pub(super) fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    let mut out = String::with_capacity(text.len() + new.len());
    out.push_str(&text[..range.start]);
    out.push_str(new);
    out.push_str(&text[range.end..]);
    out
}

/// Inserts whole lines at the start of a line, or at the end of a text whose last line may lack a line ending.
pub(super) fn insert_lines(text: &str, at: usize, lines: &str) -> String {
    let line_end = line_end(text);
    // A byte order mark is not a line that needs a line ending.
    let before = &text[content_start(text).min(at)..at];
    let unfinished = !before.is_empty() && !before.ends_with('\n');
    let lines = with_line_end(lines, line_end);
    let tail = if lines.ends_with('\n') { "" } else { line_end };
    let head = if unfinished { line_end } else { "" };
    splice(text, at..at, &format!("{head}{lines}{tail}"))
}

/// Inserts a block at the start of a line, with one blank line between it and the text around it. No blank line is
/// added at the start of the body or the end of the text.
pub(super) fn insert_block(text: &str, body_start: usize, at: usize, block: &str) -> String {
    let before = text[body_start..at].split_inclusive('\n').next_back();
    let after = text[at..].split_inclusive('\n').next();
    let blank = |line: Option<&str>| line.is_none_or(|line| line.trim().is_empty());
    let head = if blank(before) { "" } else { "\n" };
    let tail = if blank(after) { "" } else { "\n" };
    let end = if block.ends_with('\n') { "" } else { "\n" };
    insert_lines(text, at, &format!("{head}{block}{end}{tail}"))
}
