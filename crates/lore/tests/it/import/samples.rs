//! Features of real exports and session files, each in a small sample.

use std::fs;

use serde_json::{Value, json};

use super::archives::archive;
use super::{import, paths, reason, tree};
use crate::sandbox::Sandbox;

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

fn lines(lines: &[Value]) -> Vec<u8> {
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

#[test]
fn gemini_sessions_with_a_line_per_change() {
    let sandbox = Sandbox::with_vault();
    let session = lines(&[
        json!({ "sessionId": "g-2", "projectHash": "h", "startTime": "2026-03-04T05:06:07Z", "kind": "main" }),
        json!({ "id": "1", "type": "user", "content": [{ "text": "Paint the quay" }] }),
        json!({ "id": "2", "type": "gemini", "content": "", "model": "g" }),
        json!({ "id": "2", "type": "gemini", "content": "Blue?", "model": "g", "toolCalls": [{ "name": "paint", "args": {} }] }),
        json!({ "$set": { "lastUpdated": "2026-03-04T06:00:00Z" } }),
        json!({ "id": "3", "type": "user", "content": "Red" }),
        json!({ "$rewindTo": "3" }),
        json!({ "id": "4", "type": "user", "content": "Green" }),
    ]);
    tree(
        &sandbox,
        "gemini",
        &[
            ("app/chats/session-2.jsonl", &session),
            ("app/.project_root", b"/home/ada/harbour\n"),
            ("app/logs.json", b"[]"),
        ],
    );
    let output = import(&sandbox, &["../gemini"]);
    assert_eq!(output["kind"], "gemini-cli", "{output}");
    let page = text(&sandbox, "sessions/gemini-cli/2026-03-04-paint-the-quay.md");
    assert_eq!(page.matches("^t-").count(), 3, "{page}");
    assert!(page.contains("project: harbour") && page.contains("Blue?") && !page.contains("Red"), "{page}");
}

#[test]
fn codex_sessions_of_every_version() {
    let sandbox = Sandbox::with_vault();
    let meta = |id: &str, cwd: &str| json!({ "type": "session_meta", "payload": { "id": id, "timestamp": "2026-02-03T04:05:06Z", "cwd": cwd } });
    let said = |role: &str, text: &str| {
        json!({ "type": "response_item", "timestamp": 1_737_100_010.5, "payload": {
        "role": role, "content": [{ "type": "input_text", "text": text }] } })
    };
    let fork = lines(&[
        meta("child", "/home/ada/child"),
        meta("parent", "/home/ada/parent"),
        said("user", "# AGENTS.md instructions for /home/ada\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"),
        said("user", "Move src/main.rs"),
        said("assistant", "Moved."),
    ]);
    let old = json!({ "session": { "id": "old", "timestamp": "2025-05-06T07:08:09Z" }, "items": [
        { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Port it" }] },
        { "type": "function_call", "name": "shell", "arguments": "{}" } ] });
    tree(
        &sandbox,
        "codex",
        &[
            ("a/rollout-1.jsonl", &fork),
            ("b/rollout-2.json", old.to_string().as_bytes()),
            ("c/copy.jsonl", &fork),
        ],
    );
    let output = import(&sandbox, &["../codex"]);
    let expected =
        ["2025-05-06-port-it.md", "2026-02-03-move-src-main.rs.md", "2026-02-03-move-src-main.rs-2.md"];
    assert_eq!(
        paths(&output, "pages")
            .iter()
            .map(|path| path.rsplit('/').next().unwrap_or(path))
            .collect::<std::collections::BTreeSet<_>>(),
        expected.into(),
        "{output}"
    );
    let page = text(&sandbox, "sessions/codex/2026-02-03-move-src-main.rs.md");
    assert!(
        page.contains("session: child") && page.contains("project: child") && !page.contains("Be brief"),
        "{page}"
    );
    assert_eq!(import(&sandbox, &["../codex"])["outcome"], "unchanged", "a copy has an id of its own");
}

#[test]
fn account_exports_with_gaps() {
    let sandbox = Sandbox::with_vault();
    let list = json!([
        { "uuid": "a", "name": null, "created_at": "2026-01-17T14:23:32Z", "chat_messages": [
            null,
            { "uuid": "1", "sender": "human", "text": "Tides?", "content": null, "attachments": null, "files": null },
            { "uuid": "2", "sender": "assistant", "text": "", "content": [
                { "type": "thinking", "thinking": "secret" }, { "type": "text", "text": "Twice a day." } ] } ] },
        { "uuid": 7 },
        { "uuid": "b", "chat_messages": null },
    ]);
    tree(&sandbox, "claude", &[("conversations.json", list.to_string().as_bytes())]);
    let output = import(&sandbox, &["../claude", "--from", "claude"]);
    assert_eq!(paths(&output, "pages"), ["sessions/claude/2026-01-17-tides.md"], "{output}");
    let page = text(&sandbox, "sessions/claude/2026-01-17-tides.md");
    assert!(page.contains("Twice a day.") && !page.contains("secret"), "{page}");
    assert!(reason(&output, "skipped", "conversations.json:conversation 2").contains("not a conversation"));
    let node = |metadata: Value| {
        json!({ "id": "a", "parent": null, "message": { "id": "a", "author": { "role": "user" },
        "content": { "content_type": "multimodal_text", "parts": [{ "content_type": "image_asset_pointer" }, "Which boat?"] }, "metadata": metadata } })
    };
    let list = json!([{ "id": "1", "title": "Boat/ship", "create_time": 1_700_000_000.0, "current_node": null, "mapping": { "a": node(Value::Null) } }]);
    tree(&sandbox, "gpt", &[("conversations-000.json", list.to_string().as_bytes())]);
    let output = import(&sandbox, &["../gpt"]);
    assert_eq!(paths(&output, "pages"), ["sessions/chatgpt/2023-11-14-boat-ship.md"], "{output}");
    assert!(text(&sandbox, "sessions/chatgpt/2023-11-14-boat-ship.md").contains("[image_asset_pointer]"));
}

#[test]
fn backups_of_bear() {
    let sandbox = Sandbox::with_vault();
    let about = |trashed: u8, encrypted: u8| {
        json!({ "net.shinyfrog.bear": { "trashed": trashed, "encrypted": encrypted, "archived": 0,
            "creationDate": "2023-10-11T05:43:33Z", "modificationDate": "2023-10-12T08:09:57Z" } })
        .to_string()
    };
    let (plain, trashed, encrypted) = (about(0, 0), about(1, 0), about(0, 1));
    let bytes = archive(&[
        ("Bear Notes.bear2bk/Pier.textbundle/text.md", b"# Pier\n\n![](assets/p.png) #coast/north#\n"),
        ("Bear Notes.bear2bk/Pier.textbundle/info.json", plain.as_bytes()),
        ("Bear Notes.bear2bk/Pier.textbundle/assets/p.png", b"x"),
        ("Bear Notes.bear2bk/Old.textbundle/text.md", b"# Old\n"),
        ("Bear Notes.bear2bk/Old.textbundle/info.json", trashed.as_bytes()),
        ("Bear Notes.bear2bk/Key.textbundle/text.md", b""),
        ("Bear Notes.bear2bk/Key.textbundle/info.json", encrypted.as_bytes()),
        ("Bear Notes.bear2bk/tags.json", b"{}"),
    ]);
    fs::write(sandbox.root.join("b.bear2bk"), bytes).expect("a file");
    let output = import(&sandbox, &["../b.bear2bk"]);
    assert_eq!(
        (output["kind"].as_str(), paths(&output, "pages")),
        (Some("bear"), vec!["Pier.md".to_owned()])
    );
    assert_eq!(paths(&output, "attachments"), ["Pier.assets/p.png"]);
    let page = text(&sandbox, "Pier.md");
    assert!(page.contains("created: 2023-10-11") && page.contains("updated: 2023-10-12"), "{page}");
    assert!(reason(&output, "skipped", "Bear Notes.bear2bk/Old.textbundle/text.md").contains("trash"));
    assert!(reason(&output, "skipped", "Bear Notes.bear2bk/Key.textbundle/text.md").contains("encrypted"));
    assert!(reason(&output, "skipped", "Bear Notes.bear2bk/tags.json").contains("describes the export"));
}
