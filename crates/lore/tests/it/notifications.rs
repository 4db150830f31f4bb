//! Clients are notified of changes, whoever makes them; addresses and patterns work in tools and resources alike.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::McpClient;

fn watched() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["config", "set", "watch.debounce_ms", "10"]).exits(0);
    sandbox.write("people/ada.md", "---\nid: ada-1815\n---\nAda.\n");
    sandbox.write("people/bob.md", "Bob.\n");
    sandbox.sync();
    sandbox
}

fn updated(uri: &'static str) -> impl Fn(&Value) -> bool {
    move |message| message["method"] == "notifications/resources/updated" && message["params"]["uri"] == uri
}

fn list_changed(message: &Value) -> bool {
    message["method"] == "notifications/resources/list_changed"
}

#[test]
fn clients_are_notified_of_changes_by_lore_and_by_hand() {
    let sandbox = watched();
    let (mut first, mut second) = (McpClient::start(&sandbox, "all"), McpClient::start(&sandbox, "all"));
    for client in [&mut first, &mut second] {
        for uri in
            ["memory://pages/people/ada", "memory://id/ada-1815", "memory://pages/people/new", "test://other"]
        {
            let answer = client.request("resources/subscribe", json!({ "uri": uri }));
            assert_eq!(answer["result"], json!({}), "{answer}");
        }
        assert_eq!(client.request("logging/setLevel", json!({ "level": "info" }))["result"], json!({}));
    }
    sandbox.write("people/ada.md", "---\nid: ada-1815\n---\nEdited by hand.\n");
    for client in [&mut first, &mut second] {
        client.notified(updated("memory://pages/people/ada"));
        client.notified(|message| message["method"] == "notifications/message");
    }
    sandbox.run(&["edit", "people/ada", "--append", "By the command line."]).exits(0);
    for client in [&mut first, &mut second] {
        client.notified(updated("memory://id/ada-1815"));
    }
    let put = json!({ "slug": "people/new", "content": "New.\n", "expected_version": 0 });
    assert_ne!(first.call("memory_put", put)["isError"], true);
    for client in [&mut first, &mut second] {
        client.notified(list_changed);
        client.notified(updated("memory://pages/people/new"));
    }
    first.request("resources/unsubscribe", json!({ "uri": "memory://pages/people/new" }));
    sandbox.run(&["rm", "people/new", "--yes"]).exits(0);
    first.notified(list_changed);
    second.notified(updated("memory://pages/people/new"));
}

#[test]
fn addresses_and_patterns_work_in_tools_and_resources() {
    let sandbox = watched();
    let mut client = McpClient::start(&sandbox, "all");
    for uri in ["memory://pages/people/ada", "memory://people/ada", "memory://id/ada-1815", "people/ada"] {
        let read = client.request("resources/read", json!({ "uri": uri }));
        assert!(read["result"]["contents"][0]["text"].to_string().contains("Ada."), "{uri}: {read}");
        let shown = client.call("read_note", json!({ "path": uri }));
        assert_eq!(shown["structuredContent"]["slug"], "people/ada", "{uri}: {shown}");
        let around = client.call("build_context", json!({ "path": uri }));
        assert_eq!(around["structuredContent"]["page"]["slug"], "people/ada", "{uri}");
        sandbox.run(&["get", uri]).ok().prints("Ada.");
    }
    for uri in ["memory://people/*", "memory://pages/people/*", "people/*"] {
        let read = client.request("resources/read", json!({ "uri": uri }));
        assert_eq!(read["result"]["contents"].as_array().map(Vec::len), Some(2), "{uri}: {read}");
        let around = client.call("build_context", json!({ "path": uri }));
        let found = &around["structuredContent"];
        assert_eq!(
            (&found["page"]["slug"], &found["further"][0]["slug"]),
            (&json!("people/ada"), &json!("people/bob"))
        );
        let several = client.call("read_note", json!({ "path": uri }));
        assert_eq!(several["structuredContent"]["error"]["code"], "ambiguous", "{several}");
    }
    let one = client.call("read_note", json!({ "path": "memory://people/a*" }));
    assert_eq!(one["structuredContent"]["slug"], "people/ada", "{one}");
    assert_eq!(client.call("build_context", json!({ "path": "memory://nobody/*" }))["isError"], true);
}

#[test]
fn first_project_is_used_and_named() {
    let sandbox = watched();
    sandbox.run(&["init", "../aaa", "--no-git"]).exits(0);
    let elsewhere = sandbox.root.join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let mut command = sandbox.command(&["list"]);
    let ran: crate::sandbox::Ran = command.current_dir(&elsewhere).output().expect("lore runs").into();
    assert!(ran.err.contains("no vault is selected; using the first one, aaa"), "{ran:?}");
}
