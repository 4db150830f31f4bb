//! Processes killed by signals: the next run continues as if nothing had happened.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use crate::multi_process::{fill, state};
use crate::sandbox::{Sandbox, code};

/// Returns the size of the database and its WAL.
fn size(database: &Path) -> u64 {
    let ends = ["", "-wal"].map(|ending| format!("{}{ending}", database.display()));
    ends.iter().filter_map(|path| fs::metadata(path).ok()).map(|found| found.len()).sum()
}

fn forget(database: &Path) {
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{ending}", database.display())).ok();
    }
}

/// Kills a process when its database reaches a size; returns whether it was still running.
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
fn killed_sync_is_finished_by_the_next_one() {
    let sandbox = Sandbox::with_vault();
    fill(&sandbox, 2000);
    sandbox.sync();
    let (expected, whole, database) = (state(&sandbox), size(&sandbox.database()), sandbox.database());
    let mut killed = 0;
    for tenth in 0..10 {
        forget(&database);
        let child = sandbox.spawn(&mut sandbox.command(&["sync"]));
        killed += usize::from(kill_at(child, &database, whole * tenth / 10));
        // The index may be incomplete but is never corrupt.
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
fn killed_writer_leaves_a_complete_page_and_no_lock() {
    let sandbox = Sandbox::with_vault();
    let (old, new) = ("old ".repeat(200_000), "new ".repeat(200_000));
    sandbox.write("page.md", &old);
    fs::write(sandbox.root.join("new"), &new).expect("a file");
    sandbox.sync();
    for _ in 0..10 {
        let mut child = sandbox.spawn(&mut sandbox.command(&["put", "page", "../new"]));
        // The write has begun once a temporary file exists next to the page.
        let started = || fs::read_dir(sandbox.vault()).expect("a folder").count() > 2;
        while child.try_wait().expect("a child").is_none() && !started() {
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
fn interrupt_ends_a_sync() {
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
