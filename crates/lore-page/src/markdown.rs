//! Parses a Markdown file into a [`Page`].
//!
//! There are three passes: the frontmatter; the blocks, as a CommonMark parser sees them ([`blocks`]); and the wiki
//! links and tags in the text outside code and comments ([`inline`]). List items are then parsed with the grammar that
//! Markdown and Org share. Nothing is quadratic: every lookup is a binary search or a merge of sorted lists.

mod blocks;
mod destination;
mod inline;
mod summary;

use std::ops::Range;

use crate::body::{
    self, Blocks, Inline, ItemLinks, ItemSource, Lines, PageLink, Related, headings, line_around,
    split_at_rule, unique,
};
use crate::format::Format;
use crate::frontmatter;
use crate::grammar::{Show, shown_links};
use crate::interval::Interval;
use crate::page::{ByteRange, LINKS_TO, Link, LinkStyle, Page, Parsed};
use crate::wiki::{self, LinkOrder};

pub(crate) use destination::has_page_extension;
pub use destination::{page_destination, path_from_root};
pub(crate) use summary::shortened;

/// Parses a page, and also returns the blocks and inline elements it was built from.
pub(crate) fn read(path: &str, text: &str) -> (Parsed, Blocks, Inline) {
    let front = frontmatter::read(text);
    let body_start = front.body_start;
    let mut diagnostics = front.diagnostics;
    let mut page = Page { properties: front.properties, frontmatter: front.lines, ..Page::default() };
    body::apply(&mut page, path);
    page.links = body::property_links(&page.properties, page.frontmatter, text);

    let lines = Lines::new(text);
    let blocks = blocks(text, body_start);
    let inline = inline::scan(text, body_start, &blocks);

    split_at_rule(&mut page, text, body_start, &blocks, &lines);
    let source =
        ItemSource { format: Format::Markdown, text, lines: &lines, blocks: &blocks, inline: &inline };
    let items = body::read_items(&source, &mut page, &mut diagnostics);
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
    page.headings.iter_mut().for_each(|heading| heading.text = plain(&heading.text));
    page.heading_title =
        page.headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone());
    diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    (Parsed { page, diagnostics }, blocks, inline)
}

/// Finds the blocks of the body that starts at `body_start`.
pub(crate) fn blocks(text: &str, body_start: usize) -> Blocks {
    let mut blocks = blocks::read(text, body_start);
    blocks.opaque.finish(text, body_start);
    blocks
}

/// Returns the heading of the same page that a wiki link names: `[[#Heading]]`. Links to blocks name none.
pub(crate) fn own_heading(link: &str, order: LinkOrder) -> Option<&str> {
    let heading = wiki::name_and_label(link, order).0.trim().strip_prefix('#')?.trim();
    (!heading.is_empty() && !heading.starts_with('^')).then_some(heading)
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
        None => {
            (LINKS_TO.to_owned(), line_around(source.text, source.lines, range), items.interval(range.start))
        }
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
        context: line_around(source.text, source.lines, &link.range),
        interval: Interval::default(),
        embed: false,
        line: source.lines.number(link.range.start),
        span: ByteRange { start: link.range.start, end: link.range.end },
    }
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

#[cfg(test)]
mod tests;
