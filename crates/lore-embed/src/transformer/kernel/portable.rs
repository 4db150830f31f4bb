//! Products for any processor, in loops that the compiler can vectorize.

use super::{PANEL, Rows};

/// Lanes of a float sum; the AVX2 implementation has the same number.
const LANES: usize = 8;

pub(super) fn bytes(left: Rows<u8>, panel: &[i8], sums: &mut [[i32; PANEL]]) {
    let columns = columns(panel, left.width, 4, i16::from);
    let mut row = vec![0; left.width];
    for (index, sums) in sums.iter_mut().enumerate() {
        row.iter_mut().zip(left.row(index)).for_each(|(wide, byte)| *wide = i16::from(*byte));
        *sums = products(&row, &columns);
    }
}

pub(super) fn shorts(left: Rows<i16>, panel: &[i16], sums: &mut [[i32; PANEL]]) {
    let columns = columns(panel, left.width, 2, |number| number);
    for (index, sums) in sums.iter_mut().enumerate() {
        *sums = products(left.row(index), &columns);
    }
}

/// Rearranges a panel into contiguous columns, because compilers vectorize the product of two plain rows.
fn columns<T: Copy>(panel: &[T], width: usize, group: usize, widen: impl Fn(T) -> i16) -> Vec<i16> {
    let mut columns = vec![0; panel.len()];
    for (step, lanes) in panel.chunks_exact(group * PANEL).enumerate() {
        for (column, lane) in columns.chunks_exact_mut(width).zip(lanes.chunks_exact(group)) {
            let column = &mut column[step * group..][..group];
            column.iter_mut().zip(lane).for_each(|(wide, number)| *wide = widen(*number));
        }
    }
    columns
}

fn products(row: &[i16], columns: &[i16]) -> [i32; PANEL] {
    let mut sums = [0; PANEL];
    for (sum, column) in sums.iter_mut().zip(columns.chunks_exact(row.len())) {
        let products = row.iter().zip(column).map(|(left, right)| i32::from(*left) * i32::from(*right));
        *sum = products.fold(0, i32::wrapping_add);
    }
    sums
}

pub(super) fn floats(left: Rows<f32>, right: Rows<f32>, out: &mut [f32], stride: usize) {
    for i in 0..left.count() {
        let row = left.row(i);
        for j in 0..right.count() {
            out[i * stride + j] = dot(row, right.row(j));
        }
    }
}

/// Returns the dot product of two rows of the same width.
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    lanes.iter().sum::<f32>() + rest
}
