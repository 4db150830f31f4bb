//! Labelled sentences for `lore check` (`eval/check/*.prose`): prose that states the end of an open relation, and prose
//! that does not. All lines of a file are pages of one vault, so names of other pages are in the way as in a real one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::check_set::{Outcome, folder, run_check};

/// A file of sentences that only measure the grammar. They were written together with the others.
pub const HELD_OUT: &str = "endings-held-out";

/// A file of sentences that the grammar was adjusted to.
pub const ENDINGS: &str = "endings";

/// Runs the sentences of a file and returns the outcome of each.
pub fn sentences(file: &str, lore: &Path, below: &Path) -> Vec<Outcome> {
    let path = folder().join(format!("{file}.prose"));
    let text = fs::read_to_string(&path).expect("a file of sentences");
    let lines: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let root = below.join(file);
    let vault = root.join("vault");
    let write = |path: String, text: String| {
        let path = vault.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a page");
    };
    write("lore.toml".into(), "name = \"case\"\n".into());
    let page = |title: &str, kind: &str| format!("---\ntitle: {title}\ntype: {kind}\n---\n");
    for (number, line) in lines.iter().enumerate() {
        let [_, person, relation, text, others @ ..] = line.as_slice() else { panic!("{line:?}") };
        let (verb, rest) = relation.split_once(' ').expect("a relation");
        let (target, dates) = rest.split_once(" {").unwrap_or((rest, ""));
        let dates = if dates.is_empty() { String::new() } else { format!(" {{{dates}") };
        let mut own = page(person, "person");
        let _ = write!(own, "- {verb} [[{target}]]{dates}\n\n{}\n", text.replace("\\n", "\n"));
        write(person_path(number), own);
        write(format!("companies/{number:03}.md"), page(target, "company"));
        for (nth, other) in others.iter().enumerate() {
            write(format!("people/{number:03}-{nth}.md"), page(other, "person"));
        }
    }
    let answer = run_check(lore, &root, file);
    let findings = answer["findings"].as_array().expect("findings");
    lines.iter().enumerate().map(|(number, line)| outcome(file, number, line, findings)).collect()
}

fn person_path(number: usize) -> String {
    format!("people/{number:03}.md")
}

fn outcome(file: &str, number: usize, line: &[&str], findings: &[Value]) -> Outcome {
    let path = person_path(number);
    let on_page = |finding: &&Value| {
        finding["places"].as_array().expect("places").iter().any(|place| place["path"] == path.as_str())
    };
    let kind = |finding: &Value| format!("{} {path}", finding["kind"].as_str().expect("a kind"));
    let expected = match line[0] {
        "yes" => BTreeSet::from([format!("said_to_have_ended {path}")]),
        "no" => BTreeSet::new(),
        other => panic!("{other:?} is neither yes nor no"),
    };
    Outcome {
        name: format!("{file}/{number}: {}", line[3]),
        expected,
        found: findings.iter().filter(on_page).map(kind).collect(),
    }
}
