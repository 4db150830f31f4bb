//! `/api/OPERATION`: runs any operation with JSON parameters.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::address::Address;
use super::wording::HttpFace;
use super::{BODY, Shared, reply};
use crate::app::access::Grant;
use crate::app::error::{AppError, Result};
use crate::server::{RequestTarget, resolve};

/// Maximum number of bytes read and discarded from an oversized request.
const FORGOTTEN: usize = 64 * 1024 * 1024;

/// Runs an operation.
pub async fn run(
    State(shared): State<Arc<Shared>>,
    Extension(grant): Extension<Grant>,
    address: Address,
    body: Body,
) -> Response {
    match answer(&shared, grant, address, body).await {
        Ok(value) => reply::value(StatusCode::OK, &value),
        Err(failure) => reply::failure(&failure),
    }
}

async fn answer(shared: &Shared, grant: Grant, address: Address, body: Body) -> Result<Value> {
    let target = target(grant, address.project);
    resolve(target, &address.place, parameters(body)).await?.json(&shared.workers).await
}

/// Returns the target of a request with this grant.
pub fn target(grant: Grant, project: Option<String>) -> RequestTarget {
    RequestTarget { face: Arc::new(HttpFace), grant: Some(grant), client: None, project }
}

/// Reads a request body, up to the size limit.
pub async fn bytes(body: Body) -> Result<Vec<u8>> {
    let mut body = body;
    let (mut kept, mut length) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let broke_off = |_| AppError::usage("the request body ended early", "send the request again");
        let Ok(data) = frame.map_err(broke_off)?.into_data() else { continue };
        length += data.len();
        match length {
            // A client that is still sending does not read the answer, so the rest is read and discarded.
            _ if length > BODY + FORGOTTEN => break,
            _ if length > BODY => kept = Vec::new(),
            _ => kept.extend_from_slice(&data),
        }
    }
    if length <= BODY {
        return Ok(kept);
    }
    let message = format!("the request is larger than {} MB", BODY >> 20);
    Err(AppError::new(lore_engine::Code::TooLarge, message, "send less at once"))
}

async fn parameters(body: Body) -> Result<Value> {
    let bytes = bytes(body).await?;
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    match serde_json::from_slice(&bytes) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(AppError::usage(
            "the parameters are not a JSON object",
            "send one, such as {\"query\": \"tea\"}",
        )),
        Err(error) => Err(AppError::usage(format!("invalid JSON: {error}"), "send one JSON object")),
    }
}
