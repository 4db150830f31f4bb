//! `LORE_DB` names a file of another program: every command refuses it and leaves it as it is.

use std::fs;

use crate::sandbox::Sandbox;

const COMMANDS: [&str; 6] = ["status", "sync", "search x", "doctor", "edit a --append b", "db checkpoint"];

#[test]
fn files_of_other_programs_are_refused_unchanged() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# A\n");
    let folder = sandbox.root.join("other");
    fs::create_dir(&folder).expect("a directory");
    let database = folder.join("other.db");
    let other = rusqlite::Connection::open(&database).expect("a database");
    other
        .execute_batch("CREATE TABLE page (a); CREATE TABLE link (a); INSERT INTO page VALUES ('mine')")
        .expect("tables");
    drop(other);
    fs::write(folder.join("list.txt"), "milk, bread\n").expect("a file");
    let files = || -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(&folder).expect("a directory").map(|entry| entry.expect("an entry"));
        let mut files: Vec<_> = entries
            .map(|entry| {
                (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file"))
            })
            .collect();
        files.sort();
        files
    };
    let before = files();
    for name in ["other.db", "list.txt"] {
        for command in COMMANDS {
            let ran = sandbox.sh(&format!("LORE_DB={}/{name} lore {command}", folder.display()));
            if command != "doctor" {
                assert_eq!(ran.code, 5, "{command}: {ran:?}");
                assert!(ran.err.contains("is not a database of Lore"), "{command}: {ran:?}");
                assert!(ran.err.contains("hint: "), "{command}: {ran:?}");
            }
            assert_eq!(files(), before, "{command}");
        }
    }
}

#[test]
fn pipes_and_devices_do_not_hang() {
    let sandbox = Sandbox::with_vault();
    sandbox.sh("mkfifo ../pipe").exits(0);
    for path in ["$PWD/../pipe", "/dev/zero", "/dev/tty"] {
        let ran = sandbox.sh(&format!("LORE_DB={path} timeout 20 lore status"));
        assert_eq!(ran.code, 5, "{ran:?}");
    }
}
