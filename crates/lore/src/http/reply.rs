//! Answers in JSON.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use crate::failure::{Failure, status};

/// A value.
pub fn value(code: StatusCode, value: &Value) -> Response {
    plain(code, "application/json", value.to_string().into_bytes())
}

/// Bytes of a kind.
pub fn plain(code: StatusCode, kind: &'static str, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    response
}

/// A page's version as an entity tag.
pub fn with_version(mut response: Response, version: u64) -> Response {
    if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// What went wrong.
pub fn failure(failure: &Failure) -> Response {
    let code = StatusCode::from_u16(status(failure.code).http).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    refusal(code, failure)
}

/// What went wrong, under a code of its own.
pub fn refusal(code: StatusCode, failure: &Failure) -> Response {
    let response = value(code, &failure.json());
    match failure.current_version {
        Some(version) => with_version(response, version),
        None => response,
    }
}

/// That the server lives.
pub async fn healthy() -> Response {
    value(StatusCode::OK, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// That there is nothing at an address.
pub async fn nothing_here() -> Response {
    refusal(
        StatusCode::NOT_FOUND,
        &Failure::usage("there is nothing at this address", "see /api/openapi.json for what there is"),
    )
}

/// That an address is asked in another way. The router adds the ways there are.
pub async fn wrong_method() -> Response {
    let failure = Failure::usage("this address is not asked in this way", "see /api/openapi.json");
    refusal(StatusCode::METHOD_NOT_ALLOWED, &failure)
}
