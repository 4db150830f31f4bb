//! `kill -9` in the middle of things: the next run goes on as if nothing had been.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use crate::sandbox::{Sandbox, code};
use crate::together::{fill, state};

/// The bytes of the database and its log.
fn size(database: &Path) -> u64 {
    let ends = ["", "-wal"].map(|ending| format!("{}{ending}", database.display()));
    ends.iter().filter_map(|path| fs::metadata(path).ok()).map(|found| found.len()).sum()
}

fn forget(database: &Path) {
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{ending}", database.display())).ok();
    }
}

/// Kills a process when its database has grown to a size; says whether it was still running.
fn kill_at(mut child: Child, database: &Path, bytes: u64) -> bool {
    while child.try_wait().expect("a child").is_none() {
        if size(database) >= bytes {
            child.kill().expect("it can be killed");
            break;
        }
        std::thread::yield_now();
    }
    code(child.wait().expect("a child")) == -9
}

#[test]
fn a_sync_killed_at_any_moment_is_finished_by_the_next_one() {
    let sandbox = Sandbox::with_vault();
    fill(&sandbox, 2000);
    sandbox.sync();
    let (expected, whole, database) = (state(&sandbox), size(&sandbox.database()), sandbox.database());
    let mut killed = 0;
    for tenth in 0..10 {
        forget(&database);
        let child = sandbox.spawn(&mut sandbox.command(&["sync"]));
        killed += usize::from(kill_at(child, &database, whole * tenth / 10));
        // The index may be incomplete, but it is never broken.
        let ran = sandbox.run(&["--no-sync", "list", "--limit", "1"]);
        assert!([0, 1].contains(&ran.code) && ran.err.is_empty(), "killed at {tenth}/10: {ran:?}");
        if tenth % 3 == 0 {
            sandbox.sync();
            sandbox.validate();
        }
    }
    assert!(killed >= 5, "only {killed} of 10 were killed in time");
    sandbox.sync();
    sandbox.validate();
    assert_eq!(state(&sandbox), expected);
}

#[test]
fn a_writer_that_is_killed_leaves_a_whole_page_and_no_lock() {
    let sandbox = Sandbox::with_vault();
    let (old, new) = ("old ".repeat(200_000), "new ".repeat(200_000));
    sandbox.write("page.md", &old);
    fs::write(sandbox.root.join("new"), &new).expect("a file");
    sandbox.sync();
    for _ in 0..10 {
        let mut child = sandbox.spawn(&mut sandbox.command(&["put", "page", "../new"]));
        // From the first sign of the write: the temporary file beside the page, or its end.
        let begun = || fs::read_dir(sandbox.vault()).expect("a folder").count() > 2;
        while child.try_wait().expect("a child").is_none() && !begun() {
            std::thread::yield_now();
        }
        child.kill().ok();
        child.wait().expect("a child");
        let found = sandbox.read("page.md");
        assert!(found == old.as_bytes() || found == new.as_bytes(), "neither the old page nor the new one");
        sandbox.pipe(&["put", "page"], old.as_bytes()).ok();
    }
    sandbox.validate();
    assert_eq!(sandbox.run(&["status"]).ok().json()["pages"], 1);
}

#[test]
fn an_interrupt_ends_a_sync_like_any_program() {
    let sandbox = Sandbox::with_vault();
    fill(&sandbox, 500);
    let database = sandbox.database();
    let before = size(&database);
    let mut child = sandbox.spawn(&mut sandbox.command(&["sync"]));
    while child.try_wait().expect("a child").is_none() && size(&database) == before {
        std::thread::yield_now();
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let ended = code(child.wait().expect("a child"));
    assert!([-2, 0].contains(&ended), "{ended}");
    sandbox.sync();
    sandbox.validate();
}
