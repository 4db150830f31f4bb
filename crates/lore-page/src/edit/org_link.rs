//! Rewrites the targets of links in an Org file.

use std::ops::Range;

use super::EditError;
use super::lines::{Lines, splice};
use crate::org::{self, RawLink, Target};
use crate::page::{Link, LinkStyle};

/// Rewrites the target of each link for which `target` returns a new one. The place after `::` is kept or removed.
pub(super) fn rewrite(
    text: &str,
    path: &str,
    target: &mut dyn FnMut(&Link) -> Option<String>,
    removes_place: bool,
) -> Result<String, EditError> {
    let links = crate::parse(path, text).page.links;
    let lines = Lines::new(text);
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for link in &links {
        let Some(new) = target(link) else { continue };
        let found = written(text, &lines, link).ok_or_else(|| refused(link))?;
        let old = &text[found.target.clone()];
        changes.push((found.target, replaced(old, link, &new, removes_place)));
    }
    changes.sort_by_key(|(range, _)| range.start);
    changes.dedup_by(|later, earlier| later.0 == earlier.0);
    let mut edited = text.to_owned();
    for (range, new) in changes.into_iter().rev() {
        edited = splice(&edited, range, &new);
    }
    let after = crate::parse(path, &edited).page.links;
    match links.len() == after.len() {
        true => Ok(edited),
        false => Err(links.first().map_or(EditError::Missing { part: "target" }, refused)),
    }
}

fn refused(link: &Link) -> EditError {
    EditError::unreadable("a link", &link.target, "target", &link.target)
}

/// Finds a link in the text: at its place, or on the line of its property.
fn written(text: &str, lines: &Lines<'_>, link: &Link) -> Option<RawLink> {
    let range = match link.span.start < link.span.end {
        true => link.span.start..link.span.end,
        false => lines.start(link.line as usize)..lines.end(link.line as usize),
    };
    let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
    let found = org::bracket_links(&text[range.clone()]).into_iter().map(|found| RawLink {
        range: shift(found.range, range.start),
        target: shift(found.target, range.start),
        label: found.label.map(|label| shift(label, range.start)),
    });
    let is_same = |found: &RawLink| {
        let name = lore_text::on_one_line(&text[found.target.clone()]);
        link.span.start < link.span.end || name.contains(&link.target)
    };
    let plain = || {
        // A plain link has no brackets around its target.
        let written = &text[range.clone()];
        let id = written.find("id:")?;
        let target = range.start + id..range.start + written.trim_end_matches('>').len();
        Some(RawLink { range: range.clone(), target, label: None })
    };
    found.into_iter().find(is_same).or_else(plain)
}

/// Returns a target with a new name in place of the old one.
fn replaced(old: &str, link: &Link, new: &str, removes_place: bool) -> String {
    let place = old.find("::").filter(|_| !removes_place).map_or("", |at| &old[at..]);
    let escaped = new.replace('[', "\\[").replace(']', "\\]");
    let scheme = match (link.style, org::target_of(old)) {
        (LinkStyle::Markdown, _) => {
            let is_named = old.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
            if is_named || !(new.starts_with('.') || new.starts_with('/')) { "file:" } else { "" }
        }
        (LinkStyle::Wiki, Target::Name(_))
            if old.trim_start().starts_with("roam:") && !new.starts_with("id:") =>
        {
            "roam:"
        }
        _ => "",
    };
    format!("{scheme}{escaped}{place}")
}
