//! Finds pairs of similar pages, by the cosine of their vectors or by shared words. Pure. Sign codes or rare words
//! preselect the pairs, so not every pair is compared in full.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::f64::consts::PI;

use super::cluster::Pair;

/// Number of nearest neighbours a page is compared with in full. More than a cluster holds are never needed.
const NEAREST: usize = 32;

/// Tolerated standard deviations above the expected number of differing sign bits.
const DEVIATIONS: f64 = 3.0;

/// Returns the pairs whose cosine exceeds a threshold. Each point is a page number and a unit vector.
pub(super) fn by_embedding(points: &[(usize, Vec<f32>)], threshold: f64) -> Vec<Pair> {
    let dimensions = points.iter().map(|(_, vector)| vector.len()).max().unwrap_or(0);
    let words = dimensions.div_ceil(64);
    let codes: Vec<u64> = points.iter().flat_map(|(_, vector)| signs(vector, words)).collect();
    let max_distance = max_differing_bits(dimensions, threshold);
    let mut pairs = BTreeMap::new();
    for (at, (page, vector)) in points.iter().enumerate() {
        for next in nearest_points(&codes, words, at, max_distance) {
            let (other_page, other) = &points[next];
            let cosine = dot(vector, other);
            if cosine > threshold {
                pairs.insert((*page.min(other_page), *page.max(other_page)), cosine);
            }
        }
    }
    pairs.into_iter().map(|((one, other), strength)| Pair { one, other, strength }).collect()
}

/// Returns the sign code of a vector, one bit per dimension.
fn signs(vector: &[f32], words: usize) -> Vec<u64> {
    let mut code = vec![0; words];
    for (at, _) in vector.iter().enumerate().filter(|(_, number)| **number < 0.0) {
        code[at / 64] |= 1 << (at % 64);
    }
    code
}

/// Returns the maximum number of sign bits in which two vectors above this cosine differ, except in rare cases.
fn max_differing_bits(dimensions: usize, cosine: f64) -> u32 {
    let part = cosine.clamp(-1.0, 1.0).acos() / PI;
    let deviation = (part * (1.0 - part) / dimensions.max(1) as f64).sqrt();
    (dimensions as f64 * (part + DEVIATIONS * deviation)).ceil() as u32
}

/// Returns the points with the nearest sign codes. Ties are broken in circular order from the point itself, so that
/// many equal pages do not all select the same few.
fn nearest_points(codes: &[u64], words: usize, at: usize, max_distance: u32) -> Vec<usize> {
    let count = codes.len().checked_div(words).unwrap_or(0);
    let code = &codes[at * words..(at + 1) * words];
    let mut nearest: BinaryHeap<(u32, usize)> = BinaryHeap::with_capacity(NEAREST + 1);
    let mut worst = max_distance;
    for step in 1..count {
        let other = (at + step) % count;
        let other_code = &codes[other * words..(other + 1) * words];
        let distance: u32 = code.iter().zip(other_code).map(|(a, b)| (a ^ b).count_ones()).sum();
        let full = nearest.len() >= NEAREST;
        if distance > worst || full && distance == worst {
            continue;
        }
        nearest.push((distance, step));
        if full {
            nearest.pop();
        }
        if nearest.len() >= NEAREST {
            worst = nearest.peek().map_or(max_distance, |(distance, _)| *distance);
        }
    }
    nearest.into_iter().map(|(_, step)| (at + step) % count).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

/// Returns the pairs of pages whose terms have at least this Jaccard similarity.
///
/// Two sets that overlap that much share one of their rarest terms, so only as many rare terms per page are looked up
/// as needed. The pages that contain a term are visited in circular order, up to a maximum.
pub(super) fn by_words(pages: &[(usize, BTreeSet<String>)], threshold: f64) -> Vec<Pair> {
    let (sets, holders) = by_rarity(pages);
    let mut pairs = BTreeMap::new();
    for (at, own) in sets.iter().enumerate() {
        let needed = (own.len() as f64 * threshold).ceil() as usize;
        let rarest = own.get(..own.len() + 1 - needed.max(1)).unwrap_or_default();
        let mut candidates: Vec<usize> =
            rarest.iter().flat_map(|term| following(&holders[*term as usize], at)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        for other in candidates.into_iter().filter(|other| *other != at) {
            let shared = jaccard_of_sorted(own, &sets[other]);
            if shared >= threshold {
                let (one, other) = (pages[at].0, pages[other].0);
                pairs.insert((one.min(other), one.max(other)), shared);
            }
        }
    }
    pairs.into_iter().map(|((one, other), strength)| Pair { one, other, strength }).collect()
}

/// Returns the terms of each page as numbers, rarest first, and the pages that contain each term.
fn by_rarity(pages: &[(usize, BTreeSet<String>)]) -> (Vec<Vec<u32>>, Vec<Vec<usize>>) {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    pages.iter().flat_map(|(_, terms)| terms).for_each(|term| *counts.entry(term).or_default() += 1);
    let mut order: Vec<(u32, &str)> = counts.into_iter().map(|(term, count)| (count, term)).collect();
    order.sort_unstable();
    let numbers: HashMap<&str, u32> = (0..).zip(&order).map(|(number, (_, term))| (*term, number)).collect();
    let mut holders = vec![Vec::new(); order.len()];
    let number = |(at, (_, terms)): (usize, &(usize, BTreeSet<String>))| {
        let mut set: Vec<u32> = terms.iter().map(|term| numbers[term.as_str()]).collect();
        set.sort_unstable();
        set.iter().for_each(|term| holders[*term as usize].push(at));
        set
    };
    let sets = pages.iter().enumerate().map(number).collect();
    (sets, holders)
}

/// Returns the Jaccard similarity of two sorted sets, from 0 to 1.
fn jaccard_of_sorted(a: &[u32], b: &[u32]) -> f64 {
    let (mut left, mut right, mut shared) = (0, 0, 0);
    while let (Some(one), Some(other)) = (a.get(left), b.get(right)) {
        shared += usize::from(one == other);
        left += usize::from(one <= other);
        right += usize::from(other <= one);
    }
    if shared == 0 { 0.0 } else { shared as f64 / (a.len() + b.len() - shared) as f64 }
}

/// Returns the elements after one in a list, in circular order, up to a maximum.
fn following(list: &[usize], at: usize) -> impl Iterator<Item = usize> + '_ {
    let start = list.partition_point(|other| *other <= at);
    let around = list[start..].iter().chain(&list[..start]);
    around.copied().take(2 * NEAREST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_text::{jaccard, terms};

    /// Returns deterministic pseudo-random numbers.
    fn noise(seed: u64, count: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        (0..count).map(|_| (0..4).map(|_| next()).sum()).collect()
    }

    fn unit(vector: Vec<f32>) -> Vec<f32> {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.into_iter().map(|number| number / length).collect()
    }

    /// Returns points around the given number of centres, in turn, with the given spread.
    fn points(count: usize, centres: u64, spread: f32) -> Vec<(usize, Vec<f32>)> {
        let around = |at: usize| {
            let centre = noise(1 + at as u64 % centres, 256);
            let own = noise(1000 + at as u64, 256);
            unit(centre.iter().zip(&own).map(|(centre, own)| centre + own * spread).collect())
        };
        (0..count).map(|at| (at, around(at))).collect()
    }

    /// Returns all pairs by brute force.
    fn all_pairs(points: &[(usize, Vec<f32>)], above: f64) -> BTreeSet<(usize, usize)> {
        let pair = |a: usize| (a + 1..points.len()).map(move |b| (a, b));
        let close = |(a, b): &(usize, usize)| dot(&points[*a].1, &points[*b].1) > above;
        (0..points.len()).flat_map(pair).filter(close).collect()
    }

    #[test]
    fn sign_codes_find_nearly_all_pairs_and_no_false_ones() {
        let points = points(120, 12, 0.45);
        let all = all_pairs(&points, 0.8);
        let found: BTreeSet<(usize, usize)> =
            by_embedding(&points, 0.8).iter().map(|pair| (pair.one, pair.other)).collect();
        assert!(all.len() > 200, "too few pairs for the test: {}", all.len());
        assert!(found.is_subset(&all));
        assert!(found.len() * 100 >= all.len() * 98, "{} of {}", found.len(), all.len());
    }

    #[test]
    fn distant_points_form_no_pair() {
        assert_eq!(by_embedding(&points(60, 60, 0.0), 0.8), []);
        assert_eq!(by_embedding(&[], 0.8), []);
        assert_eq!(by_embedding(&points(1, 1, 0.0), 0.8), []);
    }

    #[test]
    fn many_equal_points_are_all_clustered() {
        let points = points(300, 1, 0.0);
        let pairs = by_embedding(&points, 0.8);
        assert!(pairs.len() <= 300 * NEAREST, "{}", pairs.len());
        let sizes = super::super::cluster::Sizes { smallest: 3, largest: 20 };
        let found = super::super::cluster::clusters(300, &[], &pairs, sizes);
        assert_eq!(found.iter().map(|cluster| cluster.pages.len()).sum::<usize>(), 300);
        assert!(found.iter().all(|cluster| cluster.pages.len() == 20), "{found:?}");
    }

    #[test]
    fn pages_sharing_half_of_their_words_form_a_pair() {
        let pages: Vec<(usize, BTreeSet<String>)> = [
            "sprint pricing for client harbour rejected",
            "client harbour rejected sprint pricing again",
            "the garden wants water",
            "pricing of the sprint: harbour client agreed",
            "",
        ]
        .iter()
        .map(|text| terms(text))
        .enumerate()
        .collect();
        let found: Vec<(usize, usize)> =
            by_words(&pages, 0.5).iter().map(|pair| (pair.one, pair.other)).collect();
        let slow: Vec<(usize, usize)> = (0..5)
            .flat_map(|a| (a + 1..5).map(move |b| (a, b)))
            .filter(|(a, b)| jaccard(&pages[*a].1, &pages[*b].1) >= 0.5)
            .collect();
        assert_eq!(found, slow);
        assert_eq!(found, [(0, 1), (0, 3), (1, 3)]);
    }
}
