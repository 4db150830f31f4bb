//! The arithmetic of the model. Each kernel has a portable implementation and ones for specific instruction sets; which
//! one runs is decided once, when a model is opened.
//!
//! All implementations of a kernel give the same numbers. Integer sums are exact in any order. Float sums that must
//! agree to the last bit use sixteen lanes in every implementation and are never fused; only the f32 product uses fused
//! multiply-add where available, and differs in rounding.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod lanes;
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vnni;

use super::settings::Activation;

/// Output columns that are computed together; the width of a panel of weights.
pub(super) const PANEL: usize = 16;

/// The instruction set used for the arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// Available on every processor.
    Portable,
    /// 256-bit vectors of x86-64, with fused multiply-add.
    Avx2,
    /// 512-bit vectors with dot products of bytes.
    Vnni,
}

/// A detected instruction set: proof that a kernel may use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Processor(Instructions);

impl Processor {
    /// Detects the best instruction set of this processor.
    pub(super) fn detect() -> Processor {
        Processor::at_most(Instructions::Vnni)
    }

    /// Detects the best instruction set up to `limit`.
    pub(super) fn at_most(limit: Instructions) -> Processor {
        let best =
            [Instructions::Vnni, Instructions::Avx2].into_iter().find(|&level| level <= limit && has(level));
        Processor(best.unwrap_or(Instructions::Portable))
    }

    /// Returns the instruction set.
    pub(super) fn instructions(self) -> Instructions {
        self.0
    }
}

#[cfg(target_arch = "x86_64")]
fn has(level: Instructions) -> bool {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    match level {
        Instructions::Portable => true,
        Instructions::Avx2 => avx2,
        Instructions::Vnni => {
            avx2 && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(level: Instructions) -> bool {
    level == Instructions::Portable
}

/// A row-major matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a, T> {
    pub(super) values: &'a [T],
    /// Numbers in a row.
    pub(super) width: usize,
}

impl<'a, T> Rows<'a, T> {
    /// Returns the number of rows.
    pub(super) fn count(self) -> usize {
        self.values.len() / self.width
    }

    /// Returns one row.
    pub(super) fn row(self, index: usize) -> &'a [T] {
        &self.values[index * self.width..][..self.width]
    }

    /// Returns a range of rows.
    pub(super) fn some(self, rows: std::ops::Range<usize>) -> Rows<'a, T> {
        Rows { values: &self.values[rows.start * self.width..rows.end * self.width], width: self.width }
    }
}

/// Entry points of the kernels. Calling code compiled for other instructions is inherently unsafe.
#[allow(unsafe_code)]
mod dispatch {
    use super::{Activation, Instructions, PANEL, Processor, Rows, lanes, portable};
    #[cfg(target_arch = "x86_64")]
    use super::{avx2, vnni};

    impl Processor {
        /// Dot products of bytes: each row times the sixteen columns of a panel, whose bytes are interleaved in groups
        /// of four per column.
        ///
        /// The magnitudes of two neighbours in a column add up to at most 128, so that their products with any two
        /// bytes fit in 16 bits.
        pub(in super::super) fn bytes(self, left: Rows<u8>, panel: &[i8], sums: &mut [[i32; PANEL]]) {
            assert!(
                left.width.is_multiple_of(4)
                    && panel.len() == left.width * PANEL
                    && left.count() == sums.len()
            );
            match self.0 {
                Instructions::Portable => portable::bytes(left, panel, sums),
                // SAFETY: the processor has the instructions; a `Processor` is the proof.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2::bytes(left, panel, sums) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Vnni => unsafe { vnni::bytes(left, panel, sums) },
                #[cfg(not(target_arch = "x86_64"))]
                _ => portable::bytes(left, panel, sums),
            }
        }

        /// Dot products of 16-bit integers: each row times the sixteen columns of a panel, whose numbers are
        /// interleaved in pairs per column.
        pub(in super::super) fn shorts(self, left: Rows<i16>, panel: &[i16], sums: &mut [[i32; PANEL]]) {
            assert!(
                left.width.is_multiple_of(2)
                    && panel.len() == left.width * PANEL
                    && left.count() == sums.len()
            );
            match self.0 {
                Instructions::Portable => portable::shorts(left, panel, sums),
                // SAFETY: the processor has the instructions; a `Processor` is the proof.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2::shorts(left, panel, sums) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Vnni => unsafe { vnni::shorts(left, panel, sums) },
                #[cfg(not(target_arch = "x86_64"))]
                _ => portable::shorts(left, panel, sums),
            }
        }

        /// Multiplies every row on the left with every row on the right; rows of `out` are `stride` numbers apart.
        pub(in super::super) fn floats(
            self,
            left: Rows<f32>,
            right: Rows<f32>,
            out: &mut [f32],
            stride: usize,
        ) {
            assert!(left.width == right.width && right.count() <= stride);
            assert!(left.count() == 0 || out.len() >= (left.count() - 1) * stride + right.count());
            match self.0 {
                Instructions::Portable => portable::floats(left, right, out, stride),
                // SAFETY: the processor has the instructions; a `Processor` is the proof.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 | Instructions::Vnni => unsafe { avx2::floats(left, right, out, stride) },
                #[cfg(not(target_arch = "x86_64"))]
                _ => portable::floats(left, right, out, stride),
            }
        }
    }

    /// Compiles a plain Rust function for each instruction set.
    macro_rules! compiled_for_each {
        ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
            impl Processor {$(
                $(#[$doc])*
                pub(in super::super) fn $name(self, $($argument: $type),*) $(-> $result)? {
                    #[cfg(target_arch = "x86_64")]
                    {
                        #[target_feature(enable = "avx2")]
                        fn wide($($argument: $type),*) $(-> $result)? {
                            lanes::$name($($argument),*)
                        }
                        if self.0 >= Instructions::Avx2 {
                            // SAFETY: the processor has the instructions; a `Processor` is the proof.
                            return unsafe { wide($($argument),*) };
                        }
                    }
                    lanes::$name($($argument),*)
                }
            )*}
        };
    }

    compiled_for_each! {
        /// Adds the residual, then normalizes to mean 0 and variance 1 and applies the model's gain and bias.
        add_and_norm(values: &mut [f32], added: &[f32], norm: lanes::Norm);
        /// Applies the activation function of the feed-forward block.
        activate(values: &mut [f32], activation: Activation);
        /// Converts a row of scores to positive weights with the sum 1.
        softmax(scores: &mut [f32]);
        /// Converts a row of integer scores to 15-bit weights and returns their sum; weights beyond the scores become
        /// 0.
        softmax_shorts(scores: &[i32], scale: f32, buffer: &mut [f32], weights: &mut [i16]) -> i32;
        /// Quantizes a row to bytes and returns their scale and zero point.
        quantise(values: &[f32], bytes: &mut [u8]) -> (f32, i32);
        /// Converts sums of byte products back to floats.
        restore(sums: &[[i32; PANEL]], rows: lanes::RowScales, columns: lanes::ColumnScales, out: lanes::Target);
        /// Returns the largest magnitude.
        greatest(values: &[f32]) -> f32;
        /// Raises each number of `most` to the magnitude of its counterpart, if that is larger.
        raise(most: &mut [f32], values: &[f32]);
        /// Returns the largest sum of the magnitudes of two neighbours.
        greatest_pair(values: &[f32]) -> f32;
        /// Quantizes weights to signed bytes with a factor and returns their sum.
        shrink(values: &[f32], factor: f32, bytes: &mut [i8]) -> i32;
        /// Converts numbers to 16-bit integers with a factor.
        shorten(values: &[f32], factor: f32, shorts: &mut [i16]);
    }
}

pub(super) use lanes::{ColumnScales, Norm, RowScales, Target};
