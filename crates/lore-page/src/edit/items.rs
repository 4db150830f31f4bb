//! The list items of a section.

use super::EditError;
use super::doc::Doc;
use super::section::find;
use crate::format::Format;
use crate::page::ByteRange;

/// Returns the outermost list items under a heading, including subsections. Each covers the whole lines of its own text
/// and of everything nested in it. Blank lines after an item are not part of it.
///
/// The heading is named as in [`super::replace_section`].
pub fn section_items(format: Format, text: &str, heading: &str) -> Result<Vec<ByteRange>, EditError> {
    let doc = Doc::new(format, text);
    let (_, body_start, end) = doc.bounds(&doc.page.headings[find(&doc.page.headings, heading)?]);
    let mut items: Vec<ByteRange> = Vec::new();
    for item in crate::body::list_items(format, text)
        .into_iter()
        .filter(|item| (body_start..end).contains(&item.start))
    {
        let last_byte = item.start + text[item.clone()].trim_end().len().saturating_sub(1);
        let start = doc.lines.start(doc.lines.at(item.start));
        let end = doc.lines.end(doc.lines.at(last_byte));
        match items.last_mut() {
            // After a lone carriage return two items share a line and count as one.
            Some(before) if start < before.end => before.end = before.end.max(end),
            _ => items.push(ByteRange { start, end }),
        }
    }
    Ok(items)
}
