//! Late interaction: compares the words of a question with those of the best pages one by one. A page's vector averages
//! all its words, so a sentence that answers is lost in it.

use lore_ports::PageNo;
use lore_text::sentences;
use lore_vault::decode;

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::fuse::Scored;
use crate::search::vocabulary::{Vocabulary, cosine};

/// Number of pages that are compared: those that are shown. Comparing more helps conversations and costs time.
const COMPARED: usize = 10;

/// Maximum bytes of a page that are compared.
const MOST_BYTES: usize = 64 * 1024;

/// Number of consecutive sentences in a passage.
const PASSAGE: usize = 3;

/// Smallest difference between the lowest and the highest page that counts in full. Words that occur nowhere are a little
/// similar to any word, so that pages without an answer differ by chance.
const MIN_RANGE: f64 = 0.2;

/// How well the words of a page match those of a question, each from 0 to 1 over the compared pages.
pub(super) struct Matched {
    pub page: PageNo,
    /// Each word of the question by its nearest word in the best passage, weighted by its rarity.
    pub passage: f64,
    /// The same for the best single sentence: a long passage contains many words by chance.
    pub single: f64,
    /// The cosine of the sentence that is most similar to the question.
    pub sentence: f64,
}

/// Compares the best pages of a ranking with a question.
pub(super) fn compare(
    context: &VaultContext,
    question: &str,
    vocabulary: &Vocabulary<'_>,
    weights: &[f64],
    ranking: &[Scored],
) -> Result<Vec<Matched>> {
    let numbers: Vec<PageNo> = ranking.iter().take(COMPARED).map(|(page, _)| *page).collect();
    let query = vocabulary.sum(&vocabulary.read(question));
    let mut found = Vec::new();
    for page in context.store().pages(context.project(), &numbers)? {
        let Some(file) = context.vault().read(&page.path, u64::MAX).ok().flatten() else { continue };
        let text = decode(&file.bytes).text;
        let text = &text[..text.floor_char_boundary(MOST_BYTES)];
        let units: Vec<Vec<u32>> =
            text.lines().flat_map(sentences).map(|unit| vocabulary.read(unit)).collect();
        let title = vocabulary.read(&page.title);
        found.push(matched(page.number, &query, vocabulary, weights, &title, &units));
    }
    scale(&mut found);
    Ok(found)
}

fn matched(
    page: PageNo,
    query: &[f32],
    vocabulary: &Vocabulary<'_>,
    weights: &[f64],
    title: &[u32],
    units: &[Vec<u32>],
) -> Matched {
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let weigh = |near: &[f32]| near.iter().zip(weights).map(|(n, w)| f64::from(*n) * w).sum::<f64>() / total;
    let merge = |best: &mut Vec<f32>, other: &[f32]| {
        best.iter_mut().zip(other).for_each(|(best, other)| *best = best.max(*other));
    };
    let title = vocabulary.nearest(title);
    let near: Vec<Vec<f32>> = units.iter().map(|unit| vocabulary.nearest(unit)).collect();
    let (mut passage, mut single) = (weigh(&title), weigh(&title));
    for at in 0..near.len() {
        let mut best = title.clone();
        merge(&mut best, &near[at]);
        single = single.max(weigh(&best));
        near[at + 1..near.len().min(at + PASSAGE)].iter().for_each(|unit| merge(&mut best, unit));
        passage = passage.max(weigh(&best));
    }
    let similar = units.iter().map(|unit| cosine(query, &vocabulary.sum(unit)));
    let sentence = f64::from(similar.fold(0.0, f32::max));
    Matched { page, passage, single, sentence }
}

/// Scales each measure from 0 for the lowest to 1 for the highest page, unless all are about equal.
fn scale(all: &mut [Matched]) {
    let fields: [fn(&mut Matched) -> &mut f64; 3] =
        [|one| &mut one.passage, |one| &mut one.single, |one| &mut one.sentence];
    for field in fields {
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        for one in all.iter_mut() {
            (low, high) = (low.min(*field(one)), high.max(*field(one)));
        }
        let range = (high - low).max(MIN_RANGE);
        all.iter_mut().for_each(|one| {
            let value = field(one);
            *value = (*value - low) / range;
        });
    }
}
