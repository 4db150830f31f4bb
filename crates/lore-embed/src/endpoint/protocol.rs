//! Requests and responses of the embedding APIs.

use serde::Deserialize;
use serde_json::json;

/// The API of an embedding endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `POST /api/embed`, Ollama's API.
    Ollama,
    /// `POST /embeddings`, OpenAI's API, which many servers implement.
    OpenAi,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Protocol {
    /// Returns the prefix of the model's name in its identity.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Ollama => "ollama",
            Protocol::OpenAi => "openai",
        }
    }

    /// Returns the path that is appended to the base URL.
    pub fn path(self) -> &'static str {
        match self {
            Protocol::Ollama => "/api/embed",
            Protocol::OpenAi => "/embeddings",
        }
    }

    /// Returns the body of a request.
    pub fn request(self, model: &str, texts: &[&str]) -> Vec<u8> {
        json!({ "model": model, "input": texts }).to_string().into_bytes()
    }

    /// Returns the vectors of a response in the order of the texts, or what is wrong with it.
    pub fn read(self, answer: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        let not_read = |error: serde_json::Error| format!("no vectors: {error}");
        match self {
            Protocol::Ollama => {
                let answer: OllamaAnswer = serde_json::from_slice(answer).map_err(not_read)?;
                Ok(answer.embeddings)
            }
            Protocol::OpenAi => {
                let answer: OpenAiAnswer = serde_json::from_slice(answer).map_err(not_read)?;
                in_order(answer.data)
            }
        }
    }
}

/// Sorts vectors by their index; a vector without an index keeps its position.
fn in_order(data: Vec<OpenAiVector>) -> Result<Vec<Vec<f32>>, String> {
    let mut vectors: Vec<Option<Vec<f32>>> = data.iter().map(|_| None).collect();
    for (at, OpenAiVector { index, embedding }) in data.into_iter().enumerate() {
        let index = index.unwrap_or(at);
        let slot = vectors.get_mut(index).ok_or(format!("a vector has the invalid index {index}"))?;
        if slot.replace(embedding).is_some() {
            return Err(format!("two vectors have the index {index}"));
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_returned_in_the_order_of_the_texts() {
        let read = |protocol: Protocol, answer: &str| protocol.read(answer.as_bytes());
        let expected = Ok(vec![vec![1.0], vec![2.0]]);
        assert_eq!(read(Protocol::Ollama, r#"{"embeddings":[[1],[2]]}"#), expected);
        let shuffled = r#"{"data":[{"index":1,"embedding":[2]},{"index":0,"embedding":[1]}]}"#;
        assert_eq!(read(Protocol::OpenAi, shuffled), expected);
        assert_eq!(read(Protocol::OpenAi, r#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#), expected);
        for wrong in [
            r#"{"data":[{"index":1,"embedding":[2]}]}"#,
            r#"{"data":[{"index":0,"embedding":[2]},{"index":0,"embedding":[2]}]}"#,
            r#"{"data":[{"index":0,"embedding":[null]}]}"#,
            r#"{"embeddings":[[1]]}"#,
        ] {
            assert!(read(Protocol::OpenAi, wrong).is_err(), "{wrong}");
        }
    }
}
