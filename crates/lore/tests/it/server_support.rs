//! Clients of a running server: MCP over standard input and output, and HTTP.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::sandbox::{Sandbox, code};

/// A client of `lore serve` over standard input and output.
pub struct McpClient {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// The directories that it works in.
    roots: Vec<PathBuf>,
}

impl McpClient {
    /// Starts a server with a set of tools.
    pub fn start(sandbox: &Sandbox, tools: &str) -> McpClient {
        McpClient::start_with(sandbox, &["--tools", tools])
    }

    /// Starts a server with these options.
    pub fn start_with(sandbox: &Sandbox, options: &[&str]) -> McpClient {
        McpClient::start_in(sandbox, options, &[])
    }

    /// Starts a server with these options for a client that works in these directories.
    pub fn start_in(sandbox: &Sandbox, options: &[&str], roots: &[&Path]) -> McpClient {
        let mut command = sandbox.command(&[&["serve"], options].concat());
        let mut child = sandbox.spawn(command.stdin(Stdio::piped()));
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let roots: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
        let capabilities =
            if roots.is_empty() { json!({}) } else { json!({ "roots": { "listChanged": true } }) };
        let mut client = McpClient { child, input, output, next_id: 0, roots };
        let info = json!({ "name": "test", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
        client.request("initialize", hello);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends a line as it is.
    pub fn send_line(&mut self, line: &[u8]) {
        self.input.write_all(&[line, b"\n"].concat()).expect("the server reads");
    }

    /// Returns the next message.
    pub fn next_message(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).expect("a line") > 0, "the server ended");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Sends a request and returns its response; notifications in between are skipped.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next_message();
            if message["method"] == "roots/list" {
                self.list_roots(&message["id"]);
            } else if message["id"] == id {
                return message;
            }
        }
    }

    fn list_roots(&mut self, id: &Value) {
        let root = |root: &PathBuf| json!({ "uri": format!("file://{}", root.display()) });
        let roots: Vec<Value> = self.roots.iter().map(root).collect();
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": roots } }));
    }

    /// Moves to other directories, and says so.
    pub fn move_to(&mut self, roots: &[&Path]) {
        self.roots = roots.iter().map(|root| root.to_path_buf()).collect();
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    }

    /// Waits for a notification that fits.
    pub fn notified(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next_message();
            if message["method"].is_string() && fits(&message) {
                return message;
            }
        }
    }

    /// Calls a tool and returns its result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A running `lore serve --http`.
pub struct HttpServer {
    child: Child,
    address: String,
    /// The token with all rights.
    pub token: String,
}

impl HttpServer {
    /// Starts a server on a free port.
    pub fn start(sandbox: &Sandbox) -> HttpServer {
        HttpServer::start_with(sandbox, &[])
    }

    /// Starts a server on a free port with these options.
    pub fn start_with(sandbox: &Sandbox, options: &[&str]) -> HttpServer {
        HttpServer::start_command(sandbox, |arguments| sandbox.command(&[arguments, options].concat()))
    }

    /// Starts a server on a free port with a command that is given the arguments.
    pub fn start_command(sandbox: &Sandbox, command: impl FnOnce(&[&str]) -> Command) -> HttpServer {
        let added = sandbox.run(&["token", "add", "tester", "--write"]).ok().json();
        let token = added["token"].as_str().expect("a token").to_owned();
        let mut child = sandbox.spawn(&mut command(&["serve", "--http", "127.0.0.1:0"]));
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        let address = line.strip_prefix("listening on http://").and_then(|rest| rest.split(';').next());
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        HttpServer { child, address, token }
    }

    /// Asks the server to end, and returns its exit status.
    pub fn stop(mut self) -> i32 {
        let mut pid = self.child.id();
        // A server that is traced is the child of its tracer, which ignores signals.
        while fs::read_to_string(format!("/proc/{pid}/comm")).expect("a process").trim() == "strace" {
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("a process");
            pid = children.split_whitespace().next().and_then(|pid| pid.parse().ok()).expect("a child");
        }
        kill(Pid::from_raw(pid.cast_signed()), Signal::SIGTERM).expect("a signal");
        code(self.child.wait().expect("a child"))
    }

    /// Sends a request and returns its status and its body as JSON.
    pub fn send(&self, token: &str, line: &str, body: &str) -> (u16, Value) {
        let (status, body) = self.send_raw(token, line, body);
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// Sends a request and returns its status and its body.
    pub fn send_raw(&self, token: &str, line: &str, body: &str) -> (u16, String) {
        let mut stream = self.connect();
        self.write_head(&mut stream, token, line, &["Connection: close"], body);
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        let (head, body) = response.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, body.to_owned())
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).expect("the server listens")
    }

    /// Writes a request with these headers, and its body.
    pub fn write_head(&self, stream: &mut TcpStream, token: &str, line: &str, headers: &[&str], body: &str) {
        let (host, length) = (&self.address, body.len());
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .expect("the server reads");
    }

    /// Runs an operation with all rights.
    pub fn post(&self, operation: &str, parameters: &Value) -> (u16, Value) {
        self.send(&self.token, &format!("POST /api/{operation}"), &parameters.to_string())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
