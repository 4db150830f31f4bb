//! The OpenAPI document, made from the schemas of the operations.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::reply;
use crate::ops::{self, Entry};

/// The document.
pub async fn document() -> Response {
    reply::value(StatusCode::OK, &made())
}

fn made() -> Value {
    let mut paths = Map::new();
    for entry in ops::registry() {
        paths.insert(format!("/api/{}", entry.tool()), json!({ "post": operation(&entry) }));
    }
    paths.insert("/api/context/{path}".into(), page());
    paths.insert(
        "/healthz".into(),
        json!({ "get": {
        "operationId": "healthz", "security": [],
        "responses": { "200": content("The server lives", json!({ "type": "object" })) } } }),
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

fn operation(entry: &Entry) -> Value {
    let input = (entry.input)().to_value();
    let about = input["description"].as_str().unwrap_or_default().to_owned();
    let (summary, rest) = about.split_once("\n\n").unwrap_or((&about, ""));
    json!({
        "operationId": entry.tool(),
        "summary": summary,
        "description": rest,
        "parameters": [project()],
        "requestBody": { "required": true, "content": { "application/json": { "schema": bare(input) } } },
        "responses": responses(content("Done", bare((entry.output)().to_value()))),
    })
}

fn page() -> Value {
    let path = json!({ "name": "path", "in": "path", "required": true, "schema": { "type": "string" } });
    let parameters = json!([path, project()]);
    let text = json!({ "text/markdown": { "schema": { "type": "string" } } });
    let written = || responses(content("Done", json!({ "type": "object" })));
    json!({
        "parameters": parameters,
        "get": { "operationId": "read_context", "summary": "A page's text; its version is the ETag",
                 "responses": responses(json!({ "description": "The page", "content": text })) },
        "put": { "operationId": "put_context", "summary": "Write a page; If-Match is the version check",
                 "requestBody": { "required": true, "content": text }, "responses": written() },
        "patch": { "operationId": "patch_context", "summary": "Add to a page, or change a part of it",
                   "requestBody": { "required": true, "content": text }, "responses": written() },
        "delete": { "operationId": "delete_context", "summary": "Remove a page", "responses": written() },
    })
}

fn project() -> Value {
    json!({ "name": "project", "in": "query", "schema": { "type": "string" },
            "description": "The project, where it is not the server's own" })
}

fn content(about: &str, schema: Value) -> Value {
    json!({ "description": about, "content": { "application/json": { "schema": schema } } })
}

fn responses(done: Value) -> Value {
    let error = content("What went wrong, and what to do", json!({ "$ref": "#/components/schemas/Error" }));
    json!({ "2XX": done, "4XX": error, "5XX": error })
}

fn bare(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.retain(|key, _| !matches!(key.as_str(), "description" | "title" | "$schema"));
    }
    schema
}
