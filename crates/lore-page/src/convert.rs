//! Converts a page from one format to another and back: the same properties, headings, links, facts and entries.
//!
//! What the other format has no form for is kept as a comment that says so, and comes back when the page is converted
//! again.

mod head;
mod inline;
mod to_markdown;
mod to_org;

use std::borrow::Cow;
use std::ops::Range;

use crate::format::Format;
use crate::frontmatter::content_start;

/// First line of a comment with Org lines that Markdown has no form for.
const ORG_COMMENT: &str = "<!-- org";

/// Its last line.
const ORG_COMMENT_END: &str = "-->";

/// Written before a line of prose that Org would read as something else, as the manual of Org recommends. It is not shown.
const NO_SYNTAX: char = '\u{200b}';

/// Whether Org would read a line of prose as a keyword, a drawer, a heading or an example.
fn is_org_syntax(line: &str) -> bool {
    let text = line.trim();
    text.starts_with("#+")
        || text == ":"
        || text.starts_with(": ")
        || is_drawer_line(text)
        || Format::Org.is_heading_line(line)
}

fn is_drawer_line(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Returns a text with each of its links on one line: both formats let a link go on in the next line, and text is converted
/// line by line.
fn with_links_on_one_line(format: Format, text: &str) -> Cow<'_, str> {
    if !text.contains('[') {
        return Cow::Borrowed(text);
    }
    let (_, blocks, inline) = format.read("", text);
    let mut links: Vec<Range<usize>> = inline.wiki;
    links.extend(blocks.link_ranges);
    links.retain(|link| text[link.clone()].contains('\n'));
    links.sort_by_key(|link| link.start);
    let mut joined = String::with_capacity(text.len());
    let mut at = 0;
    for link in links.into_iter().filter(|link| link.start < link.end) {
        // A link in the text of another is a part of it.
        if link.start >= at {
            joined.push_str(&text[at..link.start]);
            // The lines of a quote begin with its mark.
            let lines =
                text[link.clone()].lines().map(|line| line.trim_start_matches(['>', ' ', '\t']).trim_end());
            joined.push_str(&lines.collect::<Vec<_>>().join(" "));
            at = link.end;
        }
    }
    joined.push_str(&text[at..]);
    Cow::Owned(joined)
}

/// Returns the text of a page in another format.
///
/// ```
/// use lore_page::{Format, convert};
/// let org = convert("---\nid: 7\n---\n## Log\n\n- knows [[Ada|her]]\n", Format::Markdown, Format::Org);
/// assert_eq!(org, ":PROPERTIES:\n:ID: 7\n:END:\n** Log\n\n- knows [[Ada][her]]\n");
/// assert_eq!(convert(&org, Format::Org, Format::Markdown), "---\nid: 7\n---\n## Log\n\n- knows [[Ada|her]]\n");
/// ```
pub fn convert(text: &str, from: Format, to: Format) -> String {
    // A byte order mark stays in front of what the page starts with.
    let (mark, content) = text.split_at(content_start(text));
    let converted = match (from, to) {
        (Format::Markdown, Format::Org) => to_org::page(content),
        (Format::Org, Format::Markdown) => to_markdown::page(content),
        _ => content.to_owned(),
    };
    format!("{mark}{converted}")
}

#[cfg(test)]
mod tests;
