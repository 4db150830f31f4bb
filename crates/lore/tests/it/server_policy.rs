//! A running server obeys an edited `lore.toml` at once, as the command line does.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A client of `lore serve` over standard input and output.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Client {
    fn start(sandbox: &Sandbox) -> Client {
        let mut command = sandbox.command(&["serve", "--tools", "all"]);
        let mut child = sandbox.spawn(command.stdin(Stdio::piped()));
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut client = Client { child, input, output, next_id: 0 };
        let info = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.request("initialize", hello);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
    }

    /// Sends a request and returns its response; notifications in between are skipped.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("a line") > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn a_rule_added_while_the_server_runs_refuses_the_next_write() {
    let sandbox = Sandbox::with_vault();
    let mut client = Client::start(&sandbox);
    let put = |slug: &str| json!({ "slug": slug, "content": "# Note\n", "expected_version": 0 });
    let first = client.call("memory_put", put("notes/a"));
    assert_ne!(first["isError"], true, "{first}");
    sandbox.write("lore.toml", "[[rule]]\npaths = [\"notes/**\"]\nallow = []\n");
    let refused = client.call("memory_put", put("notes/b"));
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(!sandbox.vault().join("notes/b.md").exists());
    sandbox.pipe(&["put", "notes/b"], b"text").exits(4);
    sandbox.write("lore.toml", "");
    let again = client.call("memory_put", put("notes/b"));
    assert_ne!(again["isError"], true, "{again}");
}

#[test]
fn a_folder_excluded_while_the_server_runs_is_not_found_any_more() {
    let sandbox = Sandbox::with_vault();
    let mut client = Client::start(&sandbox);
    client.call("memory_put", json!({ "slug": "drafts/a", "content": "zeppelin\n", "expected_version": 0 }));
    let hits = |client: &mut Client| client.call("memory_search", json!({ "query": "zeppelin" })).to_string();
    assert!(hits(&mut client).contains("drafts/a"));
    sandbox.write("lore.toml", "exclude = [\"drafts/**\"]\n");
    assert!(!hits(&mut client).contains("drafts/a"));
}
