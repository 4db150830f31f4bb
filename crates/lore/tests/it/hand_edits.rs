//! Files edited by a person in the middle of a change: the process is suspended at a step, a file is edited, and the
//! process goes on. The edit is in a file, a commit or a snapshot afterwards, whatever the moment and the editor.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use lore_ports::{Ledger as _, SnapshotRow};

use crate::concurrency::repository;
use crate::git_support::GitVault;
use crate::invariants::{assert_index_matches_rebuild, assert_no_leftovers};
use crate::sandbox::{Ran, Sandbox};

/// The line that the person adds.
const LINE: &str = "By hand.\n";

/// Runs a command that is suspended at a fault point while `meanwhile` runs; `None` if it ends before.
pub fn suspended_at(
    sandbox: &Sandbox,
    command: &mut Command,
    input: &[u8],
    meanwhile: impl FnOnce(),
) -> Option<Ran> {
    let mut child = sandbox.spawn(command.stdin(Stdio::piped()));
    let _ = child.stdin.take().expect("piped").write_all(input);
    let pid = Pid::from_raw(child.id().cast_signed());
    let status = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).expect("a child");
    if !matches!(status, WaitStatus::Stopped(..)) {
        // It has been waited for already.
        child.wait().ok();
        return None;
    }
    meanwhile();
    kill(pid, Signal::SIGCONT).expect("a child");
    Some(child.wait_with_output().expect("it ran").into())
}

fn faulty(sandbox: &Sandbox, arguments: &[&str], fault: &str) -> Command {
    let mut command = sandbox.command(arguments);
    command.env("LORE_FAULT", fault);
    command
}

/// Appends the line as an editor does that writes to the file itself.
fn append(file: &Path) {
    let mut open = OpenOptions::new().append(true).create(true).open(file).expect("a file");
    open.write_all(LINE.as_bytes()).expect("written");
}

/// Appends the line as an editor does that replaces the file.
fn replace(file: &Path) {
    let mut bytes = fs::read(file).unwrap_or_default();
    bytes.extend(LINE.bytes());
    let aside = file.with_extension("tmp");
    fs::write(&aside, bytes).expect("a file");
    fs::rename(aside, file).expect("a rename");
}

/// Returns whether the line is in the file, in a commit or in a snapshot of the page.
fn is_kept(sandbox: &Sandbox, path: &str) -> bool {
    let in_file = fs::read_to_string(sandbox.vault().join(path)).is_ok_and(|text| text.contains(LINE));
    let log = format!("git log --all -S'{}' --format=%h -- '{path}'", LINE.trim());
    in_file || !sandbox.sh(&log).text().is_empty() || is_in_snapshot(sandbox, path)
}

fn is_in_snapshot(sandbox: &Sandbox, path: &str) -> bool {
    let store = lore_sqlite::open(&sandbox.database()).expect("a database").store;
    let rows = store.snapshots(1, path).expect("rows");
    let bytes = |row: SnapshotRow| store.snapshot_bytes(1, row.number).expect("readable").expect("there");
    rows.into_iter().any(|row| String::from_utf8_lossy(&bytes(row)).contains(LINE))
}

/// Creates a vault in which pages link to a hub.
fn hub(pages: usize) -> Sandbox {
    let sandbox = repository();
    sandbox.write("hub/center.md", "# Center\n");
    for page in 0..pages {
        sandbox.write(&format!("p/{page:04}.md"), format!("# Page {page}\n\nSee [[hub/center]].\n"));
    }
    sandbox.sh("git add -A && git -c user.name=p -c user.email=p commit -q -m Pages").exits(0);
    sandbox.sync();
    sandbox
}

#[test]
fn edits_during_a_large_move_stay_in_their_files() {
    for edit in [append, replace] {
        for faults in ["stop@installing:20", "no-exchange,stop@installing:20"] {
            let sandbox = hub(60);
            let edited = ["p/0001.md", "p/0017.md", "p/0030.md", "p/0044.md", "p/0059.md"];
            let meanwhile = || edited.iter().for_each(|path| edit(&sandbox.vault().join(path)));
            let mut command = faulty(&sandbox, &["mv", "hub/center", "elsewhere/c"], faults);
            let ran = suspended_at(&sandbox, &mut command, b"", meanwhile).expect("it was suspended");
            ran.exits(0);
            for page in 0..60 {
                let path = format!("p/{page:04}.md");
                let text = String::from_utf8(sandbox.read(&path)).expect("text");
                let line = if edited.contains(&path.as_str()) { LINE } else { "" };
                assert_eq!(text, format!("# Page {page}\n\nSee [[elsewhere/c]].\n{line}"), "{path}");
            }
            assert_no_leftovers(&sandbox, faults);
            assert_index_matches_rebuild(&sandbox, faults);
        }
    }
}

/// Every kind of write, as a command with its input and the file that is edited meanwhile.
const WRITES: [(&[&str], &str, &str); 6] = [
    (&["put", "page"], "# Page\n\nNew text.\n", "page.md"),
    (&["edit", "page", "--append", "Added."], "", "page.md"),
    (&["rm", "page", "--yes"], "", "page.md"),
    (&["mv", "page", "moved/page"], "", "page.md"),
    (&["mv", "other", "moved/other"], "", "page.md"),
    (&["put", "new"], "# New\n", "new.md"),
];

#[test]
fn edits_survive_every_write_at_every_step() {
    let mut suspended = 0;
    for point in ["noted", "installing", "displaced", "installed", "before-commit", "committed", "published"]
    {
        for switch in if point == "displaced" { &["", "no-exchange,"][..] } else { &[""] } {
            for (number, (write, input, path)) in WRITES.iter().enumerate() {
                let edit = if number % 2 == 0 { append } else { replace };
                let sandbox = repository();
                sandbox.write("page.md", "# Page\n\nSee [[other]].\n");
                sandbox.write("other.md", "# Other\n");
                sandbox.sh("git add -A && git -c user.name=p -c user.email=p commit -q -m Pages").exits(0);
                sandbox.sync();
                let fault = format!("{switch}stop@{point}");
                let mut command = faulty(&sandbox, write, &fault);
                let edited = sandbox.vault().join(path);
                let Some(ran) = suspended_at(&sandbox, &mut command, input.as_bytes(), || edit(&edited))
                else {
                    continue;
                };
                suspended += 1;
                let what = format!("{write:?} at {fault}: {ran:?}");
                assert!([0, 3].contains(&ran.code), "{what}");
                assert!(is_kept(&sandbox, path), "{what}: the edit is lost");
                assert_no_leftovers(&sandbox, &what);
                sandbox.sync();
                sandbox.validate();
            }
        }
    }
    assert!(suspended > 40, "only {suspended} writes were suspended");
}

#[test]
fn displaced_edit_returns_when_the_process_is_killed() {
    for switch in ["", "no-exchange,"] {
        for edit in [append, replace] {
            let sandbox = hub(6);
            let faults = format!("{switch}stop@installing:5,displaced:4");
            let mut command = faulty(&sandbox, &["mv", "hub/center", "elsewhere/c"], &faults);
            let edited = sandbox.vault().join("p/0002.md");
            let ran = suspended_at(&sandbox, &mut command, b"", || edit(&edited)).expect("it was suspended");
            assert_eq!(ran.code, -6, "{ran:?}");
            sandbox.run(&["status"]).exits(0).says("rolled back because one of its files was edited");
            let text = String::from_utf8(sandbox.read("p/0002.md")).expect("text");
            assert_eq!(text, format!("# Page 2\n\nSee [[hub/center]].\n{LINE}"));
            assert_eq!(sandbox.read("p/0001.md"), b"# Page 1\n\nSee [[hub/center]].\n");
            assert_no_leftovers(&sandbox, &faults);
            assert_index_matches_rebuild(&sandbox, &faults);
        }
    }
}

#[test]
fn version_that_the_caller_expects_is_checked_again() {
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"one\n").ok();
    let write = ["call", "put", r##"{"slug": "page", "content": "new\n", "expected_version": 1}"##];
    let mut command = faulty(&sandbox, &write, "stop@installing");
    let edit = || append(&sandbox.vault().join("page.md"));
    let ran = suspended_at(&sandbox, &mut command, b"", edit).expect("it was suspended");
    ran.exits(3).says("page is at version 2, not 1");
    assert_eq!(sandbox.read("page.md"), format!("one\n{LINE}").into_bytes());
}

#[test]
fn directory_in_place_of_a_page_is_left_alone() {
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"one\n").ok();
    let file = sandbox.vault().join("page.md");
    let mut command = faulty(&sandbox, &["edit", "page", "--append", "x"], "stop@installing");
    let swap = || {
        fs::remove_file(&file).expect("a file");
        fs::create_dir(&file).expect("a directory");
        fs::write(file.join("inner.txt"), LINE).expect("a file");
    };
    let ran = suspended_at(&sandbox, &mut command, b"", swap).expect("it was suspended");
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(fs::read_to_string(file.join("inner.txt")).expect("there"), LINE);
    assert_no_leftovers(&sandbox, "after a directory");
}

#[test]
fn late_write_to_an_open_file_becomes_a_snapshot() {
    let sandbox = repository();
    sandbox.pipe(&["put", "page"], b"one\n").ok();
    let mut open = OpenOptions::new().append(true).open(sandbox.vault().join("page.md")).expect("a file");
    let mut command = faulty(&sandbox, &["edit", "page", "--append", "two"], "stop@committed");
    let write = || open.write_all(LINE.as_bytes()).expect("written");
    let ran = suspended_at(&sandbox, &mut command, b"", write).expect("it was suspended");
    let warning = "page.md was edited while it was being changed; that edit is kept as a snapshot";
    assert!(ran.exits(0).text().contains(warning));
    assert_eq!(sandbox.read("page.md"), b"one\ntwo\n");
    assert!(is_in_snapshot(&sandbox, "page.md"));
    let history = sandbox.run(&["history", "page"]).exits(0).json();
    let versions: Vec<u64> = history["snapshots"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| row["version"].as_u64().expect("a number"))
        .collect();
    assert_eq!((history["version"].as_u64(), versions), (Some(4), vec![3, 1]), "{history}");
}

#[test]
fn edit_during_a_fast_forward_becomes_a_snapshot() {
    let vault = GitVault::with_remote("notes");
    vault.put("page", "one\n").exits(0);
    vault.lore(&["git", "push"]).ok();
    vault.push_from(&vault.clone_remote(), "page.md", "theirs\n");
    let sandbox = &vault.sandbox;
    let mut open = OpenOptions::new().append(true).open(sandbox.vault().join("page.md")).expect("a file");
    let mut command = faulty(sandbox, &["git", "pull"], "stop@fast-forwarded");
    let write = || open.write_all(LINE.as_bytes()).expect("written");
    let ran = suspended_at(sandbox, &mut command, b"", write).expect("it was suspended").exits(0);
    assert!(ran.text().contains("that edit is kept as a snapshot"), "{ran:?}");
    assert_eq!(sandbox.read("page.md"), b"theirs\n");
    assert!(is_in_snapshot(sandbox, "page.md"));
    assert_no_leftovers(sandbox, "after the fast-forward");
}

/// What a person deletes or moves away under a write is an edit like any other: the write is made again, or it is a
/// conflict. It is never reported as a failure of the disk.
#[test]
fn file_that_vanishes_under_a_write_is_a_conflict() {
    let writes: [(&[&str], &str, i32); 5] = [
        (&["put", "d/page"], "# Page\n\nNew text.\n", 0),
        (&["put", "d/page", "--expected-version", "1"], "# Page\n\nNew text.\n", 3),
        (&["edit", "d/page", "--append", "Added."], "", 3),
        (&["mv", "d/page", "moved/page"], "", 3),
        (&["put", "e/new"], "# New\n", 0),
    ];
    for gone in ["rm d/page.md", "mv d away", "rm -rf .lore/staging"] {
        for point in ["staged", "kept", "noted", "installing"] {
            for (write, input, code) in writes {
                let what = format!("{write:?} at {point}, {gone}");
                let sandbox = Sandbox::with_vault();
                sandbox.write("d/page.md", "# Page\n\nText.\n");
                sandbox.sync();
                let mut command = faulty(&sandbox, write, &format!("stop@{point}"));
                let meanwhile = || drop(sandbox.sh(gone).exits(0));
                let Some(ran) = suspended_at(&sandbox, &mut command, input.as_bytes(), meanwhile) else {
                    continue;
                };
                let is_there = gone.starts_with("rm -rf") || write[1] == "e/new";
                let expected = if is_there { 0 } else { code };
                assert_eq!(ran.code, expected, "{what}: {ran:?}");
                assert_no_leftovers(&sandbox, &what);
                sandbox.sync();
                sandbox.validate();
            }
        }
    }
}
