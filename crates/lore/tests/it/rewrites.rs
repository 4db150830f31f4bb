//! Rewrites of a page through every face: facts, relations, observations and the timeline leave it only by name.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

const PATH: &str = "people/ada.md";

const PAGE: &str = "---\nid: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f\ntitle: Ada\n---\n# Ada\n\n## State\n\nRuns the lab.\n\n\
                    - role:: CTO {2018..}\n- knows:: Babbage\n- [belief] Engines will compose music\n\n## Relations\n\n\
                    - founded [[acme]] {2017..}\n\n---\n\n## Timeline\n\n- **2024-03-01** | meeting — Pivot agreed\n";

/// The structured lines of the page.
const LINES: [&str; 5] = [
    "- role:: CTO {2018..}",
    "- knows:: Babbage",
    "- [belief] Engines will compose music",
    "- founded [[acme]] {2017..}",
    "- **2024-03-01** | meeting — Pivot agreed",
];

fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write(PATH, PAGE);
    sandbox
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("UTF-8")
}

/// Checks that the page has the new words and all of its lines, and that the receipt lists the lines that were kept.
#[track_caller]
fn check_kept(sandbox: &Sandbox, receipt: &Value, words: &str, kept: &[&str]) {
    let text = text(sandbox, PATH);
    assert!(text.contains(words), "{text}");
    for line in LINES {
        assert!(text.contains(line), "{line} is gone:\n{text}");
    }
    assert_eq!(receipt["kept"], json!(kept), "{receipt}");
    let warnings = receipt["warnings"].to_string();
    assert!(
        warnings.contains(&format!("kept {} line", kept.len())) && warnings.contains("drop"),
        "{receipt}"
    );
    sandbox.validate();
}

#[test]
fn put_keeps_lines_it_does_not_mention() {
    let sandbox = vault();
    let ran = sandbox.pipe(&["put", "people/ada", "--json"], b"# Ada\n\nA new text.\n").ok();
    check_kept(&sandbox, &ran.json(), "A new text.", &LINES);
    let text = text(&sandbox, PATH);
    assert!(text.contains("id: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f"), "the id is gone:\n{text}");
    // The same text again changes nothing.
    let again = sandbox.pipe(&["put", "people/ada", "--json"], text.as_bytes()).ok().json();
    assert_eq!((&again["outcome"], &again["version"]), (&json!("unchanged"), &ran.json()["version"]));
}

#[test]
fn removed_line_is_kept_and_a_changed_one_is_changed() {
    let sandbox = vault();
    let shorter = PAGE.replace("- knows:: Babbage\n", "");
    let ran = sandbox.pipe(&["put", PATH, "--expected-version", "1", "--json"], shorter.as_bytes()).ok();
    assert_eq!(text(&sandbox, PATH), PAGE);
    assert_eq!(ran.json()["kept"], json!(["- knows:: Babbage"]));
    assert_eq!(ran.json()["outcome"], "unchanged");
    let changed = PAGE.replace("role:: CTO {2018..}", "role:: CEO");
    let ran = sandbox.pipe(&["put", PATH, "--expected-version", "1", "--json"], changed.as_bytes()).ok();
    assert_eq!(text(&sandbox, PATH), changed);
    assert_eq!(ran.json()["added"], json!(["- role:: CEO"]));
    assert_eq!(ran.json()["removed"], json!([LINES[0]]));
}

#[test]
fn dropped_lines_are_removed() {
    let sandbox = vault();
    let new = b"# Ada\n\nNew.\n";
    sandbox.pipe(&["put", PATH, "--drop", "- knows:: Nobody"], new).exits(2).says("no line `knows:: Nobody`");
    assert_eq!(text(&sandbox, PATH), PAGE);
    let ran = sandbox
        .pipe(&["put", PATH, "--drop", "- knows:: Babbage", "--drop", "relations", "--json"], new)
        .ok();
    assert_eq!(ran.json()["removed"], json!(["- knows:: Babbage", "- founded [[acme]] {2017..}"]));
    assert_eq!(ran.json()["kept"], json!([LINES[0], LINES[2], LINES[4]]));
    sandbox.pipe(&["put", PATH, "--drop", "all"], b"---\nid: x\n---\n# Ada\n\nNew.\n").ok();
    assert_eq!(text(&sandbox, PATH), "---\nid: x\n---\n# Ada\n\nNew.\n");
}

#[test]
fn section_edit_keeps_its_lines() {
    let sandbox = vault();
    let ran = sandbox.run(&["edit", PATH, "--section", "State", "--with", "Retired.", "--json"]).ok();
    check_kept(&sandbox, &ran.json(), "Retired.", &LINES[..3]);
    let ran = sandbox.run(&["edit", PATH, "--section", "Timeline", "--with", "", "--json"]).ok();
    assert_eq!(ran.json()["kept"], json!(&LINES[4..]));
    // An edit that names a line removes it.
    let find = "- knows:: Babbage\n";
    let ran = sandbox.run(&["edit", PATH, "--find", find, "--replace", "", "--json"]).ok();
    assert_eq!(ran.json()["removed"], json!(["- knows:: Babbage"]));
    assert!(!text(&sandbox, PATH).contains("Babbage"));
    let ran = sandbox
        .run(&["edit", PATH, "--section", "State", "--with", "Gone.", "--drop", "facts", "--json"])
        .ok();
    assert_eq!(ran.json()["removed"], json!(["- role:: CTO {2018..}"]));
}

#[test]
fn text_that_would_hide_lines_is_rejected() {
    let sandbox = vault();
    sandbox.pipe(&["put", PATH], b"# Ada\n\n```\ncode\n").exits(2).says("close its code blocks");
    sandbox.run(&["edit", PATH, "--prepend", "<!--"]).exits(2).says("close its code blocks");
    assert_eq!(text(&sandbox, PATH), PAGE);
}

#[test]
fn capture_update_keeps_lines() {
    let sandbox = vault();
    let ran = sandbox.run(&["capture", "She retired.", "--update", "people/ada", "--json"]).ok();
    check_kept(&sandbox, &ran.json(), "She retired.", &LINES[..4]);
}

#[test]
fn call_and_pipe_keep_lines() {
    let sandbox = vault();
    let input = json!({ "slug": "people/ada", "compiled_truth": "A new truth.", "expected_version": 1 });
    let ran = sandbox.run(&["call", "put", &input.to_string()]).ok();
    check_kept(&sandbox, &ran.json(), "A new truth.", &LINES[..4]);
    let line = json!({ "tool": "put", "input": { "slug": "people/ada", "content": "# Ada\n\nPiped.\n" } });
    let ran = sandbox.pipe(&["pipe"], format!("{line}\n").as_bytes()).ok();
    check_kept(&sandbox, &ran.json()["result"], "Piped.", &LINES);
}

#[test]
fn tools_keep_lines() {
    let sandbox = vault();
    let mut client = McpClient::start(&sandbox, "all");
    let version = |result: &Value| result["structuredContent"]["version"].as_u64().expect("a version");
    let put = json!({ "slug": "people/ada", "compiled_truth": "A new truth.", "expected_version": 1 });
    let result = client.call("memory_put", put);
    check_kept(&sandbox, &result["structuredContent"], "A new truth.", &LINES[..4]);
    let put = json!({ "slug": "people/ada", "content": "No rule.", "expected_version": version(&result) });
    let result = client.call("memory_put", put);
    check_kept(&sandbox, &result["structuredContent"], "No rule.", &LINES);
    let page = json!({ "slug": "people/ada", "content": "# Ada\n\nSomething entirely different from before.\n",
                       "expected_version": version(&result) });
    let ingest = json!({ "content": "A source.", "source_type": "doc", "source_ref": "x", "pages": [page] });
    let result = client.call("memory_ingest", ingest);
    let page = result["structuredContent"]["pages"][0].clone();
    let receipt = json!({ "kept": page["kept"], "warnings": result["structuredContent"]["warnings"] });
    check_kept(&sandbox, &receipt, "entirely different", &LINES);
    let note = json!({ "title": "Ada", "content": "A note.", "directory": "people", "overwrite": true });
    let result = client.call("write_note", note);
    check_kept(&sandbox, &result["structuredContent"], "A note.", &LINES);
    let edit =
        json!({ "path": "people/ada", "content_updates": "{\"section\": \"State\", \"with\": \"Edited.\"}" });
    let result = client.call("edit_note", edit);
    check_kept(&sandbox, &result["structuredContent"], "Edited.", &LINES[..3]);
    let put = json!({ "slug": "people/ada", "content": "# Ada\n\nBare.\n", "drop": ["all"],
                      "expected_version": version(&result) });
    client.call("memory_put", put);
    let text = text(&sandbox, PATH);
    assert!(text.ends_with("# Ada\n\nBare.\n") && !text.contains("role::"), "{text}");
}

#[test]
fn http_keeps_lines() {
    let sandbox = vault();
    let server = HttpServer::start(&sandbox);
    let put = json!({ "content": "# Ada\n\nOver HTTP.\n" }).to_string();
    let (status, receipt) = server.send(&server.token, "PUT /api/context/people/ada", &put);
    assert_eq!(status, 200, "{receipt}");
    check_kept(&sandbox, &receipt, "Over HTTP.", &LINES);
    let patch = json!({ "section": "State", "with": "Patched." }).to_string();
    let (status, receipt) = server.send(&server.token, "PATCH /api/context/people/ada", &patch);
    assert_eq!(status, 200, "{receipt}");
    check_kept(&sandbox, &receipt, "Patched.", &LINES[..3]);
}

#[test]
fn restore_and_hand_edits_replace_the_page() {
    let sandbox = vault();
    sandbox.run(&["edit", PATH, "--append", "- knows:: Byron"]).ok();
    let history = sandbox.run(&["history", PATH, "--json"]).ok().json();
    let snapshot =
        history["snapshots"][0]["snapshot"].as_i64().or(history["snapshots"][0]["number"].as_i64());
    let snapshot = snapshot.expect("a number").to_string();
    let ran = sandbox.run(&["restore", PATH, "--at", &snapshot, "--yes", "--json"]).ok();
    assert_eq!(text(&sandbox, PATH), PAGE);
    assert_eq!(ran.json()["removed"], json!(["- knows:: Byron"]));
    sandbox.write(PATH, "# Ada\n\nBy hand.\n");
    sandbox.sync();
    assert_eq!(text(&sandbox, PATH), "# Ada\n\nBy hand.\n");
}

#[test]
fn sidecar_data_counts_as_a_change_of_its_page() {
    let sandbox = vault();
    let mut client = McpClient::start(&sandbox, "memory");
    let raw = |version: u64| json!({ "slug": "people/ada", "source": "x", "data": { "n": version }, "page_version": version });
    let result = client.call("memory_raw", raw(1));
    assert_eq!(result["structuredContent"]["version"], 2, "{result}");
    let result = client.call("memory_raw", raw(1));
    assert_eq!(result["isError"], true, "{result}");
    let result = client.call("memory_raw", raw(2));
    assert_eq!(result["structuredContent"]["version"], 3, "{result}");
    // The same data again changes nothing, and reading needs no change.
    let result = client.call("memory_raw", json!({ "slug": "people/ada", "page_version": 3 }));
    assert_eq!(result["structuredContent"]["version"], 3, "{result}");
    drop(client);
    sandbox.run(&["mv", "people/ada", "people/ada-lovelace"]).ok();
    let page = sandbox.run(&["get", "people/ada-lovelace", "--json"]).ok().json();
    assert!(page["version"].as_u64() >= Some(3), "{page}");
    sandbox.validate();
}

#[test]
fn titles_with_one_slug_are_two_notes() {
    let sandbox = Sandbox::with_vault();
    let note = |title: &str, words: &str| {
        sandbox.run(&["write-note", title, words, "--overwrite", "--json"]).ok().json()["file_path"].clone()
    };
    assert_eq!(note("C++", "Plus."), "c.md");
    assert_eq!(note("C#", "Sharp."), "c-2.md");
    assert_eq!(note("C#", "Sharper."), "c-2.md");
    assert!(text(&sandbox, "c.md").contains("Plus.") && text(&sandbox, "c-2.md").contains("Sharper."));
    sandbox.pipe(&["put", "C&"], b"# Other\n").exits(2).says("C++");
    sandbox.run(&["rm", "C&", "--yes"]).exits(1);
    assert!(text(&sandbox, "c.md").contains("Plus."));
    sandbox.pipe(&["put", "c"], b"---\ntitle: C++\n---\nBy its slug.\n").ok();
    assert!(text(&sandbox, "c.md").contains("By its slug."));
}

#[test]
fn unknown_options_are_errors() {
    let sandbox = vault();
    let before = sandbox.files();
    for arguments in [
        &["capture", "--dryrun"][..],
        &["capture", "-n"],
        &["capture", "--dry-run=yes"],
        &["edit-note", PATH, "--dryrun"],
        &["edit", PATH, "--append", "--dryrun"],
        &["fact-add", PATH, "role", "--dryrun"],
        &["put", PATH, "--dryrun"],
        &["rm", PATH, "--dryrun"],
    ] {
        sandbox.pipe(arguments, b"Text from standard input.").exits(2).says("unexpected argument");
    }
    let pages = |files: Vec<(std::path::PathBuf, Vec<u8>)>| {
        files
            .into_iter()
            .filter(|(path, _)| path.extension().is_some_and(|name| name == "md"))
            .collect::<Vec<_>>()
    };
    assert_eq!(pages(sandbox.files()), pages(before));
    sandbox.run(&["capture", "- [idea] Try it"]).ok();
    sandbox.run(&["capture", "--", "--dryrun"]).ok();
    sandbox.run(&["edit", PATH, "--append=--verbose"]).ok();
}
