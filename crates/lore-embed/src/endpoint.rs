//! Models that run elsewhere and are asked over HTTP: Ollama, and everything that speaks as OpenAI does.

mod protocol;

use std::fmt;
use std::time::Duration;

use lore_engine::{EmbedError, EmbedResult, Embedder, ModelIdentity};
use ureq::Agent;
use ureq::http::StatusCode;

pub use self::protocol::Protocol;
use crate::http::{Address, Patience, may_pass};
use crate::vector::normalise;

/// Texts in one request.
const BATCH: usize = 64;

/// Bytes of text in one request; a longer text goes alone.
const BATCH_BYTES: usize = 100_000;

/// Bytes of an answer. 64 vectors of 4096 numbers are about 6 MB.
const MOST_BYTES: u64 = 32 << 20;

/// The wait before the first further try; four times as long before the next.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The longest wait, also when the endpoint asks for more.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// What to ask, and where.
#[derive(Clone)]
pub struct EndpointSettings {
    /// How it is asked.
    pub protocol: Protocol,
    /// The address that the path of a request is added to: `http://127.0.0.1:11434`, `https://api.openai.com/v1`.
    pub base: String,
    /// The model's name there.
    pub model: String,
    /// The bearer token. It appears in no message.
    pub key: Option<String>,
    /// Numbers in a vector; without it the model is asked for one vector to count them.
    pub dimensions: Option<usize>,
    /// How long to wait, and how often to try.
    pub patience: Patience,
}

impl EndpointSettings {
    /// A model of the Ollama on this machine.
    pub fn ollama(model: &str) -> Self {
        EndpointSettings {
            protocol: Protocol::Ollama,
            base: "http://127.0.0.1:11434".to_owned(),
            model: model.to_owned(),
            key: None,
            dimensions: None,
            patience: Patience::default(),
        }
    }

    /// A model of an endpoint that speaks as OpenAI does.
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

/// A model that is asked over HTTP.
pub struct Endpoint {
    settings: EndpointSettings,
    address: Address,
    agent: Agent,
    identity: ModelIdentity,
}

/// Why a request brought no answer.
enum Failure {
    /// It may be over later; the endpoint may have said when.
    Again {
        reason: String,
        wait: Option<Duration>,
    },
    Final(EmbedError),
}

impl Endpoint {
    /// Makes an endpoint of the settings. It is asked for one vector when the dimensions are not given.
    pub fn connect(settings: EndpointSettings) -> EmbedResult<Self> {
        let place = || "the endpoint".to_owned();
        let address =
            Address::parse(&settings.base).map_err(|reason| EmbedError::Model { place: place(), reason })?;
        let agent = address
            .client()
            .timeout_connect(Some(settings.patience.connect))
            .timeout_global(Some(settings.patience.request))
            // The texts and the key are for this endpoint, and not for where it may point to.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .new_agent();
        let identity = ModelIdentity {
            name: format!("{}:{}", settings.protocol.name(), settings.model),
            dimensions: settings.dimensions.unwrap_or(0),
            revision: format!("{} {}", address.place, settings.model),
        };
        let mut endpoint = Endpoint { settings, address, agent, identity };
        if endpoint.identity.dimensions == 0 {
            let probe = endpoint.ask(&["word"])?;
            endpoint.identity.dimensions = probe.first().map_or(0, Vec::len);
        }
        Ok(endpoint)
    }

    /// The vectors of texts, none of which is blank, in one request.
    fn ask(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        let body = self.settings.protocol.request(&self.settings.model, texts);
        let answer = self.request(&body)?;
        let mut vectors = self.settings.protocol.read(&answer).map_err(|reason| self.wrong(reason))?;
        self.check(&vectors, texts.len()).map_err(|reason| self.wrong(reason))?;
        vectors.iter_mut().for_each(|vector| normalise(vector));
        Ok(vectors)
    }

    fn check(&self, vectors: &[Vec<f32>], expected: usize) -> Result<(), String> {
        if vectors.len() != expected {
            return Err(format!("{} vectors for {expected} texts", vectors.len()));
        }
        for vector in vectors {
            let dimensions = self.identity.dimensions;
            if vector.is_empty() || (dimensions != 0 && vector.len() != dimensions) {
                return Err(format!("a vector of {} numbers, not {dimensions}", vector.len()));
            }
            if !vector.iter().all(|number| number.is_finite()) || vector.iter().all(|number| *number == 0.0) {
                return Err("a vector without a direction".to_owned());
            }
        }
        Ok(())
    }

    /// The answer to a request, which is made again when the endpoint is busy or cannot be reached.
    fn request(&self, body: &[u8]) -> EmbedResult<Vec<u8>> {
        let Patience { more_tries, sleep, .. } = &self.settings.patience;
        let mut usual = FIRST_WAIT;
        for left in (0..=*more_tries).rev() {
            match self.request_once(body) {
                Ok(answer) => return Ok(answer),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Again { reason, .. }) if left == 0 => return Err(self.unavailable(&reason)),
                Err(Failure::Again { wait, .. }) => sleep(wait.unwrap_or(usual).min(LONGEST_WAIT)),
            }
            usual *= 4;
        }
        unreachable!("the last try returns")
    }

    fn request_once(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let url = format!("{}{}", self.address.url, self.settings.protocol.path());
        let mut request = self.agent.post(&url).content_type("application/json");
        if let Some(key) = &self.settings.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(|error| self.failed(&error))?;
        let status = response.status();
        let wait =
            response.headers().get("retry-after").and_then(|wait| wait.to_str().ok()?.trim().parse().ok());
        let answer = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
        let answer = answer.map_err(|error| self.failed(&error))?;
        if status == StatusCode::OK {
            return Ok(answer);
        }
        let busy = matches!(status.as_u16(), 408 | 429) || status.is_server_error();
        let reason = format!("status {}{}", status.as_u16(), self.quote(&answer));
        if busy {
            return Err(Failure::Again { reason, wait: wait.map(Duration::from_secs) });
        }
        Err(Failure::Final(self.refused(status, reason)))
    }

    /// What a status means that will not change by asking again.
    fn refused(&self, status: StatusCode, reason: String) -> EmbedError {
        let unusable = |reason| EmbedError::Model { place: self.address.place.clone(), reason };
        match (status.as_u16(), &self.settings.key) {
            (401 | 403, Some(_)) => unusable(format!("it does not accept the key ({reason})")),
            (401 | 403, None) => unusable(format!("it wants a key ({reason})")),
            (404, _) => unusable(format!("it does not know the model {} ({reason})", self.settings.model)),
            (300..=399, _) => {
                self.wrong(format!("it points to another address, which is not followed ({reason})"))
            }
            _ => self.wrong(reason),
        }
    }

    fn failed(&self, error: &ureq::Error) -> Failure {
        let reason = self.without_secrets(&error.to_string());
        match error {
            error if may_pass(error) => Failure::Again { reason, wait: None },
            ureq::Error::Timeout(_) => {
                let time = self.settings.patience.request;
                Failure::Final(self.unavailable(&format!("there was no answer within {time:?}")))
            }
            ureq::Error::BodyExceedsLimit(limit) => {
                Failure::Final(self.wrong(format!("an answer of more than {limit} bytes")))
            }
            ureq::Error::Protocol(_) => Failure::Final(self.wrong(reason)),
            _ => Failure::Final(self.unavailable(&reason)),
        }
    }

    /// The first words of what the endpoint says about an error.
    fn quote(&self, answer: &[u8]) -> String {
        let said = self.without_secrets(&self.settings.protocol.complaint(answer));
        let words: String = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
        if words.is_empty() { words } else { format!(": {words}") }
    }

    /// The text, should the endpoint or a library repeat what it was given.
    fn without_secrets(&self, text: &str) -> String {
        let shown = text.replace(&self.address.url, &self.address.place);
        match self.settings.key.as_deref().filter(|key| !key.is_empty()) {
            Some(key) => shown.replace(key, "…"),
            None => shown,
        }
    }

    fn unavailable(&self, reason: &str) -> EmbedError {
        EmbedError::Unavailable { place: self.address.place.clone(), reason: reason.to_owned() }
    }

    fn wrong(&self, reason: String) -> EmbedError {
        EmbedError::Wrong { place: self.address.place.clone(), reason }
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
        // Endpoints disagree about blank texts: some refuse the whole request. They have no direction: all zeros.
        let mut vectors = vec![vec![0.0; self.identity.dimensions]; texts.len()];
        let said: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
        let mut rest = said.as_slice();
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch(rest, texts));
            let asked: Vec<&str> = batch.iter().map(|at| texts[*at]).collect();
            for (at, vector) in batch.iter().zip(self.ask(&asked)?) {
                vectors[*at] = vector;
            }
            rest = after;
        }
        Ok(vectors)
    }
}

/// How many of the next texts go into one request; at least one.
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
