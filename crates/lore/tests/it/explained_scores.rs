//! `query --explain`: every hit has the steps to its score.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::search_support::{hit, titled, vault};
use crate::server_support::HttpServer;

const QUESTION: &str = "retention period of invoices";

fn invoices() -> Sandbox {
    vault(&[
        ("old.md", titled("Invoices until the reform", "The retention period of invoices is seven years.")),
        ("new.md", titled("Bookkeeping law", "- supersedes [[old]]\n\nTen years.")),
        ("other.md", titled("Archive", "Boxes with invoices are in the cellar.")),
    ])
}

/// Returns the steps of a hit.
#[track_caller]
fn steps(answer: &Value, slug: &str) -> Vec<String> {
    let steps = hit(answer, slug)["explain"].as_array().expect("steps").iter();
    steps.map(|step| step.as_str().expect("a step").to_owned()).collect()
}

#[test]
fn every_stage_is_explained() {
    let sandbox = invoices();
    let found = sandbox.run(&["query", QUESTION, "--explain", "--depth", "summary"]).ok().json();
    let new = steps(&found, "new");
    assert!(new.iter().any(|step| step == "words: no match"), "{new:?}");
    assert!(
        new.contains(&"current truth: takes the score of old, which it supersedes".to_owned()),
        "{new:?}"
    );
    let old = steps(&found, "old");
    for (at, start) in ["words: rank 1 of 2 (BM25 ", "embedding: rank ", "combined: "].iter().enumerate() {
        assert!(old[at].starts_with(start), "{start:?} in {old:?}");
    }
    assert!(old.iter().any(|step| step.starts_with("best passage: +")), "{old:?}");
    assert!(old.iter().any(|step| step.starts_with("current truth: no longer holds")), "{old:?}");
    let all = [&new, &old, &steps(&found, "other")];
    let unexplained = all.iter().flat_map(|steps| steps.iter()).find(|step| step.ends_with(" for "));
    assert_eq!(unexplained, None);
    for slug in ["new", "old", "other"] {
        let score = hit(&found, slug)["score"].as_f64().expect("a score");
        let last = steps(&found, slug).pop().expect("a step");
        let printed: f64 =
            last.strip_prefix("score: ").and_then(|number| number.parse().ok()).expect("a number");
        // Both are rounded, to two and to five digits.
        assert!((printed - score).abs() < 0.0051, "{slug}: {last}, {score}");
    }
}

#[test]
fn lexical_search_explains_words_only() {
    let found = invoices().run(&["query", QUESTION, "--explain", "--mode", "lexical"]).ok().json();
    let new = steps(&found, "new");
    assert!(!new.iter().any(|step| step.starts_with("embedding")), "{new:?}");
}

#[test]
fn named_page_is_placed_before_the_ranking() {
    let found = invoices().run(&["query", "Archive", "--explain"]).ok().json();
    let archive = steps(&found, "other");
    assert!(archive.contains(&"placed before the ranking: exact title match".to_owned()), "{archive:?}");
}

#[test]
fn answers_have_no_explanation_unless_asked_for() {
    let sandbox = invoices();
    let found = sandbox.run(&["query", QUESTION]).ok().json();
    assert!(found["hits"].as_array().expect("hits").iter().all(|hit| hit["explain"].is_null()), "{found}");
    let text = sandbox.run(&["query", QUESTION, "--explain", "--format", "human"]).ok().text();
    assert!(text.starts_with("Bookkeeping law [new]\nexplain: "), "{text}");
}

#[test]
fn server_explains_scores() {
    let sandbox = invoices();
    let question = json!({ "question": QUESTION, "explain": true });
    let step = "current truth: takes the score of old, which it supersedes";
    let (status, found) = HttpServer::start(&sandbox).post("query", &question);
    assert_eq!(status, 200, "{found}");
    assert!(steps(&found, "new").contains(&step.to_owned()), "{found}");
}
