//! Fusion, as pure functions: combines the lists of the retrievers by weighted scores, by union, or by reciprocal rank,
//! and puts the pages that answer by themselves before the rest.

use std::collections::{HashMap, HashSet};

use lore_ports::{ChunkRow, PageNo};

use super::explain::Explained;
use super::request::Mode;
use super::retrieve::Retrieved;

/// A page and its score.
pub(super) type Scored = (PageNo, f64);

/// The reason of a page that contains every word.
pub(super) const EVERY_WORD: &str = "all words";

/// The reason of a page that contains some words.
const SOME_WORDS: &str = "some words";

/// How the lists are combined.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Fusion {
    /// A weighted sum of both scores with the weight that is best for the model.
    #[default]
    Model,
    /// A weighted sum of both scores, each scaled to 0..1. The number is the weight of the semantic score.
    Weighted(f64),
    /// The semantic list in its own order, then the pages found only by words.
    Union,
    /// The sum of `1 / (k + rank)` over both lists. The number is k.
    Reciprocal(f64),
}

impl Fusion {
    /// The weight of the semantic score that is best on the evaluation sets; see `docs/benchmarks.md`.
    pub const SEMANTIC_WEIGHT: f64 = 0.5;

    /// The same for a static model.
    pub const STATIC_WEIGHT: f64 = 0.4;

    /// Share of the highest possible score by words from which on words have their full weight: one common word of a
    /// question says less about a page than its meaning.
    const SURE: f64 = 0.3;

    /// Share of their weight that words keep at least.
    const LEAST: f64 = 0.5;

    /// The usual k of reciprocal rank fusion.
    pub const RECIPROCAL_K: f64 = 60.0;

    /// Returns the fusion with the weight of the model, given the best score by words as a share of the highest possible
    /// one.
    pub(super) fn of_model(self, is_static: bool, best: f64) -> Fusion {
        let weight = match self {
            Fusion::Model if is_static => Fusion::STATIC_WEIGHT,
            Fusion::Model => Fusion::SEMANTIC_WEIGHT,
            other => return other,
        };
        let by_words = (1.0 - weight) * (best / Fusion::SURE).clamp(Fusion::LEAST, 1.0);
        Fusion::Weighted(weight / (weight + by_words))
    }
}

/// A ranking that signals may still change.
pub(super) struct Ranking {
    /// Best first.
    pub list: Vec<Scored>,
    /// How the pages were retrieved.
    pub mode: Mode,
    /// Number of pages that can be shown.
    pub needed: usize,
    /// Reasons for each page, besides its words and its embedding.
    pub reasons: HashMap<PageNo, Vec<String>>,
    /// The scores of pages that no longer hold.
    pub lowered: Vec<Scored>,
    /// Pages whose name has a number and is in the query.
    pub named: HashSet<PageNo>,
    /// The scores before the signals.
    pub fused: Vec<Scored>,
    /// What the best passages of pages added to their scores.
    pub passages: HashMap<PageNo, f64>,
    /// Whether to explain the scores.
    pub explain: bool,
}

/// A page in its final order.
pub(super) struct Ranked {
    pub page: PageNo,
    pub score: f64,
    /// Its score if it no longer holds: its words and its embedding count half, and no signal raises it.
    pub lowered: f64,
    pub why: Vec<String>,
    /// The best chunk by embedding.
    pub chunk: Option<ChunkRow>,
    /// Whether a link or a fact led to it.
    pub answers: bool,
    /// The line that answers the question, if there is a single one.
    pub line: Option<u32>,
    /// Whether the query is its name, or has a reference to it.
    pub exact: bool,
    /// Whether that is a reference, such as `[[adr-12]]`, rather than a name that may also be a subject.
    pub named: bool,
    /// Whether it was found only because it supersedes another page.
    pub successor: bool,
    /// How the stages arrived at its score, if that was requested.
    pub steps: Vec<String>,
}

impl Ranked {
    /// Returns a page with a score and its reasons.
    pub(super) fn new(page: PageNo, score: f64, why: Vec<String>) -> Ranked {
        Ranked {
            page,
            score,
            lowered: half(score),
            why,
            chunk: None,
            answers: false,
            line: None,
            exact: false,
            named: false,
            successor: false,
            steps: Vec::new(),
        }
    }
}

/// Combines what was found by words and by embedding into one ranking.
pub(super) fn combine(fusion: Fusion, found: &Retrieved, needed: usize) -> Ranking {
    let near: Vec<Scored> =
        found.near.iter().map(|hit| (hit.chunk.page, f64::from(hit.similarity))).collect();
    let lowered = match (found.mode, fusion) {
        (Mode::Hybrid, Fusion::Weighted(weight)) => lowered(weight, &found.words, &near),
        (Mode::Lexical, _) => lowered(0.0, &found.words, &[]),
        _ => Vec::new(),
    };
    let list = match found.mode {
        Mode::Hybrid => fuse(fusion, &found.words, &near),
        Mode::Semantic => near,
        Mode::Lexical => fuse(Fusion::Weighted(0.0), &found.words, &[]),
        Mode::Words | Mode::Fields => found.words.clone(),
    };
    let fused = list.clone();
    let (reasons, passages, named) = (HashMap::new(), HashMap::new(), HashSet::new());
    Ranking { list, mode: found.mode, needed, reasons, lowered, named, fused, passages, explain: false }
}

/// Returns the pages in their final order with their reasons: those named by the query and those that answer it, then
/// the ranking.
pub(super) fn merge(found: Retrieved, mut ranking: Ranking) -> Vec<Ranked> {
    let words: HashSet<PageNo> = found.words.iter().map(|(page, _)| *page).collect();
    let near: HashMap<PageNo, (ChunkRow, f32)> =
        found.near.into_iter().map(|hit| (hit.chunk.page, (hit.chunk, hit.similarity))).collect();
    let complete = found.mode == Mode::Words && !found.relaxed;
    let mut lowered: HashMap<PageNo, f64> = ranking.lowered.into_iter().collect();
    let explained =
        ranking.explain.then(|| Explained::new(&found.words, &near, &ranking.fused, &ranking.passages));
    let mut rest: Vec<Ranked> = Vec::new();
    for (page, score) in ranking.list.into_iter().take(ranking.needed) {
        let mut why = ranking.reasons.remove(&page).unwrap_or_default();
        if words.contains(&page) && !why.iter().any(|why| why == EVERY_WORD) {
            why.push(if complete { EVERY_WORD } else { SOME_WORDS }.to_owned());
        }
        let near = near.get(&page);
        why.extend(near.map(|(_, similarity)| format!("similarity {similarity:.2}")));
        let hit = Ranked::new(page, score, why);
        let lowered = lowered.remove(&page).unwrap_or(hit.lowered);
        // Among pages that are all similar, half a similarity is far below the last of them.
        let lowered = if ranking.named.contains(&page) { lowered.max(half(score)) } else { lowered };
        let steps = explained.as_ref().map(|all| all.steps(page, score, &hit.why)).unwrap_or_default();
        let named = found.referenced.contains(&page);
        let chunk = near.map(|(chunk, _)| chunk.clone());
        rest.push(Ranked { chunk, lowered, exact: named, named, steps, ..hit });
    }
    let mut first = found.first;
    rest.retain(|hit| match first.iter_mut().find(|known| known.page == hit.page) {
        Some(known) => {
            known.chunk = known.chunk.take().or_else(|| hit.chunk.clone());
            known.steps.clone_from(&hit.steps);
            false
        }
        None => true,
    });
    // An exact match ranks above the best of the others, also by its score.
    let (top, count) = (rest.first().map_or(0.0, |best| best.score), first.len());
    for (at, hit) in first.iter_mut().enumerate() {
        hit.score = top + (count - at) as f64;
        if ranking.explain {
            let reason = hit.why.first().map(String::as_str).unwrap_or_default();
            hit.steps.push(format!("placed before the ranking: {reason}"));
        }
    }
    first.append(&mut rest);
    first
}

/// Fuses two lists, both best first, into one, best first, with scores from 0 to 1.
fn fuse(fusion: Fusion, lexical: &[Scored], semantic: &[Scored]) -> Vec<Scored> {
    match fusion {
        Fusion::Model => weighted(Fusion::SEMANTIC_WEIGHT, lexical, semantic),
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

/// Returns the weighted sum of each page as if its own scores were half as high and those of the others the same.
fn lowered(weight: f64, lexical: &[Scored], semantic: &[Scored]) -> Vec<Scored> {
    let mut sums: HashMap<PageNo, f64> = HashMap::new();
    for (list, floor, weight) in [(lexical, 0.0, 1.0 - weight), (semantic, f64::MAX, weight)] {
        let (worst, range) = scale(list, floor);
        for (page, score) in list {
            let scaled = if range > 0.0 { (half(*score) - worst) / range } else { 0.5 };
            *sums.entry(*page).or_default() += weight * scaled;
        }
    }
    sums.into_iter().collect()
}

/// Returns half of a score; a negative one falls as well.
fn half(score: f64) -> f64 {
    score - score.abs() / 2.0
}

/// Scales scores to 0..1: the best is 1, and 0 is the worst or `floor`, whichever is less. A page without matching
/// words has no lexical score at all, so the worst of those that have one must stay above 0.
fn scaled(list: &[Scored], floor: f64) -> Vec<Scored> {
    let (worst, range) = scale(list, floor);
    list.iter()
        .map(|(page, score)| (*page, if range > 0.0 { (score - worst) / range } else { 1.0 }))
        .collect()
}

/// Returns the worst score, or `floor` if that is less, and the distance from it to the best.
fn scale(list: &[Scored], floor: f64) -> (f64, f64) {
    let best = list.iter().map(|(_, score)| *score).fold(f64::MIN, f64::max);
    let worst = list.iter().map(|(_, score)| *score).fold(floor, f64::min);
    (worst, best - worst)
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
pub(super) fn sort(list: &mut [Scored]) {
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
    fn words_that_hardly_match_count_less() {
        let weight = |best: f64| match Fusion::Model.of_model(false, best) {
            Fusion::Weighted(weight) => (weight * 1000.0).round() / 1000.0,
            other => panic!("{other:?}"),
        };
        assert_eq!([1.0, 0.3, 0.24, 0.0].map(weight), [0.5, 0.5, 0.556, 0.667]);
        assert!(matches!(Fusion::Weighted(0.2).of_model(true, 0.0), Fusion::Weighted(0.2)), "as it was set");
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

    #[test]
    fn named_pages_and_answers_come_before_the_ranking() {
        let named = Ranked::new(7, 0.0, vec!["exact title match".into()]);
        let answer = Ranked { answers: true, ..Ranked::new(9, 0.0, vec!["answers it".into()]) };
        let (first, words) = (vec![named, answer], vec![(8, 5.0), (7, 4.0), (6, 3.0), (5, 2.0)]);
        let (relaxed, near, notes, referenced) = (true, Vec::new(), Vec::new(), Vec::new());
        let found =
            Retrieved { first, referenced, words, relaxed, near, model: None, mode: Mode::Words, notes };
        let ranking = combine(Fusion::default(), &found, 3);
        let merged = merge(found, ranking);
        let shown: Vec<(PageNo, f64, &str)> =
            merged.iter().map(|hit| (hit.page, hit.score, hit.why[0].as_str())).collect();
        let expected = [
            (7, 7.0, "exact title match"),
            (9, 6.0, "answers it"),
            (8, 5.0, SOME_WORDS),
            (6, 3.0, SOME_WORDS),
        ];
        assert_eq!(shown, expected);
    }
}
