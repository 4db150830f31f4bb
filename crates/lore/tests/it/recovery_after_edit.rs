//! A file edited by a person after the process changing it was killed and before the change was recovered: the edit
//! is kept byte for byte, the messages are true, and the rest of the change is atomic.

use std::fs;

use lore_vault::fault::POINTS;

use crate::crash_support::{self, CrashHarness, Scenario};
use crate::invariants::{
    Tree, assert_git_is_clean, assert_index_matches_rebuild, assert_no_leftovers, tree, uncommitted,
};

/// The line added by the person.
const LINE: &str = "\nA line of a person.\n";

/// Appends the line to a file, creating it if needed.
fn edit_by_hand(harness: &CrashHarness, path: &str) -> Vec<u8> {
    let full = harness.sandbox.vault().join(path);
    let mut bytes = fs::read(&full).unwrap_or_default();
    bytes.extend(LINE.bytes());
    harness.sandbox.write(path, &bytes);
    bytes
}

/// Returns the files that a scenario changes.
fn changed(harness: &CrashHarness) -> Vec<String> {
    let all: std::collections::BTreeSet<&String> = harness
        .before
        .files
        .keys()
        .chain(harness.after.files.keys())
        .filter(|path| !path.ends_with('/'))
        .collect();
    let differs = |path: &&&String| harness.before.files.get(**path) != harness.after.files.get(**path);
    all.iter().filter(differs).map(|path| (**path).clone()).collect()
}

/// Kills the change at every fault point, edits each of its files by hand, and calls `check` with a description, the
/// path and its bytes, and the stderr of the next command.
fn at_every_point(scenario: Scenario, check: impl Fn(&CrashHarness, &str, (&str, &[u8]), &str)) {
    let harness = CrashHarness::new(scenario);
    let paths = changed(&harness);
    let mut deaths = 0;
    for point in POINTS {
        for time in 1.. {
            let mut killed = false;
            for path in &paths {
                harness.reset();
                killed = harness.killed_at(&format!("{point}:{time}"));
                if !killed {
                    break;
                }
                deaths += 1;
                let bytes = edit_by_hand(&harness, path);
                let stderr = harness.next_command(&[]).exits(0).err;
                let what = format!("{point}:{time}, {path} edited, stderr {stderr:?}");
                check(&harness, &what, (path, &bytes), &stderr);
            }
            if !killed {
                break;
            }
        }
    }
    assert!(deaths >= 6, "only {deaths} changes were killed");
}

/// Returns the files except one, without directories: an undone change leaves its directories behind.
fn without(files: &Tree, path: &str) -> Tree {
    let others = files.iter().filter(|(name, _)| *name != path && !name.ends_with('/'));
    others.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

#[track_caller]
fn keeps_the_edit(harness: &CrashHarness, what: &str, (path, bytes): (&str, &[u8]), _stderr: &str) {
    assert_no_leftovers(&harness.sandbox, what);
    let now = tree(&harness.sandbox);
    let found = now.get(path).unwrap_or_else(|| panic!("{what}: the edit is gone"));
    assert_eq!(String::from_utf8_lossy(found), String::from_utf8_lossy(bytes), "{what}");
    let rest = without(&harness.observe().files, path);
    let whole = [&harness.before.files, &harness.after.files].iter().any(|all| without(all, path) == rest);
    assert!(whole, "{what}: half of the change is there: {:?}", rest.keys());
    assert_index_matches_rebuild(&harness.sandbox, what);
    let open = uncommitted(&harness.sandbox);
    assert!(open.is_empty() || open == [path], "{what}: not committed: {open:?}");
    assert_git_is_clean(&harness.sandbox, &open.iter().map(String::as_str).collect::<Vec<_>>(), what);
}

#[test]
fn edits_survive_a_killed_new_page() {
    at_every_point(crash_support::new_page(), keeps_the_edit);
}

#[test]
fn edits_survive_a_killed_edit() {
    at_every_point(crash_support::edit(), keeps_the_edit);
}

#[test]
fn edits_survive_a_killed_delete() {
    at_every_point(crash_support::delete(), keeps_the_edit);
}

#[test]
fn edits_survive_a_killed_move() {
    at_every_point(crash_support::move_with_links(), keeps_the_edit);
}

/// Asserts that the message is true: the edit only appends, so a change that was made is visible.
#[track_caller]
fn reports_correctly(harness: &CrashHarness, what: &str, (path, bytes): (&str, &[u8]), stderr: &str) {
    let of = |files: &Tree| [files.get(path).cloned().unwrap_or_default(), LINE.as_bytes().to_vec()].concat();
    let finished = stderr.contains("was completed");
    let undone = stderr.contains("was rolled back");
    assert!(!finished || bytes == of(&harness.after.files), "{what}: nothing was finished");
    assert!(!undone || bytes == of(&harness.before.files), "{what}: nothing was undone");
}

#[test]
fn recovery_of_an_edit_is_reported_correctly() {
    at_every_point(crash_support::edit(), reports_correctly);
}

#[test]
fn recovery_of_a_delete_is_reported_correctly() {
    at_every_point(crash_support::delete(), reports_correctly);
}

/// Asserts that the edit is not in a commit of the writer.
#[track_caller]
fn keeps_the_author(harness: &CrashHarness, what: &str, _file: (&str, &[u8]), _stderr: &str) {
    let log = "git log -S'A line of a person.' --format='%(trailers:key=Lore-Actor,valueonly)%s'";
    let commits = harness.sandbox.sh(log).exits(0).text();
    assert!(!commits.contains("tester"), "{what}: the edit is in a commit of the writer: {commits}");
}

#[test]
fn edits_are_not_attributed_to_the_writer() {
    at_every_point(crash_support::edit(), keeps_the_author);
}
