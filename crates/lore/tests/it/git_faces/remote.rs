//! A remote: fetched before a write, fast-forwarded where that is safe, pushed on request.

use std::fs;

use serde_json::json;

use crate::git_support::{GitVault, texts};

/// More than ten minutes after noon, so that the last fetch is outdated.
const LATER: &str = "2026-11-01T12:30:00Z";
/// More than ten minutes after `LATER`.
const LATER_STILL: &str = "2026-11-01T13:00:00Z";

#[test]
fn write_fast_forwards_first() {
    let vault = GitVault::with_remote("notes");
    vault.put("page", "One\n").ok();
    vault.lore(&["git", "push"]).ok();
    let other = vault.clone_remote();
    vault.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    // The last fetch is recent.
    vault.put("page", "Two\n").ok();
    assert!(!vault.sandbox.vault().join("elsewhere.md").exists());
    vault.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    vault.later(LATER, &["edit", "page", "--append", "Two"]).ok();
    assert_eq!(vault.read("elsewhere.md"), "# From elsewhere\n");
    assert_eq!(vault.git(&["log", "-2", "--format=%s"]), "Update page.md\nElsewhere: elsewhere.md");
    assert_eq!(vault.git(&["rev-list", "--merges", "--count", "HEAD"]), "0");
    let found = vault.later(LATER, &["--no-sync", "search", "elsewhere"]).ok().json();
    assert_eq!(found["hits"][0]["slug"], "elsewhere", "the fetched page is indexed");
    assert_eq!(vault.later(LATER, &["git", "status"]).ok().json()["last_fetch"], "2026-11-01T12:30:00Z");
}

#[test]
fn fetch_interval_comes_from_the_policy() {
    let vault = GitVault::with_remote("notes");
    vault.sandbox.write("lore.toml", "[git]\nfetch_after = \"1 minute\"\n");
    vault.commit_by_hand("Policy");
    vault.lore(&["git", "push"]).ok();
    vault.put("page", "One\n").ok();
    vault.lore(&["git", "push"]).ok();
    let other = vault.clone_remote();
    vault.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    vault.later("2026-11-01T12:00:59Z", &["edit", "page", "--append", "Two"]).ok();
    assert!(!vault.sandbox.vault().join("elsewhere.md").exists());
    vault.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    vault.later("2026-11-01T12:01:00Z", &["edit", "page", "--append", "Three"]).ok();
    assert!(vault.sandbox.vault().join("elsewhere.md").exists());
}

#[test]
fn edit_applies_to_the_fetched_page() {
    let vault = GitVault::with_remote("notes");
    vault.put("page", "One\n").ok();
    vault.lore(&["git", "push"]).ok();
    let other = vault.clone_remote();
    vault.push_from(&other, "page.md", "One\nTwo from elsewhere\n");
    let refused = vault.later(LATER, &["edit", "page", "--append", "Three", "--expected-version", "1"]);
    refused.exits(3).says("version");
    vault.later(LATER, &["edit", "page", "--append", "Three"]).ok();
    assert_eq!(vault.read("page.md"), "One\nTwo from elsewhere\nThree\n");
}

#[test]
fn write_behind_the_remote_with_foreign_changes_is_refused() {
    for profile in ["notes", "roam"] {
        let vault = GitVault::with_remote(profile);
        let other = vault.clone_remote();
        vault.push_from(&other, "raw.txt", "From elsewhere\n");
        vault.sandbox.write("mine.txt", "Not committed\n");
        let ran = vault.later(LATER, &["capture", "A lesson"]).exits(4);
        ran.says("mine.txt").says("nothing was changed");
        assert_eq!(vault.uncommitted(), ["?? mine.txt"], "{profile}");
        vault.commit_by_hand("Mine");
        vault.later(LATER, &["capture", "A lesson"]).exits(4).says("diverged");
    }
}

#[test]
fn write_on_a_diverged_branch_is_refused() {
    let vault = GitVault::with_remote("notes");
    vault.put("page", "One\n").ok();
    let other = vault.clone_remote();
    vault.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    let head = vault.head();
    let ran = vault.later(LATER, &["edit", "page", "--append", "Two"]).exits(4);
    ran.says("diverged: 1 commits here, 1 there; nothing was changed")
        .says("git -c rebase.autoStash=true rebase origin/main");
    assert_eq!((vault.head(), vault.read("page.md")), (head.clone(), "One\n".to_owned()));
    // It stays refused without another fetch, until a person has reconciled the branches.
    fs::rename(vault.remote(), vault.sandbox.root.join("away.git")).expect("moved");
    vault.refuses(|| vault.later(LATER, &["edit", "page", "--append", "Two"])).says("diverged");
    fs::rename(vault.sandbox.root.join("away.git"), vault.remote()).expect("moved back");
    let state = vault.lore(&["git", "status"]).ok().json();
    assert_eq!((&state["ahead"], &state["behind"]), (&json!(1), &json!(1)));
    assert_eq!(texts(&state["warnings"]), ["remote diverged: 1 commit here, 1 there"]);
    vault.git(&["pull", "--quiet", "--rebase"]);
    vault.later(LATER, &["edit", "page", "--append", "Two"]).ok();
    assert_eq!(vault.read("page.md"), "One\nTwo\n");
    vault.lore(&["git", "push"]).ok();
}

#[test]
fn push_reports_its_commits_once() {
    let vault = GitVault::with_remote("notes");
    vault.put("one", "One\n").ok();
    vault.put("two", "Two\n").ok();
    assert_eq!(vault.lore(&["status"]).ok().json()["unpushed"], 2);
    assert_eq!(vault.lore(&["git", "push"]).ok().json()["message"], "pushed 2 commits");
    assert_eq!(vault.git_in(&vault.remote(), &["rev-parse", "main"]), vault.head());
    assert_eq!(vault.lore(&["git", "push"]).ok().json()["message"], "nothing to push");
    assert_eq!(vault.lore(&["status"]).ok().json()["unpushed"], 0);
}

#[test]
fn rejected_push_is_recorded_and_not_retried() {
    let vault = GitVault::with_remote("notes");
    vault.put("page", "One\n").ok();
    let other = vault.clone_remote();
    vault.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    let (head, there) = (vault.head(), vault.git_in(&vault.remote(), &["rev-parse", "main"]));
    let ran = vault.lore(&["git", "push"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    ran.says("nothing was pushed and nothing is lost");
    assert_eq!(vault.head(), head, "the commit is still here");
    assert_eq!(vault.git_in(&vault.remote(), &["rev-parse", "main"]), there, "nothing was forced");
    for command in ["status", "context"] {
        let warnings = texts(&vault.lore(&[command]).ok().json()["warnings"]).join("\n");
        assert!(warnings.contains("push rejected at 2026-11-01T12:00:00Z"), "{command}: {warnings}");
        assert!(warnings.contains("remote diverged: 1 commit here, 1 there"), "{command}: {warnings}");
    }
    // If the remote were contacted again, the error would differ now.
    fs::rename(vault.remote(), vault.sandbox.root.join("away.git")).expect("moved");
    vault.lore(&["git", "push"]).exits(4).says("diverged");
    fs::rename(vault.sandbox.root.join("away.git"), vault.remote()).expect("moved back");
    vault.git(&["pull", "--quiet", "--rebase"]);
    assert_eq!(vault.lore(&["git", "push"]).ok().json()["message"], "pushed 1 commit");
    assert_eq!(vault.lore(&["status"]).ok().json()["warnings"], json!([]), "the warning is cleared");
}

#[test]
fn offline_write_is_committed() {
    let vault = GitVault::with_remote("notes");
    fs::rename(vault.remote(), vault.sandbox.root.join("away.git")).expect("moved");
    let written = vault.later(LATER, &["capture", "A lesson"]).ok().json();
    assert_eq!(written["commit"], vault.head());
    let warnings = texts(&vault.later(LATER, &["status"]).ok().json()["warnings"]).join("\n");
    assert!(warnings.contains("last fetch failed"), "{warnings}");
    fs::rename(vault.sandbox.root.join("away.git"), vault.remote()).expect("moved back");
    vault.later(LATER_STILL, &["capture", "Another matter of no likeness"]).ok();
    let warnings = texts(&vault.later(LATER_STILL, &["status"]).ok().json()["warnings"]);
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn pull_fast_forwards_and_never_merges() {
    let vault = GitVault::with_remote("notes");
    let other = vault.clone_remote();
    assert_eq!(vault.lore(&["git", "pull"]).ok().json()["message"], "nothing new");
    vault.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    assert_eq!(vault.lore(&["git", "pull"]).ok().json()["message"], "fast-forwarded");
    assert_eq!(vault.head(), vault.git_in(&other, &["rev-parse", "HEAD"]));
    assert_eq!(vault.sandbox.search("elsewhere"), ["elsewhere"]);
    vault.put("page", "One\n").ok();
    vault.push_from(&other, "more.md", "# More\n");
    let head = vault.head();
    vault.lore(&["git", "pull"]).exits(4).says("diverged: 1 commits here, 1 there");
    assert_eq!(vault.head(), head);
    fs::rename(vault.remote(), vault.sandbox.root.join("away.git")).expect("moved");
    let ran = vault.lore(&["git", "pull"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    ran.says("git fetch failed");
}

#[test]
fn push_and_pull_without_a_remote_are_refused() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault
        .lore(&["git", "push"])
        .exits(2)
        .says("no remote is configured; add one with `git remote add origin URL`");
    vault.lore(&["git", "pull"]).exits(2).says("no remote is configured");
    let state = vault.lore(&["status"]).ok().json();
    assert_eq!((&state["git"], &state["unpushed"]), (&json!("git: main, no remote"), &json!(0)));
}

#[test]
fn hint_reconciles_two_diverged_machines() {
    let vault = GitVault::with_remote("roam");
    vault.lore(&["capture", "So that the last fetch is not old"]).ok();
    vault.lore(&["git", "push"]).ok();
    let other = vault.clone_remote();
    vault.sandbox.trust_in("other-home");
    let elsewhere = |arguments: &[&str]| {
        let mut command = vault.at(LATER, arguments);
        command.env("LORE_HOME", vault.sandbox.root.join("other-home")).current_dir(&other);
        crate::sandbox::Ran::from(command.output().expect("it runs"))
    };
    elsewhere(&["capture", "Looms weave patterns."]).exits(0);
    elsewhere(&["git", "push"]).ok();
    vault.lore(&["capture", "Another matter of no likeness"]).ok();
    vault.lore(&["git", "push"]).exits(2).says("`git -c rebase.autoStash=true rebase origin/main`");
    // Neither a branch without a configured upstream nor an unsaved edit keeps the hint from working.
    vault.git(&["branch", "--unset-upstream"]);
    vault.sandbox.write(".gitattributes", "# Mine\nindex.md merge=union\n");
    vault.lore(&["capture", "A third matter"]).exits(4);
    vault.git(&["-c", "rebase.autoStash=true", "rebase", "--quiet", "origin/main"]);
    let warnings = |vault: &GitVault| vault.lore(&["status"]).ok().json()["warnings"].to_string();
    assert!(!warnings(&vault).contains("rejected"), "{}", warnings(&vault));
    vault.lore(&["git", "commit"]).ok();
    vault.lore(&["git", "push"]).ok();
    assert_eq!(vault.lore(&["status"]).ok().json()["pages"], 4);
}
