//! The port to embedding models. The providers live in a crate of their own, which keeps their dependencies out of this
//! one.

use std::sync::Arc;

/// Result of a call to an [`Embedder`].
pub type EmbedResult<T> = std::result::Result<T, EmbedError>;

/// Turns texts into vectors. Every vector has unit length, so that a dot product is the cosine similarity.
pub trait Embedder: Send + Sync {
    /// Returns the model's identity.
    fn identity(&self) -> &ModelIdentity;

    /// Embeds a query, with the model's query prefix.
    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>>;

    /// Embeds passages, in the order of the texts. The caller passes as many as it is willing to lose when interrupted;
    /// the provider sorts and batches them as it sees fit.
    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>>;

    /// Whether the model was trained on the script of a text. Its vectors for other scripts are meaningless.
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

/// The available models, and a tokenizer.
pub trait Models: Send + Sync {
    /// Returns the names of the default models of a new database, best first; none in a build without weights.
    fn preferred(&self) -> Vec<String>;

    /// Opens a model by its name.
    fn open(&self, name: &str) -> EmbedResult<Arc<dyn Embedder>>;

    /// Whether embedding with this model is cheap enough to happen right after indexing. Every command calls this, so
    /// it must not open the model.
    fn is_instant(&self, name: &str) -> bool;

    /// Returns the name of a model that answers until the active one covers a vault: one whose vectors cost next to
    /// nothing.
    fn instant(&self) -> Option<String> {
        None
    }

    /// Returns the sum of the token vectors of each word, from a static model that needs no time to open; `None` without
    /// one, or if it reads none of the words. The sums are not scaled: the longer a vector, the more its word says.
    fn embed_words(&self, words: &[&str]) -> Option<Vec<Vec<f32>>> {
        let _ = words;
        None
    }

    /// Counts the tokens of a text for a language model.
    fn count_tokens(&self, text: &str) -> usize;
}

/// A model's identity. Vectors are comparable only when all of it is equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelIdentity {
    /// The name that selects it: `wordllama-256`, `all-MiniLM-L6-v2`, `ollama:nomic-embed-text`.
    pub name: String,
    /// Number of dimensions of a vector.
    pub dimensions: usize,
    /// Distinguishes models of the same name: a hash of the weights, or the address of the endpoint.
    pub revision: String,
}

/// Why embedding failed: a variant per decision a caller can make.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The model is not on this machine.
    #[error("the model {model} cannot be used: {}", if *.known { "it is not installed" } else { "no such model" })]
    Missing {
        /// Its name.
        model: String,
        /// Whether Lore can download it.
        known: bool,
    },
    /// The stored vectors come from another version of the model.
    #[error("the model {model} cannot be used: the stored vectors come from another version ({differs})")]
    Outdated {
        /// Its name.
        model: String,
        /// How the versions differ.
        differs: String,
    },
    /// The files are not a model that Lore can run. A retry will not help.
    #[error("the model {place} cannot be used: {reason}")]
    Model {
        /// The directory or file.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The endpoint did not answer or is temporarily unable to. The texts can be retried later.
    #[error("{place} did not answer: {reason}")]
    Unavailable {
        /// The endpoint.
        place: String,
        /// What happened.
        reason: String,
    },
    /// The endpoint's answer is not a vector of this model.
    #[error("{place} gave an invalid answer: {reason}")]
    Wrong {
        /// The endpoint.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}
