//! Questions that found no answer, from outside: what is kept of them, who may allow more, and how they close.

use std::fs;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const QUESTION: &str = "Which zeppelin does the quartermaster of Vandelay repair?";

/// A vault of profile brain, where bad answers are noted.
fn brain() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("companies/acme.md", "# Acme\n\nMakes anvils for the whole coast.\n");
    sandbox.write("people/ada.md", "# Ada\n\nBakes bread and sells it at the market.\n");
    sandbox.run(&["init", "--profile", "brain", "--no-git"]).ok();
    sandbox
}

fn gaps(sandbox: &Sandbox, more: &[&str]) -> Vec<Value> {
    let ran = sandbox.run(&[&["gaps"], more].concat());
    assert!(ran.code <= 1, "{ran:?}");
    let gaps = ran.json()["gaps"].as_array().expect("gaps").clone();
    assert_eq!(ran.code, i32::from(gaps.is_empty()), "nothing found is 1");
    gaps
}

fn add(sandbox: &Sandbox, question: &str) -> String {
    sandbox.run(&["gap", "add", question]).ok().json()["id"].to_string()
}

fn ask(sandbox: &Sandbox, question: &str) -> Ran {
    let ran = sandbox.run(&["query", question]);
    assert!(ran.code <= 1, "{ran:?}");
    ran
}

fn notes(answer: &Ran) -> String {
    answer.json()["notes"].to_string()
}

/// Every byte that the database's files hold, its log included.
fn database(sandbox: &Sandbox) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(sandbox.root.join("home")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lore.db")) {
            bytes.extend(fs::read(path).expect("readable"));
        }
    }
    assert!(bytes.len() > 4096);
    bytes
}

#[track_caller]
fn holds(sandbox: &Sandbox, words: &str) -> bool {
    let has = |bytes: &[u8]| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    let everywhere = sandbox.files().into_iter().any(|(_, bytes)| has(&bytes));
    has(&database(sandbox)) || everywhere
}

#[test]
fn of_a_question_only_its_checksum_is_kept_until_somebody_allows_more() {
    let sandbox = brain();
    let gap =
        sandbox.run(&["gap", "add", QUESTION, "--context", "for the board", "--confidence", "0.2"]).ok();
    let gap = gap.json();
    let id = gap["id"].to_string();
    assert_eq!(
        (&gap["sensitivity"], &gap["times"], &gap["confidence_score"], &gap["query_text"]),
        (&json!("internal"), &json!(1), &json!(0.2), &Value::Null)
    );
    ask(&sandbox, QUESTION);
    assert_eq!(add(&sandbox, QUESTION), id, "the same question is the same gap");
    sandbox.run(&["db", "checkpoint"]).ok();
    for words in [QUESTION, "quartermaster", "Vandelay"] {
        assert!(!holds(&sandbox, words), "{words} is in a file");
    }
    assert!(holds(&sandbox, "for the board"), "the context is, so the search works");
    let seen = &gaps(&sandbox, &[])[0];
    assert_eq!((&seen["times"], &seen["context"]), (&json!(3), &json!("for the board")));
    let allow: &[&str] =
        &["gap", "approve", &id, "--sensitivity", "external", "--approver", "ada", "--query-text"];
    sandbox.run(&[allow, &["Who repairs it?"]].concat()).exits(2).says("this is not the question of gap");
    assert!(!holds(&sandbox, "Who repairs it?"), "nor is what is not the question");
    let approved = sandbox.run(&[allow, &[QUESTION]].concat()).ok().json();
    assert_eq!(
        (&approved["query_text"], &approved["approved_by"], &approved["sensitivity"]),
        (&json!(QUESTION), &json!("ada"), &json!("external"))
    );
    assert!(approved["approved_at"].is_string());
    assert!(holds(&sandbox, QUESTION), "now it is kept");
}

#[test]
fn a_new_gap_is_internal_whoever_asks_and_a_context_carries_no_question() {
    let sandbox = brain();
    let call = json!({ "question": QUESTION, "sensitivity": "external" }).to_string();
    sandbox.run(&["call", "gap_add", &call]).exits(2).says("has no parameter");
    sandbox.run(&["gap", "add", QUESTION, "--sensitivity", "external"]).exits(2);
    for context in [QUESTION.to_owned(), format!("they asked:\n {}  today", QUESTION.to_uppercase())] {
        let refused = sandbox.run(&["gap", "add", QUESTION, "--context", &context]).exits(2);
        refused.says("contains the question");
    }
    for confidence in ["1.5", "-0.1", "NaN"] {
        let option = format!("--confidence={confidence}");
        sandbox.run(&["gap", "add", QUESTION, &option]).exits(2).says("between 0 and 1");
    }
    sandbox.run(&["gap", "add", "  "]).exits(2).says("the question is empty");
    assert_eq!(gaps(&sandbox, &["--resolved"]), [] as [Value; 0], "nothing of it was noted");
    let help = sandbox.run(&["gap", "add", "--help"]).ok().text();
    assert!(help.contains("kept as it is"), "{help}");
}

#[test]
fn an_approval_has_a_name_and_the_words_it_needs() {
    let sandbox = brain();
    let id = add(&sandbox, QUESTION);
    let approve = |more: &[&str]| sandbox.run(&[&["gap", "approve", &id], more].concat());
    approve(&["--sensitivity", "redacted"]).exits(2);
    approve(&["--sensitivity", "internal", "--approver", "ada"]).exits(2);
    approve(&["--sensitivity", "external", "--approver", " "]).exits(2).says("the approver is missing");
    approve(&["--sensitivity", "redacted", "--approver", "ada"]).exits(2).says("needs a redacted query");
    approve(&["--sensitivity", "redacted", "--approver", "ada", "--redacted-query", QUESTION])
        .exits(2)
        .says("is the question itself");
    assert_eq!(gaps(&sandbox, &[])[0]["sensitivity"], "internal", "a refusal changes nothing");
    let redacted =
        ["--sensitivity", "redacted", "--approver", "ada", "--redacted-query", "who repairs airships"];
    let gap = approve(&redacted).ok().json();
    assert_eq!((&gap["redacted_query"], &gap["query_text"]), (&json!("who repairs airships"), &Value::Null));
    assert!(!holds(&sandbox, QUESTION), "the redacted words alone are kept");
    let gap = approve(&["--sensitivity", "external", "--approver", "bob"]).ok().json();
    assert_eq!((&gap["approved_by"], &gap["redacted_query"]), (&json!("bob"), &Value::Null));
    sandbox
        .run(&["gap", "approve", "7", "--sensitivity", "external", "--approver", "ada"])
        .exits(1)
        .says("no gap");
}

#[test]
fn a_bad_answer_is_noted_and_a_good_one_closes_the_gap() {
    let sandbox = brain();
    let answer = ask(&sandbox, QUESTION);
    assert!(notes(&answer).contains("recorded as gap"), "{answer:?}");
    assert!(notes(&ask(&sandbox, QUESTION)).contains("asked 2 times"));
    let open = gaps(&sandbox, &[]);
    assert_eq!((open.len(), &open[0]["times"]), (1, &json!(2)));
    assert!(open[0]["confidence_score"].as_f64().expect("a number") < 0.5);
    assert_eq!(sandbox.run(&["stats"]).ok().json()["open_gaps"], 1);
    let page = "# Vandelay\n\nIts quartermaster repairs the zeppelin Albatross.\n";
    sandbox.pipe(&["put", "companies/vandelay"], page.as_bytes()).ok();
    assert_eq!(
        gaps(&sandbox, &[]).len(),
        1,
        "a page alone closes nothing: nobody knows the question's words"
    );
    let answer = ask(&sandbox, QUESTION);
    assert!(notes(&answer).contains("is closed: companies/vandelay answers it"), "{answer:?}");
    assert_eq!(gaps(&sandbox, &[]), [] as [Value; 0]);
    let closed = &gaps(&sandbox, &["--resolved"])[0];
    assert_eq!(closed["resolved_by_slug"], "companies/vandelay");
    let stats = sandbox.run(&["stats"]).ok().json();
    assert_eq!((&stats["open_gaps"], &stats["resolved_gaps"]), (&json!(0), &json!(1)));
    assert_eq!(notes(&ask(&sandbox, QUESTION)), "[]", "nothing more to say");
    sandbox.run(&["mv", "companies/vandelay", "companies/vandelay-industries"]).ok();
    assert_eq!(gaps(&sandbox, &["--resolved"])[0]["resolved_by_slug"], "companies/vandelay-industries");
    sandbox.run(&["rm", "companies/vandelay-industries", "--yes"]).ok();
    ask(&sandbox, QUESTION);
    let again = &gaps(&sandbox, &[])[0];
    assert_eq!((&again["times"], &again["resolved_at"]), (&json!(3), &Value::Null), "it opens again");
}

#[test]
fn only_plain_questions_are_noted_and_only_where_the_policy_says_so() {
    let sandbox = brain();
    for more in
        [&["--mode", "lexical"][..], &["--mode", "hybrid"], &["--type", "person"], &["--mode", "fields"]]
    {
        sandbox.run(&[&["query", QUESTION], more].concat());
    }
    sandbox.run(&["search", QUESTION]);
    ask(&sandbox, "what is it?");
    ask(&sandbox, "Acme");
    ask(&sandbox, "who makes anvils on the coast");
    assert_eq!(gaps(&sandbox, &["--resolved"]), [] as [Value; 0]);
    let notes_vault = Sandbox::with_vault();
    notes_vault.write("bread.md", "# Bread\n\nKnead the dough.\n");
    assert_eq!(notes(&ask(&notes_vault, QUESTION)), "[]");
    assert_eq!(gaps(&notes_vault, &[]), [] as [Value; 0]);
    let id = add(&notes_vault, QUESTION);
    ask(&notes_vault, QUESTION);
    assert_eq!(gaps(&notes_vault, &[])[0]["times"], 1, "one that was noted by hand is not counted on");
    notes_vault.write("vandelay.md", "# Vandelay\n\nIts quartermaster repairs a zeppelin.\n");
    assert!(notes(&ask(&notes_vault, QUESTION)).contains(&id), "but closed");
}

#[test]
fn the_threshold_is_the_policys() {
    let sandbox = brain();
    let question = "who bakes bread in Prague for the emperor of Japan?";
    let policy = |threshold: &str| {
        sandbox.write(
            "lore.toml",
            format!("profile = \"brain\"\n[gaps]\nlog = true\nthreshold = {threshold}\n"),
        );
    };
    policy("0.0");
    ask(&sandbox, question);
    assert_eq!(gaps(&sandbox, &[]), [] as [Value; 0]);
    policy("1.0");
    ask(&sandbox, question);
    assert_eq!(gaps(&sandbox, &[]).len(), 1);
    policy("1.5");
    sandbox.run(&["gaps"]).exits(2).says("1.5 is not between 0 and 1");
}

#[test]
fn a_gap_is_closed_by_hand_or_by_what_is_captured_for_it() {
    let sandbox = brain();
    let [first, second, third] =
        ["who audits Acme?", "who founded Acme?", "who owns Acme?"].map(|q| add(&sandbox, q));
    sandbox.run(&["gap", "resolve", &first, "--by", "Acme"]).ok();
    sandbox.run(&["gap", "resolve", &first, "--by", "nowhere"]).exits(1).says("no page matches");
    sandbox.run(&["gap", "resolve", "7", "--by", "Acme"]).exits(1).says("no gap with id 7");
    let captured =
        sandbox.run(&["capture", "Bob Roe founded the anvil works in 1901", "--fills", &second]).ok().json();
    sandbox.run(&["capture", "It belongs to Bob", "--extend", "Acme", "--fills", &third]).ok();
    sandbox
        .run(&["capture", "Nothing else is like this text", "--fills", "7"])
        .exits(1)
        .says("no gap with id 7");
    let closed: Vec<(String, Value)> = gaps(&sandbox, &["--resolved"])
        .into_iter()
        .map(|gap| (gap["id"].to_string(), gap["resolved_by_slug"].clone()))
        .collect();
    assert!(closed.contains(&(first, json!("companies/acme"))), "{closed:?}");
    assert!(closed.contains(&(second, captured["slug"].clone())), "{closed:?}");
    assert!(closed.contains(&(third, json!("companies/acme"))), "{closed:?}");
    assert_eq!(
        sandbox.run(&["list"]).ok().json()["pages"].as_array().expect("pages").len(),
        3,
        "no page for gap 7"
    );
}

#[test]
fn gaps_come_oldest_first_and_no_more_than_asked_for() {
    let sandbox = brain();
    for (day, question) in [("03", "who owns a?"), ("01", "who owns b?"), ("02", "who owns c?")] {
        let mut command = sandbox.command(&["gap", "add", question]);
        command.env("LORE_NOW", format!("2026-05-{day}T10:00:00Z"));
        Ran::from(command.output().expect("it runs")).ok();
    }
    let days: Vec<Value> = gaps(&sandbox, &[]).into_iter().map(|gap| gap["detected_at"].clone()).collect();
    assert_eq!(days, ["2026-05-01T10:00:00Z", "2026-05-02T10:00:00Z", "2026-05-03T10:00:00Z"]);
    assert_eq!(gaps(&sandbox, &["--limit", "2"]).len(), 2);
    let text = sandbox.run(&["gaps", "--limit", "2", "--format", "human"]).ok().text();
    assert!(text.contains("1 more open"), "{text}");
}

#[test]
fn a_secret_is_kept_in_no_context() {
    let sandbox = brain();
    let secret = ["AKIA", "Z7QX", "WPLM3", "VTRNKDB"].concat();
    let context = format!("found with the key {secret}");
    let refused = sandbox.run(&["gap", "add", QUESTION, "--context", &context]).exits(4);
    assert!(!refused.err.contains(&secret), "{}", refused.err);
    assert!(!holds(&sandbox, &secret));
}
