//! Edits that ignore the structure of the text: append, prepend, and find and replace.

use super::EditError;
use super::lines::{insert_lines, line_end, with_line_end};
use crate::frontmatter;

/// Adds lines at the end of the file.
///
/// If the last line lacks a line ending, one is added first; the new last line always gets one.
pub fn append(text: &str, addition: &str) -> Result<String, EditError> {
    Ok(if addition.is_empty() { text.to_owned() } else { insert_lines(text, text.len(), addition) })
}

/// Adds lines at the start of the body, after the frontmatter.
pub fn prepend(text: &str, addition: &str) -> Result<String, EditError> {
    let body_start = match frontmatter::fences(text) {
        Ok(Some(fences)) => fences.body_start,
        _ => frontmatter::content_start(text),
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
