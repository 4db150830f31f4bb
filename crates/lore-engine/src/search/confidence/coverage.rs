//! Coverage: how much of a question the best passage of a page contains, each word weighted by how rare it is in the
//! vault. Words that are not in the passage count by their similarity to those that are, if a static model is built in.

use std::collections::HashMap;

use lore_ports::Embedder;
use lore_text::{folded_words, is_content_word, sentences};

use crate::search::expression::{Term, matches};

/// Number of consecutive sentences in a passage.
const PASSAGE: usize = 3;

/// Maximum number of different words of a page that are compared by their vectors.
const WORDS: usize = 4000;

/// A question, as passages are compared with it.
pub(super) struct Question<'a> {
    /// Its content words.
    pub terms: &'a [Term],
    /// The weight of each term.
    pub weights: &'a [f64],
    /// Compares different words.
    pub embedder: Option<&'a dyn Embedder>,
}

/// What the best passage of a page covers, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Coverage {
    /// Share of the weight of the terms in a passage; similar words count partly.
    pub soft: f64,
    /// Share of the weight of the terms in one sentence and the title; only equal words count.
    pub exact: f64,
}

impl Coverage {
    /// Returns the larger of each value.
    pub(super) fn max(self, other: Coverage) -> Coverage {
        Coverage { soft: self.soft.max(other.soft), exact: self.exact.max(other.exact) }
    }
}

/// Returns how much of a question a page covers.
pub(super) fn coverage(question: &Question<'_>, title: &str, text: &str) -> Coverage {
    let total: f64 = question.weights.iter().sum();
    if total <= 0.0 {
        return Coverage::default();
    }
    let units: Vec<&str> = text.lines().flat_map(sentences).collect();
    let similar = similarities(question, title, &units);
    let title = grades(question, &similar, title);
    let units: Vec<Vec<f64>> = units.iter().map(|unit| grades(question, &similar, unit)).collect();
    let weigh = |grades: &[f64]| -> f64 { grades.iter().zip(question.weights).map(|(g, w)| g * w).sum() };
    let (mut soft, mut exact) = (weigh(&title), 0.0f64);
    for at in 0..units.len().max(1) {
        let window = &units[at.min(units.len())..units.len().min(at + PASSAGE)];
        let best: Vec<f64> = (0..question.terms.len())
            .map(|term| window.iter().map(|unit| unit[term]).fold(title[term], f64::max))
            .collect();
        soft = soft.max(weigh(&best));
        let whole = |term: usize| window.first().map_or(0.0, |unit| unit[term]).max(title[term]);
        let equal: Vec<f64> =
            (0..question.terms.len()).map(|term| f64::from(u8::from(whole(term) >= 1.0))).collect();
        exact = exact.max(weigh(&equal));
    }
    Coverage { soft: soft / total, exact: exact / total }
}

/// Returns how well each term is found in a text, from 0 to 1.
fn grades(question: &Question<'_>, similar: &HashMap<String, Vec<f64>>, text: &str) -> Vec<f64> {
    let (found, _) = matches(text, question.terms);
    let mut grades: Vec<f64> =
        (0..question.terms.len()).map(|term| if found & (1 << term.min(63)) == 0 { 0.0 } else { 1.0 }).collect();
    folded_words(text, &mut |word| {
        for (grade, similarity) in grades.iter_mut().zip(similar.get(word).into_iter().flatten()) {
            *grade = grade.max(*similarity);
        }
    });
    grades
}

/// Returns the similarity of each content word of a page to each term, below 1: it is never equality.
fn similarities(question: &Question<'_>, title: &str, units: &[&str]) -> HashMap<String, Vec<f64>> {
    let Some(embedder) = question.embedder else { return HashMap::new() };
    let mut words: HashMap<String, Vec<f64>> = HashMap::new();
    for text in units.iter().chain([&title]) {
        folded_words(text, &mut |word| {
            if words.len() < WORDS && is_content_word(word) && !words.contains_key(word) {
                words.insert(word.to_owned(), Vec::new());
            }
        });
    }
    let terms: Vec<&str> = question.terms.iter().map(Term::text).collect();
    let all: Vec<&str> = terms.iter().copied().chain(words.keys().map(String::as_str)).collect();
    let Ok(vectors) = embedder.embed_passages(&all) else { return HashMap::new() };
    let (of_terms, of_words) = vectors.split_at(terms.len());
    let found: Vec<Vec<f64>> = of_words
        .iter()
        .map(|word| of_terms.iter().map(|term| cosine(term, word).clamp(0.0, 0.999)).collect())
        .collect();
    words.into_keys().zip(found).collect()
}

/// Returns the cosine of two normalized vectors.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    f64::from(one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>())
}
