//! What tells two models of one name apart, without reading all of the weights: a hash over everything small, and over
//! samples of what is large.

use std::path::Path;

use lore_engine::EmbedResult;
use sha2::{Digest as _, Sha256};

use super::files::read;
use super::safetensors::Safetensors;
use super::settings::Settings;

/// Samples taken of the weights. Training again changes every weight, so that one would do; more tell apart models
/// that share their table of words or their first layers.
const SAMPLES: usize = 64;

/// Bytes in a sample: what the system reads at a time anyway.
const SAMPLE: usize = 4096;

/// A hash of the model in a folder, in hexadecimal. What goes before a question is no part of it: the vectors of
/// passages are the same with any other.
pub(super) fn fingerprint(folder: &Path, weights: &Safetensors, settings: &Settings) -> EmbedResult<String> {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        // The length goes first, so that no byte can move from one part to the next unseen.
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(&(weights.bytes().len() as u64).to_le_bytes());
    part(weights.header());
    for name in ["config.json", "tokenizer.json"] {
        part(&read(&folder.join(name))?);
    }
    let Settings { pooling, longest, passage_prompt, .. } = settings;
    part(format!("{pooling:?} {longest} {passage_prompt}").as_bytes());
    let numbers = &weights.bytes()[weights.header().len()..];
    let last = numbers.len().saturating_sub(SAMPLE);
    for sample in 0..SAMPLES {
        // The first sample begins with the weights, the last ends with them.
        let start = (last as u128 * sample as u128 / (SAMPLES as u128 - 1)) as usize;
        part(&numbers[start..numbers.len().min(start + SAMPLE)]);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
