//! The BERT encoder: its tensors, its lazily prepared layers and the forward pass.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use lore_ports::EmbedResult;

use super::Precision;
use super::attention::{AttentionBuffers, Heads, attend_floats, attend_shorts};
use super::dense::{ByteBuffers, Dense, DenseStep, Stored};
use super::files::refuse;
use super::kernel::{Norm, Processor, Rows};
use super::safetensors::{Safetensors, Tensor};
use super::settings::{Pooling, Settings};

/// Rows processed together by both halves of the feed-forward block, so that the intermediate values stay in the cache.
const INNER_ROWS: usize = 96;

/// A model in a memory-mapped file.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) file: Safetensors,
    pub(super) processor: Processor,
    precision: Precision,
    settings: Settings,
    words: Tensor,
    positions: Tensor,
    types: Tensor,
    norm: StoredNorm,
    stored: Vec<StoredLayer>,
    /// Layers are prepared on first use, so that opening a model is cheap for commands that embed nothing.
    layers: Vec<OnceLock<Layer>>,
    /// Whether a weight that was used is not finite. Bytes cannot represent such a weight, so that the vectors would look
    /// sound.
    is_damaged: AtomicBool,
}

#[derive(Debug)]
struct StoredLayer {
    attention: [Stored; 3],
    attention_out: Stored,
    attention_norm: StoredNorm,
    up: Stored,
    down: Stored,
    norm: StoredNorm,
}

#[derive(Debug)]
struct StoredNorm {
    gain: Tensor,
    bias: Tensor,
}

#[derive(Debug)]
struct Layer {
    attention: Dense,
    attention_out: Dense,
    attention_norm: LoadedNorm,
    up: Dense,
    down: Dense,
    norm: LoadedNorm,
}

#[derive(Debug)]
struct LoadedNorm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

/// Buffers for a forward pass, which grow to the largest batch and are reused.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    hidden: Vec<f32>,
    wide: Vec<f32>,
    context: Vec<f32>,
    added: Vec<f32>,
    bytes: ByteBuffers,
    attention: AttentionBuffers,
}

impl Model {
    /// Locates every tensor that the settings require, without reading it.
    pub(super) fn open(path: &Path, settings: &Settings, precision: Precision) -> EmbedResult<Model> {
        let file = Safetensors::open(path)?;
        let shape = settings.shape;
        let is_there = |prefix: &&str| file.has(&format!("{prefix}embeddings.word_embeddings.weight"));
        let prefix = ["bert.", "roberta."].into_iter().find(is_there).unwrap_or_default();
        let find = Finder { file: &file, prefix: prefix.to_owned() };
        let embeddings = find.within("embeddings");
        let words = embeddings.matrix("word_embeddings", shape.vocabulary, shape.width)?;
        let positions = embeddings.matrix("position_embeddings", shape.positions, shape.width)?;
        let types = embeddings.matrix("token_type_embeddings", shape.types, shape.width)?;
        let norm = embeddings.norm("LayerNorm", shape.width)?;
        let stored =
            (0..shape.layers).map(|layer| find.layer(layer, settings)).collect::<EmbedResult<Vec<_>>>()?;
        // A model that ignored its last layers would run and give bad vectors.
        if file.has(&format!("{prefix}encoder.layer.{}.output.dense.weight", shape.layers)) {
            let reason = format!(
                "it has more layers than the {} of config.json; download the model again",
                shape.layers
            );
            return Err(refuse(path, reason));
        }
        let layers = stored.iter().map(|_| OnceLock::new()).collect();
        let (settings, processor) = (settings.clone(), Processor::detect());
        let is_damaged = AtomicBool::new(false);
        Ok(Model {
            processor,
            precision,
            settings,
            words,
            positions,
            types,
            norm,
            stored,
            layers,
            is_damaged,
            file,
        })
    }

    /// Whether a weight that was used so far is not finite.
    pub(super) fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    fn check_finite(&self, numbers: &[f32]) {
        if !are_finite(numbers) {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the vectors of tokenized texts, in order. No text is longer than the model's maximum.
    pub(super) fn vectors(&self, texts: &[&[u32]], buffers: &mut Buffers) -> Vec<Vec<f32>> {
        let width = self.settings.shape.width;
        self.embed(texts, buffers);
        self.check_finite(&buffers.hidden);
        for layer in 0..self.layers.len() {
            let layer = self.layers[layer].get_or_init(|| self.load_layer(&self.stored[layer]));
            self.attend(layer, texts, buffers);
            self.feed_forward(layer, buffers);
        }
        let mut rest = buffers.hidden.as_slice();
        let pooled = texts.iter().map(|text| {
            let (rows, after) = rest.split_at(text.len() * width);
            rest = after;
            self.pool(rows)
        });
        pooled.collect()
    }

    /// Adds the embeddings of each token, its position and the only token type in use.
    fn embed(&self, texts: &[&[u32]], buffers: &mut Buffers) {
        let tokens: usize = texts.iter().map(|text| text.len()).sum();
        let width = self.settings.shape.width;
        buffers.hidden.clear();
        buffers.hidden.reserve(tokens * width);
        let first = self.settings.shape.first_position;
        let kind = self.file.row(&self.types, 0);
        let norm = self.load(&self.norm);
        for text in texts {
            for (position, token) in text.iter().enumerate() {
                let word = self.file.row(&self.words, *token as usize);
                let position = self.file.row(&self.positions, first + position);
                let start = buffers.hidden.len();
                buffers
                    .hidden
                    .extend(word.iter().zip(position.iter()).map(|(word, position)| word + position));
                self.processor.add_and_norm(&mut buffers.hidden[start..], &kind, self.norm(&norm));
            }
        }
    }

    fn attend(&self, layer: &Layer, texts: &[&[u32]], buffers: &mut Buffers) {
        let (width, heads) = (self.settings.shape.width, self.settings.shape.heads);
        let tokens = buffers.hidden.len() / width;
        buffers.wide.resize(tokens * 3 * width, 0.0);
        buffers.context.resize(tokens * width, 0.0);
        buffers.added.resize(tokens * width, 0.0);
        let input = Rows { values: &buffers.hidden, width };
        self.apply(&layer.attention, &mut buffers.bytes, DenseStep { input, out: &mut buffers.wide });
        let mut start = 0;
        for text in texts {
            let end = start + text.len();
            let rows =
                Rows { values: &buffers.wide[..tokens * 3 * width], width: 3 * width }.some(start..end);
            let text = Heads { rows, heads };
            let out = &mut buffers.context[start * width..end * width];
            match self.precision {
                Precision::F32 => attend_floats(self.processor, text, &mut buffers.attention, out),
                Precision::Int8 => attend_shorts(self.processor, text, &mut buffers.attention, out),
            }
            start = end;
        }
        let input = Rows { values: &buffers.context[..tokens * width], width };
        self.apply(&layer.attention_out, &mut buffers.bytes, DenseStep { input, out: &mut buffers.added });
        self.add(&mut buffers.hidden, &buffers.added, &layer.attention_norm);
    }

    fn feed_forward(&self, layer: &Layer, buffers: &mut Buffers) {
        let (width, inner) = (self.settings.shape.width, self.settings.shape.inner);
        buffers.wide.resize(INNER_ROWS * inner, 0.0);
        for hidden in buffers.hidden.chunks_mut(INNER_ROWS * width) {
            let between = &mut buffers.wide[..hidden.len() / width * inner];
            let input = Rows { values: &*hidden, width };
            self.apply(&layer.up, &mut buffers.bytes, DenseStep { input, out: between });
            self.processor.activate(between, self.settings.activation);
            let added = &mut buffers.added[..hidden.len()];
            let input = Rows { values: &*between, width: inner };
            self.apply(&layer.down, &mut buffers.bytes, DenseStep { input, out: added });
            self.add(hidden, added, &layer.norm);
        }
    }

    fn apply(&self, dense: &Dense, buffers: &mut ByteBuffers, step: DenseStep) {
        dense.apply(self.processor, &self.file, buffers, step);
    }

    fn add(&self, hidden: &mut [f32], added: &[f32], norm: &LoadedNorm) {
        let width = self.settings.shape.width;
        for (hidden, added) in hidden.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
            self.processor.add_and_norm(hidden, added, self.norm(norm));
        }
    }

    /// Pools the rows of a text into one vector of unit length.
    fn pool(&self, rows: &[f32]) -> Vec<f32> {
        let width = self.settings.shape.width;
        let mut vector = rows[..width].to_vec();
        if self.settings.pooling == Pooling::Mean {
            for row in rows[width..].chunks_exact(width) {
                vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }

    fn load_layer(&self, stored: &StoredLayer) -> Layer {
        for matrix in stored.attention.iter().chain([&stored.attention_out, &stored.up, &stored.down]) {
            self.check_finite(&self.file.numbers(&matrix.weight));
            self.check_finite(&self.file.numbers(&matrix.bias));
        }
        let dense = |stored: &[Stored]| match self.precision {
            Precision::F32 => Dense::floats(&self.file, stored),
            Precision::Int8 => Dense::bytes(self.processor, &self.file, stored),
        };
        Layer {
            attention: dense(&stored.attention),
            attention_out: dense(std::slice::from_ref(&stored.attention_out)),
            attention_norm: self.load(&stored.attention_norm),
            up: dense(std::slice::from_ref(&stored.up)),
            down: dense(std::slice::from_ref(&stored.down)),
            norm: self.load(&stored.norm),
        }
    }

    fn load(&self, norm: &StoredNorm) -> LoadedNorm {
        let numbers = |tensor| self.file.numbers(tensor).into_owned();
        let norm = LoadedNorm { gain: numbers(&norm.gain), bias: numbers(&norm.bias) };
        self.check_finite(&norm.gain);
        self.check_finite(&norm.bias);
        norm
    }

    fn norm<'a>(&self, norm: &'a LoadedNorm) -> Norm<'a> {
        Norm { gain: &norm.gain, bias: &norm.bias, epsilon: self.settings.epsilon }
    }
}

/// Whether all numbers are finite: none has all bits of the exponent set. Without an early exit, so that it is vectorized.
fn are_finite(numbers: &[f32]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    numbers.iter().fold(0, |greatest, number| (number.to_bits() & EXPONENT).max(greatest)) != EXPONENT
}

/// Looks up tensors under a name prefix.
struct Finder<'a> {
    file: &'a Safetensors,
    prefix: String,
}

impl Finder<'_> {
    fn within(&self, name: &str) -> Finder<'_> {
        Finder { file: self.file, prefix: format!("{}{name}.", self.prefix) }
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> EmbedResult<Tensor> {
        self.file.tensor(&format!("{}{name}.weight", self.prefix), &[rows, columns])
    }

    fn vector(&self, name: &str, size: usize) -> EmbedResult<Tensor> {
        self.file.tensor(&format!("{}{name}", self.prefix), &[size])
    }

    fn norm(&self, name: &str, size: usize) -> EmbedResult<StoredNorm> {
        let find = self.within(name);
        Ok(StoredNorm { gain: find.vector("weight", size)?, bias: find.vector("bias", size)? })
    }

    fn dense(&self, name: &str, inputs: usize, outputs: usize) -> EmbedResult<Stored> {
        let weight = self.matrix(name, outputs, inputs)?;
        Ok(Stored { weight, bias: self.vector(&format!("{name}.bias"), outputs)?, inputs, outputs })
    }

    fn layer(&self, number: usize, settings: &Settings) -> EmbedResult<StoredLayer> {
        let (width, inner) = (settings.shape.width, settings.shape.inner);
        let find = self.within(&format!("encoder.layer.{number}"));
        let (own, attention) = (find.within("attention.self"), find.within("attention.output"));
        Ok(StoredLayer {
            attention: [
                own.dense("query", width, width)?,
                own.dense("key", width, width)?,
                own.dense("value", width, width)?,
            ],
            attention_out: attention.dense("dense", width, width)?,
            attention_norm: attention.norm("LayerNorm", width)?,
            up: find.dense("intermediate.dense", width, inner)?,
            down: find.dense("output.dense", inner, width)?,
            norm: find.norm("output.LayerNorm", width)?,
        })
    }
}
