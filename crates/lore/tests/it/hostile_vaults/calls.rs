//! The operations that are tried on every vault.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Every operation as a line for `lore pipe`, with values for its required parameters, and whether it only reads.
/// Operations on the machine itself are left out.
pub fn calls() -> &'static [(String, bool)] {
    static CALLS: OnceLock<Vec<(String, bool)>> = OnceLock::new();
    const MACHINE: [&str; 9] =
        ["service_", "setup", "model_", "eval", "token_", "config_", "db_", "skills_extract", "embed"];
    CALLS.get_or_init(|| {
        let tools = Sandbox::empty().run(&["--tools-json"]).ok().json();
        let mut calls = Vec::new();
        for tool in tools["tools"].as_array().expect("tools") {
            let name = tool["name"].as_str().expect("a name");
            if MACHINE.iter().any(|machine| name.starts_with(machine)) {
                continue;
            }
            let is_read = tool["annotations"]["readOnlyHint"] == true;
            let input = input(name, &tool["inputSchema"]);
            calls.push((format!("{}\n", json!({ "tool": name, "input": input })), is_read));
        }
        calls.push((
            format!("{}\n", json!({ "tool": "put", "input": { "slug": "n/new", "template": true } })),
            false,
        ));
        calls.push((format!("{}\n", json!({ "tool": "ls", "input": { "path": "n" } })), true));
        calls
    })
}

fn input(name: &str, schema: &Value) -> Value {
    let mut input = serde_json::Map::new();
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let value = match (required, schema["properties"][required]["type"].as_str()) {
            ("path", _) if matches!(name, "project_add" | "create_memory_project") => json!("../outside"),
            ("content" | "text" | "note", _) => json!("# N\n\nText about b.\n"),
            ("to", _) => json!("b"),
            (_, Some("integer")) => json!(1),
            (_, Some("array")) => json!([]),
            (_, Some("boolean")) => json!(true),
            _ => json!("a"),
        };
        input.insert(required.to_owned(), value);
    }
    Value::Object(input)
}
