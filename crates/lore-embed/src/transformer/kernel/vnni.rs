//! Products with 512-bit vectors and their dot-product instructions.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{PANEL, Rows};

/// Rows computed together: enough to hide the latency of the dot-product instruction.
const GROUP: usize = 12;

/// Products of bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn bytes(left: Rows<u8>, panel: &[i8], sums: &mut [[i32; PANEL]]) {
    let (many, rest) = sums.as_chunks_mut::<GROUP>();
    for (index, sums) in many.iter_mut().enumerate() {
        bytes_of(left.some(index * GROUP..(index + 1) * GROUP), panel, sums);
    }
    let done = many.len() * GROUP;
    let (fours, rest) = rest.as_chunks_mut::<4>();
    for (index, sums) in fours.iter_mut().enumerate() {
        bytes_of(left.some(done + index * 4..done + index * 4 + 4), panel, sums);
    }
    let done = done + fours.len() * 4;
    for (index, sums) in rest.iter_mut().enumerate() {
        bytes_of(left.some(done + index..done + index + 1), panel, std::array::from_mut(sums));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn bytes_of<const ROWS: usize>(left: Rows<u8>, panel: &[i8], sums: &mut [[i32; PANEL]; ROWS]) {
    assert!(left.values.len() == left.width * ROWS && panel.len() == left.width * PANEL);
    let mut totals = [_mm512_setzero_si512(); ROWS];
    let (values, weights) = (left.values.as_ptr(), panel.as_ptr());
    for step in 0..left.width / 4 {
        // SAFETY: `step` is below a quarter of the width, so 64 weights and four values of each of the `ROWS` rows
        // start there, as asserted above.
        unsafe {
            let weights = _mm512_loadu_si512(weights.add(step * 64).cast());
            for (row, total) in totals.iter_mut().enumerate() {
                let four = values.add(row * left.width + step * 4).cast::<i32>().read_unaligned();
                *total = _mm512_dpbusd_epi32(*total, _mm512_set1_epi32(four), weights);
            }
        }
    }
    store(&totals, sums);
}

/// Products of 16-bit integers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn shorts(left: Rows<i16>, panel: &[i16], sums: &mut [[i32; PANEL]]) {
    let (many, rest) = sums.as_chunks_mut::<8>();
    for (index, sums) in many.iter_mut().enumerate() {
        shorts_of(left.some(index * 8..(index + 1) * 8), panel, sums);
    }
    let done = many.len() * 8;
    for (index, sums) in rest.iter_mut().enumerate() {
        shorts_of(left.some(done + index..done + index + 1), panel, std::array::from_mut(sums));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn shorts_of<const ROWS: usize>(left: Rows<i16>, panel: &[i16], sums: &mut [[i32; PANEL]; ROWS]) {
    assert!(left.values.len() == left.width * ROWS && panel.len() == left.width * PANEL);
    let mut totals = [_mm512_setzero_si512(); ROWS];
    let (values, others) = (left.values.as_ptr(), panel.as_ptr());
    for step in 0..left.width / 2 {
        // SAFETY: `step` is below half the width, so 32 numbers of the panel and a pair of each of the `ROWS` rows
        // start there, as asserted above.
        unsafe {
            let others = _mm512_loadu_si512(others.add(step * 32).cast());
            for (row, total) in totals.iter_mut().enumerate() {
                let pair = values.add(row * left.width + step * 2).cast::<i32>().read_unaligned();
                *total = _mm512_dpwssd_epi32(*total, _mm512_set1_epi32(pair), others);
            }
        }
    }
    store(&totals, sums);
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store<const ROWS: usize>(totals: &[__m512i; ROWS], sums: &mut [[i32; PANEL]; ROWS]) {
    for (total, sums) in totals.iter().zip(sums) {
        // SAFETY: sixteen numbers are one vector.
        unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), *total) }
    }
}
