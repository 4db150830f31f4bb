//! The tools of Basic Memory, compared with records of its real package: every parameter with its default and aliases, and
//! the shape of its answers to the same calls on the same vault. `tests/agents/record_basic_memory.py` makes the records.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::McpClient;

const CASES: &str = include_str!("basic_memory/cases.json");
const RECORDED: &str = include_str!("basic_memory/recorded.json");

/// Parameters that differ: tool, parameter, and why.
const PARAMETERS: &[(&str, &str, &str)] = &[
    ("build_context", "depth", "a number or a string; the default is the same"),
    ("recent_activity", "type", "a string or a list; without a type, notes are listed too"),
    ("recent_activity", "depth", "accepted, without effect, as there"),
    ("move_note", "destination_path", "empty and absent mean the same"),
    ("create_memory_project", "workspace", "there is no cloud: naming a workspace is an error"),
    ("delete_project", "workspace", "there is no cloud: naming a workspace is an error"),
    ("delete_project", "delete_notes", "refused: removing a project never deletes files"),
    ("write_note", "workspace", "accepted, without effect: there is no cloud"),
    ("edit_note", "workspace", "accepted, without effect: there is no cloud"),
    ("search_notes", "valid_overlaps", "refused: use `valid_at`"),
    ("search_notes", "time_kind", "refused: dates of facts and relations have no kind"),
    ("search_notes", "valid_at", "the day on which a fact or relation of the note is valid"),
    ("read_note", "page", "accepted, without effect, as there"),
    ("read_note", "page_size", "accepted, without effect, as there"),
];

/// Answers that differ: tool, a part of the call or of the difference, and why.
const ANSWERS: &[(&str, &str, &str)] = &[
    ("list_workspaces", "", "there is no cloud: an empty list instead of an error"),
    ("search_notes", "\"vector\"", "the recorded installation has no vector index"),
    ("search_notes", "\"semantic\"", "the recorded installation has no vector index"),
    ("search_notes", "\"hybrid\"", "the recorded installation has no vector index"),
    ("grep", "\"semantic\"", "the recorded installation has no vector index"),
    ("search_notes", "bogus", "an invalid search is marked as an error"),
    ("build_context", "people/*", "a pattern also finds notes whose permalink has no project in front"),
    ("find", "fields", "numbers in the frontmatter are strings"),
    ("find", "csv", "only notes have an id and a time"),
    ("man", "", "the manual is Lore's; a query searches it"),
    ("read_note", "no line permalink", "no permalink is written: it follows from the path"),
    ("write_note", "external_id", "an existing note is named by its permalink alone"),
    ("schema_diff", "machine", "without a schema, the answer names `schema_infer`"),
    ("grep", "next_match_line", "the notes come in another order"),
    ("search_notes", "metadata.tags", "the observations come in another order"),
    ("write_note", "Guarded", "an error in the requested format"),
    ("write_note", "\"LA\"", "a note with this title exists there under another file name"),
    ("write_note", "\"S\"", "the title of the call is returned"),
    ("move_note", "charles-babbage.md", "refused: two notes would have one permalink"),
    ("move_note", "\"x/y\"", "an invalid move is marked as an error"),
    ("move_note", "destination", "an invalid move is marked as an error"),
    ("move_note", "{\"identifier\":\"people/ada-lovelace\"}", "an invalid move is marked as an error"),
    ("delete_project", "delete_notes", "refused: removing a project never deletes files"),
    ("recent_activity", "[] ", "files that are not notes are not listed"),
    ("schema_validate", "", "notes come in the order of their paths"),
];

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Creates the vault of the records, as the default project `main`.
fn vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a directory");
    for (path, text) in json_of(CASES)["files"].as_object().expect("files") {
        sandbox.write(path, text.as_str().expect("a text"));
    }
    sandbox.run(&["init", "--name", "main", "--no-git"]).ok();
    sandbox.run(&["project", "default", "main"]).ok();
    sandbox
}

fn start(sandbox: &Sandbox) -> McpClient {
    McpClient::start_with(sandbox, &["--tools", "basic-memory", "--allow-machine"])
}

fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Returns the fields of a value with their types.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, one)| (key.clone(), shape(one))).collect())
        }
        Value::Array(items) => items.first().map_or(json!([]), |first| json!([shape(first)])),
        Value::String(_) => json!("string"),
        Value::Number(_) => json!("number"),
        Value::Bool(_) => json!("boolean"),
        Value::Null => json!("null"),
    }
}

/// Fields whose keys are data of the vault.
const DATA: [&str; 4] = ["frontmatter", "unmatched_observations", "suggested_schema", "fields"];

fn compare(at: &str, theirs: &Value, ours: &Value, differences: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            for key in theirs.keys().chain(ours.keys().filter(|key| !theirs.contains_key(*key))) {
                let place = format!("{at}.{key}");
                match (theirs.get(key), ours.get(key)) {
                    (Some(_), Some(_)) if DATA.contains(&key.as_str()) => {}
                    (Some(theirs), Some(ours)) => compare(&place, theirs, ours, differences),
                    (Some(_), None) => differences.push(format!("{place} is missing")),
                    _ => differences.push(format!("{place} is new")),
                }
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => match (theirs.first(), ours.first()) {
            (Some(theirs), Some(ours)) => compare(&format!("{at}[]"), theirs, ours, differences),
            (None, None) => {}
            (Some(_), None) => differences.push(format!("{at}[] is empty")),
            (None, Some(_)) => differences.push(format!("{at}[] is not empty")),
        },
        (theirs, ours) if theirs == ours => {}
        (theirs, ours) => differences.push(format!("{at}: {ours} instead of {theirs}")),
    }
}

/// Returns how an answer differs from the recorded one.
fn differences(recorded: &Value, result: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let is_error = result["isError"] == true;
    if recorded["error"] != is_error {
        found.push(format!("error: {is_error}"));
        return found;
    }
    let text = text_of(result);
    let parsed: Option<Value> = serde_json::from_str(&text).ok();
    match (recorded.get("shape"), parsed) {
        (Some(theirs), Some(ours)) => compare("", theirs, &shape(&ours), &mut found),
        (None, None) => {
            let has = |label: &str| {
                text.lines().any(|line| line.trim_start_matches(['-', '*', ' ']).starts_with(label))
            };
            let labels = recorded["labels"].as_array().expect("labels").iter().filter_map(Value::as_str);
            found.extend(
                labels
                    .filter(|label| !is_error && !has(&format!("{label}:")))
                    .map(|label| format!("no line {label}")),
            );
        }
        _ if is_error => {}
        (Some(_), None) => found.push("text instead of JSON".into()),
        (None, Some(_)) => found.push("JSON instead of text".into()),
    }
    if !is_error && recorded["structured"] != result["structuredContent"].is_object() {
        found.push("structured content".into());
    }
    found
}

#[test]
fn tools_and_parameters_are_those_of_basic_memory() {
    let sandbox = vault();
    let mut client = start(&sandbox);
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let listed = listed.as_array().expect("tools");
    let recorded = json_of(RECORDED);
    let recorded = recorded["tools"].as_object().expect("tools");
    let mut table = String::from(HEAD);
    for (tool, parameters) in recorded {
        let ours =
            listed.iter().find(|one| one["name"] == **tool).unwrap_or_else(|| panic!("no tool {tool}"));
        let properties = ours["inputSchema"]["properties"].as_object().expect("properties");
        let parameters = parameters.as_object().expect("parameters");
        let extra: Vec<&String> = properties.keys().filter(|name| !parameters.contains_key(*name)).collect();
        assert!(extra.is_empty(), "{tool}: {extra:?}");
        let manual = text_of(&client.call("man", json!({ "page": tool })));
        if parameters.is_empty() {
            writeln!(table, "| `{tool}` | | equal |").expect("a string");
        }
        for (name, theirs) in parameters {
            let found = &properties[name];
            let required =
                ours["inputSchema"]["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
            assert_eq!(theirs["required"], required, "{tool} {name}");
            let reason = PARAMETERS.iter().find(|one| one.0 == tool && one.1 == name).map(|one| one.2);
            let default = found.get("default").cloned().unwrap_or_default();
            assert!(reason.is_some() || theirs["default"] == default, "{tool} {name}: {default}");
            let line = manual.lines().find(|line| line.starts_with(&format!("- `{name}`:"))).expect("a line");
            for alias in theirs["aliases"].as_array().expect("aliases") {
                let alias = alias.as_str().expect("a name");
                assert!(line.contains(&format!(" {alias}")), "{tool} {name}: no alias {alias} in {line}");
            }
            writeln!(table, "| `{tool}` | `{name}` | {} |", reason.unwrap_or("equal")).expect("a string");
        }
    }
    assert_eq!(listed.len(), recorded.len());
    table.push_str(ANSWER_HEAD);
    for (tool, about, reason) in ANSWERS {
        let about = about.trim();
        let about = if about.is_empty() { String::new() } else { format!("`{about}`") };
        writeln!(table, "| `{tool}` | {about} | {reason} |").expect("a string");
    }
    table.push_str(TAIL);
    expect_test::expect_file!["../../../../docs/basic-memory.md"].assert_eq(&table);
}

#[test]
fn answers_have_the_shapes_of_basic_memory() {
    let sandbox = vault();
    let mut client = start(&sandbox);
    let (cases, recorded) = (json_of(CASES), json_of(RECORDED));
    let calls = cases["calls"].as_array().expect("calls");
    let answers = recorded["answers"].as_array().expect("answers");
    assert_eq!(calls.len(), answers.len());
    let root = sandbox.root.to_string_lossy().into_owned();
    let mut unexplained = Vec::new();
    let mut equal = 0;
    for (call, answer) in calls.iter().zip(answers) {
        let tool = call[0].as_str().expect("a tool");
        let arguments = json_of(&call[1].to_string().replace("@ROOT@", &root));
        let result = client.call(tool, arguments.clone());
        let found = differences(answer, &result);
        if found.is_empty() {
            equal += 1;
            continue;
        }
        let told = format!("{arguments} {}", found.join(" "));
        if !ANSWERS.iter().any(|(of, part, _)| *of == tool && told.contains(part)) {
            unexplained.push(format!("{tool} {arguments}: {}", found.join("; ")));
        }
    }
    assert!(unexplained.is_empty(), "{equal} equal, {}:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(equal * 10 >= calls.len() * 8, "only {equal} of {} are equal", calls.len());
}

fn called(client: &mut McpClient, tool: &str, arguments: Value) -> Value {
    let result = client.call(tool, arguments);
    assert_ne!(result["isError"], true, "{tool}: {result}");
    result["structuredContent"].get("result").cloned().unwrap_or(result["structuredContent"].clone())
}

#[test]
fn a_prompt_for_basic_memory_works_unchanged() {
    let sandbox = vault();
    let mut client = start(&sandbox);
    let json_form = |mut arguments: Map<String, Value>| {
        arguments.insert("output_format".into(), "json".into());
        Value::Object(arguments)
    };
    let object = |value: Value| value.as_object().expect("an object").clone();
    let note = object(
        json!({ "title": "Tea Times", "content": "# Tea Times\n\n## Log\n\nFour.\n", "folder": "habits",
                              "tags": "home, tea" }),
    );
    let written = called(&mut client, "write_note", json_form(note.clone()));
    assert_eq!((&written["permalink"], &written["action"]), (&json!("habits/tea-times"), &json!("created")));
    assert_eq!(client.call("write_note", json_form(note))["isError"], true);
    // Every way to name it.
    for name in [
        "habits/tea-times",
        "Tea Times",
        "memory://habits/tea-times",
        "main/habits/tea-times",
        "habits/Tea Times.md",
    ] {
        let read = called(&mut client, "read_note", json_form(object(json!({ "identifier": name }))));
        assert_eq!(read["checksum"], written["checksum"], "{name}: {read}");
        assert_eq!(read["frontmatter"]["tags"], json!(["home", "tea"]));
    }
    let edit = |operation: &str, content: &str, more: Value| {
        let mut arguments = object(more);
        for (key, value) in [("identifier", "Tea Times"), ("operation", operation), ("content", content)] {
            arguments.insert(key.into(), value.into());
        }
        Value::Object(arguments)
    };
    called(
        &mut client,
        "edit_note",
        edit("append", "- [time] five", json!({ "metadata": { "mood": "calm" } })),
    );
    called(&mut client, "edit_note", edit("insert_after_section", "First.", json!({ "heading": "Log" })));
    called(&mut client, "edit_note", edit("find_replace", "Six.", json!({ "find": "Four." })));
    let wrong = client.call(
        "edit_note",
        edit("find_replace", "x", json!({ "find_text": "e", "expected_replacements": 99 })),
    );
    assert!(wrong["isError"] == true && !text_of(&wrong).contains("--"), "{wrong}");
    let stale =
        client.call("edit_note", edit("append", "x", json!({ "expected_checksum": written["checksum"] })));
    assert_eq!(stale["isError"], true, "{stale}");
    let text = String::from_utf8(sandbox.read("habits/Tea Times.md")).expect("text");
    assert!(
        text.contains("mood: calm")
            && text.contains("## Log\n\nFirst.\n\nSix.\n")
            && text.contains("- [time] five"),
        "{text}"
    );
    let found = called(&mut client, "search_notes", json_form(object(json!({ "categories": "time" }))));
    assert_eq!(found["results"][0]["permalink"], "habits/tea-times/observations/time/five", "{found}");
    let moved = called(
        &mut client,
        "move_note",
        json_form(object(json!({ "identifier": "Tea Times", "to_folder": "old" }))),
    );
    assert_eq!(moved["file_path"], "old/Tea Times.md", "{moved}");
    assert_eq!(called(&mut client, "delete_note", json!({ "identifier": "old/tea-times" })), true);
    assert_eq!(called(&mut client, "delete_note", json!({ "identifier": "old/tea-times" })), false);
}

#[test]
fn references_name_projects() {
    let sandbox = vault();
    let mut client = start(&sandbox);
    let path = sandbox.root.join("second");
    called(&mut client, "create_memory_project", json!({ "project_name": "second", "project_path": path }));
    called(
        &mut client,
        "write_note",
        json!({ "title": "Elsewhere", "content": "engine", "directory": "a", "project": "second" }),
    );
    for reference in ["memory://second/a/elsewhere", "second/a/elsewhere"] {
        let read = called(&mut client, "read_note", json!({ "identifier": reference }));
        assert!(read.as_str().expect("a text").ends_with("engine\n"), "{read}");
    }
    let all = json!({ "query": "engine", "search_all_projects": true, "output_format": "json", "search_type": "text" });
    let found = called(&mut client, "search_notes", all).to_string();
    assert!(found.contains("\"project\":\"second\"") && found.contains("\"project\":\"main\""), "{found}");
    let names = called(&mut client, "ls", json!({}))["nodes"].to_string();
    assert!(names.contains("second") && names.contains("main"), "{names}");
    let below = called(&mut client, "ls", json!({ "path": "/second/a" }));
    assert_eq!(below["nodes"][0]["title"], "Elsewhere", "{below}");
    assert_eq!(client.call("read_note", json!({ "identifier": "x", "project": "nosuch" }))["isError"], true);
}

#[test]
fn files_are_read_only_inside_the_vault() {
    let sandbox = vault();
    fs::write(sandbox.root.join("outside.txt"), "secret").expect("a file");
    sandbox.write(".hidden/key.txt", "secret");
    sandbox.write(".bmignore", "drafts/\n");
    sandbox.write("drafts/a.md", "# Secret draft\n");
    std::os::unix::fs::symlink(sandbox.root.join("outside.txt"), sandbox.vault().join("link.txt"))
        .expect("a link");
    let mut client = start(&sandbox);
    assert_eq!(
        called(&mut client, "read_content", json!({ "path": "data/table.csv" }))["text"],
        "a,b\n1,2\n"
    );
    for path in [
        "../outside.txt",
        "link.txt",
        ".hidden/key.txt",
        "lore.toml",
        "drafts/a.md",
        "/etc/passwd",
        "data",
        "",
    ] {
        let result = client.call("read_content", json!({ "path": path })).to_string();
        assert!(
            !result.contains("secret") && !result.contains("Secret") && !result.contains("root:"),
            "{path}: {result}"
        );
    }
    let found =
        called(&mut client, "search_notes", json!({ "query": "Secret draft", "search_type": "text" }));
    assert!(!found.as_str().expect("a text").contains("drafts"), "{found}");
}

#[test]
fn machine_is_changed_only_if_the_server_allows_it() {
    let sandbox = vault();
    let mut client = McpClient::start(&sandbox, "basic-memory");
    let path = sandbox.root.join("second");
    let refused =
        client.call("create_memory_project", json!({ "project_name": "second", "project_path": path }));
    assert!(refused["isError"] == true && !path.exists(), "{refused}");
    let kept = client.call("delete_project", json!({ "project_name": "main" }));
    assert_eq!(kept["isError"], true, "{kept}");
}

const HEAD: &str = "\
# Lore in place of Basic Memory

`lore serve --tools basic-memory` offers the tools of Basic Memory 0.24.1 under their names, with their parameters, aliases,
defaults and answers, so that prompts and skills that were written for it work unchanged. The files stay as they are.

```sh
lore import --from basic-memory
lore serve --tools basic-memory
```

The first command reads `config.json` in Basic Memory's configuration directory (`BASIC_MEMORY_CONFIG_DIR`, else
`$XDG_CONFIG_HOME/basic-memory`, else `~/.basic-memory`; or name one: `lore import DIR`). It registers every project under its name
where it is, and its default project as the default unless one is set. It changes no file, and can be repeated. A project whose
directory does not exist here, or whose name another vault has, is listed with the reason. Other settings have no counterpart.

Add `--allow-machine` to let clients create and remove projects. `.bmignore` in a vault is respected, `memory://` addresses may
have wildcards, and a reference may begin with the name of a project. Each tool is a translation to one of Lore's operations,
so pages keep their structured lines, secrets are refused, and every change has its history, as with any other tool.

## Parameters

| tool | parameter | compared |
|---|---|---|
";

const ANSWER_HEAD: &str = "
## Answers

215 calls were made to both on the same vault, and the fields of the answers and their types compared. Errors say what is wrong
in Lore's words. These differ:

| tool | where | why |
|---|---|---|
";

const TAIL: &str = "
Ids are stable texts; where Basic Memory has row numbers, a number derived from the id is given. A note that `write_note`
replaces keeps its frontmatter and the structured lines that the new text does not mention.
";
