//! The faces of Lore as the workers use them: a process per command, or a process that answers many requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::disorder::Processes;
use crate::sandbox::Sandbox;
use crate::stress_worker::Outcome;

/// A way to reach Lore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// `lore call`, a process for each operation.
    Call,
    /// `lore pipe`.
    Pipe,
    /// `lore serve`, over standard input and output.
    Mcp,
    /// `lore serve --http`.
    Http,
}

pub const FACES: [Face; 4] = [Face::Call, Face::Pipe, Face::Mcp, Face::Http];

/// A running process of a worker.
pub struct Connection {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Kept open: a server that cannot write its log would end.
    _log: Option<BufReader<ChildStderr>>,
    address: String,
}

impl Connection {
    /// Starts the process of a face. `None` if it was killed before it was ready.
    pub fn start(
        face: Face,
        mut command: Command,
        worker: usize,
        processes: &Processes,
    ) -> Option<Connection> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(if face == Face::Http { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn().expect("it starts");
        processes.set(worker, Some(child.id()));
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("piped")));
        let log = child.stderr.take().map(BufReader::new);
        let mut connection = Connection { child, input, output, _log: log, address: String::new() };
        if connection.greet(face).is_some() {
            return Some(connection);
        }
        connection.end(worker, processes);
        None
    }

    fn greet(&mut self, face: Face) -> Option<()> {
        match face {
            Face::Call | Face::Pipe => {}
            Face::Mcp => {
                let info = json!({ "name": "test", "version": "1" });
                let hello =
                    json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
                self.write(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }))?;
                self.line()?;
                self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
            }
            Face::Http => {
                let mut line = String::new();
                let log = self._log.as_mut().expect("piped");
                log.read_line(&mut line).ok().filter(|length| *length > 0)?;
                let address =
                    line.strip_prefix("listening on http://").and_then(|rest| rest.split(';').next());
                self.address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
            }
        }
        Some(())
    }

    /// Ends the process and returns whether it had already ended by itself or by a signal.
    pub fn end(mut self, worker: usize, processes: &Processes) {
        drop(self.input.take());
        processes.set(worker, None);
        if !self.address.is_empty() {
            self.child.kill().ok();
        }
        self.child.wait().expect("a child");
    }

    fn write(&mut self, message: &Value) -> Option<()> {
        writeln!(self.input.as_mut()?, "{message}").ok()
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        line.ends_with('\n').then_some(line)
    }

    /// Sends an operation. `None` if the process ended before it answered.
    pub fn request(&mut self, face: Face, operation: &str, input: &Value, token: &str) -> Option<Outcome> {
        match face {
            Face::Call => None,
            Face::Pipe => {
                self.write(&json!({ "tool": operation, "input": input }))?;
                let answer: Value = serde_json::from_str(&self.line()?).expect("JSON");
                Some(if answer["exit"] == 0 {
                    Outcome::Done(answer["result"].clone())
                } else {
                    Outcome::Refused(answer)
                })
            }
            Face::Mcp => self.mcp(operation, input),
            Face::Http => self.http(operation, input, token),
        }
    }

    fn mcp(&mut self, tool: &str, arguments: &Value) -> Option<Outcome> {
        let params = json!({ "name": tool, "arguments": arguments });
        self.write(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))?;
        loop {
            let message: Value = serde_json::from_str(&self.line()?).expect("JSON");
            if message["id"] == 1 {
                let result = &message["result"];
                let refused = message.get("error").is_some() || result["isError"] == true;
                let answer = if refused { message.clone() } else { result["structuredContent"].clone() };
                return Some(if refused { Outcome::Refused(answer) } else { Outcome::Done(answer) });
            }
        }
    }

    fn http(&mut self, operation: &str, input: &Value, token: &str) -> Option<Outcome> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let (host, body) = (&self.address, input.to_string());
        write!(
            stream,
            "POST /api/{operation} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let (head, body) = response.split_once("\r\n\r\n")?;
        let answer: Value = serde_json::from_str(body).ok()?;
        let done = head.split(' ').nth(1) == Some("200") || head.split(' ').nth(1) == Some("201");
        Some(if done { Outcome::Done(answer) } else { Outcome::Refused(answer) })
    }
}

/// Runs one `lore call`.
pub fn call(sandbox: &Sandbox, mut command: Command, worker: usize, processes: &Processes) -> Outcome {
    let mut child = sandbox.spawn(command.stdin(Stdio::null()));
    processes.set(worker, Some(child.id()));
    let mut out = Vec::new();
    child.stdout.take().expect("piped").read_to_end(&mut out).expect("its output");
    let mut log = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut log).expect("its log");
    processes.set(worker, None);
    let status = child.wait().expect("a child");
    match (status.code(), serde_json::from_slice(&out)) {
        (Some(0), Ok(answer)) => Outcome::Done(answer),
        (Some(code), _) => Outcome::Refused(json!({ "exit": code, "stderr": log })),
        (None, _) => Outcome::Unknown,
    }
}
