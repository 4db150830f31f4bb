//! Servers refuse what the command line refuses, scan, and never purge.

use serde_json::json;

use super::{line, silent, token};
use crate::git_support::{GitVault, TOKEN};
use crate::server_support::{HttpServer, McpClient};

const CONFLICT: &str = "<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> topic\n";

#[test]
fn http_refuses_and_scans_but_does_not_purge() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write(".env", line());
    let server = HttpServer::start(&vault.sandbox);
    let before = vault.head();
    for content in [line(), format!("{}\n{}\n", TOKEN[0], TOKEN[1]), CONFLICT.to_owned()] {
        let (status, body) = server.post("put", &json!({ "slug": "page", "content": content }));
        assert_eq!(status, 422, "{body}");
        assert!(!body.to_string().contains(TOKEN[1]), "{body}");
    }
    let (_, body) = server.post("put", &json!({ "slug": format!("keys/{}", token()), "content": "Text." }));
    assert!(body["error"]["message"].to_string().contains("in its name"), "{body}");
    assert_eq!(vault.head(), before);
    let (status, body) = server.post("secrets_scan", &json!({}));
    assert_eq!((status, &body["secrets"][0]["path"]), (200, &json!(".env")), "{body}");
    assert!(!body.to_string().contains(TOKEN[1]), "{body}");
    let name = body["secrets"][0]["fingerprint"].clone();
    let (status, body) = server.post("secrets_purge", &json!({ "fingerprints": [name], "yes": true }));
    assert_eq!(status, 403, "{body}");
    let (status, body) = server.post("git_commit", &json!({}));
    assert!(status != 200 || body["left_out"][0]["path"] == ".env", "{body}");
    assert_eq!(vault.head(), before);
}

#[test]
fn mcp_refuses_and_has_no_purge() {
    let vault = GitVault::with_profile("notes");
    let mut client = McpClient::start(&vault.sandbox, "all");
    let before = vault.head();
    for content in [line(), CONFLICT.to_owned()] {
        let answer = client
            .call("memory_put", json!({ "slug": "page", "content": content, "expected_version": 0 }))
            .to_string();
        assert!(answer.contains("(secret)") || answer.contains("(conflict)"), "{answer}");
        assert!(!answer.contains(TOKEN[1]), "{answer}");
    }
    assert_eq!(vault.head(), before);
    let tools = client.request("tools/list", json!({})).to_string();
    assert!(!tools.contains("purge"), "{tools}");
}

/// A name can be the credential itself: no face repeats it when it refuses.
#[test]
fn refusals_do_not_repeat_a_name() {
    let vault = GitVault::with_profile("notes");
    let (title, part) = (format!("Key {}", token()), &TOKEN[1][4..]);
    let page = format!("---\ntitle: {}\n---\n# {}\n\nText.\n", token(), token());
    let name = token();
    let calls: [&[&str]; 11] = [
        &["show", "a", &name],
        &["list", "--limit", &name],
        &["get", &name],
        &["show", &title],
        &["edit", &name, "--append", "x"],
        &["mv", &name, "other"],
        &["rm", &name, "--yes"],
        &["merge", &name, "other"],
        &["links", &name],
        &["capture", &page, "--title", &title],
        &["write-note", &title, "--content", "Text."],
    ];
    for call in calls {
        let ran = silent(vault.lore(call));
        assert_ne!(ran.code, 0, "{call:?}");
    }
    let piped = vault.sandbox.pipe(&["put", "notes/x"], page.as_bytes());
    assert_ne!(silent(piped).code, 0);
    let server = HttpServer::start(&vault.sandbox);
    let mut client = McpClient::start(&vault.sandbox, "all");
    for (operation, parameters) in [
        ("get", json!({ "reference": name })),
        ("put", json!({ "slug": format!("keys/{name}"), "content": page })),
        ("write_note", json!({ "title": title, "content": "Text.", "directory": "keys" })),
        ("mv", json!({ "reference": name, "to": format!("keys/{name}") })),
        ("ns_create", json!({ "name": name })),
    ] {
        let (status, body) = server.post(operation, &parameters);
        assert_ne!(status, 200, "{operation}");
        assert!(!body.to_string().to_lowercase().contains(&part.to_lowercase()), "{operation}: {body}");
    }
    for (tool, parameters) in [
        ("memory_get", json!({ "slug": name })),
        ("memory_put", json!({ "slug": format!("keys/{name}"), "content": page })),
        ("write_note", json!({ "title": title, "content": "Text.", "directory": "keys" })),
    ] {
        let answer = client.call(tool, parameters).to_string();
        assert!(!answer.to_lowercase().contains(&part.to_lowercase()), "{tool}: {answer}");
    }
}

#[test]
fn pipe_needs_a_confirmation() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("page.md", line());
    let found = vault.lore(&["secrets", "scan"]).exits(4).json();
    let parameters = json!({ "fingerprints": [found["secrets"][0]["fingerprint"]] });
    silent(vault.lore(&["call", "secrets_purge", &parameters.to_string()]).exits(2))
        .says("confirmation required");
    assert!(vault.read("page.md").contains(&token()));
}
