//! The port to language models, for summaries. The providers live in a crate of their own.

/// A language model that completes a prompt.
pub trait TextModel {
    /// Returns the name recorded on what it wrote.
    fn name(&self) -> String;

    /// Returns the model's answer to a prompt under these instructions.
    fn complete(&self, instructions: &str, prompt: &str) -> Result<String, TextModelError>;
}

/// Why a language model gave no usable answer.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the summarizer {place} failed: {reason}")]
pub struct TextModelError {
    /// Command, or endpoint and model.
    pub place: String,
    /// What happened.
    pub reason: String,
}
