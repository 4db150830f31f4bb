//! Unanswered questions: what is stored, who may approve more, and how they are resolved.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const QUESTION: &str = "Which zeppelin does the quartermaster of Vandelay repair?";

/// Creates a `brain` vault, which records unanswered questions.
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
    assert_eq!(ran.code, i32::from(gaps.is_empty()), "exit status 1 when nothing is found");
    gaps
}

fn add(sandbox: &Sandbox, question: &str) -> String {
    sandbox.run(&["gap", "add", question]).ok().json()["id"].to_string()
}

fn query(sandbox: &Sandbox, question: &str) -> Ran {
    let ran = sandbox.run(&["query", question]);
    assert!(ran.code <= 1, "{ran:?}");
    ran
}

fn notes(answer: &Ran) -> String {
    answer.json()["notes"].to_string()
}

/// Returns every byte of the database files, including the WAL.
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
fn contains(sandbox: &Sandbox, words: &str) -> bool {
    let has = |bytes: &[u8]| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    let everywhere = sandbox.files().into_iter().any(|(_, bytes)| has(&bytes));
    has(&database(sandbox)) || everywhere
}

#[test]
fn only_the_hash_of_a_question_is_stored_until_approved() {
    let sandbox = brain();
    let gap =
        sandbox.run(&["gap", "add", QUESTION, "--context", "for the board", "--confidence", "0.2"]).ok();
    let gap = gap.json();
    let id = gap["id"].to_string();
    assert_eq!(
        (&gap["sensitivity"], &gap["times"], &gap["confidence_score"], &gap["query_text"]),
        (&json!("internal"), &json!(1), &json!(0.2), &Value::Null)
    );
    query(&sandbox, QUESTION);
    assert_eq!(add(&sandbox, QUESTION), id, "the same question is the same gap");
    sandbox.run(&["db", "checkpoint"]).ok();
    for words in [QUESTION, "quartermaster", "Vandelay"] {
        assert!(!contains(&sandbox, words), "{words} is in a file");
    }
    assert!(contains(&sandbox, "for the board"), "the context is stored, so this check works");
    let seen = &gaps(&sandbox, &[])[0];
    assert_eq!((&seen["times"], &seen["context"]), (&json!(3), &json!("for the board")));
    let allow: &[&str] =
        &["gap", "approve", &id, "--sensitivity", "external", "--approver", "ada", "--query-text"];
    sandbox.run(&[allow, &["Who repairs it?"]].concat()).exits(2).says("this is not the question of gap");
    assert!(!contains(&sandbox, "Who repairs it?"), "a wrong question is not stored");
    let approved = sandbox.run(&[allow, &[QUESTION]].concat()).ok().json();
    assert_eq!(
        (&approved["query_text"], &approved["approved_by"], &approved["sensitivity"]),
        (&json!(QUESTION), &json!("ada"), &json!("external"))
    );
    assert!(approved["approved_at"].is_string());
    assert!(contains(&sandbox, QUESTION), "the question is stored now");
}

#[test]
fn new_gap_is_internal_and_context_must_not_contain_the_question() {
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
    assert_eq!(gaps(&sandbox, &["--resolved"]), [] as [Value; 0], "nothing was recorded");
    let help = sandbox.run(&["gap", "add", "--help"]).ok().text();
    assert!(help.contains("stored verbatim"), "{help}");
}

#[test]
fn approval_needs_a_name_and_a_question() {
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
    assert!(!contains(&sandbox, QUESTION), "only the redacted question is stored");
    let gap = approve(&["--sensitivity", "external", "--approver", "bob"]).ok().json();
    assert_eq!(
        (&gap["approved_by"], &gap["redacted_query"]),
        (&json!("bob"), &json!("who repairs airships"))
    );
    sandbox
        .run(&["gap", "approve", "7", "--sensitivity", "external", "--approver", "ada"])
        .exits(1)
        .says("no gap");
}

#[test]
fn weak_answer_is_recorded_and_good_answer_resolves_it() {
    let sandbox = brain();
    let answer = query(&sandbox, QUESTION);
    assert!(notes(&answer).contains("recorded as gap"), "{answer:?}");
    assert!(notes(&query(&sandbox, QUESTION)).contains("asked 2 times"));
    let open = gaps(&sandbox, &[]);
    assert_eq!((open.len(), &open[0]["times"]), (1, &json!(2)));
    assert!(open[0]["confidence_score"].as_f64().expect("a number") < 0.5);
    assert_eq!(sandbox.run(&["stats"]).ok().json()["open_gaps"], 1);
    let page = "# Vandelay\n\nIts quartermaster repairs the zeppelin Albatross.\n";
    sandbox.pipe(&["put", "companies/vandelay"], page.as_bytes()).ok();
    assert_eq!(
        gaps(&sandbox, &[]).len(),
        1,
        "a new page alone resolves nothing: the question's text is unknown"
    );
    let answer = query(&sandbox, QUESTION);
    assert!(notes(&answer).contains("is closed: companies/vandelay answers it"), "{answer:?}");
    assert_eq!(gaps(&sandbox, &[]), [] as [Value; 0]);
    let closed = &gaps(&sandbox, &["--resolved"])[0];
    assert_eq!(closed["resolved_by_slug"], "companies/vandelay");
    let stats = sandbox.run(&["stats"]).ok().json();
    assert_eq!((&stats["open_gaps"], &stats["resolved_gaps"]), (&json!(0), &json!(1)));
    assert_eq!(notes(&query(&sandbox, QUESTION)), "[]", "no further note");
    sandbox.run(&["mv", "companies/vandelay", "companies/vandelay-industries"]).ok();
    assert_eq!(gaps(&sandbox, &["--resolved"])[0]["resolved_by_slug"], "companies/vandelay-industries");
    sandbox.run(&["rm", "companies/vandelay-industries", "--yes"]).ok();
    query(&sandbox, QUESTION);
    let again = &gaps(&sandbox, &[])[0];
    assert_eq!((&again["times"], &again["resolved_at"]), (&json!(3), &Value::Null), "it is reopened");
}

#[test]
fn only_plain_questions_are_recorded_if_the_policy_says_so() {
    let sandbox = brain();
    for more in
        [&["--mode", "lexical"][..], &["--mode", "hybrid"], &["--type", "person"], &["--mode", "fields"]]
    {
        sandbox.run(&[&["query", QUESTION], more].concat());
    }
    sandbox.run(&["search", QUESTION]);
    query(&sandbox, "what is it?");
    query(&sandbox, "Acme");
    query(&sandbox, "who makes anvils on the coast");
    assert_eq!(gaps(&sandbox, &["--resolved"]), [] as [Value; 0]);
    let notes_vault = Sandbox::with_vault();
    notes_vault.write("bread.md", "# Bread\n\nKnead the dough.\n");
    assert_eq!(notes(&query(&notes_vault, QUESTION)), "[]");
    assert_eq!(gaps(&notes_vault, &[]), [] as [Value; 0]);
    let id = add(&notes_vault, QUESTION);
    query(&notes_vault, QUESTION);
    assert_eq!(gaps(&notes_vault, &[])[0]["times"], 1, "a gap added by hand is not counted");
    notes_vault.write("vandelay.md", "# Vandelay\n\nIts quartermaster repairs a zeppelin.\n");
    assert!(notes(&query(&notes_vault, QUESTION)).contains(&id), "but it is resolved");
}

#[test]
fn threshold_comes_from_the_policy() {
    let sandbox = brain();
    let question = "who bakes bread in Prague for the emperor of Japan?";
    let policy = |threshold: &str| {
        sandbox.write(
            "lore.toml",
            format!("profile = \"brain\"\n[gaps]\nlog = true\nthreshold = {threshold}\n"),
        );
    };
    policy("0.0");
    query(&sandbox, question);
    assert_eq!(gaps(&sandbox, &[]), [] as [Value; 0]);
    policy("1.0");
    query(&sandbox, question);
    assert_eq!(gaps(&sandbox, &[]).len(), 1);
    policy("1.5");
    sandbox.run(&["gaps"]).exits(5).says("1.5 is not between 0 and 1");
}

#[test]
fn gap_is_resolved_by_hand_or_by_a_capture() {
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
        "no page was created for gap 7"
    );
}

#[test]
fn gaps_are_listed_oldest_first_up_to_the_limit() {
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
fn secrets_in_the_context_are_refused() {
    let sandbox = brain();
    let secret = ["AKIA", "Z7QX", "WPLM3", "VTRNKDB"].concat();
    let context = format!("found with the key {secret}");
    let refused = sandbox.run(&["gap", "add", QUESTION, "--context", &context]).exits(4);
    assert!(!refused.err.contains(&secret), "{}", refused.err);
    assert!(!contains(&sandbox, &secret));
}

/// A server on a free port, stopped when dropped.
struct HttpServer {
    child: Child,
    address: String,
}

impl HttpServer {
    fn start(sandbox: &Sandbox) -> HttpServer {
        let mut child = sandbox.spawn(&mut sandbox.command(&["serve", "--http", "127.0.0.1:0"]));
        let mut line = String::new();
        BufReader::new(child.stderr.take().expect("piped")).read_line(&mut line).expect("a line");
        let address = line.split_once("http://").and_then(|(_, rest)| rest.split_once(';'));
        HttpServer { child, address: address.expect(&line).0.to_owned() }
    }

    /// Runs `query` with a token and returns the notes of the answer.
    fn notes(&self, token: &str, question: &str) -> String {
        let (address, body) = (&self.address, json!({ "question": question }).to_string());
        let mut stream = TcpStream::connect(address).expect("the server listens");
        let length = body.len();
        write!(
            stream,
            "POST /api/query HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str::<Value>(body).expect("JSON")["notes"].to_string()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn read_only_token_may_ask_and_records_nothing() {
    let sandbox = brain();
    let token = |more: &[&str]| {
        let made = sandbox.run(&[&["token", "add"], more].concat()).ok().json();
        made["token"].as_str().expect("a token").to_owned()
    };
    let (reader, writer) = (token(&["reader"]), token(&["writer", "--write"]));
    let server = HttpServer::start(&sandbox);
    let weak = server.notes(&reader, QUESTION);
    assert!(weak.contains("not recorded as a gap, because access is read-only"), "{weak}");
    assert_eq!(gaps(&sandbox, &["--resolved"]), [] as [Value; 0]);
    let recorded = server.notes(&writer, QUESTION);
    assert!(recorded.contains("recorded as gap"), "{recorded}");
    server.notes(&reader, QUESTION);
    assert_eq!(gaps(&sandbox, &[])[0]["times"], 1, "only the writer is counted");
    let page = "# Vandelay\n\nIts quartermaster repairs the zeppelin Albatross.\n";
    sandbox.pipe(&["put", "companies/vandelay"], page.as_bytes()).ok();
    let answered = server.notes(&reader, QUESTION);
    assert!(answered.contains("companies/vandelay answers gap"), "{answered}");
    assert!(answered.contains("stays open: access is read-only"), "{answered}");
    assert_eq!(gaps(&sandbox, &[]).len(), 1);
    assert!(server.notes(&writer, QUESTION).contains("is closed"));
    assert_eq!(gaps(&sandbox, &[]), [] as [Value; 0]);
}

#[test]
fn operation_that_records_gaps_is_not_declared_as_read_only() {
    let tools = Sandbox::empty().run(&["--tools-json"]).ok().json();
    let tools = tools["tools"].as_array().expect("tools");
    let hint = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).expect(name);
        tool["annotations"]["readOnlyHint"].clone()
    };
    assert_eq!((hint("query"), hint("search")), (json!(false), json!(true)));
}
