//! What clients of a server may do: nothing that changes the machine, nothing with a removed token, and nothing beyond the
//! projects of a limited token, whose answers name no other project and no absolute path.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

/// Returns a sandbox with the vault `v` and a second one, `zebra`, whose name and path are secret.
fn two_vaults() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.pipe(&["put", "notes/tea"], b"# Tea\n\nGreen.\n").ok();
    let zebra = sandbox.root.join("zebra-folder");
    fs::create_dir(&zebra).expect("a folder");
    fs::write(zebra.join("secret.md"), "# Secret\n").expect("a page");
    sandbox.run(&["project", "add", "zebra", &zebra.to_string_lossy()]).ok();
    sandbox.run(&["ns", "create", "stripes", "--description", "Of no guest", "--project", "zebra"]).ok();
    sandbox
}

fn token(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let added = sandbox.run(&[&["token", "add"], arguments].concat()).ok().json();
    added["token"].as_str().expect("a token").to_owned()
}

#[test]
fn a_write_token_is_not_a_shell() {
    let sandbox = two_vaults();
    let proof = sandbox.root.join("proof");
    let command = format!("touch {}", proof.display());
    let server = HttpServer::start(&sandbox);
    let set = json!({ "key": "compact.command", "value": command });
    let (status, answer) = server.post("config_set", &set);
    assert_eq!(status, 403, "{answer}");
    let hint = answer["error"]["hint"].as_str().expect("a hint");
    assert!(hint.contains("on the command line") && hint.contains("allow-machine"), "{hint}");
    // Not even what the user has configured runs for a client.
    sandbox.run(&["config", "set", "compact.command", &command]).ok();
    sandbox.run(&["config", "set", "compact.summarizer", "command"]).ok();
    for body in [json!({ "summarizer": "command" }), json!({})] {
        let (status, answer) = server.post("compact", &body);
        assert_eq!(status, 403, "{answer}");
        assert!(answer["error"]["message"].as_str().expect("a message").contains("compact.command"));
    }
    assert!(!proof.exists());
    let outside = sandbox.root.join("outside");
    for (operation, body) in [
        ("db_backup", json!({ "file": outside })),
        ("eval", json!({ "folder": "/", "work": outside })),
        ("init", json!({ "path": outside })),
        ("project_add", json!({ "name": "root", "path": "/" })),
        ("skills_extract", json!({})),
        ("setup", json!({ "client": "claude" })),
        ("service_install", json!({ "watcher": true })),
        ("model_path", json!({ "folder": "/" })),
        ("token_add", json!({ "actor": "me", "write": true })),
        ("map", json!({ "glob": "/*", "project": "v" })),
        ("ns_create", json!({ "name": "home", "folder": "" })),
    ] {
        let (status, answer) = server.post(operation, &body);
        assert_eq!((status, &answer["error"]["code"]), (403, &json!("denied")), "{operation}: {answer}");
    }
    for (operation, field) in [("put", "file"), ("ingest", "file"), ("capture", "file"), ("capture", "raw")] {
        let mut body = json!({ "slug": "a", "text": "b" });
        body.as_object_mut().expect("an object").retain(|name, _| name == "slug" && operation == "put");
        body[field] = json!("/etc/passwd");
        let (status, answer) = server.post(operation, &body);
        let message = answer["error"]["message"].as_str().expect("a message");
        assert_eq!(status, 400, "{answer}");
        assert!(message.contains(&format!("{field:?} only on the command line")), "{message}");
    }
    assert!(!outside.exists());
    let (_, document) = server.send(&server.token, "GET /api/openapi.json", "");
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.contains_key("/api/config_list") && !paths.contains_key("/api/config_set"));
}

#[test]
fn a_server_started_with_it_changes_the_machine() {
    let sandbox = two_vaults();
    let server = HttpServer::start_with(&sandbox, &["--allow-machine"]);
    let set = json!({ "key": "search.limit", "value": "7" });
    assert_eq!(server.post("config_set", &set).0, 200);
    let (_, document) = server.send(&server.token, "GET /api/openapi.json", "");
    assert!(document["paths"].as_object().expect("paths").contains_key("/api/config_set"));
}

#[test]
fn machine_tools_are_not_offered_over_mcp() {
    let sandbox = two_vaults();
    let names = |client: &mut McpClient| {
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        let names = tools.as_array().expect("tools").iter().map(|tool| tool["name"].clone());
        names.collect::<Vec<Value>>()
    };
    let mut client = McpClient::start(&sandbox, "all");
    assert!(!names(&mut client).contains(&json!("create_memory_project")));
    let call = json!({ "name": "create_memory_project", "arguments": { "name": "x", "path": "/tmp" } });
    assert!(client.request("tools/call", call)["error"].is_object());
    let mut client = McpClient::start_with(&sandbox, &["--tools", "all", "--allow-machine"]);
    assert!(names(&mut client).contains(&json!("create_memory_project")));
}

#[test]
fn a_removed_token_is_refused_at_once_and_its_streams_end() {
    let sandbox = two_vaults();
    let server = HttpServer::start(&sandbox);
    // A token that was added later is accepted.
    let late = token(&sandbox, &["late"]);
    assert_eq!(server.send(&late, "POST /api/stats", "{}").0, 200);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let accept = "Accept: application/json, text/event-stream";
    let mut opened = server.connect();
    server.write_head(&mut opened, &late, "POST /mcp", &[accept, "Connection: close"], &hello.to_string());
    let mut answer = String::new();
    opened.read_to_string(&mut answer).expect("an answer");
    let session = answer
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned))
        .unwrap_or_else(|| panic!("{answer}"));
    let session = format!("Mcp-Session-Id: {}", session.trim());
    let mut stream = server.connect();
    server.write_head(&mut stream, &late, "GET /mcp", &[accept, &session], "");
    let mut lines = BufReader::new(stream);
    let mut first = String::new();
    lines.read_line(&mut first).expect("a status");
    assert!(first.contains("200"), "{first}");
    sandbox.run(&["token", "remove", "late"]).ok();
    assert_eq!(server.send(&late, "POST /api/stats", "{}").0, 401);
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("the stream ends");
    let mut again = server.connect();
    server.write_head(&mut again, &late, "GET /mcp", &[accept, &session], "");
    let mut answer = String::new();
    BufReader::new(&mut again).read_line(&mut answer).expect("a status");
    assert!(answer.contains("401"), "{answer}");
    // A broken file grants nothing, not what it granted before.
    fs::write(sandbox.root.join("home/tokens.toml"), "token = 3\n[[").expect("a file");
    let (status, answer) = server.send(&server.token, "POST /api/stats", "{}");
    assert_eq!(status, 500, "{answer}");
    assert!(!answer.to_string().contains(&*sandbox.root.to_string_lossy()), "{answer}");
}

#[test]
fn a_token_is_limited_or_refused() {
    let sandbox = two_vaults();
    let limited = |arguments: &[&str], expected: Value| {
        let added = sandbox.run(&[&["token", "add", "r"], arguments].concat()).ok().json();
        assert_eq!(added["projects"], expected, "{arguments:?}");
    };
    limited(&["--project", "v"], json!(["v"]));
    limited(&["--for", "v"], json!(["v"]));
    limited(&["--for", "zebra", "--for", "v", "--project", "v"], json!(["v", "zebra"]));
    limited(&[], Value::Null);
    for arguments in [&["--project", "nowhere"][..], &["--for", "nowhere"], &["--for", "v", "--for", ""]] {
        let refused = sandbox.run(&[&["token", "add", "s"], arguments].concat());
        assert_ne!(refused.code, 0, "{arguments:?}");
    }
    let listed = sandbox.run(&["token", "list"]).ok().json();
    assert_eq!(listed["tokens"].as_array().map(Vec::len), Some(4));
    // A misspelled limit in the file is an error, too.
    let file = sandbox.root.join("home/tokens.toml");
    let text = fs::read_to_string(&file).expect("a file").replace("projects", "project");
    fs::write(&file, text).expect("a file");
    sandbox.run(&["token", "list"]).exits(2).says("unknown key");
}

#[test]
fn a_limited_token_learns_nothing_of_other_projects() {
    let sandbox = two_vaults();
    sandbox.run(&["project", "default", "zebra"]).ok();
    let limited = token(&sandbox, &["guest", "--write", "--for", "v"]);
    // The server itself runs for the other project.
    let server = HttpServer::start_with(&sandbox, &["--project", "zebra"]);
    let mut answers = Vec::new();
    for info in
        serde_json::from_slice::<Value>(&sandbox.run(&["--tools-json"]).ok().out).expect("JSON")["tools"]
            .as_array()
            .expect("tools")
    {
        let name = info["name"].as_str().expect("a name");
        for body in [
            json!({}),
            json!({ "name": "zebra" }),
            json!({ "reference": "secret" }),
            json!({ "reference": "notes/tea" }),
            json!({ "slug": "../../x", "content": "x" }),
            json!({ "query": "secret" }),
            json!({ "question": "secret" }),
        ] {
            for query in ["", "?project=zebra", "?project=nowhere", "?project=v"] {
                let (status, answer) =
                    server.send(&limited, &format!("POST /api/{name}{query}"), &body.to_string());
                assert!(status != 200 || query != "?project=zebra", "{name}: {answer}");
                answers.push((format!("{name}{query} {body}"), answer.to_string()));
            }
        }
    }
    for line in
        ["GET /api/openapi.json", "GET /metrics", "GET /healthz", "GET /api/context/secret.md", "GET /x"]
    {
        answers.push((line.into(), server.send_raw(&limited, line, "").1));
    }
    // An unknown project and a project that is not covered are the same to it.
    let refused = |query: &str| server.send(&limited, &format!("POST /api/stats?project={query}"), "{}");
    let (unknown, covered) = (refused("nowhere"), refused("zebra"));
    assert_eq!(unknown.0, covered.0);
    assert_eq!(unknown.1.to_string().replace("nowhere", "zebra"), covered.1.to_string());
    let call = |method: &str, params: Value| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut stream = server.connect();
        let accept = "Accept: application/json, text/event-stream";
        let version = "MCP-Protocol-Version: 2026-07-28";
        server.write_head(
            &mut stream,
            &limited,
            "POST /mcp",
            &[accept, version, "Connection: close"],
            &body.to_string(),
        );
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let reference = json!({ "type": "ref/prompt", "name": "continue_conversation" });
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": "memory://project_info" })),
        ("resources/read", json!({ "uri": "memory://index" })),
        ("resources/read", json!({ "uri": "memory://pages/secret" })),
        ("prompts/get", json!({ "name": "memory_briefing" })),
        ("completion/complete", json!({ "ref": reference, "argument": { "name": "project", "value": "" } })),
        ("completion/complete", json!({ "ref": reference, "argument": { "name": "topic", "value": "se" } })),
        ("tools/call", json!({ "name": "list_memory_projects", "arguments": {} })),
        (
            "tools/call",
            json!({ "name": "memory_get", "arguments": { "slug": "secret", "project": "zebra" } }),
        ),
    ] {
        answers.push((format!("{method} {params}"), call(method, params)));
    }
    let root = sandbox.root.to_string_lossy().into_owned();
    for (request, answer) in &answers {
        // A name that the client itself sent may come back.
        let sent = request.contains("zebra");
        assert!(sent || !answer.contains("zebra"), "{request}: {answer}");
        for secret in ["zebra-folder", "# Secret", "stripes", "Of no guest"] {
            assert!(!answer.contains(secret), "{request}: {answer}");
        }
        assert!(!answer.contains(&root), "{request}: {answer}");
    }
    assert_eq!(
        server.send(&limited, "POST /api/stats", "{}").1["pages"],
        1,
        "its only project is the default"
    );
}

#[test]
fn errors_of_a_limited_token_name_no_path() {
    let sandbox = two_vaults();
    let limited = token(&sandbox, &["guest", "--write", "--for", "v"]);
    let server = HttpServer::start(&sandbox);
    let root = sandbox.root.to_string_lossy().into_owned();
    let check = |what: &str| {
        let (status, answer) =
            server.send(&limited, "POST /api/put", r#"{"slug": "notes/x", "content": "x"}"#);
        assert!(!answer.to_string().contains(&root), "{what}: {status} {answer}");
        status
    };
    sandbox.write("lore.toml", "[[rule]\nbroken");
    assert_ne!(check("policy"), 200);
    sandbox.write("lore.toml", "");
    let config = sandbox.root.join("home/config.toml");
    let text = fs::read(&config).expect("a file");
    fs::write(&config, "broken = [").expect("a file");
    assert_ne!(check("configuration"), 200);
    fs::write(&config, text).expect("a file");
    assert_eq!(check("nothing"), 200);
    fs::rename(sandbox.vault(), sandbox.root.join("elsewhere")).expect("a move");
    check("vault");
}

#[test]
fn tools_of_basic_memory_show_a_limited_token_nothing_of_other_projects() {
    let sandbox = two_vaults();
    sandbox.run(&["project", "default", "zebra"]).ok();
    let limited = token(&sandbox, &["guest", "--write", "--for", "v"]);
    let server = HttpServer::start_with(&sandbox, &["--project", "zebra", "--tools", "basic-memory"]);
    let call = |method: &str, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let (by_method, by_name) = (
            format!("Mcp-Method: {method}"),
            format!("Mcp-Name: {}", params["name"].as_str().expect("a name")),
        );
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut stream = server.connect();
        let head = [
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2026-07-28",
            "Connection: close",
            by_method.as_str(),
            by_name.as_str(),
        ];
        server.write_head(&mut stream, &limited, "POST /mcp", &head, &body.to_string());
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let names: Vec<String> =
        include_str!("basic_memory/recorded.json").parse::<Value>().expect("JSON")["tools"]
            .as_object()
            .expect("tools")
            .keys()
            .cloned()
            .collect();
    let mut answered = 0;
    for name in &names {
        for arguments in [
            json!({}),
            json!({ "identifier": "zebra/secret" }),
            json!({ "identifier": "memory://zebra/secret", "operation": "find_replace", "find_text": "S", "content": "x" }),
            json!({ "identifier": "secret", "project": "zebra" }),
            json!({ "identifier": "secret", "project_id": "zebra" }),
            json!({ "url": "memory://zebra/*" }),
            json!({ "id": "zebra/secret" }),
            json!({ "path": "zebra/secret.md" }),
            json!({ "path": "/" }),
            json!({ "dir_name": "/zebra", "depth": 5 }),
            json!({ "query": "secret", "search_all_projects": true }),
            json!({ "query": "secret", "projects": ["zebra"] }),
            json!({ "query": "secret" }),
            json!({ "pattern": "secret" }),
            json!({ "note_type": "note", "project": "zebra" }),
            json!({ "timeframe": "10y" }),
            json!({ "project_name": "zebra" }),
            json!({ "output_format": "json" }),
        ] {
            let request = json!({ "name": name, "arguments": arguments });
            let answer = call("tools/call", request.clone());
            answered += usize::from(answer.contains("\"isError\":false"));
            let sent = arguments.to_string().contains("zebra");
            assert!(sent || !answer.contains("zebra"), "{request}: {answer}");
            for secret in ["zebra-folder", "# Secret", "stripes", "Of no guest"] {
                assert!(!answer.contains(secret), "{request}: {answer}");
            }
        }
    }
    assert!(
        answered > 20,
        "{answered} answers; {}",
        call("tools/call", json!({ "name": "ls", "arguments": {} }))
    );
}
