//! A write: committed here whatever the network does, and one after the other whoever writes.

use std::fs;
use std::process::Child;

use serde_json::json;

use crate::sandbox::Ran;
use crate::story::{NOON, Story, texts};

const LATER: &str = "2026-11-01T12:30:00Z";

#[test]
fn a_write_with_the_remote_unreachable_is_committed_and_no_error() {
    let story = Story::with_remote("roam");
    fs::rename(story.remote(), story.sandbox.root.join("away.git")).expect("moved");
    let before = story.head();
    let written = story.later(LATER, &["capture", "A lesson about looms", "--tag", "procedure"]).ok().json();
    assert_eq!((&written["outcome"], written.get("warnings")), (&json!("created"), None));
    assert_eq!(written["commit"], story.head());
    assert_eq!(story.subjects_since(&before).len(), 1);
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    let status = story.later(LATER, &["status"]).ok().json();
    assert_eq!((&status["git"], &status["unpushed"]), (&json!("git: main, ahead 1"), &json!(1)));
}

#[test]
fn a_remote_that_never_answers_does_not_hold_a_write_up_for_ever() {
    let story = Story::of("roam");
    story.git(&["remote", "add", "origin", "ssh://example.invalid/vault.git"]);
    // Ten minutes, in which a test that waits for it would be noticed.
    story.git(&["config", "core.sshCommand", "sleep 600; false"]);
    let written = story.lore(&["capture", "A lesson about looms"]).ok().json();
    assert_eq!(written["commit"], story.head());
    let told = texts(&story.lore(&["status"]).ok().json()["warnings"]).join("\n");
    assert!(told.contains("git fetch timed out"), "{told}");
    // The next write does not wait again so soon.
    story.git(&["config", "core.sshCommand", "false"]);
    story.lore(&["capture", "Another matter of no likeness"]).ok();
    let still = texts(&story.lore(&["status"]).ok().json()["warnings"]).join("\n");
    assert_eq!(still, told, "the last fetch is not old yet");
}

#[test]
fn a_write_does_not_push() {
    let story = Story::with_remote("roam");
    let there = story.git_in(&story.remote(), &["rev-parse", "main"]);
    story.later(LATER, &["capture", "A lesson about looms"]).ok();
    assert_eq!(story.git_in(&story.remote(), &["rev-parse", "main"]), there);
}

fn finish(children: Vec<Child>) -> Vec<Ran> {
    children.into_iter().map(|child| Ran::from(child.wait_with_output().expect("it ran"))).collect()
}

/// The history is one line of whole commits, the vault is valid and the index lists every page.
#[track_caller]
fn assert_sound(story: &Story, before: &str, pages: usize) {
    let since = format!("{before}..HEAD");
    assert_eq!(story.git(&["rev-list", "--count", &since]), pages.to_string());
    assert_eq!(story.git(&["rev-list", "--min-parents=2", "--count", "HEAD"]), "0");
    assert_eq!(story.git(&["fsck", "--strict", "--no-dangling", "--no-progress"]), "");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    assert_eq!(story.findings(), []);
    let listed = story.lore(&["list", "--limit", "100"]).ok().json();
    let index = story.read("index.md");
    let paths = listed["pages"].as_array().expect("a list");
    assert_eq!(paths.len(), pages + 1, "each page and the first one: {listed}");
    for page in paths {
        assert!(index.contains(page["title"].as_str().expect("a title")), "{page}: {index}");
    }
}

#[test]
fn captures_of_four_processes_at_once_come_one_after_the_other() {
    let story = Story::of("roam");
    let before = story.head();
    let subjects = ["looms and their cards", "the price of tea", "rivers in spring", "a bridge of stone"];
    let capture = |(number, subject): (usize, &&str)| {
        let verb = if number % 2 == 0 { "capture" } else { "remember" };
        let text = format!("Everything about {subject}, as told by number {number}.");
        story.sandbox.spawn(&mut story.at(NOON, &[verb, &text, "--title", subject, "--keep"]))
    };
    let ended = finish(subjects.iter().enumerate().map(capture).collect());
    ended.into_iter().for_each(|ran| drop(ran.ok()));
    assert_sound(&story, &before, 4);
}

#[test]
fn captures_of_one_title_at_once_are_all_kept() {
    let story = Story::of("roam");
    let before = story.head();
    let capture = |number: usize| {
        let text = format!("The same matter, seen by number {number}.");
        story.sandbox.spawn(&mut story.at(NOON, &["capture", &text, "--title", "Same", "--keep"]))
    };
    finish((0..4).map(capture).collect()).into_iter().for_each(|ran| drop(ran.ok()));
    assert_sound(&story, &before, 4);
}

#[test]
fn a_failed_push_is_recorded_and_shown_wherever_somebody_looks() {
    let story = Story::with_remote("roam");
    story.lore(&["capture", "A lesson about looms"]).ok();
    fs::rename(story.remote(), story.sandbox.root.join("away.git")).expect("moved");
    let head = story.head();
    let ran = story.lore(&["git", "push"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(story.head(), head);
    for command in [&["status"][..], &["git", "status"], &["context"]] {
        let told = texts(&story.lore(command).ok().json()["warnings"]).join("\n");
        assert!(told.contains("push failed at 2026-11-01T12:00:00Z: git push failed"), "{command:?}: {told}");
        let human = [command, &["--format", "human"]].concat();
        let shown = story.lore(&human).ok().text();
        assert!(shown.contains("push failed at"), "{command:?}: {shown}");
    }
    let context = texts(&story.lore(&["context"]).ok().json()["warnings"]).join("\n");
    assert!(
        context.contains("1 commit is not pushed") || context.contains("1 commits are not pushed"),
        "{context}"
    );
    let doctor = story.lore(&["doctor"]).exits(5).json();
    let findings = doctor["findings"].as_array().expect("a list");
    let problem =
        findings.iter().find(|found| found["what"].as_str().expect("text").contains("push failed at"));
    let problem = problem.unwrap_or_else(|| panic!("{doctor}"));
    assert_eq!(problem["state"], "problem");
    assert!(problem["fix"].as_str().expect("a fix").contains("lore git push"), "{problem}");
    fs::rename(story.sandbox.root.join("away.git"), story.remote()).expect("moved back");
    story.lore(&["git", "push"]).ok();
    let status = story.lore(&["status"]).ok().json();
    assert_eq!((&status["warnings"], &status["git"]), (&json!([]), &json!("git: main")));
}
