//! Semantic search with the real models that `make models` downloads.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, models};

const TRANSFORMER: &str = "all-MiniLM-L6-v2";

/// Creates a vault with pages that share no word with the questions about them.
fn vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    for (path, text) in [
        ("canine.md", "# Canine behavior\n\nA puppy learns to sit and stay when it is rewarded.\n"),
        ("harbour.md", "# Harbour\n\nShips lie at the quay while their cargo is unloaded.\n"),
        ("bread.md", "# Bread\n\nKnead the dough, let it rise, and bake it in a hot oven.\n"),
        ("tax.md", "# Tax return\n\nThe form is due in May; late filing costs a fee.\n"),
    ] {
        sandbox.write(path, text);
    }
    sandbox.run(&["init", "--no-git"]).ok();
    sandbox
}

fn slugs(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().expect("hits").iter().map(|hit| hit["slug"].as_str().expect("a slug")).collect()
}

fn query(sandbox: &Sandbox, question: &str, more: &[&str]) -> Value {
    let arguments: Vec<&str> = [&["query", question, "--json"], more].concat();
    sandbox.run(&arguments).json()
}

#[test]
fn dog_training_finds_canine_behavior_with_each_model() {
    let sandbox = vault();
    for model in ["wordllama-256", TRANSFORMER] {
        sandbox.run(&["model", "use", model]).ok();
        for mode in ["hybrid", "semantic"] {
            let answer = query(&sandbox, "dog training", &["--mode", mode]);
            assert_eq!(slugs(&answer)[0], "canine", "{model} {mode}: {answer}");
            let hit = &answer["hits"][0];
            assert!(hit["passages"][0]["text"].as_str().expect("text").contains("A puppy learns"), "{hit}");
        }
        assert_eq!(query(&sandbox, "dog training", &["--mode", "lexical"])["hits"], json!([]));
    }
}

#[test]
fn switching_models_and_back_gives_the_same_answers() {
    let sandbox = vault();
    let questions = ["dog training", "what do sailors do", "how to make a loaf", "money owed to the state"];
    let answers = |sandbox: &Sandbox| questions.map(|question| query(sandbox, question, &[]));
    let before = answers(&sandbox);
    let changed = sandbox.run(&["model", "use", TRANSFORMER, "--json"]).json();
    assert_eq!((&changed["model"], &changed["dimensions"]), (&json!(TRANSFORMER), &json!(384)));
    assert_eq!(changed["embedded"], 4);
    assert_ne!(answers(&sandbox), before);
    sandbox.run(&["validate", "--embeddings"]).ok();
    let back = sandbox.run(&["model", "use", "wordllama-256", "--json"]).json();
    assert_eq!(back["embedded"], 0, "nothing is embedded twice");
    assert_eq!(answers(&sandbox), before);
    let listed = sandbox.run(&["model", "list", "--json"]).json();
    let active: Vec<&Value> =
        listed["models"].as_array().expect("models").iter().filter(|model| model["active"] == true).collect();
    assert_eq!(active.len(), 1, "{listed}");
    sandbox.run(&["model", "remove", TRANSFORMER]).ok();
    sandbox.run(&["model", "remove", "wordllama-256"]).exits(2).says("is the active model");
    assert_eq!(answers(&sandbox), before);
}

#[test]
fn transformer_embeds_on_request_and_status_counts_pending_chunks() {
    let sandbox = vault();
    sandbox.run(&["model", "use", TRANSFORMER]).ok();
    sandbox.write("snow.md", "# Snow\n\nIt falls in winter.\n");
    let status = sandbox.run(&["status", "--json"]).json();
    assert_eq!((&status["model"], &status["pending_embeddings"]), (&json!(TRANSFORMER), &json!(1)));
    let answer = query(&sandbox, "winter", &[]);
    assert_eq!(slugs(&answer)[0], "snow", "lexical search finds it at once");
    assert!(answer["notes"][0].as_str().expect("a note").contains("run `lore embed`"), "{answer}");
    let done = sandbox.run(&["embed", "--json"]).json();
    assert_eq!((&done["embedded"], &done["pending"], &done["chunks"]), (&json!(1), &json!(0), &json!(5)));
    assert_eq!(query(&sandbox, "cold season", &[])["notes"], json!([]));
    assert_eq!(slugs(&query(&sandbox, "cold season", &["--mode", "semantic"]))[0], "snow");
    assert_eq!(sandbox.run(&["embed", "snow", "--json"]).json()["embedded"], 1, "embedded again on request");
    assert_eq!(sandbox.run(&["embed", "--all", "--json"]).json()["embedded"], 5);
}

#[test]
fn exact_alias_ranks_first_and_the_budget_is_kept() {
    let sandbox = vault();
    sandbox.write("odd.md", "---\naliases: [dog training]\n---\n# Odd\n\nNothing of the kind.\n");
    // Of a budget that is smaller than an empty answer, the best passage remains.
    assert_eq!(slugs(&query(&sandbox, "dog training", &["--token-budget", "60"]))[0], "odd");
    for budget in ["1", "50", "100"] {
        let answer = query(&sandbox, "dog training", &["--token-budget", budget]);
        let hits = if budget == "1" { 0 } else { 1 };
        assert_eq!(answer["hits"].as_array().map(Vec::len), Some(hits), "{budget}: {answer}");
        assert!(answer["notes"].to_string().contains("the token budget is too small"), "{budget}: {answer}");
    }
    let answer = query(&sandbox, "dog training", &["--token-budget", "400"]);
    assert!(!answer["notes"].to_string().contains("too small"), "{answer}");
    assert_eq!(slugs(&answer)[0], "odd");
    let (total, left) = (&answer["total_tokens"], &answer["budget_remaining"]);
    assert_eq!(total.as_u64().expect("tokens") + left.as_u64().expect("tokens"), 400);
}

#[test]
fn search_without_a_model_is_lexical() {
    let sandbox = Sandbox::empty();
    sandbox.write("bread.md", "# Bread\n\nKnead the dough.\n");
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        crate::sandbox::Ran::from(command.env("LORE_MODEL", "none").output().expect("it runs"))
    };
    run(&["init", "--no-git"]).ok();
    let answer = run(&["query", "dough", "--json"]).json();
    assert_eq!((&answer["mode"], slugs(&answer)), (&json!("lexical"), vec!["bread"]));
    assert!(answer["notes"][0].as_str().expect("a note").contains("no embedding model"), "{answer}");
    run(&["embed"]).exits(5).says("no embedding model");
    assert_eq!(run(&["status", "--json"]).json()["search"], "lexical: no embedding model");
    run(&["model", "use", "wordllama-256"]).ok();
    assert_eq!(run(&["query", "dough", "--json"]).json()["mode"], "hybrid");
}

fn copy_model(to: &Path) {
    fs::create_dir_all(to.join("1_Pooling")).expect("a folder");
    for file in ["config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"] {
        fs::copy(models().join(TRANSFORMER).join(file), to.join(file)).expect("a copy");
    }
}

#[test]
fn model_directory_works_and_a_broken_one_is_refused() {
    let sandbox = vault();
    let folder = sandbox.root.join("mine").join("my-model");
    copy_model(&folder);
    let used = sandbox.run(&["model", "use", folder.to_str().expect("UTF-8"), "--json"]).json();
    assert_eq!((&used["model"], &used["embedded"]), (&json!("my-model"), &json!(4)));
    assert_eq!(slugs(&query(&sandbox, "dog training", &[]))[0], "canine", "found from any directory");
    let whole = fs::read(folder.join("model.safetensors")).expect("weights");
    for (damage, says) in
        [(&whole[..1000], "model.safetensors"), (b"{}", "model.safetensors"), (&whole[..0], "empty")]
    {
        fs::write(folder.join("model.safetensors"), damage).expect("a file");
        sandbox.run(&["model", "use", "my-model"]).exits(5).says(says);
        let answer = query(&sandbox, "oven", &[]);
        assert_eq!((&answer["mode"], slugs(&answer)), (&json!("lexical"), vec!["bread"]));
        assert!(answer["notes"][0].as_str().expect("a note").contains("using full-text search"), "{answer}");
        let doctor = sandbox.run(&["doctor"]).text();
        assert!(doctor.contains("semantic search does not work"), "{doctor}");
    }
    fs::remove_file(folder.join("tokenizer.json")).expect("it was there");
    fs::write(folder.join("model.safetensors"), &whole).expect("a file");
    sandbox.run(&["model", "use", "my-model"]).exits(5).says("tokenizer.json");
    sandbox.run(&["model", "use", "no-such-model"]).exits(2).says("lore model list");
    sandbox.run(&["model", "pull", "no-such-model"]).exits(2).says("available models");
}

#[test]
fn any_question_gets_an_answer_or_a_clear_error() {
    let sandbox = vault();
    sandbox.run(&["query", ""]).exits(2).says("the question is empty");
    sandbox.run(&["query", "oven", "--token-budget", "0"]).exits(2).says("--token-budget");
    let answer = query(&sandbox, "狗的训练", &[]);
    assert_eq!(answer["mode"], "lexical");
    assert!(
        answer["notes"][0].as_str().expect("a note").contains("does not support the query's script"),
        "{answer}"
    );
    let input = json!({ "tool": "query", "input": { "question": "oven ".repeat(200_000) } });
    let ran = sandbox.pipe(&["pipe"], format!("{input}\n").as_bytes());
    let line: Value = serde_json::from_slice(&ran.out).expect("an answer");
    assert_eq!(line["result"]["hits"][0]["slug"], "bread", "a question of one megabyte: {}", line["error"]);
}

#[test]
fn unreachable_endpoint_keeps_the_old_model() {
    let sandbox = vault();
    // A port that was free a moment ago: nothing listens there.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
    sandbox.run(&["config", "set", "embedding.ollama", &format!("http://127.0.0.1:{port}")]).ok();
    sandbox.run(&["model", "use", "ollama:nomic-embed-text"]).exits(5).says("did not answer");
    assert_eq!(sandbox.run(&["status", "--json"]).json()["model"], "wordllama-256");
    assert_eq!(slugs(&query(&sandbox, "dog training", &[]))[0], "canine");
}
