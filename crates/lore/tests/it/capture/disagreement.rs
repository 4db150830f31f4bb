//! Captures that disagree with what is known, and captures of one note at the same time.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

fn capture(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.run(&[&["capture"], arguments].concat())
}

#[test]
fn ten_captures_of_one_note_at_the_same_time_make_one_page() {
    let sandbox = Sandbox::with_vault();
    let text = "Client X rejected the sprint format: too disruptive to quarterly planning.";
    let running: Vec<_> = (0..10).map(|_| sandbox.spawn(&mut sandbox.command(&["capture", text]))).collect();
    let ran: Vec<Ran> =
        running.into_iter().map(|child| Ran::from(child.wait_with_output().expect("it ends"))).collect();
    let written = ran.iter().filter(|ran| ran.json()["outcome"] == "created").count();
    let similar = ran.iter().filter(|ran| ran.json()["outcome"] == "similar").count();
    assert_eq!((written, similar), (1, 9));
    assert_eq!(sandbox.run(&["list"]).ok().json()["pages"].as_array().map(Vec::len), Some(1));
}

#[test]
fn opposite_and_changed_values_suggest_to_supersede_or_contradict() {
    for (old, new, was, now) in [
        (
            "Client X accepted the sprint format.",
            "Client X rejected the sprint format.",
            "accepted",
            "rejected",
        ),
        (
            "The retainer of Acme costs 900 a month.",
            "The retainer of Acme costs 1200 a month.",
            "900",
            "1200",
        ),
        (
            "Legal approved the new contract of Acme.",
            "Legal denied the new contract of Acme.",
            "approved",
            "denied",
        ),
        (
            "Guests are allowed in the workshop at night.",
            "Guests are forbidden in the workshop at night.",
            "allowed",
            "forbidden",
        ),
        ("Client X likes long sprint meetings.", "Client X hates long sprint meetings.", "likes", "hates"),
    ] {
        let sandbox = Sandbox::with_vault();
        let first = capture(&sandbox, &[old]).ok().json();
        let found = capture(&sandbox, &[new]).exits(1).json();
        let one = &found["similar"][0];
        assert_eq!(one["disagrees"], json!({ "kind": "value", "was": was, "now": now }));
        assert!(found["hint"].as_str().expect("a hint").contains("disagrees"), "{found}");
        assert!(found["next"]["supersede"].as_str().expect("a command").contains("--supersedes"), "{found}");
        assert!(found["next"]["contradict"].is_string() && found["next"]["extend"].is_null(), "{found}");
        let slug = first["slug"].as_str().expect("a slug");
        let newer = capture(&sandbox, &[new, "--supersedes", slug]).ok().json();
        let shown = sandbox.run(&["show", slug]).ok().json();
        assert_eq!(shown["status"], "superseded", "{shown}");
        // What the outdated page says leads to the page that replaced it.
        let again = capture(&sandbox, &[old]).exits(1).json();
        let outdated = again["similar"].as_array().expect("pages").iter().find(|one| one["slug"] == slug);
        assert_eq!(outdated.expect("it is similar")["successor"]["slug"], newer["slug"]);
    }
}

#[test]
fn contradicting_page_is_written_beside_the_other() {
    let sandbox = Sandbox::with_vault();
    capture(&sandbox, &["Logging is enabled in production."]).ok();
    let first = sandbox.run(&["list"]).ok().json()["pages"][0]["slug"].as_str().expect("a slug").to_owned();
    capture(&sandbox, &["Logging is disabled in production.", "--contradicts", &first]).ok();
    let brief = sandbox.run(&["context"]).ok().json();
    assert_eq!(brief["conflicts"].as_array().map(Vec::len), Some(1));
    let refused = ["Logging is off.", "--extend", &first, "--contradicts", &first];
    capture(&sandbox, &refused).exits(2);
}

#[test]
fn unknown_option_is_an_error_and_writes_nothing() {
    let sandbox = Sandbox::with_vault();
    for command in ["capture", "remember"] {
        for option in ["--dryrun", "--dry-run", "-n", "--text=x"] {
            let ran = sandbox.pipe(&[command, option], b"The text on standard input.\n");
            ran.exits(2).says(option.split('=').next().unwrap_or(option));
        }
    }
    assert_eq!(sandbox.run(&["list"]).exits(1).json()["pages"], Value::Array(Vec::new()));
}
