//! A sync that is suspended between reading the files and writing the index, while other processes write: versions never
//! go back, and no page takes the place of another.

use serde_json::Value;

use crate::concurrency::repository;
use crate::hand_edits::suspended_at;
use crate::invariants::{assert_index_matches_rebuild, assert_no_leftovers};
use crate::sandbox::Sandbox;

/// Runs `lore sync`, suspended with its plan made while `meanwhile` runs; returns its report.
#[track_caller]
fn sync_after(sandbox: &Sandbox, meanwhile: impl FnOnce()) -> Value {
    let mut command = sandbox.command(&["sync"]);
    command.env("LORE_FAULT", "stop@planned");
    let ran = suspended_at(sandbox, &mut command, b"", meanwhile).expect("it was suspended");
    let report = ran.exits(0).json();
    sandbox.sync();
    assert_no_leftovers(sandbox, "after the sync");
    assert_index_matches_rebuild(sandbox, "after the sync");
    report
}

fn put(sandbox: &Sandbox, slug: &str, text: &str) -> u64 {
    sandbox.pipe(&["put", slug], text.as_bytes()).exits(0).json()["version"].as_u64().expect("a version")
}

fn version(sandbox: &Sandbox, slug: &str) -> u64 {
    sandbox.run(&["get", slug, "--json"]).exits(0).json()["version"].as_u64().expect("a version")
}

fn snapshots(sandbox: &Sandbox, slug: &str) -> usize {
    let history = sandbox.run(&["history", slug]).exits(0).json();
    history["snapshots"].as_array().expect("a list").len()
}

#[test]
fn page_deleted_and_written_again_keeps_its_version_and_history() {
    let sandbox = repository();
    put(&sandbox, "z", "one\n");
    put(&sandbox, "z", "two\n");
    sandbox.write("z.md", "by hand\n");
    let mut last = 0;
    let report = sync_after(&sandbox, || {
        sandbox.run(&["rm", "z", "--yes"]).exits(0);
        put(&sandbox, "other", "other\n");
        last = put(&sandbox, "z", "three\n");
    });
    assert!(last > 3, "the new page continues: {last}");
    assert_eq!(report["moved"].as_array().map_or(0, Vec::len), 0, "{report}");
    assert_eq!((version(&sandbox, "z"), version(&sandbox, "other")), (last, 1));
    assert_eq!(
        snapshots(&sandbox, "z"),
        3,
        "of `one`, of `two`, which was overwritten, and of the edit by hand"
    );
    assert_eq!(sandbox.read("z.md"), b"three\n");
    assert_eq!(put(&sandbox, "z", "four\n"), last + 1);
}

#[test]
fn move_is_not_taken_for_one_when_the_old_file_is_back() {
    let sandbox = repository();
    put(&sandbox, "old", "text\n");
    sandbox.sh("mv old.md new.md").exits(0);
    let report = sync_after(&sandbox, || {
        put(&sandbox, "old", "written again\n");
    });
    assert_eq!(report["moved"].as_array().map_or(0, Vec::len), 0, "{report}");
    assert_eq!(version(&sandbox, "old"), 2);
    assert_eq!(version(&sandbox, "new"), 1);
}

#[test]
fn move_is_not_taken_for_one_when_the_new_path_has_a_page() {
    let sandbox = repository();
    put(&sandbox, "old", "text\n");
    put(&sandbox, "old", "same\n");
    sandbox.sh("mv old.md new.md").exits(0);
    let mut last = 0;
    sync_after(&sandbox, || {
        put(&sandbox, "new", "one\n");
        put(&sandbox, "new", "two\n");
        last = put(&sandbox, "new", "three\n");
    });
    assert!(version(&sandbox, "new") >= last, "{last}");
    assert_eq!(sandbox.read("new.md"), b"three\n");
    sandbox.run(&["get", "old"]).exits(1);
}

#[test]
fn file_changed_after_the_plan_is_read_again() {
    let sandbox = repository();
    put(&sandbox, "old", "text\n");
    sandbox.sh("mv old.md new.md").exits(0);
    let report = sync_after(&sandbox, || sandbox.write("new.md", "another text\n"));
    assert_eq!(report["moved"].as_array().map_or(0, Vec::len), 0, "{report}");
    assert_eq!(sandbox.search("another"), ["new"]);
}

#[test]
fn versions_of_a_path_never_repeat() {
    let sandbox = repository();
    let mut versions = Vec::new();
    for _ in 0..3 {
        versions.push(put(&sandbox, "a", "same text\n"));
        sandbox.run(&["rm", "a", "--yes"]).exits(0);
    }
    put(&sandbox, "b", "other\n");
    sandbox.run(&["mv", "b", "a"]).exits(0);
    versions.push(version(&sandbox, "a"));
    sandbox.run(&["mv", "a", "c"]).exits(0);
    versions.push(put(&sandbox, "a", "other\n"));
    sandbox.sh("mv a.md d.md && lore sync && mv d.md a.md && lore sync").exits(0);
    versions.push(version(&sandbox, "a"));
    assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");
}
