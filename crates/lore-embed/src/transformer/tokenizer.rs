//! Tokenizers, exactly as `tokenizer.json` describes them: WordPiece for BERT models, byte pairs for RoBERTa.
//!
//! Written by hand because a command starts cold. The reference library reads the file into a map of 30,000 strings and
//! compiles its patterns before the first word, which takes longer than a whole query may; here the file becomes one
//! string and one table of numbers in a few milliseconds. The tests compare it with the output of the reference
//! library.

mod byte_pairs;
mod characters;
mod definition;
mod vocabulary;
mod word_piece;
mod words;

use std::path::Path;

use lore_ports::EmbedResult;
use serde::Deserialize;

use super::files::{read, refuse};

use byte_pairs::BytePairs;
use word_piece::WordPiece;

/// Converts text to tokens.
#[derive(Debug)]
pub(super) enum Tokenizer {
    WordPiece(Box<WordPiece>),
    BytePairs(Box<BytePairs>),
}

/// The part of `tokenizer.json` that tells what the rest means.
#[derive(Deserialize)]
struct Kind {
    model: ModelKind,
}

#[derive(Deserialize)]
struct ModelKind {
    #[serde(rename = "type", default)]
    name: String,
}

impl Tokenizer {
    /// Reads a model's `tokenizer.json`; all token ids must be below `size`.
    pub(super) fn open(path: &Path, size: usize) -> EmbedResult<Tokenizer> {
        let bytes = read(path)?;
        Tokenizer::parse(&bytes, size).map_err(|reason| refuse(path, reason))
    }

    fn parse(bytes: &[u8], size: usize) -> Result<Tokenizer, String> {
        let kind = serde_json::from_slice::<Kind>(bytes).map(|kind| kind.model.name);
        match kind.as_deref() {
            Ok("BPE") => Ok(Tokenizer::BytePairs(Box::new(BytePairs::parse(bytes, size)?))),
            // Errors are those of the usual kind.
            _ => Ok(Tokenizer::WordPiece(Box::new(WordPiece::parse(bytes, size)?))),
        }
    }

    /// Returns the tokens of a text between the two that mark its ends, at most `limit` in total.
    pub(super) fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        match self {
            Tokenizer::WordPiece(tokenizer) => tokenizer.encode(text, limit),
            Tokenizer::BytePairs(tokenizer) => tokenizer.encode(text, limit),
        }
    }
}
