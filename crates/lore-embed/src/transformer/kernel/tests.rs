//! Compares every implementation of a kernel with plain sums, at sizes that leave remainders and with numbers close to
//! overflow.

use super::*;

const ALL: [Instructions; 3] = [Instructions::Portable, Instructions::Avx2, Instructions::Vnni];

/// Deterministic pseudo-random integers.
fn numbers(count: usize, least: i32, most: i32) -> impl Iterator<Item = i32> {
    let mut state = 17_u64;
    (0..count).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        least + ((state >> 33) % (most - least + 1) as u64) as i32
    })
}

#[test]
fn sums_of_bytes_are_exact_up_to_the_maximum() {
    for width in [4, 36, 384, 1536] {
        for rows in [1, 3, 4, 5, 12, 13, 24, 29] {
            let left: Vec<u8> =
                numbers(rows * width, 0, 255).map(|n| if n < 99 { 255 } else { n as u8 }).collect();
            // The magnitudes of two neighbours in a column add up to at most 128.
            let firsts: Vec<i32> = numbers(width * PANEL / 2, -127, 127).collect();
            let pair =
                |first: &i32| [*first as i8, (if *first > 0 { 128 - first } else { -128 - first }) as i8];
            let panel: Vec<i8> = firsts.iter().flat_map(pair).map(|byte| byte.max(-127)).collect();
            let left = Rows { values: left.as_slice(), width };
            let expected: Vec<[i32; PANEL]> = (0..rows).map(|row| plain(left.row(row), &panel, 4)).collect();
            for limit in ALL {
                let mut sums = vec![[-1; PANEL]; rows];
                Processor::at_most(limit).bytes(left, &panel, &mut sums);
                assert!(sums == expected, "{limit:?} with {rows} rows of {width}");
            }
        }
    }
}

#[test]
fn sums_of_shorts_are_exact() {
    for width in [2, 10, 32, 256] {
        for rows in [1, 3, 4, 8, 9, 16] {
            let left: Vec<i16> = numbers(rows * width, -2000, 2000).map(|n| n as i16).collect();
            let panel: Vec<i16> = numbers(width * PANEL, -4095, 4095).map(|n| n as i16).collect();
            let left = Rows { values: left.as_slice(), width };
            let expected: Vec<[i32; PANEL]> = (0..rows).map(|row| plain(left.row(row), &panel, 2)).collect();
            for limit in ALL {
                let mut sums = vec![[-1; PANEL]; rows];
                Processor::at_most(limit).shorts(left, &panel, &mut sums);
                assert!(sums == expected, "{limit:?} with {rows} rows of {width}");
            }
        }
    }
}

fn plain<L: Copy + Into<i32>, R: Copy + Into<i32>>(row: &[L], panel: &[R], group: usize) -> [i32; PANEL] {
    std::array::from_fn(|column| {
        let other = |at: usize| panel[at / group * group * PANEL + column * group + at % group];
        row.iter().enumerate().map(|(at, left)| (*left).into() * other(at).into()).sum()
    })
}

#[test]
fn sums_of_floats_agree_up_to_rounding() {
    for (rows, columns, width) in [(1, 1, 1), (2, 4, 8), (3, 5, 7), (5, 9, 36), (7, 16, 384)] {
        let fractions =
            |count| -> Vec<f32> { numbers(count, -1000, 1000).map(|n| n as f32 / 1000.0).collect() };
        let (left, right) = (fractions(rows * width), fractions(columns * width));
        let (left, right) =
            (Rows { values: left.as_slice(), width }, Rows { values: right.as_slice(), width });
        for limit in ALL {
            let stride = columns + 3;
            let mut out = vec![9.0; rows * stride];
            Processor::at_most(limit).floats(left, right, &mut out, stride);
            for (at, found) in out.iter().enumerate() {
                let (row, column) = (at / stride, at % stride);
                if column >= columns {
                    assert!(*found == 9.0, "nothing is written between rows");
                    continue;
                }
                let products = left.row(row).iter().zip(right.row(column)).map(|(a, b)| f64::from(a * b));
                let off = (f64::from(*found) - products.sum::<f64>()).abs();
                assert!(off < 1e-4, "{limit:?}: {off} off with {rows}×{columns}×{width}");
            }
        }
    }
}

#[test]
fn approximations_are_within_their_stated_error() {
    let by = Processor::detect();
    let values: Vec<f32> = (-1200..=1200).map(|step| step as f32 / 100.0).collect();
    // The normal distribution, integrated numerically in fine steps.
    let mut exact = Vec::new();
    let (mut share, step) = (0.0_f64, 1e-4_f64);
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let mut at = -130_000_i64;
    for value in &values {
        while at < (f64::from(*value) / step).round() as i64 {
            share += density((at as f64 + 0.5) * step) * step;
            at += 1;
        }
        exact.push(f64::from(*value) * share);
    }
    let mut found = values.clone();
    by.activate(&mut found, Activation::Gelu);
    for ((value, found), exact) in values.iter().zip(&found).zip(&exact) {
        let off = (f64::from(*found) - exact).abs();
        assert!(off < 1e-6 * (1.0 + f64::from(value.abs())), "{off} off at {value}");
    }
    let mut weights = values.clone();
    by.softmax(&mut weights);
    let total: f64 = values.iter().map(|value| f64::from(*value).exp()).sum();
    for (value, weight) in values.iter().zip(&weights) {
        let exact = f64::from(*value).exp() / total;
        assert!((f64::from(*weight) / exact - 1.0).abs() < 3e-6, "{weight} for {exact}");
    }
}

#[test]
fn quantization_round_trips() {
    let values: Vec<f32> = numbers(83, -300, 900).map(|n| n as f32 / 100.0).collect();
    for limit in ALL {
        let mut bytes = vec![7; 84];
        let (scale, zero) = Processor::at_most(limit).quantise(&values, &mut bytes);
        for (value, byte) in values.iter().zip(&bytes) {
            let back = (i32::from(*byte) - zero) as f32 * scale;
            assert!((back - value).abs() <= scale * 0.51 + 1e-5, "{value} became {back}");
        }
        assert_eq!(bytes[83], 0, "the padding is zero");
    }
    let mut bytes = vec![7; 4];
    assert_eq!(Processor::detect().quantise(&[0.0; 4], &mut bytes), (0.0, 0));
    assert_eq!(bytes, [0; 4]);
}
