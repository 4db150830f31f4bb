//! `/api/context/PATH`: reads, writes, edits or deletes a page by its path. The policy decides which of these a path
//! allows, and maps old paths to new ones.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use lore_engine::Code;
use serde_json::{Map, Value, json};

use super::address::Address;
use super::operations::{bytes, run_as};
use super::{Shared, reply};
use crate::app::access::Grant;
use crate::app::error::{AppError, Result};
use crate::ops;

/// The version conditions of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Means {
    expected: Option<u64>,
    /// Whether the page must exist, at any version.
    exists: bool,
    /// The version that the client already has.
    has: Option<u64>,
    conditional: bool,
}

/// Handles all methods of a page.
pub async fn page(
    State(shared): State<Arc<Shared>>,
    Extension(grant): Extension<Grant>,
    Address { place, project }: Address,
    method: Method,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let means = match means(&headers) {
        Ok(means) => means,
        Err(failure) => return reply::failure(&failure),
    };
    let asked = match request(&method, &place, means, &headers, body).await {
        Ok(asked) => asked,
        Err(failure) => return reply::failure(&failure),
    };
    if means.exists && method == Method::PUT {
        let look = ("get", Map::from_iter([("reference".to_owned(), json!(place))]));
        match run(&shared, grant.clone(), project.clone(), look).await {
            Ok(_) => (),
            Err(failure) if failure.code == Code::NotFound => {
                return reply::refusal(StatusCode::PRECONDITION_FAILED, &failure);
            }
            Err(failure) => return reply::failure(&failure),
        }
    }
    match run(&shared, grant, project, asked).await {
        Ok(value) => answered(&method, means, &value),
        Err(failure) if failure.code == Code::Conflict && means.conditional => {
            reply::refusal(StatusCode::PRECONDITION_FAILED, &failure)
        }
        Err(failure) => reply::failure(&failure),
    }
}

type OperationCall = (&'static str, Map<String, Value>);

/// Returns the operation for a request, with its parameters.
async fn request(
    method: &Method,
    path: &str,
    means: Means,
    headers: &HeaderMap,
    body: Body,
) -> Result<OperationCall> {
    let mut input = Map::new();
    let operation = match *method {
        Method::GET | Method::HEAD => {
            input.insert("reference".into(), json!(path));
            return Ok(("get", input));
        }
        Method::PUT => {
            input = object_or(body, headers, "content").await?;
            input.insert("slug".into(), json!(path));
            "put"
        }
        Method::PATCH => {
            input = object_or(body, headers, "append").await?;
            input.insert("reference".into(), json!(path));
            "edit"
        }
        // The router admits only DELETE besides these.
        _ => {
            input.insert("reference".into(), json!(path));
            input.insert("yes".into(), json!(true));
            "rm"
        }
    };
    if let Some(version) = means.expected {
        input.insert("expected_version".into(), json!(version));
    }
    Ok((operation, input))
}

async fn run(
    shared: &Shared,
    grant: Grant,
    project: Option<String>,
    (operation, input): OperationCall,
) -> Result<Value> {
    let entry = ops::find(operation)?;
    grant.check(&entry.demand())?;
    run_as(
        shared,
        grant,
        project,
        move |session| Ok((entry.from_json)(Value::Object(input), session)?.json()),
    )
    .await
}

fn answered(method: &Method, means: Means, value: &Value) -> Response {
    let version = value["version"].as_u64().unwrap_or_default();
    let response = match *method {
        Method::GET | Method::HEAD if means.has == Some(version) => {
            reply::plain(StatusCode::NOT_MODIFIED, "text/markdown; charset=utf-8", Vec::new())
        }
        Method::GET | Method::HEAD => {
            let content = value["content"].as_str().unwrap_or_default();
            reply::plain(StatusCode::OK, "text/markdown; charset=utf-8", content.as_bytes().to_vec())
        }
        _ if value["outcome"] == "created" => reply::value(StatusCode::CREATED, value),
        _ => reply::value(StatusCode::OK, value),
    };
    reply::with_version(response, version)
}

/// Reads a JSON object of parameters, or plain text as the value of one parameter.
async fn object_or(body: Body, headers: &HeaderMap, name: &str) -> Result<Map<String, Value>> {
    let bytes = bytes(body).await?;
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.to_ascii_lowercase().starts_with("application/json") {
        return match serde_json::from_slice(&bytes) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => {
                Err(AppError::usage("the body is not a JSON object", "send one, or send the text itself"))
            }
            Err(error) => Err(AppError::usage(format!("invalid JSON: {error}"), "send one JSON object")),
        };
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| AppError::usage("the body is not valid UTF-8", "send UTF-8, as text/markdown"))?;
    Ok(Map::from_iter([(name.to_owned(), json!(text))]))
}

/// Parses the version conditions in the headers.
fn means(headers: &HeaderMap) -> Result<Means> {
    let tag = |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let number = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').parse::<u64>().ok();
    let has = tag(IF_NONE_MATCH).and_then(number);
    let expected = match (tag(IF_MATCH), tag(IF_NONE_MATCH)) {
        (Some("*"), _) => None,
        (Some(tag), _) => Some(number(tag).ok_or_else(|| {
            AppError::usage(format!("invalid version {tag:?}"), "send the ETag of the page as you read it")
        })?),
        (None, Some("*")) => Some(0),
        _ => None,
    };
    let exists = tag(IF_MATCH) == Some("*");
    Ok(Means { expected, exists, has, conditional: expected.is_some() })
}
