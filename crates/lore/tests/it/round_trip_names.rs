//! Names, types and times follow the files, in edge cases too.

use std::fs::File;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn slug_ending_like_an_extension_is_its_own_page() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("topic.md", "plain\n");
    sandbox.write("topic.markdown.md", "dotted\n");
    sandbox.write("from.md", "See [[topic.markdown]].\n");
    assert_eq!(sandbox.run(&["get", "topic.markdown"]).ok().text(), "dotted\n");
    assert_eq!(sandbox.run(&["get", "topic"]).ok().text(), "plain\n");
    let links = sandbox.run(&["links", "from"]).ok().json();
    assert_eq!(links["links"][0]["to"], json!("topic.markdown"));
    sandbox.validate();
}

#[test]
fn changed_policy_applies_to_indexed_pages() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("herbs/basil.md", "Basil\n");
    sandbox.run(&["list", "--type", "herb"]).exits(1);
    sandbox.write("lore.toml", "[types]\nherbs = \"herb\"\n");
    let found = sandbox.run(&["list", "--type", "herb"]).ok().json();
    assert_eq!(found["pages"][0]["slug"], json!("herbs/basil"));
    assert_eq!(sandbox.sync()["modified"], json!([]));
}

#[test]
fn new_mtime_of_unchanged_bytes_is_indexed() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("old.md", "old\n");
    sandbox.sync();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = File::options().append(true).open(sandbox.vault().join("old.md")).expect("a page");
    file.set_modified(then).expect("a new time");
    let page = sandbox.run(&["show", "old"]).ok().json();
    assert_eq!((&page["updated"], &page["version"]), (&json!("2001-09-09T01:46:40Z"), &json!(1)));
}

#[test]
fn excluded_words_stay_excluded_in_any_word_search() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("weaving.md", "the loom reads cards\n");
    sandbox.write("cloth.md", "the loom makes cloth\n");
    assert_eq!(sandbox.search("loom zeppelin NOT cards"), ["cloth"]);
}

#[test]
fn move_to_a_name_without_a_slug_is_refused() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("x.md", "x\n");
    for name in ["!!!", "a/!!!/b"] {
        sandbox.run(&["mv", "x", name]).exits(2).says("cannot derive a slug");
    }
    sandbox.run(&["mv", "x", "memory://p/q"]).ok();
    assert_eq!(sandbox.read("p/q.md"), b"x\n");
}
