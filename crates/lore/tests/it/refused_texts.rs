//! Texts that no face writes: none at all for a page that has one, and NUL characters.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

/// A command that failed pipes nothing, and an agent may pass nothing: neither blanks a page.
#[test]
fn empty_text_does_not_blank_a_page() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("page.md", "# Page\n\nText.\n");
    sandbox.sync();
    let refused = "to delete the page, use `lore rm page`; to empty it on purpose, pass --drop all";
    for text in ["", " \n\t\r\n"] {
        sandbox
            .pipe(&["put", "page"], text.as_bytes())
            .exits(2)
            .says("the new text of page is empty")
            .says(refused);
        for (operation, input) in [
            ("put", json!({ "slug": "page", "content": text })),
            ("put", json!({ "slug": "./page.md", "content": text, "expected_version": 1 })),
            (
                "ingest",
                json!({ "content": "A source.", "pages": [{ "slug": "page", "content": text, "expected_version": 1 }] }),
            ),
        ] {
            sandbox.run(&["call", operation, &input.to_string()]).exits(2).says("is empty");
        }
    }
    let server = HttpServer::start(&sandbox);
    let (status, body) = server.post("put", &json!({ "slug": "page", "content": "" }));
    assert_eq!(status, 400, "{body}");
    let mut client = McpClient::start(&sandbox, "all");
    let answer = client.call("memory_put", json!({ "slug": "page", "content": "", "expected_version": 1 }));
    assert!(answer["isError"] == true && !answer.to_string().contains("--drop"), "{answer}");
    assert_eq!(sandbox.read("page.md"), b"# Page\n\nText.\n");
    sandbox.pipe(&["put", "page", "--drop", "all"], b"").exits(0);
    assert_eq!(sandbox.read("page.md"), b"");
    sandbox.pipe(&["put", "page"], b"").exits(0);
}

#[test]
fn nul_characters_are_refused() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("page.md", "# Page\n\nText.\n");
    sandbox.write("old.md", "# Old\n\nA\0B.\n");
    sandbox.sync();
    let nul = "a\0b";
    for (operation, input) in [
        ("put", json!({ "slug": "page", "content": nul })),
        ("put", json!({ "slug": "new", "content": nul })),
        ("edit", json!({ "reference": "page", "append": nul })),
        ("write_note", json!({ "title": "Note", "content": nul })),
        ("edit_note", json!({ "path": "page", "content_updates": json!({ "append": nul }).to_string() })),
        ("capture", json!({ "text": nul })),
        (
            "ingest",
            json!({ "content": "A source.", "pages": [{ "slug": "page", "body_append": nul, "expected_version": 1 }] }),
        ),
    ] {
        sandbox.run(&["call", operation, &input.to_string()]).exits(2).says("NUL character");
    }
    assert_eq!(sandbox.read("page.md"), b"# Page\n\nText.\n");
    // A page that has one already can be edited.
    sandbox.run(&["edit", "old", "--append", "More."]).ok();
}
