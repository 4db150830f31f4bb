//! Splits a page into chunks, the pieces that are embedded: one section of the truth, or one entry of the timeline. A
//! pure function of the page, so that the same text always gives the same chunks and nothing is embedded twice.

mod split;

use lore_page::{Entry, Heading, LineRange, Page};
use lore_ports::{ChunkDraft, ChunkKind};
use lore_text::ContentHash;

use super::structured::StructuredLines;
use split::{Piece, split};

/// Maximum bytes of a title or heading that are repeated in a chunk.
const PREFIX_BYTES: usize = 500;

/// A chunk with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its position and hash.
    pub place: ChunkDraft,
    /// The embedded text: title, headings and date, then the content.
    pub text: String,
}

/// Splits a page into chunks. A page without a body is one chunk: its title.
pub fn chunks(page: &Page, text: &str) -> Vec<Chunk> {
    let mut found: Vec<Chunk> = Vec::new();
    for region in regions(page, text) {
        let front = front(page, &region);
        for piece in split(text, &region.lines) {
            found.push(chunk(&region, &front, piece));
        }
    }
    let about = about(page);
    match found.first_mut() {
        Some(first) if !about.is_empty() => {
            first.text = format!("{}\n{about}", first.text);
            first.place.hash = ContentHash::of(first.text.as_bytes());
        }
        Some(_) => {}
        None => found.push(bare(page, about)),
    }
    found
}

/// Consecutive lines of one section or entry.
struct Region<'a> {
    heading: Vec<&'a str>,
    entry: Option<&'a Entry>,
    lines: Vec<ChunkLine>,
}

/// A line: its number and byte range, without the line ending.
#[derive(Debug, Clone, Copy)]
struct ChunkLine {
    number: u32,
    start: usize,
    end: usize,
}

fn regions<'a>(page: &'a Page, text: &str) -> Vec<Region<'a>> {
    let above = headings_above(page);
    let structured = StructuredLines::of(page);
    let mut regions: Vec<Region<'a>> = Vec::new();
    let mut last: Option<(usize, Option<u32>, bool)> = None;
    // Lines, headings and entries all come in file order, so that one pass is enough.
    let (mut heads, mut entries) = (0, page.entries.iter().peekable());
    for line in lines(text) {
        let below = page.timeline.is_some_and(|range| line.start >= range.start && line.end <= range.end);
        if !below && (line.start < page.truth.start || line.end > page.truth.end) {
            continue;
        }
        while page.headings.get(heads).is_some_and(|heading| heading.lines.first <= line.number) {
            heads += 1;
        }
        if structured.is_silent(line.number) {
            continue;
        }
        let leaf = heads.checked_sub(1);
        // The heading is already part of every chunk of its section.
        if leaf.is_some_and(|leaf| page.headings[leaf].lines.first == line.number) {
            continue;
        }
        while entries.peek().is_some_and(|entry| entry.lines.last < line.number) {
            entries.next();
        }
        let entry = entries.peek().copied().filter(|entry| entry.lines.first <= line.number);
        let key = (heads, entry.map(|entry| entry.lines.first), below);
        if last != Some(key) {
            last = Some(key);
            regions.push(Region { heading: heading_path(page, &above, leaf), entry, lines: Vec::new() });
        }
        if let Some(region) = regions.last_mut() {
            region.lines.push(line);
        }
    }
    regions
}

/// Returns the parent of each heading.
fn headings_above(page: &Page) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut above = Vec::with_capacity(page.headings.len());
    for (at, heading) in page.headings.iter().enumerate() {
        while open.last().is_some_and(|last| page.headings[*last].level >= heading.level) {
            open.pop();
        }
        above.push(open.last().copied());
        open.push(at);
    }
    above
}

fn lines(text: &str) -> impl Iterator<Item = ChunkLine> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').zip(1..).map(move |(line, number)| {
        let at = start;
        start += line.len();
        ChunkLine { number, start: at, end: at + line.trim_end_matches(['\n', '\r']).len() }
    })
}

/// Returns the headings above a section, without the one that repeats the title.
fn heading_path<'a>(page: &'a Page, above: &[Option<usize>], leaf: Option<usize>) -> Vec<&'a str> {
    let is_title = |heading: &Heading| {
        heading.level == 1
            && (heading.text == page.title || Some(&heading.text) == page.heading_title.as_ref())
    };
    let mut path: Vec<&str> = std::iter::successors(leaf, |at| above[*at])
        .map(|at| &page.headings[at])
        .filter(|heading| !is_title(heading))
        .map(|heading| heading.text.as_str())
        .collect();
    path.reverse();
    path
}

/// Returns the prefix of every chunk of a region: what the chunk is about when its own words do not tell.
fn front(page: &Page, region: &Region<'_>) -> String {
    let mut front = beginning(&page.title).to_owned();
    if let Some(heading) = page.heading_title.as_ref().filter(|heading| **heading != page.title) {
        front = format!("{front}\n{}", beginning(heading));
    }
    if !region.heading.is_empty() {
        front = format!("{front}\n{}", path_text(region));
    }
    front
}

/// Returns the headings above a region as one line.
fn path_text(region: &Region<'_>) -> String {
    region.heading.iter().map(|heading| beginning(heading)).collect::<Vec<&str>>().join(" > ")
}

/// Returns the beginning of a title or heading. It is repeated in every chunk below it, so that a very long one would make
/// the chunks of a page larger than the page many times over.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(PREFIX_BYTES)]
}

fn chunk(region: &Region<'_>, front: &str, piece: Piece) -> Chunk {
    // An entry's line begins with its date, so the date is already in its text.
    let kind = if region.entry.is_some() { ChunkKind::Entry } else { ChunkKind::Section };
    let text = format!("{front}\n{}", piece.text);
    let hash = ContentHash::of(text.as_bytes());
    Chunk { place: ChunkDraft { kind, heading: path_text(region), lines: piece.lines, hash }, text }
}

/// Returns what only the frontmatter contains: aliases and the summary.
fn about(page: &Page) -> String {
    let summary = page.properties.text("summary").map(str::to_owned);
    page.aliases.iter().cloned().chain(summary).collect::<Vec<String>>().join("\n")
}

fn bare(page: &Page, about: String) -> Chunk {
    let text = if about.is_empty() { page.title.clone() } else { format!("{}\n{about}", page.title) };
    let hash = ContentHash::of(text.as_bytes());
    let lines = LineRange { first: 1, last: 1 };
    Chunk { place: ChunkDraft { kind: ChunkKind::Section, heading: String::new(), lines, hash }, text }
}

#[cfg(test)]
mod tests;
