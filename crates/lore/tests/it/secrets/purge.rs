//! `lore secrets purge`: nothing of a credential is left in files, ledger, index and the bytes of the database.

use serde_json::json;

use super::{home_files, line, nothing_in_git, silent, token};
use crate::git_support::{GitVault, TOKEN};

/// Returns the fingerprint of the only credential in the vault.
#[track_caller]
fn fingerprint(vault: &GitVault) -> String {
    let found = vault.lore(&["secrets", "scan"]).exits(4).json();
    found["secrets"][0]["fingerprint"].as_str().expect("a fingerprint").to_owned()
}

/// Asserts that no file of Lore's home has a part of the credential, in any case: full-text search folds words.
#[track_caller]
fn nothing_at_home(vault: &GitVault) {
    for (path, bytes) in home_files(vault) {
        let lower = bytes.to_ascii_lowercase();
        for part in [&TOKEN[0][5..], TOKEN[1]] {
            let part = part.to_lowercase();
            assert!(!lower.windows(part.len()).any(|window| window == part.as_bytes()), "{path} has {part}");
        }
    }
}

#[track_caller]
fn is_at_home(vault: &GitVault) {
    let part = TOKEN[1].to_lowercase();
    let has =
        |bytes: &[u8]| bytes.to_ascii_lowercase().windows(part.len()).any(|window| window == part.as_bytes());
    assert!(home_files(vault).iter().any(|(_, bytes)| has(bytes)), "the test shows nothing otherwise");
}

#[test]
fn hand_edited_page_is_cleaned_and_nothing_is_left() {
    let vault = GitVault::with_profile("notes");
    vault.put("keys", "# Keys\n\nNone.\n").ok();
    let text = format!(
        "---\ntitle: Keys\nsummary: Opens with {0}\ntags: [a]\n---\n# Keys\n\n- key:: {0}\n\n## {0}\n\nBefore {0}, after.\n",
        token()
    );
    vault.sandbox.write("keys.md", &text);
    vault.lore(&["embed"]);
    vault.lore(&["sync"]).ok();
    is_at_home(&vault);
    let name = fingerprint(&vault);
    let refused = silent(vault.lore(&["secrets", "purge", &name]).exits(2));
    refused.says("confirmation required").says("--yes");
    assert_eq!(vault.read("keys.md"), text);
    let output = silent(vault.lore(&["secrets", "purge", &name[..8], "--yes"]).ok()).json();
    assert_eq!((&output["files"], &output["erased"]), (&json!(["keys.md"]), &json!(true)), "{output}");
    assert_eq!(vault.read("keys.md"), text.replace(&token(), "[removed secret]"));
    assert_eq!(vault.uncommitted(), [""; 0]);
    vault.lore(&["secrets", "scan", "--history"]).ok();
    nothing_in_git(&vault);
    nothing_at_home(&vault);
    assert_eq!(vault.sandbox.search(TOKEN[1]), [""; 0]);
    vault.sandbox.validate();
}

#[test]
fn ledger_and_index_are_cleaned() {
    let vault = GitVault::with_profile("notes");
    vault.put("keys", "# Keys\n").ok();
    vault.sandbox.write("lore.toml", "[secrets]\noff = [\"github-token\"]\n");
    vault.lore(&["edit", "keys", "--append", &line()]).ok();
    vault.lore(&["edit", "keys", "--append", "More."]).ok();
    vault.lore(&["edit", "keys", "--find", &token(), "--replace", "in the safe"]).ok();
    vault.put("gone", &line()).ok();
    vault.lore(&["rm", "gone", "--yes"]).ok();
    vault.lore(&["gap", "add", "what opens it?", "--context", &line()]).ok();
    let file = vault.sandbox.root.join("source.bin");
    std::fs::write(&file, [b"\0\0\0\x01".as_slice(), line().as_bytes(), b"\xFF"].concat()).expect("a file");
    vault.lore(&["ingest", &file.to_string_lossy()]).ok();
    vault.sandbox.write("lore.toml", "");
    is_at_home(&vault);
    let output = silent(vault.lore(&["secrets", "purge", &fingerprint(&vault), "--yes"]).ok()).json();
    assert_eq!((&output["ledger"], &output["files"]), (&json!(5), &json!([])), "{output}");
    nothing_at_home(&vault);
    vault.lore(&["secrets", "scan"]).ok();
    // The versions are still there, without it.
    let history = vault.lore(&["history", "keys"]).ok().json();
    let versions = history["snapshots"].as_array().expect("a list");
    let second = versions.iter().find(|one| one["version"] == 2).expect("version 2");
    let number = second["snapshot"].to_string();
    vault.lore(&["restore", "keys", "--at", &number, "--yes"]).ok();
    assert!(vault.read("keys.md").contains("The key is [removed secret] as of today."));
    vault.lore(&["validate", "--all"]).ok();
}

#[test]
fn generated_index_is_cleaned_with_its_page() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &crate::git_support::node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "What One is about.", &format!("Opens with {}.", token()));
    silent(vault.lore(&["index"]));
    silent(vault.lore(&["secrets", "purge", &fingerprint(&vault), "--yes"]).ok());
    assert!(vault.read("index.md").contains("removed secret"));
    assert_eq!(vault.uncommitted(), [""; 0]);
    assert_eq!(vault.findings(), []);
    nothing_in_git(&vault);
    nothing_at_home(&vault);
}

#[test]
fn split_and_encoded_forms_are_removed_and_other_secrets_stay() {
    let vault = GitVault::with_profile("notes");
    let other = format!("{}{}", "AKIA", "Q3EGRZ7WPL5XNV2K");
    let hex: String = token().bytes().map(|byte| format!("{byte:02x}")).collect();
    vault.sandbox.write("page.md", format!("> a {}\n> {} b\n\n{hex}\n\n{other}\n", TOKEN[0], TOKEN[1]));
    let name = fingerprint(&vault);
    let output = silent(vault.lore(&["secrets", "purge", &name, "--yes"]).ok()).json();
    assert!(output["warnings"].to_string().contains("not committed: page.md"), "{output}");
    assert_eq!(vault.read("page.md"), format!("> a [removed secret] b\n\n[removed secret]\n\n{other}\n"));
    assert_eq!(vault.uncommitted(), ["?? page.md"], "the other one keeps it out of the commit");
}

#[test]
fn what_lore_may_not_write_is_left_and_named() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write(".env", line());
    vault.sandbox.write("page.md", line());
    let output = silent(vault.lore(&["secrets", "purge", &fingerprint(&vault), "--yes"]).exits(4)).json();
    assert_eq!(output["files"], json!(["page.md"]));
    assert_eq!(output["left"][0]["path"], ".env");
    assert!(vault.read(".env").contains(&token()));
    silent(vault.lore(&["secrets", "purge", "abcdef123456", "--yes"]).exits(2)).says("secrets scan");
    silent(vault.lore(&["secrets", "purge", "a", "--yes"]).exits(2));
}

#[test]
fn copies_of_the_database_are_named() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("page.md", line());
    vault.lore(&["sync"]).ok();
    let copy = vault.sandbox.root.join("home/lore.db.backup");
    std::fs::write(&copy, [b"SQLite format 3\0".as_slice(), line().as_bytes()].concat()).expect("a file");
    let output = silent(vault.lore(&["secrets", "purge", &fingerprint(&vault), "--yes"]).exits(4)).json();
    assert_eq!(output["copies"], json!([copy.display().to_string()]));
}
