//! `lore capture`: similar pages, the three follow-up commands, tags and links, in every profile and without a model.

mod additions;
mod disagreement;

use std::path::Path;

use serde_json::{Value, json};

use crate::capture_set::shown;
use crate::git_support::{GitVault, TOKEN};
use crate::sandbox::{LORE, Ran, Sandbox, models};

const SALON: &str = "We decided to make the salon invitation-only instead of taking applications.";
const SALON_AGAIN: &str = "The salon is invitation-only now; we decided to take no applications.";

/// Creates a vault of this profile with a page about the salon.
fn with_salon_page(profile: &str) -> (GitVault, Value) {
    let vault = GitVault::with_profile(profile);
    let written = vault.lore(&["capture", SALON]).ok().json();
    (vault, written)
}

fn slugs(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(|one| one["slug"].as_str()).collect()
}

/// Asserts that lint finds nothing. A stale generated index is ignored: captures do not regenerate it.
#[track_caller]
fn assert_lints_clean(vault: &GitVault, profile: &str) {
    let findings: Vec<_> =
        vault.findings().into_iter().filter(|(rule, _)| rule != "generated-stale").collect();
    assert_eq!(findings, [], "{profile}");
}

#[track_caller]
fn lists_follow_up_commands(ran: &Ran) {
    let text = ran.text();
    for part in ["--extend", "--update", "--expected-version 1", "--keep"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn labelled_pairs_reach_the_documented_recall() {
    let sandbox = Sandbox::empty();
    for (model, recall) in [("none", 0.4), ("wordllama-256", 0.55), ("all-MiniLM-L6-v2", 0.75)] {
        let shown = shown(Path::new(LORE), &sandbox.root, &models(), model);
        assert!(shown.precision() >= 0.99 && shown.recall() >= recall, "{}", shown.line());
    }
}

#[test]
fn similar_pages_are_listed_with_runnable_commands() {
    for profile in ["notes", "brain", "roam", "roam-org", "personal"] {
        let (vault, first) = with_salon_page(profile);
        assert_lints_clean(&vault, profile);
        let ran = vault.lore(&["capture", SALON_AGAIN]).exits(1);
        let found = ran.json();
        let one = &found["similar"][0];
        assert_eq!((&one["slug"], &one["id"]), (&first["slug"], &first["id"]), "{profile}");
        assert_eq!(found["compared"]["by"], "meaning and terms");
        assert_eq!(found["compared"]["model"], "wordllama-256");
        assert!(["meaning", "terms"].contains(&one["by"].as_str().expect("a way")), "{one}");
        lists_follow_up_commands(&ran);
        lists_follow_up_commands(&vault.lore(&["--format", "human", "capture", SALON_AGAIN]).exits(1));

        let command = |way: &str| found["next"][way].as_str().expect("a command").to_owned();
        let extended = vault.sandbox.sh(&command("extend")).ok().json();
        assert_eq!((&extended["slug"], &extended["version"]), (&first["slug"], &json!(2)), "{profile}");
        let conflict = vault.sandbox.sh(&command("update"));
        assert_eq!(conflict.code, 3, "the version is outdated: {conflict:?}");
        let update = command("update").replace("--expected-version 1", "--expected-version 2");
        let updated = vault.sandbox.sh(&update).ok().json();
        assert_eq!((&updated["id"], &updated["version"]), (&first["id"], &json!(3)), "{profile}");
        let kept = vault.sandbox.sh(&command("keep")).ok().json();
        assert_ne!(kept["slug"], first["slug"]);
        assert_eq!(slugs(&kept["similar"]), [first["slug"].as_str().expect("a slug")]);
        assert_lints_clean(&vault, profile);
        vault.sandbox.validate();
    }
}

#[test]
fn paraphrases_need_a_model_and_shared_words_do_not() {
    let paraphrase = "Catering has to avoid nuts because Henrik has an allergy.";
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["capture", "Henrik is allergic to nuts, so the catering must be nut free."]).ok();
    sandbox.run(&["capture", SALON]).ok();
    let found = sandbox.run(&["capture", paraphrase]).exits(1).json();
    assert_eq!(found["similar"][0]["by"], "meaning", "{found}");

    sandbox.trust_in("other");
    let without = |arguments: &[&str]| -> Ran {
        let mut command = sandbox.command(arguments);
        command.env("LORE_MODEL", "none").env("LORE_HOME", sandbox.root.join("other"));
        command.output().expect("lore runs").into()
    };
    let found = without(&["capture", SALON_AGAIN]).exits(1).json();
    assert_eq!((&found["similar"][0]["by"], &found["compared"]["by"]), (&json!("terms"), &json!("terms")));
    assert_eq!(found["compared"]["note"], "no embedding model is set up");
    let written = without(&["capture", paraphrase]).ok().json();
    assert_eq!((&written["linked"], &written["compared"]["by"]), (&json!([]), &json!("terms")));
}

#[test]
fn unsupported_scripts_are_compared_by_characters() {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["capture", "東京都の天気は晴れです"]).ok();
    let found = sandbox.run(&["capture", "東京都の天気は雨です"]).exits(1).json();
    assert_eq!((&found["compared"]["by"], &found["similar"][0]["by"]), (&json!("terms"), &json!("terms")));
    let note = found["compared"]["note"].as_str().expect("a note");
    assert!(note.contains("does not support the script"), "{note}");
    sandbox.run(&["capture", "भाषा और लिपि के बारे में कुछ"]).ok();
}

#[test]
fn update_replaces_only_the_truth() {
    let vault = GitVault::with_profile("brain");
    let page = "---\ntitle: Acme\nid: 0192f3a1-7c4e-7b21-9d55-000000000001\nstage: seed\n---\n# Acme\n\nMakes anvils.\n\n- based_in [[Fresno]]\n- owner:: Wile\n\n---\n\n## Timeline\n- **2024-01-02** | call — Met them\n";
    vault.put("companies/acme", page).ok();
    let stale = vault.lore(&["capture", "Makes springs.", "--update", "Acme", "--expected-version", "7"]);
    stale.exits(3);
    assert_eq!(vault.read("companies/acme.md"), page);
    let updated = vault.lore(&["capture", "Makes springs now.", "--update", "0192f3a1", "--tag", "tools"]);
    let updated = updated.ok().json();
    assert_eq!((&updated["id"], &updated["outcome"]), (&json!("0192f3a1"), &json!("updated")));
    let warning = updated["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("kept 2 lines that the new text does not mention"), "{warning}");
    assert_eq!(updated["kept"], json!(["- based_in [[Fresno]]", "- owner:: Wile"]));
    let expected = page
        .replace("Makes anvils.", "Makes springs now.")
        .replace("stage: seed\n", "stage: seed\ntags: [tools]\n");
    assert_eq!(vault.read("companies/acme.md"), expected);
    let history = vault.lore(&["history", "Acme"]).ok().text();
    assert!(history.contains("Update companies/acme.md"), "{history}");
    vault.lore(&["restore", "Acme", "--at", "1", "--yes"]);

    for (arguments, what) in [
        (&["--update", "Acme", "--keep"][..], "cannot be used with"),
        (&["--update", "Acme", "--extend", "Acme"], "cannot be used with"),
        (&["--expected-version", "1"], "required"),
        (&["--update", "Acme", "--title", "Other"], "a title or a raw text can only be given for a new page"),
        (&["--update", "Nobody"], "Nobody"),
    ] {
        let ran = vault.lore(&[&["capture", "Words"][..], arguments].concat());
        assert!(ran.code > 0, "{ran:?}");
        ran.says(what);
    }
    let both = json!({ "text": "x", "extend": "Acme", "update": "Acme" }).to_string();
    vault.lore(&["call", "capture", &both]).exits(2).says("extend and update cannot be used together");
    let ruled = "One.\n\n---\n\nTwo.";
    vault.lore(&["capture", ruled, "--update", "Acme"]).exits(2).says("its own timeline");
    vault.lore(&["capture", ruled, "--extend", "Acme"]).exits(2).says("its own timeline");
}

#[test]
fn extension_is_inserted_above_the_timeline() {
    let vault = GitVault::with_profile("brain");
    vault.put("companies/acme", "# Acme\n\nAnvils.\n\n---\n\n- **2024-01-02** | call — Met\n").ok();
    vault.lore(&["capture", "And springs.", "--extend", "Acme"]).ok();
    assert_eq!(
        vault.read("companies/acme.md"),
        "# Acme\n\nAnvils.\n\nAnd springs.\n\n---\n\n- **2024-01-02** | call — Met\n"
    );
}

#[test]
fn unusual_texts_are_kept_or_refused_and_secrets_never_shown() {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["capture", ""]).exits(2).says("the text is empty");
    sandbox.pipe(&["capture"], b" \n\t").exits(2).says("the text is empty");
    sandbox.pipe(&["capture"], b"\xff\xfe").exits(2).says("not UTF-8");
    let secret = TOKEN.concat();
    for way in [&["--keep"][..], &["--update", "x"], &["--extend", "x"], &[]] {
        let ran = sandbox.run(&[&["capture", &format!("The key is {secret}")][..], way].concat()).exits(4);
        assert!(!format!("{}{}", ran.text(), ran.err).contains(&secret[6..12]), "{ran:?}");
    }
    let words: Vec<String> = (0..120_000).map(|number| format!("word{number:05}")).collect();
    let large = words.join(" ");
    assert!(large.len() > 1_000_000);
    let written = sandbox.pipe(&["capture", "--title", "Large"], large.as_bytes()).ok().json();
    assert_eq!(written["slug"], "captures/large");
    let found = sandbox.pipe(&["capture", "--title", "Large"], large.as_bytes()).exits(1).json();
    assert_eq!(slugs(&found["similar"]), ["captures/large"]);
    assert_eq!(found["next"]["keep"], "… | lore capture --title Large --keep");
    for text in ["```\nopen", "# [[Odd]] | title #1", "- item", "🚀", "'; DROP TABLE page; --"] {
        let ran = sandbox.pipe(&["capture", "--keep"], text.as_bytes());
        assert!([0, 4].contains(&ran.code), "{text:?}: {ran:?}");
    }
    sandbox.pipe(&["capture", "--keep"], b"a\0b").exits(2).says("NUL character");
    sandbox.validate();
}

#[test]
fn generated_pages_are_not_similar_pages() {
    let vault = GitVault::with_profile("personal");
    let map = vault.read("_index.md");
    let line = map.lines().find(|line| line.contains("identity")).expect("a line of the map").to_owned();
    let ran = vault.lore(&["capture", &line]);
    let similar = if ran.code == 1 { ran.json()["similar"].clone() } else { json!([]) };
    assert!(!slugs(&similar).contains(&"_index"), "{similar}");
}
