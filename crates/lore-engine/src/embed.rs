//! What the engine asks of a model: a vector for a text. The providers live in a crate of their own, so that what they
//! depend on stays out of everything else.

use std::sync::Arc;

/// Result of a call to an [`Embedder`].
pub type EmbedResult<T> = std::result::Result<T, EmbedError>;

/// Turns texts into vectors of one space. Every vector has unit length, so that a dot product is the cosine.
pub trait Embedder: Send + Sync {
    /// Which model this is.
    fn identity(&self) -> &ModelIdentity;

    /// The vector of a question, with whatever prefix the model wants before one.
    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>>;

    /// The vectors of passages, in the order of the texts. The caller gives as many as it wants to lose when it is
    /// stopped; the provider sorts and batches them as suits it.
    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>>;

    /// Whether the model was taught the script of a text. What it makes of one it was not taught says nothing.
    fn reads(&self, text: &str) -> bool {
        let _ = text;
        true
    }
}

impl<T: Embedder + ?Sized> Embedder for &T {
    fn identity(&self) -> &ModelIdentity {
        (**self).identity()
    }

    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>> {
        (**self).embed_query(text)
    }

    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        (**self).embed_passages(texts)
    }

    fn reads(&self, text: &str) -> bool {
        (**self).reads(text)
    }
}

/// The models there are, and a tokenizer.
pub trait Models: Send + Sync {
    /// The names of those a new database may begin with, best first; none in a build without weights.
    fn preferred(&self) -> Vec<String>;

    /// Opens a model by its name.
    fn open(&self, name: &str) -> EmbedResult<Arc<dyn Embedder>>;

    /// Whether a passage costs a model of this name so little that it is embedded as soon as it is indexed. Asked by
    /// every command, so that nothing is opened for it.
    fn is_instant(&self, name: &str) -> bool;

    /// How many tokens a text is to a language model.
    fn count_tokens(&self, text: &str) -> usize;
}

/// A model's identity. Vectors can be compared only when all of it is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelIdentity {
    /// The name it is chosen by: `wordllama-256`, `all-MiniLM-L6-v2`, `ollama:nomic-embed-text`.
    pub name: String,
    /// Numbers in a vector.
    pub dimensions: usize,
    /// What tells two models of one name apart: a hash of the weights, or the address of the endpoint.
    pub revision: String,
}

/// Why there is no vector: a variant per decision a caller can make.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EmbedError {
    /// The model's files are not a model that Lore can run. Trying again will not help.
    #[error("the model {place} cannot be used: {reason}")]
    Model {
        /// The folder or file.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The endpoint did not answer, or said that it cannot now. The texts can be given again later.
    #[error("{place} did not answer: {reason}")]
    Unavailable {
        /// The endpoint.
        place: String,
        /// What happened.
        reason: String,
    },
    /// The endpoint answered with something that is no vector of this model.
    #[error("{place} gave a wrong answer: {reason}")]
    Wrong {
        /// The endpoint.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}
