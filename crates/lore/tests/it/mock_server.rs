//! A local server in place of Ollama or a model hub. It responds as configured or not at all, and records its
//! requests.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Dimensions of the vectors of a healthy server.
pub const DIMENSIONS: usize = 16;

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path of the request.
    pub path: String,
    /// Body of the request.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the texts to embed.
    pub fn texts(&self) -> Vec<String> {
        let body: Value = serde_json::from_slice(&self.body).expect("JSON");
        let texts = body["input"].as_array().expect("texts");
        texts.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    }
}

/// Produces a response; `None` stays silent until the client gives up.
type Responder = Box<dyn FnMut(&Request) -> Option<Vec<u8>> + Send>;

/// A server that handles one request at a time.
pub struct MockServer {
    /// Base address.
    pub base: String,
    responder: Arc<Mutex<Responder>>,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl MockServer {
    /// Starts a healthy Ollama.
    pub fn start() -> MockServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("its number"));
        let responder: Arc<Mutex<Responder>> = Arc::new(Mutex::new(Box::new(healthy_response)));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (current, recorded) = (Arc::clone(&responder), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = receive(&stream) else { continue };
                recorded.lock().expect("not poisoned").push(request.clone());
                let answer = (current.lock().expect("not poisoned"))(&request);
                send(stream, answer);
            }
        });
        MockServer { base, responder, requests }
    }

    /// Responds like this from now on.
    pub fn answer_with(&self, responder: impl FnMut(&Request) -> Option<Vec<u8>> + Send + 'static) {
        *self.responder.lock().expect("not poisoned") = Box::new(responder);
    }

    /// Responds like a healthy server from now on.
    pub fn recover(&self) {
        self.answer_with(healthy_response);
    }

    /// Returns the requests since the last call.
    pub fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.requests.lock().expect("not poisoned"))
    }

    /// Returns the texts embedded since the last call, without the word that probes the dimensions.
    pub fn texts(&self) -> Vec<String> {
        let texts = self.requests().iter().flat_map(Request::texts).collect::<Vec<_>>();
        texts.into_iter().filter(|text| text != "word").collect()
    }
}

fn healthy_response(request: &Request) -> Option<Vec<u8>> {
    let texts = request.texts();
    Some(match request.path.ends_with("/embeddings") {
        true => {
            let data = texts.iter().map(|text| json!({ "embedding": vector(text, DIMENSIONS) }));
            ok(&json!({ "data": data.collect::<Vec<_>>() }).to_string())
        }
        false => vectors(&texts, DIMENSIONS),
    })
}

/// Returns the response of an Ollama whose model embeds a bag of words.
pub fn vectors(texts: &[String], dimensions: usize) -> Vec<u8> {
    let vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(text, dimensions)).collect();
    ok(&json!({ "embeddings": vectors }).to_string())
}

fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.01; dimensions];
    for word in text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()) {
        let sum = word.bytes().fold(5381, |sum: usize, byte| sum.wrapping_mul(33) ^ usize::from(byte));
        vector[sum % dimensions] += 1.0;
    }
    vector
}

/// Returns a successful response.
pub fn ok(body: &str) -> Vec<u8> {
    http("200 OK", body.as_bytes())
}

/// Returns a response with a status. `Retry-After: 0` keeps retries from waiting.
pub fn http(status: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nRetry-After: 0\r\nConnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn receive(mut stream: &TcpStream) -> Option<Request> {
    let (mut bytes, mut block) = (Vec::new(), [0; 65_536]);
    loop {
        let length = stream.read(&mut block).ok().filter(|length| *length > 0)?;
        bytes.extend(&block[..length]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let expected = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        let body = &bytes[end + 4..];
        if body.len() >= expected.unwrap_or(0) {
            let path = head.split(' ').nth(1)?.to_owned();
            return Some(Request { path, body: body.to_vec() });
        }
    }
}

/// Sends a response. The client may have disconnected, which is not an error here.
fn send(mut stream: TcpStream, answer: Option<Vec<u8>>) {
    match answer {
        Some(bytes) => drop(stream.write_all(&bytes)),
        None => drop(stream.read(&mut [0; 1])),
    }
}
