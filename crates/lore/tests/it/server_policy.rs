//! A running server obeys an edited `lore.toml` at once, as the command line does.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::server_support::McpClient;

#[test]
fn a_rule_added_while_the_server_runs_refuses_the_next_write() {
    let sandbox = Sandbox::with_vault();
    let mut client = McpClient::start(&sandbox, "all");
    let put = |slug: &str| json!({ "slug": slug, "content": "# Note\n", "expected_version": 0 });
    let first = client.call("memory_put", put("notes/a"));
    assert_ne!(first["isError"], true, "{first}");
    sandbox.write("lore.toml", "[[rule]]\npaths = [\"notes/**\"]\nallow = []\n");
    let refused = client.call("memory_put", put("notes/b"));
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(!sandbox.vault().join("notes/b.md").exists());
    sandbox.pipe(&["put", "notes/b"], b"text").exits(4);
    sandbox.write("lore.toml", "");
    let again = client.call("memory_put", put("notes/b"));
    assert_ne!(again["isError"], true, "{again}");
}

#[test]
fn a_folder_excluded_while_the_server_runs_is_not_found_any_more() {
    let sandbox = Sandbox::with_vault();
    let mut client = McpClient::start(&sandbox, "all");
    client.call("memory_put", json!({ "slug": "drafts/a", "content": "zeppelin\n", "expected_version": 0 }));
    let hits =
        |client: &mut McpClient| client.call("memory_search", json!({ "query": "zeppelin" })).to_string();
    assert!(hits(&mut client).contains("drafts/a"));
    sandbox.write("lore.toml", "exclude = [\"drafts/**\"]\n");
    assert!(!hits(&mut client).contains("drafts/a"));
}
