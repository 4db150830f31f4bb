//! Backlinks and forward links, and the curation report about them.

use serde_json::{Value, json};

use crate::git_support::{GitVault, id, node, texts};

fn fixture() -> GitVault {
    let vault = GitVault::with_profile("roam");
    let pages = [
        (1, "hub", "Hub", "Nothing here."),
        (2, "by-title", "By title", "See [[Hub]], and again [[Hub]]."),
        (3, "by-slug", "By slug", "See [[hub|the hub]]."),
        (4, "by-path", "By path", "See [it](hub.md)."),
        (5, "by-relation", "By relation", "- derived_from [[Hub]] (as was said)\n- related_to [[By title]]"),
        (6, "not-at-all", "Not at all", "`[[Hub]]` is code.\n\n```\n[[Hub]]\n```"),
    ];
    for (number, slug, title, body) in pages {
        vault.put(slug, &node(number, title, body)).ok();
    }
    let by_id = format!("See [[{}]].", id(1));
    vault.put("by-id", &node(7, "By id", &by_id)).ok();
    vault.sandbox.write("raw/captured.md", "# Captured\n\nFrom outside: [[Hub]], [hub](../hub.md).\n");
    vault.commit_by_hand("A capture with links");
    vault
}

fn ends(list: &Value, end: &str) -> Vec<String> {
    let mut ends: Vec<String> = list["links"]
        .as_array()
        .expect("links")
        .iter()
        .map(|link| {
            format!(
                "{} {}",
                link["relationship"].as_str().expect("a verb"),
                link[end].as_str().expect("a slug")
            )
        })
        .collect();
    ends.sort();
    ends.dedup();
    ends
}

#[test]
fn backlinks_exclude_captures_and_the_index() {
    let vault = fixture();
    let expected = [
        "derived_from by-relation",
        "links_to by-id",
        "links_to by-path",
        "links_to by-slug",
        "links_to by-title",
    ];
    for reference in ["hub", "Hub", &id(1), "hub.md"] {
        assert_eq!(ends(&vault.lore(&["backlinks", reference]).ok().json(), "from"), expected, "{reference}");
    }
    assert_eq!(ends(&vault.lore(&["backlinks", "by-title"]).ok().json(), "from"), ["related_to by-relation"]);
    assert_eq!(vault.findings(), [], "links in captures are not checked");
}

#[test]
fn forward_links_are_those_on_the_page() {
    let vault = fixture();
    let forward = |slug: &str| ends(&vault.lore(&["links", slug]).json(), "to");
    assert_eq!(forward("by-relation"), ["derived_from hub", "related_to by-title"]);
    assert_eq!(forward("by-id"), ["links_to hub"]);
    assert_eq!(forward("not-at-all"), Vec::<String>::new());
    assert_eq!(forward("hub"), Vec::<String>::new());
}

#[test]
fn moved_page_keeps_its_id_and_links() {
    let vault = fixture();
    vault.lore(&["mv", "hub", "centre"]).ok();
    assert_eq!(vault.findings(), []);
    assert_eq!(ends(&vault.lore(&["backlinks", &id(1)]).ok().json(), "from").len(), 5);
    assert_eq!(vault.lore(&["show", &id(1)]).ok().json()["path"], "centre.md");
}

#[test]
fn curate_lists_pages_to_review_and_changes_nothing() {
    let vault = fixture();
    let twin = "Looms weave patterns from cards that are punched by hand every single morning.";
    vault.put("twin-a", &node(11, "Looms and cards", twin)).ok();
    vault.put("twin-b", &node(12, "Looms with cards", twin)).ok();
    vault
        .put("doubt", &node(13, "Doubt", "See [[Hub]].").replace("status: current", "status: contested"))
        .ok();
    vault
        .put("gone", &node(14, "Gone", "See [[Hub]].").replace("status: current", "status: superseded"))
        .ok();
    let broad = "word ".repeat(2100) + "[[Hub]]";
    vault.put("broad", &node(15, "Broad", &broad)).ok();
    let (files, head) = (vault.sandbox.files(), vault.head());
    let found = vault.lore(&["curate", "--dry-run"]).ok().json();
    assert_eq!(found["contested"], json!(["doubt.md"]));
    assert_eq!(found["superseded"], json!(["gone.md"]));
    assert_eq!(found["broad"][0]["path"], "broad.md");
    assert_eq!(found["unused_captures"], json!(["raw/captured.md"]));
    assert_eq!(
        texts(&found["orphans"]),
        ["twin-a.md", "twin-b.md", "not-at-all.md", "start-here.md"].map(String::from)
    );
    let pair = &found["duplicates"][0];
    assert_eq!((&pair["one"], &pair["other"]), (&json!("twin-a.md"), &json!("twin-b.md")), "{found}");
    assert_eq!(found["duplicates"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["untouched"], json!([]));
    let old = vault.later("2027-06-01T12:00:00Z", &["curate", "--dry-run"]).ok().json();
    assert_eq!(
        old["untouched"].as_array().map(Vec::len),
        found["pages"].as_u64().map(|pages| pages as usize)
    );
    assert_eq!((vault.sandbox.files(), vault.head()), (files, head));
    vault.lore(&["curate"]).exits(2).says("cannot change pages on its own");
}

#[test]
fn review_is_due_by_page_count() {
    let vault = GitVault::with_profile("roam");
    vault.edit_by_hand("lore.toml", "first = 150", "first = 3");
    vault.edit_by_hand("lore.toml", "every = 50", "every = 2");
    vault.commit_by_hand("Look early");
    let due = || vault.lore(&["status"]).ok().json()["curation_due"].clone();
    vault.put("one", &node(1, "One", "Text.")).ok();
    assert_eq!(due(), false);
    vault.put("two", &node(2, "Two", "Text.")).ok();
    assert_eq!(due(), true);
    assert!(vault.lore(&["context"]).ok().text().contains("review due"));
    assert!(vault.lore(&["doctor"]).text().contains("review due"));
    vault.lore(&["curate", "--done"]).ok();
    assert_eq!(due(), false);
    vault.put("three", &node(3, "Three", "Text.")).ok();
    assert_eq!(due(), false);
    vault.put("four", &node(4, "Four", "Text.")).ok();
    assert_eq!(due(), true);
}
