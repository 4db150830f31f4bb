//! The contract of a search: what a hit says, in which order they come, and how the command ends.

use serde_json::json;

use crate::story::{NOON, Story, id, node};

fn slugs(story: &Story, query: &str) -> Vec<String> {
    let ran = story.lore(&["query", query, "--mode", "fields"]);
    assert!(ran.code <= 1, "{ran:?}");
    let hits = ran.json()["hits"].as_array().expect("hits").clone();
    hits.iter().map(|hit| hit["slug"].as_str().expect("a slug").to_owned()).collect()
}

#[test]
fn a_hit_says_which_page_it_is_and_why_it_was_found() {
    let story = Story::of("roam");
    story.put("looms", &node(1, "Looms", "They weave.").replace("[general]", "[emacs]")).ok();
    let found = story.lore(&["query", "looms", "--mode", "fields"]).ok().json();
    let hit = &found["hits"][0];
    assert_eq!((&hit["title"], &hit["slug"]), (&json!("Looms"), &json!("looms")));
    assert_eq!((&hit["summary"], &hit["status"]), (&json!("What Looms is about."), &json!("current")));
    assert_eq!(hit["path"], "looms.md");
    assert!(!hit["why"].as_array().expect("reasons").is_empty(), "{hit}");
}

#[test]
fn a_hit_also_gives_id_projects_and_day() {
    let story = Story::of("roam");
    story.put("looms", &node(1, "Looms", "They weave.").replace("[general]", "[emacs]")).ok();
    let hit = story.lore(&["query", "looms", "--mode", "fields"]).ok().json()["hits"][0].clone();
    assert_eq!(hit["id"], id(1), "{hit}");
    assert_eq!(hit["projects"], json!(["emacs"]), "{hit}");
    assert!(hit["updated"].as_str().is_some_and(|day| day.starts_with("2026-11-01")), "{hit}");
}

/// The same word in the title, in a tag, in the summary and in the body of a page each.
fn fields() -> Story {
    let story = Story::of("roam");
    story.put("d", &node(4, "Dee", "There is a zeppelin in it.")).ok();
    story.put("c", &node(3, "Sea", "Text.").replace("What Sea is about.", "Like a zeppelin.")).ok();
    story.put("b", &node(2, "Bee", "Text.").replace("[observation]", "[observation, zeppelin]")).ok();
    story
        .put("a", &node(1, "Old zeppelin", "Text.").replace("What Old zeppelin is about.", "It flies."))
        .ok();
    story
}

#[test]
fn title_tag_summary_and_body_count_in_this_order() {
    assert_eq!(slugs(&fields(), "zeppelin"), ["a", "b", "c", "d"]);
}

#[test]
fn the_reason_tells_title_tag_summary_and_body_apart() {
    let story = fields();
    let found = story.lore(&["query", "zeppelin", "--mode", "fields"]).ok().json();
    let reasons: std::collections::BTreeSet<String> =
        found["hits"].as_array().expect("hits").iter().map(|hit| hit["why"].to_string()).collect();
    assert_eq!(reasons.len(), 4, "{reasons:?}");
}

#[test]
fn a_match_in_the_title_comes_before_one_in_the_body_however_new_that_is() {
    let story = Story::of("roam");
    let old = node(1, "Commit style", "Say why.").replace("2026-10-01", "2020-01-01");
    story.sandbox.write("old-preference.md", old.replace("[observation]", "[preference]"));
    story.commit_by_hand("An old preference");
    story.lore(&["index"]).ok();
    story.put("new", &node(2, "Something else", "It mentions commit style once in passing.")).ok();
    assert_eq!(slugs(&story, "commit style"), ["old-preference", "new"]);
}

#[test]
fn with_the_same_match_the_newer_page_comes_first() {
    let story = Story::of("roam");
    for (number, day) in [(1, "2026-03-01"), (2, "2026-09-01"), (3, "2026-06-01")] {
        let text = node(number, "Same", "The very same words about zeppelins.");
        story.sandbox.write(
            &format!("page-{number}.md"),
            text.replace("updated: 2026-10-01", &format!("updated: {day}")),
        );
    }
    story.commit_by_hand("Three pages");
    assert_eq!(slugs(&story, "zeppelins"), ["page-2", "page-3", "page-1"]);
}

#[test]
fn captures_and_the_index_are_never_found_but_named_as_sources() {
    let story = Story::of("roam");
    let article = story.sandbox.root.join("article.txt");
    std::fs::write(&article, "Zeppelins are lighter than air.\n").expect("a file");
    let raw = article.to_string_lossy().into_owned();
    story.lore(&["capture", "Airships float", "--raw", &raw, "--source", "https://example.org/z"]).ok();
    story.lore(&["query", "zeppelins", "--mode", "fields"]).exits(1);
    let found = story.lore(&["query", "airships", "--mode", "fields"]).ok().json();
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(1), "{found}");
    let page = story.lore(&["show", "Airships float"]).ok().json();
    assert_eq!(page["properties"]["source"], "raw/2026-11-01-airships-float.md");
    assert!(story.read("raw/2026-11-01-airships-float.md").contains("url: \"https://example.org/z\""));
}

#[test]
fn the_exit_tells_nothing_found_from_no_vault() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.lore(&["query", "one", "--mode", "fields"]).exits(0);
    assert_eq!(
        story.lore(&["query", "unheardofword", "--mode", "fields"]).exits(1).json()["hits"],
        json!([])
    );
    let mut elsewhere = story.at(NOON, &["query", "one", "--mode", "fields", "--project", "unknown"]);
    assert_eq!(elsewhere.output().expect("it runs").status.code(), Some(5));
}
