//! `/api/OPERATION`: every operation, with its parameters as JSON.

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{BODY, Shared, reply};
use crate::failure::{Failure, Result};
use crate::ops;
use crate::server::{Caller, Grant};

/// What an address may say besides the operation.
#[derive(Debug, Default, Deserialize)]
pub struct Chosen {
    /// The project.
    pub project: Option<String>,
}

/// Runs an operation.
pub async fn run(
    State(shared): State<Arc<Shared>>,
    Extension(grant): Extension<Grant>,
    Path(operation): Path<String>,
    Query(chosen): Query<Chosen>,
    body: Body,
) -> Response {
    match answer(&shared, grant, &operation, chosen, body).await {
        Ok(value) => reply::value(StatusCode::OK, &value),
        Err(failure) => reply::failure(&failure),
    }
}

async fn answer(shared: &Shared, grant: Grant, operation: &str, chosen: Chosen, body: Body) -> Result<Value> {
    let entry =
        ops::find(operation).map_err(|failure| Failure { code: lore_engine::Code::NotFound, ..failure })?;
    grant.check(&entry)?;
    let input = parameters(body).await?;
    run_as(shared, grant, chosen.project, move |session| Ok((entry.from_json)(input, session)?.json())).await
}

/// Runs something with the session of whoever holds a token, for a project it may use.
pub async fn run_as<T: Send + 'static>(
    shared: &Shared,
    grant: Grant,
    project: Option<String>,
    work: impl FnOnce(&crate::session::Session) -> Result<T> + Send + 'static,
) -> Result<T> {
    let caller = Caller { actor: Some(grant.actor.clone()), project, face: "http" };
    let checked = move |session: &crate::session::Session| {
        if grant.projects.is_some() {
            grant.check_project(&session.choose()?.0)?;
        }
        work(session)
    };
    shared.workers.run(caller, checked).await
}

/// The bytes of a request, if they are not too many.
pub async fn bytes(body: Body) -> Result<Vec<u8>> {
    let read = to_bytes(body, BODY).await.map_err(|_| Failure {
        code: lore_engine::Code::TooLarge,
        message: format!("the request is longer than {} MB, or broke off", BODY >> 20),
        hint: "send less at once".into(),
        current_version: None,
    })?;
    Ok(read.to_vec())
}

async fn parameters(body: Body) -> Result<Value> {
    let bytes = bytes(body).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    match serde_json::from_slice(&bytes) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Failure::usage(
            "the parameters are no JSON object",
            "write one, such as {\"query\": \"tea\"}",
        )),
        Err(error) => Err(Failure::usage(format!("not JSON: {error}"), "write one JSON object")),
    }
}
