//! Converts a page from one format to another and back: the same properties, headings, links, facts and entries.
//!
//! What the other format has no form for is kept as a comment that says so, and comes back when the page is converted
//! again.

mod head;
mod inline;
mod to_markdown;
mod to_org;

use crate::format::Format;

/// First line of a comment with Org lines that Markdown has no form for.
const ORG_COMMENT: &str = "<!-- org";

/// Its last line.
const ORG_COMMENT_END: &str = "-->";

/// Returns the text of a page in another format.
///
/// ```
/// use lore_page::{Format, convert};
/// let org = convert("---\nid: 7\n---\n## Log\n\n- knows [[Ada|her]]\n", Format::Markdown, Format::Org);
/// assert_eq!(org, ":PROPERTIES:\n:ID: 7\n:END:\n** Log\n\n- knows [[Ada][her]]\n");
/// assert_eq!(convert(&org, Format::Org, Format::Markdown), "---\nid: 7\n---\n## Log\n\n- knows [[Ada|her]]\n");
/// ```
pub fn convert(text: &str, from: Format, to: Format) -> String {
    match (from, to) {
        (Format::Markdown, Format::Org) => to_org::page(text),
        (Format::Org, Format::Markdown) => to_markdown::page(text),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
