//! Values of the wrong type: errors name the parameter and what it takes, without the words of the programming language.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

/// Words of Rust and its libraries.
const JARGON: [&str; 14] = [
    "invalid type",
    "invalid value",
    "invalid length",
    "invalid digit",
    "usize",
    "u64",
    "i64",
    "struct",
    "variant",
    "enum",
    "missing field",
    "a sequence",
    "did not match",
    "expected map",
];

#[test]
fn every_operation_words_values_of_the_wrong_type() {
    let sandbox = Sandbox::with_vault();
    let listed = sandbox.run(&["--tools-json"]).ok().json();
    let mut lines = Vec::new();
    for tool in listed["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        let schema = &tool["inputSchema"];
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        // What these do is none of this test's business.
        if ["service_install", "service_uninstall", "setup", "init"].contains(&name) {
            continue;
        }
        for parameter in schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name) {
            for value in [json!([[{}]]), json!({ "a": [1] }), json!(-1.5), json!([7])] {
                let mut input = json!({});
                required.iter().for_each(|name| input[*name] = json!("x"));
                input[parameter] = value;
                lines.push(json!({ "tool": name, "input": input }).to_string());
            }
        }
    }
    std::fs::write(sandbox.root.join("calls"), lines.join("\n") + "\n").expect("a file");
    let answers = sandbox.sh("lore pipe < ../calls").text();
    assert_eq!(answers.lines().count(), lines.len());
    for (line, answer) in lines.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let found = JARGON.iter().find(|word| message.contains(**word));
        assert_eq!(found, None, "{line}: {message}");
    }
}

#[test]
fn every_face_names_the_parameter() {
    let sandbox = Sandbox::with_vault();
    let server = HttpServer::start(&sandbox);
    let mut client = McpClient::start(&sandbox, "all");
    for (value, given) in [
        (json!("far"), "the string \"far\""),
        (json!(-1), "the number -1"),
        (json!([1]), "a list"),
        (json!({ "a": 1 }), "an object"),
    ] {
        let input = json!({ "query": "tea", "limit": value });
        let expected = format!("limit: expected a whole number of 0 or more, not {given}");
        let called = sandbox.run(&["call", "search", &input.to_string()]).exits(2).err;
        let (status, posted) = server.post("search", &input);
        let answered = client.call("memory_search", input);
        assert_eq!(status, 400);
        for answer in [called, posted.to_string(), answered.to_string()] {
            assert!(answer.replace('\\', "").contains(&expected), "{answer}");
        }
    }
    sandbox.run(&["call", "search", "[]"]).exits(2).says("not an object");
    sandbox
        .run(&["call", "list", "{\"type\": 5}"])
        .exits(2)
        .says("type: expected a string or a list of strings");
    sandbox.run(&["search", "tea", "--limit", "-1"]).exits(2);
}
