//! Reads that become stale before the write: changes made meanwhile are detected, and none of them is lost.
//!
//! A test holds the vault lock until the command waits for it, changes the vault and releases the lock.

use std::fs::{self, File};

use serde_json::json;

use crate::concurrency::repository;
use crate::invariants::{assert_git_is_clean, assert_index_matches_rebuild, assert_no_leftovers};
use crate::sandbox::{Ran, Sandbox};

/// Runs a command that waits for the vault lock while `meanwhile` changes the vault.
fn run_while_locked(sandbox: &Sandbox, arguments: &[&str], meanwhile: impl FnOnce()) -> Ran {
    let lock = File::open(sandbox.vault()).expect("the vault");
    lock.lock().expect("nobody has it");
    let mut child = sandbox.spawn(&mut sandbox.command(arguments));
    let process = format!("/proc/{}", child.id());
    let mut observations = 0;
    let mut switches = String::new();
    // It waits for the lock once it has the vault open and keeps switching context voluntarily.
    while child.try_wait().expect("a child").is_none() && observations < 3 {
        let waits = has_vault_open(&process, sandbox);
        let now = voluntary_switches(&process);
        observations =
            if waits && now != switches { observations + 1 } else { observations * usize::from(waits) };
        switches = now;
        std::thread::yield_now();
    }
    meanwhile();
    drop(lock);
    child.wait_with_output().expect("it ran").into()
}

fn has_vault_open(process: &str, sandbox: &Sandbox) -> bool {
    let Ok(open) = fs::read_dir(format!("{process}/fd")) else { return false };
    open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == sandbox.vault()))
}

fn voluntary_switches(process: &str) -> String {
    let status = fs::read_to_string(format!("{process}/status")).unwrap_or_default();
    status.lines().find(|line| line.starts_with("voluntary")).unwrap_or_default().to_owned()
}

/// Creates a vault with an indexed page of three lines.
fn page() -> Sandbox {
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"one\ntwo\nthree\n").ok();
    sandbox.pipe(&["put", "other"], b"other\n").ok();
    sandbox
}

#[test]
fn page_edited_since_it_was_read_is_a_conflict() {
    for command in [
        &["call", "put", r#"{"slug": "page", "content": "new", "expected_version": 1}"#][..],
        &["edit", "page", "--append", "x", "--expected-version", "1"],
        &["rm", "page", "--yes", "--expected-version", "1"],
        &["mv", "page", "moved", "--expected-version", "1"],
        &["tag", "page", "x", "--expected-version", "1"],
        &["timeline-add", "page", "--date", "2024-01-01", "--summary", "x", "--expected-version", "1"],
    ] {
        let sandbox = page();
        let edit = || sandbox.write("page.md", "one\nby hand\nthree\n");
        run_while_locked(&sandbox, command, edit).exits(3).says("page is at version 2, not 1");
        assert_eq!(sandbox.read("page.md"), b"one\nby hand\nthree\n", "{command:?}");
        assert_no_leftovers(&sandbox, "after a conflict");
        assert_index_matches_rebuild(&sandbox, "after a conflict");
        assert_git_is_clean(&sandbox, &["page.md"], "after a conflict");
    }
}

#[test]
fn edit_that_keeps_size_and_mtime_is_a_conflict() {
    let sandbox = page();
    sandbox.sh("touch -d 2020-01-01 page.md").ok();
    sandbox.sync();
    let version = sandbox.run(&["get", "page", "--json"]).ok().json()["version"].to_string();
    sandbox.sh("sed -i s/two/TWO/ page.md && touch -d 2020-01-01 page.md").ok();
    let ran = sandbox.run(&["edit", "page", "--append", "x", "--expected-version", &version]);
    ran.exits(3).says("page is at version");
    assert_eq!(sandbox.read("page.md"), b"one\nTWO\nthree\n");
}

#[test]
fn edit_without_a_version_applies_to_the_current_page() {
    let sandbox = page();
    let edit = || sandbox.write("page.md", "one\nby hand\nthree\n");
    run_while_locked(&sandbox, &["edit", "page", "--append", "last"], edit).ok();
    assert_eq!(sandbox.read("page.md"), b"one\nby hand\nthree\nlast\n");
    let log = sandbox.sh("git log --format=%s -2").text();
    assert_eq!(log, "Update page.md\nCommit edits made outside Lore to page.md\n");
    assert_index_matches_rebuild(&sandbox, "after the edit");
    assert_git_is_clean(&sandbox, &[], "after the edit");
}

#[test]
fn overwritten_foreign_edit_is_kept_as_snapshot_and_commit() {
    let sandbox = page();
    let edit = || sandbox.write("page.md", "by hand\n");
    run_while_locked(&sandbox, &["call", "put", r#"{"slug": "page", "content": "new\n"}"#], edit).ok();
    assert_eq!(sandbox.read("page.md"), b"new\n");
    let history = sandbox.run(&["history", "page"]).ok().json();
    let newest = history["snapshots"][0]["snapshot"].to_string();
    assert_eq!(sandbox.sh("git show HEAD~1:page.md").text(), "by hand\n");
    sandbox.run(&["restore", "page", "--at", &newest, "--yes"]).ok();
    assert_eq!(sandbox.read("page.md"), b"by hand\n");
}

#[test]
fn new_page_does_not_overwrite_a_concurrent_one() {
    for command in [
        &["call", "put", r#"{"slug": "new", "content": "x", "expected_version": 0}"#][..],
        &["mv", "other", "new"],
        &["capture", "A thing worth keeping", "--title", "New", "--keep"],
    ] {
        let sandbox = page();
        let ran = run_while_locked(&sandbox, command, || sandbox.write("new.md", "by hand\n"));
        assert!([0, 2, 3].contains(&ran.code), "{command:?}: {ran:?}");
        assert_eq!(sandbox.read("new.md"), b"by hand\n", "{command:?}");
        assert!(sandbox.vault().join("other.md").exists(), "{command:?}");
    }
}

#[test]
fn link_on_a_shifted_line_is_still_updated() {
    let sandbox = page();
    sandbox.pipe(&["put", "linking"], b"see [this](page.md)\n").ok();
    let edit = || sandbox.write("linking.md", "a new first line\nsee [this](page.md)\n");
    let ran = run_while_locked(&sandbox, &["mv", "page", "folder/moved"], edit);
    if ran.code == 0 {
        let text = String::from_utf8(sandbox.read("linking.md")).expect("text");
        assert_eq!(text, "a new first line\nsee [this](folder/moved.md)\n");
    } else {
        ran.exits(3);
    }
}

#[test]
fn line_added_during_a_rotation_is_kept() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init", "--profile", "personal"]).ok();
    let today = String::from_utf8(sandbox.read("state/today.md")).expect("text");
    let (start, rest) = today.split_once("date: ").expect("a date");
    let old = format!("{start}date: 2020-01-01\n{}", rest.split_once('\n').expect("a line").1);
    sandbox.write("state/today.md", &old);
    sandbox.sync();
    let edit = || sandbox.write("state/today.md", format!("{old}\na line of the last minute\n"));
    run_while_locked(&sandbox, &["rotate"], edit);
    let found = ["state/today.md", "state/yesterday.md"].iter().any(|path| {
        let text = fs::read_to_string(sandbox.vault().join(path)).unwrap_or_default();
        text.contains("a line of the last minute")
    });
    assert!(found, "the line is in neither page");
}

#[test]
fn file_changed_during_retention_is_kept() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init", "--profile", "personal"]).ok();
    sandbox.write("state/scratch/note.md", "# Note\n");
    sandbox.sh("touch -d 2020-01-01 state/scratch/note.md").ok();
    sandbox.sync();
    let edit = || sandbox.write("state/scratch/note.md", "# Note\n\nIt is needed again.\n");
    run_while_locked(&sandbox, &["retention", "run"], edit);
    assert!(sandbox.vault().join("state/scratch/note.md").exists(), "a file changed just now was expired");
}

#[test]
fn concurrent_sidecar_data_is_kept() {
    let sandbox = page();
    sandbox.run(&["raw", "page", "--source", "first", "--data", "1"]).ok();
    let both = json!({ "sources": { "first": 1, "hand": 2 } }).to_string();
    let edit = || sandbox.write(".raw/page.json", &both);
    let ran = run_while_locked(&sandbox, &["raw", "page", "--source", "third", "--data", "3"], edit);
    let now = String::from_utf8(sandbox.read(".raw/page.json")).expect("text");
    assert!(now.contains("hand"), "{ran:?}: {now}");
}

#[test]
fn page_change_by_a_commit_hook_is_kept() {
    let sandbox = page();
    let hook = "#!/bin/sh\n[ -e .git/once ] && exit 0\ntouch .git/once\n{ cat page.md; echo by the hook; } > .git/new\n\
                mv .git/new page.md\n";
    sandbox.write(".git/hooks/pre-commit", hook);
    sandbox.sh("chmod +x .git/hooks/pre-commit").ok();
    sandbox.write("page.md", "one\nby hand\n");
    let ran = sandbox.run(&["edit", "page", "--append", "by an agent"]);
    let kept = sandbox.sh("cat page.md; git log -p -- page.md").text();
    let history = sandbox.run(&["history", "page"]).ok().json();
    let sizes = history["snapshots"].to_string();
    assert!(kept.contains("by the hook"), "{ran:?}\nthe hook's line is lost: {kept}\n{sizes}");
}
