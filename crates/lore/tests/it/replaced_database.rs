//! A database that is deleted or replaced while a process has it open: nothing is acknowledged into the deleted file, and
//! servers and watchers open the new one.

use std::fs;

use serde_json::json;

use crate::hand_edits::suspended_at;
use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("page.md", "# Page\n\nA zeppelin.\n");
    sandbox.sync();
    sandbox
}

fn delete_database(sandbox: &Sandbox) {
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{ending}", sandbox.database().display())).ok();
    }
}

#[test]
fn server_opens_the_database_again() {
    let sandbox = vault();
    let server = HttpServer::start(&sandbox);
    let search = |word: &str| server.post("search", &json!({ "query": word })).1["hits"].to_string();
    assert!(search("zeppelin").contains("page.md"));
    let put = |slug: &str, content: &str| server.post("put", &json!({ "slug": slug, "content": content }));
    assert_eq!(put("page", "# Page\n\nA balloon.\n").0, 200);
    for round in 0..2 {
        delete_database(&sandbox);
        assert!(search("balloon").contains("page.md"), "round {round}");
        delete_database(&sandbox);
        let (status, written) = put("other", &format!("# Other\n\nAirship {round}.\n"));
        assert_eq!(status, 200, "{written}");
        let row = sandbox.run(&["--no-sync", "get", "other", "--json"]).exits(0).json();
        assert_eq!(row["version"], written["version"], "another process sees the write: {row}");
        sandbox.write(&format!("by-hand-{round}.md"), "# By hand\n\nA kite.\n");
        sandbox.sync();
        assert!(search("kite").contains(&format!("by-hand-{round}.md")));
    }
    sandbox.validate();
}

#[test]
fn client_over_standard_input_reads_the_new_database() {
    let sandbox = vault();
    let mut client = McpClient::start(&sandbox, "all");
    let found =
        |client: &mut McpClient| client.call("memory_search", json!({ "query": "zeppelin" })).to_string();
    assert!(found(&mut client).contains("page"));
    let copy = sandbox.root.join("copy.db");
    sandbox.run(&["db", "backup", &copy.to_string_lossy()]).ok();
    delete_database(&sandbox);
    fs::rename(copy, sandbox.database()).expect("a rename");
    assert!(found(&mut client).contains("page"));
    let written =
        client.call("memory_put", json!({ "slug": "new", "content": "# New\n", "expected_version": 0 }));
    assert_ne!(written["isError"], json!(true), "{written}");
    sandbox.run(&["--no-sync", "get", "new"]).exits(0);
}

#[test]
fn write_into_a_deleted_database_is_refused_and_rolled_back() {
    for point in ["staged", "installed", "before-commit"] {
        let sandbox = vault();
        let mut command = sandbox.command(&["edit", "page", "--append", "More."]);
        command.env("LORE_FAULT", format!("stop@{point}"));
        let ran = suspended_at(&sandbox, &mut command, b"", || delete_database(&sandbox)).expect("suspended");
        ran.exits(5).says("was deleted or replaced while it was open");
        assert_eq!(sandbox.read("page.md"), b"# Page\n\nA zeppelin.\n", "{point}");
        sandbox.run(&["edit", "page", "--append", "More."]).exits(0);
        sandbox.validate();
    }
}

#[test]
fn pipe_opens_the_database_again() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let sandbox = vault();
    let mut child = sandbox.spawn(sandbox.command(&["pipe"]).stdin(std::process::Stdio::piped()));
    let mut input = child.stdin.take().expect("piped");
    let mut answers = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut ask = |tool: &str, parameters: serde_json::Value| {
        writeln!(input, "{}", json!({ "tool": tool, "input": parameters })).expect("it reads");
        answers.next().expect("an answer").expect("a line")
    };
    assert!(ask("search", json!({ "query": "zeppelin" })).contains("page.md"));
    for round in 0..2 {
        delete_database(&sandbox);
        let written = ask("put", json!({ "slug": format!("new-{round}"), "content": "# New\n" }));
        assert!(written.contains("\"exit\":0"), "{written}");
        sandbox.run(&["--no-sync", "get", &format!("new-{round}")]).exits(0);
        assert!(ask("search", json!({ "query": "zeppelin" })).contains("page.md"), "round {round}");
    }
    drop(input);
    child.wait().expect("it ends");
    sandbox.validate();
}
