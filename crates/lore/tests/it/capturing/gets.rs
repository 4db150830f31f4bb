//! What a new page gets from a capture: tags, links, properties, a short id.

use std::fs;

use serde_json::{Value, json};

use super::{is_sound, slugs, told};
use crate::sandbox::{Ran, Sandbox};
use crate::story::{NOON, Story};

#[test]
fn tags_are_those_that_the_vault_knows_and_given_ones_come_first() {
    let story = Story::of("brain");
    story.put("people/ada", "---\ntitle: Ada Lovelace\naliases: [Countess]\n---\n# Ada\n").ok();
    story.put("companies/acme", "---\ntitle: Acme\ntags: [Pricing, tools]\n---\n# Acme\n").ok();
    story.put("captures/today", "# Today\n").ok();
    let text = "Today the Countess told ACME that its pricing of 2024 is too high.";
    let tags = |more: &[&str]| {
        let ran = story.lore(&[&["capture", text, "--keep"][..], more].concat());
        ran.ok().json()["tags"].clone()
    };
    assert_eq!(tags(&[]), json!(["acme", "ada-lovelace", "pricing"]));
    assert_eq!(tags(&["--tag", "pricing"]), json!(["pricing", "acme", "ada-lovelace"]));
    let five = ["--tag", "a", "--tag", "b", "--tag", "c", "--tag", "d", "--tag", "e", "--tag", "f"];
    assert_eq!(tags(&five), json!(["a", "b", "c", "d", "e", "f"]));
    let own = "---\ntags: [mine]\n---\nThe Countess again, on pricing.";
    assert_eq!(story.lore(&["capture", own, "--keep"]).ok().json()["tags"], json!(["mine"]));

    story.edit_by_hand(
        "lore.toml",
        "profile = \"brain\"\n",
        "profile = \"brain\"\n[capture]\nauto_tags = false\n",
    );
    assert_eq!(tags(&[]), json!([]));
}

#[test]
fn the_directory_of_the_work_is_a_tag_where_the_vault_knows_it() {
    let story = Story::of("notes");
    let work = story.sandbox.root.join("billing-api");
    fs::create_dir(&work).expect("a folder");
    let there = |text: &str, more: &[&str]| -> Value {
        let arguments = [&["capture", text, "--project", "v"][..], more].concat();
        let ran: Ran = story.at(NOON, &arguments).current_dir(&work).output().expect("it runs").into();
        ran.ok().json()
    };
    assert_eq!(
        there("Rivers rise in spring.", &[])["tags"],
        json!([]),
        "nobody has filed anything under it yet"
    );
    assert_eq!(there("Retries wait an hour.", &["--tag", "billing-api"])["tags"], json!(["billing-api"]));
    assert_eq!(there("Kites need wind from the west.", &[])["tags"], json!(["billing-api"]));
}

#[test]
fn profiles_whose_schemas_rule_tags_add_none() {
    for (profile, expected) in [("roam", json!(["procedure"])), ("personal", json!(["procedure"]))] {
        let story = Story::of(profile);
        story.lore(&["capture", "Looms weave patterns.", "--tag", "procedure", "--tag", "looms"]).ok();
        let written =
            story.lore(&["capture", "Oil the looms in March", "--keep", "--tag", "procedure"]).ok().json();
        assert_eq!(written["tags"], expected, "{profile}");
        is_sound(&story, profile);
    }
}

#[test]
fn a_new_page_is_linked_to_what_is_related_in_the_same_write() {
    for profile in ["notes", "brain", "roam", "personal"] {
        let (story, salon) = told(profile);
        let head = story.head();
        let written = story.lore(&["capture", "The salon takes no applications from sponsors"]);
        let written = match written.code {
            1 => story.lore(&["capture", "The salon takes no applications from sponsors", "--keep"]),
            _ => written,
        };
        let written = written.ok().json();
        let linked = &written["linked"][0];
        assert_eq!((&linked["id"], &linked["slug"]), (&salon["id"], &salon["slug"]), "{profile}: {written}");
        let text = story.read(written["path"].as_str().expect("a path"));
        let line = format!("- related [[{}]]", linked["title"].as_str().expect("a title"));
        assert!(text.contains(&line), "{line}: {text}");
        assert_eq!(story.subjects_since(&head).len(), 1, "one commit");
        let back = story.lore(&["backlinks", salon["slug"].as_str().expect("a slug")]).ok().json();
        assert_eq!(back["links"][0]["relationship"], "related", "{back}");
        is_sound(&story, profile);
    }
}

#[test]
fn links_go_to_pages_that_count_and_are_not_linked_already_and_the_policy_ends_them() {
    let (story, salon) = told("notes");
    let title = salon["slug"].as_str().expect("a slug").to_owned();
    let linked = |text: &str| story.lore(&["capture", text, "--keep"]).ok().json()["linked"].clone();
    let about = "The salon takes no applications from sponsors";
    assert_eq!(linked(&format!("{about}, see [[{title}]]")), json!([]), "the text has the link");
    story.lore(&["set-status", &title, "superseded"]).ok();
    let rest = linked(&format!("{about} of the year"));
    assert!(!slugs(&rest).contains(&title.as_str()), "{rest}");
    story.sandbox.write("lore.toml", "profile = \"notes\"\n[capture]\nrelated = 0\n");
    story.commit_by_hand("No links");
    assert_eq!(linked(&format!("{about} or patrons")), json!([]));
}

#[test]
fn what_is_written_says_how_it_came_about_where_nothing_else_does() {
    let sandbox = Sandbox::with_vault();
    let mut command = sandbox.command(&["capture", "Rivers rise in spring."]);
    let ran: Ran = command.env("LORE_SESSION", "s7").output().expect("it runs").into();
    let written = ran.ok().json();
    let page = sandbox.read(written["path"].as_str().expect("a path"));
    assert_eq!(
        String::from_utf8_lossy(&page),
        "---\ntitle: Rivers rise in spring\nsource_type: capture\nsession: s7\n---\n# Rivers rise in spring\n\nRivers rise in spring.\n"
    );
    let (story, first) = told("notes");
    let text = story.read(first["path"].as_str().expect("a path"));
    assert!(text.contains("source_type: capture\n") && !text.contains("session"), "{text}");
    let (story, first) = told("roam");
    assert!(!story.read(first["path"].as_str().expect("a path")).contains("source_type"));
}

#[test]
fn a_short_id_is_told_and_taken_everywhere() {
    let sandbox = Sandbox::with_vault();
    let human = sandbox.run(&["--format", "human", "capture", "Rivers rise in spring."]).ok().text();
    let id =
        human.strip_prefix("Captured as ").and_then(|rest| rest.split(' ').next()).expect("an id").to_owned();
    assert_eq!(human, format!("Captured as {id} in 'v': captures/rivers-rise-in-spring\n"));
    assert_eq!(id.len(), 8, "{human}");
    assert_eq!(sandbox.run(&["show", &id]).ok().json()["slug"], "captures/rivers-rise-in-spring");
    sandbox.run(&["capture", "They fall in summer.", "--extend", &id]).ok();
    sandbox.run(&["capture", "They rise in April.", "--update", &id]).ok();
    fs::remove_file(sandbox.database()).expect("the index");
    assert_eq!(
        sandbox.run(&["show", &id]).ok().json()["slug"],
        "captures/rivers-rise-in-spring",
        "from the file"
    );
}
