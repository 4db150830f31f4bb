//! Git missing, disabled, locked, without an identity, or stopped by a hook: the page is written anyway.

use std::fs;

use serde_json::json;

use crate::git_support::{GitVault, NOON, texts};

#[test]
fn vault_without_git_works() {
    let vault = GitVault::without_vault();
    vault.lore(&["init", "--profile", "notes", "--no-git"]).ok();
    let written = vault.put("page", "One\n").ok().json();
    assert_eq!((written.get("commit"), written.get("warnings")), (None, None));
    assert_eq!(vault.lore(&["git", "status"]).ok().json()["repository"], false);
    for command in ["push", "pull", "commit"] {
        vault.lore(&["git", command]).exits(2).says("the vault is not in a git repository");
    }
    assert!(!vault.sandbox.vault().join(".git").exists());
}

#[test]
fn missing_git_is_a_warning_and_commits_follow_later() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let before = vault.head();
    let mut command = vault.at(NOON, &["edit", "page", "--append", "Two"]);
    let output = command.env("PATH", "/nonexistent").output().expect("it runs");
    let ran = crate::sandbox::Ran::from(output).ok();
    assert!(ran.text().contains("git is not installed"), "{ran:?}");
    assert_eq!((vault.read("page.md"), vault.head()), ("One\nTwo\n".to_owned(), before.clone()));
    vault.lore(&["edit", "page", "--append", "Three"]).ok();
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn policy_without_commits_leaves_git_alone() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("lore.toml", "[git]\ncommit = false\n");
    vault.commit_by_hand("Policy");
    let (head, index) = (vault.head(), vault.sandbox.read(".git/index"));
    let written = vault.put("page", "One\n").ok().json();
    assert_eq!(written.get("commit"), None);
    vault.lore(&["edit", "page", "--append", "Two"]).ok();
    vault.lore(&["git", "commit"]).exits(2).says("its policy disables commits");
    assert_eq!((vault.head(), vault.sandbox.read(".git/index")), (head, index));
    assert_eq!(vault.uncommitted(), ["?? page.md"]);
}

#[test]
fn locked_git_index_delays_only_the_commit() {
    let vault = GitVault::with_profile("notes");
    vault.put("one", "One\n").ok();
    vault.put("two", "One\n").ok();
    let before = vault.head();
    vault.sandbox.write(".git/index.lock", "");
    let written = vault.lore(&["edit", "one", "--append", "Two"]).ok().json();
    assert_eq!((&written["outcome"], written.get("commit")), (&json!("updated"), None));
    let warnings = texts(&written["warnings"]).join("\n");
    assert!(warnings.contains("not committed yet") && warnings.contains("index.lock"), "{warnings}");
    assert_eq!((vault.read("one.md"), vault.head()), ("One\nTwo\n".to_owned(), before.clone()));
    for command in [&["status"][..], &["git", "status"], &["context"]] {
        let warnings = texts(&vault.lore(command).ok().json()["warnings"]).join("\n");
        assert!(
            warnings.contains("not committed yet: 1 write") && warnings.contains("index.lock"),
            "{command:?}: {warnings}"
        );
    }
    fs::remove_file(vault.sandbox.vault().join(".git/index.lock")).expect("a lock");
    vault.by("codex", &["edit", "two", "--append", "Two"]).ok();
    assert_eq!(vault.subjects_since(&before), ["Update one.md", "Update two.md"]);
    let actors = vault.git(&["log", "-2", "--format=%(trailers:key=Lore-Actor,valueonly,separator=)"]);
    assert_eq!(actors, "codex\ntester");
    assert_eq!(vault.lore(&["status"]).ok().json()["warnings"], json!([]));
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn commits_without_an_identity_are_authored_by_lore() {
    let vault = GitVault::without_vault();
    fs::write(vault.sandbox.root.join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").expect("a file");
    vault.lore(&["init", "--profile", "notes"]).ok();
    let written = vault.put("page", "One\n").ok().json();
    assert_eq!(written["commit"], vault.head());
    assert_eq!(vault.git(&["log", "-1", "--format=%an <%ae>|%cn"]), "Lore <lore@localhost>|Lore");
    fs::write(vault.sandbox.root.join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n\tname = Ada\n")
        .expect("a file");
    vault.put("page", "Two\n").ok();
    assert_eq!(vault.git(&["log", "-1", "--format=%an <%ae>"]), "Ada <lore@localhost>");
}

#[test]
fn failing_hook_stops_the_commit_but_not_the_write() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let before = vault.head();
    vault.sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'no commits on Sundays' >&2\nexit 1\n");
    vault.sandbox.sh("chmod +x .git/hooks/pre-commit").ok();
    let written = vault.put("page", "Two\n").ok().json();
    let warnings = texts(&written["warnings"]).join("\n");
    assert!(warnings.contains("no commits on Sundays"), "{warnings}");
    assert_eq!((vault.read("page.md"), vault.head()), ("Two\n".to_owned(), before.clone()));
    let new = vault.put("new", "New\n").ok().json();
    assert!(texts(&new["warnings"]).join("\n").contains("no commits on Sundays"));
    assert_eq!(vault.uncommitted(), [" M page.md", "?? new.md"], "nothing was staged");
    let warnings = texts(&vault.lore(&["status"]).ok().json()["warnings"]).join("\n");
    assert!(
        warnings.contains("not committed yet: 2 writes") && warnings.contains("no commits on Sundays"),
        "{warnings}"
    );
    fs::remove_file(vault.sandbox.vault().join(".git/hooks/pre-commit")).expect("a hook");
    vault.put("last", "Last\n").ok();
    assert_eq!(vault.subjects_since(&before), ["Update page.md", "Create new.md", "Create last.md"]);
    assert_eq!(vault.lore(&["status"]).ok().json()["warnings"], json!([]));
}

#[test]
fn roam_does_not_treat_a_pending_write_as_a_foreign_edit() {
    let vault = GitVault::with_profile("roam");
    vault.sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    vault.sandbox.sh("chmod +x .git/hooks/pre-commit").ok();
    vault.lore(&["capture", "A lesson about looms"]).exits(0);
    vault.lore(&["capture", "Another matter of no likeness"]).exits(0);
    fs::remove_file(vault.sandbox.vault().join(".git/hooks/pre-commit")).expect("a hook");
    let before = vault.head();
    vault.lore(&["capture", "Third, on the price of tea"]).ok();
    assert_eq!(vault.subjects_since(&before).len(), 3, "{:?}", vault.subjects_since(&before));
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn nothing_is_committed_during_a_merge() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.git(&["checkout", "--quiet", "-b", "side"]);
    vault.put("page", "Side\n").ok();
    vault.git(&["checkout", "--quiet", "main"]);
    vault.put("page", "Main\n").ok();
    vault.sandbox.sh("git merge side").exits(1);
    let head = vault.head();
    let written = vault.put("other", "Other\n").ok().json();
    let warnings = texts(&written["warnings"]).join("\n");
    assert!(warnings.contains("a git merge is in progress"), "{warnings}");
    assert_eq!(vault.head(), head);
    vault.sandbox.write("page.md", "Both\n");
    vault.commit_by_hand("Merge by Ada");
    vault.put("third", "Third\n").ok();
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}
