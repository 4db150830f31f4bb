//! Parses a Markdown file into a [`Page`].
//!
//! There are three passes: the frontmatter; the blocks, as a CommonMark parser sees them ([`blocks`]); and the wiki
//! links and tags in the text outside code and comments ([`inline`]). List items are then parsed with the grammar that
//! Markdown and Org share. Nothing is quadratic: every lookup is a binary search or a merge of sorted lists.

mod blocks;
mod destination;
mod inline;
mod item;
mod lines;
mod linkable;
mod opaque;
mod properties;
mod prose;
mod summary;

use std::collections::HashSet;
use std::ops::Range;

use crate::frontmatter;
use crate::grammar::{Show, shown_links};
use crate::interval::Interval;
use crate::page::{ByteRange, Heading, LINKS_TO, LineRange, Link, LinkStyle, Page, Parsed};
use crate::wiki::{self, LinkOrder};

pub use linkable::{Linkable, linkable};
pub use prose::prose;

use blocks::{Blocks, PageLink, RawHeading};
use inline::Inline;
use item::{ItemLinks, ItemSource, Related};
use lines::Lines;

/// Maximum number of characters of a line that are kept as the context of a link.
const CONTEXT_CHARS: usize = 200;

/// Parses a page. `path` is relative to the vault's root, with `/` as separator.
///
/// Parsing never fails: problems become diagnostics, and the rest is still parsed.
///
/// ```
/// let parsed = lore_page::parse("people/ada.md", "- knows [[Charles Babbage]] (since 1833)\n");
/// assert_eq!(parsed.page.title, "ada");
/// assert_eq!(parsed.page.links[0].relation, "knows");
/// ```
pub fn parse(path: &str, text: &str) -> Parsed {
    read(path, text).0
}

/// Parses a page, and also returns the blocks and inline elements it was built from.
fn read(path: &str, text: &str) -> (Parsed, Blocks, Inline) {
    let front = frontmatter::read(text);
    let body_start = front.body_start;
    let mut diagnostics = front.diagnostics;
    let mut page = Page { properties: front.properties, frontmatter: front.lines, ..Page::default() };
    properties::apply(&mut page, path, text);

    let lines = Lines::new(text);
    let mut blocks = blocks::read(text, body_start);
    blocks.opaque.finish(text, body_start);
    let inline = inline::scan(text, body_start, &blocks);

    split_at_rule(&mut page, text, body_start, &blocks, &lines);
    let source = ItemSource { text, lines: &lines, blocks: &blocks, inline: &inline };
    let items = item::read(&source, &mut page, &mut diagnostics);
    let order = LinkOrder::of(&page.properties);
    let links = body_links(path, &source, &items, order);
    page.links.extend(links);
    if !inline.tags.is_empty() {
        let tags = std::mem::take(&mut page.tags);
        let inline = inline.tags.iter().map(|tag| &text[tag.clone()]);
        page.tags = unique(tags.iter().map(String::as_str).chain(inline));
    }
    if page.summary.is_none() {
        page.summary = summary::quoted(text, &page, &blocks, &lines);
    }
    page.first_sentence = summary::first_sentence(text, &page, &blocks);
    page.headings = headings(&blocks, &lines);
    page.heading_title =
        page.headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone());
    diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    (Parsed { page, diagnostics }, blocks, inline)
}

/// Returns the links of a page to its own headings, `[[#Heading]]`, each with its line. Links to blocks are left out.
pub fn heading_links(text: &str) -> Vec<(u32, String)> {
    let (_, _, inline) = read("", text);
    let lines = Lines::new(text);
    let own = |range: &Range<usize>| {
        let inner = text[range.start + 2..range.end - 2].trim().strip_prefix('#')?;
        let heading = inner.split_once('|').map_or(inner, |(heading, _)| heading.trim_end_matches('\\'));
        let heading = heading.trim();
        (!heading.is_empty() && !heading.starts_with('^'))
            .then(|| (lines.number(range.start), heading.to_owned()))
    };
    inline.wiki.iter().filter_map(own).collect()
}

/// Returns the bytes of the outermost list items of a body in order, except those in quotes and comments.
pub(crate) fn list_items(text: &str) -> Vec<Range<usize>> {
    let body_start = frontmatter::read(text).body_start;
    let mut blocks = blocks::read(text, body_start);
    blocks.opaque.finish(text, body_start);
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
pub(crate) fn item_ranges(text: &str) -> Vec<ItemRange> {
    let body_start = frontmatter::read(text).body_start;
    let Blocks { items, segments, .. } = blocks::read(text, body_start);
    let range = |item: blocks::Item| {
        let own = &segments[item.segments];
        Some(ItemRange { own: own.first()?.start..own.last()?.end, whole: item.range })
    };
    let mut ranges: Vec<ItemRange> = items.into_iter().filter_map(range).collect();
    ranges.sort_by_key(|item| item.own.start);
    ranges
}

fn split_at_rule(page: &mut Page, text: &str, body_start: usize, blocks: &Blocks, lines: &Lines<'_>) {
    // Dashes on the first line were meant as frontmatter, so they do not end the truth.
    let is_fence = |at: usize| page.frontmatter.is_none() && lines.number(at) == 1;
    let rule = blocks.rules.iter().copied().find(|at| !is_fence(*at) && !blocks.opaque.is_comment(*at));
    let rule = rule.map(|at| lines.range(at));
    let truth_end = rule.map_or(text.len(), |line| line.start);
    page.truth = ByteRange { start: body_start, end: truth_end };
    page.timeline = rule.map(|line| ByteRange { start: line.end, end: text.len() });
}

fn headings(blocks: &Blocks, lines: &Lines<'_>) -> Vec<Heading> {
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
            text: plain(text),
            lines: LineRange { first, last: lines.count() },
        });
    }
    found
}

/// Returns the links of the body in order: wiki links with the relation of their item, and Markdown links to pages.
fn body_links(path: &str, source: &ItemSource<'_>, items: &ItemLinks, order: LinkOrder) -> Vec<Link> {
    let mut related = items.related.iter().peekable();
    let mut links = Vec::with_capacity(source.inline.wiki.len() + source.blocks.page_links.len());
    for range in &source.inline.wiki {
        let relation = related.next_if(|related| related.start == range.start);
        links.extend(wiki_link(source, range, relation, items, order));
    }
    let wiki = links.len();
    for link in &source.blocks.page_links {
        // `[[a]](b.md)` is a wiki link, and so is `[[a]]` where `[a]` is defined as a link.
        let inside = source.inline.wiki.partition_point(|wiki| wiki.start <= link.range.start);
        let is_wiki_link = inside > 0 && link.range.start < source.inline.wiki[inside - 1].end;
        if !is_wiki_link && !source.blocks.opaque.is_comment(link.range.start) {
            links.push(Link {
                interval: items.interval(link.range.start),
                ..markdown_link(path, source, link)
            });
        }
    }
    if wiki > 0 && links.len() > wiki {
        links.sort_by_key(|link| link.span.start);
    }
    links
}

fn wiki_link(
    source: &ItemSource<'_>,
    range: &Range<usize>,
    related: Option<&Related>,
    items: &ItemLinks,
    order: LinkOrder,
) -> Option<Link> {
    let read = wiki::read(&source.text[range.start + 2..range.end - 2], order)?;
    let before = &source.text.as_bytes()[..range.start];
    let (relation, context, interval) = match related {
        Some(Related { relation, .. }) => {
            (relation.verb.clone(), relation.context.clone(), relation.interval)
        }
        None => (LINKS_TO.to_owned(), line_around(source, range), items.interval(range.start)),
    };
    Some(Link {
        relation,
        target: read.target.into_owned(),
        style: LinkStyle::Wiki,
        heading: read.heading.map(Into::into),
        label: read.label.map(Into::into),
        context,
        interval,
        embed: before.ends_with(b"!") && !before.ends_with(b"\\!"),
        line: source.lines.number(range.start),
        span: ByteRange { start: range.start, end: range.end },
    })
}

fn markdown_link(path: &str, source: &ItemSource<'_>, link: &PageLink) -> Link {
    let (target, heading) = destination::resolve(path, &link.destination);
    let label = plain(&link.label);
    Link {
        relation: LINKS_TO.to_owned(),
        target,
        style: LinkStyle::Markdown,
        heading,
        label: (!label.is_empty()).then_some(label),
        context: line_around(source, &link.range),
        interval: Interval::default(),
        embed: false,
        line: source.lines.number(link.range.start),
        span: ByteRange { start: link.range.start, end: link.range.end },
    }
}

/// Returns the line of a link, or the part of a long line around the start of the link.
fn line_around(source: &ItemSource<'_>, link: &Range<usize>) -> Option<String> {
    let line = source.lines.range(link.start);
    let text = line.of(source.text);
    let mut start = 0;
    if link.end - line.start > CONTEXT_CHARS {
        start = (link.start - line.start).saturating_sub(CONTEXT_CHARS / 2);
        start = (0..=start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    }
    let text = text[start..].trim_start();
    let end = text.char_indices().nth(CONTEXT_CHARS).map_or(text.len(), |(at, _)| at);
    Some(text[..end].trim_end().to_owned())
}

/// Returns plain text on one line, with wiki links replaced by the text they show.
fn plain(text: &str) -> String {
    let shown = shown_links(text, Show::Label);
    let mut plain = String::with_capacity(shown.len());
    for word in shown.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(word);
    }
    plain
}

/// Drops duplicate texts, keeping the first of each.
fn unique<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts.filter(|text| seen.insert(*text)).map(str::to_owned).collect()
}

/// Returns the part of a sorted list whose keys are in a range.
fn within<'t, T>(list: &'t [T], range: &Range<usize>, key: impl Fn(&T) -> usize) -> &'t [T] {
    let from = list.partition_point(|element| key(element) < range.start);
    let length = list[from..].partition_point(|element| key(element) < range.end);
    &list[from..from + length]
}

#[cfg(test)]
mod tests;
