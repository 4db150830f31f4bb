//! Rewrites links to parts of the page that they are on, for when a part moves to another page.

use std::ops::Range;

use lore_text::{on_one_line, percent_decode};

use super::link::{Fragment, apply, destination, encoded, wiki_target};
use crate::format::Format;
use crate::org::{self, Target};
use crate::page::LinkStyle;
use crate::wiki::LinkOrder;

/// A link to a part of the same page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnLink {
    /// The heading as written, the anchor made from it, or a block: `Notes`, `my-notes`, `^block`; in Org also a custom id,
    /// `#notes`.
    pub part: String,
    /// The syntax: by path for `[text](#notes)`.
    pub style: LinkStyle,
}

/// Where a link to a part of the same page leads from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTo {
    /// The page: a name, a path relative to the page, or in Org a target with its scheme.
    pub page: String,
    /// Whether it leads to the same part of that page.
    pub keeps_part: bool,
}

/// Rewrites each link to a part of the same page for which `moved` returns another page: `[[#Heading]]`, `[text](#heading)`,
/// and in Org `[[*Heading]]`, `[[#custom-id]]` and `[[Heading]]`. An Org link gets the name of the part as its label.
pub fn retarget_own_links(
    format: Format,
    text: &str,
    moved: &mut dyn FnMut(&OwnLink) -> Option<MovedTo>,
) -> String {
    let (parsed, blocks, inline) = format.read("", text);
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    match format {
        Format::Markdown => {
            let order = LinkOrder::of(&parsed.page.properties);
            let wiki = inline.wiki.iter().filter_map(|range| wiki_change(text, range, order, moved));
            changes.extend(wiki);
            changes.extend(blocks.link_ranges.iter().filter_map(|range| anchor_change(text, range, moved)));
        }
        Format::Org => changes.extend(inline.wiki.iter().filter_map(|range| org_change(text, range, moved))),
    }
    apply(text, changes)
}

type Change = (Range<usize>, String);

fn wiki_change(
    text: &str,
    link: &Range<usize>,
    order: LinkOrder,
    moved: &mut dyn FnMut(&OwnLink) -> Option<MovedTo>,
) -> Option<Change> {
    let place = wiki_target(text, link.clone(), Fragment::Remove, order)?;
    let part = text[place.clone()].strip_prefix('#').filter(|part| !part.trim().is_empty())?;
    let to = moved(&OwnLink { part: on_one_line(part), style: LinkStyle::Wiki })?;
    let fragment = if to.keeps_part { format!("#{part}") } else { String::new() };
    Some((place, format!("{}{fragment}", to.page)))
}

fn anchor_change(
    text: &str,
    link: &Range<usize>,
    moved: &mut dyn FnMut(&OwnLink) -> Option<MovedTo>,
) -> Option<Change> {
    let place = destination(text, link.clone(), Fragment::Remove)?;
    let part = text[place.clone()].strip_prefix('#').filter(|part| !part.is_empty())?;
    let to = moved(&OwnLink { part: percent_decode(part).into_owned(), style: LinkStyle::Markdown })?;
    let fragment = if to.keeps_part { format!("#{part}") } else { String::new() };
    let path = encoded(text, place.start, &to.page);
    Some((place, format!("{path}{fragment}")))
}

fn org_change(
    text: &str,
    link: &Range<usize>,
    moved: &mut dyn FnMut(&OwnLink) -> Option<MovedTo>,
) -> Option<Change> {
    let raw = org::bracket_links(&text[link.clone()]).into_iter().next()?;
    let written = text[link.clone()][raw.target.clone()].trim();
    let (part, place) = match org::target_of(written) {
        Target::Heading(_) if written.starts_with('#') => (written, written.to_owned()),
        Target::Heading(heading) if !heading.is_empty() => (heading, written.to_owned()),
        Target::Name(name) if !written.contains(':') => (name, format!("*{name}")),
        _ => return None,
    };
    let part = on_one_line(part);
    let to = moved(&OwnLink { part: part.clone(), style: LinkStyle::Wiki })?;
    let place = if to.keeps_part { format!("::{place}") } else { String::new() };
    let label =
        if raw.label.is_none() { format!("][{}", part.trim_start_matches('#')) } else { String::new() };
    let target = link.start + raw.target.start..link.start + raw.target.end;
    Some((target, format!("{}{place}{label}", to.page)))
}
