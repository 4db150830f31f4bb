//! Sentence models of the BERT family (all-MiniLM-L6-v2, bge-small-en-v1.5 and their kin), run by Lore itself from a
//! folder on the disk.
//!
//! A text becomes tokens (`tokenizer`), goes through the layers (`model`) and comes out as one vector of unit length.
//! The weights stay in the mapped file; in the byte precision they become bytes when a layer is first used.

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

use lore_engine::{EmbedError, EmbedResult, Embedder, ModelIdentity};

pub use kernel::Instructions;
use kernel::Processor;
use model::{Model, Room};
use settings::Settings;
use tokenizer::Tokenizer;

use crate::script::is_mostly_latin;

/// A vocabulary no larger than this is of one language. Those of BERT for English have 30,522 words, and single letters
/// of all other scripts; those for many languages have a hundred thousand and more.
const ENGLISH_WORDS: usize = 50_000;

/// A sentence model in a folder.
#[derive(Debug)]
pub struct Transformer {
    identity: ModelIdentity,
    place: String,
    settings: Settings,
    tokenizer: Tokenizer,
    model: Model,
    threads: usize,
}

/// How a model is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransformerOptions {
    /// The numbers it computes with.
    pub precision: Precision,
    /// Threads for many passages; 0 for as many as the machine can run at once.
    pub threads: usize,
}

/// The numbers a model computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Fractions of 32 bits, as the model was trained.
    F32,
    /// Weights and activations as bytes: several times as fast, a quarter of the memory, and vectors that differ from
    /// the exact ones by a cosine of less than 0.01.
    #[default]
    Int8,
}

impl Default for TransformerOptions {
    fn default() -> TransformerOptions {
        TransformerOptions { precision: Precision::default(), threads: 1 }
    }
}

impl Transformer {
    /// Opens the model of a folder with `model.safetensors`, `tokenizer.json` and `config.json`. Nothing is computed
    /// yet: the layers are made ready by the first text.
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

    /// Numbers in a vector.
    pub fn dimensions(&self) -> usize {
        self.identity.dimensions
    }

    /// Tokens in a text, with the two that mark its ends; those beyond [`max_tokens`](Self::max_tokens) are not read.
    pub fn tokens(&self, text: &str) -> usize {
        self.tokenizer.encode(text, usize::MAX).len()
    }

    /// Tokens the model reads of a text.
    pub fn max_tokens(&self) -> usize {
        self.settings.longest
    }

    /// The instructions it computes with: the best the processor has.
    pub fn instructions(&self) -> Instructions {
        self.model.processor.instructions()
    }

    /// The same model with no better instructions than these, for comparing them.
    #[must_use]
    pub fn with_instructions(mut self, limit: Instructions) -> Transformer {
        self.model.processor = Processor::at_most(limit);
        self
    }

    fn encode(&self, prompt: &str, text: &str) -> Vec<u32> {
        match prompt {
            "" => self.tokenizer.encode(text, self.settings.longest),
            _ => self.tokenizer.encode(&format!("{prompt}{text}"), self.settings.longest),
        }
    }

    /// What a damaged file does to the numbers mostly shows in the result.
    fn checked(&self, vector: Vec<f32>) -> EmbedResult<Vec<f32>> {
        if vector.iter().all(|value| value.is_finite()) {
            return Ok(vector);
        }
        let reason =
            "it gives vectors that are no numbers, so model.safetensors is damaged: fetch the model again";
        Err(EmbedError::Model { place: self.place.clone(), reason: reason.to_owned() })
    }
}

impl Embedder for Transformer {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>> {
        let tokens = self.encode(&self.settings.query_prompt, text);
        let vector = self.model.vectors(&[&tokens], &mut Room::default()).swap_remove(0);
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
