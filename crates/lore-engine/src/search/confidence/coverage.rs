//! Coverage: how much of a question the best passage of a page contains, each word weighted by how rare it is in the
//! vault. Words that are not in the passage count by their similarity to those that are, if a static model is built in.

use lore_text::sentences;

use crate::search::expression::{Term, matches};
use crate::search::vocabulary::Vocabulary;

/// Number of consecutive sentences in a passage.
const PASSAGE: usize = 3;

/// A question, as passages are compared with it.
#[derive(Clone, Copy)]
pub(in crate::search) struct Question<'a> {
    /// Its content words.
    pub terms: &'a [Term],
    /// The weight of each term.
    pub weights: &'a [f64],
    /// Compares different words.
    pub vocabulary: Option<&'a Vocabulary<'a>>,
}

/// What the best passage of a page covers, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::search) struct Coverage {
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
pub(in crate::search) fn coverage(question: &Question<'_>, title: &str, text: &str) -> Coverage {
    let total: f64 = question.weights.iter().sum();
    if total <= 0.0 {
        return Coverage::default();
    }
    let title = grades(question, title);
    let units: Vec<Vec<f64>> = text.lines().flat_map(sentences).map(|unit| grades(question, unit)).collect();
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
fn grades(question: &Question<'_>, text: &str) -> Vec<f64> {
    let (found, _) = matches(text, question.terms);
    let mut grades: Vec<f64> = (0..question.terms.len())
        .map(|term| if found & (1 << term.min(63)) == 0 { 0.0 } else { 1.0 })
        .collect();
    if let Some(vocabulary) = question.vocabulary {
        let nearest = vocabulary.nearest(&vocabulary.read(text));
        grades.iter_mut().zip(nearest).for_each(|(grade, near)| *grade = grade.max(f64::from(near)));
    }
    grades
}
