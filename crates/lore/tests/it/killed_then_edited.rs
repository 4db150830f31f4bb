//! A person who edits a file of a change whose process died, before anybody has recovered it: what they wrote stays
//! to the last byte, what is said is true, and the rest of the change is there or not.

use std::fs;

use lore_engine::fault::POINTS;

use crate::aftermath::{Tree, git_is_sound, index_is_true, nothing_left_over, tree, uncommitted};
use crate::stage::{self, Stage, Story};

/// What the person adds.
const LINE: &str = "\nA line of a person.\n";

/// Adds to a file, or writes it where it is not there.
fn edit_by_hand(stage: &Stage, path: &str) -> Vec<u8> {
    let full = stage.sandbox.vault().join(path);
    let mut bytes = fs::read(&full).unwrap_or_default();
    bytes.extend(LINE.bytes());
    stage.sandbox.write(path, &bytes);
    bytes
}

/// The files that a story changes.
fn changed(stage: &Stage) -> Vec<String> {
    let all: std::collections::BTreeSet<&String> = stage
        .before
        .files
        .keys()
        .chain(stage.after.files.keys())
        .filter(|path| !path.ends_with('/'))
        .collect();
    let differs = |path: &&&String| stage.before.files.get(**path) != stage.after.files.get(**path);
    all.iter().filter(differs).map(|path| (**path).clone()).collect()
}

/// Lets the change die at every point and somebody edit each of its files, and looks at what is left with `check`:
/// what happened, the path and what is in it, and what the next command said.
fn at_every_point(story: Story, check: impl Fn(&Stage, &str, (&str, &[u8]), &str)) {
    let stage = Stage::new(story);
    let paths = changed(&stage);
    let mut deaths = 0;
    for point in POINTS {
        for time in 1.. {
            let mut killed = false;
            for path in &paths {
                stage.reset();
                killed = stage.dies(&format!("{point}:{time}"));
                if !killed {
                    break;
                }
                deaths += 1;
                let bytes = edit_by_hand(&stage, path);
                let told = stage.next(&[]).exits(0).err;
                let what = format!("{point}:{time}, {path} edited, told {told:?}");
                check(&stage, &what, (path, &bytes), &told);
            }
            if !killed {
                break;
            }
        }
    }
    assert!(deaths >= 6, "only {deaths} died");
}

/// The files but one, and without folders: those of a change that was undone stay.
fn without(files: &Tree, path: &str) -> Tree {
    let others = files.iter().filter(|(name, _)| *name != path && !name.ends_with('/'));
    others.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

#[track_caller]
fn keeps_the_edit(stage: &Stage, what: &str, (path, bytes): (&str, &[u8]), _told: &str) {
    nothing_left_over(&stage.sandbox, what);
    let now = tree(&stage.sandbox);
    let found = now.get(path).unwrap_or_else(|| panic!("{what}: what they wrote is gone"));
    assert_eq!(String::from_utf8_lossy(found), String::from_utf8_lossy(bytes), "{what}");
    let rest = without(&stage.seen().files, path);
    let whole = [&stage.before.files, &stage.after.files].iter().any(|all| without(all, path) == rest);
    assert!(whole, "{what}: half of the change is there: {:?}", rest.keys());
    index_is_true(&stage.sandbox, what);
    let open = uncommitted(&stage.sandbox);
    assert!(open.is_empty() || open == [path], "{what}: not committed: {open:?}");
    git_is_sound(&stage.sandbox, &open.iter().map(String::as_str).collect::<Vec<_>>(), what);
}

#[test]
fn nothing_of_theirs_is_lost_after_a_new_page() {
    at_every_point(stage::new_page(), keeps_the_edit);
}

#[test]
fn nothing_of_theirs_is_lost_after_an_edit() {
    at_every_point(stage::edit(), keeps_the_edit);
}

#[test]
fn nothing_of_theirs_is_lost_after_a_delete() {
    at_every_point(stage::delete(), keeps_the_edit);
}

#[test]
fn nothing_of_theirs_is_lost_after_a_move() {
    at_every_point(stage::move_with_links(), keeps_the_edit);
}

/// They only add to the file, so a change that was made shows in it.
#[track_caller]
fn tells_the_truth(stage: &Stage, what: &str, (path, bytes): (&str, &[u8]), told: &str) {
    let of = |files: &Tree| [files.get(path).cloned().unwrap_or_default(), LINE.as_bytes().to_vec()].concat();
    let finished = told.contains("was completed");
    let undone = told.contains("was rolled back");
    assert!(!finished || bytes == of(&stage.after.files), "{what}: nothing was finished");
    assert!(!undone || bytes == of(&stage.before.files), "{what}: nothing was undone");
}

#[test]
fn what_is_said_of_an_edit_is_true() {
    at_every_point(stage::edit(), tells_the_truth);
}

#[test]
fn what_is_said_of_a_delete_is_true() {
    at_every_point(stage::delete(), tells_the_truth);
}

/// A commit says who made it.
#[track_caller]
fn keeps_the_author(stage: &Stage, what: &str, _file: (&str, &[u8]), _told: &str) {
    let log = "git log -S'A line of a person.' --format='%(trailers:key=Lore-Actor,valueonly)%s'";
    let said = stage.sandbox.sh(log).exits(0).text();
    assert!(!said.contains("tester"), "{what}: their line is in a commit of the writer: {said}");
}

#[test]
fn what_they_wrote_is_not_committed_in_the_name_of_the_writer() {
    at_every_point(stage::edit(), keeps_the_author);
}
