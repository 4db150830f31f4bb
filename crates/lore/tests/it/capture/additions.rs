//! What a capture adds to a new page: tags, links, properties, a short id.

use std::fs;

use serde_json::{Value, json};

use super::{assert_lints_clean, slugs, with_salon_page};
use crate::git_support::{GitVault, NOON};
use crate::hand_edits::suspended_at;
use crate::sandbox::{Ran, Sandbox};

#[test]
fn only_known_tags_are_added_after_the_given_ones() {
    let vault = GitVault::with_profile("brain");
    vault.put("people/ada", "---\ntitle: Ada Lovelace\naliases: [Countess]\n---\n# Ada\n").ok();
    vault.put("companies/acme", "---\ntitle: Acme\ntags: [Pricing, tools]\n---\n# Acme\n").ok();
    vault.put("captures/today", "# Today\n").ok();
    let text = "Today the Countess told ACME that its pricing of 2024 is too high.";
    let tags = |more: &[&str]| {
        let ran = vault.lore(&[&["capture", text, "--keep"][..], more].concat());
        ran.ok().json()["tags"].clone()
    };
    assert_eq!(tags(&[]), json!(["acme", "ada-lovelace", "pricing"]));
    assert_eq!(tags(&["--tag", "pricing"]), json!(["pricing", "acme", "ada-lovelace"]));
    let five = ["--tag", "a", "--tag", "b", "--tag", "c", "--tag", "d", "--tag", "e", "--tag", "f"];
    assert_eq!(tags(&five), json!(["a", "b", "c", "d", "e", "f"]));
    let own = "---\ntags: [mine]\n---\nThe Countess again, on pricing.";
    assert_eq!(vault.lore(&["capture", own, "--keep"]).ok().json()["tags"], json!(["mine"]));

    vault.edit_by_hand(
        "lore.toml",
        "profile = \"brain\"\n",
        "profile = \"brain\"\n[capture]\nauto_tags = false\n",
    );
    assert_eq!(tags(&[]), json!([]));
}

#[test]
fn working_directory_is_added_if_it_is_a_known_tag() {
    let vault = GitVault::with_profile("notes");
    let work = vault.sandbox.root.join("billing-api");
    fs::create_dir(&work).expect("a folder");
    let there = |text: &str, more: &[&str]| -> Value {
        let arguments = [&["capture", text, "--project", "v"][..], more].concat();
        let ran: Ran = vault.at(NOON, &arguments).current_dir(&work).output().expect("it runs").into();
        ran.ok().json()
    };
    assert_eq!(there("Rivers rise in spring.", &[])["tags"], json!([]), "no page has this tag yet");
    assert_eq!(there("Retries wait an hour.", &["--tag", "billing-api"])["tags"], json!(["billing-api"]));
    assert_eq!(there("Kites need wind from the west.", &[])["tags"], json!(["billing-api"]));
}

#[test]
fn profiles_with_tag_schemas_add_no_tags() {
    for (profile, expected) in [
        ("roam", json!(["procedure"])),
        ("roam-org", json!(["procedure"])),
        ("personal", json!(["procedure"])),
    ] {
        let vault = GitVault::with_profile(profile);
        vault.lore(&["capture", "Looms weave patterns.", "--tag", "procedure", "--tag", "looms"]).ok();
        let written =
            vault.lore(&["capture", "Oil the looms in March", "--keep", "--tag", "procedure"]).ok().json();
        assert_eq!(written["tags"], expected, "{profile}");
        assert_lints_clean(&vault, profile);
    }
}

#[test]
fn related_links_are_part_of_the_same_write() {
    for profile in ["notes", "brain", "roam", "roam-org", "personal"] {
        let (vault, salon) = with_salon_page(profile);
        let head = vault.head();
        let written = vault.lore(&["capture", "The salon takes no applications from sponsors"]);
        let written = match written.code {
            1 => vault.lore(&["capture", "The salon takes no applications from sponsors", "--keep"]),
            _ => written,
        };
        let written = written.ok().json();
        let linked = &written["linked"][0];
        assert_eq!(linked["slug"], salon["slug"], "{profile}: {written}");
        // The short id is longer if the new page's id begins alike.
        let id = |page: &Value| page["id"].as_str().expect("an id").to_owned();
        assert!(id(linked).starts_with(&id(&salon)), "{profile}: {written}");
        let text = vault.read(written["path"].as_str().expect("a path"));
        let line = match profile {
            // In Org, a link leads to the id.
            "roam-org" => "- related [[id:".to_owned(),
            _ => format!("- related [[{}]]", linked["title"].as_str().expect("a title")),
        };
        assert!(text.contains(&line), "{line}: {text}");
        assert_eq!(vault.subjects_since(&head).len(), 1, "one commit");
        let back = vault.lore(&["backlinks", salon["slug"].as_str().expect("a slug")]).ok().json();
        assert_eq!(back["links"][0]["relationship"], "related", "{back}");
        assert_lints_clean(&vault, profile);
    }
}

/// Another process deletes or moves the related page after it was found.
#[test]
fn related_links_follow_pages_that_change_meanwhile() {
    for (change, line) in [(&["rm"][..], None), (&["mv", "moved/salon"], Some("- related [["))] {
        let (vault, salon) = with_salon_page("notes");
        let slug = salon["slug"].as_str().expect("a slug");
        let change =
            [&change[..1], &[slug], &change[1..], &["--yes"][..usize::from(line.is_none())]].concat();
        let text = "The salon takes no applications from sponsors";
        let mut command = vault.at(NOON, &["capture", text, "--keep"]);
        command.env("LORE_FAULT", "stop@compared");
        let ran = suspended_at(&vault.sandbox, &mut command, b"", || drop(vault.lore(&change).exits(0)));
        let written = ran.expect("it was suspended").exits(0).json();
        let text = vault.read(written["path"].as_str().expect("a path"));
        assert_eq!(text.contains("- related [["), line.is_some(), "{change:?}: {text}");
        assert_lints_clean(&vault, "notes");
    }
}

#[test]
fn related_links_skip_superseded_and_linked_pages() {
    let (vault, salon) = with_salon_page("notes");
    let title = salon["slug"].as_str().expect("a slug").to_owned();
    let linked = |text: &str| vault.lore(&["capture", text, "--keep"]).ok().json()["linked"].clone();
    let about = "The salon takes no applications from sponsors";
    assert_eq!(linked(&format!("{about}, see [[{title}]]")), json!([]), "the text already has the link");
    vault.lore(&["set-status", &title, "superseded"]).ok();
    let rest = linked(&format!("{about} of the year"));
    assert!(!slugs(&rest).contains(&title.as_str()), "{rest}");
    vault.sandbox.write("lore.toml", "profile = \"notes\"\n[capture]\nrelated = 0\n");
    vault.commit_by_hand("No links");
    assert_eq!(linked(&format!("{about} or patrons")), json!([]));
}

#[test]
fn captures_record_source_and_session() {
    let sandbox = Sandbox::with_vault();
    let mut command = sandbox.command(&["capture", "Rivers rise in spring."]);
    let ran: Ran = command.env("LORE_SESSION", "s7").output().expect("it runs").into();
    let written = ran.ok().json();
    let page = sandbox.read(written["path"].as_str().expect("a path"));
    assert_eq!(
        String::from_utf8_lossy(&page),
        "---\ntitle: Rivers rise in spring\nsource_type: capture\nsession: s7\n---\n# Rivers rise in spring\n\nRivers rise in spring.\n"
    );
    let (vault, first) = with_salon_page("notes");
    let text = vault.read(first["path"].as_str().expect("a path"));
    assert!(text.contains("source_type: capture\n") && !text.contains("session"), "{text}");
    let (vault, first) = with_salon_page("roam");
    assert!(!vault.read(first["path"].as_str().expect("a path")).contains("source_type"));
}

#[test]
fn short_id_is_printed_and_accepted_everywhere() {
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
