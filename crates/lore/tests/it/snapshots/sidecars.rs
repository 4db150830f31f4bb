//! `raw`: data that is kept beside a page.

use serde_json::{Value, json};

use crate::story::{Story, TOKEN};

#[test]
fn data_is_written_by_source_and_read_back() {
    let story = Story::of("notes");
    story.put("people/ada", "# Ada\n").ok();
    let nothing = story.lore(&["raw", "people/ada"]).exits(1).json();
    assert_eq!(nothing["sources"], json!({}));
    let data = r#"{"born": 1815, "names": ["Ada", "Äugusta"]}"#;
    let written = story.lore(&["raw", "Ada", "--source", "registry", "--data", data]).ok().json();
    assert_eq!(written["path"], "people/.raw/ada.json");
    story.lore(&["raw", "people/ada", "--source", "web", "--data", "[1, null]"]).ok();
    let born: Value = serde_json::from_str(data).expect("JSON");
    let all = story.lore(&["raw", "people/ada"]).ok().json();
    assert_eq!(all["sources"], json!({ "registry": born, "web": [1, null] }));
    let one = story.lore(&["raw", "people/ada", "--source", "web"]).ok().json();
    assert_eq!(one["sources"], json!({ "web": [1, null] }));
    story.lore(&["raw", "people/ada", "--source", "unknown"]).exits(1);
    let file: Value = serde_json::from_slice(&story.sandbox.read("people/.raw/ada.json")).expect("JSON");
    assert_eq!(file, json!({ "sources": { "registry": born, "web": [1, null] } }));
    let shown = story.lore(&["raw", "people/ada", "--source", "web", "--format", "human"]).ok().text();
    assert_eq!(shown, "{\n  \"web\": [\n    1,\n    null\n  ]\n}\n");
    story.lore(&["raw", "people/ada", "--source", "web", "--data", "\"other\""]).ok();
    assert_eq!(story.lore(&["raw", "people/ada", "--source", "web"]).ok().json()["sources"]["web"], "other");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    assert_eq!(story.lore(&["status"]).ok().json()["pages"], 1, "data is no page");
}

#[test]
fn data_is_not_written_for_a_version_that_was_not_read() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.put("page", "Two\n").ok();
    let raw = ["raw", "page", "--source", "web", "--data", "1", "--expected-version"];
    story.lore(&[&raw[..], &["1"]].concat()).exits(3);
    assert!(!story.sandbox.vault().join(".raw").exists());
    let written = story.lore(&[&raw[..], &["2"]].concat()).ok().json();
    assert_eq!(written["version"], 2, "the page itself is not another one");
}

#[test]
fn data_has_versions_of_its_own_and_a_way_back() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.lore(&["raw", "page", "--source", "web", "--data", "1"]).ok();
    story.lore(&["raw", "page", "--source", "web", "--data", "2"]).ok();
    let history = story.lore(&["history", ".raw/page.json"]).ok().json();
    assert_eq!((&history["path"], &history["version"]), (&json!(".raw/page.json"), &json!(2)), "{history}");
    let number = history["snapshots"][0]["snapshot"].to_string();
    story.lore(&["restore", ".raw/page.json", "--at", &number, "--yes"]).ok();
    assert_eq!(story.lore(&["raw", "page"]).ok().json()["sources"]["web"], 1);
}

#[test]
fn a_secret_in_data_is_refused() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    let data = json!({ "key": TOKEN.concat() }).to_string();
    let ran = story.refuses(|| story.lore(&["raw", "page", "--source", "web", "--data", &data]));
    let ran = ran.says(".raw/page.json:4: a credential at column").says("[github-token]");
    assert!(!(ran.text() + &ran.err).contains(TOKEN[0]), "{ran:?}");
}

#[test]
fn data_that_is_no_data_is_refused_and_left_as_it_is() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.lore(&["raw", "page", "--source", "web", "--data", "{"]).exits(2).says("not JSON");
    story.lore(&["raw", "page", "--data", "1"]).exits(2).says("--source");
    for broken in ["not JSON", "[]", "{\"sources\": 1}"] {
        story.sandbox.write(".raw/page.json", broken);
        story
            .lore(&["raw", "page", "--source", "web", "--data", "1"])
            .exits(2)
            .says(".raw/page.json is not sidecar data");
        assert_eq!(story.read(".raw/page.json"), broken);
    }
}

#[test]
fn data_moves_with_its_page() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.lore(&["raw", "page", "--source", "web", "--data", "1"]).ok();
    story.lore(&["mv", "page", "folder/other"]).ok();
    assert_eq!(story.lore(&["raw", "folder/other"]).ok().json()["sources"]["web"], 1);
    assert!(!story.sandbox.vault().join(".raw/page.json").exists());
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}
