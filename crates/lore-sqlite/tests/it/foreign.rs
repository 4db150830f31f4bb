//! Files of other programs are refused and stay as they are, byte for byte, together with what lies beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lore_ports::Error;
use lore_sqlite::{OpenOptions, open, open_with};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::migration::old_database;

/// Returns every file of a directory with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect()
}

/// Opens what `make` puts at a path; it must be refused unchanged.
#[track_caller]
fn check(make: impl Fn(&Path), own_location: bool, reason: &str) {
    let (made, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    make(&made.path().join("lore.db"));
    // A copy, so that no connection of the other program cleans up behind the test.
    for (name, bytes) in files(made.path()) {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let before = files(folder.path());
    let path = folder.path().join("lore.db");
    match open_with(&OpenOptions { path: &path, own_location, step: |_| {} }) {
        Err(Error::ForeignFile { reason: found, .. }) => assert_eq!(found, reason),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was opened"),
    }
    assert_eq!(files(folder.path()), before);
}

const OTHER: &str = "it is a SQLite database of another program";

/// Tables with names of Lore's, in a database of another program.
fn other(path: &Path) -> Connection {
    let other = Connection::open(path).unwrap();
    let sql =
        "CREATE TABLE page (a); CREATE TABLE link (a); CREATE TABLE label (a); CREATE TABLE version (a);
               INSERT INTO page VALUES ('mine')";
    other.execute_batch(sql).unwrap();
    other
}

#[test]
fn databases_of_other_programs_are_refused_unchanged() {
    for own_location in [false, true] {
        check(|path| drop(other(path)), own_location, OTHER);
        let with_id = |path: &Path| other(path).pragma_update(None, "application_id", 42).unwrap();
        check(with_id, own_location, OTHER);
        // A version that Lore could have written does not make the tables Lore's.
        let with_version =
            |path: &Path| other(path).pragma_update(None, "user_version", 4 << 16 | 6).unwrap();
        check(with_version, own_location, OTHER);
        let with_log = |path: &Path| {
            let other = other(path);
            other.execute_batch("PRAGMA journal_mode = WAL; INSERT INTO page VALUES ('logged')").unwrap();
            std::mem::forget(other);
        };
        check(with_log, own_location, OTHER);
    }
}

#[test]
fn unfinished_transactions_of_other_programs_are_not_rolled_back() {
    let with_journal = |path: &Path| {
        let other = other(path);
        other.execute_batch("PRAGMA cache_size = 1; BEGIN").unwrap();
        for _ in 0..200 {
            other.execute("INSERT INTO page VALUES (zeroblob(4000))", []).unwrap();
        }
        std::mem::forget(other);
    };
    check(with_journal, false, OTHER);
}

#[test]
fn other_files_are_refused_unless_only_lore_keeps_a_file_there() {
    check(|path| fs::write(path, "a shopping list\n").unwrap(), false, "it is not a SQLite database");
    check(|path| fs::write(path, "SQLite format 3\0").unwrap(), false, "it is not a SQLite database");
    check(|path| drop(Connection::open(path).unwrap().execute_batch("VACUUM")), false, OTHER);
}

#[test]
fn pipes_devices_and_directories_are_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for path in [pipe.as_path(), Path::new("/dev/zero"), folder.path()] {
        match open(path) {
            Err(Error::ForeignFile { reason, .. }) => assert_eq!(reason, "it is not a regular file"),
            _ => panic!("{} was opened", path.display()),
        }
    }
}

#[test]
fn empty_files_become_marked_databases() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    fs::write(&path, "").unwrap();
    drop(open(&path).unwrap());
    assert_eq!(&fs::read(&path).unwrap()[68..72], b"Lore");
}

#[test]
fn databases_made_before_the_mark_are_recognized_and_marked() {
    for version in 1..=5 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("lore.db");
        old_database(&path, version);
        let opened = open(&path).unwrap();
        // The mark is in the file itself, not only in the log, while the database is in use.
        assert_eq!(&fs::read(&path).unwrap()[68..72], b"Lore");
        drop(opened);
    }
}

#[cfg(unix)]
#[test]
fn copies_are_private_and_replace_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    old_database(&path, 4);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    // What a killed process left of its copy.
    fs::write(folder.path().join("lore.db.ledger-4.backup.partial"), "half").unwrap();
    let store = open(&path).unwrap().store;
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("lore.db.ledger-4.backup"), 0o600);
    assert!(!folder.path().join("lore.db.ledger-4.backup.partial").exists());
    store.backup(&folder.path().join("copy.db")).unwrap();
    assert_eq!(mode("copy.db"), 0o600);
    fs::write(folder.path().join("taken.db"), "taken").unwrap();
    assert!(store.backup(&folder.path().join("taken.db")).is_err());
    assert_eq!(fs::read_to_string(folder.path().join("taken.db")).unwrap(), "taken");
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    bytes[100..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    drop(open(&path).unwrap());
    assert_eq!(mode("lore.db.damaged-1"), 0o600);
}
