//! Settings, backups, tokens and models that are pipes, devices or directories: refused at once, never waited for.

use std::fs;

use serde_json::json;

use crate::sandbox::Sandbox;

/// Ways to put something that is not a file at a path.
const MADE: [&str; 3] = ["mkfifo $at", "ln -s /dev/zero $at", "mkdir -p $at"];

/// Runs a command for each of them; it must end with an error, not with a time-out.
#[track_caller]
fn check(path: &str, command: &str) {
    for make in MADE {
        let sandbox = Sandbox::with_vault();
        sandbox.write("a.md", "# A\n");
        sandbox.sync();
        let script = format!(
            "at={path}; rm -rf \"$at\"; mkdir -p \"$(dirname \"$at\")\"; {make}; timeout 20 {command}"
        );
        let ran = sandbox.sh(&script);
        assert!([2, 5].contains(&ran.code), "{path} made by {make}, {command}: {ran:?}");
        assert!(ran.err.contains("error: "), "{path} made by {make}, {command}: {ran:?}");
    }
}

#[test]
fn configuration_is_refused() {
    check("$LORE_HOME/config.toml", "lore status");
    check("$LORE_HOME/config.toml", "lore config set format json");
}

#[test]
fn client_settings_are_refused() {
    check("$HOME/.claude.json", "lore setup claude-code");
    check("$HOME/.claude.json", "lore setup claude-code --remove");
}

#[test]
fn policies_are_refused() {
    check("lore.toml", "lore status");
}

#[test]
fn databases_are_refused() {
    check("$LORE_HOME/lore.db", "lore status");
}

/// Something else in the place of a page is neither an internal error nor replaced.
#[test]
fn pages_are_refused() {
    for make in MADE {
        let sandbox = Sandbox::with_vault();
        sandbox.write("a.md", "# A\n");
        sandbox.sync();
        sandbox.sh(&format!("at=plan.md; {make}")).exits(0);
        for command in ["lore put plan.md <a.md", "lore put PLAN.md <a.md"] {
            let ran = sandbox.sh(&format!("timeout 20 {command}"));
            assert!(ran.code == 4 && ran.err.contains("is not a page path"), "{make}, {command}: {ran:?}");
        }
        let put = json!({ "slug": "plan.md", "content": "# Plan\n", "expected_version": 0 }).to_string();
        sandbox.run(&["call", "memory_put", &put]).exits(4).says("is not a page path");
        assert!(!fs::symlink_metadata(sandbox.vault().join("plan.md")).expect("a file").is_file(), "{make}");
    }
}

/// What lies where a backup would go is somebody else's: the backup gets another name.
#[test]
fn backups_of_settings_go_around_what_is_there() {
    for make in ["mkfifo $at", "ln -s /dev/zero $at", "mkdir -p $at", "echo 'another backup' >$at"] {
        let sandbox = Sandbox::with_vault();
        let settings = "{ \"theme\": \"dark\" }\n";
        fs::write(sandbox.root.join(".claude.json"), settings).expect("settings");
        let backup = sandbox.root.join(".claude.json.lore-backup");
        sandbox.sh(&format!("at={}; {make}", backup.display())).exits(0);
        sandbox.sh("timeout 20 lore setup claude-code").exits(0);
        let second = sandbox.root.join(".claude.json.lore-backup-2");
        assert_eq!(fs::read_to_string(&second).expect("a backup"), settings, "{make}");
        sandbox.sh("timeout 20 lore setup claude-code --remove").exits(0);
        let restored = fs::read_to_string(sandbox.root.join(".claude.json")).expect("settings");
        assert_eq!(restored, settings, "{make}");
        assert!(!second.exists(), "a backup that is not needed any more is removed");
        assert!(fs::symlink_metadata(&backup).is_ok(), "{make}");
        if make.starts_with("echo") {
            assert_eq!(fs::read_to_string(&backup).expect("a file"), "another backup\n");
        }
    }
}

#[test]
fn dangling_links_to_settings_are_kept() {
    let sandbox = Sandbox::with_vault();
    sandbox.sh("ln -s dotfiles/claude.json $HOME/.claude.json; lore setup claude-code").exits(0);
    let link = sandbox.root.join(".claude.json");
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    let made = fs::read_to_string(sandbox.root.join("dotfiles/claude.json")).expect("settings");
    assert!(made.contains("mcpServers"), "{made}");
}

#[test]
fn models_that_are_not_files_do_not_hang() {
    for make in ["mkfifo", "ln -s /dev/zero"] {
        let sandbox = Sandbox::with_vault();
        sandbox.write("a.md", "# A\n\nThe heron.\n");
        let script = format!(
            "mkdir -p ../m/bad; for f in model.safetensors config.json tokenizer.json; do {make} ../m/bad/$f; done;
             LORE_MODELS=$PWD/../m LORE_MODEL=bad timeout 20 lore search heron &&
             LORE_MODELS=$PWD/../m timeout 20 lore model list && LORE_MODELS=$PWD/../m timeout 20 lore doctor; test $? -ne 124"
        );
        sandbox.sh(&script).exits(0);
    }
}

/// A person may name a pipe, and a device that never ends. What is read of it is bounded.
#[test]
fn endless_input_is_refused() {
    let sandbox = Sandbox::with_vault();
    for arguments in
        [&["put", "page", "/dev/zero"][..], &["ingest", "/dev/zero"], &["capture", "--file", "/dev/zero"]]
    {
        let ran = sandbox.run(arguments);
        assert!(ran.code == 2 && ran.err.contains("larger than 268435456 bytes"), "{arguments:?}: {ran:?}");
    }
    sandbox.sh("cat /dev/zero | lore put page").exits(2).says("larger than 268435456 bytes");
    // A request that never ends: the process does not fill the memory, and ends.
    for command in ["pipe", "call search -", "serve"] {
        let ran = sandbox.sh(&format!("ulimit -v 4000000; lore {command} < /dev/zero"));
        assert!((0..=2).contains(&ran.code) && !ran.err.contains("memory allocation"), "{command}: {ran:?}");
    }
    sandbox.sh("mkfifo ../pipe; echo '# Page' > ../pipe & lore put page ../pipe").exits(0);
    assert_eq!(sandbox.read("page.md"), b"# Page\n");
}
