//! Sentence models of the BERT and RoBERTa families (all-MiniLM-L6-v2, bge-small-en-v1.5, granite-embedding and similar), run from a local directory.
//!
//! A text is tokenized (`tokenizer`), passes through the layers (`model`) and comes out as one vector of unit length.
//! The weights stay in the mapped file; in int8 precision they are quantized when a layer is first used.

mod attention;
mod batches;
mod dense;
mod files;
mod fingerprint;
mod kernel;
mod model;
mod safetensors;
mod settings;
#[cfg(test)]
mod tests;
mod tokenizer;

use std::path::Path;

use lore_ports::{EmbedError, EmbedResult, Embedder, ModelIdentity};

use crate::script::is_mostly_latin;
pub use kernel::Instructions;

use kernel::Processor;
use model::{Buffers, Model};
use settings::Settings;
use tokenizer::Tokenizer;

/// A vocabulary up to this size is for one language. English vocabularies have 30,522 words (BERT) or 50,265 (RoBERTa),
/// including single letters or bytes of all other scripts; multilingual ones have a hundred thousand and more.
const ENGLISH_WORDS: usize = 60_000;

/// A sentence model loaded from a directory.
#[derive(Debug)]
pub struct Transformer {
    identity: ModelIdentity,
    place: String,
    settings: Settings,
    tokenizer: Tokenizer,
    model: Model,
    threads: usize,
}

/// Options for running a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransformerOptions {
    /// Number format of the computation.
    pub precision: Precision,
    /// Threads for batches of passages; 0 means all available cores.
    pub threads: usize,
}

/// Number format of a model's computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 32-bit floats, as the model was trained.
    F32,
    /// Weights and activations as bytes: several times as fast, a quarter of the memory, and vectors within a cosine
    /// distance of 0.01 of the exact ones.
    #[default]
    Int8,
}

impl Default for TransformerOptions {
    fn default() -> TransformerOptions {
        TransformerOptions { precision: Precision::default(), threads: 1 }
    }
}

impl Transformer {
    /// Opens the model in a directory with `model.safetensors`, `tokenizer.json` and `config.json`. Layers are prepared
    /// lazily, by the first text.
    pub fn open(folder: &Path, options: &TransformerOptions) -> EmbedResult<Transformer> {
        let place = folder.display().to_string();
        let name =
            folder.file_name().map_or_else(|| place.clone(), |name| name.to_string_lossy().into_owned());
        let settings = Settings::read(folder, &name)?;
        let model = Model::open(&folder.join("model.safetensors"), &settings, options.precision)?;
        let tokenizer = Tokenizer::open(&folder.join("tokenizer.json"), settings.shape.vocabulary)?;
        let revision = fingerprint::fingerprint(folder, &model.file, &settings)?;
        let identity = ModelIdentity { name, dimensions: settings.shape.width, revision };
        Ok(Transformer { identity, place, settings, tokenizer, model, threads: options.threads })
    }

    /// Returns the dimensions of a vector.
    pub fn dimensions(&self) -> usize {
        self.identity.dimensions
    }

    /// Returns the number of tokens in a text, including the two that mark its ends; those beyond
    /// [`max_tokens`](Self::max_tokens) are ignored.
    pub fn tokens(&self, text: &str) -> usize {
        self.tokenizer.encode(text, usize::MAX).len()
    }

    /// Returns the maximum number of tokens that the model reads.
    pub fn max_tokens(&self) -> usize {
        self.settings.max_tokens
    }

    /// Returns the instruction set in use: the best one the processor has.
    pub fn instructions(&self) -> Instructions {
        self.model.processor.instructions()
    }

    /// Limits the instruction set, for comparisons.
    #[must_use]
    pub fn with_instructions(mut self, limit: Instructions) -> Transformer {
        self.model.processor = Processor::at_most(limit);
        self
    }

    fn encode(&self, prompt: &str, text: &str) -> Vec<u32> {
        match prompt {
            "" => self.tokenizer.encode(text, self.settings.max_tokens),
            _ => self.tokenizer.encode(&format!("{prompt}{text}"), self.settings.max_tokens),
        }
    }

    /// Rejects weights and vectors that are not finite.
    fn checked(&self, vector: Vec<f32>) -> EmbedResult<Vec<f32>> {
        if !self.model.is_damaged() && vector.iter().all(|value| value.is_finite()) {
            return Ok(vector);
        }
        let reason =
            "it has weights that are not finite, so model.safetensors is damaged: download the model again";
        Err(EmbedError::Model { place: self.place.clone(), reason: reason.to_owned() })
    }
}

impl Embedder for Transformer {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>> {
        let tokens = self.encode(&self.settings.query_prompt, text);
        let vector = self.model.vectors(&[&tokens], &mut Buffers::default()).swap_remove(0);
        self.checked(vector)
    }

    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        let tokens: Vec<Vec<u32>> =
            texts.iter().map(|text| self.encode(&self.settings.passage_prompt, text)).collect();
        let vectors = batches::vectors(&self.model, &tokens, self.threads);
        vectors.into_iter().map(|vector| self.checked(vector)).collect()
    }

    fn reads(&self, text: &str) -> bool {
        self.settings.shape.vocabulary > ENGLISH_WORDS || is_mostly_latin(text)
    }
}
