//! Builds HTTP responses.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use lore_engine::Code;
use serde_json::{Value, json};

use super::BODY;
use crate::app::error::{AppError, status};

/// Returns a JSON response.
pub fn value(code: StatusCode, value: &Value) -> Response {
    plain(code, "application/json", value.to_string().into_bytes())
}

/// Returns a response with a content type and bytes.
pub fn plain(code: StatusCode, kind: &'static str, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    response
}

/// Adds a page's version as the ETag.
pub fn with_version(mut response: Response, version: u64) -> Response {
    if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// Returns an error response with the status of its code.
pub fn failure(failure: &AppError) -> Response {
    let code = StatusCode::from_u16(status(failure.code).http).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    refusal(code, failure)
}

/// Returns an error response with the given status.
pub fn refusal(code: StatusCode, failure: &AppError) -> Response {
    let response = value(code, &failure.json());
    match failure.current_version {
        Some(version) => with_version(response, version),
        None => response,
    }
}

/// Returns the error of a request whose body is too large.
pub fn too_large() -> AppError {
    let message = format!("the request is larger than {} MB", BODY >> 20);
    AppError::new(Code::TooLarge, message, "send less at once")
}

/// Answers the health check.
pub async fn healthy() -> Response {
    value(StatusCode::OK, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// Answers unknown URLs.
pub async fn nothing_here() -> Response {
    refusal(StatusCode::NOT_FOUND, &AppError::usage("no such route", "see /api/openapi.json for the routes"))
}

/// Answers a wrong method. The router adds the `Allow` header.
pub async fn wrong_method() -> Response {
    let failure =
        AppError::usage("method not allowed", "see /api/openapi.json for the methods of this route");
    refusal(StatusCode::METHOD_NOT_ALLOWED, &failure)
}
