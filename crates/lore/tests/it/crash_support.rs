//! A vault in which one change can be repeated from the same start, and everything observable before and after it.

use std::fs;

use serde_json::{Value, json};

use crate::invariants::{
    Tree, ask, assert_git_is_clean, assert_index_matches_rebuild, assert_no_leftovers, pages, tree,
};
use crate::sandbox::{Ran, Sandbox};

/// A change whose process is killed.
pub struct Scenario {
    /// Profile of the vault.
    pub profile: &'static str,
    /// Prepares the vault.
    pub prepare: fn(&Sandbox),
    /// The command that makes the change.
    pub change: &'static [&'static str],
    /// Standard input of the command.
    pub input: &'static str,
}

/// A vault in which a scenario can be repeated.
pub struct CrashHarness {
    pub sandbox: Sandbox,
    scenario: Scenario,
    saved: tempfile::TempDir,
    /// The files before the change, by their real names.
    start: Tree,
    pub before: Observed,
    pub after: Observed,
}

/// The observable state of a vault, without times, ids and checksums of generated files.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub files: Tree,
    /// The pages with their versions.
    pages: Vec<Value>,
    /// The history of every file that existed before or exists now.
    history: Vec<Value>,
    commits: String,
}

impl CrashHarness {
    pub fn new(scenario: Scenario) -> CrashHarness {
        let sandbox = Sandbox::empty();
        fs::create_dir(sandbox.vault()).expect("a new directory");
        sandbox.run(&["init", "--profile", scenario.profile, "--pages", "markdown"]).exits(0);
        (scenario.prepare)(&sandbox);
        sandbox
            .sh("git add -A && git -c user.name=p -c user.email=p commit -q --allow-empty -m Prepared")
            .exits(0);
        sandbox.run(&["sync"]).ok();
        sandbox.sh("rm -rf .git/hooks");
        let saved = tempfile::tempdir().expect("a temporary directory");
        sandbox.sh(&format!("cp -a ../. {}", saved.path().display())).exits(0);
        let nothing = Observed { files: Tree::new(), pages: vec![], history: vec![], commits: String::new() };
        let start = tree(&sandbox);
        let mut harness =
            CrashHarness { sandbox, scenario, saved, start, before: nothing.clone(), after: nothing };
        harness.before = harness.observe();
        harness.start(&[]).exits(0);
        harness.after = harness.observe();
        harness
    }

    /// Restores the state before the scenario.
    pub fn reset(&self) {
        let saved = self.saved.path().display();
        self.sandbox.sh(&format!("cd .. && rm -rf v home fresh && cp -a {saved}/. .")).exits(0);
    }

    /// Runs the change.
    pub fn start(&self, environment: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.command(self.scenario.change);
        command.envs(environment.iter().copied());
        fs::write(self.sandbox.root.join("input"), self.scenario.input).expect("a file");
        command.stdin(fs::File::open(self.sandbox.root.join("input")).expect("a file"));
        command.output().expect("lore runs").into()
    }

    /// Runs the change with a fault; returns whether it was killed.
    #[track_caller]
    pub fn killed_at(&self, fault: &str) -> bool {
        was_killed(&self.start(&[("LORE_FAULT", fault)]))
    }

    /// Runs an ordinary command as another actor.
    pub fn next_command(&self, environment: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.command(&["status"]);
        command.env("LORE_ACTOR", "somebody-else").envs(environment.iter().copied());
        command.output().expect("lore runs").into()
    }

    /// Returns the observable state.
    #[track_caller]
    pub fn observe(&self) -> Observed {
        let sandbox = &self.sandbox;
        let files = tree(sandbox);
        let mut paths: Vec<&String> = self.start.keys().chain(files.keys()).collect();
        paths.sort();
        paths.dedup();
        let of = |path: &&String| json!({ "tool": "history", "input": { "reference": path } });
        let wanted = |path: &&String| path.ends_with(".md") && !path.starts_with('.');
        let mut history =
            ask(sandbox, "home", &paths.into_iter().filter(wanted).map(|path| of(&path)).collect::<Vec<_>>());
        let mut pages = pages(sandbox, "home");
        history.iter_mut().chain(&mut pages).for_each(strip_volatile);
        // A generated file is rewritten by whoever finishes the change, under that actor.
        let generated =
            |answer: &&mut Value| is_generated(answer["result"]["path"].as_str().unwrap_or_default());
        history.iter_mut().filter(generated).for_each(|answer| answer["result"]["actor"] = Value::Null);
        history.sort_by_key(Value::to_string);
        let log = sandbox
            .sh("git log --format='%s (%(trailers:key=Lore-Actor,valueonly,separator=))' --name-status");
        let files =
            files.into_iter().map(|(path, bytes)| (normalized(&path), normalized_bytes(bytes))).collect();
        Observed { files, pages, history, commits: normalized(&log.text()) }
    }

    /// Asserts that the whole change was made or none of it; returns whether it was made.
    #[track_caller]
    pub fn assert_atomic(&self, what: &str) -> bool {
        assert_no_leftovers(&self.sandbox, what);
        let observed = self.observe();
        let done = observed.files == self.after.files;
        let expected = if done { &self.after } else { &self.before };
        assert_eq!(
            observed.files.keys().collect::<Vec<_>>(),
            expected.files.keys().collect::<Vec<_>>(),
            "{what}"
        );
        for (path, bytes) in &expected.files {
            assert_eq!(
                String::from_utf8_lossy(&observed.files[path]),
                String::from_utf8_lossy(bytes),
                "{what}: {path}"
            );
        }
        assert_eq!(observed.commits, expected.commits, "{what}: the commits (done: {done})");
        for (found, wanted) in observed.history.iter().zip(&expected.history) {
            assert_eq!(found, wanted, "{what}: the history (done: {done})");
        }
        assert_eq!(observed, *expected, "{what} (done: {done})");
        assert_index_matches_rebuild(&self.sandbox, what);
        assert_git_is_clean(&self.sandbox, &[], what);
        self.assert_restorable(done, what);
        done
    }

    /// Asserts that the first file that the change replaced or deleted can be restored.
    #[track_caller]
    fn assert_restorable(&self, done: bool, what: &str) {
        let changed = |(path, old): &(&String, &Vec<u8>)| {
            path.ends_with(".md")
                && !is_generated(path)
                && self.after.files.get(*path).is_some_and(|new| new != *old)
        };
        let Some((path, old)) = self.before.files.iter().find(changed).filter(|_| done) else { return };
        let history = self.sandbox.run(&["history", path]).exits(0).json();
        // A page with a generated block has a snapshot from before the block was updated, too.
        let is_restored = |snapshot: &Value| {
            let snapshot = snapshot["snapshot"].to_string();
            self.sandbox.run(&["restore", path, "--at", &snapshot, "--yes"]).ok();
            normalized_bytes(self.sandbox.read(path)) == *old
        };
        let snapshots = history["snapshots"].as_array().expect("snapshots");
        assert!(snapshots.iter().any(is_restored), "{what}: {path} was not restored");
    }
}

/// Asserts that a command was either killed by its fault or succeeded; returns whether it was killed.
#[track_caller]
pub fn was_killed(ran: &Ran) -> bool {
    assert!([-6, 0].contains(&ran.code), "{ran:?}");
    ran.code == -6
}

/// Returns whether Lore generates a file.
fn is_generated(path: &str) -> bool {
    path.ends_with("index.md")
}

/// Removes what differs between runs from an answer.
fn strip_volatile(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(strip_volatile),
        Value::Object(all) => {
            for key in ["updated", "replaced", "snapshot", "commit", "at", "session", "score"] {
                all.remove(key);
            }
            all.values_mut().for_each(strip_volatile);
        }
        Value::String(text) => *text = normalized(text),
        _ => {}
    }
}

/// Replaces times, ids and checksums, which are long runs of hex digits and dashes, by `#`.
fn normalized(text: &str) -> String {
    let (mut result, mut run) = (String::new(), String::new());
    for character in text.chars().chain(['\0']) {
        if matches!(character, '0'..='9' | 'a'..='f' | '-') {
            run.push(character);
            continue;
        }
        let varies = run.len() >= 10 && run.contains(|digit: char| digit.is_ascii_digit());
        result.push_str(if varies { "#" } else { &run });
        run.clear();
        result.push(character);
    }
    result.pop();
    result
}

fn normalized_bytes(bytes: Vec<u8>) -> Vec<u8> {
    String::from_utf8(bytes).map(|text| normalized(&text).into_bytes()).expect("text")
}

fn people(sandbox: &Sandbox) {
    sandbox.write("people/ada.md", "---\nid: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f\n---\n# Ada\n\nFlies a zeppelin. Knows [[people/bob]].\n");
    sandbox.write("people/bob.md", "# Bob\n\nKnows [[people/ada]] and [her](ada.md).\n");
    sandbox.write("harbour.md", "# Harbour\n\n- moored [[people/ada]] {2020..}\n");
    sandbox.write("log/one.md", "See [Ada](../people/ada.md).\n");
    sandbox.write("log/two.md", "See [[ada]].\n");
}

pub fn new_page() -> Scenario {
    Scenario {
        profile: "notes",
        prepare: people,
        change: &["put", "new/page"],
        input: "# New\n\nSees [[harbour]].\n",
    }
}

pub fn edit() -> Scenario {
    let change = &["edit", "people/ada", "--find", "zeppelin", "--replace", "balloon"];
    Scenario { profile: "notes", prepare: people, change, input: "" }
}

pub fn delete() -> Scenario {
    Scenario { profile: "notes", prepare: people, change: &["rm", "people/ada", "--yes"], input: "" }
}

pub fn move_with_links() -> Scenario {
    Scenario {
        profile: "notes",
        prepare: people,
        change: &["mv", "people/ada", "crew/deep/lovelace"],
        input: "",
    }
}

pub fn capture() -> Scenario {
    let prepare =
        |sandbox: &Sandbox| fs::write(sandbox.root.join("out.txt"), "What others say.\n").expect("a file");
    let change = &[
        "capture",
        "--title",
        "Low flight",
        "--source",
        "https://example.org/a",
        "--raw",
        "../out.txt",
        "--keep",
        "Zeppelins fly low over the harbour in spring.",
    ];
    Scenario { profile: "roam", prepare, change, input: "" }
}

pub fn ingest() -> Scenario {
    let input = concat!(
        r#"{"content": "We pivot.\r\n", "source_ref": "meeting/12", "pages": ["#,
        r#"{"slug": "people/ada", "expected_version": 1, "timeline_entries": [{"date": "2026-02-03", "summary": "Agreed"}]},"#,
        r##"{"slug": "people/new", "expected_version": 0, "content": "# New\n", "links": [{"to": "people/ada"}]}]}"##,
    );
    Scenario { profile: "notes", prepare: people, change: &["ingest", "--json-payload", "-"], input }
}

pub fn rotate() -> Scenario {
    let prepare = |sandbox: &Sandbox| {
        let today = String::from_utf8(sandbox.read("state/today.md")).expect("text");
        let (start, rest) = today.split_once("date: ").expect("a date");
        let rest = rest.split_once('\n').expect("a line").1;
        sandbox.write("state/today.md", format!("{start}date: 2020-01-01\n{rest}"));
        sandbox.write("state/inbox/idea.md", "# Idea\n\nA zeppelin. [[state/inbox/other]]\n");
        sandbox.write("state/inbox/other.md", "# Other\n\n[idea](idea.md)\n");
        // The list of the inbox on today's page is current, so that a restored page stays as it was.
        sandbox.run(&["generate"]).ok();
    };
    Scenario { profile: "personal", prepare, change: &["rotate"], input: "" }
}
