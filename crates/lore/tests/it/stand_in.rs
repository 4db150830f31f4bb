//! A server on this machine in the place of Ollama or of a hub: it answers as it is told, or not at all, and remembers
//! what it was asked.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Numbers in a vector of a stand-in that is well.
pub const DIMENSIONS: usize = 16;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// What was asked for.
    pub path: String,
    /// What came with it.
    pub body: Vec<u8>,
}

impl Request {
    /// The texts to embed.
    pub fn texts(&self) -> Vec<String> {
        let body: Value = serde_json::from_slice(&self.body).expect("JSON");
        let texts = body["input"].as_array().expect("texts");
        texts.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    }
}

/// What is answered; `None` is silence until the other side gives up.
type Manner = Box<dyn FnMut(&Request) -> Option<Vec<u8>> + Send>;

/// A server that answers one request after the other.
pub struct StandIn {
    /// Its address.
    pub base: String,
    manner: Arc<Mutex<Manner>>,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl StandIn {
    /// An Ollama that is well.
    pub fn start() -> StandIn {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("its number"));
        let manner: Arc<Mutex<Manner>> = Arc::new(Mutex::new(Box::new(well)));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (told, seen) = (Arc::clone(&manner), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = receive(&stream) else { continue };
                seen.lock().expect("not poisoned").push(request.clone());
                let answer = (told.lock().expect("not poisoned"))(&request);
                send(stream, answer);
            }
        });
        StandIn { base, manner, requests }
    }

    /// Answers so from now on.
    pub fn answer_with(&self, manner: impl FnMut(&Request) -> Option<Vec<u8>> + Send + 'static) {
        *self.manner.lock().expect("not poisoned") = Box::new(manner);
    }

    /// Answers well from now on.
    pub fn recover(&self) {
        self.answer_with(well);
    }

    /// The requests since the last time this was asked.
    pub fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.requests.lock().expect("not poisoned"))
    }

    /// The texts that were given to embed since the last time, without the word that only counts the dimensions.
    pub fn texts(&self) -> Vec<String> {
        let texts = self.requests().iter().flat_map(Request::texts).collect::<Vec<_>>();
        texts.into_iter().filter(|text| text != "word").collect()
    }
}

fn well(request: &Request) -> Option<Vec<u8>> {
    let texts = request.texts();
    Some(match request.path.ends_with("/embeddings") {
        true => {
            let data = texts.iter().map(|text| json!({ "embedding": vector(text, DIMENSIONS) }));
            ok(&json!({ "data": data.collect::<Vec<_>>() }).to_string())
        }
        false => vectors(&texts, DIMENSIONS),
    })
}

/// The answer of an Ollama whose model knows which words a text has, and no more.
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

/// A good answer.
pub fn ok(body: &str) -> Vec<u8> {
    http("200 OK", body.as_bytes())
}

/// An answer with a status. Whoever may come again need not wait for it.
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

/// Whoever asked may be gone before everything is said; that is not the server's concern.
fn send(mut stream: TcpStream, answer: Option<Vec<u8>>) {
    match answer {
        Some(bytes) => drop(stream.write_all(&bytes)),
        None => drop(stream.read(&mut [0; 1])),
    }
}
