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
use super::operations::{bytes, target};
use super::{Shared, reply};
use crate::app::access::Grant;
use crate::app::error::{AppError, Result};
use crate::server::{RequestTarget, resolve};

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

/// A request for a page.
struct PageRequest {
    path: String,
    method: Method,
    headers: HeaderMap,
    means: Means,
}

/// Handles all methods of a page.
pub async fn page(
    State(shared): State<Arc<Shared>>,
    Extension(grant): Extension<Grant>,
    Address { place, scope }: Address,
    method: Method,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let request = means(&headers).map(|means| PageRequest { path: place, method, headers, means });
    let response = match request {
        Ok(request) => request.run(&shared, target(&shared, grant, scope), body).await,
        Err(failure) => Err(failure),
    };
    response.unwrap_or_else(|failure| reply::failure(&failure))
}

impl PageRequest {
    async fn run(&self, shared: &Shared, target: RequestTarget, body: Body) -> Result<Response> {
        let request = resolve(target.clone(), self.operation(), self.parameters(body)).await?;
        if self.means.exists && self.method == Method::PUT {
            let reference = std::future::ready(Ok(json!({ "reference": self.reference() })));
            match resolve(target, "get", reference).await?.json(&shared.workers).await {
                Ok(_) => (),
                Err(failure) if failure.code == Code::NotFound => {
                    return Ok(reply::refusal(StatusCode::PRECONDITION_FAILED, &failure));
                }
                Err(failure) => return Err(failure),
            }
        }
        match request.json(&shared.workers).await {
            Ok(value) => Ok(answered(&self.method, self.means, &value)),
            Err(failure) if failure.code == Code::Conflict && self.means.conditional => {
                Ok(reply::refusal(StatusCode::PRECONDITION_FAILED, &failure))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns the reference to the page at exactly this path.
    fn reference(&self) -> String {
        format!("./{}", self.path)
    }

    /// Returns the operation of the method.
    fn operation(&self) -> &'static str {
        match self.method {
            Method::GET | Method::HEAD => "get",
            Method::PUT => "put",
            Method::PATCH => "edit",
            // The router admits only DELETE besides these.
            _ => "rm",
        }
    }

    /// Reads the parameters of the operation.
    async fn parameters(&self, body: Body) -> Result<Value> {
        let (mut input, page) = match self.method {
            Method::PUT => (object_or(body, &self.headers, "content").await?, "slug"),
            Method::PATCH => (object_or(body, &self.headers, "append").await?, "reference"),
            Method::DELETE => (Map::from_iter([("yes".to_owned(), json!(true))]), "reference"),
            _ => return Ok(json!({ "reference": self.reference() })),
        };
        input.insert(page.into(), json!(self.reference()));
        if let Some(version) = self.means.expected {
            input.insert("expected_version".into(), json!(version));
        }
        Ok(Value::Object(input))
    }
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
