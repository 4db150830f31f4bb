//! HTTP client settings shared by endpoints and downloads: URLs without secrets, timeouts, retries.

use std::sync::Arc;
use std::time::Duration;
use std::{fmt, thread};

use ureq::config::ConfigBuilder;
use ureq::http::Uri;
use ureq::typestate::AgentScope;
use ureq::{Agent, Error, Timeout};

/// Timeouts and retries of an endpoint.
#[derive(Clone)]
pub struct RequestPolicy {
    /// Connect timeout.
    pub connect: Duration,
    /// Timeout of a whole request.
    pub request: Duration,
    /// Number of retries when the endpoint is busy or unreachable.
    pub retries: u32,
    /// Sleeps between two attempts.
    pub sleep: Arc<dyn Fn(Duration) + Send + Sync>,
}

impl Default for RequestPolicy {
    fn default() -> Self {
        RequestPolicy {
            connect: Duration::from_secs(3),
            request: Duration::from_secs(60),
            retries: 2,
            sleep: Arc::new(thread::sleep),
        }
    }
}

impl fmt::Debug for RequestPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RequestPolicy { connect, request, retries, sleep: _ } = self;
        write!(f, "RequestPolicy(connect {connect:?}, request {request:?}, {retries} retries)")
    }
}

/// A base URL.
#[derive(Clone)]
pub struct Address {
    /// URL used for requests, without a trailing slash.
    pub url: String,
    /// URL for display, without user name and password.
    pub place: String,
    /// Whether the host is this machine.
    pub local: bool,
}

impl Address {
    /// Parses a URL, or returns why it is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = text.trim().trim_end_matches('/').to_owned();
        let uri: Uri = url.parse().map_err(|_| "invalid URL".to_owned())?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err("the URL must start with http:// or https:// and have a host".to_owned());
        };
        if uri.query().is_some() || url.contains('#') {
            return Err("a base URL cannot have a query (?) or a fragment (#)".to_owned());
        }
        let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        let path = uri.path().trim_end_matches('/');
        let local = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        Ok(Address { place: format!("{scheme}://{host}{port}{path}"), local, url })
    }

    /// Returns the base of a client configuration. No status is an error, and a local service uses no proxy.
    pub fn client(&self) -> ConfigBuilder<AgentScope> {
        let client = Agent::config_builder().http_status_as_error(false).user_agent("lore");
        if self.local { client.proxy(None) } else { client }
    }
}

/// Returns whether retrying a failed request may help: the connection failed or broke, as opposed to a response timeout
/// or a failed TLS check.
pub fn may_pass(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::ConnectionFailed | Error::HostNotFound => true,
        Error::Timeout(timeout) => matches!(timeout, Timeout::Connect | Timeout::Resolve),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_displayed_without_secrets() {
        for (text, place, local) in [
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434", true),
            ("http://localhost:11434/", "http://localhost:11434", true),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1", true),
            (" https://ada:secret@api.example.org/v1/ ", "https://api.example.org/v1", false),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.place.as_str(), address.local), (place, local), "{text}");
        }
    }

    #[test]
    fn invalid_urls_are_rejected() {
        for text in [
            "",
            "localhost:11434",
            "ftp://example.org",
            "http://",
            "https://a.org/v1?key=b",
            "http://a.org/#b",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }
}
