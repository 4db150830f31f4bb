//! `import --watch`: a process that imports what agents add to their sessions.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::{files, paths, tree};
use crate::sandbox::{Sandbox, code};

/// Timeout for one line of output.
const TIMEOUT: Duration = Duration::from_secs(60);

struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    /// Starts it and returns it with the report of its first import.
    fn start(sandbox: &Sandbox, source: &str) -> (Watcher, Value) {
        sandbox.run(&["config", "set", "watch.debounce_ms", "15"]).ok();
        let mut child = sandbox.spawn(&mut sandbox.command(&["import", source, "--watch", "--json"]));
        let (sender, lines) = channel();
        let output = child.stdout.take().expect("piped");
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let watcher = Watcher { child, lines };
        let first = watcher.report();
        (watcher, first)
    }

    #[track_caller]
    fn report(&self) -> Value {
        let line = self.lines.recv_timeout(TIMEOUT).expect("a report");
        serde_json::from_str(&line).expect("JSON")
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn line(id: &str, text: &str) -> String {
    let line = json!({ "type": "user", "uuid": id, "sessionId": "s", "cwd": "/home/ada/app",
                       "timestamp": "2026-01-02T03:04:05Z", "message": { "role": "user", "content": text } });
    format!("{line}\n")
}

fn append(sandbox: &Sandbox, path: &str, text: &str) {
    let mut options = fs::OpenOptions::new();
    let mut file = options.append(true).open(sandbox.root.join(path)).expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

#[test]
fn new_turns_and_new_sessions_are_imported_as_they_come() {
    let sandbox = Sandbox::with_vault();
    tree(
        &sandbox,
        ".claude/projects",
        &[("-app/one.jsonl", line("u1", "First zeppelin").as_bytes()), ("-app/x/notes.txt", b"x")],
    );
    let (mut watcher, first) = Watcher::start(&sandbox, "claude-code");
    let page = "sessions/claude-code/2026-01-02-first-zeppelin.md";
    assert_eq!(paths(&first, "pages"), [page]);

    append(&sandbox, ".claude/projects/-app/one.jsonl", &line("u2", "Second balloon"));
    let report = watcher.report();
    assert_eq!(
        (paths(&report, "pages"), report["pages"][0]["outcome"].as_str()),
        (vec![page.to_owned()], Some("updated"))
    );
    let text = String::from_utf8(sandbox.read(page)).expect("text");
    assert_eq!(text.matches("^t-").count(), 2, "{text}");

    // A new project, and a session in it. The other sessions are not read again, and stay in the import.
    let new = line("u3", "Third airship").replace("\"s\"", "\"t\"");
    tree(&sandbox, ".claude/projects", &[("-other/two.jsonl", new.as_bytes())]);
    let report = watcher.report();
    assert_eq!(paths(&report, "pages"), ["sessions/claude-code/2026-01-02-third-airship.md"], "{report}");
    append(&sandbox, ".claude/projects/-app/one.jsonl", &line("u4", "Fourth kite"));
    let report = watcher.report();
    assert_eq!((paths(&report, "pages").len(), report["originals"].as_u64()), (1, Some(3)), "{report}");

    // One import is kept, whose originals are the files as they are now.
    let imports = sandbox.run(&["imports"]).ok().json();
    assert_eq!(imports["imports"].as_array().map(Vec::len), Some(1), "{imports}");
    let id = imports["imports"][0]["import_id"].as_str().expect("an id").to_owned();
    super::export(&sandbox, "raw", &["--raw", "--import-id", &id]).ok();
    assert_eq!(files(&sandbox.root.join("raw")), files(&sandbox.root.join(".claude/projects")));
    sandbox.validate();
    stop(&sandbox, &mut watcher);
    // What the watch did is what an import finds.
    assert_eq!(super::import(&sandbox, &["claude-code"])["outcome"], "unchanged");
}

#[cfg(unix)]
fn stop(sandbox: &Sandbox, watcher: &mut Watcher) {
    sandbox.sh(&format!("kill -TERM {}", watcher.child.id())).exits(0);
    assert_eq!(code(watcher.child.wait().expect("it ends")), 0);
}

#[cfg(not(unix))]
fn stop(_: &Sandbox, watcher: &mut Watcher) {
    watcher.child.kill().expect("killed");
}

#[test]
fn what_changes_nothing_is_not_reported() {
    let sandbox = Sandbox::with_vault();
    tree(&sandbox, "src", &[("one.jsonl", line("u1", "First zeppelin").as_bytes())]);
    let (watcher, _) = Watcher::start(&sandbox, "../src");
    let before = sandbox.run(&["imports"]).ok().json();
    // Written again with the same bytes; then a change, which is the first to be reported.
    tree(&sandbox, "src", &[("one.jsonl", line("u1", "First zeppelin").as_bytes())]);
    assert_eq!(sandbox.run(&["imports"]).ok().json(), before);
    append(&sandbox, "src/one.jsonl", &line("u2", "Second"));
    assert_eq!(paths(&watcher.report(), "pages").len(), 1);
}

#[test]
fn only_directories_are_watched() {
    let sandbox = Sandbox::with_vault();
    tree(&sandbox, "src", &[("one.jsonl", line("u1", "First").as_bytes())]);
    sandbox.run(&["import", "../src/one.jsonl", "--watch"]).exits(2).says("not a directory");
    sandbox.run(&["import", "codex", "--watch"]).exits(2).says(".codex/sessions");
    sandbox.run(&["import", "../src", "--watch", "--dry-run"]).exits(2).says("--dry-run");
}
