//! Switching between models of the same dimensions and back, over twenty questions: every answer uses only the
//! vectors of the active model.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, models};
use crate::search_support::{TRANSFORMER, call_all, query_call, vault};

/// One page each, with a question about it that shares few of its words.
const PAGES: [(&str, &str, &str); 20] = [
    ("canine", "A puppy learns to sit and stay when it is rewarded.", "dog training"),
    ("harbour", "Ships lie at the quay while their cargo is unloaded.", "where do boats load freight"),
    ("bread", "Knead the dough, let it rise, and bake it in a hot oven.", "how to make a loaf"),
    ("tax", "The form is due in May; late filing costs a fee.", "money owed to the state"),
    ("snow", "It falls in winter and lies on the hills for weeks.", "cold season weather"),
    ("violin", "Four strings, tuned in fifths, played with a bow.", "musical instrument"),
    ("engine", "Steam drives the piston, and the piston drives the wheel.", "how a locomotive moves"),
    ("garden", "Tomatoes want sun, water and a stick to climb on.", "growing vegetables"),
    ("night", "Sirius is the brightest star; Orion stands in the south.", "astronomy for beginners"),
    ("chess", "The queen is worth nine pawns; castle early.", "board game strategy"),
    ("fever", "Rest, drink plenty, and see a doctor after three days.", "what to do when ill"),
    ("roof", "Slates are nailed from the eaves upwards, each row over the last.", "covering a house"),
    ("bees", "The hive swarms in May; the old queen leaves with half of them.", "keeping insects for honey"),
    ("bike", "Oil the chain, check the brakes, pump up the tyres.", "cycle maintenance"),
    ("loan", "Interest is paid every month, the rest after ten years.", "borrowing from a bank"),
    ("clay", "It is thrown on the wheel, dried, glazed and fired.", "pottery"),
    ("glacier", "Ice flows down the valley and carries stones with it.", "frozen rivers in mountains"),
    ("vote", "Each citizen has one ballot; the count is public.", "elections"),
    ("ink", "Soot and gum, ground with water for an hour.", "writing materials"),
    ("echo", "Sound comes back from a wall after a while.", "acoustics"),
];

/// Creates a model directory: the transformer's files with another pooling mode.
fn model(sandbox: &Sandbox, name: &str, pooling: &str) {
    let folder = sandbox.root.join("home/models").join(name);
    fs::create_dir_all(folder.join("1_Pooling")).expect("a folder");
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        symlink(models().join(TRANSFORMER).join(file), folder.join(file)).expect("a link");
    }
    fs::write(folder.join("1_Pooling/config.json"), json!({ pooling: true }).to_string()).expect("a file");
}

/// Creates the twenty pages and three models: `first`, `second` with other vectors, and `again`, a copy of `first`.
fn corpus() -> Sandbox {
    let sandbox = vault(&PAGES.map(|(name, text, _)| (format!("{name}.md"), format!("{text}\n"))));
    model(&sandbox, "first", "pooling_mode_mean_tokens");
    model(&sandbox, "second", "pooling_mode_cls_token");
    model(&sandbox, "again", "pooling_mode_mean_tokens");
    sandbox
}

/// Activates a model; returns the number of chunks embedded for it.
#[track_caller]
fn change_to(sandbox: &Sandbox, name: &str) -> u64 {
    let changed = sandbox.run(&["model", "use", name]).ok().json();
    assert_eq!((&changed["model"], &changed["dimensions"]), (&json!(name), &json!(384)));
    sandbox.run(&["validate", "--embeddings"]).ok();
    changed["embedded"].as_u64().expect("a count")
}

/// Returns the top five hits with scores and reasons, of every question in semantic mode and of some in hybrid mode.
fn five_best(sandbox: &Sandbox) -> Vec<Value> {
    let call = |mode: &'static str| move |(_, _, question): &(&str, &str, &str)| query_call(mode, question);
    let calls: Vec<Value> =
        PAGES.iter().map(call("semantic")).chain(PAGES[..5].iter().map(call("hybrid"))).collect();
    call_all(sandbox, &calls)
        .into_iter()
        .map(|answer| {
            assert_eq!(answer["notes"], json!([]), "{answer}");
            let hits = answer["hits"].as_array().expect("hits").iter().take(5);
            hits.map(|hit| json!([hit["slug"], hit["score"], hit["why"]])).collect()
        })
        .collect()
}

#[test]
fn answers_never_mix_models() {
    let (sandbox, fresh) = (corpus(), corpus());
    assert_eq!(change_to(&sandbox, "first"), 20);
    let first = five_best(&sandbox);
    let right = first.iter().zip(PAGES).filter(|(best, (page, ..))| best[0][0] == *page).count();
    assert!(right >= 18, "only {right} of 20 questions find their page");

    assert_eq!(change_to(&sandbox, "second"), 20);
    let second = five_best(&sandbox);
    let same = first.iter().zip(&second).filter(|(first, second)| first == second).count();
    assert_eq!(same, 0, "every answer uses other vectors");
    change_to(&fresh, "second");
    assert_eq!(second, five_best(&fresh), "as in a database without the first model");

    assert_eq!(change_to(&sandbox, "first"), 0, "its vectors were kept");
    assert_eq!(five_best(&sandbox), first, "the same answers as before");

    assert_eq!(change_to(&sandbox, "again"), 20, "another name is another model");
    assert_eq!(five_best(&sandbox), first, "with the same answers");
    for name in ["first", "second"] {
        sandbox.run(&["model", "remove", name]).ok();
    }
    assert_eq!(five_best(&sandbox), first);
    sandbox.run(&["validate", "--all"]).ok();
}

#[test]
fn switching_back_embeds_only_changed_pages() {
    let (sandbox, fresh) = (corpus(), corpus());
    change_to(&sandbox, "first");
    change_to(&sandbox, "second");
    for sandbox in [&sandbox, &fresh] {
        sandbox.write("bike.md", "Mend the tube, true the wheel, and oil the chain.\n");
        sandbox.write("new.md", "A spoke is laced over two others and under the third.\n");
        fs::remove_file(sandbox.vault().join("clay.md")).expect("it was there");
    }
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 2);
    assert_eq!(change_to(&sandbox, "first"), 2, "the changed and the new page");
    change_to(&fresh, "first");
    assert_eq!(five_best(&sandbox), five_best(&fresh), "the same as in a fresh database");
    // The index can be rebuilt; vectors are keyed by text.
    sandbox.run(&["sync", "--full"]).ok();
    assert_eq!(change_to(&sandbox, "second"), 0);
    assert_eq!(change_to(&sandbox, "first"), 0);
}
