//! Decides whether a text adds anything new to a page. This applies to rewrites only: evidence (entries, links, facts,
//! tags) is always written, however similar the texts are, so that a meeting note resembling the last one loses
//! nothing.

use std::collections::HashSet;

use lore_engine::{Result, VaultContext, page_similarity};
use lore_ports::{Embedder, PageRow};

/// Word overlap above which a text duplicates the page.
const DUPLICATE: f64 = 0.85;

/// Cosine above which a text duplicates a part of the page in other words.
const NEAR: f64 = 0.95;

/// How new a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoveltyKind {
    /// The text says something new.
    Novel,
    /// The text says the same as a part of the page in other words.
    NearDuplicate,
    /// The text has the same words as the page.
    DuplicateDerived,
}

impl NoveltyKind {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            NoveltyKind::Novel => "novel",
            NoveltyKind::NearDuplicate => "near_duplicate",
            NoveltyKind::DuplicateDerived => "duplicate",
        }
    }
}

/// How new a text is to a page, with the scores that decided it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Novelty {
    /// How new the text is.
    pub kind: NoveltyKind,
    /// Word overlap, from 0 to 1.
    pub jaccard: f64,
    /// Cosine to the nearest part of the page; none without a model or if the words decided.
    pub cosine: Option<f64>,
}

/// Compares a text with a page's truth. Without a model, only words are compared.
pub(crate) fn novelty(context: &VaultContext, new: &str, truth: &str, page: &PageRow) -> Result<Novelty> {
    let jaccard = jaccard(new, truth);
    if jaccard > DUPLICATE {
        return Ok(Novelty { kind: kind(jaccard, None), jaccard, cosine: None });
    }
    let passage =
        |embedder: &dyn Embedder| Ok(embedder.embed_passages(&[new])?.into_iter().next().unwrap_or_default());
    let cosine = page_similarity(context, new, page, &passage)?;
    Ok(Novelty { kind: kind(jaccard, cosine), jaccard, cosine })
}

fn kind(jaccard: f64, cosine: Option<f64>) -> NoveltyKind {
    match cosine {
        _ if jaccard > DUPLICATE => NoveltyKind::DuplicateDerived,
        Some(cosine) if cosine > NEAR => NoveltyKind::NearDuplicate,
        _ => NoveltyKind::Novel,
    }
}

/// Returns the Jaccard similarity of two texts, from 0 to 1. Words are separated by whitespace and compared in lower
/// case. Two texts without words are equal.
pub fn jaccard(a: &str, b: &str) -> f64 {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<HashSet<String>>();
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    match a.len() + b.len() - shared {
        0 => 1.0,
        all => shared as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jaccard_compares_lowercase_words() {
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
    fn thresholds_are_exclusive() {
        for (jaccard, cosine, expected) in [
            (0.85, None, NoveltyKind::Novel),
            (0.8501, None, NoveltyKind::DuplicateDerived),
            (0.8501, Some(0.1), NoveltyKind::DuplicateDerived),
            (0.85, Some(0.95), NoveltyKind::Novel),
            (0.0, Some(0.9501), NoveltyKind::NearDuplicate),
            (0.0, None, NoveltyKind::Novel),
            (0.0, Some(f64::NAN), NoveltyKind::Novel),
        ] {
            assert_eq!(kind(jaccard, cosine), expected, "{jaccard} {cosine:?}");
        }
    }
}
