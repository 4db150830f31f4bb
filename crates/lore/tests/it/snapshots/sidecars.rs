//! `raw`: data stored next to a page.

use serde_json::{Value, json};

use crate::git_support::{GitVault, TOKEN};

#[test]
fn data_is_written_by_source_and_read_back() {
    let vault = GitVault::with_profile("notes");
    vault.put("people/ada", "# Ada\n").ok();
    let nothing = vault.lore(&["raw", "people/ada"]).exits(1).json();
    assert_eq!(nothing["sources"], json!({}));
    let data = r#"{"born": 1815, "names": ["Ada", "Äugusta"]}"#;
    let written = vault.lore(&["raw", "Ada", "--source", "registry", "--data", data]).ok().json();
    assert_eq!(written["path"], "people/.raw/ada.json");
    vault.lore(&["raw", "people/ada", "--source", "web", "--data", "[1, null]"]).ok();
    let born: Value = serde_json::from_str(data).expect("JSON");
    let all = vault.lore(&["raw", "people/ada"]).ok().json();
    assert_eq!(all["sources"], json!({ "registry": born, "web": [1, null] }));
    let one = vault.lore(&["raw", "people/ada", "--source", "web"]).ok().json();
    assert_eq!(one["sources"], json!({ "web": [1, null] }));
    vault.lore(&["raw", "people/ada", "--source", "unknown"]).exits(1);
    let file: Value = serde_json::from_slice(&vault.sandbox.read("people/.raw/ada.json")).expect("JSON");
    assert_eq!(file, json!({ "sources": { "registry": born, "web": [1, null] } }));
    let shown = vault.lore(&["raw", "people/ada", "--source", "web", "--format", "human"]).ok().text();
    assert_eq!(shown, "{\n  \"web\": [\n    1,\n    null\n  ]\n}\n");
    vault.lore(&["raw", "people/ada", "--source", "web", "--data", "\"other\""]).ok();
    assert_eq!(vault.lore(&["raw", "people/ada", "--source", "web"]).ok().json()["sources"]["web"], "other");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    assert_eq!(vault.lore(&["status"]).ok().json()["pages"], 1, "a sidecar is not a page");
}

#[test]
fn data_for_an_outdated_version_is_refused() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.put("page", "Two\n").ok();
    let raw = ["raw", "page", "--source", "web", "--data", "1", "--expected-version"];
    vault.lore(&[&raw[..], &["1"]].concat()).exits(3);
    assert!(!vault.sandbox.vault().join(".raw").exists());
    let written = vault.lore(&[&raw[..], &["2"]].concat()).ok().json();
    assert_eq!(written["version"], 3, "its data is part of the page");
}

#[test]
fn data_has_its_own_versions_and_can_be_restored() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.lore(&["raw", "page", "--source", "web", "--data", "1"]).ok();
    vault.lore(&["raw", "page", "--source", "web", "--data", "2"]).ok();
    let history = vault.lore(&["history", ".raw/page.json"]).ok().json();
    assert_eq!((&history["path"], &history["version"]), (&json!(".raw/page.json"), &json!(2)), "{history}");
    let number = history["snapshots"][0]["snapshot"].to_string();
    vault.lore(&["restore", ".raw/page.json", "--at", &number, "--yes"]).ok();
    assert_eq!(vault.lore(&["raw", "page"]).ok().json()["sources"]["web"], 1);
}

#[test]
fn secret_in_data_is_refused() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let data = json!({ "key": TOKEN.concat() }).to_string();
    let ran = vault.refuses(|| vault.lore(&["raw", "page", "--source", "web", "--data", &data]));
    let ran = ran.says(".raw/page.json:4: a credential at column").says("[github-token]");
    assert!(!(ran.text() + &ran.err).contains(TOKEN[0]), "{ran:?}");
}

#[test]
fn invalid_data_is_refused_and_left_unchanged() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.lore(&["raw", "page", "--source", "web", "--data", "{"]).exits(2).says("not JSON");
    vault.lore(&["raw", "page", "--data", "1"]).exits(2).says("--source");
    for broken in ["not JSON", "[]", "{\"sources\": 1}"] {
        vault.sandbox.write(".raw/page.json", broken);
        vault
            .lore(&["raw", "page", "--source", "web", "--data", "1"])
            .exits(2)
            .says(".raw/page.json is not sidecar data");
        assert_eq!(vault.read(".raw/page.json"), broken);
    }
}

#[test]
fn data_moves_with_its_page() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.lore(&["raw", "page", "--source", "web", "--data", "1"]).ok();
    vault.lore(&["mv", "page", "folder/other"]).ok();
    assert_eq!(vault.lore(&["raw", "folder/other"]).ok().json()["sources"]["web"], 1);
    assert!(!vault.sandbox.vault().join(".raw/page.json").exists());
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}
