//! A dense layer: one matrix with its bias, in either precision.

use super::kernel::{ColumnScales, PANEL, Processor, RowScales, Rows, Target};
use super::safetensors::{Safetensors, Tensor, TensorData};

/// Rows processed together for all panels of weights, so that their outputs stay in the cache.
const ROWS_PER_BLOCK: usize = 24;

/// A matrix in the file with its bias: `outputs` rows of `inputs` numbers.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) weight: Tensor,
    pub(super) bias: Tensor,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// Matrices that are applied to the same input, ready for computation.
#[derive(Debug)]
pub(super) enum Dense {
    /// f32, as stored in the file.
    Floats(Vec<Floats>),
    /// Quantized to bytes, all concatenated.
    Bytes(Bytes),
}

/// A matrix of f32.
#[derive(Debug)]
pub(super) struct Floats {
    weight: TensorData,
    bias: Vec<f32>,
    inputs: usize,
}

/// A matrix of bytes with a scale for each output, in panels of sixteen outputs: four bytes of the first four inputs
/// for each of the sixteen outputs, then of the next four.
#[derive(Debug)]
pub(super) struct Bytes {
    panels: Vec<i8>,
    scales: Vec<[f32; PANEL]>,
    sums: Vec<[i32; PANEL]>,
    bias: Vec<[f32; PANEL]>,
    /// Number of inputs, rounded up to a multiple of four.
    width: usize,
    outputs: usize,
}

/// Buffers for a quantized input.
#[derive(Debug, Default)]
pub(super) struct ByteBuffers {
    bytes: Vec<u8>,
    scales: Vec<f32>,
    zeros: Vec<i32>,
}

impl Dense {
    /// References the matrices in the file.
    pub(super) fn floats(file: &Safetensors, stored: &[Stored]) -> Dense {
        let matrix = |stored: &Stored| Floats {
            weight: file.prepare(&stored.weight),
            bias: file.numbers(&stored.bias).into_owned(),
            inputs: stored.inputs,
        };
        Dense::Floats(stored.iter().map(matrix).collect())
    }

    /// Quantizes the matrices to bytes.
    pub(super) fn bytes(processor: Processor, file: &Safetensors, stored: &[Stored]) -> Dense {
        Dense::Bytes(Bytes::new(processor, file, stored))
    }

    /// Computes the outputs for each row of the input, one matrix after another in a row of `out`.
    pub(super) fn apply(
        &self,
        by: Processor,
        file: &Safetensors,
        buffers: &mut ByteBuffers,
        step: DenseStep,
    ) {
        match self {
            Dense::Bytes(bytes) => bytes.apply(by, buffers, step),
            Dense::Floats(matrices) => {
                let stride = matrices.iter().map(|matrix| matrix.bias.len()).sum();
                let mut first = 0;
                for matrix in matrices {
                    let weights = Rows { values: file.tensor_numbers(&matrix.weight), width: matrix.inputs };
                    by.floats(step.input, weights, &mut step.out[first..], stride);
                    for row in step.out[first..].chunks_mut(stride) {
                        row.iter_mut().zip(&matrix.bias).for_each(|(value, bias)| *value += bias);
                    }
                    first += matrix.bias.len();
                }
            }
        }
    }
}

/// Input and output of a matrix.
#[derive(Debug)]
pub(super) struct DenseStep<'a> {
    pub(super) input: Rows<'a, f32>,
    pub(super) out: &'a mut [f32],
}

impl Bytes {
    fn new(processor: Processor, file: &Safetensors, stored: &[Stored]) -> Bytes {
        let width = stored[0].inputs.next_multiple_of(4);
        let outputs: usize = stored.iter().map(|stored| stored.outputs).sum();
        let count = outputs.div_ceil(PANEL);
        let mut bytes = Bytes {
            panels: vec![0; count * PANEL * width],
            scales: vec![[0.0; PANEL]; count],
            sums: vec![[0; PANEL]; count],
            bias: vec![[0.0; PANEL]; count],
            width,
            outputs,
        };
        let mut row = vec![0_i8; width];
        let mut output = 0;
        for stored in stored {
            let numbers = file.numbers(&stored.weight);
            let bias = file.numbers(&stored.bias);
            for (numbers, bias) in numbers.chunks_exact(stored.inputs).zip(bias.iter()) {
                let (panel, lane) = (output / PANEL, output % PANEL);
                let factor = factor(processor, numbers);
                bytes.sums[panel][lane] = processor.shrink(numbers, factor, &mut row);
                bytes.scales[panel][lane] = if factor > 0.0 { 1.0 / factor } else { 0.0 };
                bytes.bias[panel][lane] = *bias;
                bytes.place(panel, lane, &row);
                output += 1;
            }
            // The bytes replace the matrix from here on.
            file.release(&stored.weight);
        }
        bytes
    }

    /// Writes one output's bytes into its lane of a panel.
    fn place(&mut self, panel: usize, lane: usize, row: &[i8]) {
        let panel = &mut self.panels[panel * PANEL * self.width..][..PANEL * self.width];
        for (four, lanes) in row.as_chunks::<4>().0.iter().zip(panel.as_chunks_mut::<{ 4 * PANEL }>().0) {
            lanes[lane * 4..][..4].copy_from_slice(four);
        }
    }

    fn apply(&self, by: Processor, buffers: &mut ByteBuffers, step: DenseStep) {
        let rows = step.input.count();
        buffers.fill(by, step.input, self.width);
        let left = Rows { values: &buffers.bytes[..rows * self.width], width: self.width };
        for start in (0..rows).step_by(ROWS_PER_BLOCK) {
            let some = start..rows.min(start + ROWS_PER_BLOCK);
            let scales =
                RowScales { scales: &buffers.scales[some.clone()], zeros: &buffers.zeros[some.clone()] };
            let out = &mut step.out[some.start * self.outputs..some.end * self.outputs];
            self.apply_to_some(by, left.some(some), scales, out);
        }
    }

    fn apply_to_some(&self, by: Processor, left: Rows<u8>, scales: RowScales, out: &mut [f32]) {
        let mut sums = [[0; PANEL]; ROWS_PER_BLOCK];
        let sums = &mut sums[..left.count()];
        for (panel, weights) in self.panels.chunks_exact(PANEL * self.width).enumerate() {
            let columns = ColumnScales {
                scales: &self.scales[panel],
                sums: &self.sums[panel],
                bias: &self.bias[panel],
            };
            let first = panel * PANEL;
            let width = PANEL.min(self.outputs - first);
            by.bytes(left, weights, sums);
            let target = Target { values: &mut out[first..], stride: self.outputs, width };
            by.restore(sums, scales, columns, target);
        }
    }
}

/// Returns the factor that quantizes an output's weights. The magnitudes of two neighbours add up to at most 128, as
/// the byte products require; this is nearly a bit more precise than limiting each weight to 64.
fn factor(processor: Processor, weights: &[f32]) -> f32 {
    let (one, two) = (processor.greatest(weights), processor.greatest_pair(weights));
    if one > 0.0 { (127.0 / one).min(127.9 / two) } else { 0.0 }
}

impl ByteBuffers {
    fn fill(&mut self, by: Processor, input: Rows<f32>, width: usize) {
        let rows = input.count();
        self.bytes.resize(rows * width, 0);
        self.scales.resize(rows, 0.0);
        self.zeros.resize(rows, 0);
        for (row, bytes) in self.bytes.chunks_exact_mut(width).enumerate() {
            (self.scales[row], self.zeros[row]) = by.quantise(input.row(row), bytes);
        }
    }
}
