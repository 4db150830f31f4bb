//! Looks for every acknowledged write in the files, the commits and the snapshots.

use std::collections::{BTreeMap, BTreeSet};

use super::worker::Journal;
use crate::invariants::tree;
use crate::sandbox::Sandbox;

/// Returns the unique words in some bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    bytes
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| word.len() > 4 && (word.starts_with(b"k") || word.starts_with(b"h")))
        .map(|word| String::from_utf8_lossy(word).into_owned())
}

/// Returns the words in the bytes of all snapshots.
fn snapshots(sandbox: &Sandbox) -> BTreeSet<String> {
    let database = rusqlite::Connection::open(sandbox.database()).expect("a database");
    let mut statement = database
        .prepare("SELECT bytes FROM snapshot UNION ALL SELECT bytes FROM author WHERE bytes IS NOT NULL")
        .expect("a ledger");
    let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).expect("rows");
    rows.flat_map(|bytes| words(&bytes.expect("bytes")).collect::<Vec<_>>()).collect()
}

/// Asserts that every word is somewhere, and counts where.
pub fn everything_kept(sandbox: &Sandbox, journals: &[&Journal]) -> BTreeMap<&'static str, usize> {
    let files: BTreeSet<String> = tree(sandbox).values().flat_map(|bytes| words(bytes)).collect();
    // Every object, also those that a rebase or a stash left without a name.
    let objects = sandbox.sh("git cat-file --batch --batch-all-objects --unordered").exits(0);
    let commits: BTreeSet<String> = words(&objects.out).collect();
    let snapshots = snapshots(sandbox);
    let mut counts = BTreeMap::new();
    let mut lost = Vec::new();
    for (mark, operation) in journals.iter().copied().flatten() {
        let place = if files.contains(mark) {
            "in files"
        } else if commits.contains(mark) {
            "in commits"
        } else if snapshots.contains(mark) {
            "in snapshots"
        } else {
            lost.push(format!("{mark} of {operation}"));
            "lost"
        };
        *counts.entry(place).or_default() += 1;
    }
    assert!(lost.is_empty(), "{} of {counts:?} are lost: {lost:#?}", lost.len());
    counts
}
