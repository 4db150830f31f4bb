//! A fingerprint that distinguishes models of the same name without reading all weights: a hash of everything small and
//! of samples of the weights.

use std::path::Path;

use lore_ports::EmbedResult;
use sha2::{Digest as _, Sha256};

use super::files::read;
use super::safetensors::Safetensors;
use super::settings::Settings;

/// Number of samples. Retraining changes every weight, so one would suffice; more distinguish models that share their
/// word embeddings or first layers.
const SAMPLES: usize = 64;

/// Bytes in a sample: one memory page, which the system reads anyway.
const SAMPLE: usize = 4096;

/// Returns a hexadecimal hash of the model in a directory. The query prompt is excluded, because passage vectors do not
/// depend on it.
pub(super) fn fingerprint(folder: &Path, weights: &Safetensors, settings: &Settings) -> EmbedResult<String> {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        // Each part is prefixed with its length, so that no byte can move from one part to the next unnoticed.
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(&(weights.bytes().len() as u64).to_le_bytes());
    part(weights.header());
    for name in ["config.json", "tokenizer.json"] {
        part(&read(&folder.join(name))?);
    }
    let Settings { pooling, max_tokens, passage_prompt, .. } = settings;
    part(format!("{pooling:?} {max_tokens} {passage_prompt}").as_bytes());
    let numbers = &weights.bytes()[weights.header().len()..];
    let last = numbers.len().saturating_sub(SAMPLE);
    for sample in 0..SAMPLES {
        // The first sample is at the start of the weights, the last at the end.
        let start = (last as u128 * sample as u128 / (SAMPLES as u128 - 1)) as usize;
        part(&numbers[start..numbers.len().min(start + SAMPLE)]);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
