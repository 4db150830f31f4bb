//! One worker of the chaos test: random operations through one face, and a journal of what was acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::{Value, json};

use super::disorder::Processes;
use super::face::{Connection, FACES, Face, call};
use crate::sandbox::Sandbox;
use crate::stress_worker::{Outcome, Random};

/// The pages that all workers write to.
pub const SHARED: [&str; 3] = ["shared/one", "shared/two", "shared/three"];

/// Clocks that are wrong by years. `LORE_NOW` fixes the clock of a process.
const WRONG_CLOCKS: [&str; 3] = ["2019-03-01T10:00:00Z", "2030-06-01T10:00:00Z", "2041-01-01T00:00:00Z"];

/// The unique words of acknowledged writes, with the page and the operation.
pub type Journal = Vec<(String, String)>;

pub struct ChaosWorker<'a> {
    sandbox: &'a Sandbox,
    number: usize,
    face: Face,
    random: Random,
    connection: Option<Connection>,
    token: String,
    made: usize,
    pages: BTreeSet<String>,
    pub journal: Journal,
    /// The reported versions, in order.
    versions: Vec<(String, u64)>,
    /// How often each outcome was seen.
    pub outcomes: BTreeMap<String, usize>,
}

impl<'a> ChaosWorker<'a> {
    pub fn new(sandbox: &'a Sandbox, number: usize, seed: u64) -> ChaosWorker<'a> {
        let face = FACES[number % FACES.len()];
        let mut token = String::new();
        if face == Face::Http {
            let name = format!("worker-{number}");
            let added = sandbox.run(&["token", "add", &name, "--write"]).ok().json();
            added["token"].as_str().expect("a token").clone_into(&mut token);
        }
        let (pages, journal, versions, outcomes) = Default::default();
        let random = Random(seed ^ (number as u64 + 1) << 32);
        ChaosWorker {
            sandbox,
            number,
            face,
            random,
            connection: None,
            token,
            made: 0,
            pages,
            journal,
            versions,
            outcomes,
        }
    }

    fn mark(&mut self) -> String {
        self.made += 1;
        format!("k{}x{}k", self.number, self.made)
    }

    fn command(&mut self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        if self.random.below(4) == 0 {
            command.env("LORE_NOW", WRONG_CLOCKS[self.random.below(3) as usize]);
        }
        command
    }

    /// Runs an operation through the worker's face.
    fn request(&mut self, operation: &str, input: &Value, processes: &Processes) -> Outcome {
        if self.face == Face::Call {
            let command = self.command(&["call", operation, &input.to_string()]);
            return call(self.sandbox, command, self.number, processes);
        }
        if self.connection.is_none() {
            let command = match self.face {
                Face::Mcp => self.command(&["--quiet", "serve", "--tools", "all"]),
                Face::Http => self.command(&["serve", "--http", "127.0.0.1:0"]),
                Face::Call | Face::Pipe => self.command(&["--quiet", "pipe"]),
            };
            self.connection = Connection::start(self.face, command, self.number, processes);
        }
        let Some(connection) = &mut self.connection else { return Outcome::Unknown };
        let outcome = connection.request(self.face, operation, input, &self.token);
        outcome.unwrap_or_else(|| {
            self.end(processes);
            Outcome::Unknown
        })
    }

    /// Ends the worker's process.
    pub fn end(&mut self, processes: &Processes) {
        if let Some(connection) = self.connection.take() {
            connection.end(self.number, processes);
        }
    }

    /// Runs the next operation.
    pub fn step(&mut self, processes: &Processes) {
        let own = self.own();
        let shared = SHARED[self.random.below(3) as usize].to_owned();
        let mark = self.mark();
        let target = own.clone().filter(|_| self.random.below(2) == 0).unwrap_or(shared);
        let step = match (self.random.below(100), own) {
            (0..20, _) | (_, None) => self.put(&mark),
            (20..60, _) => self.append(&target, &mark),
            (60..68, _) => self.tag(&target, &mark, processes),
            (68..76, _) => self.entry(&target, &mark, processes),
            (76..82, Some(path)) => self.rename(&path),
            (82..88, Some(path)) => self.delete(&path),
            (88..92, _) => self.capture(&mark),
            (92..95, Some(path)) => self.restore(&path, processes),
            (_, Some(path)) => self.read(&path),
        };
        let Some(step) = step else { return };
        let outcome = self.request(step.operation, &step.input, processes);
        self.record(step, outcome);
    }

    fn own(&mut self) -> Option<String> {
        let chosen = self.random.below(self.pages.len().max(1) as u64) as usize;
        self.pages.iter().nth(chosen).cloned()
    }

    fn fresh_path(&mut self) -> String {
        self.made += 1;
        format!("own/c{}-{}", self.number, self.made)
    }

    fn is_mcp(&self) -> bool {
        self.face == Face::Mcp
    }

    fn put(&mut self, mark: &str) -> Option<Step> {
        let page = self.fresh_path();
        let content = format!("# Page\n\nmarker {mark} of a zeppelin, see [[shared/one]]\n");
        let (operation, input) = if self.is_mcp() {
            ("memory_put", json!({ "slug": page, "content": content, "expected_version": 0 }))
        } else {
            ("put", json!({ "slug": page, "content": content }))
        };
        Some(Step::new(operation, input, &page).writing(mark))
    }

    fn append(&mut self, page: &str, mark: &str) -> Option<Step> {
        let line = format!("marker {mark}");
        let (operation, input) = if self.is_mcp() {
            ("edit_note", json!({ "path": page, "content_updates": line }))
        } else {
            ("edit", json!({ "reference": page, "append": line }))
        };
        Some(Step::new(operation, input, page).writing(mark))
    }

    /// Returns the current version of a page, which the tools for agents require.
    fn version(&mut self, page: &str, processes: &Processes) -> Option<u64> {
        match self.request("memory_get", &json!({ "slug": page }), processes) {
            Outcome::Done(answer) => answer["version"].as_u64(),
            _ => None,
        }
    }

    fn tag(&mut self, page: &str, mark: &str, processes: &Processes) -> Option<Step> {
        let (operation, input) = if self.is_mcp() {
            let version = self.version(page, processes)?;
            ("memory_tag", json!({ "slug": page, "tag": mark, "page_version": version }))
        } else {
            ("tag", json!({ "reference": page, "tags": [mark] }))
        };
        Some(Step::new(operation, input, page).writing(mark))
    }

    fn entry(&mut self, page: &str, mark: &str, processes: &Processes) -> Option<Step> {
        let date = format!("2024-01-{:02}", 1 + self.random.below(28));
        let (operation, input) = if self.is_mcp() {
            let version = self.version(page, processes)?;
            let input = json!({ "slug": page, "date": date, "summary": mark, "page_version": version });
            ("memory_timeline_add", input)
        } else {
            ("timeline_add", json!({ "reference": page, "date": date, "summary": mark }))
        };
        Some(Step::new(operation, input, page).writing(mark))
    }

    fn rename(&mut self, page: &str) -> Option<Step> {
        let to = self.fresh_path();
        let input = json!({ "reference": page, "to": to });
        (!self.is_mcp()).then(|| Step { moved_to: Some(to), ..Step::new("mv", input, page) })
    }

    fn delete(&mut self, page: &str) -> Option<Step> {
        let (operation, input) = if self.is_mcp() {
            ("delete_note", json!({ "path": page }))
        } else {
            ("rm", json!({ "reference": page, "yes": true }))
        };
        Some(Step { deletes: true, ..Step::new(operation, input, page) })
    }

    fn capture(&mut self, mark: &str) -> Option<Step> {
        let input =
            json!({ "text": format!("A harbour {mark}."), "title": format!("Capture {mark}"), "keep": true });
        Some(Step::new("capture", input, "").writing(mark))
    }

    fn restore(&mut self, page: &str, processes: &Processes) -> Option<Step> {
        if self.is_mcp() {
            return None;
        }
        let Outcome::Done(history) = self.request("history", &json!({ "reference": page }), processes) else {
            return None;
        };
        let snapshot = history["snapshots"][0]["snapshot"].clone();
        let input = json!({ "reference": page, "at": snapshot, "yes": true });
        (!snapshot.is_null()).then(|| Step::new("restore", input, page))
    }

    fn read(&mut self, page: &str) -> Option<Step> {
        let (operation, key) = if self.is_mcp() { ("memory_get", "slug") } else { ("get", "reference") };
        Some(Step { reads: true, ..Step::new(operation, json!({ key: page }), page) })
    }

    fn record(&mut self, step: Step, outcome: Outcome) {
        let name = match &outcome {
            Outcome::Done(_) => "done".to_owned(),
            Outcome::Unknown => "killed".to_owned(),
            Outcome::Refused(answer) => refusal(answer),
        };
        *self.outcomes.entry(name).or_default() += 1;
        let Outcome::Done(answer) = outcome else { return };
        if let Some(mark) = step.mark {
            self.journal.push((mark, format!("{} {}", step.operation, step.page)));
        }
        if step.reads {
            return;
        }
        if step.deletes || step.moved_to.is_some() {
            self.pages.remove(&step.page);
        }
        let page = step.moved_to.unwrap_or(step.page);
        if page.starts_with("own/") && !step.deletes {
            self.pages.insert(page.clone());
        }
        let changed = answer["outcome"] != "unchanged" && !step.deletes;
        if let Some(version) = answer["version"].as_u64().filter(|_| changed && !page.is_empty()) {
            self.versions.push((page, version));
        }
    }
}

impl Drop for ChaosWorker<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.end(self.number, &Processes::new(super::WORKERS));
        }
    }
}

/// An operation to run.
struct Step {
    operation: &'static str,
    input: Value,
    page: String,
    mark: Option<String>,
    moved_to: Option<String>,
    deletes: bool,
    reads: bool,
}

impl Step {
    fn new(operation: &'static str, input: Value, page: &str) -> Step {
        Step {
            operation,
            input,
            page: page.to_owned(),
            mark: None,
            moved_to: None,
            deletes: false,
            reads: false,
        }
    }

    /// The operation writes this unique word.
    fn writing(self, mark: &str) -> Step {
        Step { mark: Some(mark.to_owned()), ..self }
    }
}

/// Returns the code of a refusal. In a run like this none should be anything but a conflict, a page that is gone, a file
/// that changed under the write, an unfinished merge of the person's, or, on a busy machine, a lock that others held for
/// ten seconds.
fn refusal(answer: &Value) -> String {
    let text = answer.to_string().replace('\\', "");
    let known = ["conflict", "not_found", "lint", "io", "exists", "diverged", "locked"];
    let code = known.iter().find(|code| text.contains(&format!("\"code\":\"{code}\"")));
    code.map(|code| (*code).to_owned()).unwrap_or_else(|| panic!("{text}"))
}

/// Asserts that no version of a page was reported twice, and that each worker sees versions rise.
pub fn assert_versions_rise(workers: &[ChaosWorker<'_>]) {
    let mut reported: BTreeSet<&(String, u64)> = BTreeSet::new();
    for worker in workers {
        let mut last: BTreeMap<&str, u64> = BTreeMap::new();
        for one in &worker.versions {
            let (page, version) = (one.0.as_str(), one.1);
            let before = last.insert(page, version).unwrap_or(0);
            assert!(version > before, "{page} went from version {before} to {version}");
            assert!(reported.insert(one), "{page} was at version {version} twice");
        }
    }
}
