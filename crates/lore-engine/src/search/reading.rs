//! From ranked pages to hits: rows from the index, passages from the files.

use lore_page::{LineRange, PartialDate};

use super::later::AsOf;
use super::passage::{count_terms, passage};
use super::{Excerpt, Hit, Prepared, Ranked};
use crate::error::Result;
use crate::hash::ContentHash;
use crate::index::{PageNo, PageRow};
use crate::memory::Memory;
use crate::vault::decode;
use crate::vectors::ChunkRow;

/// Lines of a chunk that are shown where meaning led to it.
const CHUNK_LINES: u32 = 6;

/// A file of no more bytes is kept with its hit, so that it is not read twice.
const KEPT_TEXT: usize = 64 * 1024;

/// What hits are read for.
pub(super) struct Reading<'a> {
    pub memory: &'a Memory,
    pub query: &'a Prepared,
    /// The day, month or year after which nothing counts.
    pub as_of: Option<PartialDate>,
    /// Whether the chunks that passages stand in are looked for.
    pub chunks: bool,
}

impl Reading<'_> {
    /// The pages with their passages. One that has the words only in what is dated later is left out.
    pub(super) fn hits(&self, ranked: Vec<Ranked>) -> Result<Vec<Hit>> {
        let numbers: Vec<PageNo> = ranked.iter().map(|hit| hit.page).collect();
        let pages = self.memory.store().pages(self.memory.project(), &numbers)?;
        let mut hits = Vec::with_capacity(pages.len());
        for page in pages {
            let Some(found) = ranked.iter().find(|hit| hit.page == page.number) else { continue };
            hits.extend(self.hit(page, found)?);
        }
        Ok(hits)
    }

    fn hit(&self, page: PageRow, found: &Ranked) -> Result<Option<Hit>> {
        let (why, answers, score) = (found.why.clone(), found.answers, found.score);
        // A file that is gone by now has no passage.
        let Some(file) = self.memory.vault().read(&page.path, u64::MAX).ok().flatten() else {
            let chunk = found.chunk.clone();
            return Ok(Some(Hit { page, why, answers, score, excerpt: None, chunk, text: None }));
        };
        let decoded = decode(&file.bytes);
        let then = self.as_of.map(|day| AsOf::new(&page.path, &decoded.text, day));
        let near = found.chunk.as_ref();
        let near = near.filter(|chunk| then.as_ref().is_none_or(|then| !then.is_later(chunk.lines)));
        if let (Some(then), None) = (&then, found.line)
            && near.is_none()
            && self.is_only_later(&page, &decoded.text, then, found)
        {
            return Ok(None);
        }
        let text = then.as_ref().map_or(decoded.text.as_ref(), |then| then.text.as_str());
        let hash = ContentHash::of(&file.bytes);
        let source = Source { memory: self.memory, page: &page, text, hash, chunks: self.chunks };
        let (excerpt, chunk) = match found.line {
            Some(line) => source.line_of(line)?,
            None => source.passage_of(self.query, near)?,
        };
        let kept = then.is_some() || file.bytes.len() <= KEPT_TEXT;
        let text = kept.then(|| text.to_owned());
        Ok(Some(Hit { page, why, answers, score, excerpt, chunk, text }))
    }

    /// Whether a page has the words, or the meaning, only in what is dated later: neither its name nor its properties
    /// nor the rest of its text has any of them.
    fn is_only_later(&self, page: &PageRow, text: &str, then: &AsOf, found: &Ranked) -> bool {
        let start = body_start(text);
        let words = |text: &str| passage(text, start, self.query).map_or(0, |found| found.terms);
        let about: String = text.lines().take(start.saturating_sub(1) as usize).collect::<Vec<_>>().join(" ");
        let later = found.chunk.is_some() || words(text) > 0;
        later && words(&then.text) == 0 && count_terms(&format!("{} {about}", page.title), self.query) == 0
    }
}

/// A page that passages are read from.
struct Source<'a> {
    memory: &'a Memory,
    page: &'a PageRow,
    text: &'a str,
    hash: ContentHash,
    chunks: bool,
}

type Passage = (Option<Excerpt>, Option<ChunkRow>);

impl Source<'_> {
    /// A line that answers by itself, and the chunk it stands in.
    fn line_of(&self, line: u32) -> Result<Passage> {
        let lines = LineRange { first: line, last: line };
        let text = lines_of(self.text, lines);
        let chunks = self.memory.store().chunks_of(self.memory.project(), self.page.number)?;
        let chunk = chunks.into_iter().find(|chunk| overlap(&chunk.lines, &lines));
        Ok((Some(Excerpt { text, lines, hash: self.hash }), chunk))
    }

    /// The passage that matched, read from the file itself, and the chunk it stands in: by its words, else the beginning
    /// of the chunk that meaning led to.
    fn passage_of(&self, query: &Prepared, near: Option<&ChunkRow>) -> Result<Passage> {
        let (text, hash) = (self.text, self.hash);
        let found = passage(text, body_start(text), query);
        // Words outside the chunk that meaning led to count only when all of them stand there.
        let by_words = found.filter(|found| {
            near.is_none_or(|chunk| overlap(&chunk.lines, &found.lines))
                || count_terms(&found.text, query) == query.terms.len()
        });
        if let Some(found) = by_words {
            let chunk = match near.filter(|chunk| overlap(&chunk.lines, &found.lines)) {
                Some(chunk) => Some(chunk.clone()),
                None if !self.chunks => None,
                None => chunk_around(self.memory, self.page.number, text, &found.lines, query)?,
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
