//! Parses an Org file into a [`Page`].
//!
//! There are two passes: one over the lines, which finds headings, drawers, keywords, lists and what is not parsed
//! ([`scan`]); and one over the brackets and verbatim text outside of that ([`inline`]). List items are then parsed with
//! the grammar that Markdown and Org share. Both passes are linear: a search that fails is not repeated.

mod drawer;
mod headline;
mod inline;
mod link;
mod node;
mod scan;
mod summary;
mod timestamp;
mod value;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::body::{self, Blocks, Inline, ItemSource, Lines, headings, split_at_rule};
use crate::format::Format;
use crate::page::{LineRange, Page, Parsed, Properties};

use drawer::Drawer;
pub(crate) use drawer::Property;
use headline::Headline;
pub(crate) use inline::{RawLink, bracket_links};
pub(crate) use link::{Target, own_heading, shown_links, target_of};
pub(crate) use scan::block_name;
use scan::{Keyword, Scan};
pub(crate) use timestamp::leading_date;
pub(crate) use value::{COLON_LISTS, key_of, property_value};

/// Parses a page, and also returns the blocks and inline elements it was built from.
pub(crate) fn read(path: &str, text: &str) -> (Parsed, Blocks, Inline) {
    let lines = Lines::new(text);
    let mut scan = scan::scan(text, &lines);
    let mut page =
        Page { properties: properties(&scan), frontmatter: head_lines(&scan, &lines), ..Page::default() };
    body::apply(&mut page, path);
    page.refs = value::references(&page.properties);
    let is_excluded = page.properties.get("roam_exclude").is_some();
    if is_excluded {
        page.id = None;
    }
    page.links = link::of_properties(&scan, text, &lines);

    let found = inline::scan(text, &mut scan.blocks);
    scan.blocks.opaque.sort();
    split_at_rule(&mut page, text, scan.body_start, &scan.blocks, &lines);
    let mut diagnostics = std::mem::take(&mut scan.diagnostics);
    let inline = Inline { wiki: found.iter().map(|link| link.range.clone()).collect(), tags: Vec::new() };
    let source =
        ItemSource { format: Format::Org, text, lines: &lines, blocks: &scan.blocks, inline: &inline };
    let items = body::read_items(&source, &mut page, &mut diagnostics);
    page.headings = headings(&scan.blocks, &lines);
    let links = link::of_body(path, &source, &found, &items, &page.headings);
    page.links.extend(links);
    add_observed_tags(&mut page);
    page.nodes = node::nodes(&scan, &page);
    page.markup = markup(&scan, &lines);
    diagnostics.extend(node::repeated_ids(&page));
    if page.summary.is_none() {
        page.summary = summary::quoted(text, &scan);
    }
    page.first_sentence = summary::first_sentence(text, &page);
    diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    (Parsed { page, diagnostics }, scan.blocks, inline)
}

/// Returns the blocks of a text, and the byte where its body starts.
pub(crate) fn blocks(text: &str) -> (Blocks, usize) {
    let mut scan = scan::scan(text, &Lines::new(text));
    inline::scan(text, &mut scan.blocks);
    scan.blocks.opaque.sort();
    (scan.blocks, scan.body_start)
}

/// The drawer and the keywords of a file, for edits.
pub(crate) struct Head<'t> {
    /// Where the text starts, after a byte order mark.
    pub(crate) start: usize,
    pub(crate) drawer: Option<Drawer<'t>>,
    /// The title and the tags, wherever they are, and the keywords before the text.
    pub(crate) keywords: Vec<Keyword<'t>>,
}

/// Returns the drawer and the keywords of a file, or the line where its drawer is malformed.
pub(crate) fn head(text: &str) -> Result<Head<'_>, u32> {
    let start = crate::frontmatter::content_start(text);
    if let Err(malformed) = drawer::file_drawer(text, start) {
        return Err(text[..malformed.at].matches('\n').count() as u32 + 1);
    }
    let Scan { drawer, mut keywords, .. } = scan::scan(text, &Lines::new(text));
    let is_named = |keyword: &Keyword<'_>| {
        ["title", "filetags"].iter().any(|name| keyword.key.eq_ignore_ascii_case(name))
    };
    keywords.retain(|keyword| keyword.is_in_head || is_named(keyword));
    Ok(Head { start, drawer, keywords })
}

/// Returns the byte after a heading's property drawer; `None` if it has none.
pub(crate) fn heading_head_end(text: &str, start: usize) -> Option<usize> {
    let (from, is_planned) = below_heading(text, start);
    heading_drawer(text, start).map(|drawer| drawer.end).or(is_planned.then_some(from))
}

/// Returns the bytes of a heading's property drawer.
pub(crate) fn heading_drawer(text: &str, start: usize) -> Option<Range<usize>> {
    let (from, _) = below_heading(text, start);
    drawer::drawer_after(text, from).ok().flatten().map(|drawer| drawer.range)
}

/// Returns where the property drawer of a heading must start, and whether a planning line precedes it.
fn below_heading(text: &str, start: usize) -> (usize, bool) {
    let (_, below) = drawer::line(text, start);
    let (planning, after) = drawer::line(text, below);
    let is_planned = scan::is_planning(planning) && after > below;
    (if is_planned { after } else { below }, is_planned)
}

/// The stars and the title of headings, by the start of their lines.
pub(crate) type HeadlinePlaces = HashMap<usize, (Range<usize>, Range<usize>)>;

/// Returns the stars and the title of each heading by the start of its line, read with the TODO keywords of the file.
pub(crate) fn headlines(text: &str) -> HeadlinePlaces {
    let places = |one: Headline<'_>| (one.start, (one.start..one.start + one.level, one.title));
    scan::scan(text, &Lines::new(text)).headlines.into_iter().map(places).collect()
}

/// Returns the lines of the drawer and keywords at the start of a file.
fn head_lines(scan: &Scan<'_>, lines: &Lines<'_>) -> Option<LineRange> {
    let last = scan.body_start.checked_sub(1).filter(|_| scan.has_head)?;
    Some(LineRange { first: 1, last: lines.number(last) })
}

/// Returns the properties of a file: those of its drawer, then its keywords.
fn properties(scan: &Scan<'_>) -> Properties {
    let mut found = Properties::default();
    for property in scan.drawer.iter().flat_map(|drawer| &drawer.properties) {
        value::add(&mut found, property);
    }
    value::add_keywords(&mut found, &scan.keywords);
    found
}

/// Returns the lines of the body that are drawers of headings or keywords.
fn markup(scan: &Scan<'_>, lines: &Lines<'_>) -> Vec<LineRange> {
    let drawers = scan.headlines.iter().filter_map(|heading| scan.drawers.get(&heading.start));
    let keywords = scan.keywords.iter().filter(|keyword| !keyword.is_in_head);
    let ranges = drawers.map(|drawer| &drawer.range).chain(keywords.map(|keyword| &keyword.range));
    ranges
        .map(|range| LineRange { first: lines.number(range.start), last: lines.number(range.end - 1) })
        .collect()
}

/// Adds the tags of observations to those of the page.
fn add_observed_tags(page: &mut Page) {
    if page.observations.iter().any(|observation| !observation.tags.is_empty()) {
        let tags = std::mem::take(&mut page.tags);
        let observed = page.observations.iter().flat_map(|observation| &observation.tags);
        page.tags = body::unique(tags.iter().chain(observed).map(String::as_str));
    }
}

/// Returns a text on one line.
fn on_one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '\t']) || text.contains("  ") {
        return Cow::Owned(lore_text::on_one_line(text));
    }
    Cow::Borrowed(text.trim())
}

#[cfg(test)]
pub(crate) mod tests;
