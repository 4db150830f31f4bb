//! Conversations with agents: one source page each, with anchors that stay.

use std::fs;

use serde_json::{Value, json};

use super::archives::archive;
use super::{import, paths, reason, tree};
use crate::git_support::TOKEN;
use crate::sandbox::Sandbox;

fn line(kind: &str, id: &str, content: Value) -> String {
    let at = format!("2026-01-02T10:0{}:00.000Z", id.len() % 10);
    json!({ "type": kind, "uuid": id, "sessionId": "s-1", "cwd": "/home/ada/engine", "timestamp": at,
            "message": { "role": kind, "model": "m", "content": content } })
    .to_string()
}

fn session(lines: &[String]) -> Vec<u8> {
    format!("{}\n", lines.join("\n")).into_bytes()
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

#[test]
fn session_grows_by_its_new_turns() {
    let sandbox = Sandbox::with_vault();
    let mut lines = vec![
        line("user", "u1", json!(format!("Deploy the engine with {}", TOKEN.concat()))),
        line(
            "assistant",
            "a1",
            json!([{ "type": "text", "text": "On it. [[Nobody]] #tag" },
                                       { "type": "tool_use", "name": "Bash", "input": { "command": "make" } }]),
        ),
        line("user", "u2", json!([{ "type": "tool_result", "content": "x".repeat(9000) }])),
        "not JSON".to_owned(),
    ];
    tree(
        &sandbox,
        "src",
        &[("p/s-1.jsonl", &session(&lines)), ("p/agent-9.jsonl", b"{}\n"), ("p/notes.txt", b"x")],
    );
    let output = import(&sandbox, &["../src", "--from", "claude-code"]);
    let page = "sessions/claude-code/2026-01-02-deploy-the-engine-with-removed-secret.md";
    assert_eq!(paths(&output, "pages"), [page], "{output}");
    assert_eq!((output["redacted"].as_u64(), output["originals"].as_u64()), (Some(1), Some(2)), "{output}");
    assert!(reason(&output, "skipped", "p/s-1.jsonl").contains("1 lines are not JSON"));
    assert!(reason(&output, "skipped", "p/agent-9.jsonl").contains("subagent"));
    let before = text(&sandbox, page);
    assert!(!before.contains(TOKEN[0]) && before.contains("more characters]"), "{before}");
    assert_eq!(before.matches("^t-").count(), 3);
    let shown = sandbox.run(&["show", page]).ok().json();
    assert_eq!(
        (shown["type"].as_str(), shown["links"].as_array().map_or(0, Vec::len)),
        (Some("conversation"), 0)
    );
    // Unchanged, then longer, then edited by a person and longer still.
    assert_eq!(import(&sandbox, &["../src", "--from", "claude-code"])["outcome"], "unchanged");
    lines.push(line("assistant", "a22", json!("Done.")));
    tree(&sandbox, "src", &[("p/s-1.jsonl", &session(&lines))]);
    import(&sandbox, &["../src", "--from", "claude-code"]);
    let longer = text(&sandbox, page);
    assert!(longer.starts_with(before.trim_end()), "turns are only added: {longer}");
    sandbox.run(&["edit", page, "--find", "On it.", "--replace", "On it, says the agent."]).ok();
    lines.push(line("user", "u333", json!("Thanks.")));
    tree(&sandbox, "src", &[("p/s-1.jsonl", &session(&lines))]);
    let output = import(&sandbox, &["../src", "--from", "claude-code"]);
    assert_eq!(output["pages"][0]["outcome"], "extended", "{output}");
    let edited = text(&sandbox, page);
    assert!(edited.contains("says the agent") && edited.contains("Thanks."), "{edited}");
    assert_eq!(edited.matches("^t-").count(), 5, "{edited}");
    sandbox.validate();
}

#[test]
fn sessions_are_found_where_the_agent_keeps_them() {
    let sandbox = Sandbox::with_vault();
    let lines = [line("user", "u1", json!("Hello engine"))];
    tree(&sandbox, ".claude/projects", &[("-home-ada/s-1.jsonl", &session(&lines))]);
    assert_eq!(import(&sandbox, &["claude-code"])["pages"].as_array().map(Vec::len), Some(1));
    sandbox.run(&["import", "codex"]).exits(2).says(".codex/sessions");
}

/// Sessions begin with a snapshot of files, which does not name the session.
#[test]
fn sessions_of_claude_code_are_recognized_below_their_first_line() {
    let sandbox = Sandbox::with_vault();
    let snapshot = json!({ "type": "file-history-snapshot", "messageId": "m", "snapshot": {} }).to_string();
    let lines = session(&[snapshot, line("user", "u1", json!("Paint the quay"))]);
    // A page beside the sessions does not make notes of them.
    tree(&sandbox, "src", &[("CLAUDE.md", b"# Rules\n"), ("s-1.jsonl", &lines)]);
    let output = import(&sandbox, &["../src"]);
    assert_eq!(output["kind"], "claude-code", "{output}");
    assert_eq!((paths(&output, "pages").len(), paths(&output, "attachments").len()), (1, 0), "{output}");
}

#[test]
fn codex_and_gemini_sessions() {
    let sandbox = Sandbox::with_vault();
    let item = |payload: Value| json!({ "timestamp": "2026-02-03T04:05:06Z", "type": "response_item", "payload": payload });
    let lines = [
        json!({ "timestamp": "2026-02-03T04:05:06Z", "type": "session_meta", "payload": { "id": "c-1", "cwd": "/home/ada/app" } }),
        item(
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "<environment_context>x</environment_context>" }] }),
        ),
        item(
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Fix the zeppelin" }] }),
        ),
        item(json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":\"ls\"}" })),
        item(json!({ "type": "function_call_output", "output": "a.txt" })),
        json!({ "type": "event_msg", "payload": { "type": "agent_message", "message": "Fixed" } }),
        item(
            json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Fixed" }] }),
        ),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    tree(&sandbox, "codex", &[("2026/02/03/rollout-1.jsonl", &session(&lines))]);
    let output = import(&sandbox, &["../codex"]);
    assert_eq!(
        (output["kind"].as_str(), paths(&output, "pages")),
        (Some("codex"), vec!["sessions/codex/2026-02-03-fix-the-zeppelin.md".to_owned()])
    );
    assert_eq!(text(&sandbox, "sessions/codex/2026-02-03-fix-the-zeppelin.md").matches("^t-").count(), 4);
    let gemini = json!({ "sessionId": "g-1", "startTime": "2026-03-04T05:06:07Z", "messages": [
        { "id": "1", "type": "user", "content": "Paint the harbour" },
        { "id": "2", "type": "gemini", "content": [{ "text": "Blue?" }], "model": "g", "toolCalls": [{ "name": "paint", "args": { "c": 1 } }] },
        { "id": "3", "type": "info", "content": "x" } ] });
    tree(&sandbox, "gemini", &[("h/chats/session-1.json", gemini.to_string().as_bytes())]);
    let output = import(&sandbox, &["../gemini"]);
    assert_eq!(paths(&output, "pages"), ["sessions/gemini-cli/2026-03-04-paint-the-harbour.md"], "{output}");
}

#[test]
fn account_exports() {
    let sandbox = Sandbox::with_vault();
    let node = |id: &str, parent: &str, role: &str, text: &str| {
        json!({ "id": id, "parent": parent, "children": [], "message": { "id": id, "author": { "role": role }, "create_time": 1_700_000_000.5,
                "content": { "content_type": "text", "parts": [text] }, "metadata": {} } })
    };
    let chat = |id: &str, title: &str| {
        json!({ "conversation_id": id, "title": title, "create_time": 1_700_000_000.0, "current_node": "c",
        "mapping": { "r": { "id": "r", "message": null, "parent": null, "children": ["a"] }, "a": node("a", "r", "user", "Which harbour?"),
                     "b": node("b", "a", "assistant", "The old one"), "x": node("x", "a", "assistant", "Another branch"),
                     "c": node("c", "b", "user", "Thanks") } })
    };
    let list = json!([chat("1", "Harbour"), chat("2", "Harbour"), { "conversation_id": "3", "title": "Empty", "mapping": {} }]);
    fs::write(
        sandbox.root.join("gpt.zip"),
        archive(&[("conversations.json", list.to_string().as_bytes()), ("chat.html", b"<html>")]),
    )
    .expect("a file");
    let output = import(&sandbox, &["../gpt.zip"]);
    assert_eq!(output["kind"], "chatgpt");
    assert_eq!(
        paths(&output, "pages"),
        ["sessions/chatgpt/2023-11-14-harbour.md", "sessions/chatgpt/2023-11-14-harbour-2.md"]
    );
    let page = text(&sandbox, "sessions/chatgpt/2023-11-14-harbour.md");
    assert!(page.contains("The old one") && !page.contains("Another branch"), "{page}");
    assert!(reason(&output, "skipped", "conversations.json:3").contains("no messages"));
    let claude = json!([{ "uuid": "k", "name": "Tea", "created_at": "2025-05-06T07:08:09Z", "chat_messages": [
        { "uuid": "1", "sender": "human", "text": "Tea?", "content": [], "attachments": [{ "file_name": "t.txt", "extracted_content": "leaves" }] },
        { "uuid": "2", "sender": "assistant", "text": "", "content": [{ "type": "text", "text": "Green." }] }] }]);
    fs::write(
        sandbox.root.join("claude.zip"),
        archive(&[("users.json", b"[]"), ("conversations.json", claude.to_string().as_bytes())]),
    )
    .expect("a file");
    let output = import(&sandbox, &["../claude.zip"]);
    assert_eq!(
        (output["kind"].as_str(), paths(&output, "pages")),
        (Some("claude"), vec!["sessions/claude/2025-05-06-tea.md".to_owned()]),
        "{output}"
    );
    assert!(text(&sandbox, "sessions/claude/2025-05-06-tea.md").contains("[file t.txt] leaves"));
    fs::write(sandbox.root.join("bad.json"), &list.to_string()[..300]).expect("a file");
    sandbox.run(&["import", "../bad.json", "--from", "chatgpt"]).exits(2).says("not a list of conversations");
    tree(
        &sandbox,
        "cut",
        &[("conversations.json", &list.to_string().as_bytes()[..list.to_string().len() - 40])],
    );
    let before = sandbox.files();
    sandbox.run(&["import", "../cut"]).exits(2).says("not a list of conversations");
    assert_eq!(sandbox.files(), before, "nothing of a damaged export is imported");
}

#[test]
fn context_lists_pages_and_not_conversations() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("harbour.md", "# Moorings\n\nThe zeppelin moors at the northern quay.\n");
    sandbox.sync();
    let sessions: Vec<(String, Vec<u8>)> = (0..60)
        .map(|number| {
            let turn = line("user", "u1", json!(format!("Zeppelin talk {number}")))
                .replace("s-1", &format!("s-{number}"));
            (format!("s-{number}.jsonl"), session(&[turn]))
        })
        .collect();
    let sessions: Vec<(&str, &[u8])> =
        sessions.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    tree(&sandbox, "src", &sessions);
    assert_eq!(paths(&import(&sandbox, &["../src"]), "pages").len(), 60);
    let context = sandbox.run(&["context"]).exits(0).text();
    assert!(context.contains("Moorings") && !context.contains("sessions/"), "{context}");
}

#[test]
fn pages_rank_above_conversations() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("harbour.md", "# Moorings\n\nThe zeppelin moors at the northern quay on Sundays.\n");
    let lines = [line(
        "user",
        "u1",
        json!("Where does the zeppelin moor? The zeppelin moors at the northern quay on Sundays."),
    )];
    tree(&sandbox, "src", &[("s-1.jsonl", &session(&lines))]);
    import(&sandbox, &["../src"]);
    let first = |question: &str| {
        sandbox.run(&["query", question]).json()["hits"][0]["slug"].as_str().expect("a slug").to_owned()
    };
    assert_eq!(first("where does the zeppelin moor"), "harbour");
    assert!(
        first("in which conversation did we talk about where the zeppelin moors").starts_with("sessions/")
    );
}
