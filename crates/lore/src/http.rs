//! HTTP: the operations, pages by their paths, MCP, and what a monitor asks for.
//!
//! It listens on this machine only, unless told otherwise. Everything but `/healthz` needs a token, and no request with a
//! foreign host or origin is let in.

mod address;
mod context;
mod guard;
mod metrics;
mod openapi;
mod operations;
mod reply;
mod tokens;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::environment::Environment;
use crate::failure::{Failure, Result};
use crate::mcp::{Handler, Toolset};
use crate::server::{Keepers, Workers, stopped};
use context::page;
use metrics::Metrics;
pub use tokens::Tokens;

/// So many bytes of a request are read.
const BODY: usize = 16 * 1024 * 1024;

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long requests that are under way may take when the server is told to end.
const LAST_WORDS: Duration = Duration::from_millis(800);

/// What every request needs.
pub struct Shared {
    workers: Workers,
    tokens: Tokens,
    metrics: Metrics,
    /// Names by which this server may be called besides those of this machine.
    hosts: Vec<String>,
}

/// How to listen.
pub struct Listen {
    /// Where.
    pub address: SocketAddr,
    /// Names by which this server may be called besides those of this machine.
    pub hosts: Vec<String>,
    /// Which tools MCP clients are offered.
    pub tools: Toolset,
}

/// Serves until the process is told to end.
pub async fn serve(
    environment: &Environment,
    workers: Workers,
    keepers: Keepers,
    listen: Listen,
    told: impl FnOnce(SocketAddr, &Tokens),
) -> Result<()> {
    let tokens = Tokens::open(environment)?;
    let listener = TcpListener::bind(listen.address).await.map_err(|error| {
        Failure::usage(
            format!("cannot listen on {}: {error}", listen.address),
            "choose another port, such as --http 127.0.0.1:8322",
        )
    })?;
    let address = listener.local_addr().unwrap_or(listen.address);
    told(address, &tokens);
    let mut hosts = listen.hosts;
    hosts.extend((!address.ip().is_loopback()).then(|| address.ip().to_string()));
    let handler = Handler::new(workers.clone(), keepers, listen.tools);
    let shared = Arc::new(Shared { workers, tokens, metrics: Metrics::default(), hosts });
    let serving = axum::serve(listener, router(shared, handler)).with_graceful_shutdown(stopped());
    let late = async {
        stopped().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        served = serving => served.map_err(|error| Failure::usage(format!("cannot serve: {error}"), "start it again")),
        // A stream that stays open must not keep the server from ending.
        () = late => Ok(()),
    }
}

fn router(shared: Arc<Shared>, handler: Handler) -> Router {
    // Host and origin are looked at by the guard, for every route alike.
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(BODY);
    let sessions = Arc::new(LocalSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
    Router::new()
        .route("/api/openapi.json", get(openapi::document))
        .route("/api/context/{*path}", get(page).put(page).patch(page).delete(page))
        .route("/api/{operation}", post(operations::run))
        .route("/metrics", get(metrics::page))
        .route_service("/mcp", mcp)
        .fallback(reply::nothing_here)
        .method_not_allowed_fallback(reply::wrong_method)
        .layer(from_fn_with_state(shared.clone(), guard::admit))
        .route("/healthz", get(reply::healthy))
        .layer(from_fn_with_state(shared.clone(), guard::look_at))
        .with_state(shared)
}
