//! A local server that sends exactly the bytes a test specifies.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The request line and the headers, in lower case.
    pub head: String,
    /// The body.
    pub body: String,
}

pub struct Server {
    pub base: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// The response to a request: bytes followed by a closed connection, or silence until the client gives up.
pub enum Reply {
    Bytes(Vec<u8>),
    Nothing,
}

impl Server {
    /// Starts a server that responds to each request with `reply(number, request)`.
    pub fn start(reply: impl Fn(usize, &Request) -> Reply + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = receive(&stream) else { continue };
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request.clone());
                    seen.len() - 1
                };
                answer(stream, reply(number, &request));
            }
        });
        Server { base, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn receive(mut stream: &TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut block = [0; 65_536];
    loop {
        let length = stream.read(&mut block).ok().filter(|length| *length > 0)?;
        bytes.extend(&block[..length]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_lowercase();
        let expected = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let expected: usize = expected.map_or(0, |length| length.trim().parse().unwrap());
        if body.len() >= expected {
            return Some(Request { head, body: body.to_owned() });
        }
    }
}

/// The client may be gone before everything is sent; this is not an error.
fn answer(mut stream: TcpStream, reply: Reply) {
    match reply {
        Reply::Bytes(bytes) => drop(stream.write_all(&bytes)),
        Reply::Nothing => drop(stream.read(&mut [0; 1])),
    }
}

/// Returns a response with a status, further headers (each with its line ending) and a body.
pub fn http(status: &str, headers: &str, body: &[u8]) -> Reply {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n");
    Reply::Bytes([head.as_bytes(), body].concat())
}

/// Returns a successful JSON response.
pub fn ok(body: &str) -> Reply {
    http("200 OK", "Content-Type: application/json\r\n", body.as_bytes())
}
