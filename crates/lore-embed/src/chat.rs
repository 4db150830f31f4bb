//! Language models over HTTP: Ollama and OpenAI-compatible endpoints. Nothing is sent unless the user configured the
//! endpoint.

use std::fmt;

use lore_ports::{TextModel, TextModelError};
use serde_json::{Value, json};

use crate::count::count_tokens;
use crate::http::{Address, RequestPolicy};
use crate::service::{Failed, Service};

/// Tokens reserved for the response when sizing the context window.
const ANSWER: usize = 2048;

/// The API of a language model endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatProtocol {
    /// `POST /api/generate`, Ollama's API.
    Ollama,
    /// `POST /chat/completions`, OpenAI's API, which many servers implement.
    OpenAi,
}

/// Connection settings of a language model.
#[derive(Clone)]
pub struct ChatSettings {
    /// The API to use.
    pub protocol: ChatProtocol,
    /// Base URL; the path of the request is appended to it.
    pub base: String,
    /// The model's name on the endpoint.
    pub model: String,
    /// Bearer token. Never included in a message.
    pub key: Option<String>,
    /// Timeouts and retries.
    pub policy: RequestPolicy,
}

impl fmt::Debug for ChatSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = Address::parse(&self.base).map_or_else(|reason| reason, |address| address.place);
        f.debug_struct("ChatSettings")
            .field("protocol", &self.protocol)
            .field("place", &place)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// A language model behind an HTTP endpoint.
pub struct Chat {
    protocol: ChatProtocol,
    model: String,
    has_key: bool,
    service: Service,
}

impl Chat {
    /// Creates a client from the settings. Sends no request.
    pub fn new(settings: ChatSettings) -> Result<Chat, TextModelError> {
        let ChatSettings { protocol, base, model, key, policy } = settings;
        let has_key = key.is_some();
        let wrong = |reason| TextModelError { place: "endpoint".into(), reason };
        let service = Service::new(&base, key, policy).map_err(wrong)?;
        Ok(Chat { protocol, model, has_key, service })
    }

    fn failed(&self, failed: Failed) -> TextModelError {
        let reason = match failed {
            Failed::Unavailable(reason) => format!("no response: {reason}"),
            Failed::Wrong(reason) => format!("invalid response: {reason}"),
            Failed::Refused { status: 401 | 403, reason } if self.has_key => {
                format!("the API key was rejected ({reason})")
            }
            Failed::Refused { status: 401 | 403, reason } => {
                format!(
                    "an API key is required ({reason}): set compact.key_variable to the variable that holds it"
                )
            }
            Failed::Refused { status: 404, reason } => {
                format!("unknown model or path ({reason})")
            }
            Failed::Refused { reason, .. } => reason,
        };
        TextModelError { place: self.place(), reason }
    }

    fn place(&self) -> String {
        format!("{} at {}", self.model, self.service.place())
    }
}

impl TextModel for Chat {
    fn name(&self) -> String {
        self.model.clone()
    }

    fn complete(&self, instructions: &str, prompt: &str) -> Result<String, TextModelError> {
        let body = self.protocol.request(&self.model, instructions, prompt);
        let answer = self.service.post(self.protocol.path(), &body).map_err(|failed| self.failed(failed))?;
        let text = self.protocol.read(&answer).map_err(|reason| self.failed(Failed::Wrong(reason)))?;
        if text.trim().is_empty() {
            return Err(self.failed(Failed::Wrong("the text is empty".into())));
        }
        Ok(text)
    }
}

impl ChatProtocol {
    fn path(self) -> &'static str {
        match self {
            ChatProtocol::Ollama => "/api/generate",
            ChatProtocol::OpenAi => "/chat/completions",
        }
    }

    fn request(self, model: &str, instructions: &str, prompt: &str) -> Vec<u8> {
        let body = match self {
            ChatProtocol::Ollama => {
                // Ollama's default context is a few pages; it silently drops the beginning of a longer prompt.
                let room = count_tokens(instructions) + count_tokens(prompt) + ANSWER;
                let options = json!({ "num_ctx": room.next_multiple_of(1024), "temperature": 0 });
                json!({
                    "model": model, "system": instructions, "prompt": prompt, "stream": false, "options": options,
                })
            }
            ChatProtocol::OpenAi => json!({
                "model": model,
                "messages": [
                    { "role": "system", "content": instructions },
                    { "role": "user", "content": prompt },
                ],
            }),
        };
        body.to_string().into_bytes()
    }

    /// Returns the text of a response, or what is wrong with it. Truncated text is an error.
    fn read(self, answer: &[u8]) -> Result<String, String> {
        let value: Value = serde_json::from_slice(answer).map_err(|error| format!("not JSON: {error}"))?;
        let (text, ended) = match self {
            ChatProtocol::Ollama => (&value["response"], &value["done_reason"]),
            ChatProtocol::OpenAi => {
                let choice = &value["choices"][0];
                (&choice["message"]["content"], &choice["finish_reason"])
            }
        };
        if ended == "length" {
            return Err("the text was truncated at the length limit".into());
        }
        text.as_str().map(str::to_owned).ok_or_else(|| "it contains no text".into())
    }
}

impl fmt::Debug for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chat").field("place", &self.place()).finish_non_exhaustive()
    }
}
