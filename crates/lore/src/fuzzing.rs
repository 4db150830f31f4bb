//! Entry points for the fuzz targets in `fuzz/`: operations, MCP and HTTP on one vault, in this process.
//!
//! Only in tests and with the feature `fuzzing`. Nothing here has rules of its own: a request takes the path it takes in a
//! server, from its bytes to the bytes of the answer.

use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{Method, Request, Uri};
use http_body_util::BodyExt as _;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use lore_engine::Code;
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::runtime::Runtime;

use crate::app::access::{Grant, Tokens};
use crate::app::environment::Environment;
use crate::app::session::{Session, SessionOptions};
use crate::app::stderr::{Stderr, Verbosity};
use crate::http;
use crate::mcp::{Handler, Toolset};
use crate::ops;
use crate::server::{ServerConfig, VaultWorkers, Workers};

/// How long an answer may take: far longer than any request needs.
const ANSWER: Duration = Duration::from_secs(60);

/// Maximum number of bytes in a pipe between client and server.
const PIPE: usize = 1024 * 1024;

/// The vault in the directory `v` of a folder, whose directory `home` is Lore's home.
pub struct Instance {
    session: Session,
    server: ServerConfig,
}

/// The answer to an HTTP request.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Instance {
    /// Creates an empty vault without git in a folder.
    pub fn create(folder: &Path) -> Instance {
        let environment = environment(folder);
        let options = SessionOptions { sync: true, face: "cli", ..SessionOptions::default() };
        let talk = Stderr::new(Verbosity::Quiet);
        let session = Session::new(environment.clone(), options.clone(), talk).expect("a session");
        let input = json!({ "path": folder.join("v"), "no_git": true });
        ops::run("init", input, &session).expect("a vault");
        // The configuration is read once, and now has the vault.
        let session =
            Session::new(environment.clone(), options, Stderr::new(Verbosity::Quiet)).expect("a session");
        let server = ServerConfig {
            environment,
            db: None,
            project: None,
            namespace: None,
            // Nobody else changes the vault, so nothing has to watch it.
            sync: false,
            level: Verbosity::Quiet,
            allow_machine: false,
        };
        Instance { session, server }
    }

    /// Runs an operation as the command line does, and returns its output as JSON, or the code of the error.
    pub fn run(&self, operation: &str, input: Value) -> Result<Value, (Code, String)> {
        let output = ops::run(operation, input, &self.session);
        output.map(|output| output.json()).map_err(|failure| (failure.code, failure.message))
    }

    /// Leaves an unfinished write with this record, sealed by this machine or not, and the bytes of its files.
    pub fn leave_write(&self, name: &str, record: &[u8], sealed: bool, news: &[&[u8]]) {
        let vault = self.session.context().expect("a vault").vault();
        let vault =
            if sealed { vault.clone() } else { lore_vault::Vault::open(vault.root()).expect("a vault") };
        let staging = vault.stage(name).expect("a staging directory");
        for (number, bytes) in news.iter().enumerate() {
            staging.add(number, "page.md", bytes, None).expect("a file");
        }
        staging.note(record, false).expect("a record");
    }

    /// Starts an MCP server on the vault.
    pub fn mcp(&self) -> McpClient {
        let runtime = runtime();
        let (client, served) = tokio::io::duplex(PIPE);
        let (workers, vaults) = self.workers();
        let handler = Handler::new(workers, vaults, Toolset::All);
        runtime.spawn(async move {
            let running = handler.serve(served).await.expect("a session");
            let _ = running.waiting().await;
        });
        let mut client = McpClient { runtime, stream: BufReader::new(client), next: 0 };
        client.initialize();
        client
    }

    /// Starts an HTTP server on the vault, without a socket.
    pub fn http(&self) -> HttpClient {
        let environment = &self.server.environment;
        let grant = Grant { actor: "fuzz".into(), projects: None, writes: true };
        let token = Tokens::add(environment, &grant).expect("a token");
        let (workers, vaults) = self.workers();
        let router = http::in_process(environment, workers, vaults).expect("a router");
        HttpClient { runtime: runtime(), service: TowerToHyperService::new(router), token }
    }

    fn workers(&self) -> (Workers, VaultWorkers) {
        let vaults = VaultWorkers::new(self.server.clone());
        (Workers::new(self.server.clone(), vaults.clone()), vaults)
    }
}

/// A client of an MCP server.
pub struct McpClient {
    runtime: Runtime,
    stream: BufReader<DuplexStream>,
    next: u64,
}

impl McpClient {
    fn initialize(&mut self) {
        let info = json!({ "name": "fuzz", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        let answer = self.request("initialize", &hello);
        assert!(answer.get("result").is_some(), "{answer}");
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.send(&ready);
    }

    /// Sends a request and returns the answer to it.
    pub fn request(&mut self, method: &str, parameters: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        let stream = &mut self.stream;
        let answer = async {
            loop {
                let mut line = String::new();
                let count = stream.read_line(&mut line).await.expect("a line");
                assert!(count > 0, "the server closed the connection");
                let message: Value = serde_json::from_str(&line).expect("JSON");
                if message.get("id") == Some(&json!(id)) {
                    return message;
                }
            }
        };
        let answer = async { tokio::time::timeout(ANSWER, answer).await };
        self.runtime.block_on(answer).expect("an answer in time")
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let stream = self.stream.get_mut();
        self.runtime.block_on(stream.write_all(line.as_bytes())).expect("the server reads");
    }
}

/// A client of an HTTP server.
pub struct HttpClient {
    runtime: Runtime,
    service: TowerToHyperService<Router>,
    token: String,
}

impl HttpClient {
    /// Sends a request with all rights; `None` when the method or the target is not one that HTTP can transport.
    pub fn request(&self, method: &str, target: &str, body: &[u8]) -> Option<HttpAnswer> {
        let target: Uri = target.parse().ok()?;
        let request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).ok()?)
            .uri(target)
            .header(HOST, "localhost")
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .header(CONTENT_TYPE, "text/markdown")
            .body(Body::from(body.to_owned()))
            .ok()?;
        let answer = async {
            let answer = self.service.call(request).await.expect("an answer");
            let status = answer.status().as_u16();
            let body = answer.into_body().collect().await.expect("a body").to_bytes().to_vec();
            HttpAnswer { status, body }
        };
        let answer = async { tokio::time::timeout(ANSWER, answer).await };
        Some(self.runtime.block_on(answer).expect("an answer in time"))
    }
}

/// Returns an environment in which nothing comes from the user's own.
fn environment(folder: &Path) -> Environment {
    let home = folder.join("home");
    let now =
        "2024-03-01T12:00:00Z".parse::<jiff::Timestamp>().expect("a time").to_zoned(jiff::tz::TimeZone::UTC);
    Environment {
        config_file: home.join("config.toml"),
        data: home.clone(),
        state: home.join("state"),
        own: Some(home.clone()),
        user_config: None,
        program: None,
        session: "fuzz".into(),
        named_session: None,
        home: Some(home),
        here: Some(folder.join("v")),
        model: Some("none".into()),
        models: None,
        db: None,
        project: None,
        format: None,
        actor: "fuzz".into(),
        clock: std::sync::Arc::new(move || now.clone()),
        terminal: false,
        interactive: false,
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance() -> (tempfile::TempDir, Instance) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = lore_vault::real_folder(folder.path()).expect("it is there");
        let instance = Instance::create(&root);
        (folder, instance)
    }

    #[test]
    fn each_face_answers_as_a_server_does() {
        let (_folder, instance) = instance();
        let input = json!({ "slug": "page", "content": "# Page\n\nText.\n" });
        instance.run("put", input).expect("a page");
        let mut mcp = instance.mcp();
        let call = json!({ "name": "memory_get", "arguments": { "slug": "page" } });
        let answer = mcp.request("tools/call", &call);
        assert_eq!(answer["result"]["structuredContent"]["slug"], json!("page"), "{answer}");
        let http = instance.http();
        let found = http.request("GET", "/api/context/page.md", b"").expect("a request");
        assert_eq!(found.status, 200, "{found:?}");
        let absent = http.request("GET", "/api/context/pag", b"").expect("a request");
        assert_eq!(absent.status, 404, "{absent:?}");
    }

    #[test]
    fn only_a_sealed_record_is_completed() {
        let (folder, instance) = instance();
        let hash = lore_text::ContentHash::of(b"planted\n").to_string();
        let step = json!({ "path": "new.md", "old": null, "new": hash, "sole_author": true });
        let author = json!({ "actor": "fuzz", "face": "cli", "session": "fuzz" });
        let record = json!({ "id": "0192", "author": author, "subject": "x", "steps": [step], "moved": [], "follows": false });
        for sealed in [false, true] {
            instance.leave_write("0192", record.to_string().as_bytes(), sealed, &[b"planted\n"]);
            instance.run("status", json!({})).expect("an answer");
            assert_eq!(lore_vault::exists(&folder.path().join("v/new.md")), sealed);
        }
    }
}
