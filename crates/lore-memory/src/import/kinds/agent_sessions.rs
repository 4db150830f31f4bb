//! Session files of agents on this machine: Claude Code, Codex and Gemini CLI.

use std::io::{self, BufRead, BufReader, Read};

use lore_engine::Result;
use lore_vault::{SourceFile, SourceTree};
use serde_json::Value;

use super::super::transcript::{Conversation, Role, Turn, directory_name, shortened, tool_call};
use super::super::{Found, ImportKind, Sink};

/// Maximum length of a line that is read.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Maximum size of a session that is one JSON document.
const MAX_DOCUMENT: u64 = 256 * 1024 * 1024;

/// Maximum number of characters kept of the text of a tool's output while it is read.
const KEPT_OUTPUT: usize = 2_000;

/// Reads every session file of a directory.
pub(super) fn read(kind: ImportKind, tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    for file in &tree.files {
        if let Some(reason) = skipped(kind, &file.path) {
            sink(Found::Skipped { path: file.path.clone(), reason: reason.to_owned() })?;
            continue;
        }
        let (conversation, bad_lines) = match kind {
            ImportKind::GeminiCli => (gemini(tree, file)?, 0),
            _ => lines(kind, tree, file)?,
        };
        if bad_lines > 0 {
            let reason = format!("{bad_lines} lines are not JSON; the others are imported");
            sink(Found::Skipped { path: file.path.clone(), reason })?;
        }
        let pages = conversation.map(Conversation::pages).unwrap_or_default();
        if pages.is_empty() {
            let reason = "it has no messages".to_owned();
            sink(Found::Skipped { path: file.path.clone(), reason })?;
        }
        for page in pages {
            sink(Found::Item(page))?;
        }
    }
    Ok(())
}

/// Recognizes session files by their first line, or by their place.
pub(super) fn recognize(tree: &SourceTree) -> Option<ImportKind> {
    let session = |ending: &str| tree.files.iter().find(|file| file.path.ends_with(ending));
    if let Some(file) = session(".jsonl") {
        let line = tree.stream(file, |reader| lore_vault::first_line(reader, MAX_LINE)).ok()?;
        let line: Value = serde_json::from_slice(&line).ok()?;
        let is_codex = text_at(&line, "type") == "session_meta" || line.get("instructions").is_some();
        let is_claude = line.get("sessionId").is_some() || line.get("leafUuid").is_some();
        return match (is_codex, is_claude) {
            (true, _) => Some(ImportKind::Codex),
            (false, true) => Some(ImportKind::ClaudeCode),
            (false, false) => None,
        };
    }
    let is_gemini = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.starts_with("session-") && name.ends_with(".json")
    };
    tree.files.iter().any(|file| is_gemini(&file.path)).then_some(ImportKind::GeminiCli)
}

/// Returns why a file is no session.
fn skipped(kind: ImportKind, path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match kind {
        ImportKind::GeminiCli if !(name.starts_with("session-") && name.ends_with(".json")) => {
            Some("it is not a session file")
        }
        ImportKind::GeminiCli => None,
        _ if !name.ends_with(".jsonl") => Some("it is not a session file"),
        ImportKind::ClaudeCode if name.starts_with("agent-") || path.contains("/subagents/") => {
            Some("it is the transcript of a subagent; its result is in the session")
        }
        _ => None,
    }
}

/// Reads a session with one JSON object per line.
fn lines(kind: ImportKind, tree: &SourceTree, file: &SourceFile) -> Result<(Option<Conversation>, usize)> {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path).trim_end_matches(".jsonl");
    let source = kind.name();
    let mut conversation = Conversation { id: name.to_owned(), source, ..Conversation::default() };
    let mut bad = 0;
    tree.stream(file, |reader| {
        let mut reader = BufReader::new(reader);
        let mut number = 0usize;
        while let Some(line) = next_line(&mut reader)? {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice::<Value>(&line) {
                Ok(value) if kind == ImportKind::ClaudeCode => claude_code(&mut conversation, &value, number),
                Ok(value) => codex(&mut conversation, &value, number),
                Err(_) => bad += 1,
            }
        }
        Ok(())
    })?;
    Ok((Some(conversation), bad))
}

/// Returns the next line; the end of one that is too long is dropped.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
        reader.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

fn text_at<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Takes a line of a Claude Code session.
fn claude_code(conversation: &mut Conversation, line: &Value, number: usize) {
    match text_at(line, "type") {
        "summary" if conversation.title.is_empty() => {
            conversation.title = text_at(line, "summary").to_owned();
        }
        "custom-title" => conversation.title = text_at(line, "customTitle").to_owned(),
        kind @ ("user" | "assistant") => {
            let is_true = |key: &str| line.get(key).and_then(Value::as_bool) == Some(true);
            if is_true("isMeta") || is_true("isSidechain") || is_true("isCompactSummary") {
                return;
            }
            set(&mut conversation.id, text_at(line, "sessionId"), number == 1);
            set_once(&mut conversation.project, &directory_name(text_at(line, "cwd")));
            let Some(message) = line.get("message") else { return };
            if kind == "assistant" {
                set_once(&mut conversation.model, text_at(message, "model"));
            }
            let at = text_at(line, "timestamp").to_owned();
            let id = text_at(line, "uuid");
            let id = if id.is_empty() { number.to_string() } else { id.to_owned() };
            let content = message.get("content").unwrap_or(&Value::Null);
            let (spoken, output) = parts(content);
            let role = if kind == "user" { Role::User } else { Role::Assistant };
            let spoken = without_reminders(&spoken);
            conversation.turns.push(Turn { id: id.clone(), role, at: at.clone(), text: spoken });
            conversation.turns.push(Turn { id: format!("{id}/output"), role: Role::Tool, at, text: output });
        }
        _ => {}
    }
}

/// Returns what was said and what tools returned, from the content of a message.
pub(super) fn parts(content: &Value) -> (String, String) {
    let list = match content {
        Value::String(text) => return (text.clone(), String::new()),
        Value::Array(list) => list,
        _ => return Default::default(),
    };
    let (mut spoken, mut output) = (Vec::new(), Vec::new());
    for part in list {
        match text_at(part, "type") {
            "text" | "input_text" | "output_text" => spoken.push(text_at(part, "text").to_owned()),
            "tool_use" | "server_tool_use" => {
                spoken.push(tool_call(text_at(part, "name"), part.get("input").unwrap_or(&Value::Null)));
            }
            "tool_result" => {
                let (text, _) = parts(part.get("content").unwrap_or(&Value::Null));
                output.push(shortened(&text, KEPT_OUTPUT));
            }
            "image" | "input_image" => spoken.push("[image]".to_owned()),
            "document" => spoken.push("[document]".to_owned()),
            _ => {}
        }
    }
    (spoken.join("\n\n"), output.join("\n"))
}

/// Returns text without what the program, not the person, added to it.
fn without_reminders(text: &str) -> String {
    let mut clean = text.to_owned();
    for tag in ["system-reminder", "environment_context", "user_instructions", "local-command-caveat"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        while let Some(start) = clean.find(&open) {
            let end = clean[start..].find(&close).map_or(clean.len(), |at| start + at + close.len());
            clean.replace_range(start..end, "");
        }
    }
    clean.trim().to_owned()
}

fn set_once(field: &mut String, value: &str) {
    if field.is_empty() {
        *field = value.to_owned();
    }
}

fn set(field: &mut String, value: &str, wanted: bool) {
    if wanted && !value.is_empty() {
        *field = value.to_owned();
    }
}

/// Takes a line of a Codex session. Older versions wrote items without an envelope.
fn codex(conversation: &mut Conversation, line: &Value, number: usize) {
    let at = text_at(line, "timestamp").to_owned();
    let kind = text_at(line, "type");
    let item = match (kind, line.get("payload")) {
        ("session_meta", Some(meta)) => {
            set(&mut conversation.id, text_at(meta, "id"), true);
            set(&mut conversation.project, &directory_name(text_at(meta, "cwd")), true);
            set(&mut conversation.started, text_at(meta, "timestamp"), true);
            return;
        }
        ("turn_context", Some(context)) => {
            return set(&mut conversation.model, text_at(context, "model"), true);
        }
        ("response_item", Some(item)) => item,
        (_, Some(_)) => return,
        ("", None) => {
            set(&mut conversation.id, text_at(line, "id"), number == 1);
            set(&mut conversation.started, &at, number == 1);
            return;
        }
        (_, None) => line,
    };
    // Items have no id of their own in every version; a line never changes once it is written.
    let id = format!("line {number}");
    let (role, text) = match text_at(item, "type") {
        "message" => {
            let role = match text_at(item, "role") {
                "user" => Role::User,
                "assistant" => Role::Assistant,
                _ => return,
            };
            (role, without_reminders(&parts(item.get("content").unwrap_or(&Value::Null)).0))
        }
        "function_call" => {
            (Role::Assistant, tool_call(text_at(item, "name"), item.get("arguments").unwrap_or(&Value::Null)))
        }
        "custom_tool_call" | "local_shell_call" => {
            let input = item.get("input").or_else(|| item.get("action")).unwrap_or(&Value::Null);
            (Role::Assistant, tool_call(text_at(item, "name"), input))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let output = item.get("output").unwrap_or(&Value::Null);
            let text = output.as_str().map_or_else(|| parts(output).0, str::to_owned);
            (Role::Tool, shortened(&text, KEPT_OUTPUT))
        }
        _ => return,
    };
    conversation.turns.push(Turn { id, role, at, text });
}

/// Reads a session of Gemini CLI.
fn gemini(tree: &SourceTree, file: &SourceFile) -> Result<Option<Conversation>> {
    let bytes = tree.read(file, MAX_DOCUMENT)?;
    let Ok(session) = serde_json::from_slice::<Value>(&bytes) else { return Ok(None) };
    let mut conversation = Conversation {
        id: text_at(&session, "sessionId").to_owned(),
        source: ImportKind::GeminiCli.name(),
        started: text_at(&session, "startTime").to_owned(),
        ..Conversation::default()
    };
    if conversation.id.is_empty() {
        conversation.id.clone_from(&file.path);
    }
    for (number, message) in
        session.get("messages").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let role = match text_at(message, "type") {
            "user" => Role::User,
            "gemini" | "model" => Role::Assistant,
            _ => continue,
        };
        set_once(&mut conversation.model, text_at(message, "model"));
        let id = text_at(message, "id");
        let id = if id.is_empty() { format!("message {number}") } else { id.to_owned() };
        let at = text_at(message, "timestamp").to_owned();
        let content = message.get("content").unwrap_or(&Value::Null);
        let mut text = match content {
            Value::Array(list) => {
                list.iter().map(|part| text_at(part, "text")).collect::<Vec<_>>().join("\n")
            }
            content => content.as_str().unwrap_or_default().to_owned(),
        };
        for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            text.push_str(&format!(
                "\n\n{}",
                tool_call(text_at(call, "name"), call.get("args").unwrap_or(&Value::Null))
            ));
        }
        conversation.turns.push(Turn { id, role, at, text });
    }
    Ok(Some(conversation))
}
