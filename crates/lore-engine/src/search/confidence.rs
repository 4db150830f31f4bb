//! Confidence: how well pages answer a question, from 0 to 1. Unlike a score, it is comparable across questions.
//!
//! It is a logistic function of a few features, fitted on questions that were asked where their answers are and where
//! they are not (`lore eval --paired`): how much of the question the best passage covers, how far the best page stands
//! out from the eleventh by its words, and how similar the nearest chunk is.

mod coverage;
mod features;

use lore_ports::{Expression, PageNo};
use lore_text::is_content_word;
use lore_vault::decode;
use tracing::debug;

use super::expression::{Prepared, Term};
use super::request::{Mode, SearchRequest};
use super::result::{AnswerQuality, Hit, SearchResult, Verdict};
use super::retrieve::Retrieved;
use super::vocabulary::Vocabulary;
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::note::Note;

use coverage::{Coverage, Question, coverage};
use features::Features;

/// Confidence in an answer from a link or a fact, and in a page that the question names.
const CERTAIN: f64 = 1.0;

/// Confidence in the hits of a query without content words, and at least that of a long text.
const UNKNOWN: f64 = 0.3;

/// A longer query, in bytes, is a text rather than a question: no passage covers it.
const LONG: usize = 1000;

/// How far the best page stands out by its words in a search by embedding, which does not look at words.
const UNKNOWN_WORDS: f64 = 0.15;

/// A vault with fewer pages is small.
const SMALL_VAULT: f64 = 100.0;

/// Number of hits whose words are compared with those of the question; others must have the words themselves.
const COMPARED: usize = 5;

/// Number of hits whose pages are read; others are judged by their excerpts.
const READ: usize = 30;

/// Number of titles that are given instead of hits that do not answer.
const NEAREST: usize = 3;

/// The rank of the page that the best one is compared with.
const BACKGROUND: usize = 10;

/// The largest score of a term in BM25, with the usual parameter k1 = 1.2, divided by the weight of the term.
const BM25_LIMIT: f64 = 2.2;

/// Scores of the retrievers, taken before they are fused.
#[derive(Debug, Default)]
pub(super) struct Scores {
    words: Scale,
    similarity: Scale,
    /// Whether a static model embedded them: other models have other scales.
    is_static: bool,
}

/// Scores of one retriever.
#[derive(Debug, Default)]
struct Scale {
    scores: Vec<(PageNo, f64)>,
    /// The best score.
    best: f64,
    /// The score of the eleventh page: what a page reaches that is not an answer.
    background: f64,
}

impl Scores {
    /// Returns the scores of what was retrieved.
    pub(super) fn new(context: &VaultContext, found: &Retrieved) -> Scores {
        let near = found.near.iter().map(|hit| (hit.chunk.page, f64::from(hit.similarity)));
        Scores {
            words: Scale::new(found.words.clone()),
            similarity: Scale::new(near.collect()),
            is_static: found.model.as_ref().is_some_and(|name| context.models().is_instant(name)),
        }
    }

    /// Whether a static model embedded the pages.
    pub(super) fn is_static(&self) -> bool {
        self.is_static
    }

    /// Returns the score of a page by its words.
    pub(super) fn by_words(&self, page: PageNo) -> f64 {
        self.words.of(page)
    }

    /// Returns a similarity as a feature.
    fn similarity(&self, value: f64) -> Option<f64> {
        (self.is_static && !self.similarity.scores.is_empty()).then_some(value)
    }
}

impl Scale {
    fn new(scores: Vec<(PageNo, f64)>) -> Scale {
        let mut sorted: Vec<f64> = scores.iter().map(|(_, score)| *score).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let at = |rank: usize| sorted.get(rank).copied().unwrap_or_default();
        Scale { best: at(0), background: at(BACKGROUND), scores }
    }

    /// Returns the score of a page; the background if it was not retrieved.
    fn of(&self, page: PageNo) -> f64 {
        self.scores.iter().find(|(known, _)| *known == page).map_or(self.background, |(_, score)| *score)
    }
}

/// Judges the hits of a result and the whole, and leaves out hits that do not answer. A failure is only a note, so that
/// the hits are still returned.
pub(super) fn judge(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    vocabulary: Option<&Vocabulary<'_>>,
    scores: &Scores,
    result: &mut SearchResult,
) {
    let confidence = match judged(context, request, query, vocabulary, scores, &mut result.hits) {
        Ok(confidence) => confidence,
        Err(error) => {
            let note = format!("cannot judge how well this was answered: {error}");
            return result.notes.push(Note::Remark(note));
        }
    };
    // Pages that match as asked are shown, however little can be read of them: all words of a full-text search, or what
    // its operators select.
    let matches_as_asked = !result.hits.is_empty()
        && result.mode == Mode::Words
        && (!result.relaxed || has_operators(&request.text));
    let confidence = if matches_as_asked { confidence.max(Verdict::NOTHING) } else { confidence };
    let best = result.hits.iter().find(|hit| hit.answers).or(result.hits.first());
    let page = best.map(|hit| hit.page.clone());
    let mut quality =
        AnswerQuality { confidence, verdict: Verdict::of(confidence), page, nearest: Vec::new() };
    // The hits of a later page of results are what is left of an answer that was given.
    if quality.verdict == Verdict::Nothing && !request.all && request.offset == 0 {
        quality.nearest = result.hits.iter().take(NEAREST).map(|hit| hit.page.clone()).collect();
        result.hits.clear();
        result.more = false;
    }
    result.quality = Some(quality);
}

/// Whether a query says itself what it matches.
fn has_operators(text: &str) -> bool {
    text.contains('"') || text.split_whitespace().any(|word| matches!(word, "AND" | "OR" | "NOT"))
}

/// Sets the confidence of each hit and returns that of the whole result.
fn judged(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    vocabulary: Option<&Vocabulary<'_>>,
    scores: &Scores,
    hits: &mut [Hit],
) -> Result<f64> {
    if hits.is_empty() {
        debug!(soft = 0.0, "confidence");
        return Ok(0.0);
    }
    let is_name = matches!(context.find(&request.text), Ok(Some(_)) | Err(Error::Ambiguous { .. }));
    let terms = Term::all(query);
    if !query.terms.iter().any(|term| is_content_word(term)) {
        debug!(soft = 1.0, "confidence");
        hits.iter_mut().for_each(|hit| hit.confidence = Some(if hit.named { CERTAIN } else { UNKNOWN }));
        return Ok(if is_name { CERTAIN } else { UNKNOWN });
    }
    let TermWeights { weights, pages } = term_weights(context, query)?;
    let small = (1.0 - pages as f64 / SMALL_VAULT).max(0.0);
    let limit = BM25_LIMIT * weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let stands_out = |score: f64| match request.mode {
        Mode::Semantic => UNKNOWN_WORDS,
        _ => (score - scores.words.background) / limit,
    };
    let compares_words = vocabulary.is_some();
    let question = Question { terms: &terms, weights: &weights, vocabulary };
    let by_words = Question { vocabulary: None, ..question };
    let mut total = Coverage::default();
    for (at, hit) in hits.iter_mut().enumerate() {
        let page = hit.page.number;
        let own = match at {
            0..COMPARED => passage_coverage(context, &question, hit),
            COMPARED..READ => passage_coverage(context, &by_words, hit),
            _ => {
                let excerpt = hit.excerpt.as_ref().map_or("", |excerpt| excerpt.text.as_str());
                coverage(&by_words, &hit.page.title, excerpt)
            }
        };
        let compares_words = compares_words && at < COMPARED;
        let features = Features {
            coverage: own,
            words: stands_out(scores.words.of(page)),
            similarity: scores.similarity(scores.similarity.of(page)),
            small,
            compares_words,
        };
        let is_certain = hit.answers || hit.named;
        hit.confidence = Some(if is_certain { CERTAIN } else { features.confidence() });
        total = total.max(own);
    }
    let whole = Features {
        coverage: total,
        words: stands_out(scores.words.best),
        similarity: scores.similarity(scores.similarity.best),
        small,
        compares_words,
    };
    debug!(
        soft = total.soft,
        exact = total.exact,
        words = whole.words,
        similarity = scores.similarity.best,
        background = scores.similarity.background,
        terms = weights.len(),
        "confidence"
    );
    // A page that was found by what it supersedes answers as well as that.
    let best = hits.iter().filter_map(|hit| hit.confidence).fold(0.0, f64::max);
    hits.iter_mut().filter(|hit| hit.successor).for_each(|hit| hit.confidence = Some(best));
    let is_certain = is_name || hits.iter().any(|hit| hit.answers || hit.named);
    let least = if request.text.len() > LONG { UNKNOWN } else { 0.0 };
    Ok(if is_certain { CERTAIN } else { whole.confidence().max(least) })
}

fn passage_coverage(context: &VaultContext, question: &Question<'_>, hit: &Hit) -> Coverage {
    let read = || {
        let file = context.vault().read(&hit.page.path, u64::MAX).ok().flatten()?;
        Some(decode(&file.bytes).text.into_owned())
    };
    let text = hit.text.is_none().then(read).flatten();
    let text = hit.text.as_deref().or(text.as_deref()).unwrap_or_default();
    coverage(question, &hit.page.title, text)
}

/// The weights of the terms of a query.
pub(super) struct TermWeights {
    pub weights: Vec<f64>,
    /// Number of pages of the vault.
    pub pages: u64,
}

/// In a vault of fewer pages, how many of them have a word tells nothing about it.
const FEW: u64 = 20;

/// Returns the best score by words as a share of the highest possible one; 1 in a vault of few pages.
pub(super) fn best_by_words(
    context: &VaultContext,
    query: &Prepared,
    found: &[(PageNo, f64)],
) -> Result<f64> {
    let terms = term_weights(context, query)?;
    if terms.pages < FEW {
        return Ok(1.0);
    }
    let highest = BM25_LIMIT * terms.weights.iter().sum::<f64>();
    let best = found.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    Ok(if highest > 0.0 { best / highest } else { 1.0 })
}

/// Returns the weight of each term of a query: the fewer pages contain it, the more it says about one of them.
pub(super) fn term_weights(context: &VaultContext, query: &Prepared) -> Result<TermWeights> {
    let terms: Vec<Expression> = query.terms.iter().map(|term| Expression::Phrase(term.clone())).collect();
    let found = super::retrieve::term_frequencies(context, &terms)?;
    let weight = |count: &u64| {
        let (all, with) = (found.pages as f64, *count as f64);
        (1.0 + (all - with + 0.5).max(0.5) / (with + 0.5)).ln()
    };
    Ok(TermWeights { weights: found.counts.iter().map(weight).collect(), pages: found.pages })
}
