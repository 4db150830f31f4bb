//! JSON over HTTP: requests, retries, and error messages without secrets.

use std::time::Duration;

use lore_text::on_one_line;
use serde_json::Value;
use ureq::Agent;
use ureq::http::StatusCode;

use crate::http::{Address, RequestPolicy, may_pass};

/// Maximum size of a response. 64 vectors of 4096 dimensions are about 6 MB.
const MAX_BYTES: u64 = 32 << 20;

/// Delay before the first retry; each further delay is four times as long.
const FIRST_DELAY: Duration = Duration::from_millis(250);

/// Maximum delay, even if the service asks for more.
const MAX_DELAY: Duration = Duration::from_secs(5);

/// A JSON service over HTTP.
pub(crate) struct Service {
    address: Address,
    agent: Agent,
    key: Option<String>,
    policy: RequestPolicy,
}

/// Why a request failed after all retries.
pub(crate) enum Failed {
    /// The service did not respond, or is temporarily unable to.
    Unavailable(String),
    /// The service rejected the request; a retry will not help.
    Refused { status: u16, reason: String },
    /// The response is invalid.
    Wrong(String),
}

/// Why one attempt failed.
enum RequestFailure {
    /// A retry may help; the service may have said when.
    Retry {
        reason: String,
        delay: Option<Duration>,
    },
    Final(Failed),
}

impl Service {
    /// Creates a client for a base URL, or returns why the URL is invalid.
    pub(crate) fn new(base: &str, key: Option<String>, policy: RequestPolicy) -> Result<Service, String> {
        let address = Address::parse(base)?;
        let agent = address
            .client()
            .timeout_connect(Some(policy.connect))
            .timeout_global(Some(policy.request))
            // The texts and the key are meant for this service, not for a redirect target.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .new_agent();
        Ok(Service { address, agent, key, policy })
    }

    /// Returns the URL for display.
    pub(crate) fn place(&self) -> &str {
        &self.address.place
    }

    /// Sends a request, with retries while the service is busy or unreachable, and returns the response.
    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Result<Vec<u8>, Failed> {
        let RequestPolicy { retries, sleep, .. } = &self.policy;
        let mut delay = FIRST_DELAY;
        for left in (0..=*retries).rev() {
            match self.post_once(path, body) {
                Ok(answer) => return Ok(answer),
                Err(RequestFailure::Final(failed)) => return Err(failed),
                Err(RequestFailure::Retry { reason, .. }) if left == 0 => {
                    return Err(Failed::Unavailable(reason));
                }
                Err(RequestFailure::Retry { delay: requested_delay, .. }) => {
                    sleep(requested_delay.unwrap_or(delay).min(MAX_DELAY))
                }
            }
            delay *= 4;
        }
        unreachable!("the last try returns")
    }

    fn post_once(&self, path: &str, body: &[u8]) -> Result<Vec<u8>, RequestFailure> {
        let url = format!("{}{path}", self.address.url);
        let mut request = self.agent.post(&url).content_type("application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(|error| self.failed(&error))?;
        let status = response.status();
        let requested_delay =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let answer = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec();
        let answer = answer.map_err(|error| self.failed(&error))?;
        if status == StatusCode::OK {
            return Ok(answer);
        }
        let busy = matches!(status.as_u16(), 408 | 429) || status.is_server_error();
        let reason = format!("status {}{}", status.as_u16(), self.quote(&answer));
        if busy {
            return Err(RequestFailure::Retry { reason, delay: requested_delay.map(Duration::from_secs) });
        }
        Err(RequestFailure::Final(match status.as_u16() {
            300..=399 => Failed::Wrong(format!("redirects are not followed ({reason})")),
            status => Failed::Refused { status, reason },
        }))
    }

    fn failed(&self, error: &ureq::Error) -> RequestFailure {
        let reason = self.without_secrets(&error.to_string());
        match error {
            error if may_pass(error) => RequestFailure::Retry { reason, delay: None },
            ureq::Error::Timeout(_) => {
                let time = self.policy.request;
                RequestFailure::Final(Failed::Unavailable(format!("timed out after {time:?}")))
            }
            ureq::Error::BodyExceedsLimit(limit) => {
                RequestFailure::Final(Failed::Wrong(format!("the response is larger than {limit} bytes")))
            }
            ureq::Error::Protocol(_) => RequestFailure::Final(Failed::Wrong(reason)),
            _ => RequestFailure::Final(Failed::Unavailable(reason)),
        }
    }

    /// Returns the first words of an error response.
    fn quote(&self, answer: &[u8]) -> String {
        let message = self.without_secrets(&complaint(answer));
        let words: String = on_one_line(&message).chars().take(200).collect();
        if words.is_empty() { words } else { format!(": {words}") }
    }

    /// Redacts the URL's credentials and the key, in case the service or a library repeats them.
    fn without_secrets(&self, text: &str) -> String {
        let shown = text.replace(&self.address.url, &self.address.place);
        match self.key.as_deref().filter(|key| !key.is_empty()) {
            Some(key) => shown.replace(key, "…"),
            None => shown,
        }
    }
}

/// Returns the message of an error response from its usual fields, otherwise the whole body.
fn complaint(answer: &[u8]) -> String {
    let value: Value = serde_json::from_slice(answer).unwrap_or_default();
    let message = [&value["error"]["message"], &value["error"], &value["message"], &value["detail"]];
    match message.into_iter().find_map(Value::as_str) {
        Some(message) => message.to_owned(),
        None => String::from_utf8_lossy(answer).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_messages_are_extracted() {
        for (answer, expected) in [
            (r#"{"error":"model not found"}"#, "model not found"),
            (r#"{"error":{"message":"too long","code":1}}"#, "too long"),
            (r#"{"detail":"no"}"#, "no"),
            ("<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"),
            ("", ""),
        ] {
            assert_eq!(complaint(answer.as_bytes()), expected);
        }
    }
}
