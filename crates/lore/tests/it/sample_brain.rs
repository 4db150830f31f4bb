//! The sample vault of `make demo`: what is planted in it is found, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// The date of the sample vault, as in `scripts/demo.sh`.
const TODAY: &str = "2026-11-15T12:00:00Z";

fn sample() -> Sandbox {
    let sandbox = Sandbox::empty();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/brain");
    let copied = Command::new("cp").arg("-R").arg(source).arg(sandbox.vault()).status().expect("cp runs");
    assert!(copied.success());
    lore(&sandbox, &["init", "--profile", "brain", "--no-git"]).ok();
    // Pages of a directory that is adopted do not age; the demonstration turns it on for ideas.
    let policy = String::from_utf8(sandbox.read("lore.toml")).expect("text");
    let aging = policy.replace("ideas,deals}/**\"\nage = false\n", "ideas,deals}/**\"\nage = true\n");
    assert_ne!(aging, policy);
    sandbox.write("lore.toml", aging);
    sandbox
}

fn lore(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.command(arguments).env("LORE_NOW", TODAY).output().expect("lore runs").into()
}

fn run_json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    lore(sandbox, arguments).exits(0).json()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

#[test]
fn check_finds_exactly_the_planted_contradictions() {
    let sandbox = sample();
    let found = run_json(&sandbox, &["check", "--all"]);
    let shown = |finding: &Value| {
        let places = finding["places"].as_array().expect("places").iter();
        let paths: BTreeSet<&str> = places.map(|place| text(place, "path")).collect();
        format!("{}: {}", text(finding, "kind"), paths.into_iter().collect::<Vec<_>>().join(" "))
    };
    let found: Vec<String> = found["findings"].as_array().expect("findings").iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "two_values: companies/kilnlight.md meetings/2025-06-17-board-hamburg.md",
            "truth_behind: companies/varmholt.md",
            "link_ended: people/eleni-stavrakou.md",
            "said_to_have_ended: people/noor-benhaddou.md",
        ]
    );
}

#[test]
fn relation_question_is_answered_as_of_any_day() {
    let sandbox = sample();
    let why = |arguments: &[&str]| {
        let found = run_json(&sandbox, &[&["query"], arguments].concat());
        let best = found["hits"][0].clone();
        format!("{}: {}", text(&best, "slug"), best["why"][0].as_str().expect("a reason"))
    };
    assert_eq!(
        why(&["who works at Tarnholm Paper"]),
        "people/gerrit-molenkamp: answers it: Gerrit Molenkamp works_at Tarnholm Paper {2025-06-02..} (people/gerrit-molenkamp.md:18)"
    );
    assert!(
        why(&["who is the CEO of Kilnlight"])
            .starts_with("people/maren-oudekerk: answers it: Kilnlight ceo Maren Oudekerk {2025-02-01..}")
    );
    assert!(why(&["who is the CEO of Kilnlight", "--as-of", "2024-06-01"]).starts_with(
        "people/tobias-renske: answers it: Kilnlight ceo Tobias Renske {2022-03-01..2025-01-31}"
    ));
    // A question answered by a link is not a gap, though the page shares few words with it.
    assert_eq!(run_json(&sandbox, &["query", "who works at Tarnholm Paper"])["notes"], serde_json::json!([]));
    lore(&sandbox, &["gaps"]).exits(1);
}

#[test]
fn stale_ideas_form_one_cluster_and_every_demo_command_has_output() {
    let sandbox = sample();
    let stale = run_json(&sandbox, &["stale"]);
    assert_eq!(stale["pages"].as_array().map(Vec::len), Some(5), "{stale}");
    let plan = run_json(&sandbox, &["compact", "--plan"]);
    assert_eq!(plan["clusters"].as_array().map(Vec::len), Some(1), "{plan}");
    assert_eq!(
        plan["clusters"][0]["pages"].as_array().or(plan["clusters"][0]["members"].as_array()).map(Vec::len),
        Some(3),
        "{plan}"
    );
    let path = run_json(&sandbox, &["path", "Friederike Wendelstedt", "Shen Yulan"]);
    assert!(
        path["links"].as_array().or(path["steps"].as_array()).is_some_and(|links| links.len() > 1),
        "{path}"
    );
    let context = run_json(&sandbox, &["context"]);
    assert_eq!(context["stale_alerts"].as_array().map(Vec::len), Some(5), "{context}");
    let curated = run_json(&sandbox, &["curate", "--dry-run"]);
    assert_eq!(curated["findings"]["count"], 4);
    assert_eq!(curated["stale"].as_array().map(Vec::len), Some(3));
    assert!(curated["missing_links"]["count"].as_u64().is_some_and(|count| count > 10), "{curated}");
    let due = run_json(&sandbox, &["list", "--type", "commitment", "--due", "2026-12-01"]);
    assert_eq!(due["pages"][0]["due"], "2026-11-30");
}

#[test]
fn as_of_answer_uses_no_later_text() {
    let sandbox = sample();
    // The only page with these words has them in an entry of August 2026.
    let question = ["query", "potato starch", "--mode", "lexical"];
    assert_eq!(run_json(&sandbox, &question)["hits"][0]["slug"], "companies/varmholt");
    let before = lore(&sandbox, &[&question[..], &["--as-of", "2026-08-26"]].concat());
    let slugs: Vec<String> = before.json()["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .map(|hit| text(hit, "slug").to_owned())
        .collect();
    assert!(!slugs.contains(&"companies/varmholt".to_owned()), "{slugs:?}");
    assert_eq!(
        run_json(&sandbox, &[&question[..], &["--as-of", "2026-08-27"]].concat())["hits"][0]["slug"],
        "companies/varmholt"
    );
}
