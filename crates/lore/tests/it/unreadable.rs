//! Files and directories without permission: reading goes on with what can be read, and says so.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{Ran, Sandbox};

/// A user to whom permissions apply, for tests that run as root.
const NOBODY: u32 = 65534;

/// Runs a script as a user to whom permissions apply.
fn unprivileged(sandbox: &Sandbox, script: &str) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    sandbox.isolate(&mut command);
    if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        give_away(&sandbox.root);
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().expect("a shell").into()
}

/// Gives a directory and everything in it to that user.
fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).expect("a file");
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a directory") {
            let entry = entry.expect("an entry");
            if !entry.file_type().expect("a type").is_symlink() {
                give_away(&entry.path());
            }
        }
    }
}

fn chmod(sandbox: &Sandbox, path: &str, mode: u32) {
    let path = sandbox.root.join(path);
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a file");
}

fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    for page in ["a", "b", "c"] {
        sandbox.write(&format!("{page}.md"), format!("# {page}\n\nThe heron.\n"));
    }
    sandbox
}

#[test]
fn repaired_permissions_are_noticed() {
    let sandbox = vault();
    chmod(&sandbox, "v/b.md", 0o000);
    for _ in 0..5 {
        let synced = unprivileged(&sandbox, "lore sync").exits(0).json();
        assert_eq!(synced["skipped"][0]["path"], "b.md", "{synced}");
    }
    chmod(&sandbox, "v/b.md", 0o600);
    let synced = unprivileged(&sandbox, "lore sync").ok().json();
    assert_eq!(synced["added"], serde_json::json!(["b.md"]));
}

#[test]
fn checks_go_on_past_an_unreadable_file() {
    let sandbox = vault();
    sandbox.write("z.md", "# Z\n\n- knows [[Nobody]] {2020..2019}\n");
    unprivileged(&sandbox, "lore sync").exits(0);
    chmod(&sandbox, "v/b.md", 0o000);
    let valid = unprivileged(&sandbox, "lore validate --all").exits(5);
    assert!(valid.text().contains("b.md") && valid.text().contains("z.md"), "{valid:?}");
    let lint = unprivileged(&sandbox, "lore lint");
    assert!(lint.text().contains("b.md") && lint.text().contains("z.md"), "{lint:?}");
    let doctor = unprivileged(&sandbox, "lore doctor").exits(5);
    let text = doctor.text();
    assert!(text.contains("b.md") && text.contains("hybrid"), "{text}");
}

#[test]
fn unreadable_page_is_not_reported_as_gone() {
    let sandbox = vault();
    sandbox.write("closed/d.md", "# d\n");
    unprivileged(&sandbox, "lore sync").exits(0);
    chmod(&sandbox, "v/b.md", 0o000);
    chmod(&sandbox, "v/closed", 0o000);
    // Before and after a sync has noticed it.
    for script in ["lore doctor", "lore sync >/dev/null; lore doctor"] {
        let doctor = unprivileged(&sandbox, script).exits(5);
        let text = doctor.text();
        assert!(text.contains("b.md") && text.contains("permission to read"), "{text}");
        assert!(!text.contains("not in the vault") && !text.contains("database file aside"), "{text}");
        let valid = unprivileged(&sandbox, "lore validate --all").exits(5);
        assert!(valid.text().contains("b.md") && !valid.text().contains("not in the vault"), "{valid:?}");
    }
    chmod(&sandbox, "v/closed", 0o700);
}

/// A file that cannot be read for a while is not one that somebody has changed.
#[test]
fn interrupted_write_is_kept_until_its_files_can_be_read() {
    for (fault, closed) in [
        ("noted", "v/b.md"),
        ("installed", "v/b.md"),
        ("displaced", "v/links.md"),
        ("installed:2", "v/links.md"),
    ] {
        let sandbox = vault();
        sandbox.write("links.md", "# Links\n\nSee [it](b.md).\n");
        unprivileged(&sandbox, "lore sync").exits(0);
        unprivileged(&sandbox, &format!("LORE_FAULT={fault} lore mv b d; true"));
        let files = || (sandbox.sh("ls").text(), fs::read(sandbox.root.join(closed)).ok());
        let before = files();
        if !sandbox.root.join(closed).exists() {
            continue;
        }
        let mode = sandbox.root.join(closed).metadata().expect("a file").mode() & 0o777;
        chmod(&sandbox, closed, 0o000);
        let found = unprivileged(&sandbox, "lore search heron").exits(0);
        assert!(found.err.contains("an interrupted write cannot be recovered: cannot read"), "{found:?}");
        let refused = unprivileged(&sandbox, "echo other | lore put other").exits(2);
        assert!(refused.err.contains("an interrupted write cannot be recovered"), "{fault}: {refused:?}");
        chmod(&sandbox, closed, mode);
        assert_eq!(files(), before, "{fault}: nothing was changed");
        let next = unprivileged(&sandbox, "echo other | lore put other").exits(0);
        assert!(next.err.contains("was completed"), "{fault}: {next:?}");
        assert_eq!(sandbox.read("links.md"), b"# Links\n\nSee [it](d.md).\n", "{fault}");
        assert!(!sandbox.vault().join("b.md").exists() && sandbox.vault().join("d.md").exists(), "{fault}");
        crate::invariants::assert_no_leftovers(&sandbox, fault);
    }
}

#[test]
fn read_only_home_still_answers() {
    let sandbox = vault();
    unprivileged(&sandbox, "lore sync && lore db checkpoint").exits(0);
    fs::write(sandbox.vault().join("a.md"), "# a\n\nThe otter.\n").expect("a page");
    for path in ["home/lore.db", "home/config.toml"] {
        chmod(&sandbox, path, 0o400);
    }
    chmod(&sandbox, "home", 0o500);
    for command in ["search heron", "query 'the heron'", "show b", "list", "status"] {
        let ran = unprivileged(&sandbox, &format!("lore {command}"));
        assert_eq!(ran.code, 0, "{command}: {ran:?}");
        assert!(ran.err.contains("as it is"), "{command}: {ran:?}");
    }
    let found = unprivileged(&sandbox, "lore search heron").json();
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(3));
    let refused = unprivileged(&sandbox, "lore edit b --append more");
    assert_ne!(refused.code, 0, "{refused:?}");
    assert_eq!(sandbox.read("b.md"), b"# b\n\nThe heron.\n");
    chmod(&sandbox, "home", 0o700);
}

/// Another process holds the write lock for longer than Lore waits.
#[test]
fn locked_database_still_answers() {
    let sandbox = vault();
    sandbox.sync();
    sandbox.write("d.md", "# d\n\nThe otter.\n");
    let lock = rusqlite::Connection::open(sandbox.database()).expect("the database");
    lock.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let ran = sandbox.run(&["search", "heron"]).exits(0).says("as it is");
    assert_eq!(ran.json()["hits"].as_array().map(Vec::len), Some(3));
    drop(lock);
    assert_eq!(sandbox.search("otter"), ["d"]);
}
