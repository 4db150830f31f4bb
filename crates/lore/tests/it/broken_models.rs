//! Models whose files are damaged, missing or not what they say they are: the error names the file, and the model
//! before goes on answering.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::asking::{TRANSFORMER, ask, notes, slugs, vault};
use crate::sandbox::{Ran, Sandbox, models};
use crate::stand_in::{StandIn, http};

const FILES: [&str; 5] =
    ["config.json", "modules.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"];

fn pages() -> Sandbox {
    vault(&[
        ("canine.md", "# Canine\n\nA puppy learns to sit and stay when it is rewarded.\n"),
        ("bread.md", "# Bread\n\nKnead the dough and bake it in a hot oven.\n"),
    ])
}

/// A folder with the files of the transformer, none of them its own.
fn model_folder(folder: &Path) {
    fs::create_dir_all(folder.join("1_Pooling")).expect("a folder");
    for file in FILES {
        let _ = fs::remove_file(folder.join(file));
        let _ = fs::remove_dir(folder.join(file));
        symlink(models().join(TRANSFORMER).join(file), folder.join(file)).expect("a link");
    }
}

/// Puts other bytes in the place of a file; none removes it.
fn replace(folder: &Path, file: &str, bytes: Option<&[u8]>) {
    fs::remove_file(folder.join(file)).expect("it was there");
    if let Some(bytes) = bytes {
        fs::write(folder.join(file), bytes).expect("a file");
    }
}

/// The transformer's configuration with one value changed.
fn config(key: &str, value: Value) -> Vec<u8> {
    let text = fs::read(models().join(TRANSFORMER).join("config.json")).expect("a configuration");
    let mut config: Value = serde_json::from_slice(&text).expect("JSON");
    config[key] = value;
    config.to_string().into_bytes()
}

/// What is wrong with a model's folder: a file, and the bytes in its place.
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
    // What the configuration says is not what the weights are: the file that does not fit is named.
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
fn a_folder_that_holds_no_model_is_refused_with_the_file_and_changes_nothing() {
    let sandbox = pages();
    let folder = sandbox.root.join("mine/my-model");
    let before = ask(&sandbox, "hybrid", "dog training");
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
        let place = folder.join(names).display().to_string();
        assert!(ran.err.contains(&place) && ran.err.contains("\nhint: "), "{what}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{what}: {}", ran.err);
    }
    assert_eq!(fs::read(sandbox.root.join("home/config.toml")).expect("there"), settings, "nothing is noted");
    assert_eq!(sandbox.run(&["status"]).ok().json()["model"], "wordllama-256");
    assert_eq!(ask(&sandbox, "hybrid", "dog training"), before);
}

#[test]
fn a_broken_folder_does_not_take_the_place_of_a_good_one_of_its_name() {
    let sandbox = pages();
    let (good, broken) = (sandbox.root.join("home/models"), sandbox.root.join("broken"));
    for folder in [&good, &broken] {
        model_folder(&folder.join("my-model"));
    }
    replace(&broken.join("my-model"), "tokenizer.json", None);
    sandbox.run(&["model", "use", "my-model"]).ok();
    let before = ask(&sandbox, "semantic", "dog training");
    assert_eq!((&before["mode"], slugs(&before)[0]), (&json!("semantic"), "canine"));
    sandbox.run(&["model", "use", "../broken/my-model"]).exits(5).says("tokenizer.json");
    assert_eq!(ask(&sandbox, "semantic", "dog training"), before);
}

#[test]
fn a_model_that_breaks_while_it_answers_loses_no_vector_and_comes_back() {
    let sandbox = pages();
    let folder = sandbox.root.join("mine/my-model");
    model_folder(&folder);
    sandbox.run(&["model", "use", "../mine/my-model"]).ok();
    let before = ask(&sandbox, "semantic", "dog training");
    replace(&folder, "tokenizer.json", Some(b"{}"));
    for arguments in [&["embed"][..], &["embed", "--all"], &["embed", "bread"]] {
        sandbox.run(arguments).exits(5).says(&folder.join("tokenizer.json").display().to_string());
    }
    let answer = ask(&sandbox, "semantic", "oven");
    assert_eq!((&answer["mode"], slugs(&answer)), (&json!("lexical"), vec!["bread"]));
    assert!(notes(&answer).contains("tokenizer.json"), "{answer}");
    assert_eq!(sandbox.run(&["status"]).ok().json()["pending_embeddings"], 0, "no vector was given up");
    sandbox.run(&["validate", "--all"]).ok();
    model_folder(&folder);
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 0);
    assert_eq!(ask(&sandbox, "semantic", "dog training"), before);
}

#[test]
fn other_weights_under_the_same_name_are_not_asked_about_the_old_vectors() {
    let sandbox = pages();
    let folder = sandbox.root.join("mine/my-model");
    model_folder(&folder);
    sandbox.run(&["model", "use", "../mine/my-model"]).ok();
    replace(
        &folder,
        "1_Pooling/config.json",
        Some(br#"{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}"#),
    );
    let answer = ask(&sandbox, "semantic", "oven");
    assert_eq!(answer["mode"], "lexical");
    assert!(notes(&answer).contains("run `lore model use my-model`"), "{answer}");
    sandbox.run(&["embed", "--all"]).exits(5).says("other weights");
    assert_eq!(sandbox.run(&["model", "use", "my-model"]).ok().json()["embedded"], 2);
    assert_eq!(ask(&sandbox, "semantic", "oven")["mode"], "semantic");
    sandbox.run(&["validate", "--embeddings"]).ok();
}

/// `lore model pull` from a hub on this machine into a folder of its own.
fn pull(sandbox: &Sandbox, hub: &StandIn) -> Ran {
    let mut command = sandbox.command(&["model", "pull", TRANSFORMER, "--hub", &hub.base]);
    command.env("LORE_MODELS", models_of(sandbox)).output().expect("it starts").into()
}

fn models_of(sandbox: &Sandbox) -> PathBuf {
    sandbox.root.join("fetched")
}

#[test]
fn what_a_hub_gives_instead_of_a_models_files_is_not_kept() {
    let sandbox = Sandbox::with_vault();
    let hub = StandIn::start();
    let good = |path: &str| {
        let file = path.rsplit_once("/1110a243fdf4706b3f48f1d95db1a4f5529b4d41/").expect("a commit").1;
        fs::read(models().join(TRANSFORMER).join(file)).expect("a file of the model")
    };
    let no_model = |says: &str| {
        let ran = pull(&sandbox, &hub).exits(5).says(says).says(&hub.base).says("\nhint: ");
        assert!(!models_of(&sandbox).join(TRANSFORMER).exists(), "{ran:?}");
    };
    hub.answer_with(move |request| {
        let mut bytes = good(&request.path);
        bytes[9] ^= 1;
        Some(http("200 OK", &bytes))
    });
    no_model("config.json");
    hub.answer_with(|_| Some(http("200 OK", &[b'<'; 612])));
    no_model("config.json");
    hub.answer_with(|_| Some(http("200 OK", &[b'<'; 613])));
    no_model("larger than 612 bytes");
    hub.answer_with(|_| Some(http("200 OK", b"<html>Sign in</html>")));
    no_model("config.json");
    hub.answer_with(|_| Some(http("404 Not Found", b"")));
    no_model("status 404");
    // It breaks off before the second file: the first is not asked for again.
    hub.requests();
    hub.answer_with(move |request| {
        Some(if request.path.ends_with("/config.json") {
            http("200 OK", &good(&request.path))
        } else {
            http("503 Busy", b"")
        })
    });
    no_model("status 503");
    no_model("status 503");
    let asked: Vec<String> = hub.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(asked.iter().filter(|path| path.ends_with("41/config.json")).count(), 1, "{asked:?}");
    assert!(asked.iter().all(|path| !path.ends_with("model.safetensors")), "{asked:?}");
}
