//! Namespaces: created and listed, chosen by option or by directory, kept apart, with their own thresholds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};
use crate::server_support::{HttpServer, McpClient};

const HARBOUR: &str = "Client A pays harbour fees in March.";
const RAILWAY: &str = "Client B pays railway fees in March.";

/// Creates a vault with two clients, each in a namespace and a directory of its own.
fn two_clients() -> (Sandbox, PathBuf, PathBuf) {
    let sandbox = Sandbox::with_vault();
    let directories = ["work-a", "work-b"].map(|name| sandbox.root.join(name));
    for (name, directory) in ["client-a", "client-b"].into_iter().zip(&directories) {
        fs::create_dir(directory).expect("a directory");
        sandbox.run(&["ns", "create", name]).ok();
        sandbox.run(&["map", &directory.to_string_lossy(), name]).ok();
    }
    let [a, b] = directories;
    (sandbox, a, b)
}

fn at(sandbox: &Sandbox, directory: &Path, arguments: &[&str]) -> Ran {
    let mut command: Command = sandbox.command(arguments);
    Ran::from(command.current_dir(directory).output().expect("it runs"))
}

fn slugs(list: &Value) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.filter_map(|one| one["slug"].as_str()).map(str::to_owned).collect()
}

#[test]
fn namespace_is_created_once_and_listed_with_its_settings() {
    let sandbox = Sandbox::with_vault();
    let create = ["ns", "create", "clients", "--title", "Clients", "--stale-after-days", "90"];
    assert_eq!(sandbox.run(&create).ok().json()["message"], "created namespace clients in v");
    assert_eq!(sandbox.run(&create).ok().json()["message"], "namespace clients exists already");
    sandbox.run(&["ns", "create", "clients", "--stale-after-days", "7"]).exits(2).says("other settings");
    sandbox.run(&["ns", "create", "Big Clients"]).exits(2).says("lowercase");
    sandbox.run(&["capture", "Acme wants a retainer.", "--namespace", "clients"]).ok();
    let listed = sandbox.run(&["ns", "list"]).ok().json();
    let expected = json!([{ "slug": "clients", "name": "Clients", "folder": "clients", "pages": 1, "stale_after_days": 90 }]);
    assert_eq!(listed["namespaces"], expected);
    let called = sandbox.run(&["call", "ns_create", "{\"name\": \"home\"}"]).ok().json();
    assert_eq!(called["message"], "created namespace home in v");
    assert!(String::from_utf8(sandbox.read("lore.toml")).expect("text").ends_with("[namespaces.home]\n"));
}

/// What an error lists as known is what the list shows: declared namespaces, folders, and those that pages name.
#[test]
fn namespaces_that_are_not_declared_are_listed_too() {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["ns", "create", "clients"]).ok();
    sandbox.write("suppliers/page.md", "# Page\n");
    sandbox.write("other.md", "---\nnamespace: home\n---\n# Other\n");
    sandbox.sync();
    let listed = sandbox.run(&["ns", "list"]).ok().json();
    let counted: Vec<_> = listed["namespaces"].as_array().expect("a list").iter().collect();
    let shown: Vec<_> = counted.iter().map(|one| (one["slug"].as_str(), one["pages"].as_u64())).collect();
    assert_eq!(shown, [(Some("clients"), Some(0)), (Some("home"), Some(1)), (Some("suppliers"), Some(1))]);
    sandbox
        .run(&["list", "--namespace", "nobody"])
        .exits(2)
        .says("known namespaces: home, clients, suppliers");
}

#[test]
fn two_clients_in_two_directories_do_not_see_each_other() {
    let (sandbox, a, b) = two_clients();
    let captured = at(&sandbox, &a, &["capture", HARBOUR]).ok().json();
    assert_eq!(captured["namespace"], "client-a");
    assert!(captured["slug"].as_str().expect("a slug").starts_with("client-a/"));
    // A similar page of the other client is neither shown nor linked.
    let captured = at(&sandbox, &b, &["capture", RAILWAY]).ok().json();
    assert_eq!((&captured["namespace"], &captured["linked"]), (&json!("client-b"), &json!([])));
    for (directory, own) in [(&a, "client-a"), (&b, "client-b")] {
        let only_own = |found: Vec<String>| {
            assert!(!found.is_empty() && found.iter().all(|slug| slug.starts_with(own)), "{own}: {found:?}");
        };
        only_own(slugs(&at(&sandbox, directory, &["search", "fees march"]).ok().json()["hits"]));
        only_own(slugs(&at(&sandbox, directory, &["query", "who pays fees?"]).ok().json()["hits"]));
        only_own(slugs(&at(&sandbox, directory, &["list"]).ok().json()["pages"]));
        only_own(slugs(&at(&sandbox, directory, &["recent"]).ok().json()["pages"]));
        let brief = at(&sandbox, directory, &["context"]).ok().json();
        only_own(slugs(&brief["active_nodes"]));
        assert_eq!(brief["namespace"], own);
        let everything = at(&sandbox, directory, &["search", "fees march", "--namespace", "all"]).ok().json();
        assert_eq!(everything["hits"].as_array().map(Vec::len), Some(2));
        let input = json!({ "cwd": directory, "session_id": "s" }).to_string();
        let start = ["hook", "session-start", "--time-limit", "600000"];
        let told = sandbox.pipe(&start, input.as_bytes()).ok().text();
        let other = if own == "client-a" { "railway" } else { "harbour" };
        assert!(told.contains(own) && !told.contains(other), "{told}");
    }
}

#[test]
fn namespace_option_selects_pages_in_every_command() {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["capture", "x", "--namespace", "clinets"]).exits(2).says("no namespace \"clinets\"");
    // What is outside the vault is neither looked at nor written to.
    sandbox.run(&["capture", "x", "--namespace", "../home"]).exits(2).says("no namespace");
    sandbox.run(&["ns", "create", "clients"]).ok();
    sandbox.run(&["capture", HARBOUR, "--namespace", "clients"]).ok();
    sandbox.run(&["capture", "The loom weaves leaves."]).ok();
    sandbox.write("tagged.md", "---\ntags: [clients]\n---\n# Tagged\n\nA fee.\n");
    assert_eq!(
        sandbox.run(&["search", "--namespace", "clients"]).ok().json()["hits"].as_array().map(Vec::len),
        Some(2)
    );
    sandbox.run(&["search"]).exits(2).says("no words");
    let stats = sandbox.run(&["stats", "--namespace", "clients"]).ok().json();
    assert_eq!(stats["statuses"], json!([{ "name": "active", "pages": 2 }]));
    assert_eq!(stats["namespaces"], json!([{ "name": "clients", "pages": 2 }]));
    assert_eq!(stats["ages"][0]["name"], "up to 7 days");
    let brief = sandbox.run(&["context", "--namespace", "clients"]).ok().json();
    assert_eq!(brief["active_nodes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn unanswered_questions_belong_to_the_namespaces_they_were_asked_in() {
    let (sandbox, a, b) = two_clients();
    sandbox.write("lore.toml", [&sandbox.read("lore.toml")[..], b"\n[gaps]\nlog = true\n"].concat());
    sandbox.write("client-a/fees.md", "# Fees\n\nHarbour fees.\n");
    let ask = |directory: &Path, question: &str| drop(at(&sandbox, directory, &["query", question]));
    ask(&a, "who repairs the zeppelin?");
    ask(&b, "who paints the glockenspiel?");
    ask(&b, "who repairs the zeppelin?");
    sandbox.run(&["query", "who tunes the theremin?"]);
    sandbox.run(&["gap", "add", "who oils the carillon?", "--namespace", "client-a"]).ok();
    let listed = |arguments: &[&str]| {
        let list = sandbox.run(&[&["gaps"], arguments].concat()).exits(0).json();
        (list["gaps"].as_array().map(Vec::len), list["open"].as_u64())
    };
    assert_eq!(listed(&[]), (Some(4), Some(4)));
    assert_eq!(listed(&["--namespace", "all"]), (Some(4), Some(4)));
    assert_eq!(listed(&["--namespace", "client-a"]), (Some(2), Some(2)));
    assert_eq!(listed(&["--namespace", "client-b", "--limit", "1"]), (Some(1), Some(2)));
    // A directory that is mapped to a namespace lists its questions.
    let own = at(&sandbox, &b, &["gaps"]).ok().json();
    assert_eq!(own["gaps"][0]["namespaces"], json!(["client-a", "client-b"]));
    assert_eq!(own["open"], 2);
    let brief = at(&sandbox, &a, &["context"]).ok().json().to_string();
    assert!(brief.contains("2 unanswered questions"), "{brief}");
}

/// A page that does not exist yet is written to the folder of the namespace that was asked for.
#[test]
fn new_pages_are_put_into_the_namespace() {
    let sandbox = two_namespaces();
    sandbox.write("known.md", "# Known\n");
    let put = |slug: &str| {
        sandbox.pipe(&["put", slug, "--namespace", "clients"], b"# Text\n").exits(0).json()["path"].clone()
    };
    for (slug, path) in [
        ("new", "clients/new.md"),
        ("new", "clients/new.md"),
        ("clients/other", "clients/other.md"),
        ("./deep/file.md", "clients/deep/file.md"),
        ("known", "known.md"),
        ("suppliers/page-1", "suppliers/page-1.md"),
    ] {
        assert_eq!(put(slug), path, "{slug}");
    }
    sandbox.pipe(&["put", "new", "--namespace", "cleints"], b"# Text\n").exits(2).says("no namespace");
    let everywhere = sandbox.pipe(&["put", "root", "--namespace", "all"], b"# Text\n").exits(0).json();
    assert_eq!(everywhere["path"], "root.md");
    let source = json!({ "content": "Met.", "pages": [{ "slug": "met", "content": "# Met\n", "expected_version": 0 }] });
    let payload = source.to_string();
    sandbox.pipe(&["ingest", "--json-payload", "-", "--namespace", "clients"], payload.as_bytes()).ok();
    assert!(sandbox.vault().join("clients/met.md").exists());
    let mut client = McpClient::start_with(&sandbox, &["--tools", "all", "--namespace", "clients"]);
    let page = json!({ "slug": "tool", "content": "# Tool\n", "expected_version": 0 });
    let answer = client.call("memory_put", page);
    assert_eq!(answer["structuredContent"]["path"], "clients/tool.md", "{answer}");
}

#[test]
fn namespace_has_its_own_thresholds() {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["ns", "create", "fast", "--stale-after-days", "10"]).ok();
    sandbox.run(&["ns", "create", "slow", "--stale-after-days", "5000", "--orphan-after-days", "5000"]).ok();
    for name in ["fast", "slow"] {
        sandbox.write(&format!("{name}/page.md"), "---\nupdated: 2026-10-01\n---\n# Page\n");
    }
    sandbox.write("other.md", "---\nupdated: 2026-10-20\n---\n# Other\n");
    let stale = |more: &[&str]| -> Ran {
        let mut command = sandbox.command(&[&["stale"], more].concat());
        command.env("LORE_NOW", "2026-11-15T12:00:00Z").output().expect("lore runs").into()
    };
    assert_eq!(slugs(&stale(&[]).ok().json()["pages"]), ["fast/page"]);
    assert_eq!(slugs(&stale(&["--namespace", "fast"]).ok().json()["pages"]), ["fast/page"]);
    stale(&["--namespace", "slow"]).exits(1);
}

#[test]
fn directory_mapped_to_a_vault_gets_its_pages_and_an_unmapped_one_the_last_three() {
    let sandbox = Sandbox::with_vault();
    for name in ["one", "two", "three", "four", "five"] {
        sandbox.write(&format!("{name}.md"), format!("---\ntitle: Page {name}\n---\nText.\n"));
    }
    let [mapped, unmapped] = ["mapped", "unmapped"].map(|name| sandbox.root.join(name));
    for directory in [&mapped, &unmapped] {
        fs::create_dir(directory).expect("a directory");
    }
    sandbox.run(&["map", &mapped.to_string_lossy(), "v"]).ok();
    let count = |directory: &PathBuf| {
        let brief = at(&sandbox, directory, &["context"]).exits(0).json();
        brief["active_nodes"].as_array().map(Vec::len)
    };
    assert_eq!((count(&mapped), count(&unmapped)), (Some(5), Some(3)));
    let hook = |directory: &PathBuf| {
        let input = json!({ "cwd": directory, "session_id": "s" }).to_string();
        sandbox.pipe(&["hook", "session-start", "--time-limit", "600000"], input.as_bytes()).ok().text()
    };
    let pages = |text: &str| {
        ["one", "two", "three", "four", "five"]
            .iter()
            .filter(|name| text.contains(&format!("Page {name}")))
            .count()
    };
    assert_eq!((pages(&hook(&mapped)), pages(&hook(&unmapped))), (5, 3));
}

/// Creates a vault with two namespaces whose pages have the same things.
fn two_namespaces() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    for (name, lines) in [("clients", 2), ("suppliers", 1)] {
        for number in 1..=lines {
            let text = format!(
                "---\ntype: {name}\ntags: [{name}, both]\n---\n# Page {number} of {name}\n\n\
                 - role:: buyer {{2020..}}\n- knows [[nobody-{name}-{number}]]\n"
            );
            sandbox.write(&format!("{name}/page-{number}.md"), text);
        }
    }
    sandbox.sync();
    sandbox
}

#[test]
fn everything_that_takes_a_namespace_refuses_an_unknown_one_and_lists_the_known_ones() {
    let sandbox = two_namespaces();
    for arguments in [
        &["stats"][..],
        &["list"],
        &["search", "buyer"],
        &["query", "who buys?"],
        &["context"],
        &["stale"],
        &["compact", "--dry-run"],
        &["lint"],
        &["curate", "--dry-run"],
        &["gaps"],
        &["check", "--all"],
        &["links", "clients/page-1"],
        &["recent"],
        &["tags"],
        &["ls"],
        &["graph", "clients/page-1"],
        &["briefing"],
        &["timeline"],
        &["capture", "Text."],
        &["facts"],
    ] {
        let ran = sandbox.run(&[arguments, &["--namespace", "cleints"]].concat());
        assert!(ran.code == 2, "{arguments:?}: {ran:?}");
        ran.says("no namespace \"cleints\"").says("known namespaces: clients, suppliers");
        let known = sandbox.run(&[arguments, &["--namespace", "clients"]].concat());
        assert!([0, 1].contains(&known.code), "{arguments:?}: {known:?}");
    }
    let mut client = McpClient::start(&sandbox, "all");
    for (tool, arguments) in [
        ("memory_stats", json!({})),
        ("memory_gaps", json!({})),
        ("memory_search", json!({ "query": "buyer" })),
        ("memory_list", json!({})),
        ("check", json!({})),
        ("context", json!({})),
    ] {
        let mut given = arguments;
        given["namespace"] = json!("cleints");
        let answer = client.call(tool, given);
        assert_eq!(answer["isError"], true, "{tool}: {answer}");
        assert!(answer.to_string().contains("known namespaces: clients, suppliers"), "{tool}: {answer}");
    }
    let server = HttpServer::start(&sandbox);
    for operation in ["stats", "list", "gaps", "lint"] {
        let line = format!("POST /api/{operation}?namespace=cleints");
        let (status, answer) = server.send(&server.token, &line, "{}");
        assert_eq!(status, 400, "{operation}: {answer}");
        assert!(answer.to_string().contains("known namespaces: clients, suppliers"), "{answer}");
    }
}

#[test]
fn stats_lint_and_curate_are_about_the_pages_of_the_namespace() {
    let sandbox = two_namespaces();
    let stats = |name: &str| sandbox.run(&["stats", "--namespace", name]).ok().json();
    let clients = stats("clients");
    for (field, expected) in
        [("pages", 2), ("facts", 2), ("pending_links", 2), ("links", 0), ("tags", 2), ("observations", 0)]
    {
        assert_eq!(clients[field], expected, "{field} of {clients}");
    }
    assert_eq!(clients["types"], json!([{ "type": "clients", "pages": 2 }]));
    assert_eq!((&stats("all")["pages"], &stats("all")["facts"]), (&json!(3), &json!(3)));
    let mut client = McpClient::start(&sandbox, "memory");
    assert_eq!(
        client.call("memory_stats", json!({ "namespace": "suppliers" }))["structuredContent"]["pages"],
        1
    );
    let lint = sandbox.run(&["lint", "--namespace", "suppliers"]).json();
    assert_eq!(lint["findings"].as_array().map(Vec::len), Some(1), "{lint}");
    assert_eq!(lint["findings"][0]["path"], "suppliers/page-1.md");
    assert_eq!(sandbox.run(&["lint"]).json()["findings"].as_array().map(Vec::len), Some(3));
    let curate = sandbox.run(&["curate", "--dry-run", "--namespace", "clients"]).ok().json();
    assert_eq!((&curate["pages"], &curate["broken_links"]["count"]), (&json!(2), &json!(2)), "{curate}");
    assert!(!curate.to_string().contains("suppliers"), "{curate}");
    let done = sandbox.run(&["curate", "--done", "--namespace", "clients"]).ok().json();
    assert_eq!(done["marked"], json!(["clients/page-1.md", "clients/page-2.md"]));
}

#[test]
fn only_new_vaults_age_by_default() {
    let old = "---\nupdated: 2020-01-01\n---\n# Old\n";
    let fresh = Sandbox::with_vault();
    fresh.write("old.md", old);
    assert_eq!(slugs(&fresh.run(&["stale"]).ok().json()["pages"]), ["old"]);
    let adopted = Sandbox::empty();
    fs::create_dir(adopted.vault()).expect("a directory");
    adopted.write("old.md", old);
    adopted.run(&["init"]).ok();
    adopted.run(&["stale"]).exits(1);
}

#[test]
fn commands_have_the_forms_of_the_knowledge_tracker() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("new.md", "---\nid: a1b2c3d4-0000-4000-8000-000000000001\n---\n# New\n");
    sandbox.write("old.md", "---\nid: c3d4e5f6-0000-4000-8000-000000000002\n---\n# Old\n");
    sandbox.write("years.md", "---\nid: 20260000-0000-4000-8000-000000000003\n---\n# Years\n");
    sandbox.run(&["link", "kt-a1b2", "supersedes", "c3d4", "--context", "newer"]).ok();
    assert_eq!(slugs(&sandbox.run(&["stale"]).ok().json()["pages"]), ["old"]);
    sandbox.run(&["status", "kt-c3d4", "active"]).ok();
    sandbox.run(&["stale"]).exits(1);
    assert_eq!(sandbox.run(&["show", "kt-2026"]).ok().json()["slug"], "years");
    sandbox.run(&["show", "2026"]).exits(1);
    assert_eq!(sandbox.run(&["show", "c3d4"]).ok().json()["slug"], "old");
    sandbox.run(&["delete", "kt-a1b2"]).exits(2).says("confirmation required");
    sandbox.run(&["delete", "kt-a1b2", "--yes"]).ok();
    assert!(!sandbox.vault().join("new.md").exists());
    assert!(sandbox.run(&["status"]).ok().json()["last_index"].is_string());
}

/// Returns the slugs of a search by a client of a server.
fn found(client: &mut McpClient, arguments: Value) -> Vec<String> {
    let found = client.call("memory_search", arguments);
    slugs(&found["structuredContent"]["hits"])
}

#[test]
fn client_of_a_server_has_the_namespace_of_its_own_directory() {
    let (sandbox, a, b) = two_clients();
    at(&sandbox, &a, &["capture", HARBOUR]).ok();
    at(&sandbox, &b, &["capture", RAILWAY]).ok();
    // Both servers run in the same directory, which is mapped to nothing.
    let words = json!({ "query": "fees march" });
    let only =
        |found: &[String], own: &str| assert!(found.len() == 1 && found[0].starts_with(own), "{found:?}");
    let mut first = McpClient::start_in(&sandbox, &["--tools", "all"], &[&a]);
    let mut second = McpClient::start_in(&sandbox, &["--tools", "all"], &[&b, &a]);
    only(&found(&mut first, words.clone()), "client-a");
    only(&found(&mut second, words.clone()), "client-b");
    let written =
        second.call("write_note", json!({ "title": "Tracks", "content": "Steel.", "directory": "parts" }));
    assert_eq!(written["structuredContent"]["permalink"], "client-b/parts/tracks", "{written}");
    let all = json!({ "query": "fees march", "namespace": "all" });
    assert_eq!(found(&mut first, all).len(), 2);
    // Any tool takes a namespace, whether it lists one or not.
    let tags = first.call("list_directory", json!({ "namespace": "client-b" }));
    assert!(tags["structuredContent"]["entries"].to_string().contains("parts"), "{tags}");
    // A client that moves gets the namespace of where it is.
    first.move_to(&[&b]);
    only(&found(&mut first, words), "client-b");
}

#[test]
fn directory_of_a_server_says_nothing_about_its_remote_clients() {
    let (sandbox, a, b) = two_clients();
    at(&sandbox, &a, &["capture", HARBOUR]).ok();
    at(&sandbox, &b, &["capture", RAILWAY]).ok();
    let server = HttpServer::start_command(&sandbox, |arguments| {
        let mut command = sandbox.command(arguments);
        command.current_dir(&a);
        command
    });
    let search = |query: &str| {
        let line = format!("POST /api/search{query}");
        let (status, answer) = server.send(&server.token, &line, r#"{"query": "fees march"}"#);
        assert_eq!(status, 200, "{answer}");
        slugs(&answer["hits"])
    };
    assert_eq!(search("").len(), 2);
    assert!(search("?namespace=client-b").iter().all(|slug| slug.starts_with("client-b/")));
    assert_eq!(search("?namespace=client-b").len(), 1);
}

#[test]
fn a_title_names_no_page_of_another_namespace() {
    let (sandbox, a, b) = two_clients();
    sandbox.write("client-a/deal.md", "# Secret deal\n");
    sandbox.write("client-a/plan.md", "# Plan\n\nAlpha.\n");
    sandbox.write("client-b/plan.md", "# Plan\n\nBeta.\n");
    for (directory, slug) in [(&a, "client-a/plan"), (&b, "client-b/plan")] {
        assert_eq!(at(&sandbox, directory, &["show", "Plan"]).ok().json()["slug"], slug);
    }
    for arguments in [
        &["show", "Secret deal"][..],
        &["edit", "Secret deal", "--append", "x"],
        &["rm", "Secret deal", "--yes"],
    ] {
        at(&sandbox, &b, arguments).exits(1);
    }
    assert_eq!(sandbox.read("client-a/deal.md"), b"# Secret deal\n");
    // Whoever names a page in full, or asks for all of them, means it.
    at(&sandbox, &b, &["show", "client-a/deal"]).ok();
    at(&sandbox, &b, &["show", "Secret deal", "--namespace", "all"]).ok();
    at(&sandbox, &a, &["rm", "Secret deal", "--yes"]).ok();
}

#[test]
fn every_command_takes_a_namespace() {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["ns", "create", "clients"]).ok();
    sandbox.write("clients/a.md", "---\ntags: [paying]\n---\n# A\n\n- pays [[B]]\n- ceo:: Ann\n");
    sandbox.write("other/b.md", "---\ntags: [secret]\n---\n# B\n\n- owes [[A]]\n- ceo:: Bob\n");
    for tool in sandbox.run(&["--tools-json"]).ok().json()["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name").replace('_', " ");
        if sandbox.run(&["help", &name]).code != 0 {
            continue;
        }
        let words: Vec<&str> = name.split(' ').chain(["--namespace", "clients", "--help"]).collect();
        sandbox.run(&words).ok();
    }
    let at_clients = |arguments: &[&str]| {
        let told = sandbox.run(&[arguments, &["--namespace", "clients"]].concat());
        String::from_utf8(told.out).expect("text")
    };
    for arguments in [
        &["tags"][..],
        &["facts"],
        &["links", "clients/a"],
        &["backlinks", "clients/a"],
        &["graph", "clients/a"],
        &["build-context", "clients/a"],
        &["show", "clients/a", "--with-links"],
        &["ls"],
        &["list"],
        &["search", "ceo"],
        &["recent", "10y"],
        &["search-notes", "ceo"],
    ] {
        let told = at_clients(arguments);
        assert!(
            !told.contains("other/b") && !told.contains("secret") && !told.contains("Bob"),
            "{arguments:?}: {told}"
        );
    }
    assert!(at_clients(&["tags"]).contains("paying"));
    assert!(at_clients(&["facts"]).contains("Ann"));
    // A name before the command means the same.
    let listed = sandbox.run(&["--namespace", "clients", "list"]).ok().json();
    assert_eq!(slugs(&listed["pages"]), ["clients/a"]);
    sandbox
        .run(&["write-note", "X", "Text.", "--namespace", "clinets"])
        .exits(2)
        .says("no namespace \"clinets\"");
}
