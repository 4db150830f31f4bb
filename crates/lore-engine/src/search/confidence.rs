//! Confidence: how well a page answers a question, from 0 to 1. Unlike a score, it is comparable across questions.
//!
//! It is a logistic function of four features, fitted on questions that were asked where their answers are and where
//! they are not (`lore eval --paired`): how much of the question the best passage covers, and how far the best page stands
//! out from the eleventh, by words and by embedding.

mod coverage;

use lore_ports::{Embedder, Expression, PageNo};
use tracing::debug;

use super::expression::{Prepared, Term};
use super::result::{AnswerQuality, Hit, SearchResult, Verdict};
use super::retrieve::Retrieved;
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::note::Note;

use coverage::{Coverage, Question, coverage};

/// Confidence in an answer from a link or a fact, and in a page that the question names.
const CERTAIN: f64 = 1.0;

/// Number of hits whose passages are compared with the question.
const JUDGED: usize = 5;

/// The rank of the page that the best one is compared with.
const BACKGROUND: usize = 10;

/// The largest score of a term in BM25, with the usual parameter k1 = 1.2, divided by the weight of the term.
const BM25_LIMIT: f64 = 2.2;

/// Scores of the retrievers, taken before they are fused.
#[derive(Debug, Default)]
pub(super) struct Scores {
    words: Scale,
    similarity: Scale,
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
    pub(super) fn new(found: &Retrieved) -> Scores {
        let near = found.near.iter().map(|hit| (hit.chunk.page, f64::from(hit.similarity)));
        Scores { words: Scale::new(found.words.clone()), similarity: Scale::new(near.collect()) }
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

/// What a confidence is computed from.
#[derive(Debug, Clone, Copy)]
struct Features {
    coverage: Coverage,
    /// How far the score by words is above the background, as a share of the highest possible score.
    words: f64,
    /// The similarity of the nearest chunk, if the static model embedded it: other models have other scales.
    similarity: Option<f64>,
    /// Whether similar words were compared, so that `coverage.soft` is more than `coverage.exact`.
    compares_words: bool,
}

impl Features {
    /// Returns the confidence. The weights were fitted on eight deals of six sets; each set was judged by the weights of
    /// the others.
    fn confidence(&self) -> f64 {
        let Coverage { soft, exact } = self.coverage;
        let z = match self.similarity {
            Some(nearest) if self.compares_words => -5.12 + 5.46 * soft + 3.43 * self.words + 2.03 * nearest,
            _ if self.compares_words => -4.60 + 6.14 * soft + 3.60 * self.words,
            _ => -2.89 + 4.52 * exact + 4.18 * self.words,
        };
        1.0 / (1.0 + (-z).exp())
    }
}

/// Judges the hits of a result and the whole. A question without content words is not judged; a failure is only a note,
/// so that the hits are still returned.
pub(super) fn judge(context: &VaultContext, query: &Prepared, text: &str, scores: &Scores, result: &mut SearchResult) {
    if query.terms.is_empty() {
        return;
    }
    match judged(context, query, text, scores, &mut result.hits) {
        Ok(confidence) => {
            let best = result.hits.iter().find(|hit| hit.answers).or(result.hits.first());
            let page = best.map(|hit| hit.page.clone());
            result.quality = Some(AnswerQuality { confidence, verdict: Verdict::of(confidence), page });
        }
        Err(error) => {
            let note = format!("cannot judge how well this was answered: {error}");
            result.notes.push(Note::Remark(note));
        }
    }
}

/// Sets the confidence of each hit and returns that of the whole result.
fn judged(
    context: &VaultContext,
    query: &Prepared,
    text: &str,
    scores: &Scores,
    hits: &mut [Hit],
) -> Result<f64> {
    let is_name = matches!(context.find(text), Ok(Some(_)) | Err(Error::Ambiguous { .. }));
    let weights = term_weights(context, query)?;
    let limit = BM25_LIMIT * weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let embedder = context.models().words();
    let embedder = embedder.as_deref().filter(|embedder| embedder.reads(text));
    let question = Question { terms: &Term::all(query), weights: &weights, embedder };
    let gap = |score: f64, scale: &Scale| score - scale.background;
    let has_vectors = !scores.similarity.scores.is_empty();
    let mut total = Coverage::default();
    for hit in hits.iter_mut().take(JUDGED) {
        let own = passage_coverage(&question, hit);
        total = total.max(own);
        let page = hit.page.number;
        let features = Features {
            coverage: own,
            words: gap(scores.words.of(page), &scores.words) / limit,
            similarity: has_vectors.then(|| scores.similarity.of(page)),
            compares_words: embedder.is_some(),
        };
        hit.confidence = Some(if hit.answers { CERTAIN } else { features.confidence() });
    }
    let whole = Features {
        coverage: total,
        words: gap(scores.words.best, &scores.words) / limit,
        similarity: has_vectors.then_some(scores.similarity.best),
        compares_words: embedder.is_some(),
    };
    debug!(
        soft = total.soft,
        exact = total.exact,
        words = whole.words,
        best = scores.words.best / limit,
        similarity = whole.similarity,
        nearest = scores.similarity.best,
        terms = weights.len(),
        "confidence"
    );
    match hits.iter().any(|hit| hit.answers) || is_name && !hits.is_empty() {
        true => Ok(CERTAIN),
        false if hits.is_empty() => Ok(0.0),
        false => Ok(whole.confidence()),
    }
}

fn passage_coverage(question: &Question<'_>, hit: &Hit) -> Coverage {
    let excerpt = hit.excerpt.as_ref().map_or("", |excerpt| excerpt.text.as_str());
    coverage(question, &hit.page.title, hit.text.as_deref().unwrap_or(excerpt))
}

/// Returns the weight of each term of a query: the fewer pages contain it, the more it says about one of them.
fn term_weights(context: &VaultContext, query: &Prepared) -> Result<Vec<f64>> {
    let terms: Vec<Expression> = query.terms.iter().map(|term| Expression::Phrase(term.clone())).collect();
    let found = super::retrieve::term_frequencies(context, &terms)?;
    let weight = |count: &u64| {
        let (all, with) = (found.pages as f64, *count as f64);
        (1.0 + (all - with + 0.5).max(0.5) / (with + 0.5)).ln()
    };
    Ok(found.counts.iter().map(weight).collect())
}
