//! The HTTP client of the endpoints and of the downloads: addresses without their secrets, and time-outs.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ureq::config::ConfigBuilder;
use ureq::http::Uri;
use ureq::typestate::AgentScope;
use ureq::{Agent, Error, Timeout};

/// How long to wait for an endpoint, and how often to try.
#[derive(Clone)]
pub struct Patience {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the whole answer is there.
    pub request: Duration,
    /// Tries after the first when the endpoint is busy or cannot be reached.
    pub more_tries: u32,
    /// Waits between two tries.
    pub sleep: Arc<dyn Fn(Duration) + Send + Sync>,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            connect: Duration::from_secs(3),
            request: Duration::from_secs(60),
            more_tries: 2,
            sleep: Arc::new(thread::sleep),
        }
    }
}

impl fmt::Debug for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Patience { connect, request, more_tries, sleep: _ } = self;
        write!(f, "Patience({connect:?} to connect, {request:?} to answer, {more_tries} more tries)")
    }
}

/// Where a service is.
#[derive(Clone)]
pub struct Address {
    /// The address as requests are made to it, without a slash at the end.
    pub url: String,
    /// The address as people see it: without user name and password.
    pub place: String,
    /// Whether it is on this machine.
    pub local: bool,
}

impl Address {
    /// Reads an address, or says why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = text.trim().trim_end_matches('/').to_owned();
        let uri: Uri = url.parse().map_err(|_| "it is no address".to_owned())?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err("an address begins with http:// or https:// and has a host".to_owned());
        };
        if uri.query().is_some() || url.contains('#') {
            return Err("an address to which a path is added cannot have a question mark or a #".to_owned());
        }
        let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        let path = uri.path().trim_end_matches('/');
        let local = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        Ok(Address { place: format!("{scheme}://{host}{port}{path}"), local, url })
    }

    /// The start of a client's configuration. No status is an error, and a service on this machine needs no proxy.
    pub fn client(&self) -> ConfigBuilder<AgentScope> {
        let client = Agent::config_builder().http_status_as_error(false).user_agent("lore");
        if self.local { client.proxy(None) } else { client }
    }
}

/// Whether what happened to a request may be over when it is made again: the connection failed or broke, rather than
/// the other side taking all the time there is or not being whom it says.
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
    fn an_address_is_shown_without_its_secrets() {
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
    fn what_is_no_address_is_refused() {
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
