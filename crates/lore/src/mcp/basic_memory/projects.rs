//! `list_memory_projects`, `create_memory_project`, `delete_project`, `list_workspaces` and diagnostics.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Answer, BridgeCall, number};
use crate::app::error::{AppError, Result};

/// Lists the projects.
pub(super) fn list(_: &Arguments) -> Result<(&'static str, Value)> {
    Ok(("project_list", json!({})))
}

/// Answers `list_memory_projects`.
pub(super) fn listed(call: BridgeCall<'_>) -> Result<Answer> {
    let is_json = call.is_json();
    let (output, _) = call.outcome?;
    let projects = output["projects"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !is_json {
        let lines: String = projects
            .iter()
            .map(|project| project["name"].as_str().unwrap_or_default())
            .map(|name| format!("- {name} (local) [{name}]\n"))
            .collect();
        return Ok(Answer::text(format!(
            "Available projects:\n{lines}\n{}\nPass a project name (or its [id] as project_id) on tool calls to use that \
             project. Calls without one use the default project.",
            "─".repeat(40)
        )));
    }
    let item = |project: &Value| {
        json!({
            "name": project["name"], "external_id": project["name"], "id": number(&project["name"]), "path": project["path"],
            "local_path": project["path"], "cloud_path": null, "source": "local", "is_default": project["default"],
            "is_private": false, "display_name": null, "workspace_name": null, "workspace_type": null,
            "workspace_tenant_id": null, "workspace_slug": null, "workspace_is_default": false,
            "sync_supported": false, "sync_reason": null, "local_usage": "local-only", "qualified_name": null,
        })
    };
    let default = projects.iter().find(|project| project["default"] == true).map(|project| &project["name"]);
    Ok(Answer::json(json!({
        "projects": projects.iter().map(item).collect::<Vec<_>>(), "default_project": default,
        "constrained_project": null,
    })))
}

/// Answers `list_workspaces`: there is no cloud.
pub(super) fn workspaces(call: BridgeCall<'_>) -> Result<Answer> {
    let is_json = call.is_json();
    call.outcome?;
    Ok(match is_json {
        true => Answer::json(json!({ "workspaces": [], "count": 0 })),
        false => Answer::text("No workspaces: projects are on this machine. Use list_memory_projects."),
    })
}

/// Translates `create_memory_project`.
pub(super) fn create(arguments: &Arguments) -> Result<(&'static str, Value)> {
    local(arguments)?;
    Ok((
        "project_add",
        json!({
            "name": arguments.value("project_name"), "path": arguments.value("project_path"),
            "default": arguments.is("set_default"),
        }),
    ))
}

fn local(arguments: &Arguments) -> Result<()> {
    match arguments.text("workspace") {
        Some(name) => Err(AppError::usage(
            format!("there is no workspace {name:?}: projects are on this machine"),
            "omit workspace",
        )),
        None => Ok(()),
    }
}

/// Answers `create_memory_project`.
pub(super) fn created(call: BridgeCall<'_>) -> Result<Answer> {
    let is_json = call.is_json();
    let (project, _) = call.outcome?;
    let is_new = project["created"] == true;
    let pages = project["pages"].clone();
    if is_json {
        return Ok(Answer::json(json!({
            "name": project["name"], "external_id": project["name"], "path": project["path"],
            "is_default": project["default"], "created": is_new, "already_exists": !is_new,
            "indexing": { "total_files": pages, "enqueued_files": 0, "enqueued_batches": 0, "deleted_files": 0,
                          "state": "completed" },
        })));
    }
    let (name, path) =
        (project["name"].as_str().unwrap_or_default(), project["path"].as_str().unwrap_or_default());
    let heading = match is_new {
        true => format!("✓ Project '{name}' added successfully"),
        false => format!("✓ Project already exists: {name}"),
    };
    Ok(Answer::text(format!(
        "{heading}\n\nProject Details:\n• Name: {name}\n• External ID: {name}\n• Path: {path}\n\nIndexing:\n• State: \
         completed\n• Files discovered: {pages}\n\nUse '{name}' as the project parameter in tool calls."
    )))
}

/// Translates `delete_project`.
pub(super) fn delete(arguments: &Arguments) -> Result<(&'static str, Value)> {
    local(arguments)?;
    if arguments.is("delete_notes") {
        return Err(AppError::usage(
            "removing a project does not delete its files",
            "omit delete_notes, and delete the directory yourself",
        ));
    }
    Ok(("project_remove", json!({ "name": arguments.value("project_name"), "yes": true })))
}

/// Answers `delete_project`.
pub(super) fn deleted(call: BridgeCall<'_>) -> Result<Answer> {
    let name = call.arguments.text("project_name").unwrap_or_default();
    let (output, _) = call.outcome?;
    let message = output["message"].as_str().unwrap_or_default();
    Ok(Answer::text(format!(
        "✓ Project '{name}' removed successfully\n\nRemoved project details:\n• Name: {name}\n{message}"
    )))
}

/// Reads the state of the vault.
pub(super) fn status(_: &Arguments) -> Result<(&'static str, Value)> {
    Ok(("status", json!({})))
}

/// Answers `basic_memory_diagnostics`.
pub(super) fn diagnostics(call: BridgeCall<'_>) -> Result<Answer> {
    let (status, _) = call.outcome?;
    Ok(Answer::text(format!(
        "# Diagnostics\n\n## Version\n- lore: {}\n\n## System\n- Platform: {}\n- Architecture: {}\n\n## Configuration\n\n\
         ```json\n{}\n```",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        serde_json::to_string_pretty(&status).unwrap_or_default()
    )))
}
