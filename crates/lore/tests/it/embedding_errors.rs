//! An embedding endpoint that is silent, busy or wrong: lexical search still works, no invalid vector is stored, and
//! embedding resumes when the endpoint recovers.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::mock_server::{DIMENSIONS, MockServer, Request, http, ok, vectors};
use crate::sandbox::{Ran, Sandbox};
use crate::search_support::{call_all, notes, query, query_call, set, slugs, vault};

/// The model of the mock server.
pub const MODEL: &str = "ollama:stand-in";

/// Creates a vault with two pages, embedded by a healthy endpoint.
pub fn embedded() -> (Sandbox, MockServer) {
    let server = MockServer::start();
    let sandbox = vault(&[
        ("harbour.md", "# Harbour\n\nShips lie at the quay while their cargo is unloaded.\n"),
        ("bread.md", "# Bread\n\nKnead the dough, let it rise, and bake it.\n"),
    ]);
    set(&sandbox, "embedding.ollama", &server.base);
    sandbox.run(&["model", "use", MODEL]).ok();
    server.requests();
    (sandbox, server)
}

/// A wrong response of the endpoint.
struct BadResponse {
    answer: fn(&Request) -> Vec<u8>,
    /// The error when only requests with page texts get this response.
    later: &'static str,
    /// The error when the request that probes the dimensions gets it too.
    at_once: &'static str,
}

/// A response with the same error in both cases.
const fn bad_response(answer: fn(&Request) -> Vec<u8>, says: &'static str) -> BadResponse {
    BadResponse { answer, later: says, at_once: says }
}

fn numbers(request: &Request, numbers: &str) -> Vec<u8> {
    let one = format!("[{numbers}]");
    ok(&format!(r#"{{"embeddings":[{}]}}"#, vec![one; request.texts().len()].join(",")))
}

const BAD_RESPONSES: &[BadResponse] = &[
    bad_response(
        |_| ok("<html><body>Sign in</body></html>"),
        "gave an invalid answer: no vectors: expected value",
    ),
    bad_response(|_| ok("fine, thank you"), "gave an invalid answer: no vectors: expected"),
    bad_response(|_| ok(""), "gave an invalid answer: no vectors: EOF while parsing a value"),
    bad_response(|_| ok(r#"{"embeddings":[[0.5,0.5,0"#), "gave an invalid answer: no vectors: EOF"),
    bad_response(|_| ok(r#"{"data":[]}"#), "missing field `embeddings`"),
    bad_response(|_| ok("null"), "gave an invalid answer: no vectors: invalid type"),
    bad_response(|_| ok(r#"{"embeddings":[]}"#), "got 0 vectors for 1 texts"),
    bad_response(
        |request| vectors(&[request.texts(), request.texts()].concat(), DIMENSIONS),
        "gave an invalid answer: got 2 vectors for 1 texts",
    ),
    BadResponse {
        answer: |request| vectors(&request.texts(), DIMENSIONS - 1),
        later: "gave an invalid answer: a vector has 15 dimensions, expected 16",
        at_once: "15 dimensions instead of 16)",
    },
    BadResponse {
        answer: |request| vectors(&request.texts(), DIMENSIONS * 2),
        later: "gave an invalid answer: a vector has 32 dimensions, expected 16",
        at_once: "32 dimensions instead of 16)",
    },
    BadResponse {
        answer: |request| numbers(request, ""),
        later: "gave an invalid answer: a vector has 0 dimensions, expected 16",
        at_once: "gave an invalid answer: a vector has 0 dimensions",
    },
    bad_response(|request| numbers(request, "null,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"), "invalid type: null"),
    bad_response(
        |request| numbers(request, "NaN,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"),
        "gave an invalid answer: no vectors",
    ),
    bad_response(
        |request| numbers(request, "1e39,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"),
        "a vector is zero or not finite",
    ),
    bad_response(
        |request| numbers(request, "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"),
        "a vector is zero or not finite",
    ),
    bad_response(
        |_| http("500 Internal Server Error", b"out of memory"),
        "did not answer: status 500: out of memory",
    ),
    bad_response(|_| http("503 Service Unavailable", b""), "did not answer: status 503"),
    bad_response(|_| http("429 Too Many Requests", br#"{"error":"slow down"}"#), "status 429: slow down"),
    bad_response(|_| http("404 Not Found", br#"{"error":"no such model"}"#), "unknown model stand-in"),
    bad_response(|_| http("400 Bad Request", br#"{"error":"too long"}"#), "status 400: too long"),
    bad_response(|_| http("302 Found", b""), "redirects are not followed"),
];

/// Makes the endpoint respond like this, to the request that probes the dimensions too if `at_once`.
fn respond_with(server: &MockServer, bad_response: &BadResponse, at_once: bool) -> &'static str {
    let answer = bad_response.answer;
    server.answer_with(move |request| {
        let healthy = request.texts() == ["word"] && !at_once;
        Some(if healthy { vectors(&request.texts(), DIMENSIONS) } else { answer(request) })
    });
    if at_once { bad_response.at_once } else { bad_response.later }
}

/// Asserts what must hold while a page is pending and the endpoint responds like this.
fn degrades_to_lexical(sandbox: &Sandbox, server: &MockServer, says: &str) {
    let ran = sandbox.run(&["embed"]).exits(5).says(says).says("\nhint: ");
    assert!(ran.err.contains(&server.base) || ran.err.contains(MODEL), "{says}: {}", ran.err);
    let outdated = says.ends_with("instead of 16)");
    let remedy = format!("`lore model use {MODEL}`");
    assert_eq!(ran.err.contains(&remedy), outdated, "{says}: {}", ran.err);
    let meanwhile = [
        query_call("hybrid", "zeppelin"),
        query_call("semantic", "zeppelin"),
        json!({ "tool": "validate", "input": { "embeddings": true } }),
        json!({ "tool": "status", "input": {} }),
    ];
    let meanwhile = call_all(sandbox, &meanwhile);
    for answer in &meanwhile[..2] {
        assert_eq!((&answer["mode"], slugs(answer)), (&json!("lexical"), vec!["new"]), "{says}");
        assert!(notes(answer).contains("using full-text search"), "{says}: {answer}");
        assert_eq!(notes(answer).contains(&remedy), outdated, "{says}: {answer}");
    }
    assert_eq!(meanwhile[2]["problems"], json!([]), "{says}");
    assert_eq!(
        (&meanwhile[3]["model"], &meanwhile[3]["pending_embeddings"]),
        (&json!(MODEL), &json!(1)),
        "{says}"
    );
}

#[test]
fn invalid_responses_are_refused_until_the_endpoint_recovers() {
    let (sandbox, server) = embedded();
    let before = query(&sandbox, "semantic", "ships at the quay");
    sandbox.write("new.md", "# New\n\nThe zeppelin has landed.\n");
    for bad_response in BAD_RESPONSES {
        for at_once in [false, true] {
            // Where both errors are the same, one case is enough.
            if at_once && bad_response.at_once == bad_response.later {
                continue;
            }
            let says = respond_with(&server, bad_response, at_once);
            degrades_to_lexical(&sandbox, &server, says);
        }
    }
    server.recover();
    server.requests();
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 1);
    assert_eq!(server.texts().len(), 1, "embedded chunks are not embedded again");
    assert_eq!(slugs(&query(&sandbox, "semantic", "the zeppelin has landed"))[0], "new");
    sandbox.run(&["rm", "new", "--yes"]).ok();
    assert_eq!(query(&sandbox, "semantic", "ships at the quay"), before, "the same answer as before");
}

#[test]
fn invalid_response_to_the_probe_is_refused() {
    let (sandbox, server) = embedded();
    sandbox.write("new.md", "# New\n\nThe zeppelin has landed.\n");
    for says in ["no vectors: expected value", "got 0 vectors for 1 texts", "status 500", "unknown model"] {
        let bad_response = BAD_RESPONSES
            .iter()
            .find(|bad_response| bad_response.later.contains(says))
            .expect("a bad response");
        degrades_to_lexical(&sandbox, &server, respond_with(&server, bad_response, true));
    }
    server.recover();
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 1);
    assert_eq!(slugs(&query(&sandbox, "semantic", "the zeppelin has landed"))[0], "new");
}

#[test]
fn silent_endpoint_times_out_as_configured() {
    let (sandbox, server) = embedded();
    sandbox.run(&["config", "set", "embedding.timeout_ms", "0"]).exits(2).says("embedding.timeout_ms");
    sandbox.write("new.md", "# New\n\nThe zeppelin has landed.\n");
    set(&sandbox, "embedding.timeout_ms", "150");
    server.answer_with(|_| None);
    sandbox.run(&["embed"]).exits(5).says(&server.base).says("timed out after 150ms").says("stay queued");
    assert_eq!(server.requests().len(), 1, "a request that timed out is not retried");
    let answer = query(&sandbox, "hybrid", "zeppelin");
    assert_eq!((&answer["mode"], slugs(&answer)), (&json!("lexical"), vec!["new"]));
    assert!(notes(&answer).contains(&server.base), "{answer}");
    sandbox.run(&["validate", "--embeddings"]).ok();
    sandbox.run(&["config", "unset", "embedding.timeout_ms"]).ok();
    server.recover();
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 1);
    assert_eq!(query(&sandbox, "hybrid", "zeppelin")["mode"], "hybrid");
}

#[test]
fn busy_endpoint_is_retried() {
    let (sandbox, server) = embedded();
    for status in ["429 Too Many Requests", "500 Internal Server Error", "503 Service Unavailable"] {
        let attempts = AtomicUsize::new(0);
        // It is busy for two of three requests, which is the limit of retries.
        server.answer_with(move |request| {
            let healthy = attempts.fetch_add(1, Ordering::SeqCst) % 3 == 2;
            Some(if healthy { vectors(&request.texts(), DIMENSIONS) } else { http(status, b"busy") })
        });
        let done = sandbox.run(&["embed", "--all"]).ok().json();
        assert_eq!((&done["embedded"], &done["pending"]), (&json!(2), &json!(0)), "{status}");
        assert_eq!(server.requests().len(), 6, "{status}: three probes and three requests for the two pages");
    }
}

/// Returns the models of this name in `model list`.
pub fn listed(sandbox: &Sandbox, name: &str) -> Vec<Value> {
    let listed = sandbox.run(&["model", "list"]).ok().json();
    let models = listed["models"].as_array().expect("models").clone();
    models.into_iter().filter(|model| model["name"] == name).collect()
}

#[test]
fn changed_dimensions_make_another_model() {
    let (sandbox, server) = embedded();
    let before = query(&sandbox, "semantic", "ships at the quay");
    server.answer_with(|request| Some(vectors(&request.texts(), 24)));
    sandbox
        .run(&["embed", "--all"])
        .exits(5)
        .says("24 dimensions instead of 16")
        .says("lore model use ollama:stand-in");
    let pending = sandbox.run(&["status"]).ok().json()["pending_embeddings"].clone();
    assert_eq!(pending, 0, "no vector is dropped for a model that cannot recreate it");
    assert!(notes(&query(&sandbox, "semantic", "quay")).contains("24 dimensions instead of 16"));
    let changed = sandbox.run(&["model", "use", MODEL]).ok().json();
    assert_eq!((&changed["dimensions"], &changed["embedded"]), (&json!(24), &json!(2)));
    assert_eq!(query(&sandbox, "semantic", "quay")["mode"], "semantic");
    sandbox.run(&["validate", "--embeddings"]).ok();
    let models = listed(&sandbox, MODEL);
    let found: Vec<_> = models.iter().map(|model| (&model["dimensions"], &model["active"])).collect();
    assert_eq!(found, [(&json!(16), &json!(false)), (&json!(24), &json!(true))]);
    assert_eq!(models[1]["place"], server.base.as_str(), "the address of its endpoint");
    server.recover();
    assert!(notes(&query(&sandbox, "semantic", "quay")).contains("16 dimensions instead of 24"));
    assert_eq!(sandbox.run(&["model", "use", MODEL]).ok().json()["embedded"], 0, "its vectors were kept");
    assert_eq!(query(&sandbox, "semantic", "ships at the quay"), before);
    sandbox.run(&["model", "remove", MODEL]).ok();
    assert_eq!(listed(&sandbox, MODEL).len(), 1, "the inactive model is removed, the active one stays");
    sandbox.run(&["model", "remove", MODEL]).exits(2).says("is the active model");
    assert_eq!(query(&sandbox, "semantic", "ships at the quay"), before);
}

#[test]
fn api_key_appears_in_no_message() {
    let key = "not-a-real-key";
    let server = MockServer::start();
    let sandbox = vault(&[("bread.md", "# Bread\n\nKnead the dough.\n")]);
    set(&sandbox, "embedding.openai", &server.base.replace("http://", "http://ada:hidden@"));
    set(&sandbox, "embedding.key_variable", "MY_KEY");
    let run = |arguments: &[&str]| {
        Ran::from(sandbox.command(arguments).env("MY_KEY", key).output().expect("it starts"))
    };
    server.answer_with(move |_| Some(http("401 Unauthorized", format!("no such key: {key}").as_bytes())));
    let refused = run(&["model", "use", "openai:small"]).exits(5).says("the API key was rejected");
    server.recover();
    run(&["model", "use", "openai:small"]).ok();
    server.answer_with(move |_| Some(http("500 Oops", format!("crashed with {key}").as_bytes())));
    let down = run(&["embed", "--all"]).exits(5).says("status 500");
    let answer = run(&["query", "dough"]).ok();
    let doctor = run(&["doctor"]).exits(5);
    let list = run(&["model", "list", "--format", "human"]).ok();
    for ran in [&refused, &down, &answer, &doctor, &list] {
        let output = format!("{}{}", ran.text(), ran.err);
        assert!(!output.contains(key) && !output.contains("hidden"), "{output}");
    }
    assert!(list.text().contains(&format!("* openai:small  {}", server.base)), "{}", list.text());
}
