//! `lint --fix`: what needs no decision is mended, what needs one is left and told.

use serde_json::json;

use crate::story::{Story, id, node};

#[test]
fn what_needs_no_decision_is_mended() {
    let story = Story::of("roam");
    let text = node(1, "One", "Text of [[Start here]].");
    let broken = [
        (format!("id: {}\n", id(1)), String::new()),
        ("created_by: ada\n".into(), String::new()),
        ("visibility: personal\n".into(), String::new()),
        ("confidence: observed".into(), "confidence: User-Stated".into()),
        ("status: current".into(), "status: CURRENT".into()),
        ("projects: [general]".into(), "projects: [My Project, general]".into()),
    ];
    let broken = broken.iter().fold(text, |text, (old, new)| text.replace(old, new));
    story.sandbox.write("one.md", &broken);
    story.commit_by_hand("A page by hand");
    let found = story.lore(&["lint"]).exits(4).json();
    let open =
        found["findings"].as_array().expect("a list").iter().filter(|one| one["fixable"] != true).count();
    assert_eq!((&found["errors"], open), (&json!(6), 0), "{found}");
    let fixed = story.lore(&["lint", "--fix"]).ok().json();
    assert_eq!(
        (&fixed["errors"], &fixed["warnings"], &fixed["findings"]),
        (&json!(0), &json!(0), &json!([])),
        "{fixed}"
    );
    assert_eq!(fixed["fixed"][0], "one.md");
    let page = story.lore(&["show", "one"]).ok().json();
    let properties = &page["properties"];
    assert_eq!(properties["id"].as_str().map(str::len), Some(36), "{properties}");
    assert_eq!(
        (&properties["created_by"], &properties["visibility"]),
        (&json!("tester"), &json!("personal"))
    );
    assert_eq!(
        (&properties["confidence"], &properties["status"]),
        (&json!("user-stated"), &json!("current"))
    );
    assert_eq!(properties["projects"], json!(["my-project", "general"]));
    assert!(
        story.read("one.md").ends_with("---\n# One\n\nText of [[Start here]].\n"),
        "the body is as it was"
    );
    assert!(story.read("index.md").contains("my-project"), "the index is made anew");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    assert_eq!(story.git(&["log", "-1", "--format=%s"]), "Fix one.md");
    let again = story.lore(&["lint", "--fix"]).ok().json();
    assert_eq!(again.get("fixed"), None, "there is nothing left to mend: {again}");
}

#[test]
fn an_invalid_vault_of_many_pages_is_mended_page_by_page() {
    let story = Story::of("roam");
    for number in 1..=3 {
        let text = node(number, &format!("Page {number}"), "Text.");
        story.sandbox.write(&format!("page-{number}.md"), text.replace("visibility: personal\n", ""));
    }
    story.commit_by_hand("Pages by hand");
    let fixed = story.lore(&["lint", "--fix"]).ok().json();
    assert_eq!(fixed["errors"], 0, "{fixed}");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}

#[test]
fn what_needs_a_decision_is_left_and_told() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    let pages = [
        ("no-summary", node(2, "No summary", "Text.").replace("summary: What No summary is about.\n", "")),
        ("unknown", node(3, "Unknown", "Text.").replace("confidence: observed", "confidence: certain")),
        ("link", node(4, "Link", "See [[Nowhere]].")),
        ("same-id", node(1, "Same id", "Text.")),
        ("untyped", node(6, "Untyped", "Text.").replace("[observation]", "[red]")),
    ];
    for (slug, text) in &pages {
        story.sandbox.write(&format!("{slug}.md"), text);
    }
    story.commit_by_hand("Pages by hand");
    let ran = story.lore(&["lint", "--fix"]).exits(4).json();
    for (slug, text) in &pages {
        assert_eq!(story.read(&format!("{slug}.md")), *text, "{slug} is as it was");
    }
    let mut rules: Vec<String> = ran["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            format!("{} {}", found["rule"].as_str().expect("a rule"), found["path"].as_str().expect("a path"))
        })
        .collect();
    rules.sort();
    let expected = [
        "field-missing no-summary.md",
        "field-missing untyped.md",
        "field-value unknown.md",
        "id-duplicate one.md",
        "id-duplicate same-id.md",
        "link-broken link.md",
    ];
    assert_eq!(rules, expected);
}

#[test]
fn a_page_with_both_is_mended_as_far_as_that_goes() {
    let story = Story::of("roam");
    let text = node(1, "One", "Text.").replace("status: current", "status: CURRENT");
    story.sandbox.write("one.md", text.replace("summary: What One is about.\n", ""));
    story.commit_by_hand("A page by hand");
    let fixed = story.lore(&["lint", "--fix"]).exits(4).json();
    assert_eq!(fixed["errors"], 1, "only the summary is left: {fixed}");
    assert!(story.read("one.md").contains("status: current\n"), "{}", story.read("one.md"));
}

#[test]
fn only_the_pages_that_are_named_are_mended() {
    let story = Story::of("notes");
    story.sandbox.write(
        "lore.toml",
        "[[rule]]\npaths = [\"**\"]\nschema = \"page\"\n[schema.page]\nvalues = { status = [\"open\"] }\n",
    );
    story.sandbox.write("one.md", "---\nstatus: OPEN\n---\n");
    story.sandbox.write("two.md", "---\nstatus: OPEN\n---\n");
    story.commit_by_hand("By hand");
    let fixed = story.lore(&["lint", "--fix", "one"]).ok().json();
    assert_eq!(fixed["fixed"], json!(["one.md"]));
    assert_eq!(story.read("one.md"), "---\nstatus: open\n---\n");
    assert_eq!(story.read("two.md"), "---\nstatus: OPEN\n---\n");
}

#[test]
fn nothing_is_called_mended_that_was_not_changed() {
    let story = Story::of("roam");
    // Its kind of frontmatter cannot be edited, so the default cannot be put in.
    let text =
        node(1, "One", "Text.").replace("visibility: personal\n", "").replace("status: current", "status: [");
    story.sandbox.write("one.md", &text);
    story.commit_by_hand("By hand");
    let fixed = story.lore(&["lint", "--fix"]).exits(4).json();
    assert_eq!(story.read("one.md"), text);
    assert!(!fixed["fixed"].to_string().contains("one.md"), "{fixed}");
}

#[test]
fn an_empty_property_is_missing_and_not_also_a_wrong_value() {
    let story = Story::of("roam");
    let text = node(1, "One", "Text.").replace("visibility: personal", "visibility: ''");
    story.sandbox.write("one.md", text.replace("created: 2026-10-01", "created:"));
    let found = story.lore(&["lint", "one"]).exits(4).json()["findings"].clone();
    let rules: Vec<_> = found.as_array().expect("a list").iter().map(|one| one["rule"].clone()).collect();
    assert_eq!(rules, ["field-missing", "field-missing"], "{found}");
}

#[test]
fn pages_that_are_not_committed_yet_are_mended_too() {
    let story = Story::of("roam");
    for number in 1..=2 {
        let text = node(number, &format!("Page {number}"), "Text.");
        story.sandbox.write(&format!("page-{number}.md"), text.replace("visibility: personal\n", ""));
    }
    story.lore(&["git", "commit"]).exits(4).says("the property `visibility` is missing");
    let fixed = story.lore(&["lint", "--fix"]).json();
    assert_eq!(fixed["errors"], 0, "what the person is told to do must be possible: {fixed}");
    story.lore(&["git", "commit"]).ok();
}
