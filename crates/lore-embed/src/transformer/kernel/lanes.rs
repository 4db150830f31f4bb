//! Element-wise operations in plain Rust, compiled once for each instruction set. Nothing is fused and every sum has
//! sixteen lanes, so that each compilation gives the same bits. NaN and infinities (from a damaged model) wrap or
//! propagate to the result, where they are rejected.

use super::PANEL;
use crate::transformer::settings::Activation;

const LANES: usize = 16;

/// Parameters of a layer normalization.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Norm<'a> {
    pub(in super::super) gain: &'a [f32],
    pub(in super::super) bias: &'a [f32],
    pub(in super::super) epsilon: f32,
}

/// Scales and zero points of quantized rows.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct RowScales<'a> {
    pub(in super::super) scales: &'a [f32],
    /// The zero point of each row.
    pub(in super::super) zeros: &'a [i32],
}

/// Scales of a panel's quantized columns.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ColumnScales<'a> {
    pub(in super::super) scales: &'a [f32; PANEL],
    /// The sum of each column's bytes.
    pub(in super::super) sums: &'a [i32; PANEL],
    pub(in super::super) bias: &'a [f32; PANEL],
}

/// Where a panel's columns are written: `width` numbers in every `stride`.
#[derive(Debug)]
pub(in super::super) struct Target<'a> {
    pub(in super::super) values: &'a mut [f32],
    pub(in super::super) stride: usize,
    pub(in super::super) width: usize,
}

#[inline(always)]
pub(super) fn add_and_norm(values: &mut [f32], added: &[f32], norm: Norm) {
    for (value, added) in values.iter_mut().zip(added) {
        *value += added;
    }
    let count = values.len() as f32;
    let mean = sum_of(values, |value| value) / count;
    let variance = sum_of(values, |value| (value - mean) * (value - mean)) / count;
    let factor = 1.0 / (variance + norm.epsilon).sqrt();
    for ((value, gain), bias) in values.iter_mut().zip(norm.gain).zip(norm.bias) {
        *value = (*value - mean) * factor * gain + bias;
    }
}

#[inline(always)]
pub(super) fn activate(values: &mut [f32], activation: Activation) {
    match activation {
        Activation::Gelu => values.iter_mut().for_each(|value| *value = gelu(*value)),
        Activation::GeluTanh => values.iter_mut().for_each(|value| *value = gelu_tanh(*value)),
        Activation::Relu => values.iter_mut().for_each(|value| *value = greater(*value, 0.0)),
    }
}

#[inline(always)]
pub(super) fn softmax(scores: &mut [f32]) {
    let most = fold(scores, f32::NEG_INFINITY, greater);
    for score in scores.iter_mut() {
        *score = exp(*score - most);
    }
    let factor = 1.0 / sum_of(scores, |score| score);
    for score in scores {
        *score *= factor;
    }
}

#[inline(always)]
pub(super) fn softmax_shorts(scores: &[i32], scale: f32, buffer: &mut [f32], weights: &mut [i16]) -> i32 {
    let most = scores.iter().copied().max().unwrap_or(0);
    let buffer = &mut buffer[..scores.len()];
    for (weight, score) in buffer.iter_mut().zip(scores) {
        *weight = exp(score.wrapping_sub(most) as f32 * scale);
    }
    let factor = f32::from(i16::MAX) / sum_of(buffer, |weight| weight);
    let mut total = 0_i32;
    for (short, weight) in weights.iter_mut().zip(buffer.iter()) {
        let whole = round(weight * factor);
        total = total.wrapping_add(whole);
        *short = whole as i16;
    }
    weights[scores.len()..].fill(0);
    total
}

#[inline(always)]
pub(super) fn quantise(values: &[f32], bytes: &mut [u8]) -> (f32, i32) {
    // The range includes zero, so that zero has an exact byte.
    let (minimum, maximum) = (fold(values, 0.0, lesser), fold(values, 0.0, greater));
    let range = maximum - minimum;
    let factor = if range > 0.0 { 255.0 / range } else { 0.0 };
    let zero = round(-minimum * factor);
    for (byte, value) in bytes.iter_mut().zip(values) {
        *byte = round(value * factor).wrapping_add(zero).clamp(0, 255) as u8;
    }
    bytes[values.len()..].fill(0);
    (range / 255.0, zero)
}

#[inline(always)]
pub(super) fn restore(sums: &[[i32; PANEL]], rows: RowScales, columns: ColumnScales, out: Target) {
    let width = out.width;
    let scales = rows.scales.iter().zip(rows.zeros);
    for ((sums, (scale, zero)), out) in sums.iter().zip(scales).zip(out.values.chunks_mut(out.stride)) {
        let restored = |column: usize| {
            let sum = sums[column].wrapping_sub(zero.wrapping_mul(columns.sums[column]));
            sum as f32 * (scale * columns.scales[column]) + columns.bias[column]
        };
        match out.first_chunk_mut::<PANEL>() {
            Some(out) if width == PANEL => (0..PANEL).for_each(|column| out[column] = restored(column)),
            _ => (0..width).for_each(|column| out[column] = restored(column)),
        }
    }
}

#[inline(always)]
pub(super) fn greatest(values: &[f32]) -> f32 {
    fold(values, 0.0, |most, value| greater(most, value.abs()))
}

#[inline(always)]
pub(super) fn raise(most: &mut [f32], values: &[f32]) {
    for (most, value) in most.iter_mut().zip(values) {
        *most = greater(*most, value.abs());
    }
}

#[inline(always)]
pub(super) fn greatest_pair(values: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<{ 2 * LANES }>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = greater(lanes[lane], chunk[2 * lane].abs() + chunk[2 * lane + 1].abs());
        }
    }
    for (lane, pair) in lanes.iter_mut().zip(rest.chunks(2)) {
        *lane = greater(*lane, pair.iter().map(|value| value.abs()).sum());
    }
    fold(&lanes, 0.0, greater)
}

#[inline(always)]
pub(super) fn shorten(values: &[f32], factor: f32, shorts: &mut [i16]) {
    for (short, value) in shorts.iter_mut().zip(values) {
        *short = round(value * factor) as i16;
    }
}

#[inline(always)]
pub(super) fn shrink(values: &[f32], factor: f32, bytes: &mut [i8]) -> i32 {
    let mut total = 0_i32;
    for (byte, value) in bytes.iter_mut().zip(values) {
        let whole = round(value * factor);
        total = total.wrapping_add(whole);
        *byte = whole as i8;
    }
    total
}

/// Folds in sixteen lanes, then over the lanes.
#[inline(always)]
fn fold(values: &[f32], first: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [first; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = join(lanes[lane], chunk[lane]);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane = join(*lane, *value);
    }
    // Tree reduction, faster than a sequential one.
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] = join(lanes[lane], lanes[lane + width]);
        }
        width /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn sum_of(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] += of(chunk[lane]);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += of(*value);
    }
    fold(&lanes, 0.0, |sum, lane| sum + lane)
}

/// A single instruction, unlike `f32::max`, because it ignores NaN semantics.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Adding this constant leaves the nearest integer in the lowest bits.
const SHIFT: f32 = 12_582_912.0;

/// Rounds to the nearest integer, ties to even; for magnitudes below 2^22.
#[inline(always)]
fn round(value: f32) -> i32 {
    (value + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i32
}

/// Exponential of a number that is not positive, with a relative error of 3e-7; clamped below e^-87.
#[inline(always)]
fn exp(value: f32) -> f32 {
    let power = greater(value * std::f32::consts::LOG2_E, -126.0);
    let shifted = power + SHIFT;
    let part = power - (shifted - SHIFT);
    let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits()).wrapping_add(127) << 23;
    // The best polynomial of this degree for 2^x between -1/2 and 1/2.
    let upper = 0.055_507_133 + part * (0.009_675_541 + part * 0.001_327_647_2);
    let two_to_part = 1.000_000_1 + part * (0.693_146_97 + part * (0.240_221_2 + part * upper));
    f32::from_bits(exponent) * two_to_part
}

/// GELU with an error of 4e-7, using the error function of Abramowitz and Stegun, 7.1.26.
#[inline(always)]
fn gelu(value: f32) -> f32 {
    let magnitude = value.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * magnitude);
    let polynomial =
        t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_8 + t * (-1.453_152 + t * 1.061_405_4))));
    let tail = 0.5 * polynomial * exp(-magnitude * magnitude);
    value * if value > 0.0 { 1.0 - tail } else { tail }
}

/// The tanh approximation of GELU, which some models were trained with.
#[inline(always)]
fn gelu_tanh(value: f32) -> f32 {
    let inner = 1.595_769 * (value + 0.044_715 * value * value * value);
    let small = exp(-inner.abs());
    value * if inner > 0.0 { 1.0 } else { small } / (1.0 + small)
}
