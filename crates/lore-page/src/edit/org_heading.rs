//! Positions in the headings of an Org file.

use std::ops::Range;

use super::doc::Doc;
use crate::org;
use crate::page::Heading;

/// Returns the last line of a heading: of its property drawer, if it has one.
pub(super) fn head_end(doc: &Doc<'_>, first: usize) -> usize {
    let start = doc.lines.start(first);
    match org::heading_head_end(doc.text, start) {
        Some(end) => doc.lines.at(end.saturating_sub(1).max(start)),
        None => first,
    }
}

/// Returns the bytes of the stars and of the title.
pub(super) fn marks_and_title(doc: &Doc<'_>, heading: &Heading) -> Option<(Range<usize>, Range<usize>)> {
    let start = doc.lines.start(heading.lines.first as usize);
    doc.headlines.get_or_init(|| org::headlines(doc.text)).get(&start).cloned()
}
