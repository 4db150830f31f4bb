//! The words of a question and of the pages that may answer it, compared by their vectors. Each word is embedded once per
//! search, by a static model: a transformer would take seconds.

use std::cell::RefCell;
use std::collections::HashMap;

use lore_text::{folded_words, is_content_word};

use super::expression::Term;
use crate::context::VaultContext;

/// Maximum number of different words that are embedded in a search.
const MOST_WORDS: usize = 20_000;

/// Similarity of words that are different, at most.
const DIFFERENT: f32 = 0.999;

/// Returns the sums of the token vectors of words; `None` without a static model.
pub(super) type WordEmbedder<'a> = &'a dyn Fn(&[&str]) -> Option<Vec<Vec<f32>>>;

/// Words with their vectors, and with their similarity to the terms of a question.
pub(super) struct Vocabulary<'a> {
    embed: WordEmbedder<'a>,
    terms: Vec<Term>,
    /// The vectors of the terms, of unit length.
    of_terms: Vec<Vec<f32>>,
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    numbers: HashMap<String, u32>,
    words: Vec<Word>,
    /// Words that are not embedded yet.
    pending: Vec<String>,
}

struct Word {
    vector: Vec<f32>,
    /// Its similarity to each term, from 0 to 1; of stop words 0.
    similar: Vec<f32>,
}

impl<'a> Vocabulary<'a> {
    /// Returns the vocabulary of a question; `None` without a static model, or if the model does not read the question.
    pub(super) fn new(terms: Vec<Term>, embed: WordEmbedder<'a>) -> Option<Vocabulary<'a>> {
        let texts: Vec<&str> = terms.iter().map(Term::text).collect();
        let mut of_terms = embed(&texts)?;
        of_terms.iter_mut().for_each(|vector| normalize(vector));
        Some(Vocabulary { embed, terms, of_terms, known: RefCell::default() })
    }

    /// Returns the numbers of the words of a text.
    pub(super) fn read(&self, text: &str) -> Vec<u32> {
        let mut known = self.known.borrow_mut();
        let mut numbers = Vec::new();
        folded_words(text, &mut |word| {
            let number = match known.numbers.get(word) {
                Some(number) => Some(*number),
                None => known.add(word),
            };
            numbers.extend(number);
        });
        numbers
    }

    /// Returns for each term its similarity to the nearest of these words.
    pub(super) fn nearest(&self, words: &[u32]) -> Vec<f32> {
        self.embed_pending();
        let known = self.known.borrow();
        let mut best = vec![0.0f32; self.terms.len()];
        for word in words.iter().filter_map(|word| known.words.get(*word as usize)) {
            best.iter_mut().zip(&word.similar).for_each(|(best, near)| *best = best.max(*near));
        }
        best
    }

    /// Returns the sum of the vectors of words.
    pub(super) fn sum(&self, words: &[u32]) -> Vec<f32> {
        self.embed_pending();
        let known = self.known.borrow();
        let mut sum = Vec::new();
        for word in words.iter().filter_map(|word| known.words.get(*word as usize)) {
            sum.resize(word.vector.len(), 0.0);
            sum.iter_mut().zip(&word.vector).for_each(|(sum, value)| *sum += value);
        }
        sum
    }

    fn embed_pending(&self) {
        let mut known = self.known.borrow_mut();
        if known.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut known.pending);
        let words: Vec<&str> = pending.iter().map(String::as_str).collect();
        // A page in another script has no vectors: its words are not similar to anything.
        let vectors = (self.embed)(&words).unwrap_or_else(|| vec![Vec::new(); words.len()]);
        for (word, vector) in words.into_iter().zip(vectors) {
            let similar = self.similar(word, &vector);
            known.words.push(Word { vector, similar });
        }
    }

    fn similar(&self, word: &str, vector: &[f32]) -> Vec<f32> {
        let scale = length(vector);
        if scale == 0.0 || !is_content_word(word) {
            return vec![0.0; self.terms.len()];
        }
        let terms = self.terms.iter().zip(&self.of_terms);
        terms
            .map(|(term, other)| match term.is(word) {
                true => 1.0,
                false => (dot(vector, other) / scale).clamp(0.0, DIFFERENT),
            })
            .collect()
    }
}

impl Known {
    fn add(&mut self, word: &str) -> Option<u32> {
        let number = self.numbers.len();
        if number >= MOST_WORDS {
            return None;
        }
        self.numbers.insert(word.to_owned(), number as u32);
        self.pending.push(word.to_owned());
        Some(number as u32)
    }
}

/// Returns the cosine of two vectors.
pub(super) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let lengths = length(one) * length(other);
    if lengths > 0.0 { dot(one, other) / lengths } else { 0.0 }
}

/// Returns the function that embeds words for a vault.
pub(super) fn word_embedder(context: &VaultContext) -> impl Fn(&[&str]) -> Option<Vec<Vec<f32>>> {
    |words: &[&str]| context.models().embed_words(words)
}

fn normalize(vector: &mut [f32]) {
    let scale = length(vector);
    if scale > 0.0 {
        vector.iter_mut().for_each(|value| *value /= scale);
    }
}

/// Returns the length of a vector.
pub(super) fn length(vector: &[f32]) -> f32 {
    dot(vector, vector).sqrt()
}

/// Returns the dot product, summed in eight lanes so that the compiler can vectorize it.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    let ((ones, one_rest), (others, other_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    for (one, other) in ones.iter().zip(others) {
        lanes.iter_mut().zip(one.iter().zip(other)).for_each(|(lane, (a, b))| *lane += a * b);
    }
    lanes.iter().sum::<f32>() + one_rest.iter().zip(other_rest).map(|(a, b)| a * b).sum::<f32>()
}
