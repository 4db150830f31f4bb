//! Sessions of Gemini CLI: one document, or in newer versions a line per message and per change.

use lore_vault::{SourceFile, SourceTree, folder};
use serde_json::Value;

use super::{Conversation, Role, Turn};
use super::{directory_name, set, set_once, text_at, tool_call};

/// File beside the directory of sessions that has the path of their project.
const PROJECT_FILE: &str = ".project_root";

/// Maximum size of that file.
const MAX_PATH: u64 = 64 * 1024;

/// Returns the name of the project that a session belongs to.
pub(super) fn project(tree: &SourceTree, file: &SourceFile) -> String {
    let place = folder(folder(&file.path));
    let path = if place.is_empty() { PROJECT_FILE.to_owned() } else { format!("{place}/{PROJECT_FILE}") };
    let bytes = tree.file(&path).and_then(|file| tree.read(file, MAX_PATH).ok()).unwrap_or_default();
    directory_name(String::from_utf8_lossy(&bytes).trim())
}

/// Takes a session that is one document.
pub(super) fn document(conversation: &mut Conversation, session: &Value) {
    about(conversation, session);
    for message in session.get("messages").and_then(Value::as_array).into_iter().flatten() {
        take(conversation, message);
    }
}

/// Takes a line: the header, a message, a new version of one, or the return to an earlier one.
pub(super) fn line(conversation: &mut Conversation, line: &Value) {
    if let Some(id) = line.get("$rewindTo").and_then(Value::as_str) {
        if let Some(at) = conversation.turns.iter().position(|turn| turn.id == id) {
            conversation.turns.truncate(at);
        }
    } else if let Some(changes) = line.get("$set") {
        about(conversation, changes);
    } else if line.get("type").is_some() {
        take(conversation, line);
    } else {
        about(conversation, line);
    }
}

fn about(conversation: &mut Conversation, session: &Value) {
    set(&mut conversation.id, text_at(session, "sessionId"), true);
    set(&mut conversation.started, text_at(session, "startTime"), true);
    set(&mut conversation.title, text_at(session, "summary"), true);
}

fn take(conversation: &mut Conversation, message: &Value) {
    let role = match text_at(message, "type") {
        "user" => Role::User,
        "gemini" | "model" => Role::Assistant,
        _ => return,
    };
    set_once(&mut conversation.model, text_at(message, "model"));
    let id = match text_at(message, "id") {
        "" => format!("message {}", conversation.turns.len()),
        id => id.to_owned(),
    };
    let at = text_at(message, "timestamp").to_owned();
    let mut text = match message.get("content").unwrap_or(&Value::Null) {
        Value::Array(list) => list.iter().map(|part| text_at(part, "text")).collect::<Vec<_>>().join("\n"),
        content => content.as_str().unwrap_or_default().to_owned(),
    };
    for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
        let call = tool_call(text_at(call, "name"), call.get("args").unwrap_or(&Value::Null));
        text.push_str(&format!("\n\n{call}"));
    }
    let turn = Turn { id, role, at, text };
    match conversation.turns.iter_mut().find(|known| known.id == turn.id) {
        Some(known) => *known = turn,
        None => conversation.turns.push(turn),
    }
}
