//! Language models that write summaries well, badly and not at all.

use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use lore_embed::{Chat, ChatProtocol, ChatSettings, Patience};
use lore_engine::{Source, Summarizer};

use crate::server::{Reply, Server, http, ok};

const KEY: &str = "not-a-real-key";

fn settings(server: &Server, protocol: ChatProtocol) -> ChatSettings {
    let patience = Patience { sleep: Arc::new(|_| ()), ..Patience::default() };
    ChatSettings {
        protocol,
        base: server.base.clone(),
        model: "small".into(),
        key: Some(KEY.into()),
        patience,
    }
}

fn pages() -> Vec<Source> {
    let page = |slug: &str, text: &str| Source {
        slug: slug.into(),
        title: slug.to_uppercase(),
        path: "summary.md".into(),
        date: "2024-01-02".into(),
        text: text.into(),
        within: Default::default(),
    };
    vec![page("one", "---\ntags: [x]\n---\nWe chose tabs.\n"), page("two", "We chose spaces \"now\".\n")]
}

/// What a server with this behaviour is made to say, with the number of requests.
fn outcome(protocol: ChatProtocol, reply: impl Fn(usize) -> Reply + Send + 'static) -> String {
    let server = Server::start(move |number, _| reply(number));
    let chat = Chat::new(settings(&server, protocol)).unwrap();
    let text = match chat.summarize(&pages()) {
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
fn both_protocols_give_the_text_without_its_wrapping() {
    expect![[r##""# Tabs\n\nText." (1 requests)"##]].assert_eq(&openai(
        r##"{"choices":[{"message":{"content":"```markdown\n# Tabs\n\nText.\n```"},"finish_reason":"stop"}]}"##,
    ));
    expect![[r##""# Tabs" (1 requests)"##]].assert_eq(&outcome(ChatProtocol::Ollama, |_| {
        ok(r##"{"response":"<think>hm</think>\n# Tabs\n","done":true,"done_reason":"stop"}"##)
    }));
}

#[test]
fn a_request_has_the_instructions_the_pages_and_the_key() {
    for (protocol, path) in
        [(ChatProtocol::OpenAi, "post /chat/completions "), (ChatProtocol::Ollama, "post /api/generate ")]
    {
        let server =
            Server::start(|_, _| ok(r##"{"response":"# A","choices":[{"message":{"content":"# A"}}]}"##));
        let chat = Chat::new(settings(&server, protocol)).unwrap();
        assert_eq!((chat.summarize(&pages()).unwrap(), chat.name()), ("# A".to_owned(), "small".to_owned()));
        let request = server.requests().remove(0);
        assert!(request.head.starts_with(path), "{}", request.head);
        assert!(request.head.contains(&format!("authorization: bearer {KEY}")), "{}", request.head);
        for part in
            ["every decision together with its reason", "We chose tabs.", "spaces \\\"now\\\"", "small"]
        {
            assert!(request.body.contains(part), "{part} is not in {}", request.body);
        }
        assert!(!request.body.contains("tags:"), "no frontmatter: {}", request.body);
        assert_eq!(request.body.contains("num_ctx"), protocol == ChatProtocol::Ollama);
    }
}

#[test]
fn a_busy_server_is_asked_again_and_a_bad_answer_is_not() {
    let good = r##"{"choices":[{"message":{"content":"# A"}}]}"##;
    let busy = outcome(ChatProtocol::OpenAi, move |number| match number {
        0 => http("503 Service Unavailable", "", b"loading"),
        _ => ok(good),
    });
    let down =
        outcome(ChatProtocol::OpenAi, |_| http("503 Service Unavailable", "", b"not-a-real-key is loading"));
    let said = [
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
        the summarizer small at BASE gave no summary: it did not answer: status 503: … is loading (3 requests)
        the summarizer small at BASE gave no summary: it gave a wrong answer: no JSON: expected value at line 1 column 1 (1 requests)
        the summarizer small at BASE gave no summary: it gave a wrong answer: no text in it (1 requests)
        the summarizer small at BASE gave no summary: it gave a wrong answer: an empty text (1 requests)
        the summarizer small at BASE gave no summary: it gave a wrong answer: a text that was cut off because it became too long (1 requests)
        the summarizer small at BASE gave no summary: it does not accept the key (status 401: bad key …) (1 requests)
        the summarizer small at BASE gave no summary: it does not know the model, or has no such path (status 404: model 'small' not found) (1 requests)
        the summarizer small at BASE gave no summary: it gave a wrong answer: it points to another address, which is not followed (status 302) (1 requests)"##]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let server = Server::start(|_, _| Reply::Nothing);
    let mut settings = settings(&server, ChatProtocol::Ollama);
    settings.patience.request = Duration::from_millis(100);
    let failed = Chat::new(settings).unwrap().summarize(&pages()).unwrap_err();
    assert!(failed.reason.contains("there was no answer within 100ms"), "{failed}");
}

#[test]
fn what_is_no_address_is_refused_before_anything_is_sent() {
    let server = Server::start(|_, _| Reply::Nothing);
    let settings = ChatSettings { base: "localhost:1".into(), ..settings(&server, ChatProtocol::OpenAi) };
    assert!(!format!("{settings:?}").contains(KEY));
    assert!(Chat::new(settings).unwrap_err().to_string().contains("http://"));
}
