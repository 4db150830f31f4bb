//! A vault in which one change can be begun again and again, and all that can be seen of it before and after.

use std::fs;

use serde_json::{Value, json};

use crate::aftermath::{Tree, ask, git_is_sound, index_is_true, nothing_left_over, pages, tree};
use crate::sandbox::{Ran, Sandbox};

/// A change whose process is to die.
pub struct Story {
    /// The vault's profile.
    pub profile: &'static str,
    /// What is in it before.
    pub prepare: fn(&Sandbox),
    /// The command.
    pub change: &'static [&'static str],
    /// Its standard input.
    pub input: &'static str,
}

/// A vault in which a story can happen again and again.
pub struct Stage {
    pub sandbox: Sandbox,
    story: Story,
    saved: tempfile::TempDir,
    /// The files before, by their real names.
    start: Tree,
    pub before: Seen,
    pub after: Seen,
}

/// All that can be seen of a vault, with times, ids and seals left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub files: Tree,
    /// The pages with their versions.
    pages: Vec<Value>,
    /// The history of every file that was or is there.
    history: Vec<Value>,
    commits: String,
}

impl Stage {
    pub fn new(story: Story) -> Stage {
        let sandbox = Sandbox::empty();
        fs::create_dir(sandbox.vault()).expect("a new directory");
        sandbox.run(&["init", "--profile", story.profile]).exits(0);
        (story.prepare)(&sandbox);
        sandbox
            .sh("git add -A && git -c user.name=p -c user.email=p commit -q --allow-empty -m Prepared")
            .exits(0);
        sandbox.run(&["sync"]).ok();
        sandbox.sh("rm -rf .git/hooks");
        let saved = tempfile::tempdir().expect("a temporary directory");
        sandbox.sh(&format!("cp -a ../. {}", saved.path().display())).exits(0);
        let nothing = Seen { files: Tree::new(), pages: vec![], history: vec![], commits: String::new() };
        let start = tree(&sandbox);
        let mut stage = Stage { sandbox, story, saved, start, before: nothing.clone(), after: nothing };
        stage.before = stage.seen();
        stage.start(&[]).exits(0);
        stage.after = stage.seen();
        stage
    }

    /// Makes everything as it was before the story.
    pub fn reset(&self) {
        let saved = self.saved.path().display();
        self.sandbox.sh(&format!("cd .. && rm -rf v home fresh && cp -a {saved}/. .")).exits(0);
    }

    /// Runs the change.
    pub fn start(&self, environment: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.command(self.story.change);
        command.envs(environment.iter().copied());
        fs::write(self.sandbox.root.join("input"), self.story.input).expect("a file");
        command.stdin(fs::File::open(self.sandbox.root.join("input")).expect("a file"));
        command.output().expect("lore runs").into()
    }

    /// Runs the change with a fault; whether it died of it.
    #[track_caller]
    pub fn dies(&self, fault: &str) -> bool {
        died(&self.start(&[("LORE_FAULT", fault)]))
    }

    /// An ordinary command by somebody else.
    pub fn next(&self, environment: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.command(&["status"]);
        command.env("LORE_ACTOR", "somebody-else").envs(environment.iter().copied());
        command.output().expect("lore runs").into()
    }

    /// What there is to see.
    #[track_caller]
    pub fn seen(&self) -> Seen {
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
        history.iter_mut().chain(&mut pages).for_each(plain);
        // A generated file is written anew by whoever finishes the change, and is his.
        let generated =
            |answer: &&mut Value| is_generated(answer["result"]["path"].as_str().unwrap_or_default());
        history.iter_mut().filter(generated).for_each(|answer| answer["result"]["actor"] = Value::Null);
        history.sort_by_key(Value::to_string);
        let log = sandbox
            .sh("git log --format='%s (%(trailers:key=Lore-Actor,valueonly,separator=))' --name-status");
        let files = files.into_iter().map(|(path, bytes)| (faceless(&path), faceless_bytes(bytes))).collect();
        Seen { files, pages, history, commits: faceless(&log.text()) }
    }

    /// Asserts that all of the change is there, or nothing of it; gives whether it is.
    #[track_caller]
    pub fn settled(&self, what: &str) -> bool {
        nothing_left_over(&self.sandbox, what);
        let seen = self.seen();
        let done = seen.files == self.after.files;
        let expected = if done { &self.after } else { &self.before };
        assert_eq!(
            seen.files.keys().collect::<Vec<_>>(),
            expected.files.keys().collect::<Vec<_>>(),
            "{what}"
        );
        for (path, bytes) in &expected.files {
            assert_eq!(
                String::from_utf8_lossy(&seen.files[path]),
                String::from_utf8_lossy(bytes),
                "{what}: {path}"
            );
        }
        assert_eq!(seen.commits, expected.commits, "{what}: the commits (done: {done})");
        for (found, wanted) in seen.history.iter().zip(&expected.history) {
            assert_eq!(found, wanted, "{what}: the history (done: {done})");
        }
        assert_eq!(seen, *expected, "{what} (done: {done})");
        index_is_true(&self.sandbox, what);
        git_is_sound(&self.sandbox, &[], what);
        self.old_bytes_come_back(done, what);
        done
    }

    /// Asserts that the first file that the change replaced or took away can be had back.
    #[track_caller]
    fn old_bytes_come_back(&self, done: bool, what: &str) {
        let changed = |(path, old): &(&String, &Vec<u8>)| {
            path.ends_with(".md")
                && !is_generated(path)
                && self.after.files.get(*path).is_some_and(|new| new != *old)
        };
        let Some((path, old)) = self.before.files.iter().find(changed).filter(|_| done) else { return };
        let history = self.sandbox.run(&["history", path]).exits(0).json();
        let snapshot = history["snapshots"][0]["snapshot"].to_string();
        self.sandbox.run(&["restore", path, "--at", &snapshot, "--yes"]).ok();
        assert!(faceless_bytes(self.sandbox.read(path)) == *old, "{what}: {path} was not restored");
    }
}

/// Asserts that a command either died of its fault or did not notice it; gives which.
#[track_caller]
pub fn died(ran: &Ran) -> bool {
    assert!([-6, 0].contains(&ran.code), "{ran:?}");
    ran.code == -6
}

/// Whether Lore writes a file by itself.
fn is_generated(path: &str) -> bool {
    path.ends_with("index.md")
}

/// Leaves out of an answer what differs from run to run.
fn plain(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(plain),
        Value::Object(all) => {
            for key in ["updated", "replaced", "snapshot", "commit", "at", "session", "score"] {
                all.remove(key);
            }
            all.values_mut().for_each(plain);
        }
        Value::String(text) => *text = faceless(text),
        _ => {}
    }
}

/// A text without times, ids and seals: a long run of digits and the like becomes `#`.
fn faceless(text: &str) -> String {
    let (mut plain, mut run) = (String::new(), String::new());
    for character in text.chars().chain(['\0']) {
        if matches!(character, '0'..='9' | 'a'..='f' | '-') {
            run.push(character);
            continue;
        }
        let varies = run.len() >= 10 && run.contains(|digit: char| digit.is_ascii_digit());
        plain.push_str(if varies { "#" } else { &run });
        run.clear();
        plain.push(character);
    }
    plain.pop();
    plain
}

fn faceless_bytes(bytes: Vec<u8>) -> Vec<u8> {
    String::from_utf8(bytes).map(|text| faceless(&text).into_bytes()).expect("text")
}

fn people(sandbox: &Sandbox) {
    sandbox.write("people/ada.md", "---\nid: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f\n---\n# Ada\n\nFlies a zeppelin. Knows [[people/bob]].\n");
    sandbox.write("people/bob.md", "# Bob\n\nKnows [[people/ada]] and [her](ada.md).\n");
    sandbox.write("harbour.md", "# Harbour\n\n- moored [[people/ada]] {2020..}\n");
    sandbox.write("log/one.md", "See [Ada](../people/ada.md).\n");
    sandbox.write("log/two.md", "See [[ada]].\n");
}

pub fn new_page() -> Story {
    Story {
        profile: "notes",
        prepare: people,
        change: &["put", "new/page"],
        input: "# New\n\nSees [[harbour]].\n",
    }
}

pub fn edit() -> Story {
    let change = &["edit", "people/ada", "--find", "zeppelin", "--replace", "balloon"];
    Story { profile: "notes", prepare: people, change, input: "" }
}

pub fn delete() -> Story {
    Story { profile: "notes", prepare: people, change: &["rm", "people/ada", "--yes"], input: "" }
}

pub fn move_with_links() -> Story {
    Story {
        profile: "notes",
        prepare: people,
        change: &["mv", "people/ada", "crew/deep/lovelace"],
        input: "",
    }
}

pub fn capture() -> Story {
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
    Story { profile: "roam", prepare, change, input: "" }
}

pub fn ingest() -> Story {
    let input = concat!(
        r#"{"content": "We pivot.\r\n", "source_ref": "meeting/12", "pages": ["#,
        r#"{"slug": "people/ada", "expected_version": 1, "timeline_entries": [{"date": "2026-02-03", "summary": "Agreed"}]},"#,
        r##"{"slug": "people/new", "expected_version": 0, "content": "# New\n", "links": [{"to": "people/ada"}]}]}"##,
    );
    Story { profile: "notes", prepare: people, change: &["ingest", "--json-payload", "-"], input }
}

pub fn rotate() -> Story {
    let prepare = |sandbox: &Sandbox| {
        let today = String::from_utf8(sandbox.read("state/today.md")).expect("text");
        let (start, rest) = today.split_once("date: ").expect("a date");
        let rest = rest.split_once('\n').expect("a line").1;
        sandbox.write("state/today.md", format!("{start}date: 2020-01-01\n{rest}"));
        sandbox.write("state/inbox/idea.md", "# Idea\n\nA zeppelin. [[state/inbox/other]]\n");
        sandbox.write("state/inbox/other.md", "# Other\n\n[idea](idea.md)\n");
    };
    Story { profile: "personal", prepare, change: &["rotate"], input: "" }
}
