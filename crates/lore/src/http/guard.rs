//! Access checks for every request: host, origin, token and time limit.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, HOST, ORIGIN, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use lore_engine::Code;

use super::{BODY, REQUEST_TIMEOUT, Shared, URL, body, reply};
use crate::app::access::Grant;
use crate::app::error::AppError;
use crate::app::stderr::Stderr;

/// Host names of this machine.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Checks the host and origin of a request, limits its time and counts it.
pub async fn look_at(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let route = shared.metrics.route(request.uri().path());
    let _under_way = shared.metrics.begin();
    let response = match check(&shared, request.headers(), request.uri().host()) {
        Err(message) => refused(StatusCode::FORBIDDEN, message, "use the address the server listens on"),
        Ok(()) => match check_size(&request) {
            Some(refusal) => refusal,
            None => answered(&shared, request, next, route).await,
        },
    };
    shared.metrics.count(route, response.status(), started.elapsed());
    response
}

/// Answers a request within the time limits.
async fn answered(shared: &Shared, request: Request, next: Next, route: &str) -> Response {
    let (head, sent) = request.into_parts();
    let (sent, late) = body::timed(sent, shared.read_timeout, REQUEST_TIMEOUT);
    let running = next.run(Request::from_parts(head, sent));
    let response = match route {
        // MCP streams may stay open.
        "mcp" => Ok(running.await),
        _ => tokio::time::timeout(REQUEST_TIMEOUT, running).await,
    };
    match response {
        _ if late.load(Ordering::Relaxed) => closing(refused(
            StatusCode::REQUEST_TIMEOUT,
            "the request body arrived too slowly".into(),
            "send it again, without pauses",
        )),
        Ok(response) => response,
        Err(_) => {
            refused(StatusCode::GATEWAY_TIMEOUT, "the request timed out".into(), "request less at once")
        }
    }
}

/// Refuses what is too large before any of it is read, and what would have to be decompressed.
fn check_size(request: &Request) -> Option<Response> {
    let header = |name| request.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if request.uri().to_string().len() > URL {
        return Some(closing(refused(StatusCode::URI_TOO_LONG, "the URL is too long".into(), "shorten it")));
    }
    if header(CONTENT_ENCODING).is_some_and(|coding| !coding.trim().eq_ignore_ascii_case("identity")) {
        let message = "compressed requests are not supported".into();
        return Some(closing(refused(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            message,
            "send the body without a Content-Encoding",
        )));
    }
    let length = header(CONTENT_LENGTH).and_then(|length| length.trim().parse::<u64>().ok());
    length.filter(|length| *length > BODY as u64).map(|_| closing(reply::failure(&reply::too_large())))
}

/// Marks a response as the last one of its connection.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Admits requests with a valid token and attaches its grant.
pub async fn admit(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token =
        given.and_then(|value| value.split_once(' ')).filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
    let token = token.map(|(_, token)| token.trim().to_owned());
    let grant = token.as_ref().map_or(Ok(None), |token| shared.tokens.grant(token));
    match (grant, token) {
        (Ok(Some(grant)), Some(token)) => {
            request.extensions_mut().insert(grant.clone());
            let response = next.run(request).await;
            body::until(response, revoked(shared, token, grant))
        }
        (Err(failure), _) => {
            // The message names a path, which is for the server's own user only.
            Stderr::new(shared.workers.host().level).error(&format!("error: {}", failure.message));
            refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the server cannot read its tokens".into(),
                "check the server's standard error",
            )
        }
        _ => {
            let message = if given.is_some() { "unknown token" } else { "missing token" };
            let hint = "send the header `Authorization: Bearer TOKEN`; on the command line: `lore token list` shows where tokens \
                        are stored";
            let mut response = refused(StatusCode::UNAUTHORIZED, message.into(), hint);
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        }
    }
}

/// Waits until a token no longer has a grant.
async fn revoked(shared: Arc<Shared>, token: String, grant: Grant) {
    let mut changes = shared.tokens.changes();
    while shared.tokens.grant(&token).is_ok_and(|now| now.as_ref() == Some(&grant)) {
        if changes.changed().await.is_err() {
            return;
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
