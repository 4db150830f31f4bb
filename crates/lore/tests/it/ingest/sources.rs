//! A source by itself: its bytes, its page and its provenance.

use std::fs;

use serde_json::{Value, json};

use super::{brain, imports, source, text};
use crate::sandbox::Sandbox;

#[test]
fn source_page_has_provenance_and_mentions() {
    let sandbox = brain();
    let words = "Weekly sync, 2026-02-03\r\n\r\nAda said that Acme will pivot. Ada Lovelace is sure.\r\n- x:: y [[z]]\r\n---\r\n";
    let file = source(&sandbox, "notes.txt", words);
    let given = ["--type", "meeting", "--source-ref", "meeting/12", "--date", "2026-02-03"];
    let taken = sandbox.run(&[&["ingest", &file], &given[..]].concat()).ok().json();
    assert_eq!(
        (&taken["outcome"], &taken["source"]["path"]),
        (&json!("ingested"), &json!("meetings/2026-02-03-weekly-sync.md"))
    );
    let page = text(&sandbox, "meetings/2026-02-03-weekly-sync.md");
    for line in ["date: 2026-02-03", "origin: external", "source: meeting/12", "source_type: meeting"] {
        assert!(page.lines().any(|found| found == line), "{line} is not in {page}");
    }
    assert!(
        page.contains("Ada said that Acme will pivot. Ada Lovelace is sure.\n- x:: y [[z]]\n---\n"),
        "{page}"
    );
    let shown = sandbox.run(&["show", "meetings/2026-02-03-weekly-sync", "--with-links"]).ok().json();
    assert_eq!(shown["type"], "source");
    let stats = sandbox.run(&["stats"]).ok().json();
    assert_eq!(
        (&stats["facts"], &stats["pending_links"]),
        (&json!(1), &json!(0)),
        "text of a source is not a fact"
    );
    let mentions: Vec<(&Value, &Value, &Value)> = taken["mentions"]
        .as_array()
        .expect("mentions")
        .iter()
        .map(|one| (&one["slug"], &one["version"], &one["times"]))
        .collect();
    assert_eq!(
        mentions,
        [
            (&json!("people/ada-lovelace"), &json!(1), &json!(2)),
            (&json!("companies/acme"), &json!(1), &json!(1))
        ]
    );
    assert_eq!(sandbox.search("pivot"), ["meetings/2026-02-03-weekly-sync"]);
    let article = source(&sandbox, "Long Read.md", "Nothing dated.\n");
    let taken = sandbox
        .sh(&format!("LORE_NOW=2026-05-06T10:00:00Z lore ingest '{article}' --type article"))
        .ok()
        .json();
    assert_eq!(taken["source"]["slug"], "sources/2026-05-06-nothing-dated");
    let page = text(&sandbox, "sources/2026-05-06-nothing-dated.md");
    assert!(page.contains("source: Long Read.md\n"), "a local path must not be stored: {page}");
    sandbox.validate();
}

#[test]
fn identical_bytes_are_imported_once() {
    let variants: [&[u8]; 7] = [
        b"Minutes of the works\n\nAll well.\n",
        b"Minutes of the works\r\n\r\nAll well.\r\n",
        b"\xef\xbb\xbfMinutes of the works\n\nAll well.\n",
        b"Minutes of the works\n\nAll well.",
        b"Minutes of the works\n\nAll well!\n",
        b"Minutes of the works\n\nAll w\xe9ll.\n",
        b"Minutes\0of the works\n",
    ];
    let sandbox = brain();
    for (at, bytes) in variants.iter().enumerate() {
        let file = source(&sandbox, "minutes.txt", bytes);
        let first = sandbox.run(&["ingest", &file]).exits(0).json();
        assert_eq!(first["outcome"], "ingested", "variant {at}");
        let before = sandbox.files();
        let elsewhere = source(&sandbox, "copy.txt", bytes);
        for path in [&file, &elsewhere] {
            let again = sandbox.run(&["ingest", path]).ok().json();
            assert_eq!((&again["outcome"], &again["import_id"]), (&json!("already"), &first["import_id"]));
            assert_eq!(again["source"]["slug"], first["source"]["slug"]);
        }
        fs::remove_file(elsewhere).expect("it was there");
        assert_eq!(sandbox.files(), before, "variant {at}");
        assert_eq!(imports(&sandbox), json!(at + 1));
    }
    let human =
        sandbox.run(&["ingest", &source(&sandbox, "x", variants[0]), "--format", "human"]).ok().text();
    assert!(human.starts_with("already ingested at "), "{human}");
    sandbox.validate();
}

#[test]
fn forced_import_keeps_one_source_page() {
    let sandbox = brain();
    let file = source(&sandbox, "minutes.txt", "Minutes of the works\n");
    let first = sandbox.run(&["ingest", &file]).ok().json();
    let page = first["source"]["path"].as_str().expect("a path").to_owned();
    let before = sandbox.read(&page);
    let again = sandbox.run(&["ingest", &file, "--force"]).ok().json();
    assert_eq!((&again["outcome"], &again["source"]["outcome"]), (&json!("ingested"), &json!("unchanged")));
    assert_ne!(again["import_id"], first["import_id"]);
    assert_eq!((sandbox.read(&page), imports(&sandbox)), (before.clone(), json!(1)), "only one is counted");
    sandbox.run(&["rm", &page, "--yes"]).ok();
    let known = sandbox.run(&["ingest", &file]).ok().json();
    assert!(known["warnings"][0].as_str().expect("a warning").contains("is missing"), "{known}");
    let back = sandbox.run(&["ingest", &file, "--force"]).ok().json();
    assert_eq!((&back["source"]["path"], &back["source"]["outcome"]), (&json!(page), &json!("created")));
    assert_eq!(sandbox.read(&page), before);
}

#[test]
fn source_page_survives_the_loss_of_the_database() {
    let sandbox = brain();
    let file = source(&sandbox, "minutes.txt", "Minutes of the works\n");
    sandbox.run(&["ingest", &file]).ok();
    let before = sandbox.files();
    for name in ["lore.db", "lore.db-wal", "lore.db-shm"] {
        fs::remove_file(sandbox.root.join("home").join(name)).ok();
    }
    let again = sandbox.run(&["ingest", &file]).ok().json();
    assert_eq!((&again["outcome"], &again["source"]["outcome"]), (&json!("ingested"), &json!("unchanged")));
    assert_eq!((sandbox.files(), imports(&sandbox)), (before, json!(1)), "the import is recorded again");
    assert_eq!(sandbox.run(&["ingest", &file]).ok().json()["outcome"], "already");
}

#[test]
fn similar_source_is_reported_and_imported() {
    let sandbox = brain();
    let minutes = "Minutes of the board of the anvil works at the coast: the old crane is sold, the new one comes in May, the quay is dredged, Bob keeps the books and Ada keeps the keys.\n";
    sandbox.run(&["ingest", &source(&sandbox, "a.txt", minutes), "--source-ref", "m/1"]).ok();
    let next = minutes.replace("in May", "in June");
    let taken = sandbox.run(&["ingest", &source(&sandbox, "b.txt", next), "--source-ref", "m/2"]).ok().json();
    assert_eq!(taken["novelty"]["verdict"], "duplicate", "{taken}");
    assert_eq!(
        (&taken["source"]["outcome"], imports(&sandbox)),
        (&json!("created"), json!(2)),
        "a similar source is imported"
    );
}

#[test]
fn every_profile_imports_sources_and_refuses_secrets() {
    let secret = ["AKIA", "Z7QX", "WPLM3", "VTRNKDB"].concat();
    for profile in ["notes", "brain", "roam", "personal"] {
        let sandbox = Sandbox::empty();
        fs::create_dir(sandbox.vault()).expect("a new directory");
        sandbox.run(&["init", "--profile", profile]).exits(0);
        let file = source(
            &sandbox,
            "n.md",
            "---\ntitle: \"A: quoted\"\ndate: 2024-05-06\n---\nThe crane is sold.\n",
        );
        let taken = sandbox.run(&["ingest", &file, "--type", "doc"]).exits(0).json();
        assert_eq!(taken["source"]["outcome"], "created", "{profile}: {taken}");
        let page = text(&sandbox, taken["source"]["path"].as_str().expect("a path"));
        let properties = page.to_lowercase();
        assert!(
            properties.contains("origin: external") && properties.contains("date: 2024-05-06"),
            "{profile}: {page}"
        );
        sandbox.run(&["lint"]).exits(0);
        let file = source(&sandbox, "s.txt", format!("key: {secret}\n"));
        let before = sandbox.files();
        let refused = sandbox.run(&["ingest", &file]).exits(4);
        assert!(!refused.err.contains(&secret), "{}", refused.err);
        assert_eq!((sandbox.files(), imports(&sandbox)), (before, json!(1)), "{profile}");
    }
}
