//! The diagnostic log: spans on standard error if `LORE_LOG` is set, and no text of pages, titles or queries.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// Words of the title, the text and the path of the page, and of the query.
const PRIVATE: [&str; 4] = ["Zeppelin", "hangar", "airship", "moored"];

fn with_page() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("airships.md", "# Zeppelin\n\nIt is moored in the hangar.\n");
    sandbox.sync();
    sandbox
}

fn logged(sandbox: &Sandbox, level: &str, arguments: &[&str]) -> Ran {
    sandbox.command(arguments).env("LORE_LOG", level).output().expect("lore runs").into()
}

/// Asserts that a log has a line for each of these spans, with its duration, and nothing private.
#[track_caller]
fn check(log: &str, spans: &[&str]) {
    for span in spans {
        let ended = |line: &str| line.contains(&format!(" {span}{{")) && line.contains("close time.busy=");
        assert!(log.lines().any(ended), "no span {span} in:\n{log}");
    }
    let lower = log.to_lowercase();
    for word in PRIVATE {
        assert!(!lower.contains(&word.to_lowercase()), "{word:?} is in:\n{log}");
    }
}

#[test]
fn spans_are_logged_on_standard_error_without_any_text() {
    let sandbox = with_page();
    let search = ["search", "moored hangar"];
    let plain = sandbox.run(&search).ok();
    for level in ["info", "debug", "trace"] {
        let ran = logged(&sandbox, level, &search).exits(0);
        assert_eq!(ran.out, plain.out, "standard output is the same");
        check(&ran.err, &["refresh", "search"]);
        assert!(ran.err.contains("hits=1"), "{}", ran.err);
    }
    let query = logged(&sandbox, "trace", &["query", "where is the zeppelin moored?"]).exits(0);
    check(&query.err, &["refresh", "search"]);
    let content = r#"{"slug": "airships", "content": "Zeppelin airship, moored in a hangar\n"}"#;
    let put = logged(&sandbox, "trace", &["call", "put", content]).exits(0);
    check(&put.err, &["write"]);
    assert!(put.err.contains("write{changes=1 files=1 "), "{}", put.err);
    let stale = r#"{"slug": "airships", "content": "A hangar\n", "expected_version": 99}"#;
    let failed = logged(&sandbox, "trace", &["call", "put", stale]);
    let (error, log): (Vec<&str>, Vec<&str>) = failed.err.lines().partition(|line| line.starts_with('{'));
    assert_eq!((failed.code != 0, error.len()), (true, 1), "{failed:?}");
    check(&log.join("\n"), &["write"]);
}

#[test]
fn log_is_off_by_default_and_quiet_below_its_level() {
    let sandbox = with_page();
    for level in ["", "off", "error", "warn"] {
        logged(&sandbox, level, &["search", "hangar"]).ok();
    }
    let wrong = logged(&sandbox, "loud", &["status"]).exits(2);
    wrong.says("LORE_LOG is \"loud\"").says("hint: set it to error, warn, info, debug or trace");
}

#[test]
fn log_of_a_server_has_no_requests() {
    let sandbox = with_page();
    let mut command = sandbox.command(&["serve", "--tools", "all"]);
    let mut child = sandbox.spawn(command.env("LORE_LOG", "trace").stdin(Stdio::piped()));
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut request = |id: u64, method: &str, params: Value| -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{message}").expect("the server reads");
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).expect("a line") > 0, "the server ended");
            // Standard output has nothing but messages.
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id {
                return message;
            }
        }
    };
    let info = json!({ "name": "test", "version": "1" });
    request(
        1,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info }),
    );
    let arguments = json!({ "query": "moored hangar" });
    let answer = request(2, "tools/call", json!({ "name": "memory_search", "arguments": arguments }));
    assert!(answer.to_string().contains("airships"), "{answer}");
    drop(input);
    let ran: Ran = child.wait_with_output().expect("it ends").into();
    check(&ran.err, &["refresh", "search"]);
}
