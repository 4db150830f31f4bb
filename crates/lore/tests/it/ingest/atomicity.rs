//! An import is atomic: when a page conflicts, with concurrent processes, and when the process is killed.

use std::{fs, thread};

use serde_json::{Value, json};

use super::{brain, evidence, imports, ingest, source, text, version};
use crate::crash_support::{self, CrashHarness};

#[test]
fn one_invalid_page_stops_the_whole_import() {
    let policy = "profile = \"brain\"\n[[rule]]\nname = \"closed\"\npaths = [\"closed/**\"]\nallow = []\n";
    let secret = ["AKIA", "Z7QX", "WPLM3", "VTRNKDB"].concat();
    let bad: [(&str, Value, i32, &str); 7] = [
        (
            "conflict",
            json!({ "slug": "companies/acme", "expected_version": 7, "content": "# Acme\n\nBells.\n" }),
            3,
            "companies/acme is at version 1, not 7",
        ),
        (
            "new but there",
            json!({ "slug": "companies/acme", "expected_version": 0, "content": "# Acme\n" }),
            3,
            "already exists at version 1",
        ),
        (
            "not there",
            json!({ "slug": "companies/none", "expected_version": 2, "tags": ["x"] }),
            3,
            "does not exist",
        ),
        (
            "secret",
            json!({ "slug": "new/page", "expected_version": 0, "content": format!("key: {secret}\n") }),
            4,
            "new/page.md",
        ),
        (
            "policy",
            json!({ "slug": "closed/page", "expected_version": 0, "content": "# x\n" }),
            4,
            "rule \"closed\"",
        ),
        (
            "bad entry",
            json!({ "slug": "companies/acme", "expected_version": 1, "timeline_entries": [{ "date": "soon", "summary": "x" }] }),
            2,
            "companies/acme",
        ),
        (
            "bad dates",
            json!({ "slug": "companies/acme", "expected_version": 1, "links": [{ "to": "x", "valid_from": "2026", "valid_until": "2025" }] }),
            2,
            "the interval would end on 2025, before it starts on 2026",
        ),
    ];
    let sandbox = brain();
    sandbox.write("lore.toml", policy);
    let gap = sandbox.run(&["gap", "add", "where does she live?"]).ok().json()["id"].clone();
    sandbox.run(&["sync"]).ok();
    let before = sandbox.files();
    let history = |page: &str| sandbox.run(&["history", page]).ok().json()["snapshots"].clone();
    for (what, page, exit, says) in bad {
        for place in 0..3 {
            let mut pages = vec![
                evidence(1),
                json!({ "slug": "decisions/x", "expected_version": 0, "content": "# X\n" }),
            ];
            pages.insert(place, page.clone());
            let payload = json!({ "content": "The source.\n", "fills": [gap], "pages": pages });
            let ran = ingest(&sandbox, &payload).exits(exit).says(says);
            assert!(!ran.err.contains(&secret), "{what}: {}", ran.err);
            assert_eq!(sandbox.files(), before, "{what} at {place}");
            let stats = sandbox.run(&["stats"]).ok().json();
            assert_eq!(
                (&stats["imports"], &stats["open_gaps"], &stats["pages"]),
                (&json!(0), &json!(1), &json!(2)),
                "{what}"
            );
            assert_eq!(history("people/ada-lovelace"), json!([]), "{what} at {place}");
        }
    }
    ingest(&sandbox, &json!({ "content": "The source.\n", "fills": [gap], "pages": [evidence(1)] })).ok();
    sandbox.validate();
}

#[test]
fn concurrent_imports_of_one_source_import_it_once() {
    for _ in 0..3 {
        let sandbox = brain();
        let file = source(&sandbox, "minutes.txt", "Minutes of the works\n");
        let outcomes: Vec<Value> = thread::scope(|scope| {
            let run = || sandbox.run(&["ingest", &file]).exits(0).json()["outcome"].clone();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            threads.into_iter().map(|thread| thread.join().expect("it ran")).collect()
        });
        let fresh = outcomes.iter().filter(|outcome| *outcome == "ingested").count();
        assert_eq!((fresh, imports(&sandbox)), (1, json!(1)), "{outcomes:?}");
        assert_eq!(fs::read_dir(sandbox.vault().join("sources")).expect("a folder").count(), 1);
        sandbox.validate();
    }
}

#[test]
fn concurrent_imports_of_one_payload_add_its_lines_once() {
    let sandbox = brain();
    let payload = json!({ "content": "We pivot.\n", "source_ref": "meeting/12", "pages": [evidence(1)] });
    let codes: Vec<i32> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| ingest(&sandbox, &payload).code)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ran")).collect()
    });
    assert!(codes.iter().all(|code| [0, 3].contains(code)) && codes.contains(&0), "{codes:?}");
    let ada = text(&sandbox, "people/ada-lovelace.md");
    assert_eq!(
        (ada.matches("Agreed to the pivot").count(), ada.matches("lives_in").count()),
        (1, 1),
        "{ada}"
    );
    assert_eq!((imports(&sandbox), version(&sandbox, "people/ada-lovelace")), (json!(1), json!(2)));
}

#[test]
fn import_is_atomic_at_every_fault_point() {
    let harness = CrashHarness::new(crash_support::ingest());
    let count = || harness.sandbox.run(&["stats"]).exits(0).json()["imports"].clone();
    assert_eq!(count(), json!(1), "the scenario imports one source");
    let (mut undone, mut finished) = (0, 0);
    for point in lore_vault::fault::POINTS {
        for time in 1.. {
            let fault = format!("{point}:{time}");
            harness.reset();
            let killed = harness.killed_at(&fault);
            harness.next_command(&[]).exits(0);
            let kept = count();
            let done = harness.assert_atomic(&fault);
            assert_eq!(kept, json!(u8::from(done)), "{fault}: the import must match the files");
            if !killed {
                assert!(done, "{fault}");
                break;
            }
            // A retry applies all of it, once.
            let again = harness.start(&[]);
            assert!(again.code == 0 || again.code == 3, "{fault}: {again:?}");
            if done { finished += 1 } else { undone += 1 }
        }
    }
    assert!(
        undone >= 3 && finished >= 4,
        "the fault points were not reached: {undone} undone, {finished} finished"
    );
}
