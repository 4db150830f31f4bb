//! Vectors in few bytes, as pure functions: a byte per number to compare by, and a bit per number to find them by.
//!
//! The signs of two vectors differ in the more places the wider the angle between them. Counting those places is so
//! cheap that every code of a vault can be looked at; the nearest few hundred are then compared by their numbers. This
//! is exact enough, needs no graph to build, and forgets a chunk at no cost.

#![allow(unsafe_code)]

use std::collections::BinaryHeap;

/// A vector in a byte per number, with the scale that gives the numbers back: four bytes, then one for each.
pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0f32, |largest, number| largest.max(number.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let mut bytes = scale.to_le_bytes().to_vec();
    bytes.extend(vector.iter().map(|number| (number / scale).round() as i8 as u8));
    bytes
}

/// The dot product of a vector with one kept in bytes; `None` when their lengths differ.
pub(crate) fn dot(vector: &[f32], bytes: &[u8]) -> Option<f32> {
    let (scale, numbers) = bytes.split_first_chunk::<4>()?;
    if numbers.len() != vector.len() {
        return None;
    }
    let sums = vector.chunks(8).zip(numbers.chunks(8)).fold([0f32; 8], |mut sums, (left, right)| {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * f32::from(*right as i8);
        }
        sums
    });
    Some(f32::from_le_bytes(*scale) * sums.iter().sum::<f32>())
}

/// Adds a vector kept in bytes to a sum; whether their lengths are the same.
pub(crate) fn add_to(sum: &mut [f32], bytes: &[u8]) -> bool {
    let Some((scale, numbers)) = bytes.split_first_chunk::<4>() else { return false };
    if numbers.len() != sum.len() {
        return false;
    }
    let scale = f32::from_le_bytes(*scale);
    sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += scale * f32::from(*number as i8));
    true
}

/// Bytes of a code for so many numbers.
pub(crate) fn code_length(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}

/// The signs of a vector, a bit for each, in whole words of eight bytes.
pub(crate) fn code(vector: &[f32]) -> Vec<u8> {
    signs(vector.len(), vector.iter().map(|number| *number < 0.0))
}

/// The signs of a vector kept in bytes.
pub(crate) fn code_of_bytes(bytes: &[u8]) -> Vec<u8> {
    let numbers = bytes.get(4..).unwrap_or_default();
    signs(numbers.len(), numbers.iter().map(|number| (*number as i8) < 0))
}

fn signs(dimensions: usize, negative: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut code = vec![0u8; code_length(dimensions)];
    for (at, _) in negative.enumerate().filter(|(_, negative)| *negative) {
        code[at / 8] |= 1 << (at % 8);
    }
    code
}

/// In how many places codes differ from a query's, by slot, and the nearest of them.
pub(crate) struct Nearest {
    limit: usize,
    /// How far, where, and where its code is kept.
    heap: BinaryHeap<(u16, u64, usize)>,
    kept: Vec<u8>,
    distances: Vec<u16>,
}

/// The distance of a slot that no code was seen for.
const UNSEEN: u16 = u16::MAX;

impl Nearest {
    pub(crate) fn new(limit: usize) -> Self {
        // It grows with what is found: a limit can be far more than there is.
        Nearest { limit, heap: BinaryHeap::new(), kept: Vec::new(), distances: Vec::new() }
    }

    /// Looks at a block of codes, the first of which stands at `first`. Blocks come in their order. `counts` says which
    /// places count; it is asked only of codes that are near.
    pub(crate) fn look(&mut self, query: &[u8], block: &[u8], first: u64, counts: &dyn Fn(u64) -> bool) {
        let (start, length) = (first as usize, query.len().max(1));
        self.distances.resize(start, UNSEEN);
        self.distances.resize(start + block.len() / length, UNSEEN);
        distances_to(query, block, &mut self.distances[start..]);
        let mut worst = self.heap.peek().map_or(UNSEEN, |worst| worst.0);
        let codes = block.chunks_exact(length);
        for ((distance, place), code) in self.distances[start..].iter().copied().zip(first..).zip(codes) {
            let near = distance < worst || self.heap.len() < self.limit;
            if near && counts(place) {
                self.heap.push((distance, place, self.kept.len()));
                self.kept.extend_from_slice(code);
                if self.heap.len() > self.limit {
                    self.heap.pop();
                }
                worst = self.heap.peek().map_or(UNSEEN, |worst| worst.0);
            }
        }
    }

    /// How far a slot's code is; `None` where there is none.
    pub(crate) fn distance(&self, place: u64) -> Option<u16> {
        self.distances.get(place as usize).copied().filter(|distance| *distance != UNSEEN)
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// So many of the places, nearest first. How much a sign counts is as much as the query has of that number, which
    /// tells the near from the very near better than a count of signs does.
    pub(crate) fn places(&self, query: &[f32], limit: usize) -> Vec<u64> {
        let weights = Weights::of(query);
        let length = code_length(query.len());
        let weighed =
            self.heap.iter().map(|(_, place, at)| (weights.of_code(&self.kept[*at..][..length]), *place));
        let mut nearest: Vec<(f32, u64)> = weighed.collect();
        nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearest.truncate(limit);
        nearest.into_iter().map(|(_, place)| place).collect()
    }
}

/// What each value of each byte of a code adds to the sum of the query's numbers that have the sign of minus there.
struct Weights(Vec<[f32; 256]>);

impl Weights {
    fn of(query: &[f32]) -> Self {
        let table = |numbers: &[f32]| {
            let mut sums = [0f32; 256];
            for value in 1..256usize {
                let lowest = value.trailing_zeros() as usize;
                sums[value] = sums[value & (value - 1)] + numbers.get(lowest).copied().unwrap_or(0.0);
            }
            sums
        };
        Weights(query.chunks(8).map(table).collect())
    }

    /// Less is nearer: the larger this is, the more of the query points the other way.
    fn of_code(&self, code: &[u8]) -> f32 {
        self.0.iter().zip(code).map(|(sums, byte)| sums[usize::from(*byte)]).sum()
    }
}

/// In how many places each code of a block differs from the query's.
fn distances_to(query: &[u8], block: &[u8], distances: &mut [u16]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { with_popcnt(query, block, distances) };
    }
    count(query, block, distances);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn with_popcnt(query: &[u8], block: &[u8], distances: &mut [u16]) {
    count(query, block, distances);
}

#[inline(always)]
fn count(query: &[u8], block: &[u8], distances: &mut [u16]) {
    match query.len() {
        32 => count_words::<4>(query, block, distances),
        48 => count_words::<6>(query, block, distances),
        96 => count_words::<12>(query, block, distances),
        128 => count_words::<16>(query, block, distances),
        _ => {
            for (code, distance) in block.chunks_exact(query.len().max(1)).zip(distances) {
                *distance = code.iter().zip(query).map(|(a, b)| (a ^ b).count_ones() as u16).sum();
            }
        }
    }
}

#[inline(always)]
fn count_words<const WORDS: usize>(query: &[u8], block: &[u8], distances: &mut [u16]) {
    let word = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at * 8..at * 8 + 8].try_into().expect("eight bytes"))
    };
    let query: [u64; WORDS] = std::array::from_fn(|at| word(query, at));
    for (code, distance) in block.chunks_exact(WORDS * 8).zip(distances) {
        let differing: u32 = (0..WORDS).map(|at| (word(code, at) ^ query[at]).count_ones()).sum();
        *distance = differing as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same every time.
    fn numbers(seed: u64, count: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        // Sums of several are near to a bell, as the numbers of real vectors are.
        (0..count).map(|_| (0..4).map(|_| next()).sum()).collect()
    }

    fn unit(mut vector: Vec<f32>) -> Vec<f32> {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|number| *number /= length);
        vector
    }

    #[test]
    fn a_byte_per_number_keeps_the_cosine() {
        for dimensions in [7, 256, 384] {
            let (a, b) = (unit(numbers(1, dimensions)), unit(numbers(2, dimensions)));
            let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let kept = dot(&a, &to_bytes(&b)).expect("of one length");
            assert!((exact - kept).abs() < 0.003, "{dimensions}: {exact} {kept}");
            assert_eq!(code(&b), code_of_bytes(&to_bytes(&b)).as_slice(), "{dimensions}");
        }
    }

    #[test]
    fn vectors_of_other_lengths_are_not_compared() {
        assert_eq!(dot(&[1.0, 0.0], &to_bytes(&[1.0])), None);
        assert_eq!(dot(&[], &[]), None);
        assert_eq!(dot(&[0.0, 0.0], &to_bytes(&[0.0, 0.0])), Some(0.0));
    }

    #[test]
    fn every_way_of_counting_agrees() {
        for dimensions in [64, 100, 256, 384, 768, 1024] {
            let query = code(&numbers(3, dimensions));
            let block: Vec<u8> = (10..60).flat_map(|seed| code(&numbers(seed, dimensions))).collect();
            let mut found = vec![0; 50];
            distances_to(&query, &block, &mut found);
            let plain =
                |code: &[u8]| code.iter().zip(&query).map(|(a, b)| (a ^ b).count_ones() as u16).sum::<u16>();
            let expected: Vec<u16> = block.chunks(query.len()).map(plain).collect();
            assert_eq!(found, expected, "{dimensions}");
        }
    }

    #[test]
    fn the_nearest_by_angle_are_among_the_nearest_by_signs() {
        let query = unit(numbers(99, 256));
        let near = |part: f32, seed: u64| {
            let other = numbers(seed, 256);
            unit(query.iter().zip(&other).map(|(a, b)| a * part + b * 0.3).collect())
        };
        let vectors: Vec<Vec<f32>> =
            (0..2000).map(|at| near(if at % 100 == 0 { 3.0 } else { 0.0 }, at + 1000)).collect();
        let block: Vec<u8> = vectors.iter().flat_map(|vector| code(vector)).collect();
        let mut nearest = Nearest::new(20);
        nearest.look(&code(&query), &block, 0, &|_| true);
        let mut places = nearest.places(&query, 20);
        places.sort_unstable();
        assert_eq!(places, (0..2000).step_by(100).collect::<Vec<u64>>());
    }

    #[test]
    fn large_numbers_of_the_query_count_more_than_small_ones() {
        let query = [vec![0.01; 63], vec![1.0]].concat();
        let (mut few, mut one) = (vec![1.0f32; 64], vec![1.0f32; 64]);
        few[..5].fill(-1.0);
        one[63] = -1.0;
        let block = [code(&one), code(&few)].concat();
        let mut nearest = Nearest::new(2);
        nearest.look(&code(&query), &block, 0, &|_| true);
        assert_eq!((nearest.distance(0), nearest.distance(1)), (Some(1), Some(5)));
        assert_eq!(nearest.places(&query, 1), [1], "the one sign is most of the query");
    }

    #[test]
    fn places_that_do_not_count_make_room_for_others() {
        let block: Vec<u8> = (0..4).flat_map(|_| code(&[1.0; 64])).collect();
        let mut nearest = Nearest::new(2);
        nearest.look(&code(&[1.0; 64]), &block, 8, &|place| place != 8 && place != 10);
        assert_eq!(nearest.places(&[1.0; 64], 2), [9, 11]);
    }

    #[test]
    fn a_limit_beyond_all_there_is_needs_no_memory_of_its_own() {
        let mut nearest = Nearest::new(usize::MAX);
        nearest.look(&code(&[1.0; 64]), &code(&[1.0; 64]), 0, &|_| true);
        assert_eq!(nearest.places(&[1.0; 64], usize::MAX), [0]);
    }
}
