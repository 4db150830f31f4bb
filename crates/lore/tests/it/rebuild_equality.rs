//! Files are the truth: every operation on a rich vault gives the same answer, ids included, after its database was
//! deleted and rebuilt, although the pages were first indexed in another order.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// The time of every command.
const NOW: &str = "2026-11-15T12:00:00Z";

fn lore(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.command(arguments).env("LORE_NOW", NOW).output().expect("lore runs").into()
}

fn run_json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    lore(sandbox, arguments).exits(0).json()
}

/// Copies a directory of the sample vault.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the sample vault") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("a copy")),
        }
    }
}

/// Creates the sample vault with dated links, facts, contradictions, statuses and gaps added through Lore. Its
/// directories are indexed one by one, in reverse order.
fn rich_vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    lore(&sandbox, &["init", "--profile", "brain", "--no-git"]).ok();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/brain");
    let mut folders: Vec<_> =
        fs::read_dir(&sample).expect("folders").map(|one| one.expect("one").path()).collect();
    folders.sort();
    for folder in folders.iter().rev() {
        copy(folder, &sandbox.vault().join(folder.file_name().expect("a name")));
        lore(&sandbox, &["sync"]).ok();
    }
    change(&sandbox);
    sandbox
}

fn change(sandbox: &Sandbox) {
    // Two pages that differ only in their path; the later one is indexed first.
    for folder in ["zz", "aa"] {
        sandbox.write(
            &format!("{folder}/twin.md"),
            "- works_at [[Kilnlight]] {2020..}\n- tie_break:: none {2020..}\n",
        );
        lore(sandbox, &["sync"]).ok();
    }
    let link = ["link", "people/eleni-stavrakou", "companies/varmholt", "--relationship"];
    run_json(
        sandbox,
        &[&link[..], &["advises", "--valid-from", "2026-04", "--context", "one day a month"]].concat(),
    );
    let ended = run_json(
        sandbox,
        &["link", "Casper Lindegaard", "Kilnlight", "--relationship", "visited", "--valid-from", "2024"],
    );
    let id = ended["link"]["id"].to_string();
    run_json(sandbox, &["link-close", &id, "--valid-until", "2024-06-30"]);
    run_json(
        sandbox,
        &[
            "link",
            "companies/varmholt",
            "companies/kilnlight",
            "--relationship",
            "contradicts",
            "--context",
            "who was first",
        ],
    );
    run_json(
        sandbox,
        &["link", "ideas/greenhouse-heat", "ideas/greenhouse-sites", "--relationship", "supersedes"],
    );
    run_json(
        sandbox,
        &["fact-add", "Dmitri Havelaar", "role", "CTO", "--valid-from", "2026-11-01", "--source", "call"],
    );
    run_json(
        sandbox,
        &[
            "fact-add",
            "meetings/2026-09-22-autumn-offsite",
            "lives_in",
            "Delft",
            "--subject",
            "Dmitri Havelaar",
        ],
    );
    run_json(
        sandbox,
        &["timeline-add", "Kilnlight", "--date", "2026-11-10", "--summary", "Second crane ordered"],
    );
    run_json(sandbox, &["tag", "Varmholt", "watch"]);
    run_json(sandbox, &["set-status", "concepts/basalt-bed", "active"]);
    run_json(sandbox, &["mv", "companies/tarnholm-paper", "companies/tarnholm"]);
    lore(sandbox, &["lint", "--fix", "--links"]).exits(0);
    lore(sandbox, &["gap", "add", "who insures the bricks?"]).ok();
}

/// Runs every query, as `(query, answer)`.
fn answers(sandbox: &Sandbox) -> Vec<(String, Value)> {
    let pages = run_json(sandbox, &["list", "--limit", "1000", "--sort", "title"]);
    let pages = pages["pages"].as_array().expect("pages").iter();
    let mut slugs: Vec<String> =
        pages.map(|page| page["slug"].as_str().expect("a slug").to_owned()).collect();
    slugs.sort();
    assert!(slugs.len() > 40);
    let mut questions: Vec<Vec<&str>> = vec![
        vec!["facts", "--temporal", "all"],
        vec!["facts", "--as-of", "2024-06"],
        vec!["facts", "--since", "90d"],
        vec!["check", "--all", "--include-resolved"],
        vec!["stale"],
        vec!["context"],
        vec!["context", "--recent", "--limit", "20"],
        vec!["context", "--namespace", "people"],
        vec!["tags"],
        vec!["timeline", "--limit", "500"],
        vec!["path", "Friederike Wendelstedt", "Shen Yulan"],
        vec!["path", "Casper Lindegaard", "Gerrit Molenkamp"],
        vec!["path", "Noor Benhaddou", "Rafael Montclair"],
        vec!["query", "who works at Kilnlight", "--limit", "20"],
        vec!["query", "who works at Kilnlight", "--as-of", "2024-01-01"],
        vec!["query", "cracked bricks", "--mode", "lexical"],
        vec!["search", "headquarters", "--kind", "fact"],
        vec!["search", "tie break", "--kind", "fact"],
        vec!["search", "heat", "--limit", "50"],
        vec!["compact", "--plan"],
        vec!["curate", "--dry-run", "--limit", "1000"],
    ];
    for slug in &slugs {
        questions.push(vec!["links", slug]);
        questions.push(vec!["backlinks", slug, "--temporal", "all"]);
        questions.push(vec!["timeline", slug]);
    }
    for slug in ["companies/kilnlight", "people/gerrit-molenkamp", "ideas/greenhouse-heat"] {
        questions.push(vec!["graph", slug, "--depth", "3", "--temporal", "all"]);
        questions.push(vec!["graph", slug, "--depth", "2", "--as-of", "2024-06-01"]);
    }
    let answer = |question: &Vec<&str>| {
        let ran = lore(sandbox, question);
        assert!(ran.code <= 1 && ran.err.is_empty(), "{question:?}: {ran:?}");
        (question.join(" "), ran.json())
    };
    questions.iter().map(answer).collect()
}

/// Removes what only the ledger holds: resolved findings, open gaps, versions.
fn without_ledger(answers: &[(String, Value)]) -> Vec<(String, Value)> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for key in ["resolved", "unresolved", "gaps", "version"] {
                    fields.remove(key);
                }
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => {
                items.retain(|item| !item.as_str().is_some_and(|text| text.contains("unanswered question")));
                items.iter_mut().for_each(strip);
            }
            _ => {}
        }
    }
    let stripped = |(question, answer): &(String, Value)| {
        let mut answer = answer.clone();
        // Resolved findings are not listed, so the list differs.
        if question.starts_with("curate") {
            answer["findings"] = Value::Null;
        }
        if question.starts_with("context") {
            answer["tokens"] = Value::Null;
        }
        // When a truth changed is known from the ledger, since this vault is not a repository.
        if let Some(findings) = answer["findings"].as_array_mut() {
            findings.retain(|finding| finding["kind"] != "truth_behind");
        }
        strip(&mut answer);
        (question.clone(), answer)
    };
    answers.iter().map(stripped).collect()
}

#[track_caller]
fn assert_same(before: &[(String, Value)], after: &[(String, Value)]) {
    let differs = |((question, before), (_, after)): (&(String, Value), &(String, Value))| {
        (before != after).then(|| format!("{question}\n  was {before}\n  is  {after}"))
    };
    let short = |text: String| text.chars().take(2000).collect::<String>();
    let wrong: Vec<String> = before.iter().zip(after).filter_map(differs).map(short).collect();
    assert!(wrong.is_empty(), "{} answers differ\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
    assert_eq!(before.len(), after.len());
}

#[test]
fn rebuilt_database_gives_the_same_answers() {
    let sandbox = rich_vault();
    let found = run_json(&sandbox, &["check", "--all"]);
    let id = found["findings"][0]["id"].as_str().expect("an id");
    let unresolved = answers(&sandbox);
    lore(&sandbox, &["check", "--resolve", id]).ok();
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", sandbox.database().display()));
    }
    assert!(!sandbox.database().exists());
    lore(&sandbox, &["sync"]).ok();
    // Findings are unresolved again and the gap is gone, since the ledger is lost; nothing else changes.
    assert_same(&without_ledger(&unresolved), &without_ledger(&answers(&sandbox)));
    assert_eq!(run_json(&sandbox, &["check", "--all"])["resolved"], 0);
    lore(&sandbox, &["gaps"]).exits(1);
    lore(&sandbox, &["validate", "--all"]).ok();
}

#[test]
fn rebuilt_index_with_its_ledger_loses_nothing() {
    let sandbox = rich_vault();
    let found = run_json(&sandbox, &["check", "--all"]);
    let id = found["findings"][0]["id"].as_str().expect("an id");
    lore(&sandbox, &["check", "--resolve", id]).ok();
    let before = answers(&sandbox);
    // A policy change that affects indexing empties the index and keeps the ledger.
    let policy = String::from_utf8(sandbox.read("lore.toml")).expect("text");
    sandbox.write("lore.toml", policy.replace("[types]\n", "[types]\nnowhere = \"nothing\"\n"));
    let synced = run_json(&sandbox, &["sync"]);
    assert!(synced["added"].as_array().is_some_and(|added| added.len() > 40), "{synced}");
    assert_same(&before, &answers(&sandbox));
    assert_eq!(run_json(&sandbox, &["check", "--all"])["resolved"], 1);
    assert_eq!(run_json(&sandbox, &["gaps"])["open"], json!(1));
}
