//! One process of the stress test, with a model of its own pages in which every write leaves a unique word.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use lore_vault::fault::POINTS;
use serde_json::{Value, json};

use crate::sandbox::{Sandbox, code};

/// The words of the writes that a page must contain.
pub type Marks = BTreeSet<String>;

/// The pages that all workers write to.
pub const SHARED: [&str; 3] = ["shared/one", "shared/two", "shared/three"];

/// A random number generator with a seed.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// The result of an operation.
pub enum Outcome {
    /// Acknowledged.
    Done(Value),
    /// Refused.
    Refused(Value),
    /// Killed before it answered.
    Unknown,
}

/// A process that runs operations, and the expected results.
pub struct Worker<'a> {
    sandbox: &'a Sandbox,
    number: usize,
    pub random: Random,
    process: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
    made: usize,
    /// The worker's own pages, by path.
    pub pages: BTreeMap<String, Marks>,
    /// Paths of pages that no longer exist.
    pub gone: BTreeSet<String>,
    /// Those of them that were deleted, where a new page may be created.
    pub deleted: BTreeSet<String>,
    /// The words of a page at a version.
    states: BTreeMap<(String, u64), Marks>,
    /// What was added to the shared pages for certain, and what may have been.
    pub shared: Vec<(String, String)>,
    pub uncertain: Vec<(String, String)>,
    /// The reported versions, in order.
    pub versions: Vec<(String, u64)>,
    pub kills: usize,
}

fn is_locked(answer: &Value) -> bool {
    answer["error"]["code"] == "locked"
}

impl<'a> Worker<'a> {
    pub fn new(sandbox: &'a Sandbox, number: usize, seed: u64) -> Worker<'a> {
        let random = Random(seed ^ (number as u64) << 32);
        let (pages, gone, deleted, states) = Default::default();
        let (shared, uncertain, versions) = Default::default();
        let process = None;
        Worker {
            sandbox,
            number,
            random,
            process,
            made: 0,
            pages,
            gone,
            deleted,
            states,
            shared,
            uncertain,
            versions,
            kills: 0,
        }
    }

    /// Returns a unique word for one write.
    pub fn mark(&mut self) -> String {
        self.made += 1;
        format!("m{}x{}m", self.number, self.made)
    }

    /// Returns one of its own pages.
    pub fn own(&mut self) -> Option<String> {
        let paths: Vec<String> = self.pages.keys().filter(|path| path.starts_with("own/")).cloned().collect();
        let chosen = self.random.below(paths.len().max(1) as u64) as usize;
        paths.get(chosen).cloned()
    }

    /// Returns a path that no page has had.
    pub fn fresh_path(&mut self) -> String {
        self.made += 1;
        format!("own/w{}-{}.md", self.number, self.made)
    }

    pub fn shared_page(&mut self) -> &'static str {
        SHARED[self.random.below(SHARED.len() as u64) as usize]
    }

    /// Returns the text of a page on disk.
    pub fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.file(path)).ok()
    }

    fn file(&self, path: &str) -> PathBuf {
        self.sandbox.vault().join(path)
    }

    /// Starts its process if there is none. Every third one has a fault a few writes ahead.
    fn connect(&mut self, faults: bool) -> &mut (Child, ChildStdin, BufReader<ChildStdout>) {
        let (sandbox, random) = (self.sandbox, &mut self.random);
        self.process.get_or_insert_with(|| {
            let mut command = sandbox.command(&["--quiet", "pipe"]);
            if faults && random.below(3) == 0 {
                let point = POINTS[random.below(POINTS.len() as u64) as usize];
                command.env("LORE_FAULT", format!("{point}:{}", 1 + random.below(8)));
            }
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().expect("it starts");
            let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
            (child, to, BufReader::new(from))
        })
    }

    /// Runs an operation. One in twenty is killed at a random moment, with an unknown result.
    pub fn run(&mut self, tool: &str, input: Value) -> Outcome {
        let kill = self.random.below(20) == 0;
        let moment = Duration::from_micros(self.random.below(60_000));
        let (child, to, from) = self.connect(true);
        let started = Instant::now();
        writeln!(to, "{}", json!({ "tool": tool, "input": input })).expect("it listens");
        if kill {
            while started.elapsed() < moment {
                std::thread::yield_now();
            }
            child.kill().expect("it can be killed");
        }
        let mut line = String::new();
        from.read_line(&mut line).expect("its output");
        if kill || line.is_empty() {
            let ended = code(child.wait().expect("a child"));
            assert!([-9, -6].contains(&ended), "{tool} ended with {ended}");
            self.process = None;
            self.kills += 1;
        }
        match serde_json::from_str::<Value>(&line) {
            Ok(answer) if answer["exit"] == 0 => Outcome::Done(answer["result"].clone()),
            // On a busy machine others may hold the lock for longer than a write waits; nothing was done.
            Ok(answer) if is_locked(&answer) => self.run(tool, input),
            Ok(answer) => Outcome::Refused(answer),
            Err(_) if self.process.is_none() => {
                self.wait_for_recovery();
                Outcome::Unknown
            }
            Err(error) => panic!("{tool} was not answered: {error}: {line:?}"),
        }
    }

    /// Writes to a page of its own until that is acknowledged: by then any interrupted change is recovered.
    fn wait_for_recovery(&mut self) {
        let mark = self.mark();
        let input = json!({ "slug": format!("barrier/w{}", self.number), "content": mark });
        let (_, to, from) = self.connect(false);
        writeln!(to, "{}", json!({ "tool": "put", "input": input })).expect("it listens");
        let mut line = String::new();
        from.read_line(&mut line).expect("its output");
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        if is_locked(&answer) {
            return self.wait_for_recovery();
        }
        assert_eq!(answer["exit"], 0, "{answer}");
    }

    /// Records the expected words of one of its pages, and their version.
    pub fn record(&mut self, path: &str, marks: Marks, answer: Option<&Value>) {
        let changed = answer.filter(|answer| answer["outcome"] != "unchanged");
        if let Some(version) = changed.and_then(|answer| answer["version"].as_u64()) {
            self.versions.push((path.to_owned(), version));
            self.states.insert((path.to_owned(), version), marks.clone());
        }
        let text = self.text(path).unwrap_or_else(|| panic!("{path} is not there"));
        assert_eq!(marks_of(&text), marks, "{path} after {answer:?}:\n{text}");
        self.pages.insert(path.to_owned(), marks);
    }

    /// Returns the words of a page at a version, if that was reported.
    pub fn at_version(&self, path: &str, version: u64) -> Option<Marks> {
        self.states.get(&(path.to_owned(), version)).cloned()
    }

    /// Moves the record of a page to another path.
    pub fn moved(&mut self, from: &str, to: &str) {
        let states: Vec<_> = self.states.keys().filter(|(path, _)| path == from).cloned().collect();
        for key in states {
            let marks = self.states.remove(&key).expect("it is there");
            self.states.insert((to.to_owned(), key.1), marks);
        }
        self.pages.remove(from);
        self.gone.insert(from.to_owned());
    }

    /// Ends its process.
    pub fn end(&mut self) {
        if let Some((mut child, to, _)) = self.process.take() {
            drop(to);
            child.wait().expect("a child");
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some((mut child, ..)) = self.process.take() {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Returns the words of writes in a text; a repeated word is marked as such.
pub fn marks_of(text: &str) -> Marks {
    let mut marks = Marks::new();
    for word in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let inner = word.strip_prefix('m').and_then(|rest| rest.strip_suffix('m'));
        let is_mark = inner.is_some_and(|inner| {
            inner.split('x').count() == 2
                && inner.chars().all(|letter| letter == 'x' || letter.is_ascii_digit())
        });
        if is_mark && !marks.insert(word.to_owned()) {
            marks.insert(format!("{word} twice"));
        }
    }
    marks
}
