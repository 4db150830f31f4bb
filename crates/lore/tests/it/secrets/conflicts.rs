//! Conflict markers of an unfinished merge: refused in every write, reported by lint, never committed.

use serde_json::json;

use crate::git_support::{GitVault, node};

const CONFLICT: &str = "Before.\n\n<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> topic\n";

#[test]
fn every_write_with_markers_is_refused() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "# Page\n\nOne\n").ok();
    let file = vault.sandbox.root.join("text.md");
    std::fs::write(&file, CONFLICT).expect("a file");
    let path = file.to_string_lossy().into_owned();
    let ways: [&[&str]; 5] = [
        &["put", "other", &path],
        &["capture", "--file", &path, "--keep"],
        &["edit", "page", "--append", CONFLICT],
        &["edit", "page", "--find", "One", "--replace", CONFLICT],
        &["edit", "page", "--section", "Page", "--with", CONFLICT],
    ];
    for arguments in ways {
        vault.refuses(|| vault.lore(arguments)).says("conflict marker").says("(conflict)");
    }
    let note = json!({ "title": "Other", "directory": "", "content": CONFLICT }).to_string();
    vault.refuses(|| vault.lore(&["call", "write_note", &note])).says("conflict marker");
    let diff3 = CONFLICT.replace("=======", "||||||| base\nBase.\n=======");
    let found = vault.refuses(|| vault.put("other", &diff3));
    for line in [3, 5, 7, 9] {
        assert!(found.err.contains(&format!("other.md:{line}: a conflict marker")), "{}", found.err);
    }
}

#[test]
fn headings_and_code_are_accepted() {
    let vault = GitVault::with_profile("notes");
    vault.put("setext", "Heading\n=======\n\nText.\n").ok();
    vault.put("code", &format!("# Merging\n\n```\n{CONFLICT}```\n")).ok();
    vault.put("quote", ">>>>>>> deep\n>>>>>>> quote\n").ok();
    vault.lore(&["lint"]).ok();
}

#[test]
fn markers_on_disk_are_an_error_and_stay_uncommitted() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("page.md", CONFLICT);
    vault.sandbox.write("howto.txt", CONFLICT);
    assert_eq!(vault.findings(), vec![("conflict".to_owned(), "page.md".to_owned()); 3]);
    let output = vault.lore(&["git", "commit"]).exits(4).json();
    assert_eq!(output["left_out"][0]["path"], "page.md");
    assert_eq!(output["left_out"][0]["rule"], "conflict");
    assert_eq!(vault.files_of("HEAD"), ["A howto.txt"], "only pages are checked");
    vault.lore(&["edit", "page", "--append", "More."]).exits(4).says("page.md:3: a conflict marker");
    vault.sandbox.write("page.md", "Before.\n\nOurs.\n");
    vault.lore(&["git", "commit"]).ok();
}

#[test]
fn committed_markers_do_not_block_a_commit_of_other_lines() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("page.md", CONFLICT);
    vault.commit_by_hand("Markers by mistake");
    vault.edit_by_hand("page.md", "Before.", "Long before.");
    vault.lore(&["git", "commit"]).ok();
    vault.edit_by_hand("page.md", ">>>>>>> topic", ">>>>>>> another");
    vault.lore(&["git", "commit"]).exits(4).says("page.md:7");
}

#[test]
fn strict_vault_refuses_other_writes_until_resolved() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "Text.\n", CONFLICT);
    vault.commit_by_hand("Markers by mistake");
    vault.refuses(|| vault.lore(&["capture", "A lesson about looms"])).says("one.md").says("(conflict)");
}
