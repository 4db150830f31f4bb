//! An upgrade of the database that is killed at any step, or started by several processes at once.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::sandbox::Sandbox;

/// The steps to the versions of the ledger.
const STEPS: [&str; 4] = [
    include_str!("../../../lore-sqlite/src/ledger.sql"),
    include_str!("../../../lore-sqlite/src/ledger-2.sql"),
    include_str!("../../../lore-sqlite/src/ledger-3.sql"),
    include_str!("../../../lore-sqlite/src/ledger-4.sql"),
];

/// Creates a database with this version of the ledger.
fn old_database(path: &Path, version: usize) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    let old = Connection::open(path).expect("a database");
    for step in &STEPS[..version] {
        old.execute_batch(step).expect("tables");
    }
    let rows = "CREATE TABLE page (number INTEGER PRIMARY KEY, project INTEGER NOT NULL, path TEXT NOT NULL);
                INSERT INTO project(number, name, root) VALUES (1, 'old', '/old');
                INSERT INTO version(project, path, version, hash) VALUES (1, 'a.md', 7, zeroblob(32))";
    old.execute_batch(rows).expect("rows");
    old.pragma_update(None, "user_version", (version as i64) << 16 | 6).expect("a version");
}

fn kept_version(path: &Path) -> i64 {
    let found = Connection::open(path).expect("a database");
    found.query_row("SELECT version FROM version WHERE path = 'a.md'", [], |row| row.get(0)).expect("a row")
}

fn names(sandbox: &Sandbox, part: &str) -> Vec<String> {
    let entries = fs::read_dir(sandbox.root.join("home")).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.contains(part)).collect();
    names.sort();
    names
}

#[test]
fn killed_upgrades_are_resumed() {
    for point in ["backup-started", "backup-copied", "backup-named", "migrated"] {
        let sandbox = Sandbox::with_vault();
        fs::remove_file(sandbox.database()).ok();
        old_database(&sandbox.database(), 4);
        let killed = sandbox.sh(&format!("LORE_FAULT={point} lore status"));
        assert!(killed.code > 100 || killed.code < 0, "{point}: {killed:?}");
        sandbox.run(&["status"]).exits(0);
        sandbox.run(&["status"]).exits(0);
        assert_eq!(kept_version(&sandbox.database()), 7, "{point}");
        assert_eq!(names(&sandbox, ".partial"), [""; 0], "{point}");
        let backups = names(&sandbox, ".backup");
        assert!(!backups.is_empty(), "{point}");
        for backup in backups {
            assert_eq!(kept_version(&sandbox.root.join("home").join(backup)), 7, "{point}");
        }
    }
}

#[test]
fn processes_that_start_at_once_upgrade_once() {
    for version in 1..=4 {
        let sandbox = Sandbox::with_vault();
        fs::remove_file(sandbox.database()).ok();
        old_database(&sandbox.database(), version);
        let script = "for n in 1 2 3 4; do (lore status >../out-$n 2>&1; echo $? >../code-$n) & done; wait; cat ../code-*";
        let ran = sandbox.sh(script);
        let outputs = sandbox.sh("cat ../out-*").text();
        assert_eq!(ran.text().split_whitespace().collect::<Vec<_>>(), ["0"; 4], "{outputs}");
        assert_eq!(names(&sandbox, ".backup"), [format!("lore.db.ledger-{version}.backup")]);
        assert_eq!(kept_version(&sandbox.database()), 7);
    }
}
