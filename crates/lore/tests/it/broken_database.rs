//! A database that is damaged, misplaced or too new: the files are intact, and Lore recovers from them.

use std::fs;

use crate::sandbox::Sandbox;

fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    for number in 0..50 {
        sandbox.write(&format!("page-{number}.md"), format!("# Page {number}\n\nzeppelin {number}\n"));
    }
    sandbox.sync();
    sandbox.run(&["db", "checkpoint"]).ok();
    sandbox
}

/// Returns the names of files next to the database that hold a damaged one.
fn damaged_copies(sandbox: &Sandbox) -> Vec<String> {
    let names = fs::read_dir(sandbox.root.join("home")).expect("a folder");
    let names = names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains("damaged")).collect()
}

#[test]
fn garbage_is_moved_aside_with_a_warning() {
    let sandbox = vault();
    let garbage = b"this is not a database, it is a shopping list\n".repeat(1000);
    fs::write(sandbox.database(), &garbage).expect("a file");
    let ran = sandbox.run(&["search", "zeppelin", "--limit", "50"]).exits(0);
    assert_eq!(ran.json()["hits"].as_array().expect("a list").len(), 50);
    assert!(ran.err.starts_with("warning: ") && ran.err.contains("lore.db was damaged"), "{}", ran.err);
    let [name] = &damaged_copies(&sandbox)[..] else { panic!("one file was set aside") };
    assert!(ran.err.contains(name.as_str()), "{}", ran.err);
    assert_eq!(fs::read(sandbox.root.join("home").join(name)).expect("kept"), garbage);
    assert_eq!(sandbox.search("zeppelin 7"), sandbox.search("zeppelin 7"));
    sandbox.validate();
}

#[test]
fn empty_or_truncated_database_is_rebuilt() {
    for keep in [0, 1, 100, 4096, 20_000] {
        let sandbox = vault();
        for ending in ["-wal", "-shm"] {
            fs::remove_file(format!("{}{ending}", sandbox.database().display())).ok();
        }
        let file = fs::File::options().write(true).open(sandbox.database()).expect("it is there");
        file.set_len(keep).expect("shorter");
        let ran = sandbox.run(&["search", "zeppelin", "--limit", "50"]);
        let hits = ran.json()["hits"].as_array().expect("a list").len();
        assert_eq!((ran.code, hits), (0, 50), "{keep} bytes kept: {ran:?}");
        sandbox.validate();
    }
}

#[test]
fn overwritten_database_pages_are_detected() {
    let sandbox = vault();
    let mut bytes = fs::read(sandbox.database()).expect("the database");
    let end = bytes.len();
    bytes[4096..end].fill(0xa5);
    fs::write(sandbox.database(), bytes).expect("a file");
    let ran = sandbox.run(&["search", "zeppelin", "--limit", "50"]).exits(0);
    assert!(ran.err.contains("damaged"), "{}", ran.err);
    assert_eq!(ran.json()["hits"].as_array().expect("a list").len(), 50);
    sandbox.validate();
}

#[test]
fn newer_schema_is_refused_and_left_untouched() {
    let sandbox = vault();
    // SQLite stores the user version at byte 60; its two halves are Lore's two schema versions.
    let mut bytes = fs::read(sandbox.database()).expect("the database");
    bytes[60..64].copy_from_slice(&[0x70, 0, 0x70, 0]);
    fs::write(sandbox.database(), &bytes).expect("a file");
    for command in [&["sync"][..], &["search", "x"], &["status"]] {
        sandbox.run(command).exits(5).says("has schema").says("hint: update Lore");
    }
    assert_eq!(fs::read(sandbox.database()).expect("the database"), bytes);
    assert_eq!(damaged_copies(&sandbox), Vec::<String>::new());
}

#[test]
fn impossible_database_path_is_named_in_the_error() {
    let sandbox = vault();
    fs::write(sandbox.root.join("file"), "").expect("a file");
    for path in ["file/lore.db", "file/deep/lore.db"] {
        let path = sandbox.root.join(path);
        let ran = sandbox.run(&["--db", &path.to_string_lossy(), "status"]);
        assert!([2, 5].contains(&ran.code), "{ran:?}");
        ran.says(&sandbox.root.join("file").to_string_lossy()).says("hint: ");
    }
    let folder = sandbox.vault().to_string_lossy().into_owned();
    let ran = sandbox.run(&["--db", &folder, "status"]);
    assert!([2, 5].contains(&ran.code), "{ran:?}");
    ran.says("error: ").says("hint: ");
    sandbox.run(&["--db", "postgres://localhost/lore", "status"]).exits(2).says("supports only SQLite");
}

#[test]
fn flag_and_variable_select_another_database() {
    let sandbox = vault();
    sandbox.run(&["--db", "../other/new.db", "status"]).ok();
    assert!(sandbox.root.join("other/new.db").exists(), "its directory is created");
    let status = sandbox.sh("LORE_DB=$PWD/../third.db lore --no-sync status").ok().json();
    assert_eq!((&status["pages"], &status["files"]), (&0.into(), &50.into()));
}

#[test]
fn database_and_config_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = vault();
    let mode = fs::metadata(sandbox.database()).expect("the database").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    let config =
        fs::metadata(sandbox.root.join("home/config.toml")).expect("a configuration").permissions().mode();
    assert_eq!(config & 0o077, 0, "{config:o}");
}

#[test]
fn write_interrupted_by_damage_is_not_applied_twice() {
    let json = "lore call edit '{\"reference\": \"page-7\", \"append\": \"once\"}'";
    for command in ["lore edit page-7 --append once", json] {
        let mut detected = 0;
        // The offset of the damage decides whether it shows on open or in the middle of an operation.
        for sixteenth in 1..16 {
            let sandbox = vault();
            let mut bytes = fs::read(sandbox.database()).expect("the database");
            let start = bytes.len() * sixteenth / 16 / 4096 * 4096;
            let end = bytes.len().min(start + bytes.len() / 16);
            bytes[start..end].fill(0xa5);
            fs::write(sandbox.database(), bytes).expect("a file");
            let first = sandbox.sh(command);
            if first.code != 0 {
                detected += 1;
                first.exits(5).says("damaged").says("again");
                sandbox.sh(command).exits(0);
            }
            let text = String::from_utf8(sandbox.read("page-7.md")).expect("text");
            assert_eq!(text.matches("once").count(), 1, "{command}, damaged from {start}: {text}");
        }
        assert!(detected > 0, "no damage was detected in the middle of {command}");
    }
}
