//! From ranked pages to hits: rows from the index, passages from the files.

use lore_page::LineRange;

use super::passage::{count_terms, passage};
use super::{Excerpt, Hit, Prepared, Ranked};
use crate::error::Result;
use crate::hash::ContentHash;
use crate::index::{PageNo, PageRow};
use crate::memory::Memory;
use crate::vault::{FileBytes, decode};
use crate::vectors::ChunkRow;

/// Lines of a chunk that are shown where meaning led to it.
const CHUNK_LINES: u32 = 6;

/// A file of no more bytes is kept with its hit, so that it is not read twice.
const KEPT_TEXT: usize = 64 * 1024;

pub(super) fn read_hits(memory: &Memory, prepared: &Prepared, ranked: Vec<Ranked>) -> Result<Vec<Hit>> {
    let numbers: Vec<PageNo> = ranked.iter().map(|hit| hit.page).collect();
    let pages = memory.store().pages(memory.project(), &numbers)?;
    let mut hits = Vec::with_capacity(pages.len());
    for page in pages {
        let Some(found) = ranked.iter().find(|hit| hit.page == page.number) else { continue };
        let read = memory.vault().read(&page.path, u64::MAX).ok().flatten();
        // A file that is gone by now has no passage.
        let (excerpt, chunk, text) = match read {
            Some(file) => {
                let (excerpt, chunk) = match found.line {
                    Some(line) => line_of(memory, &page, &file, line)?,
                    None => passage_of(memory, &page, &file, prepared, found.chunk.as_ref())?,
                };
                let kept = file.bytes.len() <= KEPT_TEXT;
                (excerpt, chunk, kept.then(|| decode(&file.bytes).text.into_owned()))
            }
            None => (None, found.chunk.clone(), None),
        };
        hits.push(Hit { why: found.why.clone(), score: found.score, excerpt, chunk, page, text });
    }
    Ok(hits)
}

/// A line that answers by itself, and the chunk it stands in.
fn line_of(
    memory: &Memory,
    page: &PageRow,
    file: &FileBytes,
    line: u32,
) -> Result<(Option<Excerpt>, Option<ChunkRow>)> {
    let lines = LineRange { first: line, last: line };
    let text = lines_of(&decode(&file.bytes).text, lines);
    let chunks = memory.store().chunks_of(memory.project(), page.number)?;
    let chunk = chunks.into_iter().find(|chunk| overlap(&chunk.lines, &lines));
    Ok((Some(Excerpt { text, lines, hash: ContentHash::of(&file.bytes) }), chunk))
}

/// The passage that matched, read from the file itself, and the chunk it stands in: by its words, else the beginning of
/// the chunk that meaning led to.
fn passage_of(
    memory: &Memory,
    page: &PageRow,
    file: &FileBytes,
    query: &Prepared,
    near: Option<&ChunkRow>,
) -> Result<(Option<Excerpt>, Option<ChunkRow>)> {
    let decoded = decode(&file.bytes);
    let text = decoded.text.as_ref();
    let hash = ContentHash::of(&file.bytes);
    let found = passage(text, body_start(text), query);
    // Words outside the chunk that meaning led to count only when all of them stand there.
    let by_words = found.filter(|found| {
        near.is_none_or(|chunk| overlap(&chunk.lines, &found.lines))
            || count_terms(&found.text, query) == query.terms.len()
    });
    if let Some(found) = by_words {
        let chunk = match near.filter(|chunk| overlap(&chunk.lines, &found.lines)) {
            Some(chunk) => Some(chunk.clone()),
            None => chunk_around(memory, page.number, text, &found.lines, query)?,
        };
        return Ok((Some(Excerpt { text: found.text, lines: found.lines, hash }), chunk));
    }
    let excerpt = near.map(|chunk| {
        let last = chunk.lines.last.min(chunk.lines.first + CHUNK_LINES - 1);
        let lines = LineRange { first: chunk.lines.first, last };
        Excerpt { text: lines_of(text, lines), lines, hash }
    });
    Ok((excerpt, near.cloned()))
}

fn overlap(one: &LineRange, other: &LineRange) -> bool {
    one.first <= other.last && other.first <= one.last
}

/// Of the chunks that a passage touches, the one with most of the words.
fn chunk_around(
    memory: &Memory,
    page: PageNo,
    text: &str,
    lines: &LineRange,
    query: &Prepared,
) -> Result<Option<ChunkRow>> {
    let mut chunks = memory.store().chunks_of(memory.project(), page)?;
    chunks.retain(|chunk| overlap(&chunk.lines, lines));
    // Of equals the first: the last of a maximum is taken, so the list is turned round.
    let terms = |chunk: &ChunkRow| count_terms(&lines_of(text, chunk.lines), query);
    Ok(chunks.into_iter().rev().max_by_key(terms))
}

/// The text of lines, without the blank ones at its ends.
pub(crate) fn lines_of(text: &str, lines: LineRange) -> String {
    let (first, count) = (lines.first.saturating_sub(1) as usize, (lines.last + 1 - lines.first) as usize);
    let found: Vec<&str> = text.lines().skip(first).take(count).collect();
    found.join("\n").trim_matches('\n').to_owned()
}

/// The first line after the frontmatter.
fn body_start(text: &str) -> u32 {
    let mut lines = text.lines().zip(1u32..);
    match lines.next() {
        Some((first, _)) if first.trim_start_matches('\u{feff}').trim_end() == "---" => lines
            .find(|(line, _)| matches!(line.trim_end(), "---" | "..."))
            .map_or(1, |(_, number)| number + 1),
        _ => 1,
    }
}
