//! Compact vectors, as pure functions: int8 vectors for comparison and sign codes (one bit per dimension) for
//! retrieval.
//!
//! The wider the angle between two vectors, the more of their signs differ. Counting the differing bits is so cheap
//! that all codes of a vault can be scanned; the nearest few hundred are then compared as int8 vectors. This is
//! accurate enough, needs no graph index, and removing a chunk costs nothing.

#![allow(unsafe_code)]

use std::collections::BinaryHeap;

/// Quantizes a vector to int8: a scale of four bytes, then one byte per dimension.
pub fn to_bytes(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0f32, |largest, number| largest.max(number.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let mut bytes = scale.to_le_bytes().to_vec();
    bytes.extend(vector.iter().map(|number| (number / scale).round() as i8 as u8));
    bytes
}

/// Returns the dot product of a vector and an int8 vector; `None` if their dimensions differ.
pub fn dot(vector: &[f32], bytes: &[u8]) -> Option<f32> {
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

/// Adds an int8 vector to a sum; returns whether their dimensions match.
pub fn add_to(sum: &mut [f32], bytes: &[u8]) -> bool {
    let Some((scale, numbers)) = bytes.split_first_chunk::<4>() else { return false };
    if numbers.len() != sum.len() {
        return false;
    }
    let scale = f32::from_le_bytes(*scale);
    sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += scale * f32::from(*number as i8));
    true
}

/// Returns the length in bytes of a sign code.
pub fn code_length(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}

/// Returns the sign code of a vector: one bit per dimension, padded to whole 64-bit words.
pub fn code(vector: &[f32]) -> Vec<u8> {
    signs(vector.len(), vector.iter().map(|number| *number < 0.0))
}

/// Returns the sign code of an int8 vector.
pub fn code_of_bytes(bytes: &[u8]) -> Vec<u8> {
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

/// The Hamming distances of sign codes to a query's, by slot, and the nearest of them.
pub struct Nearest {
    limit: usize,
    /// Distance, slot, and offset of the code in `kept`.
    heap: BinaryHeap<(u16, u64, usize)>,
    kept: Vec<u8>,
    distances: Vec<u16>,
}

/// The distance of a slot without a code.
const UNSEEN: u16 = u16::MAX;

impl Nearest {
    /// Creates a collector of the nearest codes, up to a limit.
    pub fn new(limit: usize) -> Self {
        // Not preallocated: the limit can be far larger than the number of codes.
        Nearest { limit, heap: BinaryHeap::new(), kept: Vec::new(), distances: Vec::new() }
    }

    /// Scans a block of codes that starts at slot `first`. Blocks must be passed in order. `counts` decides which slots
    /// are eligible; it is only called for codes that are near.
    pub fn look(&mut self, query: &[u8], block: &[u8], first: u64, counts: &dyn Fn(u64) -> bool) {
        let (start, length) = (first as usize, query.len().max(1));
        self.distances.resize(start, UNSEEN);
        self.distances.resize(start + block.len() / length, UNSEEN);
        distances_to(query, block, &mut self.distances[start..]);
        let mut worst = self.heap.peek().map_or(UNSEEN, |worst| worst.0);
        let codes = block.chunks_exact(length);
        for ((distance, slot), code) in self.distances[start..].iter().copied().zip(first..).zip(codes) {
            let is_close = distance < worst || self.heap.len() < self.limit;
            if is_close && counts(slot) {
                self.heap.push((distance, slot, self.kept.len()));
                self.kept.extend_from_slice(code);
                if self.heap.len() > self.limit {
                    self.heap.pop();
                }
                worst = self.heap.peek().map_or(UNSEEN, |worst| worst.0);
            }
        }
    }

    /// Returns the distance of a slot's code; `None` if it has none.
    pub fn distance(&self, slot: u64) -> Option<u16> {
        self.distances.get(slot as usize).copied().filter(|distance| *distance != UNSEEN)
    }

    /// Returns the nearest codes with their slots and distances, nearest first. `length` is that of a code.
    pub fn codes(&self, length: usize) -> Vec<(u64, u16, &[u8])> {
        let code = |at: usize| self.kept.get(at..at + length).unwrap_or_default();
        let mut codes: Vec<_> =
            self.heap.iter().map(|(distance, slot, at)| (*slot, *distance, code(*at))).collect();
        codes.sort_unstable_by_key(|(slot, distance, _)| (*distance, *slot));
        codes
    }
}

/// Ranks codes by their signs, each weighted by the query's value in that dimension: better than a plain bit count, and
/// too slow for all codes of a vault. Holds the contribution of each value of each code byte to the sum of the query's
/// values whose sign bit is set.
pub struct SignWeights(Vec<[f32; 256]>);

impl SignWeights {
    /// Prepares the weights of a query.
    pub fn of(query: &[f32]) -> Self {
        let table = |numbers: &[f32]| {
            let mut sums = [0f32; 256];
            for value in 1..256usize {
                let lowest = value.trailing_zeros() as usize;
                sums[value] = sums[value & (value - 1)] + numbers.get(lowest).copied().unwrap_or(0.0);
            }
            sums
        };
        SignWeights(query.chunks(8).map(table).collect())
    }

    /// Returns the weight of a code. Less is nearer: a larger sum means that more of the query points the other way.
    pub fn of_code(&self, code: &[u8]) -> f32 {
        self.0.iter().zip(code).map(|(sums, byte)| sums[usize::from(*byte)]).sum()
    }
}

/// Computes the Hamming distance of each code in a block to the query's.
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

    /// Deterministic pseudo-random numbers.
    fn numbers(seed: u64, count: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        // Sums of several are roughly normally distributed, like the values of real vectors.
        (0..count).map(|_| (0..4).map(|_| next()).sum()).collect()
    }

    fn unit(mut vector: Vec<f32>) -> Vec<f32> {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|number| *number /= length);
        vector
    }

    fn slots(nearest: &Nearest) -> Vec<u64> {
        nearest.codes(8).into_iter().map(|(slot, ..)| slot).collect()
    }

    #[test]
    fn int8_vectors_preserve_the_cosine() {
        for dimensions in [7, 256, 384] {
            let (a, b) = (unit(numbers(1, dimensions)), unit(numbers(2, dimensions)));
            let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let kept = dot(&a, &to_bytes(&b)).expect("equal dimensions");
            assert!((exact - kept).abs() < 0.003, "{dimensions}: {exact} {kept}");
            assert_eq!(code(&b), code_of_bytes(&to_bytes(&b)).as_slice(), "{dimensions}");
        }
    }

    #[test]
    fn vectors_of_different_dimensions_are_not_compared() {
        assert_eq!(dot(&[1.0, 0.0], &to_bytes(&[1.0])), None);
        assert_eq!(dot(&[], &[]), None);
        assert_eq!(dot(&[0.0, 0.0], &to_bytes(&[0.0, 0.0])), Some(0.0));
    }

    #[test]
    fn all_distance_implementations_agree() {
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
    fn sign_codes_find_the_nearest_by_angle() {
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
        let mut slots = slots(&nearest);
        slots.sort_unstable();
        assert_eq!(slots, (0..2000).step_by(100).collect::<Vec<u64>>());
    }

    #[test]
    fn large_query_values_weigh_more() {
        let query = [vec![0.01; 63], vec![1.0]].concat();
        let (mut few, mut one) = (vec![1.0f32; 64], vec![1.0f32; 64]);
        few[..5].fill(-1.0);
        one[63] = -1.0;
        let block = [code(&one), code(&few)].concat();
        let mut nearest = Nearest::new(2);
        nearest.look(&code(&query), &block, 0, &|_| true);
        assert_eq!((nearest.distance(0), nearest.distance(1)), (Some(1), Some(5)));
        let weights = SignWeights::of(&query);
        let [near, far] = [&few, &one].map(|vector| weights.of_code(&code(vector)));
        assert!(near < far, "the single sign carries most of the query");
    }

    #[test]
    fn ineligible_slots_are_skipped() {
        let block: Vec<u8> = (0..4).flat_map(|_| code(&[1.0; 64])).collect();
        let mut nearest = Nearest::new(2);
        nearest.look(&code(&[1.0; 64]), &block, 8, &|slot| slot != 8 && slot != 10);
        assert_eq!(slots(&nearest), [9, 11]);
    }

    #[test]
    fn huge_limits_allocate_no_memory() {
        let mut nearest = Nearest::new(usize::MAX);
        nearest.look(&code(&[1.0; 64]), &code(&[1.0; 64]), 0, &|_| true);
        assert_eq!(slots(&nearest), [0]);
    }
}
