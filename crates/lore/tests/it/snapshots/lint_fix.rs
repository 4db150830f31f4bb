//! `lint --fix`: findings that need no decision are fixed, the others are reported.

use serde_json::json;

use crate::git_support::{GitVault, id, node};

#[test]
fn findings_without_a_decision_are_fixed() {
    let vault = GitVault::with_profile("roam");
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
    vault.sandbox.write("one.md", &broken);
    vault.commit_by_hand("A page by hand");
    let found = vault.lore(&["lint"]).exits(4).json();
    let open =
        found["findings"].as_array().expect("a list").iter().filter(|one| one["fixable"] != true).count();
    assert_eq!((&found["errors"], open), (&json!(6), 0), "{found}");
    let fixed = vault.lore(&["lint", "--fix"]).ok().json();
    assert_eq!(
        (&fixed["errors"], &fixed["warnings"], &fixed["findings"]),
        (&json!(0), &json!(0), &json!([])),
        "{fixed}"
    );
    assert_eq!(fixed["fixed"][0], "one.md");
    let page = vault.lore(&["show", "one"]).ok().json();
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
        vault.read("one.md").ends_with("---\n# One\n\nText of [[Start here]].\n"),
        "the body is unchanged"
    );
    assert!(vault.read("index.md").contains("my-project"), "the index is regenerated");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    assert_eq!(vault.git(&["log", "-1", "--format=%s"]), "Fix one.md");
    let again = vault.lore(&["lint", "--fix"]).ok().json();
    assert_eq!(again.get("fixed"), None, "nothing is left to fix: {again}");
}

#[test]
fn several_invalid_pages_are_fixed_one_by_one() {
    let vault = GitVault::with_profile("roam");
    for number in 1..=3 {
        let text = node(number, &format!("Page {number}"), "Text.");
        vault.sandbox.write(&format!("page-{number}.md"), text.replace("visibility: personal\n", ""));
    }
    vault.commit_by_hand("Pages by hand");
    let fixed = vault.lore(&["lint", "--fix"]).ok().json();
    assert_eq!(fixed["errors"], 0, "{fixed}");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn findings_that_need_a_decision_are_reported() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    let pages = [
        ("no-summary", node(2, "No summary", "Text.").replace("summary: What No summary is about.\n", "")),
        ("unknown", node(3, "Unknown", "Text.").replace("confidence: observed", "confidence: certain")),
        ("link", node(4, "Link", "See [[Nowhere]].")),
        ("same-id", node(1, "Same id", "Text.")),
        ("untyped", node(6, "Untyped", "Text.").replace("[observation]", "[red]")),
    ];
    for (slug, text) in &pages {
        vault.sandbox.write(&format!("{slug}.md"), text);
    }
    vault.commit_by_hand("Pages by hand");
    let ran = vault.lore(&["lint", "--fix"]).exits(4).json();
    for (slug, text) in &pages {
        assert_eq!(vault.read(&format!("{slug}.md")), *text, "{slug} is unchanged");
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
fn page_with_both_kinds_is_fixed_partially() {
    let vault = GitVault::with_profile("roam");
    let text = node(1, "One", "Text.").replace("status: current", "status: CURRENT");
    vault.sandbox.write("one.md", text.replace("summary: What One is about.\n", ""));
    vault.commit_by_hand("A page by hand");
    let fixed = vault.lore(&["lint", "--fix"]).exits(4).json();
    assert_eq!(fixed["errors"], 1, "only the summary is left: {fixed}");
    assert!(vault.read("one.md").contains("status: current\n"), "{}", vault.read("one.md"));
}

#[test]
fn only_the_given_pages_are_fixed() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write(
        "lore.toml",
        "[[rule]]\npaths = [\"**\"]\nschema = \"page\"\n[schema.page]\nvalues = { status = [\"open\"] }\n",
    );
    vault.sandbox.write("one.md", "---\nstatus: OPEN\n---\n");
    vault.sandbox.write("two.md", "---\nstatus: OPEN\n---\n");
    vault.commit_by_hand("By hand");
    let fixed = vault.lore(&["lint", "--fix", "one"]).ok().json();
    assert_eq!(fixed["fixed"], json!(["one.md"]));
    assert_eq!(vault.read("one.md"), "---\nstatus: open\n---\n");
    assert_eq!(vault.read("two.md"), "---\nstatus: OPEN\n---\n");
}

#[test]
fn unchanged_pages_are_not_reported_as_fixed() {
    let vault = GitVault::with_profile("roam");
    // This frontmatter cannot be edited, so the default cannot be inserted.
    let text =
        node(1, "One", "Text.").replace("visibility: personal\n", "").replace("status: current", "status: [");
    vault.sandbox.write("one.md", &text);
    vault.commit_by_hand("By hand");
    let fixed = vault.lore(&["lint", "--fix"]).exits(4).json();
    assert_eq!(vault.read("one.md"), text);
    assert!(!fixed["fixed"].to_string().contains("one.md"), "{fixed}");
}

#[test]
fn empty_property_is_missing_but_not_invalid() {
    let vault = GitVault::with_profile("roam");
    let text = node(1, "One", "Text.").replace("visibility: personal", "visibility: ''");
    vault.sandbox.write("one.md", text.replace("created: 2026-10-01", "created:"));
    let found = vault.lore(&["lint", "one"]).exits(4).json()["findings"].clone();
    let rules: Vec<_> = found.as_array().expect("a list").iter().map(|one| one["rule"].clone()).collect();
    assert_eq!(rules, ["field-missing", "field-missing"], "{found}");
}

#[test]
fn uncommitted_pages_are_fixed() {
    let vault = GitVault::with_profile("roam");
    for number in 1..=2 {
        let text = node(number, &format!("Page {number}"), "Text.");
        vault.sandbox.write(&format!("page-{number}.md"), text.replace("visibility: personal\n", ""));
    }
    vault.lore(&["git", "commit"]).exits(4).says("the property `visibility` is missing");
    let fixed = vault.lore(&["lint", "--fix"]).json();
    assert_eq!(fixed["errors"], 0, "the suggested fix must work: {fixed}");
    vault.lore(&["git", "commit"]).ok();
}
