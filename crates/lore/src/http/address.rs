//! Extracts the operation or page path, and the project and namespace, from a request URL.

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use axum::response::Response;
use serde::Deserialize;

use super::reply;
use crate::app::error::AppError;

/// A parsed URL. An invalid one is answered in JSON, like every other error.
pub struct Address {
    /// The operation or the page's path.
    pub place: String,
    /// What the request concerns.
    pub scope: Scope,
}

/// The project and the namespace of a request, if not the server's own.
#[derive(Deserialize)]
pub struct Scope {
    /// The project.
    pub project: Option<String>,
    /// The namespace.
    pub namespace: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Address {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Address, Response> {
        let refused = |message: String| {
            reply::failure(&AppError::usage(message, "see /api/openapi.json for valid addresses"))
        };
        let place = Path::<String>::from_request_parts(parts, state).await;
        let Path(place) = place.map_err(|rejection| refused(rejection.body_text()))?;
        let chosen = Query::<Scope>::from_request_parts(parts, state).await;
        let Query(Scope { project, namespace }) =
            chosen.map_err(|rejection| refused(rejection.body_text()))?;
        let given = |name: Option<String>| name.filter(|name| !name.is_empty());
        Ok(Address { place, scope: Scope { project: given(project), namespace: given(namespace) } })
    }
}
