//! A page that is written, moved or deleted is named exactly: no face guesses it from a part of its name.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

const ID: &str = "0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f";

/// A vault with pages that other names could be taken for.
fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("plan.md", "# The plan\n");
    sandbox.write("clients/acme/plan.md", format!("---\nid: {ID}\naliases: [old/path]\n---\n# Acme\n"));
    sandbox.write("diet.md", "---\ntitle: identity/health/diet\n---\nA title.\n");
    sandbox.sync();
    sandbox
}

/// Names that no page has in full.
const GUESSES: [&str; 7] = [
    "acme/plan",
    "acme/plan.md",
    "identity/health/diet",
    "identity/health/diet.md",
    "old/path",
    "clients/acme/plan.markdown",
    "Clients/Acme",
];

fn pages(sandbox: &Sandbox) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let is_page = |path: &std::path::Path| path.extension().is_some_and(|name| name == "md");
    sandbox.files().into_iter().filter(|(path, _)| is_page(path)).collect()
}

#[test]
fn http_paths_are_exact() {
    let sandbox = vault();
    let server = HttpServer::start(&sandbox);
    let send = |line: &str, body: &Value| server.send(&server.token, line, &body.to_string());
    let before = pages(&sandbox);
    let others = ["plans", "Acme", "acme", ID, "The plan", "the%20plan"];
    for name in GUESSES.into_iter().chain(others) {
        let name = name.replace(' ', "%20");
        for (method, body) in [("GET", json!({})), ("PATCH", json!({ "append": "x" })), ("DELETE", json!({}))]
        {
            let (status, answer) = send(&format!("{method} /api/context/{name}"), &body);
            assert_eq!(status, 404, "{method} {name}: {answer}");
        }
    }
    assert_eq!(pages(&sandbox), before);
    assert_eq!(send("DELETE /api/context/plan.md", &json!({})).0, 200);
    assert_eq!(send("DELETE /api/context/plan.md", &json!({})).0, 404);
    assert_eq!(send("DELETE /api/context/plan", &json!({})).0, 404);
    assert_eq!(send("PUT /api/context/identity/health/diet", &json!({ "content": "Mine.\n" })).0, 201);
    assert_eq!(sandbox.read("identity/health/diet.md"), b"Mine.\n");
    assert_eq!(send("PUT /api/context/acme/plan.md", &json!({ "content": "Other.\n" })).0, 201);
    assert_eq!(send("PATCH /api/context/clients/acme/plan", &json!({ "append": "More." })).0, 200);
    assert_eq!(send("GET /api/context/clients/acme/plan.md", &json!({})).0, 200);
    assert_eq!(sandbox.read("diet.md"), b"---\ntitle: identity/health/diet\n---\nA title.\n");
}

/// A repeated request must not delete the page whose path differs only in case.
#[cfg(target_os = "linux")]
#[test]
fn paths_in_another_case_are_not_deleted() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("Diet.md", "# One\n");
    sandbox.write("diet.md", "# Two\n");
    sandbox.sync();
    let server = HttpServer::start(&sandbox);
    assert_eq!(server.send(&server.token, "DELETE /api/context/Diet.md", "").0, 200);
    assert_eq!(server.send(&server.token, "DELETE /api/context/Diet.md", "").0, 404);
    assert_eq!(sandbox.read("diet.md"), b"# Two\n");
}

#[test]
fn changes_on_the_command_line_are_exact() {
    let sandbox = vault();
    let before = pages(&sandbox);
    for name in GUESSES {
        for arguments in [
            &["rm", name, "--yes"][..],
            &["mv", name, "elsewhere/page"],
            &["edit", name, "--append", "x"],
            &["tag", name, "x"],
            &["timeline-add", name, "--date", "2026-01-01", "--summary", "x"],
            &["restore", name, "--at", "1", "--yes"],
            &["raw", name, "--source", "x", "--data", "{}"],
            &["set-status", name, "active"],
            &["capture", "x", "--extend", name],
            &["capture", "x", "--update", name],
            &["link", name, "plan"],
            &["unlink", name, "plan"],
            &["fact-add", name, "role", "x"],
            &["edit-note", name, r#"{"find": "a", "replace": "b"}"#],
        ] {
            sandbox.run(arguments).exits(1).says("no page matches");
        }
        sandbox.run(&["get", name]);
    }
    assert_eq!(pages(&sandbox), before);
    sandbox.run(&["rm", "acme/plan", "--yes"]).exits(1).says("clients/acme/plan");
    sandbox.run(&["get", "acme/plan"]).ok();
}

#[test]
fn start_of_an_id_names_a_page_to_change_but_none_to_remove_or_make() {
    let sandbox = vault();
    sandbox.write("twin.md", "---\nid: 0192f3b2-0000-4000-8000-000000000001\n---\n# Twin\n");
    sandbox.write("own.md", "---\nid: 7c4e7b21-0000-4000-8000-000000000002\n---\n# Own\n");
    for arguments in [
        &["edit", "7c4e", "--append", "x"][..],
        &["tag", "7c4e", "x"],
        &["link", "7c4e", "plan"],
        &["fact-add", "7c4e", "role", "x"],
        &["set-status", "7c4e", "active"],
        &["call", "memory_tag", r#"{"slug": "7c4e", "tag": "y", "page_version": 6}"#],
    ] {
        sandbox.run(arguments).ok();
    }
    sandbox.run(&["edit", "0192f3", "--append", "x"]).exits(2).says("clients/acme/plan").says("twin");
    let before = pages(&sandbox);
    for name in ["7c4e", "0192f3a"] {
        sandbox.run(&["rm", name, "--yes"]).exits(1).says("no page matches");
        sandbox.run(&["mv", name, "elsewhere/page"]).exits(1);
        sandbox.run(&["restore", name, "--at", "1", "--yes"]).exits(1);
    }
    let server = HttpServer::start(&sandbox);
    assert_eq!(server.send(&server.token, "PATCH /api/context/7c4e", r#"{"append": "x"}"#).0, 404);
    assert_eq!(pages(&sandbox), before);
    // A note of that name is made, not the other page changed.
    sandbox.run(&["edit-note", "7c4e", "x"]).ok();
    assert!(!sandbox.read("7c4e.md").is_empty());
    sandbox.run(&["rm", "kt-7c4e", "--yes"]).ok();
    assert!(!sandbox.vault().join("own.md").exists());
}

#[test]
fn page_with_the_same_name_is_not_removed_instead() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("people/ada.md", "---\ntitle: Ada\n---\nThe page that is meant.\n");
    sandbox.write("people/meeting.md", "---\ntitle: Meeting\naliases: [Ada]\n---\nAnother page.\n");
    sandbox.write("a/community.md", "---\ntitle: Community\n---\nOne.\n");
    sandbox.write("b/tags.community.md", "---\ntitle: Community\n---\nTwo.\n");
    sandbox.sync();
    let before = pages(&sandbox);
    for name in ["Ada", "ada", "community", "Community"] {
        sandbox.run(&["rm", name, "--yes"]).exits(1).says("no page matches");
        sandbox.run(&["mv", name, "elsewhere/page"]).exits(1);
        let note = json!({ "path": name });
        let deleted = McpClient::start(&sandbox, "all").call("delete_note", note);
        assert_eq!(deleted["isError"], true, "{deleted}");
    }
    assert_eq!(pages(&sandbox), before);
    sandbox.run(&["rm", "people/ada", "--yes"]).ok();
    // Now the alias is the only page of that name.
    sandbox.run(&["rm", "Ada", "--yes"]).ok();
}

#[test]
fn titles_of_several_words_are_moved_and_deleted() {
    let sandbox = vault();
    sandbox.write("work/release-plan.md", "# Release plan for May\n");
    sandbox.write("c.md", "---\ntitle: C++\n---\nA language.\n");
    sandbox.run(&["mv", "Release plan for May", "archive/may"]).ok();
    assert!(!sandbox.read("archive/may.md").is_empty());
    // Part of a title is none.
    sandbox.run(&["rm", "Release plan", "--yes"]).exits(1).says("no page matches");
    sandbox.run(&["rm", "release plan for may", "--yes"]).ok();
    assert!(!sandbox.vault().join("archive/may.md").exists());
    // A title with the slug of another page is not that page.
    let before = pages(&sandbox);
    sandbox.run(&["rm", "C#", "--yes"]).exits(1).says("no page matches");
    sandbox.run(&["mv", "C#", "elsewhere/c"]).exits(1);
    sandbox.run(&["put", "C#", "--content", "Another language.\n"]);
    let after = pages(&sandbox);
    assert!(before.iter().all(|page| after.contains(page)), "put of C# changed the page C++");
    sandbox.run(&["rm", "C++", "--yes"]).ok();
    assert!(!sandbox.vault().join("c.md").exists());
}

#[test]
fn edit_note_creates_the_page_of_that_name() {
    let sandbox = vault();
    let before = pages(&sandbox);
    sandbox.run(&["edit-note", "acme/plan", "x"]).ok();
    assert!(!sandbox.read("acme/plan.md").is_empty());
    let after = pages(&sandbox);
    assert!(before.iter().all(|page| after.contains(page)), "no other page has changed");
}

#[test]
fn repeated_deletion_deletes_nothing_else() {
    let sandbox = vault();
    for name in ["plan", "plan.md"] {
        sandbox.write("plan.md", "# The plan\n");
        sandbox.run(&["rm", name, "--yes"]).ok();
        sandbox.run(&["rm", name, "--yes"]).exits(1).says("clients/acme/plan");
    }
    sandbox.write("plan.md", "# The plan\n");
    let mut client = McpClient::start(&sandbox, "notes");
    assert_ne!(client.call("delete_note", json!({ "path": "plan" }))["isError"], true);
    assert_eq!(client.call("delete_note", json!({ "path": "plan" }))["isError"], true);
    assert!(!sandbox.read("clients/acme/plan.md").is_empty());
}

#[test]
fn full_names_and_long_ids_work() {
    let sandbox = vault();
    for name in
        ["clients/acme/plan", "clients/acme/plan.md", "Acme", ID, &ID[..8], "memory://clients/acme/plan"]
    {
        sandbox.run(&["edit", name, "--append", "x"]).ok();
    }
    sandbox.run(&["edit", "The plan", "--append", "x"]).ok();
}
