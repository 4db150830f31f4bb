//! Helpers of the search tests: small vaults, many queries in one process, accessors for answers.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// The transformer that `make models` downloads.
pub const TRANSFORMER: &str = "all-MiniLM-L6-v2";

/// Creates a vault of pages, each given as path and text.
pub fn vault<P: AsRef<str>, T: AsRef<[u8]>>(pages: &[(P, T)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    pages.iter().for_each(|(path, text)| sandbox.write(path.as_ref(), text));
    sandbox.run(&["init", "--no-git"]).ok();
    sandbox
}

/// Returns a page with a title.
pub fn titled(title: &str, text: &str) -> String {
    format!("---\ntitle: {title}\n---\n{text}\n")
}

/// Changes a setting.
#[track_caller]
pub fn set(sandbox: &Sandbox, key: &str, value: &str) {
    sandbox.run(&["config", "set", key, value]).ok();
}

/// Returns the slugs of the hits, best first.
#[track_caller]
pub fn slugs(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().expect("hits").iter().map(|hit| hit["slug"].as_str().expect("a slug")).collect()
}

/// Returns the zero-based rank of a page.
pub fn rank(answer: &Value, slug: &str) -> Option<usize> {
    slugs(answer).iter().position(|found| *found == slug)
}

/// Returns the hit of a page.
#[track_caller]
pub fn hit<'a>(answer: &'a Value, slug: &str) -> &'a Value {
    let at = rank(answer, slug).unwrap_or_else(|| panic!("{slug} is not in {answer}"));
    &answer["hits"][at]
}

/// Returns the score of a page.
#[track_caller]
pub fn score(answer: &Value, slug: &str) -> f64 {
    hit(answer, slug)["score"].as_f64().expect("a score")
}

/// Returns whether a hit has this reason.
#[track_caller]
pub fn has_reason(answer: &Value, slug: &str, reason: &str) -> bool {
    hit(answer, slug)["why"].as_array().expect("reasons").iter().any(|why| why == reason)
}

/// Returns the notes of an answer as one text.
pub fn notes(answer: &Value) -> String {
    let notes = answer["notes"].as_array().expect("notes").iter();
    notes.map(|note| note.as_str().expect("a note")).collect::<Vec<_>>().join("\n")
}

/// Runs queries in a mode, in one process.
#[track_caller]
pub fn query_all<Q: AsRef<str>>(sandbox: &Sandbox, mode: &str, questions: &[Q]) -> Vec<Value> {
    let calls: Vec<Value> = questions.iter().map(|question| query_call(mode, question.as_ref())).collect();
    call_all(sandbox, &calls)
}

/// Builds the call for a query that returns every page, each by name only.
pub fn query_call(mode: &str, question: &str) -> Value {
    let input = json!({
        "question": question, "mode": mode, "depth": "summary", "limit": 100, "token_budget": 100_000, "all": true
    });
    json!({ "tool": "query", "input": input })
}

/// Runs one query in a mode.
#[track_caller]
pub fn query(sandbox: &Sandbox, mode: &str, question: &str) -> Value {
    query_all(sandbox, mode, &[question]).remove(0)
}

/// Returns the results of calls made in one process.
#[track_caller]
pub fn call_all(sandbox: &Sandbox, calls: &[Value]) -> Vec<Value> {
    let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
    let ran = sandbox.pipe(&["pipe"], lines.as_bytes()).exits(0);
    let answers =
        ran.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>();
    assert_eq!(answers.len(), calls.len(), "{ran:?}");
    answers
        .into_iter()
        .map(|mut answer| {
            assert!(answer["error"].is_null(), "{answer}");
            answer["result"].take()
        })
        .collect()
}
