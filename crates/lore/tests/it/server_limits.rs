//! Slow, half-sent, oversized and too many requests do not hold a server up.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::sandbox::Sandbox;
use crate::server_support::HttpServer;

/// Far more than the server's time limit of a second; only a connection that is never closed takes this long.
const NEVER: Duration = Duration::from_secs(60);

fn server() -> (Sandbox, HttpServer) {
    let sandbox = Sandbox::with_vault();
    let server = HttpServer::start_with(&sandbox, &["--read-timeout", "1"]);
    (sandbox, server)
}

/// Reads until the server closes the connection and returns its answer.
#[track_caller]
fn closed(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(NEVER)).expect("a time limit");
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection stays open: {error}"),
    }
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn half_sent_requests_are_closed() {
    let (_sandbox, server) = server();
    let token = &server.token;
    let head = format!("POST /api/stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n");
    let mcp = head.replace("/api/stats", "/mcp")
        + "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let parts = [
        String::new(),
        "POST /api/st".into(),
        head.clone(),
        format!("{head}Content-Length: 100\r\n\r\n{{\"a"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n5\r\n{{"),
        format!("{mcp}Content-Length: 100\r\n\r\n{{\"jsonrpc"),
        // Complete, and then nothing more on a connection that is kept alive.
        format!("{head}Content-Length: 2\r\n\r\n{{}}"),
    ];
    let mut open: Vec<(TcpStream, &String)> = Vec::new();
    for part in parts.iter().cycle().take(70) {
        let mut stream = server.connect();
        stream.write_all(part.as_bytes()).expect("the server listens");
        open.push((stream, part));
    }
    // Others are answered meanwhile.
    assert_eq!(server.post("stats", &serde_json::json!({})).0, 200);
    for (stream, part) in &mut open {
        let answer = closed(stream);
        if part.contains("Content-Length: 100") || part.contains("chunked") {
            assert!(answer.starts_with("HTTP/1.1 408"), "{part:?}: {answer}");
        }
    }
}

#[test]
fn oversized_requests_are_refused_before_they_are_read() {
    let (_sandbox, server) = server();
    let token = &server.token;
    let head = format!("POST /api/stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n");
    let answer = |request: &str| {
        let mut stream = server.connect();
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        closed(&mut stream)
    };
    for length in ["16777217", "99999999999", "9223372036854775807"] {
        for route in ["/api/stats", "/mcp", "/api/context/a.md", "/healthz"] {
            let head = head.replace("/api/stats", route);
            let answer = answer(&format!("{head}Content-Length: {length}\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 413"), "{route} {length}: {answer}");
        }
    }
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(1 << 20)).repeat(20);
    for route in ["/api/stats", "/mcp"] {
        let head = head.replace("/api/stats", route);
        let head = format!(
            "{head}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        );
        let answer = answer(&format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 413"), "{route}: {answer}");
    }
    for (what, headers, status) in [
        ("headers", "X: y\r\n".repeat(200), "431"),
        ("a header", format!("X: {}\r\n", "y".repeat(1 << 20)), "431"),
        ("a coding", "Content-Encoding: gzip\r\n".into(), "415"),
    ] {
        let answer = answer(&format!("{head}{headers}Content-Length: 2\r\n\r\n{{}}"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{what}: {answer}");
    }
    let long = head.replace("/api/stats", &format!("/api/{}", "x".repeat(20_000)));
    assert!(answer(&format!("{long}Content-Length: 0\r\n\r\n")).starts_with("HTTP/1.1 414"));
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for route in ["POST /api/stats", "POST /mcp", "PUT /api/context/a.md"] {
        let (status, answer) = server.send_raw(token, route, &deep);
        assert!((400..500).contains(&status), "{route}: {status} {answer}");
    }
    assert_eq!(server.post("stats", &serde_json::json!({})).0, 200);
}

#[test]
fn too_many_connections_are_refused_until_others_end() {
    let sandbox = Sandbox::with_vault();
    let server = HttpServer::start_with(&sandbox, &["--read-timeout", "3600"]);
    let mut open: Vec<TcpStream> = (0..560).map(|_| server.connect()).collect();
    let refused =
        open.iter_mut().rev().take(20).map(closed).filter(|answer| answer.starts_with("HTTP/1.1 503"));
    assert!(refused.count() > 0, "no connection was refused");
    drop(open);
    // The server notices the closed connections one after the other.
    loop {
        let mut stream = server.connect();
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let _ = stream.write_all(request.as_bytes());
        if closed(&mut stream).starts_with("HTTP/1.1 200") {
            break;
        }
    }
}
