//! Hints over MCP and HTTP name tools, routes and parameters, never commands or flags.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

/// Returns a vault with a page, a rule that forbids `closed/` and a second project.
fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "[[rule]]\npaths = [\"closed/**\"]\nallow = []\n");
    sandbox.pipe(&["put", "notes/tea"], b"# Tea\n\nThe tea is green. See [[Cups]].\n").ok();
    sandbox.pipe(&["put", "notes/cups"], b"# Cups\n").ok();
    sandbox
}

/// Asserts the code of an error, and that its text names nothing of the command line; returns the hint.
#[track_caller]
fn refused(error: &Value, code: &str) -> String {
    assert_eq!(error["code"], code, "{error}");
    no_commands(&error.to_string());
    error["hint"].as_str().expect("a hint").to_owned()
}

#[track_caller]
fn no_commands(text: &str) {
    assert!(!text.contains("--") && !text.contains("lore "), "{text}");
}

/// Calls a tool that must fail and returns its hint.
#[track_caller]
fn tool_hint(client: &mut McpClient, tool: &str, arguments: Value, code: &str) -> String {
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    no_commands(&result["content"].to_string());
    refused(&result["structuredContent"]["error"], code)
}

#[test]
fn tools_are_named_over_mcp() {
    let sandbox = vault();
    let put =
        |slug: &str, version: u64| json!({ "slug": slug, "content": "# X\n", "expected_version": version });
    for (tools, find, list, change) in [
        ("all", "memory_search", Some("memory_list"), "memory_put"),
        ("memory", "memory_search", Some("memory_list"), "memory_put"),
        ("core", "memory_search", None, "memory_put"),
    ] {
        let client = &mut McpClient::start(&sandbox, tools);
        let hint = tool_hint(client, "memory_get", json!({ "slug": "zeppelin" }), "not_found");
        let list = list.map(|list| format!(", or list pages with `{list}`")).unwrap_or_default();
        assert_eq!(hint, format!("find it with `{find}`{list}"));
        let hint = tool_hint(client, "memory_put", put("notes/tea", 0), "conflict");
        assert_eq!(hint, format!("change it with `{change}`, or choose another slug"));
        tool_hint(client, "memory_put", put("notes/tea", 7), "conflict");
        let hint = tool_hint(client, "memory_put", put("closed/a", 0), "denied");
        assert_eq!(hint, "choose another path; nothing was changed");
        let hint = tool_hint(client, "memory_get", json!({ "slug": "x", "project": "nowhere" }), "no_vault");
        assert_eq!(hint, "select one with `project`: v");
        tool_hint(client, "memory_put", json!({ "slug": 1, "expected_version": 0 }), "usage");
        tool_hint(client, "memory_query", json!({ "question": " " }), "usage");
    }
    let client = &mut McpClient::start(&sandbox, "notes");
    let hint = tool_hint(client, "read_note", json!({ "path": "zeppelin" }), "not_found");
    assert_eq!(hint, "find it with `search_notes`, or list pages with `list_directory`");
    let both = json!({ "path": "notes/tea", "content_updates": "{\"append\": \"a\", \"prepend\": \"b\"}" });
    tool_hint(client, "edit_note", both, "usage");
}

#[test]
fn resources_and_outputs_over_mcp_name_tools() {
    let sandbox = vault();
    let client = &mut McpClient::start(&sandbox, "all");
    let missing = client.request("resources/read", json!({ "uri": "memory://pages/zeppelin" }));
    no_commands(&missing["error"]["message"].to_string());
    refused(&missing["error"]["data"]["error"], "not_found");
    let similar = client.call("capture", json!({ "text": "# Tea\n\nThe tea is green." }));
    assert_eq!(similar["structuredContent"]["outcome"], "similar", "{similar}");
    no_commands(&similar.to_string());
    let next = &similar["structuredContent"]["next"];
    assert!(next["extend"].as_str().is_some_and(|call| call.starts_with("capture {")), "{next}");
    let cut = client.call("memory_unlink", json!({ "from": "notes/tea", "to": "Cups", "page_version": 1 }));
    no_commands(&cut.to_string());
    no_commands(&client.call("context", json!({})).to_string());
}

#[test]
fn routes_and_fields_are_named_over_http() {
    let sandbox = vault();
    let server = HttpServer::start(&sandbox);
    let hint = |operation: &str, parameters: Value, status: u16, code: &str| {
        let (got, body) = server.post(operation, &parameters);
        assert_eq!(got, status, "{body}");
        refused(&body["error"], code)
    };
    assert_eq!(
        hint("show", json!({ "reference": "zeppelin" }), 404, "not_found"),
        "find it with `POST /api/search`, or list pages with `POST /api/list`"
    );
    let put = |slug: &str| json!({ "slug": slug, "content": "# X\n", "expected_version": 0 });
    assert_eq!(
        hint("put", put("notes/tea"), 409, "conflict"),
        "change it with `POST /api/edit`, or choose another slug"
    );
    assert_eq!(
        hint("put", put("closed/a"), 403, "denied"),
        "see what is allowed there with `POST /api/doctor {\"path\":\"closed/a.md\"}`, or choose another path; \
         nothing was changed"
    );
    let unconfirmed = hint("rm", json!({ "reference": "notes/tea" }), 400, "usage");
    assert_eq!(unconfirmed, "pass `\"yes\": true`; nothing was changed");
    assert_eq!(
        hint("show?project=nowhere", json!({ "reference": "x" }), 404, "no_vault"),
        "select one with the query parameter `project`: v"
    );
    hint("serch", json!({}), 404, "not_found");
    hint("put", json!({ "slug": 1 }), 400, "usage");
    hint("stale", json!({ "limit": 0 }), 400, "usage");
    hint("links", json!({ "reference": "notes/tea", "as_of": "never" }), 400, "usage");
    hint("edit", json!({ "reference": "notes/tea" }), 400, "usage");
    let (status, body) = server.send(&server.token, "PUT /api/context/closed/a", "{\"content\": \"x\"}");
    assert_eq!(status, 403, "{body}");
    refused(&body["error"], "denied");
}

#[test]
fn a_limited_token_is_told_only_what_it_may_do() {
    let sandbox = vault();
    let add = ["token", "add", "ci", "--for", "v"];
    let added = sandbox.run(&add).ok().json();
    let token = added["token"].as_str().unwrap_or_else(|| panic!("{added}")).to_owned();
    let server = HttpServer::start(&sandbox);
    let hint = |operation: &str, parameters: Value, code: &str| {
        let line = format!("POST /api/{operation}");
        let (_, body) = server.send(&token, &line, &parameters.to_string());
        refused(&body["error"], code)
    };
    assert_eq!(hint("put", json!({ "slug": "a" }), "denied"), "use a token with this right");
    assert_eq!(hint("doctor", json!({}), "denied"), "use a token with this right");
    assert_eq!(
        hint("show", json!({ "reference": "zeppelin" }), "not_found"),
        "find it with `POST /api/search`, or list pages with `POST /api/list`"
    );
}

#[test]
fn follow_ups_of_a_capture_write_to_the_same_place() {
    let sandbox = vault();
    let text = "# Tea\n\nThe tea is green.";
    sandbox.run(&["ns", "create", "2024"]).ok();
    sandbox.run(&["capture", text, "--namespace", "2024", "--keep"]).ok();
    let client = &mut McpClient::start(&sandbox, "all");
    let similar = client.call("capture", json!({ "text": text, "project": "v", "namespace": "2024" }));
    let next = &similar["structuredContent"]["next"];
    let call = next["keep"].as_str().and_then(|call| call.strip_prefix("capture ")).expect("a call");
    let arguments: Value = serde_json::from_str(call).expect("arguments");
    let expected = json!({ "text": "TEXT", "namespace": "2024", "project": "v", "keep": true });
    assert_eq!(arguments, expected);
    let kept =
        client.call("capture", json!({ "text": text, "namespace": "2024", "project": "v", "keep": true }));
    assert_eq!(kept["structuredContent"]["namespace"], "2024", "{kept}");
    let server = HttpServer::start(&sandbox);
    let (_, body) = server.post("capture?project=v&namespace=2024", &json!({ "text": text }));
    let call = body["next"]["keep"].as_str().expect("a call");
    let fields = call.strip_prefix("POST /api/capture?project=v ").expect("the project");
    let expected = json!({ "text": "TEXT", "namespace": "2024", "keep": true });
    assert_eq!(serde_json::from_str::<Value>(fields).expect("fields"), expected);
}

#[test]
fn nested_input_is_named_by_its_fields() {
    let sandbox = vault();
    let client = &mut McpClient::start(&sandbox, "all");
    let put = |from: &str, until: &str| {
        let fact = json!({ "predicate": "role", "object": "x", "valid_from": from, "valid_until": until });
        json!({ "slug": "people/ada", "content": "# Ada\n", "expected_version": 0, "assertions": [fact] })
    };
    let result = client.call("memory_put", put("never", "2020"));
    let error = &result["structuredContent"]["error"];
    refused(error, "usage");
    assert!(
        error["message"].as_str().is_some_and(|text| text.contains("`valid_from`: \"never\"")),
        "{error}"
    );
    let hint = tool_hint(client, "memory_put", put("2021", "2020"), "usage");
    assert_eq!(hint, "use an end that is not before the start");
}

#[test]
fn reading_sidecar_data_needs_no_version() {
    let sandbox = vault();
    let client = &mut McpClient::start(&sandbox, "all");
    let write = json!({ "slug": "notes/tea", "source": "x", "data": { "n": 1 } });
    let result = client.call("memory_raw", write.clone());
    let message = result["structuredContent"]["error"]["message"].as_str().expect("an error");
    assert!(message.contains("needs the parameter \"page_version\""), "{message}");
    let mut versioned = write;
    versioned["page_version"] = json!(1);
    client.call("memory_raw", versioned);
    for read in [json!({ "slug": "notes/tea" }), json!({ "slug": "notes/tea", "page_version": 1 })] {
        let result = client.call("memory_raw", read);
        assert_eq!(result["structuredContent"]["sources"], json!({ "x": { "n": 1 } }), "{result}");
    }
}
