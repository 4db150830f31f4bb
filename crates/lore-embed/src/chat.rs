//! Language models that run elsewhere and are asked for a summary over HTTP: Ollama, and everything that speaks as OpenAI
//! does. Nothing is sent anywhere unless the user named the place.

use std::fmt;

use lore_engine::{INSTRUCTIONS, Source, Summarizer, SummaryError, bare, prompt};
use serde_json::{Value, json};

use crate::count::count_tokens;
use crate::http::{Address, Patience};
use crate::service::{Failed, Service};

/// Tokens that an answer may take, when a model is told how much it has to hold.
const ANSWER: usize = 2048;

/// How a language model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatProtocol {
    /// `POST /api/generate`, as Ollama has it.
    Ollama,
    /// `POST /chat/completions`, as OpenAI has it, and many others.
    OpenAi,
}

/// What to ask, and where.
#[derive(Clone)]
pub struct ChatSettings {
    /// How it is asked.
    pub protocol: ChatProtocol,
    /// The address that the path of a request is added to.
    pub base: String,
    /// The model's name there.
    pub model: String,
    /// The bearer token. It appears in no message.
    pub key: Option<String>,
    /// How long to wait, and how often to try.
    pub patience: Patience,
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

/// A language model that is asked over HTTP.
pub struct Chat {
    protocol: ChatProtocol,
    model: String,
    has_key: bool,
    service: Service,
}

impl Chat {
    /// Makes one of the settings. It is not asked anything yet.
    pub fn new(settings: ChatSettings) -> Result<Chat, SummaryError> {
        let ChatSettings { protocol, base, model, key, patience } = settings;
        let has_key = key.is_some();
        let wrong = |reason| SummaryError { place: "endpoint".into(), reason };
        let service = Service::new(&base, key, patience).map_err(wrong)?;
        Ok(Chat { protocol, model, has_key, service })
    }

    fn failed(&self, failed: Failed) -> SummaryError {
        let reason = match failed {
            Failed::Unavailable(reason) => format!("it did not answer: {reason}"),
            Failed::Wrong(reason) => format!("it gave a wrong answer: {reason}"),
            Failed::Refused { status: 401 | 403, reason } if self.has_key => {
                format!("it does not accept the key ({reason})")
            }
            Failed::Refused { status: 401 | 403, reason } => {
                format!("it wants a key ({reason}): name the variable that has it in compact.key_variable")
            }
            Failed::Refused { status: 404, reason } => {
                format!("it does not know the model, or has no such path ({reason})")
            }
            Failed::Refused { reason, .. } => reason,
        };
        SummaryError { place: self.place(), reason }
    }

    fn place(&self) -> String {
        format!("{} at {}", self.model, self.service.place())
    }
}

impl Summarizer for Chat {
    fn name(&self) -> String {
        self.model.clone()
    }

    fn summarize(&self, pages: &[Source]) -> Result<String, SummaryError> {
        let body = self.protocol.request(&self.model, &prompt(pages));
        let answer = self.service.post(self.protocol.path(), &body).map_err(|failed| self.failed(failed))?;
        let text = self.protocol.read(&answer).map_err(|reason| self.failed(Failed::Wrong(reason)))?;
        let text = bare(&text).to_owned();
        if text.is_empty() {
            return Err(self.failed(Failed::Wrong("an empty text".into())));
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

    fn request(self, model: &str, pages: &str) -> Vec<u8> {
        let body = match self {
            ChatProtocol::Ollama => {
                // Left to itself it forgets the beginning of what is longer than a few pages, and says nothing of it.
                let room = count_tokens(INSTRUCTIONS) + count_tokens(pages) + ANSWER;
                let options = json!({ "num_ctx": room.next_multiple_of(1024), "temperature": 0 });
                json!({
                    "model": model, "system": INSTRUCTIONS, "prompt": pages, "stream": false, "options": options,
                })
            }
            ChatProtocol::OpenAi => json!({
                "model": model,
                "messages": [
                    { "role": "system", "content": INSTRUCTIONS },
                    { "role": "user", "content": pages },
                ],
            }),
        };
        body.to_string().into_bytes()
    }

    /// The text of an answer, or what is wrong with it. A text that was cut off is none.
    fn read(self, answer: &[u8]) -> Result<String, String> {
        let value: Value = serde_json::from_slice(answer).map_err(|error| format!("no JSON: {error}"))?;
        let (text, ended) = match self {
            ChatProtocol::Ollama => (&value["response"], &value["done_reason"]),
            ChatProtocol::OpenAi => {
                let choice = &value["choices"][0];
                (&choice["message"]["content"], &choice["finish_reason"])
            }
        };
        if ended == "length" {
            return Err("a text that was cut off because it became too long".into());
        }
        text.as_str().map(str::to_owned).ok_or_else(|| "no text in it".into())
    }
}

impl fmt::Debug for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chat").field("place", &self.place()).finish_non_exhaustive()
    }
}
