//! `restore`: a write like any other, so that it is allowed, kept and undone like any other.

use serde_json::{Value, json};

use crate::story::Story;

fn snapshots(story: &Story, reference: &str) -> Vec<(i64, u64)> {
    let history = story.lore(&["history", reference]).ok().json();
    let list = history["snapshots"].as_array().expect("snapshots").clone();
    let number = |item: &Value| {
        (item["snapshot"].as_i64().expect("a number"), item["version"].as_u64().expect("a version"))
    };
    list.iter().map(number).collect()
}

fn vaults() -> [Story; 2] {
    let without = Story::untold();
    without.lore(&["init", "--profile", "notes", "--no-git"]).ok();
    [Story::of("notes"), without]
}

#[test]
fn a_restore_is_a_new_version_and_can_be_undone() {
    for story in vaults() {
        story.put("page", "One\n").ok();
        story.put("page", "Two\n").ok();
        let [(first, 1)] = snapshots(&story, "page")[..] else { panic!("{:?}", snapshots(&story, "page")) };
        let restored = story.lore(&["restore", "page", "--at", &first.to_string(), "--yes"]).ok().json();
        assert_eq!((&restored["version"], &restored["outcome"]), (&json!(3), &json!("updated")));
        assert_eq!(story.read("page.md"), "One\n");
        let [(undo, 2), (_, 1)] = snapshots(&story, "page")[..] else {
            panic!("{:?}", snapshots(&story, "page"))
        };
        story.lore(&["restore", "page", "--at", &undo.to_string(), "--yes"]).ok();
        assert_eq!(story.read("page.md"), "Two\n");
        assert_eq!(story.lore(&["show", "page"]).ok().json()["version"], 4);
        if restored.get("commit").is_some() {
            assert_eq!(
                story.git(&["log", "-1", "--format=%s"]),
                format!("Restore page.md from snapshot {undo}")
            );
        }
        assert_eq!(story.sandbox.search("two"), ["page"], "the index follows");
        story.sandbox.validate();
    }
}

#[test]
fn a_deleted_page_comes_back_by_its_path() {
    for story in vaults() {
        for reference in ["folder/page.md", "folder/page"] {
            story.put("folder/page", "One\nTwo\n").ok();
            story.lore(&["rm", "folder/page", "--yes"]).ok();
            let gone = story.lore(&["history", reference]).ok().json();
            assert_eq!((&gone["path"], &gone["version"]), (&json!("folder/page.md"), &json!(0)), "{gone}");
            let shown = story.lore(&["history", reference, "--format", "human"]).ok().text();
            assert!(shown.starts_with("folder/page.md is deleted\n"), "{shown}");
            let number = gone["snapshots"][0]["snapshot"].to_string();
            // There is nothing to replace, so nobody is asked.
            let back = story.lore(&["restore", reference, "--at", &number]).ok().json();
            assert_eq!(back["outcome"], "created");
            assert_eq!(story.read("folder/page.md"), "One\nTwo\n");
        }
    }
}

#[test]
fn bytes_come_back_as_they_were() {
    let story = Story::of("notes");
    let odd = b"\xef\xbb\xbf# Page\r\n\r\nLatin \xe9, no end of line".as_slice();
    story.sandbox.write("page.md", odd);
    story.lore(&["sync"]).exits(0);
    let file = story.sandbox.root.join("new.md");
    std::fs::write(&file, "New\n").expect("a file");
    story.lore(&["put", "page.md", &file.to_string_lossy()]).ok();
    let number = snapshots(&story, "page")[0].0.to_string();
    story.lore(&["restore", "page", "--at", &number, "--yes"]).exits(0);
    assert_eq!(story.sandbox.read("page.md"), odd);
}

#[test]
fn restore_and_rm_need_a_yes_where_nobody_can_be_asked() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.put("page", "Two\n").ok();
    story.put("other", "See [[page]].\n").ok();
    let number = snapshots(&story, "page")[0].0;
    let head = story.head();
    let ran = story.lore(&["restore", "page", "--at", &number.to_string()]).exits(2);
    ran.says(&format!("this needs a yes: Replace page.md with snapshot {number}?")).says("--yes");
    let ran = story.lore(&["rm", "page"]).exits(2);
    ran.says("this needs a yes: Delete page.md? other.md links to it.").says("--yes");
    let called = format!(r#"{{"reference": "page", "at": {number}}}"#);
    story.lore(&["call", "restore", &called]).exits(2).says("this needs a yes");
    story.lore(&["call", "rm", r#"{"reference": "page"}"#]).exits(2).says("this needs a yes");
    assert_eq!((story.read("page.md"), story.head()), ("Two\n".to_owned(), head));
    let called = format!(r#"{{"reference": "page", "at": {number}, "yes": true}}"#);
    story.lore(&["call", "restore", &called]).ok();
    assert_eq!(story.read("page.md"), "One\n");
    let removed = story.lore(&["rm", "page", "--yes"]).ok().json();
    assert!(
        removed["warnings"][0].as_str().expect("a warning").contains("other.md links to it"),
        "{removed}"
    );
}

#[test]
fn a_restore_of_an_old_version_conflicts_like_any_write() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.put("page", "Two\n").ok();
    let number = snapshots(&story, "page")[0].0.to_string();
    let restore = ["restore", "page", "--at", &number, "--yes", "--expected-version"];
    story.lore(&[&restore[..], &["1"]].concat()).exits(3);
    assert_eq!(story.read("page.md"), "Two\n");
    story.lore(&[&restore[..], &["2"]].concat()).ok();
}

#[test]
fn a_snapshot_of_one_page_is_not_given_to_another() {
    let story = Story::of("notes");
    story.put("one", "One\n").ok();
    story.put("one", "Two\n").ok();
    story.put("other", "Other\n").ok();
    story.put("other", "Else\n").ok();
    let number = snapshots(&story, "one")[0].0.to_string();
    story.lore(&["restore", "other", "--at", &number, "--yes"]).exits(2).says("other.md has no snapshot");
    assert_eq!(story.read("other.md"), "Else\n");
}

#[test]
fn what_the_policy_forbids_is_not_restored() {
    let story = Story::of("notes");
    story.put("log", "One\n").ok();
    story.put("log", "Two\n").ok();
    let number = snapshots(&story, "log")[0].0.to_string();
    story.sandbox.write(
        "lore.toml",
        "[[rule]]\nname = \"the log\"\npaths = [\"log\"]\nallow = [\"create\", \"append\"]\n",
    );
    story.commit_by_hand("Policy");
    let ran = story.refuses(|| story.lore(&["restore", "log", "--at", &number, "--yes"]));
    ran.says("the policy does not allow put on log.md (rule \"the log\" allows create, append)");
}

#[test]
fn what_is_invalid_by_now_is_not_restored() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.put("page", "---\nstatus: active\n---\nTwo\n").ok();
    let number = snapshots(&story, "page")[0].0.to_string();
    story.sandbox.write(
        "lore.toml",
        "[[rule]]\npaths = [\"**\"]\nschema = \"page\"\n[schema.page]\nrequired = [\"status\"]\n",
    );
    story.commit_by_hand("Policy");
    story.refuses(|| story.lore(&["restore", "page", "--at", &number, "--yes"])).says("(field-missing)");
}

#[test]
fn snapshots_are_kept_for_thirty_days_and_no_longer() {
    let story = Story::of("notes");
    story.later("2026-10-01T12:00:00Z", &["call", "put", r#"{"slug": "page", "content": "One\n"}"#]).ok();
    story.later("2026-10-02T12:00:00Z", &["call", "put", r#"{"slug": "page", "content": "Two\n"}"#]).ok();
    story.later("2026-10-20T12:00:00Z", &["call", "put", r#"{"slug": "page", "content": "Three\n"}"#]).ok();
    assert_eq!(snapshots(&story, "page").len(), 2, "reading takes none away");
    story.later("2026-11-01T11:59:59Z", &["call", "put", r#"{"slug": "other", "content": "One\n"}"#]).ok();
    assert_eq!(snapshots(&story, "page").len(), 2);
    story.later("2026-11-01T12:00:01Z", &["call", "put", r#"{"slug": "other", "content": "Two\n"}"#]).ok();
    let left = snapshots(&story, "page");
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].1, 2);
    story.later("2027-01-01T12:00:00Z", &["retention", "run"]).ok();
    assert_eq!(snapshots(&story, "page"), []);
    assert_eq!(story.read("page.md"), "Three\n");
}

#[test]
fn how_long_snapshots_are_kept_is_the_policy_s_to_say() {
    let story = Story::of("notes");
    story.sandbox.write("lore.toml", "[limits]\nsnapshots = \"1 day\"\n");
    story.commit_by_hand("Policy");
    story.put("page", "One\n").ok();
    story.put("page", "Two\n").ok();
    assert_eq!(snapshots(&story, "page").len(), 1);
    story.later("2026-11-03T12:00:00Z", &["call", "put", r#"{"slug": "other", "content": "One\n"}"#]).ok();
    assert_eq!(snapshots(&story, "page"), []);
}

#[test]
fn an_edited_index_that_is_made_anew_is_kept_as_a_snapshot() {
    let story = Story::of("roam");
    story.edit_by_hand("index.md", "# Index\n", "# Index\n\nMy own words.\n");
    story.lore(&["index"]).ok();
    assert!(!story.read("index.md").contains("My own words."));
    let diff = story.lore(&["diff", "index.md"]).ok().json();
    assert!(diff["diff"].as_str().expect("a text").contains("-My own words."), "{diff}");
}

#[test]
fn a_restore_replaces_the_page_where_other_writes_would_be_added_to_it() {
    let story = Story::of("notes");
    story.sandbox.write("lore.toml", "[[rule]]\npaths = [\"**\"]\nedited = \"revision\"\n");
    story.commit_by_hand("Policy");
    story.put("page", "One\n").ok();
    story.put("page", "Two\n").ok();
    let number = snapshots(&story, "page")[0].0.to_string();
    story.edit_by_hand("page.md", "Two", "Two, and Ada");
    story.lore(&["restore", "page", "--at", &number, "--yes"]).ok();
    assert_eq!(story.read("page.md"), "One\n");
}

#[test]
fn a_moved_page_keeps_its_snapshots() {
    for story in vaults() {
        story.put("page", "One\n").ok();
        story.put("page", "Two\n").ok();
        story.lore(&["mv", "page", "folder/other"]).ok();
        let kept = snapshots(&story, "folder/other");
        let number = kept.iter().find(|(_, version)| *version == 1).unwrap_or_else(|| panic!("{kept:?}")).0;
        story.lore(&["restore", "folder/other", "--at", &number.to_string(), "--yes"]).ok();
        assert_eq!(story.read("folder/other.md"), "One\n");
    }
}

#[test]
fn a_deleted_page_is_all_that_changed_since_its_snapshot() {
    let story = Story::of("notes");
    story.put("page", "One\nTwo\n").ok();
    story.lore(&["rm", "page", "--yes"]).ok();
    let diff = story.lore(&["diff", "page.md"]).ok().json();
    assert_eq!((&diff["added"], &diff["removed"]), (&json!(0), &json!(2)), "{diff}");
}

#[test]
fn a_page_made_again_goes_on_with_its_versions() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.put("page", "Two\n").ok();
    story.lore(&["rm", "page", "--yes"]).ok();
    let again = story.put("page", "Three\n").ok().json();
    assert_eq!((&again["outcome"], &again["version"]), (&json!("created"), &json!(3)), "{again}");
    assert_eq!(snapshots(&story, "page").len(), 2);
}
