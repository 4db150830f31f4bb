//! Concurrent writers on a vault with a repository: every acknowledged write is kept, each version is written once,
//! and changes made to the files meanwhile count.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::invariants::{ask, assert_git_is_clean, assert_index_matches_rebuild, assert_no_leftovers};
use crate::sandbox::{Ran, Sandbox};

const WRITERS: usize = 8;

/// Creates an empty vault with a repository.
pub fn repository() -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init"]).ok();
    sandbox
}

/// Asserts that the vault, index and repository are consistent.
#[track_caller]
fn assert_consistent(sandbox: &Sandbox) {
    assert_no_leftovers(sandbox, "at the end");
    assert_index_matches_rebuild(sandbox, "at the end");
    assert_git_is_clean(sandbox, &[], "at the end");
}

/// Starts a process that runs these operations one after another.
fn writer(sandbox: &Sandbox, home: &str, name: &str, operations: &[Value]) -> Child {
    if home != "home" {
        sandbox.trust_in(home);
    }
    let file = sandbox.root.join(name);
    let input: String = operations.iter().map(|operation| format!("{operation}\n")).collect();
    fs::write(&file, input).expect("a file");
    let mut command = sandbox.command(&["--quiet", "pipe"]);
    command.env("LORE_HOME", sandbox.root.join(home));
    command.stdin(Stdio::from(fs::File::open(&file).expect("a file")));
    sandbox.spawn(&mut command)
}

/// A watching process that ends with the test.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        assert!(
            self.0.try_wait().is_ok_and(|ended| ended.is_none()) || thread::panicking(),
            "the watcher is still running"
        );
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Waits for writers and returns their answers, all of which must be successes.
#[track_caller]
fn answers(writers: Vec<Child>) -> Vec<Value> {
    let mut all = Vec::new();
    for child in writers {
        let ran = Ran::from(child.wait_with_output().expect("it ran")).exits(0);
        all.extend(ran.text().lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")));
    }
    let bad: Vec<&Value> = all.iter().filter(|answer| answer["exit"] != 0).collect();
    assert!(bad.is_empty(), "{bad:?}");
    all
}

fn lines(sandbox: &Sandbox, path: &str) -> Vec<String> {
    let text = String::from_utf8(sandbox.read(path)).expect("text");
    let mut lines: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    lines.sort();
    lines
}

fn append(page: &str, line: &str) -> Value {
    json!({ "tool": "edit", "input": { "reference": page, "append": line } })
}

#[test]
fn retrying_writers_lose_nothing() {
    const EACH: usize = 3;
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"start\n").ok();
    let write = |writer: usize| {
        let mut versions = Vec::new();
        for number in 0..EACH {
            loop {
                let read = sandbox.run(&["get", "page", "--json"]).exits(0).json();
                let version = read["version"].as_u64().expect("a version");
                let text = format!("{}line {writer}-{number}\n", read["content"].as_str().expect("text"));
                let input = json!({ "slug": "page", "content": text, "expected_version": version });
                let ran = sandbox.run(&["call", "put", &input.to_string()]);
                if ran.code == 3 {
                    ran.says("page is at version");
                    continue;
                }
                let now = ran.ok().json()["version"].as_u64().expect("a version");
                assert_eq!(now, version + 1);
                versions.push(now);
                break;
            }
        }
        versions
    };
    let mut versions: Vec<u64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS).map(|number| scope.spawn(move || write(number))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a writer")).collect()
    });
    versions.sort_unstable();
    let all = (WRITERS * EACH) as u64;
    assert_eq!(versions, (2..=all + 1).collect::<Vec<u64>>(), "each version is written once");
    let mut expected: Vec<String> = (0..WRITERS)
        .flat_map(|writer| (0..EACH).map(move |number| format!("line {writer}-{number}")))
        .chain(["start".into()])
        .collect();
    expected.sort();
    assert_eq!(lines(&sandbox, "page.md"), expected);
    let history = sandbox.run(&["history", "page", "--limit", "100"]).ok().json();
    let kept: Vec<u64> = history["snapshots"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["version"].as_u64())
        .collect();
    assert_eq!(kept, (1..=all).rev().collect::<Vec<u64>>(), "one snapshot of each version but the last");
    assert_eq!(history["commits"].as_array().expect("a list").len() as u64, all + 1, "one commit each");
    assert_consistent(&sandbox);
}

#[test]
fn concurrent_appends_are_each_kept_once() {
    const EACH: usize = 5;
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"start\n").ok();
    let own = |writer: usize| {
        let operations: Vec<Value> =
            (0..EACH).map(|number| append("page", &format!("line {writer}-{number}"))).collect();
        self::writer(&sandbox, "home", &format!("w{writer}"), &operations)
    };
    let answers = answers((0..WRITERS).map(own).collect());
    let versions: BTreeSet<u64> =
        answers.iter().filter_map(|answer| answer["result"]["version"].as_u64()).collect();
    assert_eq!(versions.len(), WRITERS * EACH, "each write has its own version");
    let mut expected: Vec<String> = (0..WRITERS)
        .flat_map(|writer| (0..EACH).map(move |number| format!("line {writer}-{number}")))
        .chain(["start".into()])
        .collect();
    expected.sort();
    assert_eq!(lines(&sandbox, "page.md"), expected);
    assert_consistent(&sandbox);
}

#[test]
fn writers_succeed_beside_watch_sync_checkpoint_and_backup() {
    const EACH: usize = 6;
    let sandbox = repository();
    let watcher = Watching(sandbox.spawn(&mut sandbox.command(&["sync", "--watch", "--json"])));
    let own = |writer: usize| {
        let page = format!("folder-{}/page-{writer}", writer % 3);
        let mut operations = vec![json!({ "tool": "put", "input": { "slug": page, "content": "marker\n" } })];
        operations.extend((1..EACH).map(|number| append(&page, &format!("marker {number}"))));
        self::writer(&sandbox, "home", &format!("w{writer}"), &operations)
    };
    let writers: Vec<Child> = (0..WRITERS).map(own).collect();
    let ended = AtomicBool::new(false);
    let others: [&[&str]; 4] =
        [&["sync", "--full"], &["db", "checkpoint"], &["db", "backup", "../copy.db"], &["search", "marker"]];
    thread::scope(|scope| {
        for command in others {
            let (sandbox, ended) = (&sandbox, &ended);
            scope.spawn(move || {
                while !ended.load(Ordering::SeqCst) {
                    if command.contains(&"backup") {
                        fs::remove_file(sandbox.root.join("copy.db")).ok();
                    }
                    let ran = sandbox.run(command);
                    assert!(ran.code == 0 || ran.code == 1 && command[0] == "search", "{command:?}: {ran:?}");
                }
            });
        }
        answers(writers);
        ended.store(true, Ordering::SeqCst);
    });
    drop(watcher);
    for writer in 0..WRITERS {
        assert_eq!(lines(&sandbox, &format!("folder-{}/page-{writer}.md", writer % 3)).len(), EACH);
    }
    fs::remove_file(sandbox.root.join("copy.db")).ok();
    sandbox.run(&["db", "backup", "../copy.db"]).ok();
    sandbox.run(&["--db", "../copy.db", "validate", "--all"]).ok();
    assert_consistent(&sandbox);
}

#[test]
fn backup_made_under_load_is_complete() {
    let sandbox = repository();
    let operations: Vec<Value> = (0..30).map(|number| append("page", &format!("marker {number}"))).collect();
    sandbox.pipe(&["put", "page"], b"marker\n").ok();
    let writers = vec![writer(&sandbox, "home", "w", &operations)];
    let copies: Vec<String> = (0..5).map(|number| format!("../copy-{number}.db")).collect();
    for copy in &copies {
        sandbox.run(&["db", "backup", copy]).ok();
    }
    answers(writers);
    for copy in &copies {
        // A copy is an ordinary database: it is synced with the files.
        sandbox.run(&["--db", copy, "sync"]).ok();
        sandbox.run(&["--db", copy, "validate", "--all"]).ok();
    }
    assert_consistent(&sandbox);
}

#[test]
fn two_homes_on_one_vault_lose_no_write() {
    const EACH: usize = 5;
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"start\n").ok();
    let own = |writer: usize| {
        let home = if writer.is_multiple_of(2) { "home" } else { "second" };
        let mut operations: Vec<Value> =
            (0..EACH).map(|number| append("page", &format!("line {writer}-{number}"))).collect();
        let slug = format!("own-{writer}");
        operations.push(json!({ "tool": "put", "input": { "slug": slug, "content": "marker" } }));
        self::writer(&sandbox, home, &format!("w{writer}"), &operations)
    };
    answers((0..6).map(own).collect());
    assert_eq!(lines(&sandbox, "page.md").len(), 6 * EACH + 1);
    let validate = json!({ "tool": "validate", "input": { "all": true } });
    for home in ["home", "second"] {
        let pages = ask(&sandbox, home, &[json!({ "tool": "status" }), validate.clone()]);
        assert_eq!(pages[0]["result"]["pages"], 7, "{home}: {pages:?}");
        assert_eq!(pages[1]["result"]["problems"], json!([]), "{home}");
    }
    assert_consistent(&sandbox);
}

#[test]
fn version_number_is_never_reused_for_other_content() {
    let sandbox = repository();
    let put = |text: &str| sandbox.pipe(&["put", "page"], text.as_bytes()).ok().json()["version"].as_u64();
    let (first, read) = (put("one"), put("two"));
    assert!(first < read);
    sandbox.run(&["mv", "page", "elsewhere"]).ok();
    // Another page takes the path and is written until its version passes that of the first page.
    let versions: Vec<_> = ["three", "four", "five"].map(put).to_vec();
    assert!(!versions.contains(&read), "version {read:?} of page.md is two texts: {versions:?}");
}
