//! Edits that know nothing of what the text means: at the end, at the start, and find and replace.

use super::EditError;
use super::lines::{insert_lines, line_end, with_line_end};
use crate::frontmatter;

/// Adds lines at the end of the file.
///
/// A line end is put between where it is missing, and the last line gets one.
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

/// Replaces a text wherever it occurs, the frontmatter included, provided it occurs as often as expected:
/// once, unless said otherwise.
///
/// The replacement is written with the file's line ending. A text of several lines is also found where the
/// file ends its lines differently.
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
