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
use super::{BODY, Shared, reply};
use crate::app::access::Grant;
use crate::app::error::{AppError, Result};
use crate::ops;
use crate::server::Caller;

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
    let entry = ops::find(&address.place)
        .map_err(|failure| AppError { code: lore_engine::Code::NotFound, ..failure })?;
    grant.check(&entry.demand())?;
    let input = parameters(body).await?;
    run_as(shared, grant, address.project, move |session| Ok((entry.from_json)(input, session)?.json())).await
}

/// Runs `work` in a session for the token's actor, after checking that the grant covers the project.
pub async fn run_as<T: Send + 'static>(
    shared: &Shared,
    grant: Grant,
    project: Option<String>,
    work: impl FnOnce(&crate::app::session::Session) -> Result<T> + Send + 'static,
) -> Result<T> {
    let caller = Caller { actor: Some(grant.actor.clone()), project, face: "http", read_only: !grant.writes };
    let checked = move |session: &crate::app::session::Session| {
        if grant.projects.is_some() {
            grant.check_project(&session.choose()?.0)?;
        }
        work(session)
    };
    shared.workers.run(caller, None, checked).await
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
    Err(AppError {
        code: lore_engine::Code::TooLarge,
        message: format!("the request is larger than {} MB", BODY >> 20),
        hint: "send less at once".into(),
        current_version: None,
    })
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
