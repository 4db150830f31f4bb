//! Whether a text says anything new about a page. It decides over rewrites only: evidence (entries, links, facts, tags)
//! is written however much the texts are alike, so that a meeting that looks like the last one loses nothing.

use std::collections::HashSet;

use crate::embed::{EmbedResult, Embedder};
use crate::error::Result;
use crate::index::{Filter, PageRow};
use crate::memory::Memory;
use crate::vectors::VectorQuery;

/// From which overlap of words on a text is the page's own.
const DUPLICATE: f64 = 0.85;

/// From which nearness in meaning on a text says what a part of the page says.
const NEAR: f64 = 0.95;

/// What a text is to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It says something else.
    Novel,
    /// Its meaning is that of a part of the page, in other words.
    NearDuplicate,
    /// Its words are the page's.
    DuplicateDerived,
}

impl Verdict {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Novel => "novel",
            Verdict::NearDuplicate => "near_duplicate",
            Verdict::DuplicateDerived => "duplicate",
        }
    }
}

/// A verdict and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Novelty {
    /// The verdict.
    pub verdict: Verdict,
    /// The overlap of words, from 0 to 1.
    pub jaccard: f64,
    /// The nearness in meaning to the nearest part of the page; none without a model, or where words decided.
    pub cosine: Option<f64>,
}

/// Holds a text against a page's truth. Without a model, words alone decide.
pub(crate) fn novelty(memory: &Memory, new: &str, truth: &str, page: &PageRow) -> Result<Novelty> {
    let jaccard = jaccard(new, truth);
    if jaccard > DUPLICATE {
        return Ok(Novelty { verdict: verdict(jaccard, None), jaccard, cosine: None });
    }
    let passage =
        |embedder: &dyn Embedder| Ok(embedder.embed_passages(&[new])?.into_iter().next().unwrap_or_default());
    let cosine = nearness(memory, new, page, &passage)?;
    Ok(Novelty { verdict: verdict(jaccard, cosine), jaccard, cosine })
}

fn verdict(jaccard: f64, cosine: Option<f64>) -> Verdict {
    match cosine {
        _ if jaccard > DUPLICATE => Verdict::DuplicateDerived,
        Some(cosine) if cosine > NEAR => Verdict::NearDuplicate,
        _ => Verdict::Novel,
    }
}

/// What two texts share of the words that either has, from 0 to 1. Words are what stands between white space, in lower
/// case. Two texts without a word are the same.
pub fn jaccard(a: &str, b: &str) -> f64 {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<HashSet<String>>();
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    match a.len() + b.len() - shared {
        0 => 1.0,
        all => shared as f64 / all as f64,
    }
}

/// How near a text comes to the nearest part of a page by its meaning; none where no model tells.
pub(crate) fn nearness(
    memory: &Memory,
    text: &str,
    page: &PageRow,
    vector: &dyn Fn(&dyn Embedder) -> EmbedResult<Vec<f32>>,
) -> Result<Option<f64>> {
    let Some(row) = memory.active_model()? else { return Ok(None) };
    let Ok(embedder) = memory.embedder(&row) else { return Ok(None) };
    if text.trim().is_empty() || !embedder.reads(text) {
        return Ok(None);
    }
    let Ok(vector) = vector(&*embedder) else { return Ok(None) };
    let filter = Filter { slug: Some(page.slug.clone()), ..Filter::default() };
    let query = VectorQuery { model: row.number, vector: &vector, filter: &filter, limit: 1, also: &[] };
    let hits = memory.store().nearest(memory.project(), &query)?;
    Ok(hits.iter().find(|hit| hit.chunk.page == page.number).map(|hit| f64::from(hit.similarity)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overlap_is_of_words_between_white_space_in_lower_case() {
        for (a, b, expected) in [
            ("", "", 1.0),
            ("a", "", 0.0),
            ("a b", "b  A\n", 1.0),
            ("a b c", "b c d", 0.5),
            ("runs brex", "Runs Brex.", 1.0 / 3.0),
            ("ÄRGER ärger", "ärger", 1.0),
            ("a a a a b", "a c", 1.0 / 3.0),
        ] {
            assert!((jaccard(a, b) - expected).abs() < 1e-12, "{a:?} {b:?}: {}", jaccard(a, b));
            assert_eq!(jaccard(a, b), jaccard(b, a), "in either order");
        }
    }

    #[test]
    fn both_thresholds_are_passed_not_reached() {
        for (jaccard, cosine, expected) in [
            (0.85, None, Verdict::Novel),
            (0.8501, None, Verdict::DuplicateDerived),
            (0.8501, Some(0.1), Verdict::DuplicateDerived),
            (0.85, Some(0.95), Verdict::Novel),
            (0.0, Some(0.9501), Verdict::NearDuplicate),
            (0.0, None, Verdict::Novel),
            (0.0, Some(f64::NAN), Verdict::Novel),
        ] {
            assert_eq!(verdict(jaccard, cosine), expected, "{jaccard} {cosine:?}");
        }
    }
}
