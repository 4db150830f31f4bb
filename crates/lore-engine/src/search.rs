//! Search: exact names first, then words; each hit says why it is there and where to read on.

mod arms;
mod expression;
mod fusion;
mod hybrid;
mod later;
mod lines;
mod passage;
mod reading;
mod relational;
mod script;
mod signals;
mod walk;

use lore_page::{LineRange, PartialDate};

use crate::error::Result;
use crate::hash::ContentHash;
use crate::index::{Filter, PageNo, PageRow};
use crate::memory::Memory;
use crate::vectors::ChunkRow;

pub(crate) use expression::says_something;
pub use expression::{Expression, Prepared, prepare};
pub use fusion::Fusion;
pub(crate) use reading::lines_of;
pub use script::set_apart;
pub(crate) use script::{is_unspaced, pairs, runs};
pub use signals::Signals;

use lines::search_lines;

/// How many pages more are looked at for an answer as of a day.
const LATER: usize = 20;

/// By what pages are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// All the words, and where no page has them all, some of them: what `search` promises.
    #[default]
    Words,
    /// Any of the words that say something, weighed by how much they say: the way a question is asked.
    Lexical,
    /// Their meaning.
    Semantic,
    /// Both.
    Hybrid,
}

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// The query as typed.
    pub text: String,
    /// By what.
    pub mode: Mode,
    /// How words and meaning are made one list.
    pub fusion: Fusion,
    /// What else counts.
    pub signals: Signals,
    /// Which pages count.
    pub filter: Filter,
    /// Only structured lines of this kind, instead of pages.
    pub kind: Option<HitKind>,
    /// The day, month or year as of which relations hold, where not today. No answer rests on what is dated later.
    pub as_of: Option<PartialDate>,
    /// How many hits.
    pub limit: usize,
    /// How many to pass over first.
    pub offset: usize,
}

/// What a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitKind {
    /// A page.
    Page,
    /// An observation.
    Observation,
    /// A relation.
    Relation,
    /// A fact.
    Fact,
    /// A timeline entry.
    Entry,
}

/// A page, or a line of one, that answers.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The page.
    pub page: PageRow,
    /// Why it is here, strongest first.
    pub why: Vec<String>,
    /// Whether a link or a fact answers the question with it.
    pub answers: bool,
    /// How well it answers; comparable within one result only.
    pub score: f64,
    /// What to read.
    pub excerpt: Option<Excerpt>,
    /// The chunk that the excerpt stands in. A search for words alone does not look for it.
    pub chunk: Option<ChunkRow>,
    /// The file as it was read for the excerpt, where it is not too long to be kept.
    pub(crate) text: Option<String>,
}

/// A passage with all that is needed to check it later.
#[derive(Debug, Clone)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: LineRange,
    /// The checksum of the file it was read from.
    pub hash: ContentHash,
}

/// An answer.
#[derive(Debug)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Whether no page had all the words, so that any of them counted.
    pub relaxed: bool,
    /// Whether there are more hits after these.
    pub more: bool,
    /// By what the pages were found, where that is not what was asked for.
    pub mode: Mode,
    /// What a person should know about the answer.
    pub notes: Vec<String>,
}

struct Ranked {
    page: PageNo,
    score: f64,
    why: Vec<String>,
    /// The chunk that meaning led to.
    chunk: Option<ChunkRow>,
    /// Whether a link or a fact led to it.
    answers: bool,
    /// The line that answers, where one was found by itself.
    line: Option<u32>,
}

/// Answers a request from the index, and reads the passages from the vault.
pub fn search(memory: &Memory, request: &SearchRequest) -> Result<SearchResult> {
    let prepared = prepare(&request.text);
    if let Some(kind) = request.kind.filter(|kind| *kind != HitKind::Page) {
        return search_lines(memory, request, &prepared, kind);
    }
    let needed = request.offset + request.limit + 1;
    // Of pages that speak of the words only at a later time some are left out, so that more are looked at.
    let pool = if request.as_of.is_some() { needed * 2 + LATER } else { needed };
    let found = hybrid::rank(memory, request, &prepared, pool)?;
    let chunks = request.mode != Mode::Words;
    let reading = reading::Reading { memory, query: &prepared, as_of: request.as_of, chunks };
    let (hits, more) = match request.as_of {
        None => {
            let more = found.ranked.len() >= needed;
            let window = found.ranked.into_iter().skip(request.offset).take(request.limit);
            (reading.hits(window.collect())?, more)
        }
        Some(_) => {
            let hits = reading.hits(found.ranked)?;
            let more = hits.len() >= needed;
            (hits.into_iter().skip(request.offset).take(request.limit).collect(), more)
        }
    };
    Ok(SearchResult { hits, relaxed: found.relaxed, more, mode: found.mode, notes: found.notes })
}
