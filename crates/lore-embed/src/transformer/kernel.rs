//! The arithmetic under the model. Each kernel has a portable form and forms for what the processor has; which one runs
//! is decided once, when a model is opened.
//!
//! The forms of one kernel give the same numbers. Integer sums are exact in any order. Sums of fractions that must
//! agree to the last bit are taken in sixteen lanes by every form and never fused; only the f32 product fuses where the
//! processor can, and differs in rounding.

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

/// The instructions that the arithmetic is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// What every processor has.
    Portable,
    /// 256-bit vectors of x86-64, with fused multiplication.
    Avx2,
    /// 512-bit vectors with dot products of bytes.
    Vnni,
}

/// Instructions that this processor was asked for and has: the proof that a kernel may use them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Processor(Instructions);

impl Processor {
    /// The best this processor has.
    pub(super) fn detect() -> Processor {
        Processor::at_most(Instructions::Vnni)
    }

    /// The best this processor has that is no better than asked.
    pub(super) fn at_most(limit: Instructions) -> Processor {
        let best =
            [Instructions::Vnni, Instructions::Avx2].into_iter().find(|&level| level <= limit && has(level));
        Processor(best.unwrap_or(Instructions::Portable))
    }

    /// Which instructions these are.
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

/// Rows of numbers, one after another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a, T> {
    pub(super) values: &'a [T],
    /// Numbers in a row.
    pub(super) width: usize,
}

impl<'a, T> Rows<'a, T> {
    /// How many rows there are.
    pub(super) fn count(self) -> usize {
        self.values.len() / self.width
    }

    /// One of them.
    pub(super) fn row(self, index: usize) -> &'a [T] {
        &self.values[index * self.width..][..self.width]
    }

    /// Some of them.
    pub(super) fn some(self, rows: std::ops::Range<usize>) -> Rows<'a, T> {
        Rows { values: &self.values[rows.start * self.width..rows.end * self.width], width: self.width }
    }
}

/// Where the kernels are called through, because a call into code for other instructions is unsafe by nature.
#[allow(unsafe_code)]
mod dispatch {
    use super::{Activation, Instructions, PANEL, Processor, Rows, lanes, portable};
    #[cfg(target_arch = "x86_64")]
    use super::{avx2, vnni};

    impl Processor {
        /// Sums of products of bytes: each row times the sixteen columns of a panel, whose bytes lie in fours by column.
        ///
        /// The magnitudes of two neighbours in a column are at most 128 together, so that their products with any two bytes
        /// fit in 16 bits.
        pub(in super::super) fn bytes(self, left: Rows<u8>, panel: &[i8], sums: &mut [[i32; PANEL]]) {
            assert!(
                left.width.is_multiple_of(4)
                    && panel.len() == left.width * PANEL
                    && left.count() == sums.len()
            );
            match self.0 {
                Instructions::Portable => portable::bytes(left, panel, sums),
                // SAFETY: the processor has the instructions, or there would be no such `Processor`.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2::bytes(left, panel, sums) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Vnni => unsafe { vnni::bytes(left, panel, sums) },
                #[cfg(not(target_arch = "x86_64"))]
                _ => portable::bytes(left, panel, sums),
            }
        }

        /// Sums of products of 16-bit numbers: each row times the sixteen columns of a panel, whose numbers lie in pairs
        /// by column.
        pub(in super::super) fn shorts(self, left: Rows<i16>, panel: &[i16], sums: &mut [[i32; PANEL]]) {
            assert!(
                left.width.is_multiple_of(2)
                    && panel.len() == left.width * PANEL
                    && left.count() == sums.len()
            );
            match self.0 {
                Instructions::Portable => portable::shorts(left, panel, sums),
                // SAFETY: the processor has the instructions, or there would be no such `Processor`.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2::shorts(left, panel, sums) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Vnni => unsafe { vnni::shorts(left, panel, sums) },
                #[cfg(not(target_arch = "x86_64"))]
                _ => portable::shorts(left, panel, sums),
            }
        }

        /// Every row on the left times every row on the right, written at `out` with `stride` numbers between rows.
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
                // SAFETY: the processor has the instructions, or there would be no such `Processor`.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 | Instructions::Vnni => unsafe { avx2::floats(left, right, out, stride) },
                #[cfg(not(target_arch = "x86_64"))]
                _ => portable::floats(left, right, out, stride),
            }
        }
    }

    /// Gives a function of plain Rust to every kind of processor, compiled for each.
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
                            // SAFETY: the processor has the instructions, or there would be no such `Processor`.
                            return unsafe { wide($($argument),*) };
                        }
                    }
                    lanes::$name($($argument),*)
                }
            )*}
        };
    }

    compiled_for_each! {
        /// Adds what was computed to what there was, and brings the sum to mean 0 and variance 1, then to the model's own.
        add_and_norm(values: &mut [f32], added: &[f32], norm: lanes::Norm);
        /// Applies the function between the two halves of a layer.
        activate(values: &mut [f32], activation: Activation);
        /// Makes weights of a row of scores: positive, with the sum 1.
        softmax(scores: &mut [f32]);
        /// Makes 15-bit weights of a row of integer scores and gives their sum; what is beyond the scores becomes 0.
        softmax_shorts(scores: &[i32], scale: f32, room: &mut [f32], weights: &mut [i16]) -> i32;
        /// Turns a row into bytes and gives their scale and which byte stands for 0.
        quantise(values: &[f32], bytes: &mut [u8]) -> (f32, i32);
        /// Turns sums of products of bytes into the numbers they stand for.
        restore(sums: &[[i32; PANEL]], rows: lanes::RowScales, columns: lanes::ColumnScales, out: lanes::Target);
        /// The greatest magnitude among the numbers.
        greatest(values: &[f32]) -> f32;
        /// Raises numbers to the magnitudes of others that are greater.
        raise(most: &mut [f32], values: &[f32]);
        /// The greatest sum of the magnitudes of two neighbours.
        greatest_pair(values: &[f32]) -> f32;
        /// Turns weights into signed bytes by a factor and gives their sum.
        shrink(values: &[f32], factor: f32, bytes: &mut [i8]) -> i32;
        /// Turns numbers into 16-bit ones by a factor.
        shorten(values: &[f32], factor: f32, shorts: &mut [i16]);
    }
}

pub(super) use lanes::{ColumnScales, Norm, RowScales, Target};
