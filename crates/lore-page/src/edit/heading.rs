//! Edits of headings: renaming and demoting them.

use crate::format::Format;
use std::ops::Range;

use super::EditError;
use super::doc::Doc;
use super::lines::{filled, splice};
use super::section::find;
use crate::page::Heading;

/// The syntax of a heading, in bytes of the text.
enum HeadingSyntax {
    /// `## Text`, possibly with hashes after the text.
    Hashes { hashes: Range<usize>, title: Range<usize> },
    /// Text on one or more lines with an underline; `end` is after the underline, before its line ending.
    Underlined { title: Range<usize>, end: usize },
}

/// Changes the text of a heading, keeping its level and syntax.
///
/// The heading is named as in [`super::replace_section`].
pub fn rename_heading(format: Format, text: &str, heading: &str, new: &str) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let at = find(&doc.page.headings, heading)?;
    let old = &doc.page.headings[at];
    let new = new.trim();
    filled("heading", new)?;
    if old.text == new {
        return Ok(text.to_owned());
    }
    let refused = || EditError::unreadable("a heading", new, "text", new);
    let edited = match heading_syntax(&doc, old).ok_or_else(refused)? {
        HeadingSyntax::Hashes { hashes, title } if title.is_empty() => {
            splice(text, hashes.end..hashes.end, &format!(" {new}"))
        }
        HeadingSyntax::Hashes { title, .. } | HeadingSyntax::Underlined { title, .. } => {
            splice(text, title, new)
        }
    };
    let read = Doc::new(format, &edited).page.headings;
    let others_unchanged = read.len() == doc.page.headings.len()
        && read.iter().zip(&doc.page.headings).enumerate().all(|(index, (read, old))| {
            read.level == old.level && read.text == if index == at { new } else { old.text.as_str() }
        });
    if others_unchanged { Ok(edited) } else { Err(refused()) }
}

/// Promotes every heading by one level, a level-one heading excepted.
///
/// What looks like a heading in code, a quote or a list is left alone, and so is an underlined heading.
pub fn promote_headings(format: Format, text: &str) -> String {
    let doc = Doc::new(format, text);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for heading in doc.page.headings.iter().filter(|heading| heading.level > 1) {
        if let Some(HeadingSyntax::Hashes { hashes, .. }) = heading_syntax(&doc, heading) {
            out.push_str(&text[copied..hashes.start]);
            copied = hashes.start + 1;
        }
    }
    out + &text[copied..]
}

/// Demotes every heading by `by` levels, at most to level six.
///
/// An underlined heading, which has no deeper form, is written with hashes. What looks like a heading in code, a quote
/// or a list is left alone.
pub fn demote_headings(format: Format, text: &str, by: usize) -> String {
    let doc = Doc::new(format, text);
    let mut out = String::with_capacity(text.len() + doc.page.headings.len() * by);
    let mut copied = 0;
    for heading in doc.page.headings.iter().filter(|_| by > 0) {
        let deepest = if format == Format::Org { usize::MAX } else { 6 };
        let hashes = format.heading_marks((usize::from(heading.level) + by).min(deepest));
        match heading_syntax(&doc, heading) {
            Some(HeadingSyntax::Hashes { hashes: old, .. }) => {
                out.push_str(&text[copied..old.start]);
                out.push_str(&hashes);
                copied = old.end;
            }
            Some(HeadingSyntax::Underlined { title, end }) => {
                out.push_str(&text[copied..title.start]);
                let lines: Vec<&str> = text[title].lines().map(str::trim).collect();
                let title = lines.join(" ");
                // Hashes at the end of the text would be parsed as closing hashes.
                let tail = if title.ends_with('#') { " #" } else { "" };
                out.push_str(&format!("{hashes} {title}{tail}"));
                copied = end;
            }
            None => {}
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Returns the syntax of a heading; `None` if it follows a lone carriage return and so has no line of its own.
fn heading_syntax(doc: &Doc<'_>, heading: &Heading) -> Option<HeadingSyntax> {
    if doc.format == Format::Org {
        return super::org_heading::marks_and_title(doc, heading)
            .map(|(hashes, title)| HeadingSyntax::Hashes { hashes, title });
    }
    let first = heading.lines.first as usize;
    let underline = doc.heading_end(first);
    if (first..=underline).any(|line| doc.lines.content(line).contains('\r')) {
        return None;
    }
    let content = doc.lines.content(first);
    let start = doc.lines.start(first) + (content.len() - content.trim_start().len());
    let content = content.trim();
    if underline > first {
        let last = doc.lines.content(underline - 1);
        let title = start..doc.lines.start(underline - 1) + last.trim_end().len();
        let end = doc.lines.start(underline) + doc.lines.content(underline).len();
        return Some(HeadingSyntax::Underlined { title, end });
    }
    let level = usize::from(heading.level);
    let rest = content.get(level..).filter(|_| content.starts_with(&"#".repeat(level)))?;
    let title = rest.trim_start();
    let title_start = start + content.len() - title.len();
    let open = title.trim_end_matches('#');
    let closed = open.is_empty() || open.ends_with([' ', '\t']);
    let title_end = title_start + if closed { open.trim_end().len() } else { title.len() };
    Some(HeadingSyntax::Hashes { hashes: start..start + level, title: title_start..title_end })
}
