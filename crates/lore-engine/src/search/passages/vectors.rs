//! Compares units with a question by the vectors of their words. Only the words of the best units are embedded, each
//! once, by a static model: a transformer would take seconds.

use std::collections::HashMap;

use lore_text::folded_words;

use super::question::Question;
use super::score::{Line, scaled};
use crate::search::vocabulary::{WordEmbedder, dot, length};

/// The vectors of the distinct words of the units in question.
struct Vocabulary {
    numbers: HashMap<String, u32>,
    vectors: Vec<Vec<f32>>,
}

/// Returns for each unit of a shortlist how well the words of the question are covered by their nearest words in it, the
/// same with its neighbours, its cosine, and the cosine with its neighbours. Each is scaled to 0..1.
pub(super) fn vector_features(
    question: &Question,
    lines: &[Line<'_>],
    shortlist: &[usize],
    weight_of: &dyn Fn(&str) -> f64,
    embed: WordEmbedder<'_>,
) -> Option<Vec<[f64; 4]>> {
    let content: Vec<&str> = question.content.iter().map(String::as_str).collect();
    let all: Vec<&str> = question.words.iter().map(String::as_str).collect();
    let (content_vectors, all_vectors) = (embed(&content)?, embed(&all)?);
    let neighbours = |at: usize| {
        let same = move |other: &usize| lines.get(*other).is_some_and(|line| line.page == lines[at].page);
        [at.checked_sub(1), Some(at), Some(at + 1)].into_iter().flatten().filter(same)
    };
    let mut needed: Vec<usize> = shortlist.iter().flat_map(|at| neighbours(*at)).collect();
    needed.sort_unstable();
    needed.dedup();
    let (words, vocabulary) = read(lines, &needed, embed)?;
    let position = |at: usize| needed.binary_search(&at).unwrap_or_default();

    let weights: Vec<f64> = content.iter().map(|word| weight_of(word)).collect();
    let nearest = nearness(&content_vectors, &vocabulary);
    let query = sum_of(all_vectors.iter());
    let best: Vec<Vec<f32>> = words.iter().map(|words| best_of(words, &nearest, content.len())).collect();
    let sums: Vec<Vec<f32>> = words
        .iter()
        .map(|words| sum_of(words.iter().map(|word| &vocabulary.vectors[*word as usize])))
        .collect();

    let covered = |best: &[f32]| {
        let total: f64 = weights.iter().sum();
        let sum: f64 = weights.iter().zip(best).map(|(weight, near)| weight * f64::from(*near)).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    };
    let column = |value: &dyn Fn(usize) -> f64| scaled(shortlist.iter().map(|at| value(*at)).collect());
    let soft = column(&|at| covered(&best[position(at)]));
    let soft_near = column(&|at| {
        let mut most = vec![0.0f32; content.len()];
        for other in neighbours(at) {
            most.iter_mut().zip(&best[position(other)]).for_each(|(most, near)| *most = most.max(*near));
        }
        covered(&most)
    });
    let cosine_of = column(&|at| cosine(&query, &sums[position(at)]));
    let cosine_near =
        column(&|at| cosine(&query, &sum_of(neighbours(at).map(|other| &sums[position(other)]))));
    let rows = (0..shortlist.len()).map(|row| [soft[row], soft_near[row], cosine_of[row], cosine_near[row]]);
    Some(rows.collect())
}

/// Returns the numbers of the words of each unit, and the vectors of the words.
fn read(
    lines: &[Line<'_>],
    needed: &[usize],
    embed: WordEmbedder<'_>,
) -> Option<(Vec<Vec<u32>>, Vocabulary)> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut words = Vec::with_capacity(needed.len());
    for at in needed {
        let mut own = Vec::new();
        folded_words(lines[*at].text, &mut |word| {
            let next = numbers.len() as u32;
            let number = match numbers.get(word) {
                Some(number) => *number,
                None => *numbers.entry(word.to_owned()).or_insert(next),
            };
            own.push(number);
        });
        words.push(own);
    }
    let mut distinct = vec![""; numbers.len()];
    numbers.iter().for_each(|(word, number)| distinct[*number as usize] = word);
    let vectors = embed(&distinct)?;
    Some((words, Vocabulary { numbers, vectors }))
}

/// Returns the cosine of each word of the vocabulary with each word of the question, at least 0.
fn nearness(question: &[Vec<f32>], vocabulary: &Vocabulary) -> Vec<Vec<f32>> {
    debug_assert_eq!(vocabulary.numbers.len(), vocabulary.vectors.len());
    let lengths: Vec<f32> = question.iter().map(|word| length(word)).collect();
    let near = |vector: &Vec<f32>| -> Vec<f32> {
        let own = length(vector);
        let cosine = |(word, length): (&Vec<f32>, &f32)| match own * length {
            0.0 => 0.0,
            lengths => (dot(word, vector) / lengths).clamp(0.0, 1.0),
        };
        question.iter().zip(&lengths).map(cosine).collect()
    };
    vocabulary.vectors.iter().map(near).collect()
}

/// Returns for each word of the question the cosine of the nearest of these words.
fn best_of(words: &[u32], nearest: &[Vec<f32>], count: usize) -> Vec<f32> {
    let mut best = vec![0.0f32; count];
    for word in words {
        best.iter_mut().zip(&nearest[*word as usize]).for_each(|(best, near)| *best = best.max(*near));
    }
    best
}

fn sum_of<'v>(vectors: impl Iterator<Item = &'v Vec<f32>>) -> Vec<f32> {
    let mut sum: Vec<f32> = Vec::new();
    for vector in vectors {
        sum.resize(sum.len().max(vector.len()), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    sum
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let lengths = length(one) * length(other);
    if lengths > 0.0 { f64::from(dot(one, other) / lengths) } else { 0.0 }
}
