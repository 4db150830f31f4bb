//! Language models over HTTP with good, bad and missing responses.

use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use lore_embed::{Chat, ChatProtocol, ChatSettings, RequestPolicy};
use lore_ports::TextModel as _;

use crate::server::{Reply, Server, http, ok};

const KEY: &str = "not-a-real-key";

fn settings(server: &Server, protocol: ChatProtocol) -> ChatSettings {
    let policy = RequestPolicy { sleep: Arc::new(|_| ()), ..RequestPolicy::default() };
    ChatSettings { protocol, base: server.base.clone(), model: "small".into(), key: Some(KEY.into()), policy }
}

const INSTRUCTIONS: &str = "Keep every decision together with its reason.";

const PROMPT: &str = "We chose tabs.\n\nWe chose spaces \"now\".\n";

/// Returns the result of a summary from a server with this behaviour, with the number of requests.
fn outcome(protocol: ChatProtocol, reply: impl Fn(usize) -> Reply + Send + 'static) -> String {
    let server = Server::start(move |number, _| reply(number));
    let chat = Chat::new(settings(&server, protocol)).unwrap();
    let text = match chat.complete(INSTRUCTIONS, PROMPT) {
        Ok(text) => format!("{text:?}"),
        Err(error) => error.to_string(),
    };
    assert!(!text.contains(KEY), "{text}");
    format!("{} ({} requests)", text.replace(&server.base, "BASE"), server.requests().len())
}

fn openai(answer: &'static str) -> String {
    outcome(ChatProtocol::OpenAi, move |_| ok(answer))
}

#[test]
fn both_protocols_return_the_text() {
    expect![[r##""# Tabs\n\nText." (1 requests)"##]].assert_eq(&openai(
        r##"{"choices":[{"message":{"content":"# Tabs\n\nText."},"finish_reason":"stop"}]}"##,
    ));
    expect![[r##""<think>hm</think>\n# Tabs\n" (1 requests)"##]]
        .assert_eq(&outcome(ChatProtocol::Ollama, |_| {
            ok(r##"{"response":"<think>hm</think>\n# Tabs\n","done":true,"done_reason":"stop"}"##)
        }));
}

#[test]
fn requests_contain_instructions_prompt_and_key() {
    for (protocol, path) in
        [(ChatProtocol::OpenAi, "post /chat/completions "), (ChatProtocol::Ollama, "post /api/generate ")]
    {
        let server =
            Server::start(|_, _| ok(r##"{"response":"# A","choices":[{"message":{"content":"# A"}}]}"##));
        let chat = Chat::new(settings(&server, protocol)).unwrap();
        assert_eq!(
            (chat.complete(INSTRUCTIONS, PROMPT).unwrap(), chat.name()),
            ("# A".to_owned(), "small".to_owned())
        );
        let request = server.requests().remove(0);
        assert!(request.head.starts_with(path), "{}", request.head);
        assert!(request.head.contains(&format!("authorization: bearer {KEY}")), "{}", request.head);
        for part in
            ["every decision together with its reason", "We chose tabs.", "spaces \\\"now\\\"", "small"]
        {
            assert!(request.body.contains(part), "{part} missing from {}", request.body);
        }
        assert_eq!(request.body.contains("num_ctx"), protocol == ChatProtocol::Ollama);
    }
}

#[test]
fn busy_servers_are_retried_and_bad_responses_are_not() {
    let good = r##"{"choices":[{"message":{"content":"# A"}}]}"##;
    let busy = outcome(ChatProtocol::OpenAi, move |number| match number {
        0 => http("503 Service Unavailable", "", b"loading"),
        _ => ok(good),
    });
    let down =
        outcome(ChatProtocol::OpenAi, |_| http("503 Service Unavailable", "", b"not-a-real-key is loading"));
    let outcomes = [
        busy,
        down,
        openai("<html>"),
        openai("{}"),
        openai(r##"{"choices":[{"message":{"content":" \n"}}]}"##),
        openai(r##"{"choices":[{"message":{"content":"# A"},"finish_reason":"length"}]}"##),
        outcome(ChatProtocol::OpenAi, |_| {
            http("401 Unauthorized", "", br#"{"error":"bad key not-a-real-key"}"#)
        }),
        outcome(ChatProtocol::Ollama, |_| {
            http("404 Not Found", "", br#"{"error":"model 'small' not found"}"#)
        }),
        outcome(ChatProtocol::OpenAi, |_| http("302 Found", "Location: http://127.0.0.1:1/\r\n", b"")),
    ];
    expect![[r##"
        "# A" (2 requests)
        the summarizer small at BASE failed: no response: status 503: … is loading (3 requests)
        the summarizer small at BASE failed: invalid response: not JSON: expected value at line 1 column 1 (1 requests)
        the summarizer small at BASE failed: invalid response: it contains no text (1 requests)
        the summarizer small at BASE failed: invalid response: the text is empty (1 requests)
        the summarizer small at BASE failed: invalid response: the text was truncated at the length limit (1 requests)
        the summarizer small at BASE failed: the API key was rejected (status 401: bad key …) (1 requests)
        the summarizer small at BASE failed: unknown model or path (status 404: model 'small' not found) (1 requests)
        the summarizer small at BASE failed: invalid response: redirects are not followed (status 302) (1 requests)"##]]
    .assert_eq(&outcomes.join("\n"));
}

#[test]
fn silent_servers_time_out() {
    let server = Server::start(|_, _| Reply::Nothing);
    let mut settings = settings(&server, ChatProtocol::Ollama);
    settings.policy.request = Duration::from_millis(100);
    let failed = Chat::new(settings).unwrap().complete(INSTRUCTIONS, PROMPT).unwrap_err();
    assert!(failed.reason.contains("timed out after 100ms"), "{failed}");
}

#[test]
fn invalid_urls_are_rejected_before_sending() {
    let server = Server::start(|_, _| Reply::Nothing);
    let settings = ChatSettings { base: "localhost:1".into(), ..settings(&server, ChatProtocol::OpenAi) };
    assert!(!format!("{settings:?}").contains(KEY));
    assert!(Chat::new(settings).unwrap_err().to_string().contains("http://"));
}
