//! Embedding models over HTTP: Ollama and OpenAI-compatible endpoints.

mod protocol;

use std::fmt;

use lore_ports::{EmbedError, EmbedResult, Embedder, ModelIdentity};

pub use self::protocol::Protocol;
use crate::http::{Address, RequestPolicy};
use crate::service::{Failed, Service};
use crate::vector::normalise;

/// Maximum texts in one request.
const BATCH: usize = 64;

/// Maximum bytes of text in one request; a longer text is sent alone.
const BATCH_BYTES: usize = 100_000;

/// Maximum dimensions of a vector; no model has near as many.
const MAX_DIMENSIONS: usize = 16_384;

/// Connection settings of an embedding model.
#[derive(Clone)]
pub struct EndpointSettings {
    /// The API to use.
    pub protocol: Protocol,
    /// Base URL; the path of the request is appended to it: `http://127.0.0.1:11434`, `https://api.openai.com/v1`.
    pub base: String,
    /// The model's name on the endpoint.
    pub model: String,
    /// Bearer token. Never included in a message.
    pub key: Option<String>,
    /// Dimensions of a vector; if absent, they are detected with one request.
    pub dimensions: Option<usize>,
    /// Timeouts and retries.
    pub policy: RequestPolicy,
}

impl EndpointSettings {
    /// Returns settings for a model of the local Ollama.
    pub fn ollama(model: &str) -> Self {
        EndpointSettings {
            protocol: Protocol::Ollama,
            base: "http://127.0.0.1:11434".to_owned(),
            model: model.to_owned(),
            key: None,
            dimensions: None,
            policy: RequestPolicy::default(),
        }
    }

    /// Returns settings for a model of an OpenAI-compatible endpoint.
    pub fn openai(base: &str, model: &str, key: Option<String>) -> Self {
        let protocol = Protocol::OpenAi;
        EndpointSettings { protocol, base: base.to_owned(), key, ..EndpointSettings::ollama(model) }
    }
}

impl fmt::Debug for EndpointSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = Address::parse(&self.base).map_or_else(|reason| reason, |address| address.place);
        f.debug_struct("EndpointSettings")
            .field("protocol", &self.protocol)
            .field("place", &place)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// An embedding model behind an HTTP endpoint.
pub struct Endpoint {
    settings: EndpointSettings,
    service: Service,
    identity: ModelIdentity,
}

impl Endpoint {
    /// Connects to an endpoint. Requests one vector if the dimensions are not given.
    pub fn connect(settings: EndpointSettings) -> EmbedResult<Self> {
        let place = || "the endpoint".to_owned();
        let service = Service::new(&settings.base, settings.key.clone(), settings.policy.clone())
            .map_err(|reason| EmbedError::Model { place: place(), reason })?;
        let identity = ModelIdentity {
            name: format!("{}:{}", settings.protocol.name(), settings.model),
            dimensions: settings.dimensions.unwrap_or(0),
            revision: format!("{} {}", service.place(), settings.model),
        };
        let mut endpoint = Endpoint { settings, service, identity };
        if endpoint.identity.dimensions == 0 {
            let probe = endpoint.embed_batch(&["word"])?;
            endpoint.identity.dimensions = probe.first().map_or(0, Vec::len);
        }
        Ok(endpoint)
    }

    /// Embeds texts in one request. No text may be blank.
    fn embed_batch(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        let body = self.settings.protocol.request(&self.settings.model, texts);
        let answer = self.request(&body)?;
        let mut vectors = self.settings.protocol.read(&answer).map_err(|reason| self.wrong(reason))?;
        self.check(&vectors, texts.len()).map_err(|reason| self.wrong(reason))?;
        vectors.iter_mut().for_each(|vector| normalise(vector));
        Ok(vectors)
    }

    fn check(&self, vectors: &[Vec<f32>], expected: usize) -> Result<(), String> {
        if vectors.len() != expected {
            return Err(format!("got {} vectors for {expected} texts", vectors.len()));
        }
        for vector in vectors {
            let dimensions = self.identity.dimensions;
            if vector.len() > MAX_DIMENSIONS {
                return Err(format!(
                    "a vector has {} dimensions; at most {MAX_DIMENSIONS} are supported",
                    vector.len()
                ));
            }
            if vector.is_empty() || (dimensions != 0 && vector.len() != dimensions) {
                return Err(format!("a vector has {} dimensions, expected {dimensions}", vector.len()));
            }
            if !vector.iter().all(|number| number.is_finite()) || vector.iter().all(|number| *number == 0.0) {
                return Err("a vector is zero or not finite".to_owned());
            }
        }
        Ok(())
    }

    /// Sends a request and returns the response.
    fn request(&self, body: &[u8]) -> EmbedResult<Vec<u8>> {
        let answer = self.service.post(self.settings.protocol.path(), body);
        answer.map_err(|failed| match failed {
            Failed::Unavailable(reason) => self.unavailable(&reason),
            Failed::Wrong(reason) => self.wrong(reason),
            Failed::Refused { status, reason } => self.refused(status, reason),
        })
    }

    /// Converts a status for which a retry will not help into an error.
    fn refused(&self, status: u16, reason: String) -> EmbedError {
        let unusable = |reason| EmbedError::Model { place: self.service.place().to_owned(), reason };
        match (status, &self.settings.key) {
            (401 | 403, Some(_)) => unusable(format!("the API key was rejected ({reason})")),
            (401 | 403, None) => unusable(format!("an API key is required ({reason})")),
            (404, _) => unusable(format!("unknown model {} ({reason})", self.settings.model)),
            _ => self.wrong(reason),
        }
    }

    fn unavailable(&self, reason: &str) -> EmbedError {
        EmbedError::Unavailable { place: self.service.place().to_owned(), reason: reason.to_owned() }
    }

    fn wrong(&self, reason: String) -> EmbedError {
        EmbedError::Wrong { place: self.service.place().to_owned(), reason }
    }
}

impl Embedder for Endpoint {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>> {
        Ok(self.embed_passages(&[text])?.pop().unwrap_or_default())
    }

    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        // Endpoints disagree about blank texts, and some reject the whole request. Blank texts get the zero vector.
        let mut vectors = vec![vec![0.0; self.identity.dimensions]; texts.len()];
        let non_blank: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
        let mut rest = non_blank.as_slice();
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch(rest, texts));
            let batch_texts: Vec<&str> = batch.iter().map(|at| texts[*at]).collect();
            for (at, vector) in batch.iter().zip(self.embed_batch(&batch_texts)?) {
                vectors[*at] = vector;
            }
            rest = after;
        }
        Ok(vectors)
    }
}

/// Returns how many of the next texts go into one request; at least one.
fn batch(next: &[usize], texts: &[&str]) -> usize {
    let mut bytes = 0;
    let fits = next.iter().take(BATCH).take_while(|at| {
        bytes += texts[**at].len();
        bytes <= BATCH_BYTES
    });
    fits.count().max(1)
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("identity", &self.identity).finish_non_exhaustive()
    }
}
