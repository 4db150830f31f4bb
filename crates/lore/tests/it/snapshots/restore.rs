//! `restore` is an ordinary write: checked, kept as a snapshot and undone like any other.

use serde_json::{Value, json};

use crate::git_support::GitVault;

fn snapshots(vault: &GitVault, reference: &str) -> Vec<(i64, u64)> {
    let history = vault.lore(&["history", reference]).ok().json();
    let list = history["snapshots"].as_array().expect("snapshots").clone();
    let number = |item: &Value| {
        (item["snapshot"].as_i64().expect("a number"), item["version"].as_u64().expect("a version"))
    };
    list.iter().map(number).collect()
}

fn vaults() -> [GitVault; 2] {
    let without = GitVault::without_vault();
    without.lore(&["init", "--profile", "notes", "--no-git"]).ok();
    [GitVault::with_profile("notes"), without]
}

#[test]
fn restore_is_a_new_version_that_can_be_undone() {
    for vault in vaults() {
        vault.put("page", "One\n").ok();
        vault.put("page", "Two\n").ok();
        let [(first, 1)] = snapshots(&vault, "page")[..] else { panic!("{:?}", snapshots(&vault, "page")) };
        let restored = vault.lore(&["restore", "page", "--at", &first.to_string(), "--yes"]).ok().json();
        assert_eq!((&restored["version"], &restored["outcome"]), (&json!(3), &json!("updated")));
        assert_eq!(vault.read("page.md"), "One\n");
        let [(undo, 2), (_, 1)] = snapshots(&vault, "page")[..] else {
            panic!("{:?}", snapshots(&vault, "page"))
        };
        vault.lore(&["restore", "page", "--at", &undo.to_string(), "--yes"]).ok();
        assert_eq!(vault.read("page.md"), "Two\n");
        assert_eq!(vault.lore(&["show", "page"]).ok().json()["version"], 4);
        if restored.get("commit").is_some() {
            assert_eq!(
                vault.git(&["log", "-1", "--format=%s"]),
                format!("Restore page.md from snapshot {undo}")
            );
        }
        assert_eq!(vault.sandbox.search("two"), ["page"], "the index is updated");
        vault.sandbox.validate();
    }
}

/// An editor saves an old buffer over what Lore wrote, or deletes the file: the file was the only copy.
#[test]
fn text_overwritten_or_deleted_outside_lore_is_restored() {
    for vault in vaults() {
        vault.sandbox.write("page.md", "First\n");
        vault.lore(&["sync"]).ok();
        vault.put("page", "Written\n").ok();
        vault.sandbox.write("page.md", "An old buffer\n");
        vault.lore(&["sync"]).ok();
        let [(written, 2), (_, 1)] = snapshots(&vault, "page")[..] else {
            panic!("{:?}", snapshots(&vault, "page"))
        };
        vault.lore(&["restore", "page", "--at", &written.to_string(), "--yes"]).ok();
        assert_eq!(vault.read("page.md"), "Written\n");
        std::fs::remove_file(vault.sandbox.vault().join("page.md")).expect("it is there");
        let (last, _) = snapshots(&vault, "page.md")[0];
        vault.lore(&["restore", "page.md", "--at", &last.to_string()]).ok();
        assert_eq!(vault.read("page.md"), "Written\n");
        vault.sandbox.validate();
    }
}

#[test]
fn deleted_page_is_restored_by_path() {
    for vault in vaults() {
        for reference in ["folder/page.md", "folder/page"] {
            vault.put("folder/page", "One\nTwo\n").ok();
            vault.lore(&["rm", "folder/page", "--yes"]).ok();
            let gone = vault.lore(&["history", reference]).ok().json();
            assert_eq!((&gone["path"], &gone["version"]), (&json!("folder/page.md"), &json!(0)), "{gone}");
            let shown = vault.lore(&["history", reference, "--format", "human"]).ok().text();
            assert!(shown.starts_with("folder/page.md is deleted\n"), "{shown}");
            let number = gone["snapshots"][0]["snapshot"].to_string();
            // Nothing is replaced, so no confirmation is required.
            let back = vault.lore(&["restore", reference, "--at", &number]).ok().json();
            assert_eq!(back["outcome"], "created");
            assert_eq!(vault.read("folder/page.md"), "One\nTwo\n");
        }
    }
}

#[test]
fn restore_is_byte_for_byte() {
    let vault = GitVault::with_profile("notes");
    let odd = b"\xef\xbb\xbf# Page\r\n\r\nLatin \xe9, no end of line".as_slice();
    vault.sandbox.write("page.md", odd);
    vault.lore(&["sync"]).exits(0);
    let file = vault.sandbox.root.join("new.md");
    std::fs::write(&file, "New\n").expect("a file");
    vault.lore(&["put", "page.md", &file.to_string_lossy()]).ok();
    let number = snapshots(&vault, "page")[0].0.to_string();
    vault.lore(&["restore", "page", "--at", &number, "--yes"]).exits(0);
    assert_eq!(vault.sandbox.read("page.md"), odd);
}

#[test]
fn restore_and_rm_require_confirmation() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.put("page", "Two\n").ok();
    vault.put("other", "See [[page]].\n").ok();
    let number = snapshots(&vault, "page")[0].0;
    let head = vault.head();
    let ran = vault.lore(&["restore", "page", "--at", &number.to_string()]).exits(2);
    ran.says(&format!("confirmation required: Replace page.md with snapshot {number}?")).says("--yes");
    let ran = vault.lore(&["rm", "page"]).exits(2);
    ran.says("confirmation required: Delete page.md? other.md links to it.").says("--yes");
    let called = format!(r#"{{"reference": "page", "at": {number}}}"#);
    vault.lore(&["call", "restore", &called]).exits(2).says("confirmation required");
    vault.lore(&["call", "rm", r#"{"reference": "page"}"#]).exits(2).says("confirmation required");
    assert_eq!((vault.read("page.md"), vault.head()), ("Two\n".to_owned(), head));
    let called = format!(r#"{{"reference": "page", "at": {number}, "yes": true}}"#);
    vault.lore(&["call", "restore", &called]).ok();
    assert_eq!(vault.read("page.md"), "One\n");
    let removed = vault.lore(&["rm", "page", "--yes"]).ok().json();
    assert!(
        removed["warnings"][0].as_str().expect("a warning").contains("other.md links to it"),
        "{removed}"
    );
}

#[test]
fn restore_with_an_outdated_version_is_a_conflict() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.put("page", "Two\n").ok();
    let number = snapshots(&vault, "page")[0].0.to_string();
    let restore = ["restore", "page", "--at", &number, "--yes", "--expected-version"];
    vault.lore(&[&restore[..], &["1"]].concat()).exits(3);
    assert_eq!(vault.read("page.md"), "Two\n");
    vault.lore(&[&restore[..], &["2"]].concat()).ok();
}

#[test]
fn snapshot_of_another_page_is_refused() {
    let vault = GitVault::with_profile("notes");
    vault.put("one", "One\n").ok();
    vault.put("one", "Two\n").ok();
    vault.put("other", "Other\n").ok();
    vault.put("other", "Else\n").ok();
    let number = snapshots(&vault, "one")[0].0.to_string();
    vault.lore(&["restore", "other", "--at", &number, "--yes"]).exits(2).says("other.md has no snapshot");
    assert_eq!(vault.read("other.md"), "Else\n");
}

#[test]
fn restore_respects_the_policy() {
    let vault = GitVault::with_profile("notes");
    vault.put("log", "One\n").ok();
    vault.put("log", "Two\n").ok();
    let number = snapshots(&vault, "log")[0].0.to_string();
    vault.sandbox.write(
        "lore.toml",
        "[[rule]]\nname = \"the log\"\npaths = [\"log\"]\nallow = [\"create\", \"append\"]\n",
    );
    vault.commit_by_hand("Policy");
    let ran = vault.refuses(|| vault.lore(&["restore", "log", "--at", &number, "--yes"]));
    ran.says("the policy does not allow put on log.md (rule \"the log\" allows create, append)");
}

#[test]
fn restore_of_an_invalid_page_is_refused() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.put("page", "---\nstatus: active\n---\nTwo\n").ok();
    let number = snapshots(&vault, "page")[0].0.to_string();
    vault.sandbox.write(
        "lore.toml",
        "[[rule]]\npaths = [\"**\"]\nschema = \"page\"\n[schema.page]\nrequired = [\"status\"]\n",
    );
    vault.commit_by_hand("Policy");
    vault.refuses(|| vault.lore(&["restore", "page", "--at", &number, "--yes"])).says("(field-missing)");
}

#[test]
fn snapshots_expire_after_thirty_days() {
    let vault = GitVault::with_profile("notes");
    vault.later("2026-10-01T12:00:00Z", &["call", "put", r#"{"slug": "page", "content": "One\n"}"#]).ok();
    vault.later("2026-10-02T12:00:00Z", &["call", "put", r#"{"slug": "page", "content": "Two\n"}"#]).ok();
    vault.later("2026-10-20T12:00:00Z", &["call", "put", r#"{"slug": "page", "content": "Three\n"}"#]).ok();
    assert_eq!(snapshots(&vault, "page").len(), 2, "reads do not expire snapshots");
    vault.later("2026-11-01T11:59:59Z", &["call", "put", r#"{"slug": "other", "content": "One\n"}"#]).ok();
    assert_eq!(snapshots(&vault, "page").len(), 2);
    vault.later("2026-11-01T12:00:01Z", &["call", "put", r#"{"slug": "other", "content": "Two\n"}"#]).ok();
    let left = snapshots(&vault, "page");
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].1, 2);
    vault.later("2027-01-01T12:00:00Z", &["retention", "run"]).ok();
    assert_eq!(snapshots(&vault, "page").len(), 1, "a clock that jumps by two months may be wrong");
    vault.later("2027-01-04T12:00:00Z", &["retention", "run"]).ok();
    assert_eq!(snapshots(&vault, "page"), []);
    assert_eq!(vault.read("page.md"), "Three\n");
}

#[test]
fn snapshot_retention_comes_from_the_policy() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("lore.toml", "[limits]\nsnapshots = \"1 day\"\n");
    vault.commit_by_hand("Policy");
    vault.put("page", "One\n").ok();
    vault.put("page", "Two\n").ok();
    assert_eq!(snapshots(&vault, "page").len(), 1);
    vault.later("2026-11-05T12:00:00Z", &["call", "put", r#"{"slug": "other", "content": "One\n"}"#]).ok();
    assert_eq!(snapshots(&vault, "page"), []);
}

#[test]
fn regenerated_index_keeps_edits_as_a_snapshot() {
    let vault = GitVault::with_profile("roam");
    vault.edit_by_hand("index.md", "# Index\n", "# Index\n\nMy own words.\n");
    vault.lore(&["generate"]).ok();
    assert!(!vault.read("index.md").contains("My own words."));
    let diff = vault.lore(&["diff", "index.md"]).ok().json();
    assert!(diff["diff"].as_str().expect("a text").contains("-My own words."), "{diff}");
}

#[test]
fn restore_replaces_a_page_in_revision_mode() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("lore.toml", "[[rule]]\npaths = [\"**\"]\nedited = \"revision\"\n");
    vault.commit_by_hand("Policy");
    vault.put("page", "One\n").ok();
    vault.put("page", "Two\n").ok();
    let number = snapshots(&vault, "page")[0].0.to_string();
    vault.edit_by_hand("page.md", "Two", "Two, and Ada");
    vault.lore(&["restore", "page", "--at", &number, "--yes"]).ok();
    assert_eq!(vault.read("page.md"), "One\n");
}

#[test]
fn moved_page_keeps_its_snapshots() {
    for vault in vaults() {
        vault.put("page", "One\n").ok();
        vault.put("page", "Two\n").ok();
        vault.lore(&["mv", "page", "folder/other"]).ok();
        let kept = snapshots(&vault, "folder/other");
        let number = kept.iter().find(|(_, version)| *version == 1).unwrap_or_else(|| panic!("{kept:?}")).0;
        vault.lore(&["restore", "folder/other", "--at", &number.to_string(), "--yes"]).ok();
        assert_eq!(vault.read("folder/other.md"), "One\n");
    }
}

#[test]
fn diff_of_a_deleted_page_removes_every_line() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\nTwo\n").ok();
    vault.lore(&["rm", "page", "--yes"]).ok();
    let diff = vault.lore(&["diff", "page.md"]).ok().json();
    assert_eq!((&diff["added"], &diff["removed"]), (&json!(0), &json!(2)), "{diff}");
}

#[test]
fn recreated_page_continues_its_versions() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.put("page", "Two\n").ok();
    vault.lore(&["rm", "page", "--yes"]).ok();
    let again = vault.put("page", "Three\n").ok().json();
    assert_eq!((&again["outcome"], &again["version"]), (&json!("created"), &json!(3)), "{again}");
    assert_eq!(snapshots(&vault, "page").len(), 2);
}
