//! The labelled set of `lore check` (`eval/check`), run through the binary by the tests and `make bench`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A small vault and the findings a careful reader expects.
pub struct Case {
    /// The name of its file and of the case.
    pub name: String,
    policy: String,
    pages: Vec<(String, String)>,
    expected: BTreeSet<String>,
}

/// The result of a case.
pub struct Outcome {
    /// Name of the case.
    pub name: String,
    /// Expected findings, as `kind path:line path:line`.
    pub expected: BTreeSet<String>,
    /// Reported findings.
    pub found: BTreeSet<String>,
}

/// Returns the directory of the set.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/check")
}

/// Returns every case, in file order.
pub fn cases() -> Vec<Case> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).expect("eval/check").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cases"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a file of cases");
        let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
        for case in format!("\n{text}").split("\n## ").skip(1) {
            // A heading of a page can look like the start of a case.
            match case.lines().next().is_some_and(|name| name.contains(' ')) {
                true => add_to_last(&mut cases, case),
                false => cases.push(case.to_owned()),
            }
        }
        let named = cases.len();
        for case in cases.iter_mut().take(named) {
            if !case.contains('\0') {
                *case = format!("{stem}\0{case}");
            }
        }
    }
    cases.iter().map(|case| read(case)).collect()
}

fn add_to_last(cases: &mut [String], rest: &str) {
    if let Some(last) = cases.last_mut() {
        let _ = write!(last, "\n## {rest}");
    }
}

fn read(text: &str) -> Case {
    let (stem, text) = text.split_once('\0').expect("a file's name");
    let mut parts = text.split("\n=== ");
    let head = parts.next().unwrap_or_default();
    let name = format!("{stem}/{}", head.lines().next().unwrap_or_default());
    let mut case = Case { name, policy: String::new(), pages: Vec::new(), expected: BTreeSet::new() };
    for part in parts {
        let (what, rest) = part.split_once('\n').unwrap_or((part, ""));
        match what.split_once(' ') {
            None => case.policy = rest.to_owned(),
            Some(("page", path)) => case.pages.push((path.to_owned(), format!("{}\n", rest.trim_end()))),
            Some(("expect", finding)) => {
                case.expected.insert(in_order(finding));
            }
            _ => panic!("{}: unknown section {what:?}", case.name),
        }
    }
    assert!(!case.pages.is_empty(), "{} has no page", case.name);
    case
}

/// Sorts the places of a finding, since their order has no meaning.
fn in_order(finding: &str) -> String {
    let mut words: Vec<&str> = finding.split_whitespace().collect();
    words[1..].sort_unstable();
    words.join(" ")
}

impl Case {
    /// Creates the vault in a directory and runs `lore check`.
    pub fn run(&self, lore: &Path, below: &Path) -> Outcome {
        let root = below.join(self.name.replace('/', "-"));
        let vault = root.join("vault");
        fs::create_dir_all(&vault).expect("a folder");
        fs::write(vault.join("lore.toml"), format!("name = \"case\"\n{}", self.policy)).expect("a policy");
        for (path, text) in &self.pages {
            let path = vault.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a page");
        }
        let answer = run_check(lore, &root, &self.name);
        let found = answer["findings"].as_array().expect("findings").iter().map(shown).collect();
        Outcome { name: self.name.clone(), expected: self.expected.clone(), found }
    }
}

/// Trusts the vault below a directory and runs `lore check` in it.
pub fn run_check(lore: &Path, root: &Path, name: &str) -> Value {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(lore);
        command.args(arguments).current_dir(root.join("vault")).env_clear();
        command.env("LORE_HOME", root.join("home")).env("HOME", root).env("TZ", "UTC");
        command.env("LORE_NOW", "2026-11-01T12:00:00Z");
        command.output().expect("lore runs")
    };
    run(&["trust", "."]);
    let output = run(&["check", "--json"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{name}: {stderr}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn shown(finding: &Value) -> String {
    let places = finding["places"].as_array().expect("places");
    let place = |place: &Value| format!("{}:{}", place["path"].as_str().expect("a path"), place["line"]);
    let places: Vec<String> = places.iter().map(place).collect();
    in_order(&format!("{} {}", finding["kind"].as_str().expect("a kind"), places.join(" ")))
}

impl Outcome {
    /// Returns the missing findings and false alarms, if any.
    pub fn wrong(&self) -> Option<String> {
        let missing: Vec<String> =
            self.expected.difference(&self.found).map(|one| format!("  - {one}")).collect();
        let false_alarms = self.found.difference(&self.expected).map(|one| format!("  + {one}"));
        let lines: Vec<String> = missing.into_iter().chain(false_alarms).collect();
        (!lines.is_empty()).then(|| format!("{}\n{}", self.name, lines.join("\n")))
    }
}

/// Returns precision and recall over all findings.
pub fn accuracy(outcomes: &[Outcome]) -> (f64, f64) {
    let count = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    let right = count(|one| one.expected.intersection(&one.found).count());
    let share = |whole: usize| if whole == 0 { 1.0 } else { right as f64 / whole as f64 };
    (share(count(|one| one.found.len())), share(count(|one| one.expected.len())))
}

/// Formats precision and recall by kind and overall as a table.
pub fn table(title: &str, outcomes: &[Outcome]) -> String {
    let kind = |finding: &String| finding.split(' ').next().unwrap_or_default().to_owned();
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for outcome in outcomes {
        let mut count = |findings: Vec<&String>, at: usize| {
            for finding in findings {
                counts.entry(kind(finding)).or_default()[at] += 1;
                counts.entry("~ all".into()).or_default()[at] += 1;
            }
        };
        count(outcome.expected.intersection(&outcome.found).collect(), 0);
        count(outcome.found.difference(&outcome.expected).collect(), 1);
        count(outcome.expected.difference(&outcome.found).collect(), 2);
    }
    let quiet = outcomes.iter().filter(|outcome| outcome.expected.is_empty()).count();
    let mut text = format!("check, {title}: {} cases, {quiet} of them without a finding\n", outcomes.len());
    for (kind, [right, false_alarms, missed]) in counts {
        let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        let (precision, recall) = (share(right, right + false_alarms), share(right, right + missed));
        let kind = kind.trim_start_matches("~ ");
        let _ = writeln!(
            text,
            "  {kind:<20} {right:>3} right, {false_alarms} false, {missed} missed: precision {precision:.3}, recall {recall:.3}"
        );
    }
    text
}
