//! Compares the vectors of all-MiniLM-L6-v2 with those of the reference implementation.

use std::path::PathBuf;

use lore_ports::Embedder as _;
use serde::Deserialize;

use crate::{Instructions, Precision, Transformer, TransformerOptions};

#[derive(Deserialize)]
struct Reference {
    text: String,
    tokens: usize,
    vector: Vec<f32>,
}

/// Returns the directory of a model that `make models` downloads.
pub(super) fn model_folder(name: &str) -> PathBuf {
    let models = std::env::var("LORE_MODELS")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models"), PathBuf::from);
    let folder = models.join(name);
    assert!(folder.is_dir(), "no model at {}: run `make models`", folder.display());
    folder
}

pub(super) fn minilm(precision: Precision, instructions: Instructions) -> Transformer {
    let options = TransformerOptions { precision, threads: 1 };
    let model = Transformer::open(&model_folder("all-MiniLM-L6-v2"), &options).unwrap();
    model.with_instructions(instructions)
}

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("fixtures/minilm_vectors.json")).unwrap()
}

pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn f32_vectors_match_the_reference() {
    for instructions in [Instructions::Portable, Instructions::Avx2] {
        let model = minilm(Precision::F32, instructions);
        for reference in references() {
            let vector = model.embed_query(&reference.text).unwrap();
            let off = vector.iter().zip(&reference.vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 2e-5, "{off} off by {instructions:?} for {}", reference.text);
            assert_eq!(model.tokens(&reference.text).min(model.max_tokens()), reference.tokens);
        }
    }
}

#[test]
fn int8_vectors_are_close_to_the_reference() {
    let model = minilm(Precision::Int8, Instructions::Vnni);
    for reference in references() {
        let vector = model.embed_query(&reference.text).unwrap();
        let cosine = cosine(&vector, &reference.vector);
        assert!(cosine > 0.99, "{cosine} for {}", reference.text);
    }
}

#[test]
fn int8_vectors_are_identical_for_all_instruction_sets() {
    let texts: Vec<String> = references().into_iter().map(|reference| reference.text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let portable = minilm(Precision::Int8, Instructions::Portable).embed_passages(&texts).unwrap();
    for instructions in [Instructions::Avx2, Instructions::Vnni] {
        let vectors = minilm(Precision::Int8, instructions).embed_passages(&texts).unwrap();
        assert!(vectors == portable, "{instructions:?} differs");
    }
}
