//! `save`: edits made in an editor are checked and committed like any write.

use std::fs;
use std::process::Child;

use serde_json::{Value, json};

use crate::git_support::{GitVault, TOKEN, node, texts};
use crate::hand_edits::suspended_at;
use crate::sandbox::Ran;

const SUMMARY: &str = "summary: What One is about.\n";
const MARKER: &str = "<<<<<<< ours\n";

fn roam() -> GitVault {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.put("two", &node(2, "Two", "Text.")).ok();
    vault
}

fn save(vault: &GitVault, files: &[&str]) -> Ran {
    vault.lore(&[&["save"], files].concat())
}

/// Asserts that a save was refused with one finding, and that nothing was committed.
#[track_caller]
fn refused(vault: &GitVault, files: &[&str], path: &str, message: &str) -> Value {
    let (head, index) = (vault.head(), vault.sandbox.files());
    let view = save(vault, files).exits(4).json();
    let found = &view["findings"][0];
    assert_eq!((&view["valid"], &found["path"]), (&json!(false), &json!(path)), "{view}");
    assert!(found["message"].as_str().is_some_and(|text| text.contains(message)), "{view}");
    assert!(vault.head() == head && vault.sandbox.files() == index, "a refused save changed files or git");
    view
}

#[test]
fn clean_save_is_committed_with_the_generated_files() {
    let vault = roam();
    vault.edit_by_hand("one.md", SUMMARY, "summary: Another one.\n");
    let before = vault.head();
    let view = save(&vault, &["one.md"]).ok().json();
    assert_eq!((&view["saved"], &view["generated"]), (&json!(["one.md"]), &json!(["index.md"])));
    assert_eq!(view["commit"], json!(vault.head()));
    assert_eq!(vault.subjects_since(&before), ["Edit one.md"]);
    assert_eq!(vault.files_of("HEAD"), ["M index.md", "M one.md"]);
    assert!(vault.read("index.md").contains("Another one."));
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    assert_eq!(vault.lore(&["query", "another one"]).ok().json()["hits"][0]["slug"], "one");
    let again = save(&vault, &["one.md"]).ok().json();
    assert_eq!((again.get("commit"), &again["valid"]), (None, &json!(true)));
    assert_eq!(
        vault.lore(&["history", "one"]).ok().json()["version"],
        json!(2),
        "a person's edit is a version"
    );
}

#[test]
fn invalid_page_is_not_committed_until_it_is_fixed() {
    let vault = roam();
    vault.edit_by_hand("one.md", SUMMARY, "");
    let view = refused(&vault, &["one.md"], "one.md", "`summary` is missing");
    assert_eq!(view["findings"][0]["line"], 1);
    assert_eq!(view["git"]["uncommitted"], json!(["one.md"]));
    vault.edit_by_hand("one.md", "status: current\n", "status: current\nsummary: Fixed.\n");
    let before = vault.head();
    save(&vault, &["one.md"]).ok();
    assert_eq!(vault.subjects_since(&before), ["Edit one.md"]);
    vault.lore(&["edit", "two", "--append", "An agent may write again."]).ok();
}

#[test]
fn next_clean_save_commits_what_was_refused_before() {
    let vault = roam();
    vault.edit_by_hand("one.md", SUMMARY, "");
    refused(&vault, &["one.md"], "one.md", "summary");
    vault.edit_by_hand("two.md", "Text.", "New text.");
    let view = refused(&vault, &["two.md"], "one.md", "summary");
    assert_eq!(view["pending"], json!(["one.md", "two.md"]));
    vault.edit_by_hand("one.md", "status: current\n", "status: current\nsummary: Fixed.\n");
    let view = save(&vault, &["one.md"]).ok().json();
    assert_eq!((&view["saved"], view.get("pending")), (&json!(["one.md", "two.md"]), None));
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn pages_are_independent_if_the_policy_checks_only_the_change() {
    let vault = GitVault::with_profile("notes");
    for page in ["one", "two", "other"] {
        vault.put(page, "Text.\n").ok();
    }
    vault.sandbox.write("one.md", MARKER);
    refused(&vault, &["one.md"], "one.md", "conflict");
    vault.edit_by_hand("two.md", "Text.", "New text.");
    vault.edit_by_hand("other.md", "Text.", "Not saved by an editor.");
    let view = save(&vault, &["two.md"]).ok().json();
    assert_eq!((&view["saved"], &view["pending"]), (&json!(["two.md"]), &json!(["one.md"])));
    assert_eq!(vault.uncommitted(), ["M one.md", "M other.md"].map(|line| format!(" {line}")));
    vault.sandbox.write("one.md", "Resolved.\n");
    let view = save(&vault, &["two.md"]).ok().json();
    assert_eq!(view["saved"], json!(["one.md", "two.md"]));
    assert_eq!(vault.uncommitted(), [" M other.md"], "edits that nobody saved here are left alone");
}

#[test]
fn credentials_are_refused_in_every_kind_of_file() {
    let vault = GitVault::with_profile("notes");
    vault.put("one", "Text.\n").ok();
    let secret = TOKEN.concat();
    for path in ["one.md", "list.txt", "lore.toml"] {
        let text = format!("# token {secret}\n");
        vault.sandbox.write(path, text);
        let view = refused(&vault, &[path], path, "");
        assert!(!view.to_string().contains(&secret), "{path}: {view}");
    }
    assert_eq!(vault.git(&["log", "--all", "--format=%h", &format!("-S{secret}")]), "");
}

#[test]
fn generated_and_raw_files_are_skipped() {
    let vault = roam();
    let head = vault.head();
    vault.sandbox.write("index.md", "# My own index\n");
    vault.sandbox.write("raw/source.md", "# Source\n");
    let view = save(&vault, &["index.md", "raw/source.md"]).ok().json();
    assert_eq!((&view["saved"], view["skipped"].as_array().map(Vec::len)), (&json!([]), Some(2)));
    assert!(view["skipped"][0]["reason"].as_str().is_some_and(|why| why.contains("lore generate")), "{view}");
    assert_eq!((vault.head(), vault.read("index.md").as_str()), (head, "# My own index\n"));
}

#[test]
fn deleted_and_renamed_files_are_saved() {
    let vault = GitVault::with_profile("notes");
    vault.put("one", "Text of one page that moves.\n").ok();
    vault.put("two", "Text.\n").ok();
    let at = |path: &str| vault.sandbox.vault().join(path);
    fs::create_dir(at("folder")).expect("a folder");
    fs::rename(at("one.md"), at("folder/one.md")).expect("a file");
    save(&vault, &["one.md", "folder/one.md"]).ok();
    assert_eq!(vault.files_of("HEAD"), ["A folder/one.md", "D one.md"]);
    fs::remove_file(at("two.md")).expect("a file");
    save(&vault, &["two.md"]).ok();
    assert_eq!(vault.subjects_since("HEAD~1"), ["Delete two.md"]);
    assert_eq!(vault.lore(&["list"]).ok().json()["total"], 1);
}

#[test]
fn page_that_others_link_to_is_not_deleted_if_the_policy_forbids_broken_links() {
    let vault = roam();
    vault.lore(&["edit", "two", "--append", "See [[one]]."]).ok();
    fs::remove_file(vault.sandbox.vault().join("one.md")).expect("a file");
    refused(&vault, &["one.md"], "two.md", "one");
}

#[test]
fn paths_are_found_from_everywhere_and_never_outside() {
    let vault = GitVault::with_profile("notes");
    vault.put("folder/one", "Text.\n").ok();
    let root = vault.sandbox.root.clone();
    std::os::unix::fs::symlink(vault.sandbox.vault(), root.join("linked")).expect("a link");
    let linked = root.join("linked/folder/one.md").display().to_string();
    let spellings = ["one.md", "folder/one.md", "../folder/one.md", &linked];
    for (number, path) in spellings.iter().enumerate() {
        vault.sandbox.write("folder/one.md", format!("Text {number}.\n"));
        let mut command = vault.at(crate::git_support::NOON, &["save", path]);
        let ran =
            Ran::from(command.current_dir(vault.sandbox.vault().join("folder")).output().expect("it runs"));
        assert_eq!(ran.ok().json()["saved"], json!(["folder/one.md"]), "{path}");
    }
    fs::write(root.join("outside.md"), "Outside.\n").expect("a file");
    let outside = root.join("outside.md").display().to_string();
    for path in ["../outside.md", &outside, "folder/../../outside.md"] {
        save(&vault, &[path]).exits(2).says("is not in the vault");
    }
    save(&vault, &["nowhere.md"]).exits(2).says("there is no file nowhere.md");
    save(&vault, &[".git/config"]).exits(4).says("start with a dot");
    vault.lore(&["call", "save", r#"{"files": []}"#]).exits(2).says("no file is given");
    let called = vault.lore(&["call", "save", r#"{"files": ["folder/one.md"]}"#]).ok().json();
    assert_eq!(called["saved"], json!(["folder/one.md"]));
}

#[test]
fn vault_without_a_repository_is_checked_too() {
    let vault = GitVault::without_vault();
    vault.lore(&["init", "--profile", "notes", "--no-git"]).ok();
    vault.sandbox.write("one.md", MARKER);
    assert_eq!(save(&vault, &["one.md"]).exits(4).json()["findings"][0]["rule"], "conflict");
    vault.sandbox.write("one.md", "Text.\n");
    let view = save(&vault, &["one.md"]).ok().json();
    assert_eq!((&view["saved"], view.get("commit")), (&json!(["one.md"]), None));
}

#[test]
fn commit_that_fails_is_made_by_the_next_save() {
    let vault = GitVault::with_profile("notes");
    vault.put("one", "Text.\n").ok();
    let before = vault.head();
    vault.sandbox.write(".git/index.lock", "");
    vault.sandbox.write("one.md", "New text.\n");
    let view = save(&vault, &["one.md"]).ok().json();
    assert_eq!((&view["valid"], view.get("commit")), (&json!(true), None));
    assert!(texts(&view["warnings"]).join("\n").contains("not committed yet"), "{view}");
    fs::remove_file(vault.sandbox.vault().join(".git/index.lock")).expect("a lock");
    save(&vault, &["one.md"]).ok();
    assert_eq!(vault.git(&["show", "HEAD:one.md"]), "New text.");
    assert_eq!(vault.subjects_since(&before).len(), 1);
}

#[test]
fn save_on_a_diverged_branch_commits_and_warns() {
    let vault = GitVault::with_remote("notes");
    vault.put("one", "Text.\n").ok();
    let clone = vault.clone_remote();
    vault.push_from(&clone, "elsewhere.md", "Elsewhere.\n");
    vault.git(&["fetch", "--quiet"]);
    vault.sandbox.write("one.md", "New text.\n");
    let view = save(&vault, &["one.md"]).ok().json();
    assert_eq!(view["commit"], json!(vault.head()));
    assert!(texts(&view["git"]["warnings"]).join("\n").contains("remote diverged"), "{view}");
}

/// Edits that come while the first version is checked: only a version that was checked is committed.
#[test]
fn file_saved_again_meanwhile_is_checked_again() {
    let vault = roam();
    vault.edit_by_hand("one.md", "Text.", "First text.");
    let mut command = vault.at(crate::git_support::NOON, &["save", "one.md"]);
    command.env("LORE_FAULT", "stop@judged");
    let ran = suspended_at(&vault.sandbox, &mut command, b"", || vault.edit_by_hand("one.md", SUMMARY, ""))
        .expect("it was suspended");
    let view = ran.exits(4).json();
    assert_eq!(view["findings"][0]["rule"], "field-missing", "{view}");
    assert_eq!(vault.uncommitted(), [" M one.md"]);
}

/// git reads a file twice while it commits it. If an editor saves it in between, its index has an older version than the
/// commit, and the file would look changed for ever.
#[test]
fn index_of_git_follows_a_file_that_changes_during_the_commit() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let hook = "#!/bin/sh\ntouch page.md\n\
                git update-index --cacheinfo 100644,$(git rev-parse HEAD~1:page.md),page.md\n";
    vault.sandbox.write(".git/hooks/post-commit", hook);
    vault.sandbox.sh("chmod +x .git/hooks/post-commit").ok();
    vault.sandbox.write("page.md", "Two\n");
    save(&vault, &["page.md"]).ok();
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn killed_save_is_made_again() {
    for point in ["judged", "admitted"] {
        let vault = roam();
        vault.edit_by_hand("one.md", "Text.", "New text.");
        let mut command = vault.at(crate::git_support::NOON, &["save", "one.md"]);
        let ran = Ran::from(command.env("LORE_FAULT", point).output().expect("it runs"));
        assert_eq!(ran.code, -6, "{point}: {ran:?}");
        save(&vault, &["one.md"]).ok();
        assert_eq!(vault.uncommitted(), Vec::<String>::new(), "{point}");
        assert!(vault.git(&["show", "HEAD:one.md"]).contains("New text."), "{point}");
    }
}

#[test]
fn saves_beside_agents_lose_nothing() {
    let vault = GitVault::with_profile("notes");
    let names: Vec<String> = (0..6).map(|number| format!("p{number}")).collect();
    for name in &names {
        vault.put(name, "Text.\n").ok();
    }
    let start = |arguments: &[&str]| vault.sandbox.spawn(&mut vault.at(crate::git_support::NOON, arguments));
    let mut running: Vec<Child> = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let file = format!("{name}.md");
        if number % 2 == 0 {
            vault.sandbox.write(&file, "By hand.\n");
            running.push(start(&["save", &file]));
        } else {
            running.push(start(&["edit", name, "--append", "By an agent."]));
        }
    }
    for child in running {
        Ran::from(child.wait_with_output().expect("it ran")).ok();
    }
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    for (number, name) in names.iter().enumerate() {
        let line = if number % 2 == 0 { "By hand." } else { "By an agent." };
        assert!(vault.git(&["show", &format!("HEAD:{name}.md")]).ends_with(line), "{name}");
    }
}

#[test]
fn supersession_cycle_is_refused() {
    let vault = roam();
    vault.edit_by_hand("one.md", "Text.", "- supersedes [[two]]");
    save(&vault, &["one.md"]).ok();
    vault.edit_by_hand("two.md", "Text.", "- supersedes [[one]]");
    let view = refused(&vault, &["two.md"], "two.md", "one, two supersede each other");
    assert!(view["findings"][0]["line"].is_u64(), "{view}");
    vault.edit_by_hand("two.md", "- supersedes [[one]]", "- supersedes [[two]]");
    refused(&vault, &["two.md"], "two.md", "two supersedes itself");
    vault.edit_by_hand("two.md", "- supersedes [[two]]", "Text.");
    save(&vault, &["two.md"]).ok();
    let link = ["link", "two", "two", "--relationship", "supersedes"];
    let itself = vault.lore(&link).exits(4);
    itself.says("two would supersede itself").says("name the page that it supersedes");
}
