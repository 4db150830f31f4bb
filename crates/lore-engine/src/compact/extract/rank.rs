//! Which sentences carry most: those that many others share their words with, weighed by where and when they were said.

use std::collections::{BTreeSet, HashMap};

use crate::likeness::terms;

/// More sentences than this are not held against each other: of each page the first ones count.
const MOST: usize = 800;

/// Fewer terms say nothing by themselves.
const FEWEST: usize = 3;

/// How much of a sentence's weight comes from the others.
const DAMPING: f64 = 0.85;

/// Rounds after which the weights hardly change any more.
const ROUNDS: usize = 20;

/// Words of sentences that say what was decided, why, or how things are now.
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
pub(super) struct Sentence {
    /// The page's place among the sources.
    pub source: usize,
    /// Its place on the page.
    pub order: usize,
    /// Its words.
    pub text: String,
    /// Its terms.
    pub terms: BTreeSet<String>,
    weight: f64,
}

impl Sentence {
    /// A sentence with the weight of its page's age.
    pub(super) fn new(source: usize, order: usize, text: String, age: f64) -> Sentence {
        let lower = text.to_lowercase();
        let cue = if CUES.iter().any(|cue| lower.contains(cue)) { 1.25 } else { 1.0 };
        let first = 1.0 + 0.4 / (1.0 + order as f64);
        let terms = terms(&text);
        Sentence { source, order, text, terms, weight: age * cue * first }
    }
}

/// The sentences that say something, those that carry most first.
pub(super) fn ranked(mut sentences: Vec<Sentence>) -> Vec<Sentence> {
    let pages: BTreeSet<usize> = sentences.iter().map(|sentence| sentence.source).collect();
    let says = |sentence: &Sentence| sentence.terms.len() >= FEWEST;
    let wordy: BTreeSet<usize> =
        sentences.iter().filter(|sentence| says(sentence)).map(|sentence| sentence.source).collect();
    // A page that has nothing better is heard with what it has.
    sentences.retain(|sentence| says(sentence) || !wordy.contains(&sentence.source));
    let each = MOST / pages.len().max(1);
    sentences.retain(|sentence| sentence.order < each);
    let scores = centrality(&sentences);
    let mut scored: Vec<(f64, Sentence)> =
        scores.into_iter().zip(sentences).map(|(score, one)| (score * one.weight, one)).collect();
    scored.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then(one.source.cmp(&other.source)).then(one.order.cmp(&other.order))
    });
    scored.into_iter().map(|(_, sentence)| sentence).collect()
}

/// How central each sentence is: weight flows along shared terms, as in a walk over the pages of the web.
fn centrality(sentences: &[Sentence]) -> Vec<f64> {
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

/// For each sentence those it shares terms with, and how much for their lengths.
fn neighbours(sentences: &[Sentence]) -> Vec<Vec<(usize, f64)>> {
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
        // Sums of floating-point numbers depend on their order, and the answer must not.
        own.sort_by_key(|(other, _)| *other);
        found.push(own);
    }
    found
}
