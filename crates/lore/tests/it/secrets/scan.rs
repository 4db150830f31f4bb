//! `lore secrets scan`: where credentials are, without showing them.

use serde_json::{Value, json};

use super::{line, silent, token};
use crate::git_support::{GitVault, TOKEN, texts};
use crate::sandbox::Ran;

/// Returns place and path of each occurrence, and asserts that all have the same fingerprint.
#[track_caller]
fn places(ran: &Ran) -> Vec<(String, String)> {
    let output = ran.json();
    let found = output["secrets"].as_array().expect("a list");
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let mut names: Vec<String> = found.iter().map(|one| text(one, "fingerprint")).collect();
    names.dedup();
    assert!(names.len() <= 1, "one credential: {names:?}");
    assert!(names.iter().all(|name| name.len() == 12), "{names:?}");
    found.iter().map(|one| (text(one, "place"), text(one, "path"))).collect()
}

fn at(place: &str, path: &str) -> (String, String) {
    (place.to_owned(), path.to_owned())
}

#[test]
fn clean_vault_has_nothing() {
    let vault = GitVault::with_profile("roam");
    for arguments in [&["secrets", "scan"][..], &["secrets", "scan", "--history"]] {
        let ran = vault.lore(arguments).ok();
        assert_eq!(ran.json()["secrets"], json!([]));
    }
    assert_eq!(vault.lore(&["secrets", "scan", "--format", "human"]).ok().text(), "0 secrets in 0 places\n");
}

#[test]
fn every_kind_of_file_is_searched() {
    let vault = GitVault::with_profile("brain");
    vault.put("people/ada", "# Ada\n").ok();
    vault.sandbox.write(".gitignore", "private/\n*.log\n");
    vault.sandbox.write(".env", line());
    vault.sandbox.write(".hidden/a.txt", line());
    vault.sandbox.write("people/.raw/ada.json", json!({ "key": token() }).to_string());
    vault.sandbox.write("dump.bin", [b"\0\0\x01".as_slice(), line().as_bytes()].concat());
    vault.sandbox.write("page.md", line());
    vault.sandbox.write("private/ignored.txt", line());
    vault.sandbox.write("debug.log", line());
    let ran = silent(vault.lore(&["secrets", "scan"]).exits(4));
    let paths = [".env", ".hidden/a.txt", "dump.bin", "page.md", "people/.raw/ada.json"];
    assert_eq!(
        places(&ran),
        paths.map(|path| at("file", path)),
        "not what git ignores and Lore does not read"
    );
    let advice = texts(&ran.json()["advice"]).join("\n");
    assert!(advice.starts_with("revoke") && advice.contains("lore secrets purge"), "{advice}");
    assert!(advice.contains("lore secrets scan --history"), "{advice}");
}

#[test]
fn snapshots_gaps_and_imports_are_searched() {
    let vault = GitVault::with_profile("notes");
    vault.put("keys", "# Keys\n").ok();
    // What the gate would refuse today may have been stored before.
    vault.sandbox.write("lore.toml", "[secrets]\noff = [\"github-token\"]\n");
    vault.lore(&["edit", "keys", "--append", &line()]).ok();
    vault.lore(&["edit", "keys", "--find", &token(), "--replace", "in the safe"]).ok();
    vault.lore(&["gap", "add", "what opens it?", "--context", &line()]).ok();
    let file = vault.sandbox.root.join("source.bin");
    std::fs::write(&file, [b"\0\0\0\x01".as_slice(), line().as_bytes()].concat()).expect("a file");
    vault.lore(&["ingest", &file.to_string_lossy()]).ok();
    vault.sandbox.write("lore.toml", "");
    let ran = silent(vault.lore(&["secrets", "scan"]).exits(4));
    let found: Vec<String> = places(&ran).into_iter().map(|(place, _)| place).collect();
    assert_eq!(found, ["snapshot", "import", "gap"]);
    let snapshot = &ran.json()["secrets"][0];
    assert_eq!(
        (&snapshot["path"], &snapshot["version"], &snapshot["line"]),
        (&json!("keys.md"), &json!(2), &json!(2))
    );
}

#[test]
fn history_is_searched_even_where_no_branch_leads() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("deleted.txt", format!("one\n{}", line()));
    vault.commit_by_hand("A leak");
    let leak = vault.head();
    vault.sandbox.write("deleted.txt", format!("zero\none\n{}", line()));
    vault.commit_by_hand("Still there");
    vault.git(&["rm", "--quiet", "deleted.txt"]);
    vault.git(&["commit", "--quiet", "-m", "Deleted"]);
    vault.git(&["switch", "--quiet", "-c", "side"]);
    vault.sandbox.write("side.txt", line());
    vault.commit_by_hand(&format!("A message with {}", token()));
    vault.git(&["switch", "--quiet", "main"]);
    vault.sandbox.write("staged.txt", format!("{}never committed\n", line()));
    vault.git(&["add", "staged.txt"]);
    vault.git(&["rm", "--quiet", "--force", "staged.txt"]);
    assert_eq!(places(&vault.lore(&["secrets", "scan"]).ok()), [], "nothing is there now");
    let ran = silent(vault.lore(&["secrets", "scan", "--history"]).exits(4));
    let mut found = places(&ran);
    found.sort();
    let expected =
        [at("commit", "deleted.txt"), at("commit", "side.txt"), at("message", ""), at("unreachable", "")];
    assert_eq!(found, expected);
    let output = ran.json();
    let deleted =
        output["secrets"].as_array().expect("a list").iter().find(|one| one["path"] == "deleted.txt");
    let deleted = deleted.expect("it is there");
    assert_eq!(
        (&deleted["commit"], &deleted["line"], &deleted["versions"]),
        (&json!(leak), &json!(2), &json!(2))
    );
    let advice = texts(&output["advice"]).join("\n");
    for words in ["git filter-repo --replace-text", "--invert-paths", "git gc --prune=now", "--force"] {
        assert!(advice.contains(words), "{words}: {advice}");
    }
}

#[test]
fn allowed_lines_are_not_reported() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("lore.toml", "[secrets]\noff = [\"github-token\"]\n");
    vault.sandbox.write("keys.md", line());
    vault.lore(&["secrets", "scan"]).ok();
}

#[test]
fn vault_without_a_repository_is_searched() {
    let sandbox = crate::sandbox::Sandbox::with_vault();
    sandbox.write(".env", line());
    let ran = sandbox.run(&["secrets", "scan"]).exits(4);
    assert_eq!(ran.json()["secrets"][0]["path"], ".env");
    assert!(!ran.text().contains(TOKEN[1]));
    sandbox.run(&["secrets", "scan", "--history"]).says("repository");
}
