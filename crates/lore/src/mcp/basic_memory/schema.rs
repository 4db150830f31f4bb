//! `schema_validate`, `schema_infer` and `schema_diff`. Their operations have the same fields.

use lore_engine::Code;
use serde_json::{Value, json};

use super::arguments::{Arguments, parameters};
use super::{Answer, BridgeCall};
use crate::app::error::Result;

/// Translates `schema_validate`.
pub(super) fn validate(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let note = arguments.text("identifier");
    let kind = arguments.text("note_type").filter(|_| note.is_none());
    Ok(("schema_validate", parameters(json!({ "note": note, "note_type": kind }))))
}

/// Translates `schema_infer`.
pub(super) fn infer(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let threshold = arguments.value("threshold");
    Ok((
        "schema_infer",
        parameters(json!({ "note_type": arguments.text("note_type"), "threshold": threshold })),
    ))
}

/// Translates `schema_diff`.
pub(super) fn diff(arguments: &Arguments) -> Result<(&'static str, Value)> {
    Ok(("schema_diff", json!({ "note_type": arguments.text("note_type").unwrap_or_default() })))
}

/// Answers all of them.
pub(super) fn reply(call: BridgeCall<'_>) -> Result<Answer> {
    let is_json = call.is_json();
    match call.outcome {
        Ok((mut output, _)) if is_json => {
            for key in ["new_fields", "dropped_fields"] {
                for field in output.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                    let keep = ["name", "source", "count", "total", "percentage"];
                    if let Some(field) = field.as_object_mut() {
                        field.retain(|name, _| keep.contains(&name.as_str()));
                    }
                }
            }
            Ok(Answer::json(output))
        }
        Ok((_, text)) => Ok(Answer::text(text.trim_end())),
        Err(failure) if failure.code == Code::NotFound && is_json => {
            Ok(Answer::json(json!({ "error": failure.message })))
        }
        Err(failure) if failure.code == Code::NotFound => {
            Ok(Answer::text(format!("# {}\n\n{}", failure.message, failure.hint)))
        }
        Err(failure) => Err(failure),
    }
}
