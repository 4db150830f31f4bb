//! What the tests of search share: small vaults, many questions in one process, and what the answers say.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// The transformer that `make models` fetches.
pub const TRANSFORMER: &str = "all-MiniLM-L6-v2";

/// A vault of pages, each given as its path and its text.
pub fn vault<P: AsRef<str>, T: AsRef<[u8]>>(pages: &[(P, T)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    pages.iter().for_each(|(path, text)| sandbox.write(path.as_ref(), text));
    sandbox.run(&["init", "--no-git"]).ok();
    sandbox
}

/// A page with a title.
pub fn titled(title: &str, text: &str) -> String {
    format!("---\ntitle: {title}\n---\n{text}\n")
}

/// Sets a setting.
#[track_caller]
pub fn set(sandbox: &Sandbox, key: &str, value: &str) {
    sandbox.run(&["config", "set", key, value]).ok();
}

/// The slugs of an answer's hits, best first.
#[track_caller]
pub fn slugs(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().expect("hits").iter().map(|hit| hit["slug"].as_str().expect("a slug")).collect()
}

/// Where a page stands in an answer, from 0.
pub fn rank(answer: &Value, slug: &str) -> Option<usize> {
    slugs(answer).iter().position(|found| *found == slug)
}

/// A page's hit.
#[track_caller]
pub fn hit<'a>(answer: &'a Value, slug: &str) -> &'a Value {
    let at = rank(answer, slug).unwrap_or_else(|| panic!("{slug} is not in {answer}"));
    &answer["hits"][at]
}

/// A page's score.
#[track_caller]
pub fn score(answer: &Value, slug: &str) -> f64 {
    hit(answer, slug)["score"].as_f64().expect("a score")
}

/// Whether one of a hit's reasons is this.
#[track_caller]
pub fn because(answer: &Value, slug: &str, reason: &str) -> bool {
    hit(answer, slug)["why"].as_array().expect("reasons").iter().any(|why| why == reason)
}

/// What is to know about an answer, in one text.
pub fn notes(answer: &Value) -> String {
    let notes = answer["notes"].as_array().expect("notes").iter();
    notes.map(|note| note.as_str().expect("a note")).collect::<Vec<_>>().join("\n")
}

/// The answers to questions in a mode, from one process.
#[track_caller]
pub fn ask_all<Q: AsRef<str>>(sandbox: &Sandbox, mode: &str, questions: &[Q]) -> Vec<Value> {
    let calls: Vec<Value> = questions.iter().map(|question| question_in(mode, question.as_ref())).collect();
    call_all(sandbox, &calls)
}

/// A question as a call. All pages are wanted, and of each no more than its name.
pub fn question_in(mode: &str, question: &str) -> Value {
    let input = json!({
        "question": question, "mode": mode, "depth": "summary", "limit": 100, "token_budget": 100_000
    });
    json!({ "tool": "query", "input": input })
}

/// The answer to a question in a mode.
#[track_caller]
pub fn ask(sandbox: &Sandbox, mode: &str, question: &str) -> Value {
    ask_all(sandbox, mode, &[question]).remove(0)
}

/// The results of calls, from one process.
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
