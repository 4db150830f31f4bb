//! The supported variants of model directories.

use lore_ports::Embedder as _;
use serde_json::json;

use super::reference::cosine;
use super::tiny::Tiny;
use crate::{Instructions, Precision, Transformer, TransformerOptions};

const TEXT: &str = "The wider sea is the ship's. Ships, ships!";

fn vector(tiny: &Tiny, name: &str) -> Vec<f32> {
    tiny.write(name).open(Precision::F32).unwrap().embed_passages(&[TEXT]).unwrap().swap_remove(0)
}

fn query(tiny: &Tiny, name: &str, text: &str) -> Vec<f32> {
    tiny.write(name).open(Precision::F32).unwrap().embed_query(text).unwrap()
}

#[test]
fn uneven_sizes_agree_in_all_precisions_and_instruction_sets() {
    let written = Tiny::new().write("tiny");
    let texts = ["", "sea", TEXT, "the the the the the the the sea sea sea ship is wide the ship wide is ."];
    let exact = written.open(Precision::F32).unwrap().embed_passages(&texts).unwrap();
    let bytes = written.open(Precision::Int8).unwrap().embed_passages(&texts).unwrap();
    for (exact, bytes) in exact.iter().zip(&bytes) {
        let (length, similarity) = (cosine(exact, exact), cosine(exact, bytes));
        assert!((length - 1.0).abs() < 1e-5 && similarity > 0.995, "{length} {similarity}");
    }
    for instructions in [Instructions::Portable, Instructions::Avx2] {
        let with = |precision| written.open(precision).unwrap().with_instructions(instructions);
        assert!(with(Precision::Int8).embed_passages(&texts).unwrap() == bytes, "{instructions:?}");
        let floats = with(Precision::F32).embed_passages(&texts).unwrap();
        let off = floats
            .iter()
            .flatten()
            .zip(exact.iter().flatten())
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(off < 1e-5, "{off} by {instructions:?}");
    }
}

#[test]
fn vectors_do_not_depend_on_batching_or_threads() {
    let written = Tiny::new().write("tiny");
    let texts: Vec<String> = (0..300).map(|number| "the sea is wide . ship ".repeat(number % 7)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let one = written.open(Precision::Int8).unwrap();
    let alone: Vec<Vec<f32>> = texts.iter().map(|text| one.embed_query(text).unwrap()).collect();
    for threads in [0, 1, 3] {
        let options = TransformerOptions { precision: Precision::Int8, threads };
        let model = Transformer::open(&written.folder, &options).unwrap();
        assert!(model.embed_passages(&texts).unwrap() == alone, "{threads} threads");
    }
    assert!(one.embed_passages(&[]).unwrap().is_empty());
}

#[test]
fn half_precision_and_name_prefixes_are_supported() {
    let whole = Tiny::new();
    let expected = vector(&whole, "tiny");
    for (kind, minimum) in [("F16", 0.999_99), ("BF16", 0.999)] {
        let mut half = Tiny::new();
        half.tensors.values_mut().for_each(|tensor| tensor.kind = kind);
        let similarity = cosine(&vector(&half, "tiny"), &expected);
        assert!(similarity > minimum && similarity < 1.000_1, "{kind}: {similarity}");
        let bytes = half.write("tiny").open(Precision::Int8).unwrap();
        assert!(cosine(&bytes.embed_passages(&[TEXT]).unwrap()[0], &expected) > 0.99, "{kind} in bytes");
    }
    let mut prefixed = Tiny::new();
    let tensors = std::mem::take(&mut prefixed.tensors);
    prefixed.tensors = tensors.into_iter().map(|(name, tensor)| (format!("bert.{name}"), tensor)).collect();
    assert!(vector(&prefixed, "tiny") == expected);
}

#[test]
fn pooling_follows_the_directory_or_its_name() {
    let plain = Tiny::new();
    let (mean, first) = (vector(&plain, "tiny"), vector(&plain, "bge-tiny"));
    assert!(cosine(&mean, &first) < 0.999, "mean and first pooling differ");
    let with_pooling = |field: &str| {
        let mut tiny = Tiny::new();
        tiny.others.insert("1_Pooling/config.json", json!({ field: true }));
        tiny
    };
    assert!(vector(&with_pooling("pooling_mode_cls_token"), "tiny") == first);
    assert!(vector(&with_pooling("pooling_mode_mean_tokens"), "bge-tiny") == mean);
}

#[test]
fn query_prompts_do_not_apply_to_passages() {
    let mut prompted = Tiny::new();
    prompted.others.insert("config_sentence_transformers.json", json!({"prompts": {"query": "query ship "}}));
    let plain = Tiny::new();
    assert!(query(&prompted, "tiny", TEXT) == query(&plain, "tiny", &format!("query ship {TEXT}")));
    assert!(vector(&prompted, "tiny") == vector(&plain, "tiny"));
    let bge = query(&plain, "bge-tiny-en-v1.5", "sea");
    let written_out = "Represent this sentence for searching relevant passages: sea";
    assert!(bge == query(&plain, "bge-tiny", written_out) && bge != query(&plain, "bge-tiny", "sea"));
}

#[test]
fn token_limits_of_the_directory_are_respected() {
    let tokens = |tiny: &Tiny| tiny.write("tiny").open(Precision::F32).unwrap().max_tokens();
    let mut short = Tiny::new();
    assert_eq!(tokens(&short), 24);
    short.others.insert("sentence_bert_config.json", json!({"max_seq_length": 5}));
    assert_eq!(tokens(&short), 5);
    assert!(query(&short, "tiny", "the sea is wide") == query(&short, "tiny", "the sea is"));
    let model = short.write("tiny").open(Precision::F32).unwrap();
    assert_eq!((model.tokens("the sea is wide"), model.tokens(""), model.dimensions()), (6, 2, 36));
}

#[test]
fn all_activations_are_supported() {
    let gelu = vector(&Tiny::new(), "tiny");
    let with = |name: &str| {
        let mut tiny = Tiny::new();
        tiny.config["hidden_act"] = json!(name);
        cosine(&vector(&tiny, "tiny"), &gelu)
    };
    assert!(with("gelu_new") > 0.999_99 && with("gelu_new") != 1.0, "gelu_new is close to gelu");
    assert!(with("relu") < 0.999, "relu is a different function");
}

#[test]
fn identities_distinguish_models() {
    let identity =
        |tiny: &Tiny, name: &str| tiny.write(name).open(Precision::F32).unwrap().identity().clone();
    let plain = identity(&Tiny::new(), "tiny");
    assert_eq!((plain.name.as_str(), plain.dimensions, plain.revision.len()), ("tiny", 36, 64));
    assert_eq!(plain, identity(&Tiny::new(), "tiny"));
    assert_eq!(plain.revision, identity(&Tiny::new(), "other").revision);
    let mut weights = Tiny::new();
    weights.tensors.get_mut("encoder.layer.1.output.dense.weight").unwrap().numbers[3] += 0.5;
    let mut config = Tiny::new();
    config.config["layer_norm_eps"] = json!(1e-6);
    let mut tokenizer = Tiny::new();
    tokenizer.tokenizer["normalizer"]["lowercase"] = json!(false);
    for other in [weights, config, tokenizer] {
        assert_ne!(plain.revision, identity(&other, "tiny").revision);
    }
}
