//! Backlinks and forward links, and what curation says of them.

use serde_json::{Value, json};

use crate::story::{Story, id, node, texts};

fn fixture() -> Story {
    let story = Story::of("roam");
    let pages = [
        (1, "hub", "Hub", "Nothing here."),
        (2, "by-title", "By title", "See [[Hub]], and again [[Hub]]."),
        (3, "by-slug", "By slug", "See [[hub|the hub]]."),
        (4, "by-path", "By path", "See [it](hub.md)."),
        (5, "by-relation", "By relation", "- derived_from [[Hub]] (as was said)\n- related_to [[By title]]"),
        (6, "not-at-all", "Not at all", "`[[Hub]]` is code.\n\n```\n[[Hub]]\n```"),
    ];
    for (number, slug, title, body) in pages {
        story.put(slug, &node(number, title, body)).ok();
    }
    let by_id = format!("See [[{}]].", id(1));
    story.put("by-id", &node(7, "By id", &by_id)).ok();
    story.sandbox.write("raw/captured.md", "# Captured\n\nFrom outside: [[Hub]], [hub](../hub.md).\n");
    story.commit_by_hand("A capture with links");
    story
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
fn backlinks_are_the_pages_that_link_and_neither_captures_nor_the_index() {
    let story = fixture();
    let expected = [
        "derived_from by-relation",
        "links_to by-id",
        "links_to by-path",
        "links_to by-slug",
        "links_to by-title",
    ];
    for reference in ["hub", "Hub", &id(1), "hub.md"] {
        assert_eq!(ends(&story.lore(&["backlinks", reference]).ok().json(), "from"), expected, "{reference}");
    }
    assert_eq!(ends(&story.lore(&["backlinks", "by-title"]).ok().json(), "from"), ["related_to by-relation"]);
    assert_eq!(story.findings(), [], "a link in a capture is not broken, since it is none");
}

#[test]
fn forward_links_are_those_that_stand_on_the_page() {
    let story = fixture();
    let forward = |slug: &str| ends(&story.lore(&["links", slug]).json(), "to");
    assert_eq!(forward("by-relation"), ["derived_from hub", "related_to by-title"]);
    assert_eq!(forward("by-id"), ["links_to hub"]);
    assert_eq!(forward("not-at-all"), Vec::<String>::new());
    assert_eq!(forward("hub"), Vec::<String>::new());
}

#[test]
fn a_moved_page_keeps_its_id_and_its_links() {
    let story = fixture();
    story.lore(&["mv", "hub", "centre"]).ok();
    assert_eq!(story.findings(), []);
    assert_eq!(ends(&story.lore(&["backlinks", &id(1)]).ok().json(), "from").len(), 5);
    assert_eq!(story.lore(&["show", &id(1)]).ok().json()["path"], "centre.md");
}

#[test]
fn curation_lists_what_a_person_should_look_over_and_changes_nothing() {
    let story = fixture();
    let twin = "Looms weave patterns from cards that are punched by hand every single morning.";
    story.put("twin-a", &node(11, "Looms and cards", twin)).ok();
    story.put("twin-b", &node(12, "Looms with cards", twin)).ok();
    story
        .put("doubt", &node(13, "Doubt", "See [[Hub]].").replace("status: current", "status: contested"))
        .ok();
    story
        .put("gone", &node(14, "Gone", "See [[Hub]].").replace("status: current", "status: superseded"))
        .ok();
    let broad = "word ".repeat(2100) + "[[Hub]]";
    story.put("broad", &node(15, "Broad", &broad)).ok();
    let (files, head) = (story.sandbox.files(), story.head());
    let found = story.lore(&["curate", "--dry-run"]).ok().json();
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
    let old = story.later("2027-06-01T12:00:00Z", &["curate", "--dry-run"]).ok().json();
    assert_eq!(
        old["untouched"].as_array().map(Vec::len),
        found["pages"].as_u64().map(|pages| pages as usize)
    );
    assert_eq!((story.sandbox.files(), story.head()), (files, head));
    story.lore(&["curate"]).exits(2).says("cannot change pages on its own");
}

#[test]
fn a_look_over_the_pages_is_asked_for_by_their_number() {
    let story = Story::of("roam");
    story.edit_by_hand("lore.toml", "first = 150", "first = 3");
    story.edit_by_hand("lore.toml", "every = 50", "every = 2");
    story.commit_by_hand("Look early");
    let due = || story.lore(&["status"]).ok().json()["curation_due"].clone();
    story.put("one", &node(1, "One", "Text.")).ok();
    assert_eq!(due(), false);
    story.put("two", &node(2, "Two", "Text.")).ok();
    assert_eq!(due(), true);
    assert!(story.lore(&["context"]).ok().text().contains("review due"));
    assert!(story.lore(&["doctor"]).text().contains("review due"));
    story.lore(&["curate", "--done"]).ok();
    assert_eq!(due(), false);
    story.put("three", &node(3, "Three", "Text.")).ok();
    assert_eq!(due(), false);
    story.put("four", &node(4, "Four", "Text.")).ok();
    assert_eq!(due(), true);
}
