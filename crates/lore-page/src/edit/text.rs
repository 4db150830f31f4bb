//! Edits that ignore the structure of the text: append, prepend, and find and replace.

use super::EditError;
use super::lines::{insert_lines, line_end, with_line_end};
use crate::body::item_ranges;
use crate::format::Format;
use crate::frontmatter;

/// Adds lines at the end of the file.
///
/// If the last line lacks a line ending, one is added first; the new last line always gets one. A blank line comes first
/// where the new text would otherwise become part of a list item, and so of the fact, relation or entry in it.
pub fn append(format: Format, text: &str, addition: &str) -> Result<String, EditError> {
    if addition.is_empty() {
        return Ok(text.to_owned());
    }
    let blank = if joins_item(format, text, addition) { line_end(text) } else { "" };
    Ok(insert_lines(text, text.len(), &format!("{blank}{addition}")))
}

/// Whether the first line of an addition would continue the list item that a text ends with.
fn joins_item(format: Format, text: &str, addition: &str) -> bool {
    // In Org, only an indented line continues an item.
    if format == Format::Org {
        return false;
    }
    let first = addition.lines().next().unwrap_or_default();
    let marker = first.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_item = ["- ", "* ", "+ ", ". ", ") "].iter().any(|bullet| marker.starts_with(bullet));
    let is_own_block =
        first.trim().is_empty() || first.starts_with([' ', '\t', '#', '>', '`', '~']) || is_item;
    let last = text.split_inclusive('\n').next_back().unwrap_or_default();
    if is_own_block || last.trim().is_empty() {
        return false;
    }
    let end = text.trim_end().len();
    item_ranges(format, text).iter().any(|item| item.whole.end >= end)
}

/// Adds lines at the start of the body, after the frontmatter.
pub fn prepend(format: Format, text: &str, addition: &str) -> Result<String, EditError> {
    let body_start = match (format, frontmatter::fences(text)) {
        (Format::Org, _) => format.blocks(text).1,
        (Format::Markdown, Ok(Some(fences))) => fences.body_start,
        (Format::Markdown, _) => frontmatter::content_start(text),
    };
    Ok(if addition.is_empty() { text.to_owned() } else { insert_lines(text, body_start, addition) })
}

/// Replaces every occurrence of a text, including in the frontmatter, if it occurs as often as expected: once by
/// default.
///
/// The replacement is written with the file's line ending. A text of several lines is also found if the file uses
/// different line endings.
pub fn replace_text(
    text: &str,
    find: &str,
    replace: &str,
    expected_count: Option<usize>,
) -> Result<String, EditError> {
    if find.is_empty() {
        return Err(EditError::EmptyFind);
    }
    let line_end = line_end(text);
    let in_file = with_line_end(find, line_end);
    let find = if text.contains(find) { find } else { &in_file };
    let found = text.matches(find).count();
    let expected = expected_count.unwrap_or(1);
    if found != expected {
        return Err(EditError::Count { found, expected });
    }
    Ok(text.replace(find, &with_line_end(replace, line_end)))
}
