//! Fuses two ranked lists, as pure functions: by weighted scores, by union, or by reciprocal rank.

use std::collections::HashMap;

use lore_ports::PageNo;

/// A page and its score.
pub type Scored = (PageNo, f64);

/// How the lists are combined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fusion {
    /// A weighted sum of both scores, each scaled to 0..1. The number is the weight of the semantic score.
    Weighted(f64),
    /// The semantic list in its own order, then the pages found only by words.
    Union,
    /// The sum of `1 / (k + rank)` over both lists. The number is k.
    Reciprocal(f64),
}

impl Default for Fusion {
    /// The best value on the evaluation sets; see `docs/benchmarks.md`.
    fn default() -> Self {
        Fusion::Weighted(0.5)
    }
}

/// Fuses two lists, both best first, into one, best first, with scores from 0 to 1.
pub fn fuse(fusion: Fusion, lexical: &[Scored], semantic: &[Scored]) -> Vec<Scored> {
    match fusion {
        Fusion::Weighted(weight) => weighted(weight, lexical, semantic),
        Fusion::Union => union(lexical, semantic),
        Fusion::Reciprocal(k) => reciprocal(k, lexical, semantic),
    }
}

fn weighted(weight: f64, lexical: &[Scored], semantic: &[Scored]) -> Vec<Scored> {
    let mut sums: HashMap<PageNo, f64> = HashMap::new();
    for (list, weight) in [(scaled(lexical, 0.0), 1.0 - weight), (scaled(semantic, f64::MAX), weight)] {
        for (page, score) in list {
            *sums.entry(page).or_default() += weight * score;
        }
    }
    sorted(sums)
}

/// Scales scores to 0..1: the best is 1, and 0 is the worst or `floor`, whichever is less. A page without matching
/// words has no lexical score at all, so the worst of those that have one must stay above 0.
fn scaled(list: &[Scored], floor: f64) -> Vec<Scored> {
    let best = list.iter().map(|(_, score)| *score).fold(f64::MIN, f64::max);
    let worst = list.iter().map(|(_, score)| *score).fold(floor, f64::min);
    let range = best - worst;
    list.iter()
        .map(|(page, score)| (*page, if range > 0.0 { (score - worst) / range } else { 1.0 }))
        .collect()
}

fn union(lexical: &[Scored], semantic: &[Scored]) -> Vec<Scored> {
    let only_words = lexical.iter().filter(|(page, _)| !semantic.iter().any(|(known, _)| known == page));
    let pages: Vec<PageNo> = semantic.iter().chain(only_words).map(|(page, _)| *page).collect();
    let count = pages.len() as f64;
    pages.into_iter().enumerate().map(|(at, page)| (page, 1.0 - at as f64 / count)).collect()
}

fn reciprocal(k: f64, lexical: &[Scored], semantic: &[Scored]) -> Vec<Scored> {
    let mut sums: HashMap<PageNo, f64> = HashMap::new();
    for list in [lexical, semantic] {
        for ((page, _), rank) in list.iter().zip(1u32..) {
            *sums.entry(*page).or_default() += 1.0 / (k + f64::from(rank));
        }
    }
    // A page that is first in both lists gets 1.
    sums.values_mut().for_each(|sum| *sum *= (k + 1.0) / 2.0);
    sorted(sums)
}

fn sorted(sums: HashMap<PageNo, f64>) -> Vec<Scored> {
    let mut list: Vec<Scored> = sums.into_iter().collect();
    sort(&mut list);
    list
}

/// Sorts by score, best first; ties by page number.
pub fn sort(list: &mut [Scored]) {
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fusion: Fusion, lexical: &[Scored], semantic: &[Scored], expected: &[(PageNo, f64)]) {
        let found: Vec<Scored> = fuse(fusion, lexical, semantic)
            .into_iter()
            .map(|(page, score)| (page, (score * 1000.0).round() / 1000.0))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn weighted_scores_are_scaled_and_summed() {
        let (lexical, semantic) = ([(1, 10.0), (2, 5.0), (3, 1.0)], [(2, 0.9), (4, 0.5), (1, 0.1)]);
        check(Fusion::Weighted(0.5), &lexical, &semantic, &[(2, 0.75), (1, 0.5), (4, 0.25), (3, 0.05)]);
        check(Fusion::Weighted(0.0), &lexical, &semantic, &[(1, 1.0), (2, 0.5), (3, 0.1), (4, 0.0)]);
        check(Fusion::Weighted(1.0), &lexical, &semantic, &[(2, 1.0), (4, 0.5), (1, 0.0), (3, 0.0)]);
    }

    #[test]
    fn single_hit_in_either_list_gets_its_full_weight() {
        check(Fusion::Weighted(0.4), &[(1, 3.0)], &[], &[(1, 0.6)]);
        check(Fusion::Weighted(0.4), &[], &[(1, 0.3)], &[(1, 0.4)]);
        check(Fusion::Weighted(0.4), &[(1, 0.0)], &[(1, 0.3)], &[(1, 1.0)]);
    }

    #[test]
    fn union_keeps_the_semantic_order_and_appends_the_rest() {
        check(
            Fusion::Union,
            &[(1, 9.0), (2, 8.0), (3, 7.0)],
            &[(3, 0.9), (4, 0.8)],
            &[(3, 1.0), (4, 0.75), (1, 0.5), (2, 0.25)],
        );
    }

    #[test]
    fn reciprocal_ranks_are_summed() {
        // 1/(60+1) + 1/(60+2) for page 1, 1/(60+2) + 1/(60+1) for page 2: equal, so the lower number is first.
        check(
            Fusion::Reciprocal(60.0),
            &[(1, 9.0), (2, 8.0)],
            &[(2, 0.9), (1, 0.8), (3, 0.7)],
            &[(1, 0.992), (2, 0.992), (3, 0.484)],
        );
    }

    #[test]
    fn empty_lists_fuse_to_an_empty_list() {
        for fusion in [Fusion::default(), Fusion::Union, Fusion::Reciprocal(60.0)] {
            check(fusion, &[], &[], &[]);
        }
    }
}
