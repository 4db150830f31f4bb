//! Ranks sentences by centrality: how many others share their terms, weighted by position, age and cue words.

use std::collections::{BTreeSet, HashMap};

use lore_text::terms;

/// Maximum number of sentences that are compared with each other; each page contributes its first ones.
const MAX_SENTENCES: usize = 800;

/// Minimum number of terms of a useful sentence.
const MIN_TERMS: usize = 3;

/// Share of a sentence's score that comes from its neighbours.
const DAMPING: f64 = 0.85;

/// Number of iterations after which the scores have practically converged.
const ROUNDS: usize = 20;

/// Cue words for decisions, reasons and the current state.
const CUES: [&str; 20] = [
    "decid",
    "decision",
    "agreed",
    "chose",
    "because",
    "therefore",
    "reason",
    "must",
    "never",
    "always",
    "now",
    "current",
    "instead",
    "learned",
    "lesson",
    "prefer",
    "reject",
    "require",
    "conclusion",
    "result",
];

/// A sentence of a page.
#[derive(Debug, Clone)]
pub(super) struct RankedSentence {
    /// Index of the page among the sources.
    pub source: usize,
    /// Position on the page.
    pub order: usize,
    /// Text.
    pub text: String,
    /// Terms.
    pub terms: BTreeSet<String>,
    weight: f64,
}

impl RankedSentence {
    /// Creates a sentence weighted by the age of its page.
    pub(super) fn new(source: usize, order: usize, text: String, age: f64) -> RankedSentence {
        let lower = text.to_lowercase();
        let cue = if CUES.iter().any(|cue| lower.contains(cue)) { 1.25 } else { 1.0 };
        let first = 1.0 + 0.4 / (1.0 + order as f64);
        let terms = terms(&text);
        RankedSentence { source, order, text, terms, weight: age * cue * first }
    }
}

/// Returns the useful sentences, most important first.
pub(super) fn ranked(mut sentences: Vec<RankedSentence>) -> Vec<RankedSentence> {
    let pages: BTreeSet<usize> = sentences.iter().map(|sentence| sentence.source).collect();
    let is_useful = |sentence: &RankedSentence| sentence.terms.len() >= MIN_TERMS;
    let with_useful: BTreeSet<usize> =
        sentences.iter().filter(|sentence| is_useful(sentence)).map(|sentence| sentence.source).collect();
    // A page without longer sentences contributes its short ones.
    sentences.retain(|sentence| is_useful(sentence) || !with_useful.contains(&sentence.source));
    let each = MAX_SENTENCES / pages.len().max(1);
    sentences.retain(|sentence| sentence.order < each);
    let scores = centrality(&sentences);
    let mut scored: Vec<(f64, RankedSentence)> =
        scores.into_iter().zip(sentences).map(|(score, one)| (score * one.weight, one)).collect();
    scored.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then(one.source.cmp(&other.source)).then(one.order.cmp(&other.order))
    });
    scored.into_iter().map(|(_, sentence)| sentence).collect()
}

/// Returns the centrality of each sentence: scores flow along shared terms, as in PageRank.
fn centrality(sentences: &[RankedSentence]) -> Vec<f64> {
    let neighbours = neighbours(sentences);
    let sums: Vec<f64> = neighbours.iter().map(|own| own.iter().map(|(_, shared)| shared).sum()).collect();
    let mut scores = vec![1.0; sentences.len()];
    for _ in 0..ROUNDS {
        let flow = |own: &Vec<(usize, f64)>| -> f64 {
            own.iter().map(|(other, shared)| shared / sums[*other] * scores[*other]).sum()
        };
        scores = neighbours.iter().map(|own| 1.0 - DAMPING + DAMPING * flow(own)).collect();
    }
    scores
}

/// Returns, for each sentence, those it shares terms with and the overlap normalized by length.
fn neighbours(sentences: &[RankedSentence]) -> Vec<Vec<(usize, f64)>> {
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, sentence) in sentences.iter().enumerate() {
        sentence.terms.iter().for_each(|term| holders.entry(term).or_default().push(at));
    }
    let size = |at: usize| (1.0 + sentences[at].terms.len() as f64).ln();
    let mut found = Vec::with_capacity(sentences.len());
    for (at, sentence) in sentences.iter().enumerate() {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for other in sentence.terms.iter().flat_map(|term| &holders[term.as_str()]) {
            *shared.entry(*other).or_default() += 1;
        }
        shared.remove(&at);
        let mut own: Vec<(usize, f64)> = shared
            .into_iter()
            .map(|(other, shared)| (other, shared as f64 / (size(at) + size(other))))
            .collect();
        // Sums of floating-point numbers depend on their order, and the result must be deterministic.
        own.sort_by_key(|(other, _)| *other);
        found.push(own);
    }
    found
}
