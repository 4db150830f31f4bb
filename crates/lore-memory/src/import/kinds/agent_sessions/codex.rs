//! Sessions of Codex.

use serde_json::Value;

use super::{Conversation, KEPT_OUTPUT, Role, Turn};
use super::{directory_name, parts, set, shortened, text_at, tool_call, without_reminders};

/// Takes a line of a session. Older versions wrote items without an envelope.
pub(super) fn line(conversation: &mut Conversation, line: &Value, number: usize) {
    let at = text_at(line, "timestamp");
    let kind = text_at(line, "type");
    let item = match (kind, line.get("payload")) {
        ("session_meta", Some(meta)) => return about(conversation, meta),
        ("turn_context", Some(context)) => {
            return set(&mut conversation.model, text_at(context, "model"), true);
        }
        ("response_item", Some(item)) => item,
        (_, Some(_)) => return,
        ("", None) if line.get("role").is_none() => return about(conversation, line),
        (_, None) => line,
    };
    // Items have no id of their own in every version; a line never changes once it is written.
    take(conversation, item, format!("line {number}"), at);
}

/// Takes a session that is one document.
pub(super) fn document(conversation: &mut Conversation, session: &Value) {
    about(conversation, session.get("session").unwrap_or(&Value::Null));
    for (number, item) in session.get("items").and_then(Value::as_array).into_iter().flatten().enumerate() {
        take(conversation, item, format!("item {number}"), text_at(item, "timestamp"));
    }
}

/// Takes what is known of the whole session. A session that continues another one repeats that one's after its own.
fn about(conversation: &mut Conversation, meta: &Value) {
    let is_first = conversation.started.is_empty() && conversation.turns.is_empty();
    set(&mut conversation.id, text_at(meta, "id"), is_first);
    set(&mut conversation.project, &directory_name(text_at(meta, "cwd")), is_first);
    set(&mut conversation.started, text_at(meta, "timestamp"), is_first);
}

fn take(conversation: &mut Conversation, item: &Value, id: String, at: &str) {
    let field = |key: &str| item.get(key).unwrap_or(&Value::Null);
    let (role, text) = match text_at(item, "type") {
        "message" | "" => {
            let role = match text_at(item, "role") {
                "user" => Role::User,
                "assistant" => Role::Assistant,
                _ => return,
            };
            (role, without_reminders(&parts(field("content")).0))
        }
        "function_call" => (Role::Assistant, tool_call(text_at(item, "name"), field("arguments"))),
        "custom_tool_call" | "local_shell_call" => {
            let input = item.get("input").unwrap_or(field("action"));
            (Role::Assistant, tool_call(text_at(item, "name"), input))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let output = field("output");
            let text = output.as_str().map_or_else(|| parts(output).0, str::to_owned);
            (Role::Tool, shortened(&text, KEPT_OUTPUT))
        }
        _ => return,
    };
    conversation.turns.push(Turn { id, role, at: at.to_owned(), text });
}
