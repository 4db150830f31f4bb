//! An endpoint that is silent, busy, wrong or another one: words find every page meanwhile, nothing false gets into the
//! database, and it goes on when all is well again.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::asking::{ask, call_all, notes, question_in, set, slugs, vault};
use crate::sandbox::{Ran, Sandbox};
use crate::stand_in::{DIMENSIONS, Request, StandIn, http, ok, vectors};

/// The model of the stand-in.
pub const MODEL: &str = "ollama:stand-in";

/// A vault with two pages, embedded by an endpoint that is well.
pub fn embedded() -> (Sandbox, StandIn) {
    let stand_in = StandIn::start();
    let sandbox = vault(&[
        ("harbour.md", "# Harbour\n\nShips lie at the quay while their cargo is unloaded.\n"),
        ("bread.md", "# Bread\n\nKnead the dough, let it rise, and bake it.\n"),
    ]);
    set(&sandbox, "embedding.ollama", &stand_in.base);
    sandbox.run(&["model", "use", MODEL]).ok();
    stand_in.requests();
    (sandbox, stand_in)
}

/// What the endpoint says when the texts of a page are given to it, or always.
struct Trouble {
    answer: fn(&Request) -> Vec<u8>,
    /// What the error says when only a page's texts are answered so.
    later: &'static str,
    /// What it says when already the word that counts the dimensions is.
    at_once: &'static str,
}

/// The same complaint whenever it is noticed.
const fn trouble(answer: fn(&Request) -> Vec<u8>, says: &'static str) -> Trouble {
    Trouble { answer, later: says, at_once: says }
}

fn numbers(request: &Request, numbers: &str) -> Vec<u8> {
    let one = format!("[{numbers}]");
    ok(&format!(r#"{{"embeddings":[{}]}}"#, vec![one; request.texts().len()].join(",")))
}

const TROUBLES: &[Trouble] = &[
    trouble(
        |_| ok("<html><body>Sign in</body></html>"),
        "gave an invalid answer: no vectors: expected value",
    ),
    trouble(|_| ok("fine, thank you"), "gave an invalid answer: no vectors: expected"),
    trouble(|_| ok(""), "gave an invalid answer: no vectors: EOF while parsing a value"),
    trouble(|_| ok(r#"{"embeddings":[[0.5,0.5,0"#), "gave an invalid answer: no vectors: EOF"),
    trouble(|_| ok(r#"{"data":[]}"#), "missing field `embeddings`"),
    trouble(|_| ok("null"), "gave an invalid answer: no vectors: invalid type"),
    trouble(|_| ok(r#"{"embeddings":[]}"#), "got 0 vectors for 1 texts"),
    trouble(
        |request| vectors(&[request.texts(), request.texts()].concat(), DIMENSIONS),
        "gave an invalid answer: got 2 vectors for 1 texts",
    ),
    Trouble {
        answer: |request| vectors(&request.texts(), DIMENSIONS - 1),
        later: "gave an invalid answer: a vector has 15 dimensions, expected 16",
        at_once: "15 dimensions instead of 16): run `lore model use ollama:stand-in`",
    },
    Trouble {
        answer: |request| vectors(&request.texts(), DIMENSIONS * 2),
        later: "gave an invalid answer: a vector has 32 dimensions, expected 16",
        at_once: "32 dimensions instead of 16): run `lore model use ollama:stand-in`",
    },
    Trouble {
        answer: |request| numbers(request, ""),
        later: "gave an invalid answer: a vector has 0 dimensions, expected 16",
        at_once: "gave an invalid answer: a vector has 0 dimensions",
    },
    trouble(|request| numbers(request, "null,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"), "invalid type: null"),
    trouble(
        |request| numbers(request, "NaN,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"),
        "gave an invalid answer: no vectors",
    ),
    trouble(
        |request| numbers(request, "1e39,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"),
        "a vector is zero or not finite",
    ),
    trouble(|request| numbers(request, "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"), "a vector is zero or not finite"),
    trouble(
        |_| http("500 Internal Server Error", b"out of memory"),
        "did not answer: status 500: out of memory",
    ),
    trouble(|_| http("503 Service Unavailable", b""), "did not answer: status 503"),
    trouble(|_| http("429 Too Many Requests", br#"{"error":"slow down"}"#), "status 429: slow down"),
    trouble(|_| http("404 Not Found", br#"{"error":"no such model"}"#), "unknown model stand-in"),
    trouble(|_| http("400 Bad Request", br#"{"error":"too long"}"#), "status 400: too long"),
    trouble(|_| http("302 Found", b""), "redirects are not followed"),
];

/// Answers so from now on, the word that counts the dimensions too or not.
fn begin(stand_in: &StandIn, trouble: &Trouble, at_once: bool) -> &'static str {
    let answer = trouble.answer;
    stand_in.answer_with(move |request| {
        let well = request.texts() == ["word"] && !at_once;
        Some(if well { vectors(&request.texts(), DIMENSIONS) } else { answer(request) })
    });
    if at_once { trouble.at_once } else { trouble.later }
}

/// A page waits while the endpoint answers so: what must hold meanwhile.
fn goes_through(sandbox: &Sandbox, stand_in: &StandIn, says: &str) {
    let ran = sandbox.run(&["embed"]).exits(5).says(says).says("\nhint: ");
    assert!(ran.err.contains(&stand_in.base) || ran.err.contains(MODEL), "{says}: {}", ran.err);
    let meanwhile = [
        question_in("hybrid", "zeppelin"),
        question_in("semantic", "zeppelin"),
        json!({ "tool": "validate", "input": { "embeddings": true } }),
        json!({ "tool": "status", "input": {} }),
    ];
    let meanwhile = call_all(sandbox, &meanwhile);
    for answer in &meanwhile[..2] {
        assert_eq!((&answer["mode"], slugs(answer)), (&json!("lexical"), vec!["new"]), "{says}");
        assert!(notes(answer).contains("using full-text search"), "{says}: {answer}");
    }
    assert_eq!(meanwhile[2]["problems"], json!([]), "{says}");
    assert_eq!(
        (&meanwhile[3]["model"], &meanwhile[3]["pending_embeddings"]),
        (&json!(MODEL), &json!(1)),
        "{says}"
    );
}

#[test]
fn whatever_an_endpoint_says_instead_of_vectors_is_refused_until_it_is_well_again() {
    let (sandbox, stand_in) = embedded();
    let before = ask(&sandbox, "semantic", "ships at the quay");
    sandbox.write("new.md", "# New\n\nThe zeppelin has landed.\n");
    for trouble in TROUBLES {
        for at_once in [false, true] {
            // Where both are told in the same words, one of them will do.
            if at_once && trouble.at_once == trouble.later {
                continue;
            }
            let says = begin(&stand_in, trouble, at_once);
            goes_through(&sandbox, &stand_in, says);
        }
    }
    stand_in.recover();
    stand_in.requests();
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 1);
    assert_eq!(stand_in.texts().len(), 1, "what was embedded is not embedded again");
    assert_eq!(slugs(&ask(&sandbox, "semantic", "the zeppelin has landed"))[0], "new");
    sandbox.run(&["rm", "new", "--yes"]).ok();
    assert_eq!(ask(&sandbox, "semantic", "ships at the quay"), before, "as if nothing had been");
}

#[test]
fn an_endpoint_that_is_wrong_from_the_first_word_is_refused_too() {
    let (sandbox, stand_in) = embedded();
    sandbox.write("new.md", "# New\n\nThe zeppelin has landed.\n");
    for says in ["no vectors: expected value", "got 0 vectors for 1 texts", "status 500", "unknown model"] {
        let trouble = TROUBLES.iter().find(|trouble| trouble.later.contains(says)).expect("a trouble");
        goes_through(&sandbox, &stand_in, begin(&stand_in, trouble, true));
    }
    stand_in.recover();
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 1);
    assert_eq!(slugs(&ask(&sandbox, "semantic", "the zeppelin has landed"))[0], "new");
}

#[test]
fn an_endpoint_that_never_answers_is_waited_for_as_long_as_the_setting_says() {
    let (sandbox, stand_in) = embedded();
    sandbox.run(&["config", "set", "embedding.timeout_ms", "0"]).exits(2).says("embedding.timeout_ms");
    sandbox.write("new.md", "# New\n\nThe zeppelin has landed.\n");
    set(&sandbox, "embedding.timeout_ms", "150");
    stand_in.answer_with(|_| None);
    sandbox
        .run(&["embed"])
        .exits(5)
        .says(&stand_in.base)
        .says("timed out after 150ms")
        .says("stays in the queue");
    assert_eq!(stand_in.requests().len(), 1, "whoever takes all the time there is, is not asked again");
    let answer = ask(&sandbox, "hybrid", "zeppelin");
    assert_eq!((&answer["mode"], slugs(&answer)), (&json!("lexical"), vec!["new"]));
    assert!(notes(&answer).contains(&stand_in.base), "{answer}");
    sandbox.run(&["validate", "--embeddings"]).ok();
    sandbox.run(&["config", "unset", "embedding.timeout_ms"]).ok();
    stand_in.recover();
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 1);
    assert_eq!(ask(&sandbox, "hybrid", "zeppelin")["mode"], "hybrid");
}

#[test]
fn a_busy_endpoint_is_asked_again_until_it_answers() {
    let (sandbox, stand_in) = embedded();
    for status in ["429 Too Many Requests", "500 Internal Server Error", "503 Service Unavailable"] {
        let asked = AtomicUsize::new(0);
        // Two times of three it is busy: no request is made more often than that.
        stand_in.answer_with(move |request| {
            let well = asked.fetch_add(1, Ordering::SeqCst) % 3 == 2;
            Some(if well { vectors(&request.texts(), DIMENSIONS) } else { http(status, b"busy") })
        });
        let done = sandbox.run(&["embed", "--all"]).ok().json();
        assert_eq!((&done["embedded"], &done["pending"]), (&json!(2), &json!(0)), "{status}");
        assert_eq!(stand_in.requests().len(), 6, "{status}: the word three times, the two pages three times");
    }
}

/// The models of a name, as `model list` has them.
pub fn listed(sandbox: &Sandbox, name: &str) -> Vec<Value> {
    let listed = sandbox.run(&["model", "list"]).ok().json();
    let models = listed["models"].as_array().expect("models").clone();
    models.into_iter().filter(|model| model["name"] == name).collect()
}

#[test]
fn a_model_of_other_dimensions_behind_the_same_name_is_another_model() {
    let (sandbox, stand_in) = embedded();
    let before = ask(&sandbox, "semantic", "ships at the quay");
    stand_in.answer_with(|request| Some(vectors(&request.texts(), 24)));
    sandbox
        .run(&["embed", "--all"])
        .exits(5)
        .says("24 dimensions instead of 16")
        .says("lore model use ollama:stand-in");
    let pending = sandbox.run(&["status"]).ok().json()["pending_embeddings"].clone();
    assert_eq!(pending, 0, "no vector is given up for a model that cannot bring it back");
    assert!(notes(&ask(&sandbox, "semantic", "quay")).contains("24 dimensions instead of 16"));
    let changed = sandbox.run(&["model", "use", MODEL]).ok().json();
    assert_eq!((&changed["dimensions"], &changed["embedded"]), (&json!(24), &json!(2)));
    assert_eq!(ask(&sandbox, "semantic", "quay")["mode"], "semantic");
    sandbox.run(&["validate", "--embeddings"]).ok();
    let models = listed(&sandbox, MODEL);
    let found: Vec<_> = models.iter().map(|model| (&model["dimensions"], &model["active"])).collect();
    assert_eq!(found, [(&json!(16), &json!(false)), (&json!(24), &json!(true))]);
    assert_eq!(models[1]["place"], stand_in.base.as_str(), "where it is asked");
    stand_in.recover();
    assert!(notes(&ask(&sandbox, "semantic", "quay")).contains("16 dimensions instead of 24"));
    assert_eq!(sandbox.run(&["model", "use", MODEL]).ok().json()["embedded"], 0, "its vectors were kept");
    assert_eq!(ask(&sandbox, "semantic", "ships at the quay"), before);
    sandbox.run(&["model", "remove", MODEL]).ok();
    assert_eq!(listed(&sandbox, MODEL).len(), 1, "the other one is forgotten, the one that answers stays");
    sandbox.run(&["model", "remove", MODEL]).exits(2).says("is the active model");
    assert_eq!(ask(&sandbox, "semantic", "ships at the quay"), before);
}

#[test]
fn a_key_is_in_no_message() {
    let key = "not-a-real-key";
    let stand_in = StandIn::start();
    let sandbox = vault(&[("bread.md", "# Bread\n\nKnead the dough.\n")]);
    set(&sandbox, "embedding.openai", &stand_in.base.replace("http://", "http://ada:hidden@"));
    set(&sandbox, "embedding.key_variable", "MY_KEY");
    let run = |arguments: &[&str]| {
        Ran::from(sandbox.command(arguments).env("MY_KEY", key).output().expect("it starts"))
    };
    stand_in.answer_with(move |_| Some(http("401 Unauthorized", format!("no such key: {key}").as_bytes())));
    let refused = run(&["model", "use", "openai:small"]).exits(5).says("the API key was rejected");
    stand_in.recover();
    run(&["model", "use", "openai:small"]).ok();
    stand_in.answer_with(move |_| Some(http("500 Oops", format!("crashed with {key}").as_bytes())));
    let down = run(&["embed", "--all"]).exits(5).says("status 500");
    let answer = run(&["query", "dough"]).ok();
    let doctor = run(&["doctor"]).exits(5);
    let list = run(&["model", "list", "--format", "human"]).ok();
    for ran in [&refused, &down, &answer, &doctor, &list] {
        let said = format!("{}{}", ran.text(), ran.err);
        assert!(!said.contains(key) && !said.contains("hidden"), "{said}");
    }
    assert!(list.text().contains(&format!("* openai:small  {}", stand_in.base)), "{}", list.text());
}
