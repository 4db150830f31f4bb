//! Models whose files are damaged, missing or mismatched: the error names the file, and the previous model
//! keeps answering.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::mock_server::{MockServer, http};
use crate::sandbox::{Ran, Sandbox, models};
use crate::search_support::{TRANSFORMER, notes, query, slugs, vault};

const FILES: [&str; 5] =
    ["config.json", "modules.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"];

fn pages() -> Sandbox {
    vault(&[
        ("canine.md", "# Canine\n\nA puppy learns to sit and stay when it is rewarded.\n"),
        ("bread.md", "# Bread\n\nKnead the dough and bake it in a hot oven.\n"),
    ])
}

/// Creates a model directory of symlinks to the transformer's files.
fn model_folder(folder: &Path) {
    fs::create_dir_all(folder.join("1_Pooling")).expect("a folder");
    for file in FILES {
        let _ = fs::remove_file(folder.join(file));
        let _ = fs::remove_dir(folder.join(file));
        symlink(models().join(TRANSFORMER).join(file), folder.join(file)).expect("a link");
    }
}

/// Replaces a file with other bytes, or removes it.
fn replace(folder: &Path, file: &str, bytes: Option<&[u8]>) {
    fs::remove_file(folder.join(file)).expect("it was there");
    if let Some(bytes) = bytes {
        fs::write(folder.join(file), bytes).expect("a file");
    }
}

/// Returns the transformer's configuration with one value changed.
fn config(key: &str, value: Value) -> Vec<u8> {
    let text = fs::read(models().join(TRANSFORMER).join("config.json")).expect("a configuration");
    let mut config: Value = serde_json::from_slice(&text).expect("JSON");
    config[key] = value;
    config.to_string().into_bytes()
}

/// Returns every kind of damage: a file and the bytes in its place.
fn damages() -> Vec<(&'static str, Option<Vec<u8>>)> {
    let weights = fs::read(models().join(TRANSFORMER).join("model.safetensors")).expect("weights");
    let tokenizer = fs::read(models().join(TRANSFORMER).join("tokenizer.json")).expect("a tokenizer");
    let mut endless = weights[..4096].to_vec();
    endless[..8].fill(0xff);
    let mut damages = vec![
        ("model.safetensors", None),
        ("model.safetensors", Some(Vec::new())),
        ("model.safetensors", Some(weights[..7].to_vec())),
        ("model.safetensors", Some(weights[..5000].to_vec())),
        ("model.safetensors", Some(weights[..weights.len() / 8].to_vec())),
        ("model.safetensors", Some(endless)),
        ("model.safetensors", Some(b"<html>not found</html>".to_vec())),
        ("tokenizer.json", None),
        ("tokenizer.json", Some(Vec::new())),
        ("tokenizer.json", Some(b"{}".to_vec())),
        ("tokenizer.json", Some(tokenizer[..tokenizer.len() / 2].to_vec())),
        ("config.json", None),
        ("config.json", Some(b"{".to_vec())),
        ("config.json", Some(b"[]".to_vec())),
        ("1_Pooling/config.json", Some(b"<html>".to_vec())),
        ("modules.json", Some(br#"[{"type":"sentence_transformers.models.Dense"}]"#.to_vec())),
    ];
    for (key, value) in [
        ("hidden_size", json!(0)),
        ("hidden_size", json!("384")),
        ("num_attention_heads", json!(7)),
        ("hidden_act", json!("swish")),
        ("model_type", json!("gpt2")),
    ] {
        damages.push(("config.json", Some(config(key, value))));
    }
    // The configuration does not match the weights: the error names the weights.
    for (key, value) in [
        ("hidden_size", json!(768)),
        ("hidden_size", json!(192)),
        ("num_hidden_layers", json!(7)),
        ("num_hidden_layers", json!(5)),
        ("intermediate_size", json!(1024)),
        ("vocab_size", json!(40_000)),
        ("max_position_embeddings", json!(1024)),
    ] {
        damages.push(("config.json and model.safetensors", Some(config(key, value))));
    }
    damages
}

#[test]
fn broken_model_is_refused_naming_the_file() {
    let sandbox = pages();
    let folder = sandbox.root.join("mine/my-model");
    let before = query(&sandbox, "hybrid", "dog training");
    let settings = fs::read(sandbox.root.join("home/config.toml")).expect("made by init");
    for (file, bytes) in damages() {
        model_folder(&folder);
        let (damaged, names) = match file.split_once(" and ") {
            Some((damaged, names)) => (damaged, names),
            None => (file, file),
        };
        replace(&folder, damaged, bytes.as_deref());
        let what = format!(
            "{file}: {:?}",
            bytes.as_ref().map(|bytes| String::from_utf8_lossy(&bytes[..bytes.len().min(600)]))
        );
        let ran = sandbox.run(&["model", "use", "../mine/my-model"]);
        assert_eq!(ran.code, 5, "{what}: {ran:?}");
        let path = folder.join(names).display().to_string();
        assert!(ran.err.contains(&path) && ran.err.contains("\nhint: "), "{what}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{what}: {}", ran.err);
    }
    assert_eq!(
        fs::read(sandbox.root.join("home/config.toml")).expect("there"),
        settings,
        "no setting changed"
    );
    assert_eq!(sandbox.run(&["status"]).ok().json()["model"], "wordllama-256");
    assert_eq!(query(&sandbox, "hybrid", "dog training"), before);
}

#[test]
fn broken_model_does_not_replace_a_good_one_of_the_same_name() {
    let sandbox = pages();
    let (good, broken) = (sandbox.root.join("home/models"), sandbox.root.join("broken"));
    for folder in [&good, &broken] {
        model_folder(&folder.join("my-model"));
    }
    replace(&broken.join("my-model"), "tokenizer.json", None);
    sandbox.run(&["model", "use", "my-model"]).ok();
    let before = query(&sandbox, "semantic", "dog training");
    assert_eq!((&before["mode"], slugs(&before)[0]), (&json!("semantic"), "canine"));
    sandbox.run(&["model", "use", "../broken/my-model"]).exits(5).says("tokenizer.json");
    assert_eq!(query(&sandbox, "semantic", "dog training"), before);
}

#[test]
fn model_that_breaks_while_in_use_loses_no_vectors() {
    let sandbox = pages();
    let folder = sandbox.root.join("mine/my-model");
    model_folder(&folder);
    sandbox.run(&["model", "use", "../mine/my-model"]).ok();
    let before = query(&sandbox, "semantic", "dog training");
    replace(&folder, "tokenizer.json", Some(b"{}"));
    for arguments in [&["embed"][..], &["embed", "--all"], &["embed", "bread"]] {
        sandbox.run(arguments).exits(5).says(&folder.join("tokenizer.json").display().to_string());
    }
    let answer = query(&sandbox, "semantic", "oven");
    assert_eq!((&answer["mode"], slugs(&answer)), (&json!("lexical"), vec!["bread"]));
    assert!(notes(&answer).contains("tokenizer.json"), "{answer}");
    assert_eq!(sandbox.run(&["status"]).ok().json()["pending_embeddings"], 0, "no vector was dropped");
    sandbox.run(&["validate", "--all"]).ok();
    model_folder(&folder);
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 0);
    assert_eq!(query(&sandbox, "semantic", "dog training"), before);
}

#[test]
fn changed_weights_are_not_used_with_old_vectors() {
    let sandbox = pages();
    let folder = sandbox.root.join("mine/my-model");
    model_folder(&folder);
    sandbox.run(&["model", "use", "../mine/my-model"]).ok();
    replace(
        &folder,
        "1_Pooling/config.json",
        Some(br#"{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}"#),
    );
    let answer = query(&sandbox, "semantic", "oven");
    assert_eq!(answer["mode"], "lexical");
    assert!(notes(&answer).contains("run `lore model use my-model`"), "{answer}");
    sandbox.run(&["embed", "--all"]).exits(5).says("other weights");
    assert_eq!(sandbox.run(&["model", "use", "my-model"]).ok().json()["embedded"], 2);
    assert_eq!(query(&sandbox, "semantic", "oven")["mode"], "semantic");
    sandbox.run(&["validate", "--embeddings"]).ok();
}

/// Runs `lore model pull` from a local hub into a separate directory.
fn pull(sandbox: &Sandbox, hub: &MockServer) -> Ran {
    let mut command = sandbox.command(&["model", "pull", TRANSFORMER, "--hub", &hub.base]);
    command.env("LORE_MODELS", models_of(sandbox)).output().expect("it starts").into()
}

fn models_of(sandbox: &Sandbox) -> PathBuf {
    sandbox.root.join("fetched")
}

#[test]
fn wrong_downloads_are_not_kept() {
    let sandbox = Sandbox::with_vault();
    let hub = MockServer::start();
    let good = |path: &str| {
        let file = path.rsplit_once("/1110a243fdf4706b3f48f1d95db1a4f5529b4d41/").expect("a commit").1;
        fs::read(models().join(TRANSFORMER).join(file)).expect("a file of the model")
    };
    let refused = |says: &str| {
        let ran = pull(&sandbox, &hub).exits(5).says(says).says(&hub.base).says("\nhint: ");
        assert!(!models_of(&sandbox).join(TRANSFORMER).exists(), "{ran:?}");
    };
    hub.answer_with(move |request| {
        let mut bytes = good(&request.path);
        bytes[9] ^= 1;
        Some(http("200 OK", &bytes))
    });
    refused("config.json");
    hub.answer_with(|_| Some(http("200 OK", &[b'<'; 612])));
    refused("config.json");
    hub.answer_with(|_| Some(http("200 OK", &[b'<'; 613])));
    refused("larger than 612 bytes");
    hub.answer_with(|_| Some(http("200 OK", b"<html>Sign in</html>")));
    refused("config.json");
    hub.answer_with(|_| Some(http("404 Not Found", b"")));
    refused("status 404");
    // The download fails before the second file: the first is not requested again.
    hub.requests();
    hub.answer_with(move |request| {
        Some(if request.path.ends_with("/config.json") {
            http("200 OK", &good(&request.path))
        } else {
            http("503 Busy", b"")
        })
    });
    refused("status 503");
    refused("status 503");
    let requested: Vec<String> = hub.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(requested.iter().filter(|path| path.ends_with("41/config.json")).count(), 1, "{requested:?}");
    assert!(requested.iter().all(|path| !path.ends_with("model.safetensors")), "{requested:?}");
}
