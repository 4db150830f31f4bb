//! Request metrics in Prometheus format.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::{Shared, reply};

/// A route and the status it answered with.
type Answered = (&'static str, u16);

/// Request counters.
#[derive(Default)]
pub struct Metrics {
    under_way: AtomicUsize,
    done: Mutex<BTreeMap<Answered, (u64, Duration)>>,
}

/// Counts one request as in progress until dropped.
pub struct UnderWay<'a>(&'a AtomicUsize);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Returns the route of a path. A small fixed set keeps the number of counters small.
    pub fn route(&self, path: &str) -> &'static str {
        match path {
            "/healthz" => "healthz",
            "/metrics" => "metrics",
            "/mcp" => "mcp",
            _ if path.starts_with("/api/context/") => "context",
            _ if path.starts_with("/api/") => "api",
            _ => "other",
        }
    }

    /// Counts a request as in progress.
    pub fn begin(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(&self.under_way)
    }

    /// Counts a finished request.
    pub fn count(&self, route: &'static str, status: StatusCode, took: Duration) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, time) = done.entry((route, status.as_u16())).or_default();
        *count += 1;
        *time += took;
    }

    fn text(&self) -> String {
        let mut text = String::from(
            "# HELP lore_requests_total Answered requests.\n# TYPE lore_requests_total counter\n",
        );
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for ((route, status), (count, _)) in &done {
            text.push_str(&format!("lore_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}\n"));
        }
        text.push_str("# HELP lore_request_seconds Request duration.\n# TYPE lore_request_seconds summary\n");
        for ((route, status), (count, time)) in &done {
            let labels = format!("{{route=\"{route}\",status=\"{status}\"}}");
            text.push_str(&format!("lore_request_seconds_sum{labels} {}\n", time.as_secs_f64()));
            text.push_str(&format!("lore_request_seconds_count{labels} {count}\n"));
        }
        text.push_str(
            "# HELP lore_requests_under_way Requests in progress.\n# TYPE lore_requests_under_way gauge\n",
        );
        text.push_str(&format!("lore_requests_under_way {}\n", self.under_way.load(Ordering::Relaxed)));
        text
    }
}

/// Serves the metrics.
pub async fn page(State(shared): State<Arc<Shared>>) -> Response {
    reply::plain(StatusCode::OK, "text/plain; version=0.0.4", shared.metrics.text().into_bytes())
}
