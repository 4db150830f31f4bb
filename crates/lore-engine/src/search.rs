//! Search: one pipeline for every caller. Its stages are the modules:
//!
//! 1. `expression` parses the query;
//! 2. `retrieve` finds candidates by name, by relation or fact, by words, by embedding, by field, or line by line;
//! 3. `fuse` combines the lists into one ranking;
//! 4. `signals` raise pages in it;
//! 5. `lifecycle` adds each page's state and its warnings;
//! 6. `confidence` judges how well the best hit answers;
//! 7. `excerpts` reads the matching passages, then as much content as the token budget allows.
//!
//! Passages are read before the states, because a page that matches only in text dated after the requested day drops
//! out there. Callers build a [`SearchRequest`] and show the [`SearchResult`]; they decide nothing themselves.

mod confidence;
mod excerpts;
mod expression;
mod fuse;
mod lifecycle;
mod nearest;
mod request;
mod result;
mod retrieve;
mod signals;

use lore_ports::read_transaction;
use tracing::field::Empty;
use tracing::info_span;

use crate::context::VaultContext;
use crate::error::Result;

use confidence::Scores;

pub use excerpts::{page_body, page_terms};
pub use expression::{Prepared, prepare};
pub use fuse::Fusion;
pub use nearest::{ChunkHit, VectorQuery, nearest, page_vectors};
pub use request::{Budget, Depth, HitKind, MAX_HITS, Mode, SearchRequest};
pub use result::{AnswerQuality, Content, Excerpt, Hit, SearchResult, Spent, Verdict};
pub use retrieve::{WEIGHTS, full_text, page_similarity, updated};
pub use signals::Signals;

/// Additional candidates for a search as of a date, besides twice the number wanted: some of them drop out.
const AS_OF_POOL: usize = 20;

/// Searches a vault: the index for pages, the files for excerpts.
pub fn search(context: &VaultContext, request: &SearchRequest) -> Result<SearchResult> {
    let span = info_span!("search", mode = ?request.mode, limit = request.limit, hits = Empty, more = Empty)
        .entered();
    let result = read_transaction(context.store(), || run(context, request))?;
    span.record("hits", result.hits.len()).record("more", result.more);
    Ok(result)
}

fn run(context: &VaultContext, request: &SearchRequest) -> Result<SearchResult> {
    let query = prepare(&request.text);
    let mut scores = Scores::default();
    let mut result = match request.kind {
        _ if request.mode == Mode::Fields => fields(context, request, &query)?,
        None | Some(HitKind::Page) => pages(context, request, &query, &mut scores)?,
        Some(kind) => lines(context, request, &query, kind)?,
    };
    lifecycle::add_states(context, &mut result.hits)?;
    if request.judge {
        confidence::judge(context, &query, &request.text, &scores, &mut result);
    }
    if let Some(budget) = &request.budget {
        excerpts::fit(context, &mut result, budget);
    }
    Ok(result)
}

fn pages(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    scores: &mut Scores,
) -> Result<SearchResult> {
    let needed = request.offset + request.limit + 1;
    let pool = if request.as_of.is_some() { needed * 2 + AS_OF_POOL } else { needed };
    let found = retrieve::retrieve(context, request, query, pool)?;
    *scores = Scores::new(&found);
    let mut ranking = fuse::combine(request.fusion, &found, pool + found.first.len());
    signals::apply(context, request, query, &mut ranking)?;
    let (mode, relaxed, notes) = (found.mode, found.relaxed, found.notes.clone());
    let ranked = fuse::merge(found, ranking);
    let reading = excerpts::Reading {
        context,
        terms: expression::Term::all(query),
        as_of: request.as_of,
        chunks: mode != Mode::Words,
    };
    let (hits, more) = match request.as_of {
        None => {
            let more = ranked.len() >= needed;
            let window = ranked.into_iter().skip(request.offset).take(request.limit);
            (reading.hits(window.collect())?, more)
        }
        Some(_) => {
            let hits = reading.hits(ranked)?;
            let more = hits.len() >= needed;
            (hits.into_iter().skip(request.offset).take(request.limit).collect(), more)
        }
    };
    Ok(SearchResult { hits, relaxed, more, mode, notes, ..SearchResult::default() })
}

fn lines(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    kind: HitKind,
) -> Result<SearchResult> {
    let found = retrieve::lines(context, request, query, kind)?;
    let more = found.lines.len() > request.offset + request.limit;
    let window = found.lines.into_iter().skip(request.offset).take(request.limit);
    let hits = excerpts::read_lines(context, window)?;
    Ok(SearchResult { hits, relaxed: !found.complete, more, ..SearchResult::default() })
}

fn fields(context: &VaultContext, request: &SearchRequest, query: &Prepared) -> Result<SearchResult> {
    let hits = retrieve::by_fields(context, request, query)?;
    let more = hits.len() > request.offset + request.limit;
    let hits = hits.into_iter().skip(request.offset).take(request.limit).collect();
    Ok(SearchResult { hits, more, mode: Mode::Fields, ..SearchResult::default() })
}
