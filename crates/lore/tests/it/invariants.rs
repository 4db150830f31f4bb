//! Invariants that hold after every test: no leftover files, an index equal to a rebuilt one, a clean repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// File contents by path from the vault root. A directory's path ends in `/`, a symlink's in `@`.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// Returns everything in the vault except its repository.
pub fn tree(sandbox: &Sandbox) -> Tree {
    let mut found = Tree::new();
    collect(&sandbox.vault(), "", &mut found);
    found
}

fn collect(folder: &Path, at: &str, found: &mut Tree) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = format!("{at}{}", entry.file_name().to_string_lossy());
        if path == ".git" {
            continue;
        }
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), found);
            found.insert(format!("{path}/"), Vec::new());
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).expect("a link");
            found.insert(format!("{path}@"), target.to_string_lossy().into_owned().into_bytes());
        } else {
            found.insert(path, fs::read(entry.path()).expect("readable"));
        }
    }
}

/// Runs operations in one process and returns their results.
#[track_caller]
pub fn ask(sandbox: &Sandbox, home: &str, questions: &[Value]) -> Vec<Value> {
    if home != "home" {
        sandbox.trust_in(home);
    }
    let input: String = questions.iter().map(|question| format!("{question}\n")).collect();
    fs::write(sandbox.root.join("questions"), input).expect("a file");
    let mut command = sandbox.command(&["--quiet", "pipe"]);
    command.env("LORE_HOME", sandbox.root.join(home));
    command.stdin(fs::File::open(sandbox.root.join("questions")).expect("a file"));
    let ran = Ran::from(command.output().expect("lore runs")).exits(0);
    let answers: Vec<Value> =
        ran.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), questions.len(), "{ran:?}");
    answers
}

/// Returns the pages in the index of a home.
#[track_caller]
pub fn pages(sandbox: &Sandbox, home: &str) -> Vec<Value> {
    let list = json!({ "tool": "list", "input": { "limit": 10_000, "sort": "title" } });
    let answer = ask(sandbox, home, &[list]).remove(0);
    let mut pages = answer["result"]["pages"].as_array().expect("pages").clone();
    pages.sort_by_key(|page| page["path"].to_string());
    pages
}

/// Returns everything the index of a home holds about the files, without versions.
#[track_caller]
pub fn knowledge(sandbox: &Sandbox, home: &str) -> Vec<Value> {
    let mut pages = pages(sandbox, home);
    let mut questions = vec![json!({ "tool": "stats" }), json!({ "tool": "tags" })];
    for word in ["zeppelin", "harbour", "marker", "the"] {
        questions.push(json!({ "tool": "search", "input": { "query": word, "limit": 10_000 } }));
    }
    for page in &pages {
        for tool in ["links", "backlinks"] {
            let input = json!({ "reference": page["path"], "temporal": "all" });
            questions.push(json!({ "tool": tool, "input": input }));
        }
    }
    let mut known = ask(sandbox, home, &questions);
    // Data that only the ledger holds is not rebuilt; when a truth changed is known from it, too.
    for key in ["database_bytes", "open_gaps", "resolved_gaps", "imports", "contradictions"] {
        known[0]["result"][key] = Value::Null;
    }
    for answer in &mut known {
        // The ledger keeps the id of a moved page, and link ids derive from it.
        for link in answer["result"]["links"].as_array_mut().into_iter().flatten() {
            link["id"] = Value::Null;
        }
        if let Some(hits) = answer["result"]["hits"].as_array_mut() {
            hits.sort_by_key(|hit| hit["slug"].to_string());
            // Equally good hits may come in any order, and only the first are judged by their passages.
            for hit in hits {
                (hit["confidence"], hit["verdict"]) = (Value::Null, Value::Null);
            }
        }
    }
    for page in &mut pages {
        page["version"] = Value::Null;
        // For a file younger than two seconds the index stores only an approximate time.
        page["updated"] = Value::Null;
    }
    known.push(pages.into());
    known
}

/// Asserts that a write left nothing behind, in the vault or next to the database.
#[track_caller]
pub fn assert_no_leftovers(sandbox: &Sandbox, what: &str) {
    let left: Vec<String> =
        tree(sandbox).into_keys().filter(|path| path.contains("staging") || path.contains(".tmp")).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
    for entry in fs::read_dir(sandbox.root.join("home")).expect("a folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let own = ["config.toml", "tokens.toml", "state", "lore.db", "lore.db-wal", "lore.db-shm"]
            .contains(&&*name);
        assert!(own, "{what}: {name} is next to the database");
    }
}

/// Asserts that the index is valid and equals a rebuilt one.
#[track_caller]
pub fn assert_index_matches_rebuild(sandbox: &Sandbox, what: &str) {
    let validated = sandbox.run(&["validate", "--all"]);
    assert!(validated.code == 0 && validated.json()["problems"] == json!([]), "{what}: {validated:?}");
    fs::remove_dir_all(sandbox.root.join("fresh")).ok();
    let (known, rebuilt) = (knowledge(sandbox, "home"), knowledge(sandbox, "fresh"));
    for (known, rebuilt) in known.iter().zip(&rebuilt) {
        assert_eq!(known, rebuilt, "{what}: the index differs from a rebuilt one");
    }
    assert_eq!(known.len(), rebuilt.len(), "{what}");
}

/// Asserts that the repository is valid and that only these files differ from the last commit.
#[track_caller]
pub fn assert_git_is_clean(sandbox: &Sandbox, dirty: &[&str], what: &str) {
    let checked = sandbox.sh("git fsck --strict 2>&1");
    let output = checked.text();
    // Dangling blobs of a commit that was never made are harmless.
    let bad: Vec<&str> = output.lines().filter(|line| !line.starts_with("dangling ")).collect();
    assert!(checked.code == 0 && bad.is_empty(), "{what}: {output}");
    assert_eq!(uncommitted(sandbox), dirty, "{what}: these files differ from the last commit");
}

/// Returns the files that differ from the last commit.
#[track_caller]
pub fn uncommitted(sandbox: &Sandbox) -> Vec<String> {
    let status = sandbox.sh("git status --porcelain -uall").exits(0).text();
    status.lines().map(|line| line[3..].trim_matches('"').to_owned()).collect()
}
