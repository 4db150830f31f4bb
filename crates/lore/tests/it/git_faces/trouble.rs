//! Git missing, switched off, locked, without a name, or stopped by a hook: the page is written all the same.

use std::fs;

use serde_json::json;

use crate::story::{NOON, Story, texts};

#[test]
fn a_vault_without_git_works_and_says_so() {
    let story = Story::untold();
    story.lore(&["init", "--profile", "notes", "--no-git"]).ok();
    let written = story.put("page", "One\n").ok().json();
    assert_eq!((written.get("commit"), written.get("warnings")), (None, None));
    assert_eq!(story.lore(&["git", "status"]).ok().json()["repository"], false);
    for command in ["push", "pull", "commit"] {
        story.lore(&["git", command]).exits(2).says("the vault is not in a git repository");
    }
    assert!(!story.sandbox.vault().join(".git").exists());
}

#[test]
fn a_machine_without_the_program_writes_with_a_warning_and_commits_when_it_is_back() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    let before = story.head();
    let mut command = story.at(NOON, &["edit", "page", "--append", "Two"]);
    let output = command.env("PATH", "/nonexistent").output().expect("it runs");
    let ran = crate::sandbox::Ran::from(output).ok();
    assert!(ran.text().contains("git is not installed"), "{ran:?}");
    assert_eq!((story.read("page.md"), story.head()), ("One\nTwo\n".to_owned(), before.clone()));
    story.lore(&["edit", "page", "--append", "Three"]).ok();
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}

#[test]
fn a_policy_without_commits_leaves_git_alone() {
    let story = Story::of("notes");
    story.sandbox.write("lore.toml", "[git]\ncommit = false\n");
    story.commit_by_hand("Policy");
    let (head, index) = (story.head(), story.sandbox.read(".git/index"));
    let written = story.put("page", "One\n").ok().json();
    assert_eq!(written.get("commit"), None);
    story.lore(&["edit", "page", "--append", "Two"]).ok();
    story.lore(&["git", "commit"]).exits(2).says("its policy disables commits");
    assert_eq!((story.head(), story.sandbox.read(".git/index")), (head, index));
    assert_eq!(story.uncommitted(), ["?? page.md"]);
}

#[test]
fn a_locked_index_delays_the_commit_and_nothing_else() {
    let story = Story::of("notes");
    story.put("one", "One\n").ok();
    story.put("two", "One\n").ok();
    let before = story.head();
    story.sandbox.write(".git/index.lock", "");
    let written = story.lore(&["edit", "one", "--append", "Two"]).ok().json();
    assert_eq!((&written["outcome"], written.get("commit")), (&json!("updated"), None));
    let told = texts(&written["warnings"]).join("\n");
    assert!(told.contains("not committed yet") && told.contains("index.lock"), "{told}");
    assert_eq!((story.read("one.md"), story.head()), ("One\nTwo\n".to_owned(), before.clone()));
    for command in [&["status"][..], &["git", "status"], &["context"]] {
        let told = texts(&story.lore(command).ok().json()["warnings"]).join("\n");
        assert!(
            told.contains("not committed yet: 1 write") && told.contains("index.lock"),
            "{command:?}: {told}"
        );
    }
    fs::remove_file(story.sandbox.vault().join(".git/index.lock")).expect("a lock");
    story.by("codex", &["edit", "two", "--append", "Two"]).ok();
    assert_eq!(story.subjects_since(&before), ["Update one.md", "Update two.md"]);
    let actors = story.git(&["log", "-2", "--format=%(trailers:key=Lore-Actor,valueonly,separator=)"]);
    assert_eq!(actors, "codex\ntester");
    assert_eq!(story.lore(&["status"]).ok().json()["warnings"], json!([]));
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}

#[test]
fn without_an_identity_commits_are_signed_by_lore() {
    let story = Story::untold();
    fs::write(story.sandbox.root.join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").expect("a file");
    story.lore(&["init", "--profile", "notes"]).ok();
    let written = story.put("page", "One\n").ok().json();
    assert_eq!(written["commit"], story.head());
    assert_eq!(story.git(&["log", "-1", "--format=%an <%ae>|%cn"]), "Lore <lore@localhost>|Lore");
    fs::write(story.sandbox.root.join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n\tname = Ada\n")
        .expect("a file");
    story.put("page", "Two\n").ok();
    assert_eq!(story.git(&["log", "-1", "--format=%an <%ae>"]), "Ada <lore@localhost>");
}

#[test]
fn a_hook_that_fails_stops_the_commit_and_not_the_write() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    let before = story.head();
    story.sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'no commits on Sundays' >&2\nexit 1\n");
    story.sandbox.sh("chmod +x .git/hooks/pre-commit").ok();
    let written = story.put("page", "Two\n").ok().json();
    let told = texts(&written["warnings"]).join("\n");
    assert!(told.contains("no commits on Sundays"), "{told}");
    assert_eq!((story.read("page.md"), story.head()), ("Two\n".to_owned(), before.clone()));
    let new = story.put("new", "New\n").ok().json();
    assert!(texts(&new["warnings"]).join("\n").contains("no commits on Sundays"));
    assert_eq!(story.uncommitted(), [" M page.md", "?? new.md"], "what was not staged is not staged now");
    let told = texts(&story.lore(&["status"]).ok().json()["warnings"]).join("\n");
    assert!(told.contains("not committed yet: 2 writes") && told.contains("no commits on Sundays"), "{told}");
    fs::remove_file(story.sandbox.vault().join(".git/hooks/pre-commit")).expect("a hook");
    story.put("last", "Last\n").ok();
    assert_eq!(story.subjects_since(&before), ["Update page.md", "Create new.md", "Create last.md"]);
    assert_eq!(story.lore(&["status"]).ok().json()["warnings"], json!([]));
}

#[test]
fn a_write_that_waits_is_no_foreign_change_in_roam() {
    let story = Story::of("roam");
    story.sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    story.sandbox.sh("chmod +x .git/hooks/pre-commit").ok();
    story.lore(&["capture", "A lesson about looms"]).exits(0);
    story.lore(&["capture", "Another matter of no likeness"]).exits(0);
    fs::remove_file(story.sandbox.vault().join(".git/hooks/pre-commit")).expect("a hook");
    let before = story.head();
    story.lore(&["capture", "Third, on the price of tea"]).ok();
    assert_eq!(story.subjects_since(&before).len(), 3, "{:?}", story.subjects_since(&before));
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}

#[test]
fn while_a_merge_is_under_way_nothing_is_committed_into_it() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.git(&["checkout", "--quiet", "-b", "side"]);
    story.put("page", "Side\n").ok();
    story.git(&["checkout", "--quiet", "main"]);
    story.put("page", "Main\n").ok();
    story.sandbox.sh("git merge side").exits(1);
    let head = story.head();
    let written = story.put("other", "Other\n").ok().json();
    let told = texts(&written["warnings"]).join("\n");
    assert!(told.contains("a git merge is in progress"), "{told}");
    assert_eq!(story.head(), head);
    story.sandbox.write("page.md", "Both\n");
    story.commit_by_hand("Merge by Ada");
    story.put("third", "Third\n").ok();
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}
