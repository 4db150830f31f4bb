//! Search: one pipeline for every caller. Its stages are the modules:
//!
//! 1. `expression` parses the query;
//! 2. `retrieve` finds candidates by name, by relation or fact, by words, by embedding, by field, or line by line;
//! 3. `fuse` combines the lists into one ranking;
//! 4. `signals` raise pages in it;
//! 5. `lifecycle` puts what holds on the day asked for first, and adds each page's state and its warnings;
//! 6. `confidence` judges how well the hits answer, and leaves them out if they do not;
//! 7. `excerpts` reads the matching passages, then as much content as the token budget allows.
//!
//! Passages are read before the states, because a page that matches only in text dated after the requested day drops
//! out there. Callers build a [`SearchRequest`] and show the [`SearchResult`]; they decide nothing themselves.

mod ambiguity;
mod confidence;
mod excerpts;
mod explain;
mod expression;
mod fuse;
mod lifecycle;
mod nearest;
mod page_date;
mod passages;
mod request;
mod result;
mod retrieve;
mod signals;
mod vocabulary;
mod within;

use lore_ports::read_transaction;
use tracing::field::Empty;
use tracing::info_span;

use crate::context::VaultContext;
use crate::error::Result;

use confidence::Scores;
use fuse::Ranked;
use vocabulary::Vocabulary;

pub use excerpts::{page_body, page_terms};
pub use expression::{Prepared, prepare};
pub use fuse::Fusion;
pub use nearest::{ChunkHit, VectorQuery, nearest, page_vectors};
pub use page_date::{PageDate, page_date};
pub use request::{Budget, Depth, HitKind, MAX_HITS, Mode, SearchRequest};
pub use result::{AnswerQuality, Content, Excerpt, Hit, Passage, SearchResult, Spent, Verdict};
pub use retrieve::{WEIGHTS, full_text, page_similarity, updated};
pub use signals::{Signals, is_transcript};
pub use within::Within;

/// Additional candidates, besides twice the number wanted: pages drop out of a search as of a date, and pages that no
/// longer hold make room for others.
const MORE_CANDIDATES: usize = 20;

/// Minimum number of pages whose lines compete for a place in an answer with a token budget.
const CANDIDATES: usize = 30;

/// The same for a question that names a day, and for one that is restricted to a period or a participant.
const DATED_CANDIDATES: usize = 120;

/// Searches a vault: the index for pages, the files for excerpts.
pub fn search(context: &VaultContext, request: &SearchRequest) -> Result<SearchResult> {
    let span = info_span!("search", mode = ?request.mode, limit = request.limit, hits = Empty, more = Empty)
        .entered();
    let result = read_transaction(context.store(), || run(context, request))?;
    span.record("hits", result.hits.len()).record("more", result.more);
    Ok(result)
}

fn run(context: &VaultContext, request: &SearchRequest) -> Result<SearchResult> {
    let query = Prepared { languages: retrieve::languages(context)?, ..prepare(&request.text) };
    let embed = vocabulary::word_embedder(context);
    let vocabulary = Vocabulary::new(expression::Term::all(&query), &embed);
    let vocabulary = vocabulary.as_ref();
    let mut scores = Scores::default();
    let mut result = match request.kind {
        _ if request.mode == Mode::Fields => fields(context, request, &query, &mut scores)?,
        None | Some(HitKind::Page) => pages(context, request, &query, vocabulary, &mut scores)?,
        Some(kind) => lines(context, request, &query, kind)?,
    };
    lifecycle::add_states(context, request, &mut result.hits)?;
    if request.judge {
        confidence::judge(context, request, &query, vocabulary, &scores, &mut result);
    }
    if let Some(budget) = &request.budget {
        excerpts::fit(context, request, &query, &mut result, budget)?;
    }
    Ok(result)
}

fn pages(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    vocabulary: Option<&Vocabulary<'_>>,
    scores: &mut Scores,
) -> Result<SearchResult> {
    let limit = match request.budget {
        _ if !request.within.is_everything() => request.limit.max(DATED_CANDIDATES),
        Some(_) if !expression::days_in(&request.text).0.is_empty() => request.limit.max(DATED_CANDIDATES),
        Some(_) if request.offset == 0 => request.limit.max(CANDIDATES),
        _ => request.limit,
    };
    let needed = request.offset + limit + 1;
    let pool = needed * 2 + MORE_CANDIDATES;
    let found = retrieve::retrieve(context, request, query, pool)?;
    *scores = Scores::new(context, &found);
    let best = match found.mode {
        Mode::Hybrid => confidence::best_by_words(context, query, &found.words)?,
        _ => 1.0,
    };
    let fusion = request.fusion.of_model(scores.is_static(), best);
    let mut ranking = fuse::combine(fusion, &found, pool + found.first.len());
    let found_by = signals::FoundBy { vocabulary, query };
    signals::apply(context, request, &found_by, &mut ranking)?;
    ranking.explain = request.explain;
    let (mode, relaxed, mut notes) = (found.mode, found.relaxed, found.notes.clone());
    notes.extend(ambiguity::notes(context, request)?);
    let ranked = lifecycle::rank(context, request, fuse::merge(found, ranking))?;
    let chunks = mode != Mode::Words && request.budget.is_none();
    let (mut hits, more) = window(&reading(context, request, query, chunks), request, ranked, limit)?;
    if !request.within.is_everything() {
        hits.retain(|hit| excerpts::is_within(context, hit, &request.within));
        hits.truncate(if request.budget.is_some() { limit } else { request.limit });
    }
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

fn fields(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    scores: &mut Scores,
) -> Result<SearchResult> {
    let mut found = retrieve::by_fields(context, request, query)?;
    if request.judge && !found.is_empty() {
        *scores = beside_fields(context, request, query)?;
        // Pages with the same fields and the same date come by their words rather than by the time of a checkout.
        let words = |hit: &Hit| scores.by_words(hit.page.number);
        found.sort_by(|a, b| {
            let newer = || retrieve::updated(&b.page).cmp(&retrieve::updated(&a.page));
            b.score.total_cmp(&a.score).then_with(newer).then_with(|| words(b).total_cmp(&words(a)))
        });
    }
    let ranked = found.into_iter().map(|hit| Ranked::new(hit.page.number, hit.score, hit.why)).collect();
    let ranked = lifecycle::rank(context, request, ranked)?;
    let limit = match request.within.is_everything() {
        true => request.limit,
        false => ranked.len(),
    };
    let (mut hits, mut more) = window(&reading(context, request, query, false), request, ranked, limit)?;
    if !request.within.is_everything() {
        hits.retain(|hit| excerpts::is_within(context, hit, &request.within));
        more = hits.len() > request.limit;
        hits.truncate(request.limit);
    }
    Ok(SearchResult { hits, more, mode: Mode::Fields, ..SearchResult::default() })
}

/// Returns scores by words and by embedding, from which the confidence in pages follows: fields tell nothing about
/// it. A model that takes its time is not asked.
fn beside_fields(context: &VaultContext, request: &SearchRequest, query: &Prepared) -> Result<Scores> {
    let is_instant = |name: &str| context.models().is_instant(name);
    let embeds = context.answering_model()?.is_some_and(|model| is_instant(&model.identity.name));
    let mode = if embeds { Mode::Hybrid } else { Mode::Lexical };
    let beside = SearchRequest { mode, signals: Signals::NONE, ..request.clone() };
    Ok(Scores::new(context, &retrieve::retrieve(context, &beside, query, request.offset + request.limit)?))
}

fn reading<'a>(
    context: &'a VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    chunks: bool,
) -> excerpts::Reading<'a> {
    excerpts::Reading {
        context,
        terms: expression::Term::all(query),
        as_of: request.as_of,
        chunks,
        passages: request.budget.is_none(),
    }
}

/// Reads the requested window of a ranking, and returns whether there is more behind it. As of a date, pages drop out
/// only when they are read.
fn window(
    reading: &excerpts::Reading<'_>,
    request: &SearchRequest,
    ranked: Vec<Ranked>,
    limit: usize,
) -> Result<(Vec<Hit>, bool)> {
    let end = request.offset + limit;
    if request.as_of.is_none() {
        let more = ranked.len() > end;
        let window = ranked.into_iter().skip(request.offset).take(limit);
        return Ok((reading.hits(window.collect())?, more));
    }
    let hits = reading.hits(ranked)?;
    let more = hits.len() > end;
    Ok((hits.into_iter().skip(request.offset).take(limit).collect(), more))
}
