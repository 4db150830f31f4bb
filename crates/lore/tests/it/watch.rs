//! `sync --watch`: a process that follows the files and prints a report per change.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, code};

/// Timeout for one line of output.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A watching process and its output lines.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    /// Starts it and waits until it watches.
    fn start(sandbox: &Sandbox) -> Watcher {
        sandbox.run(&["config", "set", "watch.debounce_ms", "150"]).ok();
        let mut child = sandbox.spawn(&mut sandbox.command(&["sync", "--watch", "--json"]));
        let (sender, lines) = channel();
        let output = child.stdout.take().expect("piped");
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let watcher = Watcher { child, lines };
        watcher.report();
        watcher
    }

    /// Returns the next report.
    #[track_caller]
    fn report(&self) -> Value {
        let line = self.lines.recv_timeout(TIMEOUT).expect("a report");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Asserts that the next report contains only this.
    #[track_caller]
    fn expect(&self, kind: &str, what: Value) {
        let report = self.report();
        for name in ["added", "modified", "moved", "removed", "skipped"] {
            let expected = if name == kind { what.clone() } else { json!([]) };
            assert_eq!(report[name], expected, "{name}: {report}");
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn every_file_change_is_reported_and_indexed() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("old.md", "old page\n");
    let watcher = Watcher::start(&sandbox);
    let at = |path: &str| sandbox.vault().join(path);
    let found = |word: &str| sandbox.run(&["--no-sync", "search", word]).json()["hits"].to_string();

    sandbox.write("new.md", "zeppelin\n");
    watcher.expect("added", json!(["new.md"]));
    assert!(found("zeppelin").contains("new.md"));

    sandbox.write("new.md", "balloon\n");
    watcher.expect("modified", json!(["new.md"]));
    assert!(found("balloon").contains("new.md") && found("zeppelin") == "[]");

    fs::rename(at("new.md"), at("renamed.md")).expect("a rename");
    watcher.expect("moved", json!([{ "from": "new.md", "to": "renamed.md" }]));
    assert!(found("balloon").contains("renamed.md"));

    fs::remove_file(at("renamed.md")).expect("a removal");
    watcher.expect("removed", json!(["renamed.md"]));
    assert_eq!(found("balloon"), "[]");

    // What an editor does: write beside the page, then rename over it.
    sandbox.write("old.md~", "airship\n");
    fs::rename(at("old.md~"), at("old.md")).expect("a rename");
    watcher.expect("modified", json!(["old.md"]));
    assert!(found("airship").contains("old.md"));
}

#[test]
fn added_moved_and_removed_directories_are_reported() {
    let sandbox = Sandbox::with_vault();
    let watcher = Watcher::start(&sandbox);
    fs::create_dir(sandbox.root.join("made")).expect("a folder");
    for name in ["a", "b"] {
        fs::write(sandbox.root.join(format!("made/{name}.md")), format!("page {name}\n")).expect("a file");
    }
    fs::rename(sandbox.root.join("made"), sandbox.vault().join("in")).expect("a rename");
    watcher.expect("added", json!(["in/a.md", "in/b.md"]));
    fs::rename(sandbox.vault().join("in"), sandbox.vault().join("on")).expect("a rename");
    let moved = [("in/a.md", "on/a.md"), ("in/b.md", "on/b.md")];
    watcher.expect("moved", json!(moved.map(|(from, to)| json!({ "from": from, "to": to }))));
    sandbox.write("on/c.md", "page c\n");
    watcher.expect("added", json!(["on/c.md"]));
    fs::remove_dir_all(sandbox.vault().join("on")).expect("a removal");
    watcher.expect("removed", json!(["on/a.md", "on/b.md", "on/c.md"]));
}

#[test]
fn hidden_and_other_files_are_not_reported() {
    let sandbox = Sandbox::with_vault();
    sandbox.write(".git/index", "x");
    let watcher = Watcher::start(&sandbox);
    sandbox.write(".git/HEAD", "ref");
    sandbox.write(".obsidian/x.md", "hidden");
    sandbox.write("picture.png", "x");
    sandbox.write("page.md", "the first thing to tell\n");
    watcher.expect("added", json!(["page.md"]));
}

#[test]
fn concurrent_write_by_lore_is_not_a_conflict() {
    let sandbox = Sandbox::with_vault();
    let watcher = Watcher::start(&sandbox);
    for number in 0..10 {
        sandbox.pipe(&["put", &format!("page-{number}")], b"text").ok();
    }
    // The writer has indexed those pages itself; the watcher has nothing to tell of them.
    sandbox.write("last.md", "by another program\n");
    watcher.expect("added", json!(["last.md"]));
    assert_eq!(sandbox.run(&["status"]).ok().json()["pages"], 11);
}

#[test]
fn watcher_ends_on_a_signal() {
    for (signal, expected) in [("-INT", -2), ("-TERM", -15), ("-KILL", -9)] {
        let sandbox = Sandbox::with_vault();
        let mut watcher = Watcher::start(&sandbox);
        Command::new("kill").args([signal, &watcher.child.id().to_string()]).status().expect("kill");
        let ended = code(watcher.child.wait().expect("a child"));
        assert!([expected, 0].contains(&ended), "{signal}: {ended}");
        assert!(watcher.lines.recv_timeout(TIMEOUT).is_err(), "no more lines");
        sandbox.pipe(&["put", "page"], b"there is no lock left").ok();
    }
}

#[test]
fn new_chunks_are_embedded() {
    let sandbox = Sandbox::with_vault();
    let watcher = Watcher::start(&sandbox);
    sandbox.write("new.md", "zeppelin\n");
    watcher.expect("added", json!(["new.md"]));
    let status = sandbox.run(&["--no-sync", "status"]).ok().json();
    assert_eq!((&status["pages"], &status["pending_embeddings"]), (&json!(1), &json!(0)), "{status}");
}

#[test]
fn an_edited_policy_is_obeyed() {
    let sandbox = Sandbox::with_vault();
    let watcher = Watcher::start(&sandbox);
    sandbox.write("drafts/a.md", "a draft\n");
    watcher.expect("added", json!(["drafts/a.md"]));
    sandbox.write("lore.toml", "exclude = [\"drafts/**\"]\n");
    sandbox.write("b.md", "a page\n");
    let status = loop {
        let report = watcher.report();
        if report["added"] == json!(["b.md"]) {
            break sandbox.run(&["--no-sync", "status"]).ok().json();
        }
    };
    assert_eq!(status["pages"], 1, "{status}");
}

#[test]
fn deleted_database_is_opened_again() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("old.md", "zeppelin\n");
    let watcher = Watcher::start(&sandbox);
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{ending}", sandbox.database().display())).ok();
    }
    sandbox.write("new.md", "balloon\n");
    watcher.expect("added", json!(["new.md", "old.md"]));
    let found = |word: &str| sandbox.run(&["--no-sync", "search", word]).json()["hits"].to_string();
    assert!(found("balloon").contains("new.md") && found("zeppelin").contains("old.md"));
    sandbox.write("third.md", "airship\n");
    watcher.expect("added", json!(["third.md"]));
    assert!(found("airship").contains("third.md"));
}

#[test]
fn watcher_makes_generated_files_again() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init", "--profile", "personal", "--no-git"]).ok();
    sandbox.write("identity/before.md", "# Before\n");
    let watcher = Watcher::start(&sandbox);
    sandbox.write("state/inbox/mail.txt", "unsorted\n");
    sandbox.write("identity/first.md", "# First\n");
    assert!(watcher.report().to_string().contains("identity/first.md"));
    // The files of one change are made before the next one is looked at.
    sandbox.write("identity/second.md", "# Second\n");
    while !watcher.report().to_string().contains("identity/second.md") {}
    let text = |path: &str| String::from_utf8(sandbox.read(path)).expect("UTF-8");
    assert!(text("_index.md").contains("`identity/before.md`"), "{}", text("_index.md"));
    assert!(text("_index.md").contains("`identity/first.md`"), "{}", text("_index.md"));
    assert!(text("state/today.md").contains("`state/inbox/mail.txt`"), "{}", text("state/today.md"));
}
