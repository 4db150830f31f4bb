//! A vault from somebody else may contain a forged `.lore/staging`: its records can do no more than an ordinary
//! write, and no content of the directory stops Lore.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::concurrency::repository;
use crate::sandbox::Sandbox;

/// The content that a forged record tries to install.
const SCRIPT: &str = "#!/bin/sh\ntouch ../ran\n";

/// Creates a vault in which a write of `new.md` was killed; returns it with the directory of its intent record.
fn killed_write() -> (Sandbox, std::path::PathBuf) {
    let sandbox = repository();
    fs::create_dir(sandbox.root.join("outside")).expect("a folder");
    fs::write(sandbox.root.join("outside/page.md"), "alive\n").expect("a file");
    sandbox.pipe(&["put", "page"], b"page\n").ok();
    fs::write(sandbox.root.join("script"), SCRIPT).expect("a file");
    let mut command = sandbox.command(&["put", "new", "../script"]);
    let ended = command.env("LORE_FAULT", "noted").output().expect("lore runs");
    assert_ne!(ended.status.code(), Some(0));
    let all = sandbox.vault().join(".lore/staging");
    let mut entries = fs::read_dir(all).expect("a folder").map(|entry| entry.expect("an entry").path());
    let own = entries.find(|path| path.is_dir()).expect("a record");
    (sandbox, own)
}

/// Changes the intent record, and leaves its seal.
fn forge(own: &std::path::Path, change: impl FnOnce(&mut Value)) {
    let path = own.join("intent.json");
    let text = fs::read_to_string(&path).expect("a record");
    let (record, seal) = text.split_once('\n').expect("a seal");
    let mut intent: Value = serde_json::from_str(record).expect("JSON");
    change(&mut intent);
    fs::write(path, format!("{intent}\n{seal}")).expect("a file");
}

/// Asserts that the forged write was set aside.
#[track_caller]
fn is_set_aside(sandbox: &Sandbox, what: &str) {
    let left = sandbox.sh("ls .lore/staging").text();
    assert!(left.trim_end().ends_with(".rejected") && left.lines().count() == 1, "{what}: {left}");
    assert_eq!(sandbox.sh("git status --porcelain --untracked-files=all .lore").text(), "", "{what}");
}

/// Lists what is next to the vault, and the hooks.
fn outside_files(sandbox: &Sandbox) -> String {
    sandbox
        .sh("cd ..; ls -A . outside; cat outside/*; ls -A v/.git v/.git/hooks; cat v/.git/config v/lore.toml")
        .text()
}

#[test]
fn forged_record_writes_nothing_outside_the_policy() {
    for path in [
        "../planted.md",
        "outside/../../planted.md",
        "../outside/new.md",
        "../outside/page.md",
        ".git/hooks/pre-commit",
        ".git/planted",
        ".git/config",
        ".lore/templates/x.md",
        "lore.toml",
        ".hidden.md",
        "/planted",
        "a\u{2215}b.md",
        "page.md/../../planted",
        ".gitattributes",
        "program.sh",
        "",
    ] {
        let (sandbox, own) = killed_write();
        fs::set_permissions(own.join("0.new"), fs::Permissions::from_mode(0o755)).expect("a mode");
        let before = outside_files(&sandbox);
        forge(&own, |intent| intent["steps"][0]["path"] = json!(path));
        sandbox.run(&["status"]).exits(0).says("set aside");
        assert_eq!(outside_files(&sandbox), before, "{path}");
        sandbox.pipe(&["put", "other"], b"other\n").exits(0);
        assert!(!sandbox.root.join("ran").exists(), "{path}: the planted script ran");
        is_set_aside(&sandbox, path);
        let planted = tree_names(&sandbox);
        assert_eq!(planted, "lore.toml\nother.md\npage.md\n", "{path}");
    }
}

fn tree_names(sandbox: &Sandbox) -> String {
    sandbox
        .sh("find . -path ./.git -prune -o -path ./.lore -prune -o -type f -print | cut -c3- | sort")
        .text()
}

#[test]
fn forged_record_deletes_nothing_outside_the_vault() {
    for path in ["../outside/page.md", "page.md/../../outside/page.md", ".git/HEAD", "lore.toml"] {
        let (sandbox, own) = killed_write();
        let before = outside_files(&sandbox);
        forge(&own, |intent| {
            let hash = sandbox.sh("cd ..; sha256sum v/.git/HEAD | cut -c1-64").text();
            intent["steps"] = json!([{ "path": path, "old": hash.trim(), "new": null, "sole_author": true }]);
        });
        sandbox.run(&["status"]).exits(0).says("set aside");
        assert_eq!(outside_files(&sandbox), before, "{path}");
        sandbox.run(&["get", "page"]).exits(0);
        is_set_aside(&sandbox, path);
    }
}

#[test]
fn staged_bytes_that_do_not_match_the_record_are_not_installed() {
    let (sandbox, own) = killed_write();
    fs::write(own.join("0.new"), "half of i").expect("a file");
    sandbox.run(&["status"]).exits(0);
    let there = fs::read(sandbox.vault().join("new.md")).ok();
    assert!(there.is_none() || there.as_deref() == Some(SCRIPT.as_bytes()), "{there:?}");
    assert!(!sandbox.vault().join(".lore/staging").exists());
    // A symlink instead of a file.
    let (sandbox, own) = killed_write();
    fs::remove_file(own.join("0.new")).expect("the bytes");
    symlink("../../../../outside/page.md", own.join("0.new")).expect("a link");
    sandbox.run(&["status"]).exits(0);
    assert!(!sandbox.vault().join("new.md").is_symlink(), "a symlink was installed");
}

#[test]
fn missing_staged_bytes_do_not_stop_lore() {
    let (sandbox, own) = killed_write();
    fs::remove_file(own.join("0.new")).expect("the bytes");
    sandbox.run(&["status"]).exits(0);
    sandbox.run(&["get", "page"]).exits(0);
    assert!(!sandbox.vault().join("new.md").exists());
}

#[test]
fn truncated_record_is_removed() {
    for record in ["", "{", "{}", "[]", "null", "\0\0\0"] {
        let (sandbox, own) = killed_write();
        fs::write(own.join("intent.json"), record).expect("a file");
        sandbox.run(&["status"]).exits(0);
        assert!(!sandbox.vault().join(".lore").exists(), "{record:?}");
        assert!(!sandbox.vault().join("new.md").exists(), "{record:?}");
    }
}

#[test]
fn unexpected_files_in_staging_do_not_stop_lore() {
    for script in [
        "touch .lore/staging/.DS_Store",
        "touch .lore/staging/file",
        "mkdir .lore/staging/folder",
        "mkdir -p .lore/staging/folder/deeper/still && touch .lore/staging/folder/deeper/file",
        "ln -s /nowhere .lore/staging/link",
        "ln -s ../../../outside .lore/staging/link",
        "mkfifo .lore/staging/pipe",
        "mkdir .lore/staging/x && mkfifo .lore/staging/x/intent.json",
        "mkdir .lore/staging/x && mkdir .lore/staging/x/intent.json",
        "rmdir .lore/staging && touch .lore/staging",
        "rmdir .lore/staging && ln -s ../../outside .lore/staging",
        "rm -rf .lore && ln -s ../outside .lore",
        "rm -rf .lore && touch .lore",
    ] {
        let sandbox = repository();
        sandbox.pipe(&["put", "page"], b"page\n").ok();
        fs::create_dir(sandbox.root.join("outside")).expect("a folder");
        fs::write(sandbox.root.join("outside/page.md"), "alive\n").expect("a file");
        sandbox.sh(&format!("mkdir -p .lore/staging && {script}")).ok();
        let read = sandbox.sh("timeout 20 lore get page");
        assert_eq!((read.code, read.text().as_str()), (0, "page\n"), "{script}: {read:?}");
        let outside = sandbox.sh("ls -A ../outside; cat ../outside/page.md").text();
        assert_eq!(outside, "page.md\nalive\n", "{script}");
    }
}

#[test]
fn record_of_another_machine_is_set_aside_whatever_it_says() {
    let (sandbox, own) = killed_write();
    let before = tree_names(&sandbox);
    // Sound in every way, but made with another secret.
    fs::remove_file(sandbox.root.join("home/state/staging.key")).expect("the secret");
    sandbox.run(&["status"]).exits(0).says("was not made on this machine");
    assert_eq!(tree_names(&sandbox), before);
    is_set_aside(&sandbox, "another machine");
    assert_eq!(sandbox.run(&["status"]).exits(0).err, "", "it is said once");
    sandbox.pipe(&["put", "other"], b"other\n").exits(0);
    assert!(!own.exists());
    // Nor does a copy of the record count in another vault.
    let (other, own) = killed_write();
    fs::create_dir_all(sandbox.vault().join(".lore/staging")).expect("a folder");
    other.sh(&format!("cp -r {} {}/.lore/staging/copied", own.display(), sandbox.vault().display())).exits(0);
    sandbox.run(&["status"]).exits(0).says("set aside");
    assert!(!sandbox.vault().join("new.md").exists());
}

#[test]
fn staging_never_enters_git() {
    let (sandbox, _) = killed_write();
    let added = sandbox.sh("git add --all --dry-run . && git status --porcelain -uall").exits(0);
    assert!(!added.text().contains(".lore"), "{}", added.text());
    // Somebody committed theirs by force: Lore commits its removal, never its content.
    sandbox.sh("git add -f .lore/staging && git -c user.name=x -c user.email=x commit -qm staged").exits(0);
    sandbox.run(&["status"]).exits(0);
    sandbox.run(&["git", "commit"]).exits(0);
    assert_eq!(sandbox.sh("git ls-tree -r --name-only HEAD .lore").text(), "");
    assert_eq!(sandbox.sh("git status --porcelain -uall").text(), "");
}

/// A person puts something else in the place of a page while a killed write waits to be completed: the write is given up,
/// and no command is blocked by it.
#[test]
fn killed_write_of_a_page_that_was_replaced_blocks_nothing() {
    for point in ["noted", "displaced", "installed", "committed"] {
        for replace in [
            "rm page.md; ln -s ../outside/page.md page.md",
            "rm page.md; ln -s /nowhere/x page.md",
            "rm page.md; mkdir page.md",
            "rm page.md; mkfifo page.md",
            "mv page.md ../kept.md; ln -s ../kept.md page.md",
        ] {
            let what = format!("{point}: {replace}");
            let sandbox = repository();
            fs::create_dir(sandbox.root.join("outside")).expect("a folder");
            fs::write(sandbox.root.join("outside/page.md"), "alive\n").expect("a file");
            sandbox.pipe(&["put", "page"], b"page\n").ok();
            sandbox.pipe(&["put", "other"], b"other\n").ok();
            let mut command = sandbox.command(&["edit", "page", "--append", "More."]);
            let ended = command.env("LORE_FAULT", point).output().expect("lore runs");
            assert_ne!(ended.status.code(), Some(0), "{what}");
            sandbox.sh(replace).exits(0);
            for command in
                [&["status"][..], &["get", "other"], &["edit", "other", "--append", "x"], &["sync"]]
            {
                let ran = sandbox.run(command);
                assert_eq!(ran.code, 0, "{what}: {command:?}: {ran:?}");
            }
            let outside = fs::read_to_string(sandbox.root.join("outside/page.md")).expect("a file");
            assert_eq!(outside, "alive\n", "{what}");
        }
    }
}
