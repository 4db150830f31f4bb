//! Edits of the truth as a whole: replacing it, or adding to its end. The frontmatter above it and the timeline below
//! the rule are unchanged.

use super::EditError;
use super::carry::check_truth_node;
use super::doc::Doc;
use super::lines::{filled, insert_block, line_end, splice, with_line_end};
use crate::format::Format;

/// Replaces the truth with that of another text, whose frontmatter is ignored.
///
/// The level-one heading at the start of the page is kept if the new text has none. A text with a rule is rejected,
/// because it would start a timeline.
pub fn replace_truth(format: Format, text: &str, with: &str) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    check_truth_node(&doc, &Doc::new(format, with))?;
    let body = body_of(format, with)?;
    let line_end = line_end(text);
    let truth = doc.page.truth;
    let old = truth.of(text);
    let leading_blank: usize =
        old.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    let start = if leading_blank == old.len() { truth.start } else { truth.start + leading_blank };
    let heading = match Doc::new(format, with).page.heading_title {
        Some(_) => String::new(),
        None => {
            heading_at(&doc, start).map_or(String::new(), |heading| format!("{heading}{line_end}{line_end}"))
        }
    };
    // Without a blank line before it, the rule would turn the paragraph above it into a heading.
    let tail = if doc.page.timeline.is_some() { line_end } else { "" };
    let written = format!("{heading}{}{line_end}{tail}", with_line_end(&body, line_end));
    reject_moved_timeline(&doc, splice(text, start..truth.end, &written))
}

/// Adds a block of text at the end of the truth, with a blank line before it.
pub fn add_to_truth(format: Format, text: &str, addition: &str) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let body = body_of(format, addition)?;
    let truth = doc.page.truth;
    let end = truth.start + truth.of(text).trim_end().len();
    let line = doc.lines.at(end.saturating_sub(1).max(truth.start));
    let at = if end == truth.start { truth.start } else { doc.lines.end(line).min(truth.end) };
    reject_moved_timeline(&doc, insert_block(text, truth.start, at, &body))
}

/// Returns the truth of a text, without the blank lines around it.
fn body_of(format: Format, text: &str) -> Result<String, EditError> {
    let page = Doc::new(format, text).page;
    if page.timeline.is_some() {
        return Err(EditError::Timeline);
    }
    let body = page.truth.of(text).trim_start_matches(['\r', '\n']).trim_end();
    filled("text", body.trim())?;
    Ok(body.to_owned())
}

/// Returns the level-one heading that starts at a byte, with its underline if it has one.
fn heading_at<'a>(doc: &Doc<'a>, start: usize) -> Option<&'a str> {
    let first =
        doc.page.headings.first().filter(|heading| doc.format.has_title_heading() && heading.level == 1)?;
    let line = first.lines.first as usize;
    let starts_with_heading = doc.lines.start(line) == start;
    starts_with_heading.then(|| doc.text[start..doc.lines.end(doc.heading_end(line))].trim_end())
}

/// Returns the edited text, or an error if its timeline has changed.
fn reject_moved_timeline(doc: &Doc<'_>, edited: String) -> Result<String, EditError> {
    let before = doc.page.timeline.map(|range| range.of(doc.text));
    let same = Doc::new(doc.format, &edited).page.timeline.map(|range| range.of(&edited)) == before;
    if same { Ok(edited) } else { Err(EditError::Timeline) }
}
