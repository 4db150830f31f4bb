//! A remote: fetched before a write, followed where that is safe, pushed when somebody asks.

use std::fs;

use serde_json::json;

use crate::story::{Story, texts};

/// More than ten minutes after noon, so that the last fetch is old.
const LATER: &str = "2026-11-01T12:30:00Z";
/// And again.
const LATER_STILL: &str = "2026-11-01T13:00:00Z";

#[test]
fn a_write_follows_the_remote_first() {
    let story = Story::with_remote("notes");
    story.put("page", "One\n").ok();
    story.lore(&["git", "push"]).ok();
    let other = story.clone_remote();
    story.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    // The last fetch is not old enough yet.
    story.put("page", "Two\n").ok();
    assert!(!story.sandbox.vault().join("elsewhere.md").exists());
    story.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    story.later(LATER, &["edit", "page", "--append", "Two"]).ok();
    assert_eq!(story.read("elsewhere.md"), "# From elsewhere\n");
    assert_eq!(story.git(&["log", "-2", "--format=%s"]), "Update page.md\nElsewhere: elsewhere.md");
    assert_eq!(story.git(&["rev-list", "--merges", "--count", "HEAD"]), "0");
    let found = story.later(LATER, &["--no-sync", "search", "elsewhere"]).ok().json();
    assert_eq!(found["hits"][0]["slug"], "elsewhere", "the index knows what came");
    assert_eq!(story.later(LATER, &["git", "status"]).ok().json()["last_fetch"], "2026-11-01T12:30:00Z");
}

#[test]
fn how_old_a_fetch_may_be_is_the_policy_s_to_say() {
    let story = Story::with_remote("notes");
    story.sandbox.write("lore.toml", "[git]\nfetch_after = \"1 minute\"\n");
    story.commit_by_hand("Policy");
    story.lore(&["git", "push"]).ok();
    story.put("page", "One\n").ok();
    story.lore(&["git", "push"]).ok();
    let other = story.clone_remote();
    story.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    story.later("2026-11-01T12:00:59Z", &["edit", "page", "--append", "Two"]).ok();
    assert!(!story.sandbox.vault().join("elsewhere.md").exists());
    story.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    story.later("2026-11-01T12:01:00Z", &["edit", "page", "--append", "Three"]).ok();
    assert!(story.sandbox.vault().join("elsewhere.md").exists());
}

#[test]
fn the_page_that_is_written_is_the_one_that_came() {
    let story = Story::with_remote("notes");
    story.put("page", "One\n").ok();
    story.lore(&["git", "push"]).ok();
    let other = story.clone_remote();
    story.push_from(&other, "page.md", "One\nTwo from elsewhere\n");
    let refused = story.later(LATER, &["edit", "page", "--append", "Three", "--expected-version", "1"]);
    refused.exits(3).says("version");
    story.later(LATER, &["edit", "page", "--append", "Three"]).ok();
    assert_eq!(story.read("page.md"), "One\nTwo from elsewhere\nThree\n");
}

#[test]
fn behind_the_remote_with_changes_of_others_is_refused() {
    for profile in ["notes", "roam"] {
        let story = Story::with_remote(profile);
        let other = story.clone_remote();
        story.push_from(&other, "raw.txt", "From elsewhere\n");
        story.sandbox.write("mine.txt", "Not committed\n");
        let ran = story.later(LATER, &["capture", "A lesson"]).exits(4);
        ran.says("mine.txt").says("nothing was changed");
        assert_eq!(story.uncommitted(), ["?? mine.txt"], "{profile}");
        story.commit_by_hand("Mine");
        story.later(LATER, &["capture", "A lesson"]).exits(4).says("diverged");
    }
}

#[test]
fn apart_from_the_remote_is_refused_and_local_commits_stay() {
    let story = Story::with_remote("notes");
    story.put("page", "One\n").ok();
    let other = story.clone_remote();
    story.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    let head = story.head();
    let ran = story.later(LATER, &["edit", "page", "--append", "Two"]).exits(4);
    ran.says("diverged: 1 commits here, 1 there; nothing was changed").says("git pull --rebase");
    assert_eq!((story.head(), story.read("page.md")), (head.clone(), "One\n".to_owned()));
    // It stays refused without another fetch, until a person has brought them together.
    fs::rename(story.remote(), story.sandbox.root.join("away.git")).expect("moved");
    story.refuses(|| story.later(LATER, &["edit", "page", "--append", "Two"])).says("diverged");
    fs::rename(story.sandbox.root.join("away.git"), story.remote()).expect("moved back");
    let state = story.lore(&["git", "status"]).ok().json();
    assert_eq!((&state["ahead"], &state["behind"]), (&json!(1), &json!(1)));
    assert_eq!(texts(&state["warnings"]), ["remote diverged: 1 commit here, 1 there"]);
    story.git(&["pull", "--quiet", "--rebase"]);
    story.later(LATER, &["edit", "page", "--append", "Two"]).ok();
    assert_eq!(story.read("page.md"), "One\nTwo\n");
    story.lore(&["git", "push"]).ok();
}

#[test]
fn a_push_is_told_and_done_once() {
    let story = Story::with_remote("notes");
    story.put("one", "One\n").ok();
    story.put("two", "Two\n").ok();
    assert_eq!(story.lore(&["status"]).ok().json()["unpushed"], 2);
    assert_eq!(story.lore(&["git", "push"]).ok().json()["message"], "pushed 2 commits");
    assert_eq!(story.git_in(&story.remote(), &["rev-parse", "main"]), story.head());
    assert_eq!(story.lore(&["git", "push"]).ok().json()["message"], "nothing to push");
    assert_eq!(story.lore(&["status"]).ok().json()["unpushed"], 0);
}

#[test]
fn a_rejected_push_is_recorded_and_not_tried_again() {
    let story = Story::with_remote("notes");
    story.put("page", "One\n").ok();
    let other = story.clone_remote();
    story.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    let (head, there) = (story.head(), story.git_in(&story.remote(), &["rev-parse", "main"]));
    let ran = story.lore(&["git", "push"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    ran.says("nothing was pushed and nothing is lost");
    assert_eq!(story.head(), head, "the commit is still here");
    assert_eq!(story.git_in(&story.remote(), &["rev-parse", "main"]), there, "nothing was forced");
    for command in ["status", "context"] {
        let told = texts(&story.lore(&[command]).ok().json()["warnings"]).join("\n");
        assert!(told.contains("push rejected at 2026-11-01T12:00:00Z"), "{command}: {told}");
        assert!(told.contains("remote diverged: 1 commit here, 1 there"), "{command}: {told}");
    }
    // Were the remote asked again, the answer would be another now.
    fs::rename(story.remote(), story.sandbox.root.join("away.git")).expect("moved");
    story.lore(&["git", "push"]).exits(4).says("diverged");
    fs::rename(story.sandbox.root.join("away.git"), story.remote()).expect("moved back");
    story.git(&["pull", "--quiet", "--rebase"]);
    assert_eq!(story.lore(&["git", "push"]).ok().json()["message"], "pushed 1 commit");
    assert_eq!(story.lore(&["status"]).ok().json()["warnings"], json!([]), "what was mended is forgotten");
}

#[test]
fn offline_a_write_is_a_commit_and_no_failure() {
    let story = Story::with_remote("notes");
    fs::rename(story.remote(), story.sandbox.root.join("away.git")).expect("moved");
    let written = story.later(LATER, &["capture", "A lesson"]).ok().json();
    assert_eq!(written["commit"], story.head());
    let told = texts(&story.later(LATER, &["status"]).ok().json()["warnings"]).join("\n");
    assert!(told.contains("last fetch failed"), "{told}");
    fs::rename(story.sandbox.root.join("away.git"), story.remote()).expect("moved back");
    story.later(LATER_STILL, &["capture", "Another matter of no likeness"]).ok();
    let told = texts(&story.later(LATER_STILL, &["status"]).ok().json()["warnings"]);
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn a_pull_fetches_and_fast_forwards_and_never_merges() {
    let story = Story::with_remote("notes");
    let other = story.clone_remote();
    assert_eq!(story.lore(&["git", "pull"]).ok().json()["message"], "nothing new");
    story.push_from(&other, "elsewhere.md", "# From elsewhere\n");
    assert_eq!(story.lore(&["git", "pull"]).ok().json()["message"], "fast-forwarded");
    assert_eq!(story.head(), story.git_in(&other, &["rev-parse", "HEAD"]));
    assert_eq!(story.sandbox.search("elsewhere"), ["elsewhere"]);
    story.put("page", "One\n").ok();
    story.push_from(&other, "more.md", "# More\n");
    let head = story.head();
    story.lore(&["git", "pull"]).exits(4).says("diverged: 1 commits here, 1 there");
    assert_eq!(story.head(), head);
    fs::rename(story.remote(), story.sandbox.root.join("away.git")).expect("moved");
    let ran = story.lore(&["git", "pull"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    ran.says("git fetch failed");
}

#[test]
fn without_a_remote_there_is_nothing_to_fetch_or_push() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story
        .lore(&["git", "push"])
        .exits(2)
        .says("no remote is configured; add one with `git remote add origin URL`");
    story.lore(&["git", "pull"]).exits(2).says("no remote is configured");
    let state = story.lore(&["status"]).ok().json();
    assert_eq!((&state["git"], &state["unpushed"]), (&json!("git: main, no remote"), &json!(0)));
}

#[test]
fn two_machines_that_both_wrote_come_together_by_the_advice_that_is_given() {
    let story = Story::with_remote("roam");
    story.lore(&["capture", "So that the last fetch is not old"]).ok();
    story.lore(&["git", "push"]).ok();
    let other = story.clone_remote();
    let elsewhere = |arguments: &[&str]| {
        let mut command = story.at(LATER, arguments);
        command.env("LORE_HOME", story.sandbox.root.join("other-home")).current_dir(&other);
        crate::sandbox::Ran::from(command.output().expect("it runs"))
    };
    elsewhere(&["capture", "Looms weave patterns."]).exits(0);
    elsewhere(&["git", "push"]).ok();
    story.lore(&["capture", "Another matter of no likeness"]).ok();
    story.lore(&["git", "push"]).exits(2).says("`git pull --rebase`");
    story.git(&["pull", "--quiet", "--rebase"]);
    story.lore(&["git", "commit"]).ok();
    story.lore(&["git", "push"]).ok();
    assert_eq!(story.lore(&["status"]).ok().json()["pages"], 4);
}
