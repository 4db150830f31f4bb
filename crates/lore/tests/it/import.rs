//! `lore import` and `lore export`: sources come in whole or not at all, and can be taken out again byte for byte.

mod archives;
mod basic_memory;
mod changes;
mod hostile;
mod memories;
mod notes;
mod packs;
mod round_trip;
mod samples;
mod transcripts;
mod watch;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// Writes files outside the vault, below `root`.
fn tree(sandbox: &Sandbox, root: &str, files: &[(&str, &[u8])]) {
    for (path, bytes) in files {
        let full = sandbox.root.join(root).join(path);
        fs::create_dir_all(full.parent().expect("a parent")).expect("folders");
        fs::write(full, bytes).expect("a file");
    }
}

/// Returns every file and empty directory below a directory with its bytes, hidden ones too.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
        let name = |path: &Path| path.strip_prefix(root).expect("inside").display().to_string();
        if entries.is_empty() {
            found.insert(format!("{}/", name(&folder)), Vec::new());
        }
        for entry in entries {
            match entry.file_type().expect("a type").is_dir() {
                true => folders.push(entry.path()),
                false => drop(found.insert(name(&entry.path()), fs::read(entry.path()).expect("readable"))),
            }
        }
    }
    found
}

#[track_caller]
fn import(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    sandbox.run(&[&["import"], arguments].concat()).ok().json()
}

#[track_caller]
fn export(sandbox: &Sandbox, to: &str, arguments: &[&str]) -> Ran {
    let target = sandbox.root.join(to).display().to_string();
    sandbox.run(&[&["export", "--dir", &target], arguments].concat())
}

/// Returns the paths of a list of an import's output.
fn paths(output: &Value, list: &str) -> Vec<String> {
    let items = output[list].as_array().expect(list).iter();
    items.map(|item| item["path"].as_str().expect("a path").to_owned()).collect()
}

fn reason(output: &Value, list: &str, path: &str) -> String {
    let items = output[list].as_array().expect(list);
    let found = items.iter().find(|item| item["path"] == path);
    found.unwrap_or_else(|| panic!("{path} is not among {items:?}"))["reason"]
        .as_str()
        .expect("text")
        .to_owned()
}
