//! The environment of Lore: without git, without a home, with missing directories, with wrong clocks.

use std::fs;

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn missing_git_is_a_warning_of_init() {
    let sandbox = Sandbox::empty();
    let mut init = sandbox.command(&["init", "notes"]);
    let ran =
        crate::sandbox::Ran::from(init.env("PATH", sandbox.root.join("nothing")).output().expect("it runs"));
    ran.exits(0).says("the vault works without a repository");
    assert!(sandbox.root.join("notes/lore.toml").exists());
}

#[test]
fn init_creates_a_repository_and_sets_the_remote_once() {
    let sandbox = Sandbox::empty();
    let init = |remote: &str| sandbox.run(&["init", "notes", "--remote", remote]).ok();
    let remote = || sandbox.sh("git -C notes remote get-url origin").text();
    init("https://example.org/notes.git");
    assert_eq!(remote(), "https://example.org/notes.git\n");
    let log = || sandbox.sh("git -C notes log --format=%s").text();
    assert_eq!(log(), "Create the vault\n");
    init("https://example.org/other.git");
    assert_eq!((remote(), log()), ("https://example.org/notes.git\n".into(), "Create the vault\n".into()));
}

#[test]
fn missing_home_is_an_error_with_a_hint() {
    let sandbox = Sandbox::empty();
    let mut status = sandbox.command(&["status"]);
    status.env_remove("HOME").env_remove("LORE_HOME");
    let ran = crate::sandbox::Ran::from(status.output().expect("it runs"));
    ran.exits(2).says("cannot find the home directory").says("hint: set HOME");
}

#[test]
fn xdg_directories_are_used_without_lore_home() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.root.join("notes")).expect("a folder");
    let ran = sandbox
        .sh("unset LORE_HOME; lore init notes --no-git && find . -name lore.db -o -name config.toml | sort");
    let text = ran.ok().text();
    assert!(text.ends_with("\n./.config/lore/config.toml\n./.local/share/lore/lore.db\n"), "{text}");
    let ran = sandbox.sh(
        "unset LORE_HOME; export XDG_DATA_HOME=$PWD/data XDG_CONFIG_HOME=$PWD/conf; lore init notes --no-git",
    );
    ran.ok();
    assert!(
        sandbox.root.join("data/lore/lore.db").exists()
            && sandbox.root.join("conf/lore/config.toml").exists()
    );
}

#[test]
fn missing_vault_directory_is_reported_and_recovers() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("page.md", "zeppelin");
    sandbox.sync();
    let (vault, away) = (sandbox.vault(), sandbox.root.join("away"));
    fs::rename(&vault, &away).expect("a rename");
    for command in [&["--project", "v", "search", "zeppelin"][..], &["--project", "v", "sync"]] {
        sandbox.run(command).exits(5).says("does not exist").says("hint: restore the directory");
    }
    fs::write(&vault, "a file where the vault was").expect("a file");
    sandbox.run(&["--project", "v", "sync"]).exits(5).says("does not exist");
    fs::remove_file(&vault).expect("it is there");
    fs::rename(&away, &vault).expect("a rename");
    let report = sandbox.sync();
    assert_eq!((&report["removed"], &report["pages"]), (&json!([]), &json!(1)));
    assert_eq!(sandbox.search("zeppelin"), ["page"]);
}

#[test]
fn future_and_pre_1970_mtimes_are_indexed() {
    let sandbox = Sandbox::with_vault();
    for (name, time) in [("future", "2099-01-01T00:00:00Z"), ("past", "1960-01-01T00:00:00Z")] {
        sandbox.write(&format!("{name}.md"), name);
        sandbox.sh(&format!("touch -d {time} {name}.md")).ok();
    }
    assert_eq!(sandbox.sync()["added"], json!(["future.md", "past.md"]));
    assert_eq!(sandbox.sync()["modified"], json!([]));
    assert_eq!(sandbox.run(&["list", "--format", "brief"]).ok().text(), "future\npast\n");
    sandbox.sh("LORE_NOW=yesterday lore status").exits(2).says("LORE_NOW is \"yesterday\"");
}

#[test]
fn quiet_prints_only_errors_and_verbose_prints_more() {
    let sandbox = Sandbox::with_vault();
    fs::create_dir(sandbox.vault().join("x.md")).expect("a folder");
    sandbox.run(&["status"]).ok();
    sandbox.run(&["-v", "status"]).exits(0).says("skipped x.md: it is a directory");
    sandbox.run(&["-q", "get", "nothing"]).exits(1).says("error: no page matches \"nothing\"");
    fs::write(sandbox.database(), "garbage ".repeat(100)).expect("a file");
    sandbox.run(&["-q", "status"]).ok();
}
