//! Products with 256-bit vectors.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{PANEL, Rows, portable};

/// Products of bytes, four rows at a time, so that each loaded vector of weights is used four times.
#[target_feature(enable = "avx2")]
pub(super) fn bytes(left: Rows<u8>, panel: &[i8], sums: &mut [[i32; PANEL]]) {
    let (fours, rest) = sums.as_chunks_mut::<4>();
    for (index, sums) in fours.iter_mut().enumerate() {
        bytes_of(left.some(index * 4..index * 4 + 4), panel, sums);
    }
    let done = fours.len() * 4;
    for (index, sums) in rest.iter_mut().enumerate() {
        bytes_of(left.some(done + index..done + index + 1), panel, std::array::from_mut(sums));
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn bytes_of<const ROWS: usize>(left: Rows<u8>, panel: &[i8], sums: &mut [[i32; PANEL]; ROWS]) {
    assert!(left.values.len() == left.width * ROWS && panel.len() == left.width * PANEL);
    let ones = _mm256_set1_epi16(1);
    let mut totals = [[_mm256_setzero_si256(); 2]; ROWS];
    let (values, weights) = (left.values.as_ptr(), panel.as_ptr());
    for step in 0..left.width / 4 {
        // SAFETY: `step` is below a quarter of the width, so 64 weights and four values of each of the `ROWS` rows
        // start there, as asserted above. Unaligned loads are used throughout.
        unsafe {
            let first = _mm256_loadu_si256(weights.add(step * 64).cast());
            let halves = [first, _mm256_loadu_si256(weights.add(step * 64 + 32).cast())];
            for (row, totals) in totals.iter_mut().enumerate() {
                let four = values.add(row * left.width + step * 4).cast::<i32>().read_unaligned();
                let four = _mm256_set1_epi32(four);
                for (total, half) in totals.iter_mut().zip(halves) {
                    let pairs = _mm256_maddubs_epi16(four, half);
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pairs, ones));
                }
            }
        }
    }
    store(&totals, sums);
}

/// Products of 16-bit integers, four rows at a time.
#[target_feature(enable = "avx2")]
pub(super) fn shorts(left: Rows<i16>, panel: &[i16], sums: &mut [[i32; PANEL]]) {
    let (fours, rest) = sums.as_chunks_mut::<4>();
    for (index, sums) in fours.iter_mut().enumerate() {
        shorts_of(left.some(index * 4..index * 4 + 4), panel, sums);
    }
    let done = fours.len() * 4;
    for (index, sums) in rest.iter_mut().enumerate() {
        shorts_of(left.some(done + index..done + index + 1), panel, std::array::from_mut(sums));
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn shorts_of<const ROWS: usize>(left: Rows<i16>, panel: &[i16], sums: &mut [[i32; PANEL]; ROWS]) {
    assert!(left.values.len() == left.width * ROWS && panel.len() == left.width * PANEL);
    let mut totals = [[_mm256_setzero_si256(); 2]; ROWS];
    let (values, others) = (left.values.as_ptr(), panel.as_ptr());
    for step in 0..left.width / 2 {
        // SAFETY: `step` is below half the width, so 32 numbers of the panel and a pair of each of the `ROWS` rows
        // start there, as asserted above.
        unsafe {
            let first = _mm256_loadu_si256(others.add(step * 32).cast());
            let halves = [first, _mm256_loadu_si256(others.add(step * 32 + 16).cast())];
            for (row, totals) in totals.iter_mut().enumerate() {
                let pair = values.add(row * left.width + step * 2).cast::<i32>().read_unaligned();
                let pair = _mm256_set1_epi32(pair);
                for (total, half) in totals.iter_mut().zip(halves) {
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pair, half));
                }
            }
        }
    }
    store(&totals, sums);
}

#[target_feature(enable = "avx2")]
#[inline]
fn store<const ROWS: usize>(totals: &[[__m256i; 2]; ROWS], sums: &mut [[i32; PANEL]; ROWS]) {
    for (totals, sums) in totals.iter().zip(sums) {
        // SAFETY: sixteen numbers are two vectors of eight.
        unsafe {
            _mm256_storeu_si256(sums.as_mut_ptr().cast(), totals[0]);
            _mm256_storeu_si256(sums.as_mut_ptr().add(8).cast(), totals[1]);
        }
    }
}

/// Products of f32. The outer loop takes four rows of the right side, the inner loop two rows of the left, so that the
/// many weights are read once and the values stay in the cache.
#[target_feature(enable = "avx2,fma")]
pub(super) fn floats(left: Rows<f32>, right: Rows<f32>, out: &mut [f32], stride: usize) {
    let (rows, columns) = (left.count(), right.count());
    for column in (0..columns).step_by(4) {
        let some = right.some(column..columns.min(column + 4));
        for row in (0..rows).step_by(2) {
            let pair = left.some(row..rows.min(row + 2));
            let out = &mut out[row * stride + column..];
            match (pair.count(), some.count()) {
                (2, 4) => tile::<2>(pair, some, out, stride),
                (1, 4) => tile::<1>(pair, some, out, stride),
                _ => portable::floats(pair, some, out, stride),
            }
        }
    }
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn tile<const ROWS: usize>(left: Rows<f32>, right: Rows<f32>, out: &mut [f32], stride: usize) {
    let width = left.width;
    assert!(left.values.len() == width * ROWS && right.values.len() == width * 4 && right.width == width);
    let mut totals = [[_mm256_setzero_ps(); 4]; ROWS];
    let (values, weights) = (left.values.as_ptr(), right.values.as_ptr());
    for at in (0..width / 8 * 8).step_by(8) {
        // SAFETY: eight numbers start at `at` in each of the `ROWS` rows on the left and the four on the right.
        unsafe {
            let mut some = [_mm256_setzero_ps(); ROWS];
            for (row, some) in some.iter_mut().enumerate() {
                *some = _mm256_loadu_ps(values.add(row * width + at));
            }
            for column in 0..4 {
                let weights = _mm256_loadu_ps(weights.add(column * width + at));
                for (totals, some) in totals.iter_mut().zip(some) {
                    totals[column] = _mm256_fmadd_ps(some, weights, totals[column]);
                }
            }
        }
    }
    for (row, totals) in totals.into_iter().enumerate() {
        for (column, total) in totals.into_iter().enumerate() {
            let rest = width / 8 * 8..width;
            let rest = left.row(row)[rest.clone()].iter().zip(&right.row(column)[rest]);
            let rest: f32 = rest.map(|(left, right)| left * right).sum();
            out[row * stride + column] = sum(total) + rest;
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn sum(lanes: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
}
