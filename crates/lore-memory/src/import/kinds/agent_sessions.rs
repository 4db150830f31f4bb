//! Session files of agents on this machine: Claude Code, Codex and Gemini CLI.

mod codex;
mod gemini;

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};

use lore_engine::Result;
use lore_vault::{SourceFile, SourceTree};
use serde_json::Value;

use super::super::transcript::{Conversation, Role, Turn, directory_name, shortened, tool_call};
use super::super::{Found, ImportKind, Sink};

/// Maximum length of a line that is read.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Number of lines that are looked at to recognize a session.
const FIRST_LINES: usize = 20;

/// Maximum size of a session that is one JSON document.
const MAX_DOCUMENT: u64 = 256 * 1024 * 1024;

/// Maximum number of characters kept of the text of a tool's output while it is read.
const KEPT_OUTPUT: usize = 2_000;

/// Tags around what the program, not the person, says in a message.
const REMINDERS: [&str; 5] =
    ["system-reminder", "environment_context", "user_instructions", "INSTRUCTIONS", "local-command-caveat"];

/// Beginning of the line above the instructions of a directory.
const INSTRUCTIONS_OF: &str = "# AGENTS.md instructions";

/// Reads every session file of a directory.
pub(super) fn read(kind: ImportKind, tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for file in &tree.files {
        if let Some(reason) = skipped(kind, &file.path) {
            sink(Found::Skipped { path: file.path.clone(), reason: reason.to_owned() })?;
            continue;
        }
        let (mut conversation, bad_lines) = match file.path.ends_with(".json") {
            true => (document(kind, tree, file)?, 0),
            false => lines(kind, tree, file)?,
        };
        // A copy of a session that went on by itself has the id of the first.
        if let Some(copy) = conversation.as_mut().filter(|found| !seen.insert(found.id.clone())) {
            copy.id = format!("{} {}", copy.id, file.path);
        }
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

/// Recognizes session files by their first lines, or by their place.
pub(super) fn recognize(tree: &SourceTree) -> Option<ImportKind> {
    if let Some(file) = tree.files.iter().find(|file| file.path.ends_with(".jsonl")) {
        let first = |reader: &mut dyn Read| -> io::Result<Option<ImportKind>> {
            let mut reader = BufReader::new(reader);
            for _ in 0..FIRST_LINES {
                let Some(line) = next_line(&mut reader)? else { break };
                if let Some(kind) = kind_of(&line) {
                    return Ok(Some(kind));
                }
            }
            Ok(None)
        };
        return tree.stream(file, first).ok().flatten();
    }
    let has_any = |kind| tree.files.iter().any(|file| skipped(kind, &file.path).is_none());
    [ImportKind::GeminiCli, ImportKind::Codex].into_iter().find(|kind| has_any(*kind))
}

/// Returns the program that wrote a line. Not every line tells: a session of Claude Code may begin with a snapshot of files,
/// which does not name the session.
fn kind_of(line: &[u8]) -> Option<ImportKind> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let has = |key: &str| line.get(key).is_some();
    match () {
        () if has("projectHash") => Some(ImportKind::GeminiCli),
        () if text_at(&line, "type") == "session_meta" || has("instructions") => Some(ImportKind::Codex),
        () if has("sessionId") || has("leafUuid") => Some(ImportKind::ClaudeCode),
        () => None,
    }
}

/// Returns why a file is no session.
pub(super) fn skipped(kind: ImportKind, path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_session = match (kind, name.rsplit_once('.')) {
        (ImportKind::GeminiCli, Some((stem, "json" | "jsonl"))) => stem.starts_with("session-"),
        // Older versions of Codex wrote one document.
        (ImportKind::Codex, Some((stem, "json"))) => stem.starts_with("rollout-"),
        (ImportKind::GeminiCli, _) => false,
        (_, ending) => ending.is_some_and(|(_, ending)| ending == "jsonl"),
    };
    match kind {
        _ if !is_session => Some("it is not a session file"),
        ImportKind::ClaudeCode if name.starts_with("agent-") || path.contains("/subagents/") => {
            Some("it is the transcript of a subagent; its result is in the session")
        }
        _ => None,
    }
}

/// Reads a session that is one JSON document.
fn document(kind: ImportKind, tree: &SourceTree, file: &SourceFile) -> Result<Option<Conversation>> {
    let bytes = tree.read(file, MAX_DOCUMENT)?;
    let Ok(session) = serde_json::from_slice::<Value>(&bytes) else { return Ok(None) };
    let mut conversation = started(kind, tree, file);
    match kind {
        ImportKind::GeminiCli => gemini::document(&mut conversation, &session),
        _ => codex::document(&mut conversation, &session),
    }
    Ok(Some(conversation))
}

/// Returns a conversation of which only the file is known.
fn started(kind: ImportKind, tree: &SourceTree, file: &SourceFile) -> Conversation {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let id = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let project = match kind {
        ImportKind::GeminiCli => gemini::project(tree, file),
        _ => String::new(),
    };
    Conversation { id, source: kind.name(), project, ..Conversation::default() }
}

/// Reads a session with one JSON object per line.
fn lines(kind: ImportKind, tree: &SourceTree, file: &SourceFile) -> Result<(Option<Conversation>, usize)> {
    let mut conversation = started(kind, tree, file);
    let mut bad = 0;
    tree.stream(file, |reader| {
        let mut reader = BufReader::new(reader);
        let mut number = 0usize;
        while let Some(line) = next_line(&mut reader)? {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match (serde_json::from_slice::<Value>(&line), kind) {
                (Ok(value), ImportKind::ClaudeCode) => claude_code(&mut conversation, &value, number),
                (Ok(value), ImportKind::GeminiCli) => gemini::line(&mut conversation, &value),
                (Ok(value), _) => codex::line(&mut conversation, &value, number),
                (Err(_), _) => bad += 1,
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
    for tag in REMINDERS {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        while let Some(start) = clean.find(&open) {
            let end = clean[start..].find(&close).map_or(clean.len(), |at| start + at + close.len());
            clean.replace_range(start..end, "");
        }
    }
    let clean = clean.trim();
    match clean.starts_with(INSTRUCTIONS_OF) {
        true => clean.split_once('\n').map_or("", |(_, rest)| rest).trim().to_owned(),
        false => clean.to_owned(),
    }
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
