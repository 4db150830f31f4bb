//! Access checks for every request: host, origin, token and time limit.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use lore_engine::Code;

use super::{REQUEST_TIMEOUT, Shared, reply};
use crate::app::error::AppError;

/// Host names of this machine.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Checks the host and origin of a request, limits its time and counts it.
pub async fn look_at(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let route = shared.metrics.route(request.uri().path());
    let _under_way = shared.metrics.begin();
    let response = match check(&shared, request.headers(), request.uri().host()) {
        Err(message) => refused(StatusCode::FORBIDDEN, message, "use the address the server listens on"),
        // MCP streams may stay open.
        Ok(()) if route == "mcp" => next.run(request).await,
        Ok(()) => match tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await {
            Ok(response) => response,
            Err(_) => {
                refused(StatusCode::GATEWAY_TIMEOUT, "the request timed out".into(), "request less at once")
            }
        },
    };
    shared.metrics.count(route, response.status(), started.elapsed());
    response
}

/// Admits requests with a valid token and attaches its grant.
pub async fn admit(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token =
        given.and_then(|value| value.split_once(' ')).filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
    match token.and_then(|(_, token)| shared.tokens.grant(token.trim())) {
        Some(grant) => {
            request.extensions_mut().insert(grant);
            next.run(request).await
        }
        None => {
            let message = if given.is_some() { "unknown token" } else { "missing token" };
            let hint = "send the header `Authorization: Bearer TOKEN`; on the command line: `lore token list` shows where tokens \
                        are stored";
            let mut response = refused(StatusCode::UNAUTHORIZED, message.into(), hint);
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        }
    }
}

fn check(shared: &Shared, headers: &HeaderMap, target: Option<&str>) -> Result<(), String> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).or(target);
    let Some(host) = host else { return Err("the request has no Host header".into()) };
    if !is_own(shared, host) {
        return Err(format!("host {host} is not allowed"));
    }
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let own = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    match own {
        Some((_, authority)) if is_own(shared, authority) => Ok(()),
        _ => Err("requests from other origins are not allowed".into()),
    }
}

/// Whether a host, with or without a port, belongs to this server.
fn is_own(shared: &Shared, authority: &str) -> bool {
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => authority,
    };
    let known = HERE.into_iter().chain(shared.hosts.iter().map(String::as_str));
    known.into_iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn refused(code: StatusCode, message: String, hint: &str) -> Response {
    reply::refusal(code, &AppError::new(Code::Denied, message, hint))
}
