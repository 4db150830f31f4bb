//! Writes are committed whatever the network does, and serialized across processes.

use std::fs;
use std::process::Child;

use serde_json::json;

use crate::git_support::{GitVault, NOON, texts};
use crate::sandbox::Ran;

const LATER: &str = "2026-11-01T12:30:00Z";

#[test]
fn write_with_an_unreachable_remote_is_committed() {
    let vault = GitVault::with_remote("roam");
    fs::rename(vault.remote(), vault.sandbox.root.join("away.git")).expect("moved");
    let before = vault.head();
    let written = vault.later(LATER, &["capture", "A lesson about looms", "--tag", "procedure"]).ok().json();
    assert_eq!((&written["outcome"], written.get("warnings")), (&json!("created"), None));
    assert_eq!(written["commit"], vault.head());
    assert_eq!(vault.subjects_since(&before).len(), 1);
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    let status = vault.later(LATER, &["status"]).ok().json();
    assert_eq!((&status["git"], &status["unpushed"]), (&json!("git: main, ahead 1"), &json!(1)));
}

#[test]
fn silent_remote_times_out() {
    let vault = GitVault::with_profile("roam");
    vault.git(&["remote", "add", "origin", "ssh://example.invalid/vault.git"]);
    // Ten minutes: a test that waited for it would be noticed.
    vault.git(&["config", "core.sshCommand", "sleep 600; false"]);
    let written = vault.lore(&["capture", "A lesson about looms"]).ok().json();
    assert_eq!(written["commit"], vault.head());
    let warnings = texts(&vault.lore(&["status"]).ok().json()["warnings"]).join("\n");
    assert!(warnings.contains("git fetch timed out"), "{warnings}");
    // The next write does not fetch again so soon.
    vault.git(&["config", "core.sshCommand", "false"]);
    vault.lore(&["capture", "Another matter of no likeness"]).ok();
    let still = texts(&vault.lore(&["status"]).ok().json()["warnings"]).join("\n");
    assert_eq!(still, warnings, "the last fetch is still recent");
}

#[test]
fn write_does_not_push() {
    let vault = GitVault::with_remote("roam");
    let there = vault.git_in(&vault.remote(), &["rev-parse", "main"]);
    vault.later(LATER, &["capture", "A lesson about looms"]).ok();
    assert_eq!(vault.git_in(&vault.remote(), &["rev-parse", "main"]), there);
}

fn finish(children: Vec<Child>) -> Vec<Ran> {
    children.into_iter().map(|child| Ran::from(child.wait_with_output().expect("it ran"))).collect()
}

/// Asserts a linear history of complete commits, a valid vault and an index that lists every page.
#[track_caller]
fn assert_sound(vault: &GitVault, before: &str, pages: usize) {
    let since = format!("{before}..HEAD");
    assert_eq!(vault.git(&["rev-list", "--count", &since]), pages.to_string());
    assert_eq!(vault.git(&["rev-list", "--min-parents=2", "--count", "HEAD"]), "0");
    assert_eq!(vault.git(&["fsck", "--strict", "--no-dangling", "--no-progress"]), "");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    assert_eq!(vault.findings(), []);
    let listed = vault.lore(&["list", "--limit", "100"]).ok().json();
    let index = vault.read("index.md");
    let paths = listed["pages"].as_array().expect("a list");
    assert_eq!(paths.len(), pages + 1, "every new page and the first one: {listed}");
    for page in paths {
        assert!(index.contains(page["title"].as_str().expect("a title")), "{page}: {index}");
    }
}

#[test]
fn concurrent_captures_are_serialized() {
    let vault = GitVault::with_profile("roam");
    let before = vault.head();
    let subjects = ["looms and their cards", "the price of tea", "rivers in spring", "a bridge of stone"];
    let capture = |(number, subject): (usize, &&str)| {
        let verb = if number % 2 == 0 { "capture" } else { "remember" };
        let text = format!("Everything about {subject}, as told by number {number}.");
        vault.sandbox.spawn(&mut vault.at(NOON, &[verb, &text, "--title", subject, "--keep"]))
    };
    let ended = finish(subjects.iter().enumerate().map(capture).collect());
    ended.into_iter().for_each(|ran| drop(ran.ok()));
    assert_sound(&vault, &before, 4);
}

#[test]
fn concurrent_captures_of_one_title_are_all_kept() {
    let vault = GitVault::with_profile("roam");
    let before = vault.head();
    let capture = |number: usize| {
        let text = format!("The same matter, seen by number {number}.");
        vault.sandbox.spawn(&mut vault.at(NOON, &["capture", &text, "--title", "Same", "--keep"]))
    };
    finish((0..4).map(capture).collect()).into_iter().for_each(|ran| drop(ran.ok()));
    assert_sound(&vault, &before, 4);
}

#[test]
fn failed_push_is_recorded_and_shown_by_every_status_command() {
    let vault = GitVault::with_remote("roam");
    vault.lore(&["capture", "A lesson about looms"]).ok();
    fs::rename(vault.remote(), vault.sandbox.root.join("away.git")).expect("moved");
    let head = vault.head();
    let ran = vault.lore(&["git", "push"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(vault.head(), head);
    for command in [&["status"][..], &["git", "status"], &["context"]] {
        let warnings = texts(&vault.lore(command).ok().json()["warnings"]).join("\n");
        assert!(
            warnings.contains("push failed at 2026-11-01T12:00:00Z: git push failed"),
            "{command:?}: {warnings}"
        );
        let human = [command, &["--format", "human"]].concat();
        let shown = vault.lore(&human).ok().text();
        assert!(shown.contains("push failed at"), "{command:?}: {shown}");
    }
    let context = texts(&vault.lore(&["context"]).ok().json()["warnings"]).join("\n");
    assert!(context.contains("1 commit is not pushed"), "{context}");
    let doctor = vault.lore(&["doctor"]).exits(5).json();
    let findings = doctor["findings"].as_array().expect("a list");
    let problem =
        findings.iter().find(|found| found["what"].as_str().expect("text").contains("push failed at"));
    let problem = problem.unwrap_or_else(|| panic!("{doctor}"));
    assert_eq!(problem["state"], "problem");
    assert!(problem["fix"].as_str().expect("a fix").contains("lore git push"), "{problem}");
    fs::rename(vault.sandbox.root.join("away.git"), vault.remote()).expect("moved back");
    vault.lore(&["git", "push"]).ok();
    let status = vault.lore(&["status"]).ok().json();
    assert_eq!((&status["warnings"], &status["git"]), (&json!([]), &json!("git: main")));
}
