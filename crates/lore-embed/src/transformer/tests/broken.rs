//! Unusable model directories: each is rejected with the name of the file and a hint, and none panics.

use std::fmt::Write as _;

use expect_test::expect;
use lore_ports::{EmbedError, Embedder as _};
use proptest::prelude::*;
use serde_json::json;

use super::tiny::{Tensor, Tiny, Written};
use crate::Precision;
use crate::transformer::safetensors::Header;

/// Returns the error of opening the directory, without its path.
fn refusal(written: &Written) -> String {
    match written.open(Precision::Int8) {
        Ok(_) => "opened".to_owned(),
        Err(EmbedError::Model { place, reason }) => {
            let folder = format!("{}/", written.folder.display());
            format!("{}: {reason}", place.replace(&folder, ""))
        }
        Err(other) => format!("another error: {other}"),
    }
}

fn changed(change: impl FnOnce(&mut Tiny)) -> String {
    let mut tiny = Tiny::new();
    change(&mut tiny);
    refusal(&tiny.write("tiny"))
}

fn rewritten(name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> String {
    let written = Tiny::new().write("tiny");
    let bytes = std::fs::read(written.file(name)).unwrap();
    std::fs::write(written.file(name), change(bytes)).unwrap();
    refusal(&written)
}

fn missing(name: &str) -> String {
    let written = Tiny::new().write("tiny");
    std::fs::remove_file(written.file(name)).unwrap();
    refusal(&written)
}

fn tensor<'a>(tiny: &'a mut Tiny, name: &str) -> &'a mut Tensor {
    tiny.tensors.get_mut(name).unwrap()
}

fn check(cases: &[(&str, String)], expected: &expect_test::Expect) {
    let mut output = String::new();
    for (case, refusal) in cases {
        writeln!(output, "{case}\n    {refusal}").unwrap();
    }
    expected.assert_eq(&output);
}

#[test]
fn invalid_weights_are_reported() {
    let up = "encoder.layer.1.intermediate.dense.weight";
    let cases = [
        ("whole", changed(|_| {})),
        ("no weights", missing("model.safetensors")),
        ("empty weights", rewritten("model.safetensors", |_| Vec::new())),
        ("seven bytes", rewritten("model.safetensors", |bytes| bytes[..7].to_vec())),
        ("cut in the header", rewritten("model.safetensors", |bytes| bytes[..200].to_vec())),
        ("cut in the data", rewritten("model.safetensors", |bytes| bytes[..bytes.len() - 9000].to_vec())),
        ("absurd length", rewritten("model.safetensors", |bytes| [&[0xff; 8], &bytes[8..]].concat())),
        ("not JSON", rewritten("model.safetensors", |bytes| [&bytes[..8], &[b'x'; 9000]].concat())),
        ("tensor gone", changed(|tiny| drop(tiny.tensors.remove(up)))),
        ("other shape", changed(|tiny| tensor(tiny, up).shape = vec![36, 50])),
        ("shape without bytes", changed(|tiny| tensor(tiny, up).shape = vec![usize::MAX, 8])),
        ("other kind", changed(|tiny| tensor(tiny, up).kind = "I8")),
    ];
    check(
        &cases,
        &expect![[r#"
        whole
            opened
        no weights
            model.safetensors: file not found; download the model again, or use a directory that contains model.safetensors, tokenizer.json and config.json
        empty weights
            model.safetensors: the file is empty; download the model again
        seven bytes
            model.safetensors: too short for a header; the file is damaged: download the model again
        cut in the header
            model.safetensors: truncated header; the file is damaged: download the model again
        cut in the data
            model.safetensors: tensor `encoder.layer.1.intermediate.dense.weight` has the invalid range 64336..71536; the file is damaged: download the model again
        absurd length
            model.safetensors: invalid header length 18446744073709551615; the file is damaged: download the model again
        not JSON
            model.safetensors: the header is not JSON (expected value at line 1 column 1); the file is damaged: download the model again
        tensor gone
            model.safetensors: missing tensor `encoder.layer.1.intermediate.dense.weight`; use a sentence model of the BERT family, or download it again
        other shape
            model.safetensors: tensor `encoder.layer.1.intermediate.dense.weight` has shape [36, 50], but config.json specifies [50, 36]; download the model again
        shape without bytes
            model.safetensors: tensor `encoder.layer.1.intermediate.dense.weight` has 7200 bytes for shape [18446744073709551615, 8]; the file is damaged: download the model again
        other kind
            model.safetensors: tensor `encoder.layer.1.intermediate.dense.weight` has the unsupported type I8; use a copy of the model in F32, F16 or BF16
    "#]],
    );
}

#[test]
fn invalid_settings_are_reported() {
    let cases = [
        ("no config", missing("config.json")),
        ("other architecture", changed(|tiny| tiny.config["architectures"] = json!(["T5Model"]))),
        ("other kind of model", changed(|tiny| tiny.config["model_type"] = json!("xlm-roberta"))),
        ("other positions", changed(|tiny| tiny.config["position_embedding_type"] = json!("relative_key"))),
        ("other activation", changed(|tiny| tiny.config["hidden_act"] = json!("silu"))),
        ("heads that do not fit", changed(|tiny| tiny.config["num_attention_heads"] = json!(7))),
        ("no heads", changed(|tiny| tiny.config["num_attention_heads"] = json!(0))),
        ("negative width", changed(|tiny| tiny.config["hidden_size"] = json!(-1))),
        ("more words than weights", changed(|tiny| tiny.config["vocab_size"] = json!(30522))),
        ("cut config", rewritten("config.json", |bytes| bytes[..50].to_vec())),
        (
            "other pooling",
            changed(|tiny| {
                tiny.others.insert("1_Pooling/config.json", json!({"pooling_mode_max_tokens": true}));
            }),
        ),
        (
            "another module",
            changed(|tiny| {
                tiny.others.insert("modules.json", json!([{"type": "sentence_transformers.models.Dense"}]));
            }),
        ),
        (
            "nothing read",
            changed(|tiny| {
                tiny.others.insert("sentence_bert_config.json", json!({"max_seq_length": 1}));
            }),
        ),
    ];
    check(
        &cases,
        &expect![[r#"
            no config
                config.json: file not found; download the model again, or use a directory that contains model.safetensors, tokenizer.json and config.json
            other architecture
                config.json: unsupported architecture `T5Model`; use a model of the BERT family, or serve this one at an endpoint
            other kind of model
                config.json: unsupported architecture `xlm-roberta`; use a model of the BERT family, or serve this one at an endpoint
            other positions
                config.json: unsupported position embedding `relative_key`; use another model
            other activation
                config.json: unsupported activation `silu`; use another model
            heads that do not fit
                config.json: invalid sizes: vocab_size 13, max_position_embeddings 24, type_vocab_size 2, hidden_size 36, num_hidden_layers 2, num_attention_heads 7, intermediate_size 50; download the model again
            no heads
                config.json: invalid sizes: vocab_size 13, max_position_embeddings 24, type_vocab_size 2, hidden_size 36, num_hidden_layers 2, num_attention_heads 0, intermediate_size 50; download the model again
            negative width
                config.json: cannot parse the file (invalid value: integer `-1`, expected usize at line 1 column 87); download the model again
            more words than weights
                model.safetensors: tensor `embeddings.word_embeddings.weight` has shape [13, 36], but config.json specifies [30522, 36]; download the model again
            cut config
                config.json: cannot parse the file (EOF while parsing an object at line 1 column 50); download the model again
            other pooling
                1_Pooling/config.json: unsupported pooling (only mean and first token are supported); use another model
            another module
                modules.json: unsupported module `Dense`; use another model
            nothing read
                sentence_bert_config.json: a maximum of 1 tokens is too small; download the model again
        "#]],
    );
}

#[test]
fn invalid_tokenizers_are_reported() {
    let cases = [
        ("no tokenizer", missing("tokenizer.json")),
        ("cut tokenizer", rewritten("tokenizer.json", |bytes| bytes[..90].to_vec())),
        ("other tokenizer", changed(|tiny| tiny.tokenizer["model"]["type"] = json!("Unigram"))),
        ("other normalizer", changed(|tiny| tiny.tokenizer["normalizer"] = json!({"type": "Precompiled"}))),
        ("other cut", changed(|tiny| tiny.tokenizer["pre_tokenizer"] = json!({"type": "Metaspace"}))),
        ("other ends", changed(|tiny| tiny.tokenizer["post_processor"] = json!({"type": "ByteLevel"}))),
        ("no unknown", changed(|tiny| tiny.tokenizer["model"]["unk_token"] = json!("<unk>"))),
        ("token beyond the model", changed(|tiny| tiny.tokenizer["model"]["vocab"]["far"] = json!(99))),
    ];
    check(
        &cases,
        &expect![[r#"
        no tokenizer
            tokenizer.json: file not found; download the model again, or use a directory that contains model.safetensors, tokenizer.json and config.json
        cut tokenizer
            tokenizer.json: cannot parse the tokenizer (EOF while parsing a string at line 1 column 90); download the model again
        other tokenizer
            tokenizer.json: unsupported model `Unigram`; use a model of the BERT family
        other normalizer
            tokenizer.json: unsupported normalizer `Precompiled`; use a model of the BERT family
        other cut
            tokenizer.json: unsupported pre_tokenizer `Metaspace`; use a model of the BERT family
        other ends
            tokenizer.json: unsupported post_processor; use another model
        no unknown
            tokenizer.json: missing token `<unk>`; download the model again
        token beyond the model
            tokenizer.json: token id 99 is out of range for a vocabulary of 13; download the model again
    "#]],
    );
}

#[test]
fn non_finite_weights_give_an_error_or_a_finite_vector() {
    let mut refused = 0;
    for name in Tiny::new().tensors.keys() {
        for bad in [f32::NAN, f32::INFINITY] {
            let mut tiny = Tiny::new();
            tensor(&mut tiny, name).numbers.fill(bad);
            for precision in [Precision::F32, Precision::Int8] {
                match tiny.write("tiny").open(precision).unwrap().embed_passages(&["the sea is wide"]) {
                    Ok(vectors) => assert!(vectors[0].iter().all(|value| value.is_finite()), "{name}"),
                    Err(error) => {
                        assert!(error.to_string().contains("not finite"), "{error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

/// In bytes a weight that is not finite would become an ordinary one, and the vectors would look sound.
#[test]
fn weights_that_are_not_finite_are_refused() {
    let text = "the heron";
    let names: Vec<String> = Tiny::new().tensors.keys().cloned().collect();
    for name in names {
        for (precision, number) in
            [(Precision::F32, f32::NAN), (Precision::Int8, f32::NAN), (Precision::Int8, f32::INFINITY)]
        {
            let mut tiny = Tiny::new();
            tensor(&mut tiny, &name).numbers.fill(number);
            let opened = tiny.write("tiny").open(precision).unwrap();
            for done in [opened.embed_query(text).map(drop), opened.embed_passages(&[text]).map(drop)] {
                match done {
                    Err(EmbedError::Model { reason, .. }) => {
                        assert!(reason.contains("not finite"), "{reason}")
                    }
                    other => panic!("{name} with {number} was accepted: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn model_files_that_are_not_files_are_refused() {
    for name in ["model.safetensors", "config.json", "tokenizer.json"] {
        let written = Tiny::new().write("tiny");
        std::fs::remove_file(written.file(name)).unwrap();
        let made = std::process::Command::new("mkfifo").arg(written.file(name)).status().unwrap();
        assert!(made.success());
        assert!(refusal(&written).contains("not a regular file"), "{}", refusal(&written));
        std::fs::remove_file(written.file(name)).unwrap();
        std::os::unix::fs::symlink("/dev/zero", written.file(name)).unwrap();
        assert!(refusal(&written).contains("not a regular file"), "{}", refusal(&written));
    }
}

/// Offsets around the size of the file, and arbitrary ones.
fn offset() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0_u64..70, 1 => Just(0), 1 => any::<u64>()]
}

proptest! {
    #[test]
    fn no_header_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Header::parse(&bytes);
    }

    #[test]
    fn entries_beyond_the_file_are_rejected(
        begin in offset(), end in offset(), rows in offset(), columns in offset(), kind in "F32|F16|I8",
    ) {
        let entry = json!({"a": {"dtype": kind, "shape": [rows, columns], "data_offsets": [begin, end]}});
        let json = entry.to_string();
        let file = [&(json.len() as u64).to_le_bytes(), json.as_bytes(), &[0; 64]].concat();
        let fits = begin <= end && end <= 64;
        let size = if kind == "F32" { 4 } else { 2 };
        let whole = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
        let sized = kind == "I8" || fits && whole == Some(end - begin);
        prop_assert_eq!(Header::parse(&file).is_ok(), fits && sized);
    }

    #[test]
    fn damaged_files_do_not_panic(at in 0_usize..9000, byte in any::<u8>(), length in 0_usize..40_000) {
        let mut bytes = Tiny::new().safetensors();
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(length);
        let _ = Header::parse(&bytes);
    }
}
