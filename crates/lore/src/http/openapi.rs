//! The OpenAPI document, generated from the schemas of the operations.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::{Shared, reply};
use crate::app::access::{Grant, Limits};
use crate::ops;
use crate::ops::OperationInfo;

/// Serves the OpenAPI document.
pub async fn document(State(shared): State<Arc<Shared>>, Extension(grant): Extension<Grant>) -> Response {
    let machine = shared.workers.host().allow_machine;
    let limits = Limits { projects: grant.projects.clone(), machine };
    let offered =
        |entry: &OperationInfo| grant.check(&entry.demand()).is_ok() && limits.check(&entry.demand()).is_ok();
    reply::value(StatusCode::OK, &made(offered))
}

/// Returns the document with the operations that the token may run on this server.
fn made(offered: impl Fn(&OperationInfo) -> bool) -> Value {
    let mut paths = Map::new();
    for entry in ops::REGISTRY.iter().filter(|entry| offered(entry)) {
        paths.insert(format!("/api/{}", entry.tool()), json!({ "post": operation(entry) }));
    }
    paths.insert("/api/context/{path}".into(), page());
    paths.insert(
        "/healthz".into(),
        json!({ "get": {
        "operationId": "healthz", "security": [],
        "responses": { "200": content("The server is running", json!({ "type": "object" })) } } }),
    );
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Lore", "version": env!("CARGO_PKG_VERSION"),
                  "description": "A memory for AI agents and people, in plain files that they own" },
        "paths": paths,
        "security": [{ "token": [] }],
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Error": { "type": "object", "required": ["error"], "properties": { "error": {
                "type": "object", "required": ["code", "message", "hint"],
                "properties": { "code": { "type": "string" }, "message": { "type": "string" },
                                "hint": { "type": "string" }, "current_version": { "type": "integer" } } } } } },
        },
    })
}

fn operation(entry: &OperationInfo) -> Value {
    let input = (entry.input)().to_value();
    let about = input["description"].as_str().unwrap_or_default().to_owned();
    let (summary, rest) = about.split_once("\n\n").unwrap_or((&about, ""));
    // A request without a body means no parameters.
    let required = input.get("required").is_some();
    json!({
        "operationId": entry.tool(),
        "summary": summary,
        "description": rest,
        "parameters": [project(), namespace()],
        "requestBody": { "required": required, "content": { "application/json": { "schema": bare(input) } } },
        "responses": responses(&[("200", content("Done", output(entry)))]),
    })
}

fn page() -> Value {
    let path = json!({ "name": "path", "in": "path", "required": true, "schema": { "type": "string" } });
    let parameters = json!([path, project(), namespace()]);
    let matches = header("If-Match", "Version (ETag) that the page must have");
    let has = header("If-None-Match", "Version that the client already has");
    let absent = header("If-None-Match", "* if the page must not exist yet");
    let text = json!({ "text/markdown": { "schema": { "type": "string" } } });
    let read = ("200", json!({ "description": "The page", "content": text }));
    let same = ("304", json!({ "description": "The client already has this version" }));
    let done = |operation| ("200", content("Done", output_of(operation)));
    let made = ("201", content("Page created", output_of("put")));
    json!({
        "parameters": parameters,
        "get": { "operationId": "read_context", "summary": "Read a page; its version is the ETag",
                 "parameters": [has], "responses": responses(&[read, same]) },
        "put": { "operationId": "put_context", "summary": "Write a page; If-Match checks the version",
                 "parameters": [matches, absent], "requestBody": written("put", "slug"),
                 "responses": responses(&[done("put"), made]) },
        "patch": { "operationId": "patch_context", "summary": "Append to a page or edit part of it",
                   "parameters": [matches], "requestBody": written("edit", "reference"),
                   "responses": responses(&[done("edit")]) },
        "delete": { "operationId": "delete_context", "summary": "Delete a page",
                    "parameters": [matches], "responses": responses(&[done("rm")]) },
    })
}

/// Describes a request body: the text itself, or the operation's parameters without the page, which is in the URL.
fn written(operation: &str, page: &str) -> Value {
    let mut input = ops::find(operation).map(|entry| bare((entry.input)().to_value())).unwrap_or_default();
    if let Some(object) = input.as_object_mut() {
        object.remove("required");
    }
    if let Some(known) = input.get_mut("properties").and_then(Value::as_object_mut) {
        known.remove(page);
    }
    let text = json!({ "schema": { "type": "string" } });
    let content = json!({ "text/markdown": text, "application/json": { "schema": input } });
    json!({ "required": true, "content": content })
}

fn project() -> Value {
    json!({ "name": "project", "in": "query", "schema": { "type": "string" },
            "description": "Project, if not the server's own" })
}

fn namespace() -> Value {
    json!({ "name": "namespace", "in": "query", "schema": { "type": "string" },
            "description": "Namespace to read from and write to; all for the whole vault" })
}

fn header(name: &str, about: &str) -> Value {
    json!({ "name": name, "in": "header", "schema": { "type": "string" }, "description": about })
}

fn content(about: &str, schema: Value) -> Value {
    json!({ "description": about, "content": { "application/json": { "schema": schema } } })
}

fn responses(done: &[(&str, Value)]) -> Value {
    let error = content("What is wrong, and how to fix it", json!({ "$ref": "#/components/schemas/Error" }));
    let all = done.iter().cloned().chain([("4XX", error.clone()), ("5XX", error)]);
    Value::Object(all.map(|(status, answer)| (status.to_owned(), answer)).collect())
}

fn output(entry: &OperationInfo) -> Value {
    bare((entry.output)().to_value())
}

fn output_of(operation: &str) -> Value {
    ops::find(operation).map(output).unwrap_or_default()
}

fn bare(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.retain(|key, _| !matches!(key.as_str(), "description" | "title" | "$schema"));
    }
    schema
}
