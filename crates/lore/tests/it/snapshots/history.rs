//! `history`, `diff` and `blame`, with a repository and without one.

use serde_json::{Value, json};

use crate::git_support::GitVault;

/// Creates a vault with a page of three versions by two actors, with a person's edit in between.
fn with_history(git: bool) -> GitVault {
    let vault = GitVault::without_vault();
    vault
        .lore(if git { &["init", "--profile", "notes"] } else { &["init", "--profile", "notes", "--no-git"] })
        .ok();
    vault.put("page", "One\n").ok();
    vault.edit_by_hand("page.md", "One\n", "One\nTwo by Ada\n");
    vault.by("codex", &["edit", "page", "--append", "Three"]).ok();
    vault
}

fn each<'v>(value: &'v Value, key: &str) -> Vec<&'v Value> {
    let items = value.as_array().expect("a list");
    items.iter().map(|item| &item[key]).collect()
}

#[test]
fn history_lists_snapshots_and_commits() {
    for git in [false, true] {
        let vault = with_history(git);
        let history = vault.lore(&["history", "page"]).ok().json();
        assert_eq!(
            (&history["path"], &history["version"], &history["actor"]),
            (&json!("page.md"), &json!(3), &json!("codex"))
        );
        let snapshots = &history["snapshots"];
        assert_eq!(each(snapshots, "version"), [&json!(2), &json!(1)], "every version that was replaced");
        assert_eq!(each(snapshots, "actor"), [&Value::Null, &json!("tester")], "{history}");
        assert_eq!(
            (&snapshots[0]["replaced"], &snapshots[0]["bytes"]),
            (&json!("2026-11-01T12:00:00Z"), &json!(15))
        );
        let subjects = each(&history["commits"], "subject");
        match git {
            false => assert!(subjects.is_empty(), "{history}"),
            true => assert_eq!(
                subjects,
                ["Update page.md", "Commit edits made outside Lore to page.md", "Create page.md"]
            ),
        }
        vault.lore(&["edit", "page", "--append", "Four"]).ok();
        let history = vault.lore(&["history", "page"]).ok().json();
        let versions = each(&history["snapshots"], "version");
        assert_eq!(versions, [&json!(3), &json!(2), &json!(1)], "the newest first: {history}");
        assert_eq!(each(&history["snapshots"], "actor"), [&json!("codex"), &Value::Null, &json!("tester")]);
        let limited = vault.lore(&["history", "page", "--limit", "1"]).ok().json();
        assert_eq!(each(&limited["snapshots"], "version"), [&json!(3)]);
        assert_eq!(limited["commits"].as_array().map(Vec::len), Some(usize::from(git)));
    }
}

#[test]
fn human_history_has_one_line_per_version() {
    let vault = with_history(false);
    let history = vault.lore(&["history", "page"]).ok().json();
    let number = |at: usize| history["snapshots"][at]["snapshot"].to_string();
    let shown = vault.lore(&["history", "page", "--format", "human"]).ok().text();
    let expected = format!(
        "page.md is at version 3 (codex)\n\
         snapshot {:<5} version 2    replaced 2026-11-01T12:00:00Z       15 bytes  edited outside Lore\n\
         snapshot {:<5} version 1    replaced 2026-11-01T12:00:00Z        4 bytes  tester\n",
        number(0),
        number(1)
    );
    assert_eq!(shown, expected);
    let vault = with_history(true);
    let shown = vault.lore(&["history", "page", "--format", "human"]).ok().text();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 6, "{shown}");
    assert!(lines[3].starts_with("commit ") && lines[3].ends_with("codex: Update page.md"), "{shown}");
    assert!(lines[4].ends_with("Ada: Commit edits made outside Lore to page.md"), "{shown}");
    assert!(lines[5].ends_with("tester: Create page.md"), "{shown}");
}

#[test]
fn history_of_an_unknown_page_finds_nothing() {
    let vault = with_history(true);
    vault.lore(&["history", "nowhere"]).exits(1);
    vault.lore(&["diff", "nowhere"]).exits(1);
    vault.lore(&["restore", "nowhere", "--at", "1", "--yes"]).exits(1);
    vault.lore(&["blame", "nowhere"]).exits(1);
}

#[test]
fn diff_shows_changes_since_a_snapshot() {
    for git in [false, true] {
        let vault = with_history(git);
        let diff = vault.lore(&["diff", "page"]).ok().json();
        assert_eq!((&diff["added"], &diff["removed"]), (&json!(1), &json!(0)));
        let number = &diff["snapshot"];
        let text = format!(
            "--- page.md (snapshot {number})\n+++ page.md\n@@ -1,2 +1,3 @@\n One\n Two by Ada\n+Three\n"
        );
        assert_eq!(diff["diff"], text);
        assert_eq!(vault.lore(&["diff", "page", "--format", "human"]).ok().text(), text);
        vault.lore(&["edit", "page", "--find", "One", "--replace", "Eins"]).ok();
        let number = number.to_string();
        let since = vault.lore(&["diff", "page", "--at", &number]).ok().json();
        assert_eq!((&since["added"], &since["removed"]), (&json!(2), &json!(1)), "{since}");
        vault.lore(&["diff", "page", "--at", "999"]).exits(2).says("page.md has no snapshot 999");
        vault.put("new", "New\n").ok();
        vault.lore(&["diff", "new"]).exits(2).says("Lore has not changed it yet");
        vault.lore(&["restore", "page", "--at", &number, "--yes"]).ok();
        let same = vault.lore(&["diff", "page", "--at", &number, "--format", "human"]).ok().text();
        assert_eq!(same, format!("page.md is unchanged since snapshot {number}\n"));
    }
}

#[test]
fn blame_names_the_author_of_each_line() {
    let vault = with_history(false);
    let blame = vault.lore(&["blame", "page"]).ok().json();
    assert_eq!(blame["from"], "snapshots");
    assert_eq!(each(&blame["lines"], "text"), ["One", "Two by Ada", "Three"]);
    let shown = vault.lore(&["blame", "page", "--format", "human"]).ok().text();
    assert!(
        shown.lines().nth(2).is_some_and(|line| line.starts_with("codex ") && line.ends_with("   3  Three")),
        "{shown}"
    );
    let actors: Vec<&Value> = each(&blame["lines"], "actor");
    assert_eq!(actors[1..], [&Value::Null, &json!("codex")], "{blame}");
    let vault = with_history(true);
    let blame = vault.lore(&["blame", "page"]).ok().json();
    assert_eq!(blame["from"], "git");
    assert_eq!(each(&blame["lines"], "actor"), ["tester", "Ada", "codex"]);
    assert_eq!(each(&blame["lines"], "face"), ["pipe", "file", "cli"]);
    let first = vault.git(&["rev-list", "--max-parents=1", "--reverse", "HEAD", "--", "page.md"]);
    assert_eq!(blame["lines"][0]["commit"], first.lines().next().expect("a commit"));
}

#[test]
fn blame_without_a_repository_uses_snapshots() {
    let vault = GitVault::without_vault();
    vault.lore(&["init", "--profile", "notes", "--no-git"]).ok();
    vault.put("page", "One\nTwo\n").ok();
    vault.by("codex", &["edit", "page", "--append", "Three"]).ok();
    vault.by("ollama", &["edit", "page", "--find", "Two", "--replace", "Zwei"]).ok();
    let blame = vault.lore(&["blame", "page"]).ok().json();
    assert_eq!(each(&blame["lines"], "text"), ["One", "Zwei", "Three"]);
    assert_eq!(each(&blame["lines"], "actor"), ["tester", "ollama", "codex"]);
}

#[test]
fn uncommitted_line_has_no_author() {
    let vault = with_history(true);
    vault.edit_by_hand("page.md", "Three", "Three\nFour by Ada");
    let blame = vault.lore(&["blame", "page"]).ok().json();
    assert_eq!(blame["lines"][3]["text"], "Four by Ada");
    assert_eq!((&blame["lines"][3]["actor"], blame["lines"][3].get("commit")), (&Value::Null, None));
    let history = vault.lore(&["history", "page"]).ok().json();
    assert_eq!(
        (&history["actor"], &history["version"]),
        (&Value::Null, &json!(4)),
        "the page was edited by hand"
    );
}

#[test]
fn history_follows_a_move() {
    let vault = with_history(true);
    vault.lore(&["mv", "page", "folder/other"]).ok();
    let history = vault.lore(&["history", "folder/other"]).ok().json();
    let subjects = each(&history["commits"], "subject");
    assert_eq!(subjects.last().map(|subject| subject.as_str()), Some(Some("Create page.md")), "{history}");
    let blame = vault.lore(&["blame", "folder/other"]).ok().json();
    assert_eq!(each(&blame["lines"], "actor"), ["tester", "Ada", "codex"]);
}
