//! The search contract: the fields of a hit, their order, and the exit status.

use serde_json::json;

use crate::git_support::{GitVault, NOON, id, node};

fn slugs(vault: &GitVault, query: &str) -> Vec<String> {
    let ran = vault.lore(&["query", query, "--mode", "fields"]);
    assert!(ran.code <= 1, "{ran:?}");
    let hits = ran.json()["hits"].as_array().expect("hits").clone();
    hits.iter().map(|hit| hit["slug"].as_str().expect("a slug").to_owned()).collect()
}

#[test]
fn hit_has_page_fields_and_reasons() {
    let vault = GitVault::with_profile("roam");
    vault.put("looms", &node(1, "Looms", "They weave.").replace("[general]", "[emacs]")).ok();
    let found = vault.lore(&["query", "looms", "--mode", "fields"]).ok().json();
    let hit = &found["hits"][0];
    assert_eq!((&hit["title"], &hit["slug"]), (&json!("Looms"), &json!("looms")));
    assert_eq!((&hit["summary"], &hit["status"]), (&json!("What Looms is about."), &json!("current")));
    assert_eq!(hit["path"], "looms.md");
    assert!(!hit["why"].as_array().expect("reasons").is_empty(), "{hit}");
}

#[test]
fn hit_has_id_projects_and_date() {
    let vault = GitVault::with_profile("roam");
    vault.put("looms", &node(1, "Looms", "They weave.").replace("[general]", "[emacs]")).ok();
    let hit = vault.lore(&["query", "looms", "--mode", "fields"]).ok().json()["hits"][0].clone();
    assert_eq!(hit["id"], id(1), "{hit}");
    assert_eq!(hit["projects"], json!(["emacs"]), "{hit}");
    assert!(hit["updated"].as_str().is_some_and(|day| day.starts_with("2026-11-01")), "{hit}");
}

/// Creates pages with the same word in the title, in a tag, in the summary and in the body.
fn fields() -> GitVault {
    let vault = GitVault::with_profile("roam");
    vault.put("d", &node(4, "Dee", "There is a zeppelin in it.")).ok();
    vault.put("c", &node(3, "Sea", "Text.").replace("What Sea is about.", "Like a zeppelin.")).ok();
    vault.put("b", &node(2, "Bee", "Text.").replace("[observation]", "[observation, zeppelin]")).ok();
    vault
        .put("a", &node(1, "Old zeppelin", "Text.").replace("What Old zeppelin is about.", "It flies."))
        .ok();
    vault
}

#[test]
fn title_outranks_tag_outranks_summary_outranks_body() {
    assert_eq!(slugs(&fields(), "zeppelin"), ["a", "b", "c", "d"]);
}

#[test]
fn reasons_distinguish_title_tag_summary_and_body() {
    let vault = fields();
    let found = vault.lore(&["query", "zeppelin", "--mode", "fields"]).ok().json();
    let reasons: std::collections::BTreeSet<String> =
        found["hits"].as_array().expect("hits").iter().map(|hit| hit["why"].to_string()).collect();
    assert_eq!(reasons.len(), 4, "{reasons:?}");
}

#[test]
fn old_title_match_outranks_new_body_match() {
    let vault = GitVault::with_profile("roam");
    let old = node(1, "Commit style", "Say why.").replace("2026-10-01", "2020-01-01");
    vault.sandbox.write("old-preference.md", old.replace("[observation]", "[preference]"));
    vault.commit_by_hand("An old preference");
    vault.lore(&["generate"]).ok();
    vault.put("new", &node(2, "Something else", "It mentions commit style once in passing.")).ok();
    assert_eq!(slugs(&vault, "commit style"), ["old-preference", "new"]);
}

#[test]
fn newer_page_wins_a_tie() {
    let vault = GitVault::with_profile("roam");
    for (number, day) in [(1, "2026-03-01"), (2, "2026-09-01"), (3, "2026-06-01")] {
        let text = node(number, "Same", "The very same words about zeppelins.");
        vault.sandbox.write(
            &format!("page-{number}.md"),
            text.replace("updated: 2026-10-01", &format!("updated: {day}")),
        );
    }
    vault.commit_by_hand("Three pages");
    assert_eq!(slugs(&vault, "zeppelins"), ["page-2", "page-3", "page-1"]);
}

#[test]
fn captures_and_the_index_are_not_searched() {
    let vault = GitVault::with_profile("roam");
    let article = vault.sandbox.root.join("article.txt");
    std::fs::write(&article, "Zeppelins are lighter than air.\n").expect("a file");
    let raw = article.to_string_lossy().into_owned();
    vault.lore(&["capture", "Airships float", "--raw", &raw, "--source", "https://example.org/z"]).ok();
    vault.lore(&["query", "zeppelins", "--mode", "fields"]).exits(1);
    let found = vault.lore(&["query", "airships", "--mode", "fields"]).ok().json();
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(1), "{found}");
    let page = vault.lore(&["show", "Airships float"]).ok().json();
    assert_eq!(page["properties"]["source"], "raw/2026-11-01-airships-float.md");
    assert!(vault.read("raw/2026-11-01-airships-float.md").contains("url: \"https://example.org/z\""));
}

#[test]
fn fields_are_the_default_mode() {
    let vault = fields();
    let asked = |arguments: &[&str]| vault.lore(arguments).ok().json();
    let found = asked(&["query", "zeppelin"]);
    assert_eq!(found["mode"], "fields");
    assert_eq!(found["hits"], asked(&["query", "zeppelin", "--mode", "fields"])["hits"]);
    assert_eq!(asked(&["query", "zeppelin", "--mode", "lexical"])["mode"], "lexical");
}

#[test]
fn exit_status_distinguishes_no_hits_from_no_vault() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.lore(&["query", "one", "--mode", "fields"]).exits(0);
    assert_eq!(
        vault.lore(&["query", "unheardofword", "--mode", "fields"]).exits(1).json()["hits"],
        json!([])
    );
    let mut elsewhere = vault.at(NOON, &["query", "one", "--mode", "fields", "--project", "unknown"]);
    assert_eq!(elsewhere.output().expect("it runs").status.code(), Some(5));
}

#[test]
fn exit_status_tells_that_lint_or_the_index_is_broken() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.sandbox.write("broken.md", node(2, "Broken", "Text.").replace("summary: ", "sumary: "));
    let ran = vault.lore(&["query", "one"]).exits(4);
    assert!(ran.json()["notes"].to_string().contains("lint error"), "{}", ran.text());
    assert_eq!(ran.json()["hits"][0]["slug"], "one", "it still answers");
    vault.lore(&["query", "unheardofword"]).exits(4);
    std::fs::remove_file(vault.sandbox.vault().join("broken.md")).expect("written above");
    vault.lore(&["query", "one"]).exits(0);
}

#[test]
fn exit_status_follows_files_that_are_not_pages() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    let query = |code| vault.lore(&["query", "one"]).exits(code);
    query(0);
    query(0);
    let token = ["ghp", "_9dK2mQx7Lw4Rt8Yv1Bn5Cz3Hs6Jf0Gp2Wq4E"].concat();
    vault.sandbox.write("raw/2026-11-01-mail.txt", format!("The key is {token}\n"));
    query(4);
    query(4);
    vault.sandbox.write("raw/2026-11-01-mail.txt", "The key is gone.\n");
    query(0);
}
