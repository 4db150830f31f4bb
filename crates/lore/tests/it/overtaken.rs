//! What a command has read may be old by the time it may write: somebody else's work meanwhile is noticed, and
//! nothing of it is lost.
//!
//! A test holds the vault's lock until the command waits for it, does that work, and lets go.

use std::fs::{self, File};

use serde_json::json;

use crate::aftermath::{git_is_sound, index_is_true, nothing_left_over};
use crate::concurrency::repository;
use crate::sandbox::{Ran, Sandbox};

/// Runs a command that is overtaken: it waits for the vault while somebody does something there.
fn overtaken(sandbox: &Sandbox, arguments: &[&str], meanwhile: impl FnOnce()) -> Ran {
    let lock = File::open(sandbox.vault()).expect("the vault");
    lock.lock().expect("nobody has it");
    let mut child = sandbox.spawn(&mut sandbox.command(arguments));
    let process = format!("/proc/{}", child.id());
    let mut looks = 0;
    let mut pauses = String::new();
    // It has the vault open and pauses again and again: it waits.
    while child.try_wait().expect("a child").is_none() && looks < 3 {
        let waits = holds(&process, sandbox);
        let now = pauses_of(&process);
        looks = if waits && now != pauses { looks + 1 } else { looks * usize::from(waits) };
        pauses = now;
        std::thread::yield_now();
    }
    meanwhile();
    drop(lock);
    child.wait_with_output().expect("it ran").into()
}

fn holds(process: &str, sandbox: &Sandbox) -> bool {
    let Ok(open) = fs::read_dir(format!("{process}/fd")) else { return false };
    open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == sandbox.vault()))
}

fn pauses_of(process: &str) -> String {
    let status = fs::read_to_string(format!("{process}/status")).unwrap_or_default();
    status.lines().find(|line| line.starts_with("voluntary")).unwrap_or_default().to_owned()
}

/// A page with three lines, in the index.
fn page() -> Sandbox {
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"one\ntwo\nthree\n").ok();
    sandbox.pipe(&["put", "other"], b"other\n").ok();
    sandbox
}

#[test]
fn a_page_edited_by_hand_since_it_was_read_is_a_conflict() {
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
        overtaken(&sandbox, command, edit).exits(3).says("page is at version 2, not 1");
        assert_eq!(sandbox.read("page.md"), b"one\nby hand\nthree\n", "{command:?}");
        nothing_left_over(&sandbox, "after a conflict");
        index_is_true(&sandbox, "after a conflict");
        git_is_sound(&sandbox, &["page.md"], "after a conflict");
    }
}

#[test]
fn an_edit_that_keeps_size_and_time_is_a_conflict_too() {
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
fn an_edit_without_a_version_is_made_to_the_page_as_it_is_now() {
    let sandbox = page();
    let edit = || sandbox.write("page.md", "one\nby hand\nthree\n");
    overtaken(&sandbox, &["edit", "page", "--append", "last"], edit).ok();
    assert_eq!(sandbox.read("page.md"), b"one\nby hand\nthree\nlast\n");
    let log = sandbox.sh("git log --format=%s -2").text();
    assert_eq!(log, "Update page.md\nCommit edits made outside Lore to page.md\n");
    index_is_true(&sandbox, "after the edit");
    git_is_sound(&sandbox, &[], "after the edit");
}

#[test]
fn a_whole_page_written_over_an_edit_by_hand_keeps_the_edit_as_a_snapshot_and_a_commit() {
    let sandbox = page();
    let edit = || sandbox.write("page.md", "by hand\n");
    overtaken(&sandbox, &["call", "put", r#"{"slug": "page", "content": "new\n"}"#], edit).ok();
    assert_eq!(sandbox.read("page.md"), b"new\n");
    let history = sandbox.run(&["history", "page"]).ok().json();
    let newest = history["snapshots"][0]["snapshot"].to_string();
    assert_eq!(sandbox.sh("git show HEAD~1:page.md").text(), "by hand\n");
    sandbox.run(&["restore", "page", "--at", &newest, "--yes"]).ok();
    assert_eq!(sandbox.read("page.md"), b"by hand\n");
}

#[test]
fn a_page_that_came_meanwhile_is_not_overwritten_by_one_that_was_to_be_new() {
    for command in [
        &["call", "put", r#"{"slug": "new", "content": "x", "expected_version": 0}"#][..],
        &["mv", "other", "new"],
        &["capture", "A thing worth keeping", "--title", "New", "--keep"],
    ] {
        let sandbox = page();
        let ran = overtaken(&sandbox, command, || sandbox.write("new.md", "by hand\n"));
        assert!([0, 2, 3].contains(&ran.code), "{command:?}: {ran:?}");
        assert_eq!(sandbox.read("new.md"), b"by hand\n", "{command:?}");
        assert!(sandbox.vault().join("other.md").exists(), "{command:?}");
    }
}

#[test]
fn a_link_that_another_line_came_before_follows_the_moved_page_all_the_same() {
    let sandbox = page();
    sandbox.pipe(&["put", "linking"], b"see [this](page.md)\n").ok();
    let edit = || sandbox.write("linking.md", "a new first line\nsee [this](page.md)\n");
    let ran = overtaken(&sandbox, &["mv", "page", "folder/moved"], edit);
    if ran.code == 0 {
        let text = String::from_utf8(sandbox.read("linking.md")).expect("text");
        assert_eq!(text, "a new first line\nsee [this](folder/moved.md)\n");
    } else {
        ran.exits(3);
    }
}

#[test]
fn a_line_that_came_to_the_page_of_the_day_while_it_turned_is_in_yesterdays() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init", "--profile", "personal"]).ok();
    let today = String::from_utf8(sandbox.read("state/today.md")).expect("text");
    let (start, rest) = today.split_once("date: ").expect("a date");
    let old = format!("{start}date: 2020-01-01\n{}", rest.split_once('\n').expect("a line").1);
    sandbox.write("state/today.md", &old);
    sandbox.sync();
    let edit = || sandbox.write("state/today.md", format!("{old}\na line of the last minute\n"));
    overtaken(&sandbox, &["rotate"], edit);
    let found = ["state/today.md", "state/yesterday.md"].iter().any(|path| {
        let text = fs::read_to_string(sandbox.vault().join(path)).unwrap_or_default();
        text.contains("a line of the last minute")
    });
    assert!(found, "the line is in neither page");
}

#[test]
fn a_file_that_was_touched_while_old_ones_were_let_go_is_kept() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init", "--profile", "personal"]).ok();
    sandbox.write("state/scratch/note.md", "# Note\n");
    sandbox.sh("touch -d 2020-01-01 state/scratch/note.md").ok();
    sandbox.sync();
    let edit = || sandbox.write("state/scratch/note.md", "# Note\n\nIt is needed again.\n");
    overtaken(&sandbox, &["retention", "run"], edit);
    assert!(sandbox.vault().join("state/scratch/note.md").exists(), "a file of this minute was let go");
}

#[test]
fn data_that_came_beside_a_page_meanwhile_stays() {
    let sandbox = page();
    sandbox.run(&["raw", "page", "--source", "first", "--data", "1"]).ok();
    let both = json!({ "sources": { "first": 1, "hand": 2 } }).to_string();
    let edit = || sandbox.write(".raw/page.json", &both);
    let ran = overtaken(&sandbox, &["raw", "page", "--source", "third", "--data", "3"], edit);
    let now = String::from_utf8(sandbox.read(".raw/page.json")).expect("text");
    assert!(now.contains("hand"), "{ran:?}: {now}");
}

#[test]
fn a_hook_that_changes_the_page_while_others_edits_are_committed_is_not_undone() {
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
    assert!(kept.contains("by the hook"), "{ran:?}\nthe hook's line is nowhere: {kept}\n{sizes}");
}
