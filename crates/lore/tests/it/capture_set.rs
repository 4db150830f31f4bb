//! The labelled pairs of `lore capture` (`eval/capture`), run through the binary by the tests and `make bench`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Forbids writes, so that each text is compared with the pages of the set only.
const POLICY: &str = "name = \"pairs\"\n[[rule]]\npaths = [\"captures/**\"]\nallow = []\n";

/// Two texts and their relation.
struct Pair {
    /// `same` or `related`.
    label: String,
    /// The text of an existing page.
    page: String,
    /// The captured text.
    text: String,
}

/// Results of the captures with one model.
pub struct Shown {
    /// The model, or `none`.
    pub model: String,
    /// Number of pairs with the same meaning that were shown, and their total.
    pub same: (usize, usize),
    /// Number of pairs about one subject that were shown, and their total.
    pub related: (usize, usize),
    /// Number of shown pages that belong to other pairs.
    pub strange: usize,
}

/// Returns every pair.
fn pairs() -> Vec<Pair> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/capture/pairs.tsv");
    let text = fs::read_to_string(file).expect("eval/capture/pairs.tsv");
    let pair = |line: &str| {
        let mut parts = line.split('\t').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_else(|| panic!("three parts: {line}"));
        Pair { label: part(), page: part(), text: part() }
    };
    text.lines().map(pair).collect()
}

/// Creates a vault of all pages in a directory, captures each text and counts the similar pages that are shown.
pub fn shown(lore: &Path, below: &Path, models: &Path, model: &str) -> Shown {
    let (vault, pairs) = (below.join(format!("{model}-pairs")), pairs());
    fs::create_dir_all(&vault).expect("a folder");
    fs::write(vault.join("lore.toml"), POLICY).expect("a policy");
    let texts: BTreeSet<&str> = pairs.iter().map(|pair| pair.page.as_str()).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    for (number, text) in texts.iter().enumerate() {
        fs::write(vault.join(format!("p{number}.md")), page(text)).expect("a page");
    }
    let run = |arguments: &[&str], input: &str| {
        let mut command = Command::new(lore);
        command.args(arguments).current_dir(&vault).env_clear().stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        command.env("LORE_HOME", below.join(format!("{model}-home"))).env("HOME", below);
        command.env("LORE_MODEL", model).env("LORE_MODELS", models);
        let mut child = command.spawn().expect("lore runs");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
        String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text")
    };
    run(&["trust", "."], "");
    run(&["sync"], "");
    if model != "none" {
        run(&["embed"], "");
    }
    let lines = pairs.iter().map(|pair| {
        let call = json!({ "tool": "capture", "input": { "text": pair.text } });
        format!("{call}\n")
    });
    let answers = run(&["pipe"], &lines.collect::<String>());
    let mut shown = Shown { model: model.to_owned(), same: (0, 0), related: (0, 0), strange: 0 };
    assert_eq!(answers.lines().count(), pairs.len());
    for (pair, answer) in pairs.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        let similar = answer["result"]["similar"].as_array().cloned().unwrap_or_default();
        let slugs: Vec<&str> = similar.iter().filter_map(|one| one["slug"].as_str()).collect();
        let own = texts.iter().position(|text| *text == pair.page).map(|number| format!("p{number}"));
        let is_shown = slugs.iter().any(|slug| Some(*slug) == own.as_deref());
        let count = if pair.label == "same" { &mut shown.same } else { &mut shown.related };
        *count = (count.0 + usize::from(is_shown), count.1 + 1);
        shown.strange += slugs.iter().filter(|slug| Some(**slug) != own.as_deref()).count();
    }
    shown
}

/// Returns the page that a capture of this text would have created.
fn page(text: &str) -> String {
    let sentence = text.split(". ").next().unwrap_or(text).trim_end_matches('.');
    format!("---\ntitle: {}\n---\n# {sentence}\n\n{text}\n", json!(sentence))
}

impl Shown {
    /// Returns the share of shown pages that have the same meaning.
    pub fn precision(&self) -> f64 {
        let all = self.same.0 + self.related.0 + self.strange;
        if all == 0 { 1.0 } else { self.same.0 as f64 / all as f64 }
    }

    /// Returns the share of pages with the same meaning that were shown.
    pub fn recall(&self) -> f64 {
        self.same.0 as f64 / self.same.1.max(1) as f64
    }

    /// Returns both figures as one line.
    pub fn line(&self) -> String {
        let mut line = String::new();
        let _ = write!(
            line,
            "capture, labelled pairs, {:<17} {}/{} that say the same, {}/{} about one subject, {} others: \
             precision {:.3}, recall {:.3}",
            self.model,
            self.same.0,
            self.same.1,
            self.related.0,
            self.related.1,
            self.strange,
            self.precision(),
            self.recall()
        );
        line
    }
}
