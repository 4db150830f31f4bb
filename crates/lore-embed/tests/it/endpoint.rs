//! Embedding endpoints with good, bad and missing responses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::expect;
use lore_embed::{Endpoint, EndpointSettings, RequestPolicy};
use lore_ports::{EmbedError, Embedder};

use crate::server::{Reply, Server, http, ok};

const KEY: &str = "not-a-real-key";

/// Returns settings that never sleep, and the recorded delays.
fn openai(server: &Server) -> (EndpointSettings, Arc<Mutex<Vec<Duration>>>) {
    let delays = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&delays);
    let sleep = Arc::new(move |wait| recorded.lock().unwrap().push(wait));
    let mut settings = EndpointSettings::openai(&server.base, "small", Some(KEY.to_owned()));
    settings.dimensions = Some(2);
    settings.policy = RequestPolicy { sleep, ..RequestPolicy::default() };
    (settings, delays)
}

/// Returns a response with as many vectors as the request has texts: (1, 0), (2, 2), (3, 4) and so on.
fn vectors(body: &str) -> String {
    let count = body.split("\"input\":[").nth(1).unwrap().split("\",\"").count();
    let data: Vec<String> =
        (0..count).map(|at| format!(r#"{{"index":{at},"embedding":[{},{}]}}"#, at + 1, at * 2)).collect();
    format!(r#"{{"data":[{}]}}"#, data.join(","))
}

/// Returns the result of one query to a server with this behaviour, with the number of requests and the delays.
fn outcome(reply: impl Fn(usize) -> Reply + Send + 'static) -> String {
    let server = Server::start(move |number, _| reply(number));
    let (settings, delays) = openai(&server);
    let result = Endpoint::connect(settings).unwrap().embed_query("anything");
    let text = match &result {
        Ok(vector) => format!("{vector:?}"),
        Err(error) => {
            let kind = match error {
                EmbedError::Missing { .. } => "missing",
                EmbedError::Outdated { .. } => "outdated",
                EmbedError::Model { .. } => "model",
                EmbedError::Unavailable { .. } => "unavailable",
                EmbedError::Wrong { .. } => "wrong",
            };
            format!("{kind}: {error}")
        }
    };
    assert!(!text.contains(KEY), "{text}");
    let text = text.replace(&server.base, "BASE");
    format!("{text} ({} requests, waits {:?})", server.requests().len(), delays.lock().unwrap())
}

const GOOD: &str = r#"{"data":[{"index":0,"embedding":[3,4]}]}"#;

#[test]
fn vectors_are_normalized() {
    expect!["[0.6, 0.8] (1 requests, waits [])"].assert_eq(&outcome(|_| ok(GOOD)));
}

#[test]
fn busy_endpoints_are_retried() {
    expect!["[0.6, 0.8] (2 requests, waits [250ms])"].assert_eq(&outcome(|number| match number {
        0 => http("500 Internal Server Error", "", b"oops"),
        _ => ok(GOOD),
    }));
    expect!["[0.6, 0.8] (3 requests, waits [2s, 5s])"].assert_eq(&outcome(|number| match number {
        0 => http("429 Too Many Requests", "Retry-After: 2\r\n", b""),
        1 => http("429 Too Many Requests", "Retry-After: 3600\r\n", b""),
        _ => ok(GOOD),
    }));
    expect!["unavailable: BASE did not answer: status 503: loading … (3 requests, waits [250ms, 1s])"]
        .assert_eq(&outcome(|_| {
            http("503 Service Unavailable", "", br#"{"error":{"message":"loading not-a-real-key"}}"#)
        }));
}

#[test]
fn broken_connections_are_retried() {
    let cut = || Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"data\":".to_vec());
    expect!["unavailable: BASE did not answer: io: Peer disconnected (3 requests, waits [250ms, 1s])"]
        .assert_eq(&outcome(move |_| cut()));
    expect!["[0.6, 0.8] (2 requests, waits [250ms])"]
        .assert_eq(&outcome(move |number| if number == 0 { cut() } else { ok(GOOD) }));
    expect!["unavailable: BASE did not answer: io: Peer disconnected (3 requests, waits [250ms, 1s])"]
        .assert_eq(&outcome(|_| Reply::Bytes(Vec::new())));
}

#[test]
fn invalid_responses_are_not_retried() {
    let of = |body: &'static str| outcome(move |_| ok(body));
    let refused = [
        of("<html>hello</html>"),
        of(r#"{"data":[{"index":0,"embedding":[1,2,3]}]}"#),
        of(r#"{"data":[]}"#),
        of(r#"{"data":[{"embedding":[1,2]},{"embedding":[1,2]}]}"#),
        of(r#"{"data":[{"embedding":[1e39,2]}]}"#),
        of(r#"{"data":[{"embedding":[0,0]}]}"#),
        of(r#"{"data":[{"embedding":[null,2]}]}"#),
        outcome(|_| http("400 Bad Request", "", br#"{"error":"input too long"}"#)),
        outcome(|_| http("404 Not Found", "", br#"{"error":"model \"small\" not found"}"#)),
        outcome(|_| http("401 Unauthorized", "", br#"{"error":{"message":"bad key: not-a-real-key"}}"#)),
        outcome(|_| Reply::Bytes(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec())),
        outcome(|_| http("200 OK", "", &vec![b' '; 33 << 20])),
    ];
    expect![[r#"
        wrong: BASE gave an invalid answer: no vectors: expected value at line 1 column 1 (1 requests, waits [])
        wrong: BASE gave an invalid answer: a vector has 3 dimensions, expected 2 (1 requests, waits [])
        wrong: BASE gave an invalid answer: got 0 vectors for 1 texts (1 requests, waits [])
        wrong: BASE gave an invalid answer: got 2 vectors for 1 texts (1 requests, waits [])
        wrong: BASE gave an invalid answer: a vector is zero or not finite (1 requests, waits [])
        wrong: BASE gave an invalid answer: a vector is zero or not finite (1 requests, waits [])
        wrong: BASE gave an invalid answer: no vectors: invalid type: null, expected f32 at line 1 column 27 (1 requests, waits [])
        wrong: BASE gave an invalid answer: status 400: input too long (1 requests, waits [])
        model: the model BASE cannot be used: unknown model small (status 404: model "small" not found) (1 requests, waits [])
        model: the model BASE cannot be used: the API key was rejected (status 401: bad key: …) (1 requests, waits [])
        wrong: BASE gave an invalid answer: protocol: http parse fail: invalid HTTP version (1 requests, waits [])
        wrong: BASE gave an invalid answer: the response is larger than 33554432 bytes (1 requests, waits [])"#]].assert_eq(&refused.join("\n"));
}

#[test]
fn silent_endpoints_time_out() {
    let server = Server::start(|_, _| Reply::Nothing);
    let (mut settings, delays) = openai(&server);
    settings.policy.request = Duration::from_millis(200);
    let error = Endpoint::connect(settings).unwrap().embed_query("anything").unwrap_err();
    assert!(matches!(&error, EmbedError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("timed out after 200ms"), "{error}");
    assert_eq!((server.requests().len(), delays.lock().unwrap().len()), (1, 0));
}

#[test]
fn refused_connections_are_unavailable() {
    let server = Server::start(|_, _| Reply::Nothing);
    let (mut settings, delays) = openai(&server);
    // Nothing listens on the first port.
    settings.base = "http://127.0.0.1:1".to_owned();
    let error = Endpoint::connect(settings).unwrap().embed_query("anything").unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { .. }), "{error}");
    assert_eq!(*delays.lock().unwrap(), [Duration::from_millis(250), Duration::from_secs(1)]);
}

#[test]
fn redirects_are_not_followed() {
    let other = Server::start(|_, _| ok(GOOD));
    for status in ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let location = format!("Location: {}/embeddings\r\n", other.base);
        let text = outcome(move |_| http(status, &location, b""));
        assert!(text.starts_with("wrong: ") && text.contains("redirects are not followed"), "{text}");
    }
    assert!(other.requests().is_empty());
}

#[test]
fn requests_are_as_documented() {
    let server = Server::start(|_, request| ok(&vectors(&request.body)));
    let (mut settings, _) = openai(&server);
    settings.base = server.base.replace("http://", "http://ada:hidden@") + "/v1/";
    assert!(!format!("{settings:?}").contains("hidden"), "{settings:?}");
    assert!(!format!("{settings:?}").contains(KEY), "{settings:?}");
    let endpoint = Endpoint::connect(settings).unwrap();
    assert_eq!(endpoint.identity().name, "openai:small");
    assert_eq!(endpoint.identity().revision, format!("{}/v1 small", server.base));
    assert!(!format!("{endpoint:?}").contains("hidden"), "{endpoint:?}");

    let found = endpoint.embed_passages(&["one \"quoted\"", " \n", "two"]).unwrap();
    let half = 0.5f32.sqrt();
    assert_eq!(found, [vec![1.0, 0.0], vec![0.0, 0.0], vec![half, half]]);
    assert_eq!(endpoint.embed_passages(&["", "  "]).unwrap(), [[0.0; 2], [0.0; 2]]);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].head.starts_with("post /v1/embeddings http/1.1"), "{}", requests[0].head);
    assert!(requests[0].head.contains(&format!("authorization: bearer {KEY}")), "{}", requests[0].head);
    assert_eq!(requests[0].body, r#"{"model":"small","input":["one \"quoted\"","two"]}"#);
}

#[test]
fn ollama_dimensions_are_detected_once() {
    let server = Server::start(|_, _| ok(r#"{"model":"m","embeddings":[[0,3,4]]}"#));
    let mut settings = EndpointSettings::ollama("nomic-embed-text");
    assert_eq!(settings.base, "http://127.0.0.1:11434");
    settings.base.clone_from(&server.base);
    let endpoint = Endpoint::connect(settings).unwrap();
    assert_eq!(
        (endpoint.identity().name.as_str(), endpoint.identity().dimensions),
        ("ollama:nomic-embed-text", 3)
    );
    assert_eq!(endpoint.embed_query("a question").unwrap(), [0.0, 0.6, 0.8]);
    let bodies: Vec<String> = server.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(
        bodies,
        [
            r#"{"model":"nomic-embed-text","input":["word"]}"#,
            r#"{"model":"nomic-embed-text","input":["a question"]}"#
        ]
    );
    assert!(server.requests()[0].head.starts_with("post /api/embed "));
    assert!(!server.requests()[0].head.contains("authorization"));
}

#[test]
fn absurd_dimensions_are_refused() {
    let server = Server::start(|_, _| ok(&format!(r#"{{"embeddings":[[{}1]]}}"#, "0,".repeat(20_000))));
    let settings = EndpointSettings { base: server.base.clone(), ..EndpointSettings::ollama("m") };
    let refused = Endpoint::connect(settings).unwrap_err().to_string();
    assert!(refused.contains("a vector has 20001 dimensions; at most 16384 are supported"), "{refused}");
}

#[test]
fn many_texts_are_sent_in_batches() {
    let server = Server::start(|_, request| ok(&vectors(&request.body)));
    let (settings, _) = openai(&server);
    let endpoint = Endpoint::connect(settings).unwrap();
    let long = "x".repeat(60_000);
    let mut texts = vec!["short"; 130];
    texts.extend([long.as_str(), &long, "short"]);
    assert_eq!(endpoint.embed_passages(&texts).unwrap().len(), 133);
    let sizes: Vec<usize> =
        server.requests().iter().map(|request| request.body.split("\",\"").count() - 1).collect();
    assert_eq!(sizes, [64, 64, 3, 2]);
}

#[test]
fn invalid_urls_are_rejected() {
    let mut settings = EndpointSettings::ollama("small");
    settings.base = "localhost".to_owned();
    let error = Endpoint::connect(settings).unwrap_err();
    assert!(matches!(error, EmbedError::Model { .. }), "{error}");
}
