//! Recognizes a new text that differs from the old one only by the lines that are kept. Then the old text stays as it is:
//! a text that is written again, or read, shortened and written back, changes nothing.

use super::Unit;
use super::pair::{Mention, Side};
use crate::edit::lines::{line_end, with_line_end};

/// Returns the new text with the body of the old one, if that has exactly the lines of the new body and the kept ones.
pub(super) fn unchanged_body(
    old: &Side<'_, '_>,
    new: &Side<'_, '_>,
    mentions: &[Mention],
    units: &[Unit],
    has_timeline: bool,
) -> Option<String> {
    if units.iter().any(|unit| matches!(mentions[unit.at], Mention::Ended(..))) {
        return None;
    }
    let (old_doc, new_doc) = (old.doc, new.doc);
    let mut kept = vec![false; old_doc.lines.count() + 2];
    let mut replaced = vec![false; new_doc.lines.count() + 2];
    for unit in units {
        kept[unit.first..=unit.last].fill(true);
        if let Mention::Shortened(found) = mentions[unit.at] {
            let line = &new.statements[found];
            replaced[line.first..=line.whole].fill(true);
        }
    }
    if has_timeline {
        kept[old_doc.lines.at(old_doc.page.truth.end)..].fill(true);
    }
    let optional = empty_headings(old, &kept);
    let body = |start: usize, count: usize, text: &str| match start < text.len() {
        true => count,
        false => 0,
    };
    let first = new_doc.lines.at(new_doc.page.truth.start);
    let last = body(new_doc.page.truth.start, new_doc.lines.count(), new_doc.text);
    let mut wanted = (first..=last)
        .filter(|line| !replaced[*line] && !new_doc.blank(*line))
        .map(|line| new_doc.lines.content(line).trim_end())
        .peekable();
    let first = old_doc.lines.at(old_doc.page.truth.start);
    let last = body(old_doc.page.truth.start, old_doc.lines.count(), old_doc.text);
    for line in (first..=last).filter(|line| !kept[*line] && !old_doc.blank(*line)) {
        let content = old_doc.lines.content(line).trim_end();
        if wanted.next_if_eq(&content).is_none() && !optional[line] {
            return None;
        }
    }
    if wanted.next().is_some() {
        return None;
    }
    let body = with_line_end(&old_doc.text[old_doc.page.truth.start..], line_end(new_doc.text));
    let head = &new_doc.text[..new_doc.page.truth.start];
    let is_open = !head.trim_start_matches('\u{feff}').is_empty() && !head.ends_with('\n');
    Some(format!("{head}{}{body}", if is_open { line_end(new_doc.text) } else { "" }))
}

/// Marks the lines of headings whose sections have nothing but kept lines.
fn empty_headings(old: &Side<'_, '_>, kept: &[bool]) -> Vec<bool> {
    let doc = old.doc;
    let mut empty = vec![false; kept.len()];
    for heading in doc.page.headings.iter().rev() {
        let first = heading.lines.first as usize;
        let end = doc.heading_end(first);
        let (_, _, section_end) = doc.bounds(heading);
        let rest = end + 1..=doc.lines.at(section_end.saturating_sub(1)).max(end);
        if rest.into_iter().all(|line| kept[line] || empty[line] || doc.blank(line)) {
            empty[first..=end].fill(true);
        }
    }
    empty
}
