//! `/api/OPERATION`: runs any operation with JSON parameters.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::address::{Address, Scope};
use super::wording::HttpFace;
use super::{BODY, Shared, reply};
use crate::app::access::Grant;
use crate::app::error::{AppError, Result};
use crate::server::{ClientDirectory, RequestTarget, resolve};

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
    let target = target(shared, grant, address.scope);
    resolve(target, &address.place, parameters(body)).await?.json(&shared.workers).await
}

/// Returns the target of a request with this grant.
pub fn target(shared: &Shared, grant: Grant, scope: Scope) -> RequestTarget {
    RequestTarget {
        face: Arc::new(HttpFace),
        grant: Some(grant),
        client: None,
        project: scope.project,
        namespace: scope.namespace,
        directory: ClientDirectory::Unknown,
        machine: shared.workers.host().allow_machine,
    }
}

/// Reads a request body, up to the size limit.
pub async fn bytes(body: Body) -> Result<Vec<u8>> {
    let mut body = body;
    let mut kept = Vec::new();
    while let Some(frame) = body.frame().await {
        let broke_off = |_| AppError::usage("the request body ended early", "send the request again");
        let Ok(data) = frame.map_err(broke_off)?.into_data() else { continue };
        if kept.len() + data.len() > BODY {
            return Err(reply::too_large());
        }
        kept.extend_from_slice(&data);
    }
    Ok(kept)
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
