//! The HTTP server: operations, pages by path, MCP, health check and metrics.
//!
//! It binds to loopback by default. Every route but `/healthz` needs a token, and requests with a foreign host or origin
//! are refused.

mod address;
mod body;
mod connections;
mod context;
mod guard;
mod metrics;
mod openapi;
mod operations;
mod reply;
mod wording;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::app::access::Tokens;
use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};
use crate::mcp::{Handler, Toolset};
use crate::server::{VaultWorkers, Workers, stopped};

use context::page;
use metrics::Metrics;

/// Maximum size of a request body, in bytes.
const BODY: usize = 16 * 1024 * 1024;

/// Maximum length of a URL, in bytes.
const URL: usize = 8 * 1024;

/// How often the token file is checked for removed tokens while streams are open.
const TOKEN_CHECK: Duration = Duration::from_millis(200);

/// Time limit of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Time limit for open requests when the server shuts down.
const LAST_WORDS: Duration = Duration::from_millis(800);

/// State shared by all requests.
pub struct Shared {
    workers: Workers,
    tokens: Tokens,
    metrics: Metrics,
    /// Accepted host names besides those of this machine.
    hosts: Vec<String>,
    /// Time limit for the parts of a request to arrive.
    read_timeout: Duration,
}

/// Settings of the HTTP server.
pub struct Listen {
    /// The address to bind to.
    pub address: SocketAddr,
    /// Accepted host names besides those of this machine.
    pub hosts: Vec<String>,
    /// The set of MCP tools to offer.
    pub tools: Toolset,
    /// Time limit for the parts of a request to arrive.
    pub read_timeout: Duration,
}

/// Serves until the process receives a stop signal.
pub async fn serve(
    environment: &Environment,
    workers: Workers,
    vault_workers: VaultWorkers,
    listen: Listen,
    report: impl FnOnce(SocketAddr, &Tokens),
) -> Result<()> {
    let tokens = Tokens::open(environment)?;
    let listener = TcpListener::bind(listen.address).await.map_err(|error| {
        AppError::usage(
            format!("cannot listen on {}: {error}", listen.address),
            "choose another port, such as --http 127.0.0.1:8322",
        )
    })?;
    let address = listener.local_addr().unwrap_or(listen.address);
    report(address, &tokens);
    let mut hosts = listen.hosts;
    hosts.extend((!address.ip().is_loopback()).then(|| address.ip().to_string()));
    let handler = Handler::new(workers.clone(), vault_workers, listen.tools);
    let read_timeout = listen.read_timeout;
    let shared = Arc::new(Shared { workers, tokens, metrics: Metrics::default(), hosts, read_timeout });
    tokio::spawn(follow_tokens(shared.clone()));
    connections::serve(listener, router(shared, handler), read_timeout, stopped(), LAST_WORDS).await;
    Ok(())
}

/// Returns the router of a server that has no socket.
#[cfg(any(test, feature = "fuzzing"))]
pub fn in_process(
    environment: &Environment,
    workers: Workers,
    vault_workers: VaultWorkers,
) -> Result<Router> {
    let tokens = Tokens::open(environment)?;
    let handler = Handler::new(workers.clone(), vault_workers, Toolset::All);
    let (metrics, hosts, read_timeout) = (Metrics::default(), Vec::new(), REQUEST_TIMEOUT);
    Ok(router(Arc::new(Shared { workers, tokens, metrics, hosts, read_timeout }), handler))
}

/// Notices removed tokens, so that their open streams end. Requests read the tokens by themselves.
async fn follow_tokens(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(TOKEN_CHECK).await;
        // A file that cannot be read grants nothing; requests report it.
        let _ = shared.tokens.refresh();
    }
}

fn router(shared: Arc<Shared>, handler: Handler) -> Router {
    // The guard checks host and origin, for every route.
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(BODY);
    let sessions = Arc::new(LocalSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(handler.for_session()), sessions, config);
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
