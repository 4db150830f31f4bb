//! Search: exact names first, then full text and embeddings; each hit has its reasons and an excerpt.

mod as_of;
mod expand;
mod expression;
mod fields;
mod full_text;
mod fusion;
mod hybrid;
mod lines;
mod passage;
mod reading;
mod relation_search;
mod relational;
mod retrievers;
mod signals;

use lore_page::LineRange;
use lore_ports::{ChunkRow, Filter, PageNo, PageRow, read_transaction};
use lore_text::{ContentHash, PartialDate};
use tracing::field::Empty;
use tracing::info_span;

use crate::context::VaultContext;
use crate::error::Result;
use crate::note::Note;

pub use expand::{Budget, Budgeted, Depth, ExpandedHit, expand};
pub use expression::{Prepared, prepare};
pub use fields::{FieldHit, search_fields, updated};
pub use full_text::{WEIGHTS, full_text};
pub use fusion::Fusion;
pub(crate) use reading::lines_of;
pub use signals::Signals;

use lines::search_lines;

/// Number of additional candidates for a search as of a date.
const LATER: usize = 20;

/// How pages are retrieved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Pages with all the words, else with some of them: what `search` promises.
    #[default]
    Words,
    /// Any of the content words, ranked by how rare they are: suits questions.
    Lexical,
    /// By embedding similarity.
    Semantic,
    /// Both.
    Hybrid,
}

/// A search request.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// The query as typed.
    pub text: String,
    /// How pages are retrieved.
    pub mode: Mode,
    /// How lexical and semantic results are combined.
    pub fusion: Fusion,
    /// Which ranking signals are enabled.
    pub signals: Signals,
    /// Which pages to search.
    pub filter: Filter,
    /// Return structured lines of this kind instead of pages.
    pub kind: Option<HitKind>,
    /// The day, month or year as of which relations are evaluated, if not today. Anything dated later is ignored.
    pub as_of: Option<PartialDate>,
    /// Maximum number of hits.
    pub limit: usize,
    /// Number of hits to skip.
    pub offset: usize,
}

/// The kind of a hit.
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

/// A matching page, or a line of one.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The page.
    pub page: PageRow,
    /// The reasons for the match, strongest first.
    pub why: Vec<String>,
    /// Whether a link or a fact makes it an answer to the question.
    pub answers: bool,
    /// The score; comparable within one result only.
    pub score: f64,
    /// The excerpt to show.
    pub excerpt: Option<Excerpt>,
    /// The chunk that contains the excerpt. Not set in [`Mode::Words`].
    pub chunk: Option<ChunkRow>,
    /// The file as read for the excerpt, if it is not too long to keep.
    pub(crate) text: Option<String>,
}

/// A passage with what is needed to verify it later.
#[derive(Debug, Clone)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: LineRange,
    /// Hash of the file it was read from.
    pub hash: ContentHash,
}

/// A search result.
#[derive(Debug)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Whether no page had all the words, so that any of them matched.
    pub relaxed: bool,
    /// Whether there are more hits after these.
    pub more: bool,
    /// How the pages were retrieved, which may differ from the request.
    pub mode: Mode,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

struct Ranked {
    page: PageNo,
    score: f64,
    why: Vec<String>,
    /// The best chunk by embedding.
    chunk: Option<ChunkRow>,
    /// Whether a link or a fact led to it.
    answers: bool,
    /// The line that answers the question, if there is a single one.
    line: Option<u32>,
}

/// Runs a search in the index and reads the excerpts from the vault.
pub fn search(context: &VaultContext, request: &SearchRequest) -> Result<SearchResult> {
    let prepared = prepare(&request.text);
    if let Some(kind) = request.kind.filter(|kind| *kind != HitKind::Page) {
        return search_lines(context, request, &prepared, kind);
    }
    let needed = request.offset + request.limit + 1;
    // Pages that mention the words only at a later date are dropped, so more candidates are needed.
    let pool = if request.as_of.is_some() { needed * 2 + LATER } else { needed };
    let found = hybrid::rank(context, request, &prepared, pool)?;
    let chunks = request.mode != Mode::Words;
    let reading = reading::Reading { context, query: &prepared, as_of: request.as_of, chunks };
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

impl VaultContext {
    /// Searches the vault.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResult> {
        let span =
            info_span!("search", mode = ?request.mode, limit = request.limit, hits = Empty, more = Empty)
                .entered();
        let result = read_transaction(self.store(), || search(self, request))?;
        span.record("hits", result.hits.len()).record("more", result.more);
        Ok(result)
    }
}
