//! What the readers of all formats share: the blocks of a body, its list items, and the text that names may be linked in.

mod item;
mod lines;
mod linkable;
mod opaque;
mod properties;
mod prose;

use std::collections::HashSet;
use std::ops::Range;

use crate::format::Format;
use crate::page::{ByteRange, Heading, LineRange, Page};
use crate::wiki::LinkOrder;
use crate::{markdown, org};

/// Maximum number of characters of a line that are kept as the context of a link.
const CONTEXT_CHARS: usize = 200;

pub(crate) use item::{ItemLinks, ItemSource, Related, read as read_items};
pub(crate) use lines::Lines;
pub use linkable::{Linkable, linkable};
pub(crate) use opaque::Opaque;
pub(crate) use properties::{NO_REFERENCE, OWN_NAMES, REFERENCES, apply, links as property_links};
pub use prose::prose;

/// The blocks of a body, as the reader of a format finds them.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) items: Vec<Item>,
    /// Text segments of all items, one per line.
    pub(crate) segments: Vec<Range<usize>>,
    /// Headings outside quotes and lists.
    pub(crate) headings: Vec<RawHeading>,
    /// Quotes outside lists and other quotes.
    pub(crate) quotes: Vec<Quote>,
    /// Starts of thematic breaks of dashes outside quotes and lists.
    pub(crate) rules: Vec<usize>,
    /// Links to pages.
    pub(crate) page_links: Vec<PageLink>,
    /// All links with a destination and images, wherever they lead.
    pub(crate) link_ranges: Vec<Range<usize>>,
    /// Headings, tables and HTML at any depth, in which names must not become links.
    pub(crate) unlinkable: Vec<Range<usize>>,
    /// Ranges that are not parsed.
    pub(crate) opaque: Opaque,
    /// Starts of blocks, which a wiki link cannot span.
    pub(crate) starts: Vec<usize>,
}

/// A list item.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) range: Range<usize>,
    /// Indexes of the [`Blocks::segments`] that are its first paragraph.
    pub(crate) segments: Range<usize>,
    /// Number of quotes around it.
    pub(crate) quotes: usize,
    /// Whether its text starts with a link that has a destination.
    pub(crate) starts_with_link: bool,
}

/// A heading before its section's end is known.
#[derive(Debug)]
pub(crate) struct RawHeading {
    pub(crate) level: u8,
    pub(crate) start: usize,
    pub(crate) text: String,
}

/// A quote and its plain text.
#[derive(Debug)]
pub(crate) struct Quote {
    pub(crate) start: usize,
    pub(crate) text: String,
}

/// A link to a page by its path.
#[derive(Debug)]
pub(crate) struct PageLink {
    pub(crate) range: Range<usize>,
    pub(crate) destination: String,
    pub(crate) label: String,
}

/// The wiki links and tags of a body, each in order.
#[derive(Debug, Default)]
pub(crate) struct Inline {
    /// Links, including their brackets.
    pub(crate) wiki: Vec<Range<usize>>,
    /// Tags outside links, without their `#`.
    pub(crate) tags: Vec<Range<usize>>,
}

/// Returns the links of a page to its own headings, `[[#Heading]]` or in Org `[[*Heading]]`, each with its line.
pub fn heading_links(format: Format, text: &str) -> Vec<(u32, String)> {
    let (parsed, _, inline) = format.read("", text);
    let order = LinkOrder::of(&parsed.page.properties);
    let lines = Lines::new(text);
    let own = |range: &Range<usize>| {
        let inner = &text[range.start + 2..range.end - 2];
        let heading = match format {
            Format::Markdown => markdown::own_heading(inner, order).map(str::to_owned),
            Format::Org => org::own_heading(inner),
        };
        heading.map(|heading| (lines.number(range.start), heading))
    };
    inline.wiki.iter().filter_map(own).collect()
}

/// Returns the bytes of the outermost list items of a body in order, except those in quotes and comments.
pub(crate) fn list_items(format: Format, text: &str) -> Vec<Range<usize>> {
    let (blocks, _) = format.blocks(text);
    let mut outermost: Vec<Range<usize>> = Vec::new();
    for item in blocks.items {
        let nested = outermost.last().is_some_and(|outer| item.range.start < outer.end);
        if !nested && item.quotes == 0 && !blocks.opaque.is_comment(item.range.start) {
            outermost.push(item.range);
        }
    }
    outermost
}

/// The bytes of a list item.
pub(crate) struct ItemRange {
    /// Its first paragraph.
    pub(crate) own: Range<usize>,
    /// Everything in it.
    pub(crate) whole: Range<usize>,
}

/// Returns the list items of a body that have text, ordered by their text.
pub(crate) fn item_ranges(format: Format, text: &str) -> Vec<ItemRange> {
    let (Blocks { items, segments, .. }, _) = format.blocks(text);
    let range = |item: Item| {
        let own = &segments[item.segments];
        Some(ItemRange { own: own.first()?.start..own.last()?.end, whole: item.range })
    };
    let mut ranges: Vec<ItemRange> = items.into_iter().filter_map(range).collect();
    ranges.sort_by_key(|item| item.own.start);
    ranges
}

/// Splits a body at its first rule into truth and timeline.
pub(crate) fn split_at_rule(
    page: &mut Page,
    text: &str,
    body_start: usize,
    blocks: &Blocks,
    lines: &Lines<'_>,
) {
    // Dashes on the first line were meant as frontmatter, so they do not end the truth.
    let is_fence = |at: usize| page.frontmatter.is_none() && lines.number(at) == 1;
    let rule = blocks.rules.iter().copied().find(|at| !is_fence(*at) && !blocks.opaque.is_comment(*at));
    let rule = rule.map(|at| lines.range(at));
    let truth_end = rule.map_or(text.len(), |line| line.start);
    page.truth = ByteRange { start: body_start, end: truth_end };
    page.timeline = rule.map(|line| ByteRange { start: line.end, end: text.len() });
}

/// Returns the headings of a body, each with the lines of its section.
pub(crate) fn headings(blocks: &Blocks, lines: &Lines<'_>) -> Vec<Heading> {
    let Blocks { headings, opaque, .. } = blocks;
    let mut found: Vec<Heading> = Vec::with_capacity(headings.len());
    // Headings whose sections are still open, each at a deeper level than the one before.
    let mut open: Vec<usize> = Vec::new();
    for RawHeading { level, start, text } in headings {
        if opaque.is_comment(*start) {
            continue;
        }
        let first = lines.number(*start);
        while let Some(index) = open.pop_if(|index| found[*index].level >= *level) {
            // CommonMark ends a line at a lone carriage return, but the line count does not.
            found[index].lines.last = (first - 1).max(found[index].lines.first);
        }
        open.push(found.len());
        found.push(Heading {
            level: *level,
            text: text.clone(),
            lines: LineRange { first, last: lines.count() },
        });
    }
    found
}

/// Returns the line of a link, or the part of a long line around the start of the link.
pub(crate) fn line_around(text: &str, lines: &Lines<'_>, link: &Range<usize>) -> Option<String> {
    let line = lines.range(link.start);
    let text = line.of(text);
    let mut start = 0;
    if link.end - line.start > CONTEXT_CHARS {
        start = (link.start - line.start).saturating_sub(CONTEXT_CHARS / 2);
        start = (0..=start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    }
    let text = text[start..].trim_start();
    let end = text.char_indices().nth(CONTEXT_CHARS).map_or(text.len(), |(at, _)| at);
    Some(text[..end].trim_end().to_owned())
}

/// Drops duplicate texts, keeping the first of each.
pub(crate) fn unique<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts.filter(|text| seen.insert(*text)).map(str::to_owned).collect()
}

/// Returns the part of a sorted list whose keys are in a range.
pub(crate) fn within<'t, T>(list: &'t [T], range: &Range<usize>, key: impl Fn(&T) -> usize) -> &'t [T] {
    let from = list.partition_point(|element| key(element) < range.start);
    let length = list[from..].partition_point(|element| key(element) < range.end);
    &list[from..from + length]
}
