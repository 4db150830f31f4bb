//! Excerpts: turns ranked pages into hits, with rows from the index and passages from the files, and fits their content
//! into a token budget.

mod as_of;
mod budget;
mod cut;
mod depths;
mod fitting;
mod lines;
mod page_text;
mod passage;
mod remarks;

use std::collections::HashMap;

use lore_page::{Format, LineRange};
use lore_ports::{ChunkRow, PageNo, PageRow};
use lore_text::{ContentHash, PartialDate};
use lore_vault::decode;

use super::expression::{Term, count_terms};
use super::fuse::Ranked;
use super::result::{Excerpt, Hit};
use crate::context::VaultContext;
use crate::error::Result;

use as_of::AsOf;
use passage::{passage, property};

pub(super) use budget::{fit, is_within};
pub(super) use lines::read_lines;
pub use page_text::{page_body, page_terms};

/// Maximum lines shown of a chunk that was found by embedding.
const CHUNK_LINES: u32 = 6;

/// Maximum bytes of a file that is kept with its hit, to avoid reading it twice.
const KEPT_TEXT: usize = 64 * 1024;

/// Parameters for reading hits.
pub(super) struct Reading<'a> {
    pub context: &'a VaultContext,
    /// The terms of the query.
    pub terms: Vec<Term>,
    /// The day, month or year after which nothing counts.
    pub as_of: Option<PartialDate>,
    /// Whether to look up the chunks that contain the excerpts.
    pub chunks: bool,
    /// Whether to select the passage of each page; with a budget, the passages of all pages compete later.
    pub passages: bool,
}

impl Reading<'_> {
    /// Returns the pages with their excerpts. A page that has the words only in later-dated lines is dropped.
    pub(super) fn hits(&self, ranked: Vec<Ranked>) -> Result<Vec<Hit>> {
        let numbers: Vec<PageNo> = ranked.iter().map(|hit| hit.page).collect();
        let pages = self.context.store().pages(self.context.project(), &numbers)?;
        let chunks = self.chunks_of(&ranked)?;
        let mut hits = Vec::with_capacity(pages.len());
        for page in pages {
            let Some(found) = ranked.iter().find(|hit| hit.page == page.number) else { continue };
            let chunks = chunks.get(&page.number).map_or(&[][..], Vec::as_slice);
            hits.extend(self.hit(page, found, chunks));
        }
        Ok(hits)
    }

    /// Returns the chunks of the pages whose excerpts need them.
    fn chunks_of(&self, ranked: &[Ranked]) -> Result<HashMap<PageNo, Vec<ChunkRow>>> {
        let wanted = ranked.iter().filter(|hit| self.chunks || hit.line.is_some());
        let numbers: Vec<PageNo> = wanted.map(|hit| hit.page).collect();
        let mut chunks: HashMap<PageNo, Vec<ChunkRow>> = HashMap::new();
        if !numbers.is_empty() {
            for chunk in self.context.store().chunks_of(self.context.project(), &numbers)? {
                chunks.entry(chunk.page).or_default().push(chunk);
            }
        }
        Ok(chunks)
    }

    fn hit(&self, page: PageRow, found: &Ranked, chunks: &[ChunkRow]) -> Option<Hit> {
        let mut hit = Hit::new(page, found.score, found.why.clone());
        (hit.answers, hit.named, hit.successor) = (found.answers, found.exact, found.successor);
        hit.steps.clone_from(&found.steps);
        let page = &hit.page;
        // A file that is already gone has no excerpt.
        let Some(file) = self.context.vault().read(&page.path, u64::MAX).ok().flatten() else {
            hit.chunk.clone_from(&found.chunk);
            return Some(hit);
        };
        let decoded = decode(&file.bytes);
        let then = self.as_of.map(|day| AsOf::new(&page.path, &decoded.text, day));
        let near = found.chunk.as_ref();
        let near = near.filter(|chunk| then.as_ref().is_none_or(|then| !then.is_later(chunk.lines)));
        if let (Some(then), None) = (&then, found.line)
            && near.is_none()
            && self.is_only_later(page, &decoded.text, then, found)
        {
            return None;
        }
        let text = then.as_ref().map_or(decoded.text.as_ref(), |then| then.text.as_str());
        let hash = ContentHash::of(&file.bytes);
        let source = PassageSource { format: Format::of(&page.path), text, hash, chunks };
        let (excerpt, chunk) = match found.line {
            Some(line) => source.line_of(line),
            None if self.passages => source.passage_of(&self.terms, near),
            None => (None, None),
        };
        // A page that was found by what it supersedes is shown from its beginning.
        let excerpt = excerpt.or_else(|| found.successor.then(|| source.beginning()).flatten());
        hit.hash = Some(hash);
        let kept = then.is_some() || file.bytes.len() <= KEPT_TEXT;
        hit.text = kept.then(|| text.to_owned());
        (hit.excerpt, hit.chunk) = (excerpt, chunk);
        Some(hit)
    }

    /// Whether a page matches, by words or embedding, only in later-dated lines: its name, its properties and the rest
    /// of its text contain none of the words.
    fn is_only_later(&self, page: &PageRow, text: &str, then: &AsOf, found: &Ranked) -> bool {
        let start = body_start(Format::of(&page.path), text);
        let words = |text: &str| passage(text, start, &self.terms).map_or(0, |found| found.terms);
        let about: String = text.lines().take(start.saturating_sub(1) as usize).collect::<Vec<_>>().join(" ");
        let later = found.chunk.is_some() || words(text) > 0;
        later && words(&then.text) == 0 && count_terms(&format!("{} {about}", page.title), &self.terms) == 0
    }
}

/// A page to read excerpts from.
struct PassageSource<'a> {
    format: Format,
    text: &'a str,
    hash: ContentHash,
    /// The page's chunks, if they are wanted.
    chunks: &'a [ChunkRow],
}

type Passage = (Option<Excerpt>, Option<ChunkRow>);

impl PassageSource<'_> {
    /// Returns a line that answers by itself, and the chunk that contains it.
    fn line_of(&self, line: u32) -> Passage {
        let lines = LineRange { first: line, last: line };
        let text = lines_of(self.text, lines);
        let chunk = self.chunks.iter().find(|chunk| overlap(&chunk.lines, &lines)).cloned();
        (Some(Excerpt { text, lines, hash: self.hash }), chunk)
    }

    /// Returns the first lines of the page that are not headings.
    fn beginning(&self) -> Option<Excerpt> {
        let skipped = body_start(self.format, self.text).saturating_sub(1) as usize;
        let mut lines = (1u32..).zip(self.text.lines()).skip(skipped);
        let (first, _) = lines.find(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))?;
        let lines = LineRange { first, last: first + CHUNK_LINES - 1 };
        Some(Excerpt { text: lines_of(self.text, lines), lines, hash: self.hash })
    }

    /// Returns the matching passage, read from the file itself, and the chunk that contains it: by words, else the
    /// beginning of the chunk found by embedding.
    fn passage_of(&self, terms: &[Term], near: Option<&ChunkRow>) -> Passage {
        let (text, hash) = (self.text, self.hash);
        let start = body_start(self.format, text);
        let body = passage(text, start, terms);
        // The properties stand above the text that is shown; one counts if it says more than the text.
        let known = body.as_ref().map_or(0, |body| body.terms);
        let declared = property(self.format, text, start, terms).filter(|property| property.terms > known);
        // Words outside the chunk found by embedding count only if all of them are there.
        let by_words = declared.into_iter().chain(body).find(|found| {
            near.is_none_or(|chunk| overlap(&chunk.lines, &found.lines))
                || count_terms(&found.text, terms) == terms.len()
        });
        if let Some(found) = by_words {
            let chunk = match near.filter(|chunk| overlap(&chunk.lines, &found.lines)) {
                Some(chunk) => Some(chunk.clone()),
                None => chunk_around(self.chunks, text, &found.lines, terms),
            };
            return (Some(Excerpt { text: found.text, lines: found.lines, hash }), chunk);
        }
        let excerpt = near.map(|chunk| {
            let last = chunk.lines.last.min(chunk.lines.first + CHUNK_LINES - 1);
            let lines = LineRange { first: chunk.lines.first, last };
            Excerpt { text: lines_of(text, lines), lines, hash }
        });
        (excerpt, near.cloned())
    }
}

fn overlap(one: &LineRange, other: &LineRange) -> bool {
    one.first <= other.last && other.first <= one.last
}

/// Returns the chunk that contains the most words, of those that overlap a passage.
fn chunk_around(chunks: &[ChunkRow], text: &str, lines: &LineRange, terms: &[Term]) -> Option<ChunkRow> {
    let overlapping: Vec<&ChunkRow> = chunks.iter().filter(|chunk| overlap(&chunk.lines, lines)).collect();
    if let [only] = overlapping[..] {
        return Some(only.clone());
    }
    // `max_by_key` returns the last maximum; reversed, that is the first.
    let count = |chunk: &&ChunkRow| count_terms(&lines_of(text, chunk.lines), terms);
    overlapping.into_iter().rev().max_by_key(count).cloned()
}

/// Returns the text of lines, without leading and trailing blank lines.
fn lines_of(text: &str, lines: LineRange) -> String {
    let (first, count) = (lines.first.saturating_sub(1) as usize, (lines.last + 1 - lines.first) as usize);
    let found: Vec<&str> = text.lines().skip(first).take(count).collect();
    found.join("\n").trim_matches('\n').to_owned()
}

/// Returns the first line after the frontmatter, or after the drawer and keywords of an Org file.
fn body_start(format: Format, text: &str) -> u32 {
    if format == Format::Org {
        return text[..format.body_start(text)].matches('\n').count() as u32 + 1;
    }
    let mut lines = text.lines().zip(1u32..);
    match lines.next() {
        Some((first, _)) if first.trim_start_matches('\u{feff}').trim_end() == "---" => lines
            .find(|(line, _)| matches!(line.trim_end(), "---" | "..."))
            .map_or(1, |(_, number)| number + 1),
        _ => 1,
    }
}
