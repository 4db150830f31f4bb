//! Errors over MCP: the codes of JSON-RPC for requests, and results for calls that an agent can correct; tools of personal
//! vaults.

use std::fs;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::McpClient;

#[test]
fn requests_are_refused_with_the_codes_of_the_protocol() {
    let sandbox = Sandbox::with_vault();
    let mut client = McpClient::start(&sandbox, "all");
    for (method, parameters, code) in [
        ("nope", json!({}), -32601),
        ("tools/calls", json!({ "name": "memory_get" }), -32601),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "name": 5 }), -32602),
        ("tools/call", json!({ "name": "memory_get", "arguments": [1] }), -32602),
        ("tools/call", json!({ "name": "nope", "arguments": {} }), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({ "uri": "memory://pages/nope" }), -32002),
        ("resources/subscribe", json!({ "uri": 5 }), -32602),
        ("prompts/get", json!({}), -32602),
        ("prompts/get", json!({ "name": "nope" }), -32602),
        ("logging/setLevel", json!({ "level": "loud" }), -32602),
        ("completion/complete", json!({ "ref": 1 }), -32602),
    ] {
        let answer = client.request(method, parameters.clone());
        assert_eq!(answer["error"]["code"], code, "{method} {parameters}: {answer}");
    }
    // What an agent can correct is a result with the way out.
    for arguments in [json!({ "slug": 5 }), json!({ "nope": "x" }), json!({}), json!({ "slug": "nope" })] {
        let answer = client.call("memory_get", arguments.clone());
        assert_eq!(answer["isError"], true, "{arguments}: {answer}");
    }
}

#[test]
fn lines_that_are_no_messages_are_answered() {
    let sandbox = Sandbox::with_vault();
    let mut client = McpClient::start(&sandbox, "all");
    for blank in ["", "  \t", "\r"] {
        client.send_line(blank.as_bytes());
    }
    let half = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory_get","arguments":{"slug":"\ud800"}}}"#;
    for (line, code) in [
        (&b"not JSON"[..], -32700),
        (b"{\"jsonrpc\":", -32700),
        (b"\xff\xfe", -32700),
        (half, -32700),
        (b"[]", -32600),
        (b"{\"id\":1}", -32600),
    ] {
        client.send_line(line);
        let answer = client.next_message();
        let shown = String::from_utf8_lossy(line);
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer.get("id"), Some(&Value::Null), "{shown}: {answer}");
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn inbox_and_routines_are_offered_in_every_set_but_the_core() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a directory");
    sandbox.run(&["init", "--profile", "personal"]).ok();
    sandbox.write("state/inbox/2026-05-18-call.md", "Ada called about the loom.\n");
    let mut client = McpClient::start(&sandbox, "memory");
    let mut call = |tool: &str, arguments: Value| {
        let answer = client.call(tool, arguments.clone());
        assert_ne!(answer["isError"], true, "{tool} {arguments}: {answer}");
        answer["structuredContent"].clone()
    };
    let shown = call("triage", json!({}));
    assert_eq!(shown["item"]["path"], "state/inbox/2026-05-18-call.md", "{shown}");
    assert!(shown["item"]["suggestions"].as_array().is_some_and(|list| !list.is_empty()), "{shown}");
    assert_eq!(shown["unread"], 1);
    let page =
        json!({ "slug": "state/scratch/loom", "content": "# Loom\n\nAda called.\n", "expected_version": 0 });
    call("memory_put", page);
    let done = json!({ "file": "2026-05-18-call.md", "done": true, "into": ["state/scratch/loom"] });
    let moved = call("triage", done);
    assert!(moved["moved_to"].as_str().is_some_and(|to| to.starts_with("state/scratch/inbox-")), "{moved}");
    assert_eq!(moved["unread"], 0);
    let routines = call("routine", json!({}))["routines"].to_string();
    assert!(routines.contains("morning") && routines.contains("monthly"), "{routines}");
    let brief = call("routine", json!({ "name": "morning" })).to_string();
    assert!(brief.contains("morning"), "{brief}");
    for (set, expected) in [("core", false), ("notes", true), ("memory", true), ("all", true)] {
        let tools =
            McpClient::start(&sandbox, set).request("tools/list", json!({}))["result"]["tools"].clone();
        let names: Vec<&str> =
            tools.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!((names.contains(&"triage"), names.contains(&"routine")), (expected, expected), "{set}");
    }
}
