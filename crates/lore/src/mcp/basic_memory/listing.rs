//! `list_directory`, `ls` and `find`.

use lore_engine::Code;
use serde_json::{Value, json};

use super::arguments::{Arguments, parameters};
use super::reading::content_type;
use super::searching::{find_by_conditions, found_by_conditions};
use super::{Answer, BridgeCall, number};
use crate::app::error::Result;

/// Translates `list_directory`.
pub(super) fn list(arguments: &Arguments) -> Result<(&'static str, Value)> {
    Ok((
        "list_folder",
        parameters(json!({
            "path": arguments.text("dir_name"), "depth": arguments.number("depth"),
            "glob": arguments.text("file_name_glob"), "sort": arguments.text("sort"),
            "page": arguments.number("page"), "page_size": arguments.number("page_size"),
        })),
    ))
}

/// Translates `ls`: the root is the list of projects.
pub(super) fn ls(arguments: &Arguments) -> Result<(&'static str, Value)> {
    if is_root(arguments) && arguments.project().is_none() {
        return Ok(("project_list", json!({})));
    }
    Ok((
        "list_folder",
        parameters(json!({
            "path": arguments.text("path"), "page": arguments.number("page"),
            "page_size": arguments.number("page_size"),
        })),
    ))
}

fn is_root(arguments: &Arguments) -> bool {
    arguments.text("path").is_none_or(|path| path == "/")
}

/// Translates `find`: files by name, or notes by conditions.
pub(super) fn find(arguments: &Arguments) -> Result<(&'static str, Value)> {
    if !arguments.list("meta").is_empty() {
        return find_by_conditions(arguments);
    }
    Ok((
        "list_folder",
        parameters(json!({
            "path": arguments.text("path"), "depth": arguments.number("depth"), "glob": arguments.text("name"),
            "page": arguments.number("page"), "page_size": arguments.number("page_size"),
        })),
    ))
}

fn node(node: &Value) -> Value {
    let is_folder = node["folder"] == true;
    let note = &node["note"];
    let path = node["path"].as_str().unwrap_or_default();
    let name = node["name"].as_str().unwrap_or_default();
    let is_note = note.is_object();
    let extension = name.rsplit_once('.').map(|(_, end)| end).filter(|_| !is_folder && !is_note);
    json!({
        "name": name,
        "file_path": if is_folder { Value::Null } else { path.into() },
        "directory_path": format!("/{path}"),
        "type": if is_folder { "directory" } else { "file" },
        "children": [],
        "title": if is_folder { Value::Null } else if is_note { note["title"].clone() } else { name.into() },
        "permalink": note["permalink"],
        "external_id": note["id"],
        "entity_id": number(&note["id"]),
        "note_type": if is_folder { Value::Null } else if is_note { note["note_type"].clone() } else { "file".into() },
        "content_type": if is_folder { Value::Null } else { content_type(name).into() },
        "format": extension,
        "updated_at": note["updated"],
    })
}

fn nodes(output: &Value) -> Value {
    let all = output["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    json!({
        "nodes": all.iter().map(node).collect::<Vec<_>>(), "page": output["page"],
        "page_size": output["page_size"], "total": output["total"], "has_more": output["more"],
    })
}

/// Answers `ls`.
pub(super) fn ls_answer(call: BridgeCall<'_>) -> Result<Answer> {
    let (output, _) = call.outcome?;
    let Some(projects) = output["projects"].as_array() else { return Ok(Answer::json(nodes(&output))) };
    let project = |project: &Value| {
        let name = project["name"].as_str().unwrap_or_default();
        let mut entry = node(&json!({ "name": name, "path": name, "folder": true }));
        entry["permalink"] = name.into();
        entry
    };
    let (page, size) =
        (call.arguments.number("page").unwrap_or(1), call.arguments.number("page_size").unwrap_or(10));
    let first = page.saturating_sub(1).saturating_mul(size);
    let shown: Vec<Value> = projects.iter().skip(first).take(size).map(project).collect();
    let more = first + shown.len() < projects.len();
    Ok(Answer::json(json!({
        "nodes": shown, "page": page, "page_size": size, "total": projects.len(), "has_more": more,
    })))
}

/// Answers `find`.
pub(super) fn find_answer(call: BridgeCall<'_>) -> Result<Answer> {
    let (output, _) = call.outcome?;
    Ok(match call.arguments.list("meta").is_empty() {
        true => Answer::json(nodes(&output)),
        false => found_by_conditions(call.arguments, &output),
    })
}

/// Answers `list_directory`.
pub(super) fn list_answer(call: BridgeCall<'_>) -> Result<Answer> {
    let output = match &call.outcome {
        Ok((output, _)) => output,
        Err(failure) if failure.code == Code::NotFound => &json!({ "nodes": [], "total": 0, "more": false }),
        Err(_) => return call.outcome.map(|_| Answer::text("")),
    };
    if call.is_json() {
        return Ok(Answer::json(nodes(output)));
    }
    let arguments = call.arguments;
    let folder = arguments.text("dir_name").unwrap_or("/");
    let glob = arguments.text("file_name_glob");
    let all = output["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    if all.is_empty() {
        let glob = glob.map(|glob| format!(" matching '{glob}'")).unwrap_or_default();
        return Ok(Answer::text(format!("No files found in directory '{folder}'{glob}")));
    }
    let depth = arguments.number("depth").unwrap_or(1);
    let total = output["total"].as_u64().unwrap_or_default();
    let mut text = match glob {
        Some(glob) => format!("Files in '{folder}' matching '{glob}' (depth {depth}):\n"),
        None => format!("Contents of '{folder}' (depth {depth}):\n"),
    };
    text.push_str(&format!(
        "Page {} (page size {}, {total} total items)\n",
        output["page"], output["page_size"]
    ));
    let of = |node: &Value, key: &str| node[key].as_str().unwrap_or_default().to_owned();
    let mut in_folders = None;
    for node in all {
        let is_folder = node["folder"] == true;
        if in_folders != Some(is_folder) {
            text.push('\n');
            in_folders = Some(is_folder);
        }
        let (name, path) = (of(node, "name"), of(node, "path"));
        if is_folder {
            text.push_str(&format!("📁 {name:<30} /{path}\n"));
            continue;
        }
        let note = &node["note"];
        let details = match note.is_object() {
            true => {
                let day = of(note, "updated");
                let day = day.get(..10).unwrap_or_default().to_owned();
                format!(" | {} | {day} | id: {}", of(note, "title"), of(note, "id"))
            }
            false => String::new(),
        };
        text.push_str(&format!("📄 {name:<30} {path}{details}\n"));
    }
    let folders = output["folders"].as_u64().unwrap_or_default();
    let count = |number: u64, one: &str, many: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        number => Some(format!("{number} {many}")),
    };
    let parts = [count(folders, "directory", "directories"), count(total - folders, "file", "files")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    text.push_str(&format!("\nTotal: {total} items ({})", parts.join(", ")));
    Ok(Answer::text(text))
}
