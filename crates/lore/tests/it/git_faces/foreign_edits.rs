//! Changes made by a person: left alone, refused, or committed separately from an agent's.

use serde_json::{Value, json};

use crate::git_support::{GitVault, id, node, texts};

#[test]
fn foreign_and_staged_changes_are_left_alone() {
    let vault = GitVault::with_profile("notes");
    vault.put("mine", "One\n").ok();
    vault.put("staged", "One\n").ok();
    vault.put("changed", "One\n").ok();
    vault.sandbox.write("staged.md", "Two\n");
    vault.git(&["add", "staged.md"]);
    vault.sandbox.write("staged.md", "Three\n");
    vault.sandbox.write("changed.md", "Two\n");
    vault.sandbox.write("new.md", "New\n");
    vault.sandbox.write("added.md", "New\n");
    vault.git(&["add", "added.md"]);
    let theirs = ["A  added.md", " M changed.md", "MM staged.md", "?? new.md"];
    let before = vault.uncommitted();
    assert_eq!(before.len(), theirs.len(), "{before:?}");
    for arguments in
        [&["edit", "mine", "--append", "Two"][..], &["mv", "mine", "ours"], &["rm", "ours", "-y"]]
    {
        let head = vault.head();
        vault.lore(arguments).ok();
        assert_eq!(vault.subjects_since(&head).len(), 1, "{arguments:?}");
        assert_eq!(vault.uncommitted(), before, "{arguments:?}");
        assert!(theirs.iter().all(|line| before.contains(&(*line).to_owned())), "{before:?}");
    }
    assert_eq!(vault.git(&["show", ":staged.md"]), "Two", "the staged content is unchanged");
}

#[test]
fn roam_refuses_writes_until_foreign_edits_are_committed() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.put("two", &node(2, "Two", "Text.")).ok();
    vault.edit_by_hand("one.md", "Text.", "Text by Ada.");
    let writes: [&[&str]; 3] = [
        &["capture", "A lesson about something else entirely", "--title", "Lesson"],
        &["edit", "two", "--append", "More."],
        &["rm", "two", "--yes"],
    ];
    for arguments in writes {
        let ran = vault.refuses(|| vault.lore(arguments));
        ran.says("one.md").says("`lore git commit`");
    }
    let state = vault.lore(&["git", "status"]).ok().json();
    assert_eq!(texts(&state["uncommitted"]), ["one.md"]);
    let head = vault.head();
    vault.lore(&["git", "commit", "-m", "Ada's own words"]).ok();
    assert_eq!(vault.subjects_since(&head), ["Ada's own words"]);
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    vault.lore(writes[0]).ok();
}

#[test]
fn roam_refuses_writes_beside_any_untracked_file() {
    let vault = GitVault::with_profile("roam");
    vault.sandbox.write("picture.png", b"\x89PNG\0");
    vault.refuses(|| vault.lore(&["capture", "A lesson"])).says("picture.png");
    vault.sandbox.write(".gitignore", "*.png\n");
    vault.refuses(|| vault.lore(&["capture", "A lesson"])).says(".gitignore");
    vault.commit_by_hand("Ignore pictures");
    vault.lore(&["capture", "A lesson"]).ok();
}

#[test]
fn git_commit_regenerates_the_index_and_refuses_invalid_pages() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    let head = vault.head();
    vault.sandbox.write("two.md", node(2, "Two", "Text.").replace("summary: What Two is about.\n", ""));
    let ran = vault.lore(&["git", "commit"]).exits(4).says("two.md:1: the property `summary` is missing");
    assert!(ran.err.contains("\nhint: "), "{}", ran.err);
    assert_eq!(vault.head(), head);
    assert!(vault.read("two.md").contains("# Two"), "the person's text is unchanged");
    vault.sandbox.write("two.md", node(2, "Two", "Text."));
    let done = vault.lore(&["git", "commit"]).ok().json();
    assert_eq!(done["message"], "committed 2 files");
    let mut files = vault.files_of("HEAD");
    files.sort();
    assert_eq!(files, ["A two.md", "M index.md"]);
    assert!(vault.read("index.md").contains(&id(2)));
    assert_eq!(vault.lore(&["git", "commit"]).ok().json()["message"], "nothing to commit");
}

#[test]
fn refused_commit_changes_nothing() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "summary: What One is about.\n", "");
    vault.refuses(|| vault.lore(&["git", "commit"])).says("nothing was changed");
}

#[test]
fn page_can_be_fixed_after_a_refused_commit() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "summary: What One is about.\n", "");
    vault.lore(&["git", "commit"]).exits(4);
    vault.lore(&["edit", "one", "--set", "summary=One."]).ok();
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn foreign_edit_is_committed_before_the_agents_edit() {
    for profile in ["notes", "roam"] {
        let vault = GitVault::with_profile(profile);
        vault.put("page", &node(1, "Page", "Line of the agent.")).ok();
        vault.edit_by_hand("page.md", "Line of the agent.", "Line of the agent.\nLine of Ada.");
        let before = vault.head();
        vault.by("codex", &["edit", "page", "--append", "Line of codex."]).ok();
        let subjects = vault.subjects_since(&before);
        assert_eq!(subjects, ["Commit edits made outside Lore to page.md", "Update page.md"], "{profile}");
        let person = vault.git(&[
            "show",
            "--format=%an|%(trailers:key=Lore-Actor,valueonly)",
            "HEAD~1",
            "--",
            "page.md",
        ]);
        assert!(person.starts_with("Ada|\n") && person.contains("\n+Line of Ada."), "{profile}: {person}");
        assert!(!person.contains("codex"), "{profile}: {person}");
        let blame = vault.lore(&["blame", "page"]).ok().json();
        assert_eq!(blame["from"], "git");
        let writer = |text: &str| -> Vec<Value> {
            let lines = blame["lines"].as_array().expect("lines").iter();
            lines
                .filter(|line| line["text"] == text)
                .map(|line| json!([line["actor"], line["face"]]))
                .collect()
        };
        assert_eq!(writer("Line of the agent."), [json!(["tester", "pipe"])], "{profile}");
        assert_eq!(writer("Line of Ada."), [json!(["Ada", "file"])], "{profile}");
        assert_eq!(writer("Line of codex."), [json!(["codex", "cli"])], "{profile}");
        assert_eq!(vault.uncommitted(), Vec::<String>::new(), "{profile}");
    }
}

#[test]
fn foreign_page_is_committed_before_the_agents_edit() {
    let vault = GitVault::with_profile("notes");
    vault.put("first", "So that there is a commit.\n").ok();
    let before = vault.head();
    vault.sandbox.write("page.md", "Line of Ada.\n");
    vault.lore(&["edit", "page", "--append", "Line of the agent."]).ok();
    assert_eq!(vault.subjects_since(&before).len(), 2, "{:?}", vault.subjects_since(&before));
    assert_eq!(vault.git(&["show", "HEAD~1:page.md"]), "Line of Ada.");
}

#[test]
fn committed_foreign_edit_is_not_committed_again() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.sandbox.write("page.md", "One\nTwo by Ada\n");
    vault.commit_by_hand("Ada's");
    let before = vault.head();
    vault.lore(&["edit", "page", "--append", "Three"]).ok();
    assert_eq!(vault.subjects_since(&before), ["Update page.md"]);
}

#[test]
fn staged_foreign_edit_is_committed_as_on_disk() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.sandbox.write("page.md", "One\nStaged by Ada\n");
    vault.git(&["add", "page.md"]);
    vault.sandbox.write("page.md", "One\nStaged by Ada\nAnd changed\n");
    vault.lore(&["edit", "page", "--append", "Three"]).ok();
    assert_eq!(vault.git(&["show", "HEAD~1:page.md"]), "One\nStaged by Ada\nAnd changed");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn refused_write_does_not_commit_foreign_edits() {
    let vault = GitVault::with_profile("roam");
    vault.put("page", &node(1, "Page", "Text.")).ok();
    vault.edit_by_hand("page.md", "Text.", "Text of Ada.");
    vault.refuses(|| vault.lore(&["edit", "page", "--set", "status=unheard-of"])).says("unheard-of");
    vault.refuses(|| vault.lore(&["edit", "page", "--append", "See [[Nowhere]]."])).says("Nowhere");
}

#[test]
fn foreign_edit_during_a_pending_commit_is_not_attributed_to_the_agent() {
    let vault = GitVault::with_profile("notes");
    vault.put("one", "One\n").ok();
    vault.put("two", "One\n").ok();
    let hook = vault.sandbox.vault().join(".git/hooks/pre-commit");
    vault
        .sandbox
        .sh("printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit")
        .ok();
    vault.lore(&["edit", "one", "--append", "Line of the agent."]).exits(0);
    vault.edit_by_hand("one.md", "Line of the agent.", "Line of the agent.\nLine of Ada.");
    std::fs::remove_file(hook).expect("a hook");
    vault.lore(&["edit", "two", "--append", "Two"]).ok();
    let lines = vault.lore(&["blame", "one"]).ok().json()["lines"].clone();
    let ada = lines.as_array().expect("lines").iter().find(|line| line["text"] == "Line of Ada.").cloned();
    assert_ne!(ada.expect("her line")["actor"], "tester", "{lines}");
}

#[test]
fn editors_own_files_neither_block_a_write_nor_enter_a_commit() {
    let vault = GitVault::with_profile("roam");
    let files = [".#start-here.md", "#start-here.md#", "start-here.md~", ".start-here.md.swp", ".DS_Store"];
    for path in files.iter().chain(&[".obsidian/workspace.json"]) {
        vault.sandbox.write(path, "an editor's own\n");
    }
    vault.lore(&["capture", "A lesson about looms."]).ok();
    vault.sandbox.write("README.md", "# Edited by hand\n");
    vault.lore(&["git", "commit"]).ok();
    assert_eq!(vault.files_of("HEAD"), ["M README.md"]);
    assert_eq!(vault.lore(&["git", "status"]).ok().json()["uncommitted"], serde_json::json!([]));
    assert_eq!(vault.uncommitted().len(), 6, "git itself still sees them");
}
