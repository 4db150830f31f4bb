//! Explanations: the score of a page after each stage, in words.

use std::collections::HashMap;

use lore_ports::{ChunkRow, PageNo};

use super::fuse::Scored;

/// The scores of all pages in the stages before the signals.
pub(super) struct Explained {
    words: HashMap<PageNo, (usize, f64)>,
    near: HashMap<PageNo, (usize, f64)>,
    fused: HashMap<PageNo, f64>,
    passages: HashMap<PageNo, f64>,
}

impl Explained {
    /// Records the lists of the retrievers, the fused scores, and what the best passages added.
    pub(super) fn new(
        words: &[Scored],
        near: &HashMap<PageNo, (ChunkRow, f32)>,
        fused: &[Scored],
        passages: &HashMap<PageNo, f64>,
    ) -> Explained {
        let ranks = |list: &[Scored]| -> HashMap<PageNo, (usize, f64)> {
            (1..).zip(list).map(|(rank, (page, score))| (*page, (rank, *score))).collect()
        };
        let mut similar: Vec<Scored> =
            near.iter().map(|(page, (_, similarity))| (*page, f64::from(*similarity))).collect();
        similar.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Explained {
            words: ranks(words),
            near: ranks(&similar),
            fused: fused.iter().copied().collect(),
            passages: passages.clone(),
        }
    }

    /// Returns the steps to a page's score after the signals.
    pub(super) fn steps(&self, page: PageNo, score: f64, why: &[String]) -> Vec<String> {
        let mut steps = Vec::new();
        let rank = |found: Option<&(usize, f64)>, all: usize, what: &str, unit: &str| match found {
            Some((rank, score)) => format!("{what}: rank {rank} of {all} ({unit} {})", number(*score)),
            None => format!("{what}: no match"),
        };
        if !self.words.is_empty() {
            steps.push(rank(self.words.get(&page), self.words.len(), "words", "BM25"));
        }
        if !self.near.is_empty() {
            steps.push(rank(self.near.get(&page), self.near.len(), "embedding", "similarity"));
        }
        let fused = self.fused.get(&page).copied().unwrap_or_default();
        steps.push(format!("combined: {}", number(fused)));
        let passages = self.passages.get(&page).copied().unwrap_or_default();
        if passages > 0.0 {
            steps.push(format!(
                "best passage: {passages:+.2} for its words, compared with those of the query"
            ));
        }
        let signals = score - fused - passages;
        if signals.abs() > 1e-9 {
            let reasons: Vec<&str> = why.iter().map(String::as_str).filter(|why| is_signal(why)).collect();
            steps.push(format!("signals: {signals:+.2} for {}", reasons.join(", ")));
        }
        steps
    }
}

/// Whether a reason comes from a signal rather than from a retriever.
fn is_signal(why: &str) -> bool {
    why != "some words" && !why.starts_with("similarity ")
}

/// Formats a score. In a small vault BM25 scores are tiny.
pub(super) fn number(score: f64) -> String {
    if score == 0.0 || score.abs() >= 0.01 { format!("{score:.2}") } else { format!("{score:.1e}") }
}
