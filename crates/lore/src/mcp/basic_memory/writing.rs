//! `write_note`, `edit_note`, `move_note` and `delete_note`.

use lore_engine::Code;
use serde_json::{Map, Value, json};

use super::arguments::{Arguments, parameters};
use super::reading::permalink;
use super::{Answer, BridgeCall};
use crate::app::error::{AppError, Result};

/// Operations of `edit_note`.
pub(super) const EDITS: &[&str] = &[
    "append",
    "prepend",
    "find_replace",
    "replace_section",
    "insert_before_section",
    "insert_after_section",
];

/// Translates `write_note`.
pub(super) fn write(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let overwrite = arguments.is("overwrite");
    if arguments.text("expected_checksum").is_some() && !overwrite {
        return Err(AppError::usage("expected_checksum requires overwrite=True", "pass overwrite as well"));
    }
    // The parameter is required there, so an empty one names the root.
    let directory = match arguments.value("directory") {
        Value::String(given) if given.trim().is_empty() => json!("/"),
        given => given,
    };
    // A note without a type in its text gets that of the parameter.
    let has_type = has_property(arguments.text("content").unwrap_or_default(), "type");
    Ok((
        "write_note",
        parameters(json!({
            "title": arguments.value("title"),
            "content": arguments.value("content"),
            "directory": directory,
            "tags": tags(arguments),
            "note_type": if has_type { Value::Null } else { arguments.value("note_type") },
            "metadata": arguments.value("metadata"),
            "overwrite": overwrite,
            "expected_hash": arguments.value("expected_checksum"),
        })),
    ))
}

/// Whether the frontmatter of a text has a property.
fn has_property(text: &str, key: &str) -> bool {
    let mut lines = text.lines();
    lines.next() == Some("---")
        && lines.take_while(|line| line.trim_end() != "---").any(|line| line.starts_with(&format!("{key}:")))
}

fn tags(arguments: &Arguments) -> Vec<String> {
    let tags = arguments.list("tags").into_iter();
    tags.map(|tag| tag.trim().trim_start_matches('#').to_owned()).filter(|tag| !tag.is_empty()).collect()
}

/// Answers `write_note`.
pub(super) fn written(call: BridgeCall<'_>) -> Result<Answer> {
    let is_json = call.is_json();
    let note = match &call.outcome {
        Ok((note, _)) => note,
        Err(failure) => return Ok(refused_write(failure, call.arguments, is_json)),
    };
    let action = if note["outcome"] == "created" { "created" } else { "updated" };
    if is_json {
        return Ok(Answer::json(json!({
            "title": note["title"], "permalink": permalink(note), "file_path": note["file_path"],
            "checksum": note["hash"], "action": action, "similar_notes": [],
        })));
    }
    let verb = if action == "created" { "Created" } else { "Updated" };
    let mut text = format!("# {verb} note\n{}", note_lines(&call, note));
    let tags = tags(call.arguments);
    if !tags.is_empty() {
        text.push_str(&format!("\n## Tags\n- {}\n", tags.join(", ")));
    }
    if let Some(kept) = note["kept"].as_array() {
        text.push_str(&format!(
            "\nkept {} structured lines that the new text does not mention\n",
            kept.len()
        ));
    }
    text.push_str(&footer(&call));
    Ok(Answer::text(text))
}

fn note_lines(call: &BridgeCall<'_>, note: &Value) -> String {
    let text = |key: &str| note[key].as_str().unwrap_or_default().to_owned();
    let hash = text("hash");
    format!(
        "project: {}\nfile_path: {}\npermalink: {}\nchecksum: {}\n",
        call.project,
        text("file_path"),
        permalink(note),
        hash.get(..8).unwrap_or(&hash)
    )
}

fn footer(call: &BridgeCall<'_>) -> String {
    match call.is_default {
        true => format!(
            "\n[Project: '{}' (none was given, so this is the default; pass project for another)]",
            call.project
        ),
        false => format!("\n[Project: '{}']", call.project),
    }
}

fn refused_write(failure: &AppError, arguments: &Arguments, is_json: bool) -> Answer {
    let title = arguments.value("title");
    let code = match failure.code {
        Code::Exists => "NOTE_ALREADY_EXISTS",
        Code::Conflict => "NOTE_REVISION_CONFLICT",
        Code::Denied => "SECURITY_VALIDATION_ERROR",
        _ if is_json => {
            let body = json!({ "title": title, "permalink": null, "file_path": null, "checksum": null,
                               "action": "failed", "error": failure.message });
            return Answer::json(body).failed();
        }
        _ => return failure_text("# Error: note not written\n\n", failure),
    };
    if !is_json {
        let heading = match failure.code {
            Code::Exists => "# Error: Note already exists\n\n",
            Code::Conflict => "# Error: Note revision conflict\n\n",
            _ => "# Error: path not allowed\n\n",
        };
        return failure_text(heading, failure);
    }
    let path = failure.message.split(" already exists").next().filter(|_| failure.code == Code::Exists);
    let mut body = json!({
        "title": title, "permalink": path.map(lore_text::path_slug), "file_path": path, "checksum": null,
        "action": "conflict", "error": code,
    });
    if failure.code == Code::Conflict {
        body["currentChecksum"] = failure.message.rsplit_once("is now ").map(|(_, hash)| hash).into();
    }
    Answer::json(body).failed()
}

/// Returns an error as text.
pub(super) fn failure_text(heading: &str, failure: &AppError) -> Answer {
    Answer::text(format!("{heading}{}\n\n{}", failure.message, failure.hint)).failed()
}

/// Translates `edit_note`.
pub(super) fn edit(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let operation = arguments.text("operation").unwrap_or_default();
    let content = arguments.value("content");
    let section = || match arguments.text("section") {
        Some(section) => Ok(section.to_owned()),
        None => {
            Err(AppError::usage("section parameter is required for section-based operations", "pass section"))
        }
    };
    let updates = match operation {
        "append" => json!({ "append": content }),
        "prepend" => json!({ "prepend": content }),
        "find_replace" => match arguments.text("find_text") {
            Some(find) => parameters(json!({
                "find": find, "replace": content, "expect_count": arguments.number("expected_replacements"),
            })),
            None => {
                let message = "find_text parameter is required for find_replace operation";
                return Err(AppError::usage(message, "pass find_text"));
            }
        },
        "replace_section" => json!({ "section": section()?, "with": content }),
        "insert_before_section" => json!({ "before_section": section()?, "with": content }),
        _ => json!({ "section": section()?, "prepend": content }),
    };
    Ok((
        "edit_note",
        parameters(json!({
            "path": arguments.value("identifier"),
            "content_updates": updates.to_string(),
            "metadata": arguments.value("metadata"),
            "expected_hash": arguments.value("expected_checksum"),
            "keep_subsections": arguments.value("replace_subsections") == Value::Bool(false),
        })),
    ))
}

/// Answers `edit_note`.
pub(super) fn edited(call: BridgeCall<'_>) -> Result<Answer> {
    let (arguments, is_json) = (call.arguments, call.is_json());
    let operation = arguments.text("operation").unwrap_or_default();
    let note = match &call.outcome {
        Ok((note, _)) => note,
        Err(failure) if is_json => {
            return Ok(Answer::json(json!({
                "title": null, "permalink": null, "file_path": null, "checksum": null, "operation": operation,
                "fileCreated": false, "error": failure.message,
            }))
            .failed());
        }
        Err(failure) => {
            let heading = match failure.code {
                Code::NotFound => "# Edit Failed - Note Not Found\n\n",
                Code::Conflict => "# Edit Failed - Note Revision Conflict\n\n",
                _ => "# Edit Failed\n\n",
            };
            return Ok(failure_text(heading, failure));
        }
    };
    let created = note["outcome"] == "created";
    if is_json {
        return Ok(Answer::json(json!({
            "title": note["title"], "permalink": permalink(note), "file_path": note["file_path"],
            "checksum": note["hash"], "operation": operation, "fileCreated": created,
        })));
    }
    let verb = if created { "Created" } else { "Edited" };
    let lines = arguments.text("content").unwrap_or_default().lines().count().max(1);
    let section = arguments.text("section").unwrap_or_default();
    let done = match operation {
        _ if created => format!("Created note with {lines} lines"),
        "append" => format!("Added {lines} lines to end of note"),
        "prepend" => format!("Added {lines} lines to beginning of note"),
        "find_replace" => "Find and replace operation completed".into(),
        "replace_section" => format!("Replaced content under section '{section}'"),
        "insert_before_section" => format!("Inserted content before section '{section}'"),
        _ => format!("Inserted content after section '{section}'"),
    };
    let new = if created { "fileCreated: true\n" } else { "" };
    let head = format!("# {verb} note ({operation})\n{}{new}operation: {done}\n", note_lines(&call, note));
    Ok(Answer::text(format!("{head}{}", footer(&call))))
}

/// Translates `move_note`.
pub(super) fn relocate(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let reference = arguments.value("identifier");
    let (path, folder) = (arguments.text("destination_path"), arguments.text("destination_folder"));
    if arguments.is("is_directory") {
        let to = path.or(folder).map(str::to_owned);
        let to = to.ok_or_else(|| AppError::usage(NO_DESTINATION, "pass destination_path"))?;
        return Ok(("mv_folder", json!({ "folder": reference, "to": to })));
    }
    let to = match (path, folder) {
        (Some(path), None) if path.rsplit('/').next().is_some_and(|name| name.contains('.')) => {
            path.to_owned()
        }
        (Some(path), None) => {
            let message = format!("The destination path '{path}' must include a file extension");
            return Err(AppError::usage(message, format!("pass {path}.md")));
        }
        (None, Some(folder)) => format!("{}/", folder.trim_matches('/')),
        (Some(_), Some(_)) => {
            return Err(AppError::usage(
                "destination_path and destination_folder are both given",
                "pass one",
            ));
        }
        (None, None) => {
            return Err(AppError::usage(NO_DESTINATION, "pass destination_path or destination_folder"));
        }
    };
    Ok(("mv", json!({ "reference": reference, "to": to })))
}

const NO_DESTINATION: &str = "Either destination_path or destination_folder must be provided";

/// Answers `move_note`.
pub(super) fn moved(call: BridgeCall<'_>) -> Result<Answer> {
    let (arguments, is_json) = (call.arguments, call.is_json());
    let source = arguments.text("identifier").unwrap_or_default();
    let asked = arguments.text("destination_path").or_else(|| arguments.text("destination_folder"));
    let asked = asked.unwrap_or_default();
    let result = match &call.outcome {
        Ok((result, _)) => result,
        Err(failure) if is_json => {
            return Ok(Answer::json(json!({
                "moved": false, "title": null, "permalink": null, "file_path": null, "source": source,
                "destination": asked, "error": failure.message,
            }))
            .failed());
        }
        Err(failure) => {
            let heading = match failure.code {
                Code::NotFound => "# Move Failed - Note Not Found\n\n",
                Code::Denied => "# Move Failed - Security Validation Error\n\n",
                _ => "# Move Failed\n\n",
            };
            return Ok(failure_text(heading, failure));
        }
    };
    if arguments.is("is_directory") {
        return Ok(folder_answer(&call, result, source, asked));
    }
    let (permalink, path) = (permalink(result), result["path"].clone());
    if is_json {
        return Ok(Answer::json(json!({
            "moved": true, "title": result["title"], "permalink": permalink, "file_path": path, "source": source,
            "destination": path,
        })));
    }
    let path = path.as_str().unwrap_or_default();
    Ok(Answer::text(format!(
        "✅ Note moved successfully\n\n📁 **{source}** → **{path}**\n🔗 Permalink: {permalink}\n\n<!-- Project: {} -->",
        call.project
    )))
}

fn folder_answer(call: &BridgeCall<'_>, result: &Value, source: &str, to: &str) -> Answer {
    let files = result["files"].as_array().cloned().unwrap_or_default();
    let (count, moved) = (files.len(), result["outcome"] == "moved");
    if call.is_json() {
        let mut fields = Map::new();
        let mut set = |key: &str, value: Value| fields.insert(key.to_owned(), value);
        if moved {
            set("moved", true.into());
            for name in ["title", "permalink", "file_path"] {
                set(name, Value::Null);
            }
            set("source", source.into());
            set("destination", to.into());
        } else {
            set("deleted", true.into());
            set("identifier", source.into());
        }
        set("is_directory", true.into());
        set("total_files", count.into());
        let verb = if moved { "moves" } else { "deletes" };
        set(&format!("successful_{verb}"), count.into());
        set(&format!("failed_{verb}"), 0.into());
        if !moved {
            set("deleted_files", Value::Array(files));
            set("errors", json!([]));
        }
        return Answer::json(Value::Object(fields));
    }
    let list: String =
        files.iter().map(|file| format!("- `{}`\n", file.as_str().unwrap_or_default())).collect();
    let (verb, small) = if moved { ("Moved", "moved") } else { ("Deleted", "deleted") };
    let place = match moved {
        true => format!("**Source:** `{source}`\n**Destination:** `{to}`"),
        false => format!("**Directory:** `{source}`"),
    };
    Answer::text(format!(
        "# Directory {verb} Successfully\n\n{place}\n\n## Summary\n- Total files: {count}\n- Successfully {small}: \
         {count}\n- Failed: 0\n\n## {verb} Files\n{list}\n<!-- Project: {} -->",
        call.project
    ))
}

/// Translates `delete_note`.
pub(super) fn delete(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let reference = arguments.value("identifier");
    Ok(match arguments.is("is_directory") {
        true => ("rm_folder", json!({ "folder": reference, "yes": true })),
        false => ("rm", json!({ "reference": reference, "yes": true })),
    })
}

/// Answers `delete_note`.
pub(super) fn deleted(call: BridgeCall<'_>) -> Result<Answer> {
    let (arguments, is_json) = (call.arguments, call.is_json());
    let identifier = arguments.text("identifier").unwrap_or_default();
    let is_folder = arguments.is("is_directory");
    match &call.outcome {
        Ok((result, _)) if is_folder => Ok(folder_answer(&call, result, identifier, "")),
        Ok((result, _)) if is_json => Ok(Answer::json(json!({
            "deleted": true, "title": result["title"], "permalink": result["slug"], "file_path": result["path"],
        }))),
        Ok(_) => Ok(Answer::json(true.into())),
        Err(failure) if is_folder && is_json => Ok(Answer::json(json!({
            "deleted": false, "is_directory": true, "identifier": identifier, "total_files": 0,
            "successful_deletes": 0, "failed_deletes": 0, "deleted_files": [], "errors": [], "error": failure.message,
        }))
        .failed()),
        Err(failure) if failure.code != Code::NotFound || is_folder => {
            Ok(failure_text("# Delete Failed\n\n", failure))
        }
        Err(_) if is_json => {
            Ok(Answer::json(json!({ "deleted": false, "title": null, "permalink": null, "file_path": null })))
        }
        Err(_) => Ok(Answer::json(false.into())),
    }
}
