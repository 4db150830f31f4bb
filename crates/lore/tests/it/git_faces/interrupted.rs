//! Commits that are interrupted between the moments in which git reads a file: by a kill, or by somebody who saves the file
//! again. git's index never stays behind the last commit, and a save ends with what is on disk committed.

use serde_json::json;

use crate::git_support::{GitVault, NOON, node};
use crate::hand_edits::suspended_at;
use crate::sandbox::Ran;

/// Leaves the version before the last commit in git's index, as if git had read an older file for it than for the commit.
const STALE_INDEX: &str = "#!/bin/sh\n\
    git update-index --cacheinfo 100644,$(git rev-parse HEAD~1:page.md),page.md\n";

/// Runs a command that is killed once git has made its commit, with an index that lags behind.
fn killed(vault: &GitVault, arguments: &[&str]) {
    vault.sandbox.write(".git/hooks/post-commit", STALE_INDEX);
    vault.sandbox.sh("chmod +x .git/hooks/post-commit").ok();
    let mut command = vault.at(NOON, arguments);
    let ran = Ran::from(command.env("LORE_FAULT", "recorded").output().expect("it runs"));
    assert_eq!(ran.code, -6, "{ran:?}");
    vault.sandbox.sh("rm .git/hooks/post-commit").ok();
    assert_eq!(vault.uncommitted(), ["MM page.md"], "{arguments:?}");
}

#[test]
fn index_of_git_follows_a_commit_whose_process_was_killed() {
    for (interrupted, next) in [
        (&["save", "page.md"][..], &["save", "page.md"][..]),
        (&["git", "commit"], &["git", "commit"]),
        (&["edit", "page", "--append", "Three"], &["sync"]),
    ] {
        let vault = GitVault::with_profile("notes");
        vault.put("page", "One\n").ok();
        if interrupted[0] != "edit" {
            vault.sandbox.write("page.md", "Two\n");
        }
        killed(&vault, interrupted);
        vault.lore(next).exits(0);
        assert_eq!(vault.uncommitted(), [""; 0], "{interrupted:?}");
        assert_eq!(vault.git(&["show", "HEAD:page.md"]).trim_end(), vault.read("page.md").trim_end());
    }
}

/// Somebody commits the file again before git has made the commit that deletes it.
#[test]
fn index_of_git_follows_a_deleted_file_that_is_back() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let mut command = vault.at(NOON, &["rm", "page", "--yes"]);
    command.env("LORE_FAULT", "stop@recorded");
    let back = "echo back > page.md; export GIT_INDEX_FILE=\"$PWD/.git/theirs\"; git read-tree HEAD &&
        git update-index --add page.md &&
        git update-ref HEAD $(git -c user.name=p -c user.email=p commit-tree -p HEAD -m Back $(git write-tree));
        rm .git/theirs";
    let ran = suspended_at(&vault.sandbox, &mut command, b"", || drop(vault.sandbox.sh(back).exits(0)));
    ran.expect("it was suspended").exits(0);
    assert_eq!(vault.uncommitted(), [""; 0]);
    assert_eq!(vault.read("page.md"), "back\n");
}

#[test]
fn file_saved_again_during_the_commit_is_committed_too() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.sandbox.write("page.md", "Two\n");
    let mut command = vault.at(NOON, &["save", "page.md"]);
    command.env("LORE_FAULT", "stop@recorded");
    let ran = suspended_at(&vault.sandbox, &mut command, b"", || vault.sandbox.write("page.md", "Three\n"));
    let view = ran.expect("it was suspended").exits(0).json();
    assert_eq!((&view["saved"], view.get("pending")), (&json!(["page.md"]), None), "{view}");
    assert_eq!(view["commit"], json!(vault.head()));
    assert_eq!(vault.uncommitted(), [""; 0]);
    assert_eq!(vault.git(&["show", "HEAD:page.md"]), "Three");
}

#[test]
fn invalid_file_saved_during_the_commit_is_reported() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "Text.", "New text.");
    let mut command = vault.at(NOON, &["save", "one.md"]);
    command.env("LORE_FAULT", "stop@recorded");
    let summary = "summary: What One is about.\n";
    let ran = suspended_at(&vault.sandbox, &mut command, b"", || vault.edit_by_hand("one.md", summary, ""));
    let view = ran.expect("it was suspended").exits(4).json();
    assert_eq!(view["findings"][0]["rule"], "field-missing", "{view}");
    assert_eq!(view["pending"], json!(["one.md"]), "{view}");
    assert_eq!(vault.uncommitted(), [" M one.md"]);
    assert!(vault.git(&["show", "HEAD:one.md"]).contains("New text."));
}
