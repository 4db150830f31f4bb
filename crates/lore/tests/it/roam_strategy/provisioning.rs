//! A new vault: complete, valid, and unchanged by a second `init`.

use serde_json::json;

use crate::git_support::{GitVault, NOON};

#[test]
fn second_init_changes_nothing() {
    let vault = GitVault::with_profile("roam");
    let (files, head) = (vault.sandbox.files(), vault.head());
    for again in [&["init", "--profile", "roam"][..], &["init"], &["init", "--profile", "notes"]] {
        let made = vault.later("2026-12-01T12:00:00Z", again).ok().json();
        assert_eq!((&made["created"], &made["profile"]), (&json!([]), &json!("roam")), "{again:?}");
        assert_eq!((vault.sandbox.files(), vault.head()), (files.clone(), head.clone()), "{again:?}");
    }
}

#[test]
fn first_page_has_a_valid_id_and_a_summary() {
    let vault = GitVault::with_profile("roam");
    let page = vault.lore(&["show", "Start here"]).ok().json();
    let id = page["id"].as_str().expect("an id");
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12], "{id}");
    assert!(page["summary"].as_str().is_some_and(|summary| summary.len() > 10), "{page}");
    assert_eq!(page["properties"]["created"], &NOON[..10]);
    assert_eq!(page["properties"]["created_by"], "tester");
    assert!(vault.read("index.md").contains(id));
    let other = GitVault::with_profile("roam");
    assert_ne!(other.lore(&["show", "Start here"]).ok().json()["id"], *id, "each vault has its own id");
}

#[test]
fn new_vault_is_committed_and_lints_clean() {
    let vault = GitVault::with_profile("roam");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    let linted = vault.lore(&["lint"]).ok().json();
    assert_eq!((&linted["errors"], &linted["warnings"]), (&json!(0), &json!(0)), "{linted}");
    let status = vault.lore(&["status"]).ok().json();
    assert_eq!((&status["pages"], &status["warnings"]), (&json!(1), &json!([])), "{status}");
}

#[test]
fn doctor_finds_no_problem_in_a_new_vault() {
    for profile in ["roam", "notes", "brain", "personal"] {
        let vault = GitVault::with_profile(profile);
        let found = vault.lore(&["doctor"]).json()["findings"].clone();
        let problems: Vec<_> =
            found.as_array().expect("a list").iter().filter(|one| one["state"] == "problem").collect();
        assert!(problems.is_empty(), "{profile}: {problems:?}");
        vault.lore(&["doctor"]).ok();
    }
}

#[test]
fn new_vault_passes_every_validation() {
    for profile in ["roam", "personal"] {
        let vault = GitVault::with_profile(profile);
        let checked = vault.lore(&["validate", "--all"]);
        assert_eq!(checked.json()["problems"], json!([]), "{profile}");
        checked.ok();
    }
}

#[test]
fn init_works_in_an_existing_repository_with_pages() {
    let vault = GitVault::without_vault();
    vault.git(&["init", "--quiet", "--initial-branch=trunk"]);
    vault.sandbox.write("README.md", "# Mine\n");
    vault.sandbox.write("thought.md", "# A thought\n");
    vault.commit_by_hand("Before");
    let made = vault.lore(&["init", "--profile", "roam"]).ok().json();
    assert!(!made["created"].to_string().contains("README.md"), "{made}");
    assert_eq!(vault.read("README.md"), "# Mine\n");
    assert_eq!(vault.git(&["branch", "--show-current"]), "trunk");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    vault.lore(&["lint", "thought"]).exits(4);
    vault.refuses(|| vault.lore(&["capture", "A lesson about looms"])).says("thought.md");
    // Everything that is missing except title and summary has a default.
    vault.lore(&["lint", "--fix"]).exits(4);
}

#[test]
fn init_sets_the_given_remote() {
    let vault = GitVault::without_vault();
    vault.git_in(&vault.sandbox.root, &["init", "--quiet", "--bare", "remote.git"]);
    let url = vault.remote().to_string_lossy().into_owned();
    vault.lore(&["init", "--profile", "roam", "--remote", &url]).ok();
    assert_eq!(vault.git(&["remote", "get-url", "origin"]), url);
    vault.lore(&["git", "push"]).ok();
    assert_eq!(vault.git_in(&vault.remote(), &["rev-parse", "main"]), vault.head());
    // A clone is the whole vault, on a machine that has never seen it.
    let other = vault.clone_remote();
    vault.sandbox.trust_in("other-home");
    let mut command = vault.at(NOON, &["lint"]);
    command.current_dir(&other).env("LORE_HOME", vault.sandbox.root.join("other-home"));
    let linted = command.output().expect("it runs");
    assert!(linted.status.success(), "{linted:?}");
}
