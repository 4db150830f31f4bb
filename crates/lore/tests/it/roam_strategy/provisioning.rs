//! A new vault: whole, valid, and the same when it is made twice.

use serde_json::json;

use crate::story::{NOON, Story};

#[test]
fn making_the_vault_twice_changes_nothing() {
    let story = Story::of("roam");
    let (files, head) = (story.sandbox.files(), story.head());
    for again in [&["init", "--profile", "roam"][..], &["init"], &["init", "--profile", "notes"]] {
        let made = story.later("2026-12-01T12:00:00Z", again).ok().json();
        assert_eq!((&made["created"], &made["profile"]), (&json!([]), &json!("roam")), "{again:?}");
        assert_eq!((story.sandbox.files(), story.head()), (files.clone(), head.clone()), "{again:?}");
    }
}

#[test]
fn the_first_page_has_a_valid_id_and_a_summary() {
    let story = Story::of("roam");
    let page = story.lore(&["show", "Start here"]).ok().json();
    let id = page["id"].as_str().expect("an id");
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12], "{id}");
    assert!(page["summary"].as_str().is_some_and(|summary| summary.len() > 10), "{page}");
    assert_eq!(page["properties"]["created"], &NOON[..10]);
    assert_eq!(page["properties"]["created_by"], "tester");
    assert!(story.read("index.md").contains(id));
    let other = Story::of("roam");
    assert_ne!(other.lore(&["show", "Start here"]).ok().json()["id"], *id, "each vault's is its own");
}

#[test]
fn a_new_vault_is_committed_whole_and_has_nothing_wrong_with_it() {
    let story = Story::of("roam");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    let linted = story.lore(&["lint"]).ok().json();
    assert_eq!((&linted["errors"], &linted["warnings"]), (&json!(0), &json!(0)), "{linted}");
    let status = story.lore(&["status"]).ok().json();
    assert_eq!((&status["pages"], &status["warnings"]), (&json!(1), &json!([])), "{status}");
}

#[test]
fn doctor_finds_nothing_wrong_with_a_new_vault() {
    for profile in ["roam", "notes", "brain", "personal"] {
        let story = Story::of(profile);
        let found = story.lore(&["doctor"]).json()["findings"].clone();
        let problems: Vec<_> =
            found.as_array().expect("a list").iter().filter(|one| one["state"] == "problem").collect();
        assert!(problems.is_empty(), "{profile}: {problems:?}");
        story.lore(&["doctor"]).ok();
    }
}

#[test]
fn a_new_vault_is_valid_in_every_respect() {
    for profile in ["roam", "personal"] {
        let story = Story::of(profile);
        let checked = story.lore(&["validate", "--all"]);
        assert_eq!(checked.json()["problems"], json!([]), "{profile}");
        checked.ok();
    }
}

#[test]
fn the_vault_is_made_in_a_repository_that_is_there_and_beside_pages_that_are_there() {
    let story = Story::untold();
    story.git(&["init", "--quiet", "--initial-branch=trunk"]);
    story.sandbox.write("README.md", "# Mine\n");
    story.sandbox.write("thought.md", "# A thought\n");
    story.commit_by_hand("Before");
    let made = story.lore(&["init", "--profile", "roam"]).ok().json();
    assert!(!made["created"].to_string().contains("README.md"), "{made}");
    assert_eq!(story.read("README.md"), "# Mine\n");
    assert_eq!(story.git(&["branch", "--show-current"]), "trunk");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    story.lore(&["lint", "thought"]).exits(4);
    story.refuses(|| story.lore(&["capture", "A lesson about looms"])).says("thought.md");
    // What is missing but for title and summary has a default.
    story.lore(&["lint", "--fix"]).exits(4);
}

#[test]
fn the_remote_is_set_where_one_is_given() {
    let story = Story::untold();
    story.git_in(&story.sandbox.root, &["init", "--quiet", "--bare", "remote.git"]);
    let url = story.remote().to_string_lossy().into_owned();
    story.lore(&["init", "--profile", "roam", "--remote", &url]).ok();
    assert_eq!(story.git(&["remote", "get-url", "origin"]), url);
    story.lore(&["git", "push"]).ok();
    assert_eq!(story.git_in(&story.remote(), &["rev-parse", "main"]), story.head());
    // A clone of it is the whole vault, on a machine that has never seen it.
    let other = story.clone_remote();
    let mut command = story.at(NOON, &["lint"]);
    command.current_dir(&other).env("LORE_HOME", story.sandbox.root.join("other-home"));
    let linted = command.output().expect("it runs");
    assert!(linted.status.success(), "{linted:?}");
}
