//! One path for facts and links: the same rules through the command line, `lore call`, MCP and HTTP.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

const ADA: &str = "# Ada\n\n- role:: CTO {2020..}\n- works_at [[acme]] {2019..}\n\n---\n\n## Timeline\n- **2024-01-02** | meeting/1 — Met her\n";

fn vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("people/ada.md", ADA);
    sandbox.write("companies/acme.md", "# Acme\n\nMakes anvils.\n");
    sandbox.run(&["init", "--profile", "brain", "--no-git"]).ok();
    sandbox
}

fn page(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

/// Calls `put` through a face and returns whether it succeeded.
type Face = fn(&Sandbox, &str, Value) -> Value;

const FACES: [(&str, Face); 3] = [
    ("call", |sandbox, operation, input| {
        let ran = sandbox.run(&["call", operation, &input.to_string()]);
        if ran.code == 0 { ran.json() } else { Value::String(ran.err) }
    }),
    ("mcp", |sandbox, operation, input| {
        let tool = format!("memory_{operation}");
        McpClient::start(sandbox, "memory").call(&tool, input)["structuredContent"].clone()
    }),
    ("http", |sandbox, operation, input| HttpServer::start(sandbox).post(operation, &input).1),
];

#[test]
fn new_value_ends_the_old_one_in_every_face() {
    for (face, call) in FACES {
        for operation in ["put", "ingest"] {
            let sandbox = vault();
            let assertion = json!({"predicate": "role", "object": "CEO", "valid_from": "2024-03-01"});
            let content = "# Ada\n\nRuns the company now, after four years of building its products.\n";
            let input = match operation {
                "put" => json!({"slug": "people/ada", "content": content, "expected_version": 1,
                    "assertions": [assertion]}),
                _ => json!({"source_type": "meeting", "source_ref": "sync", "pages": [{"slug": "people/ada",
                    "content": content, "expected_version": 1, "assertions": [assertion]}]}),
            };
            let answer = call(&sandbox, operation, input);
            let text = page(&sandbox, "people/ada.md");
            assert!(text.contains("- role:: CTO {2020..2024-02-29}"), "{face} {operation}: {answer} {text}");
            assert!(text.contains("- role:: CEO {2024-03-01..}"), "{face} {operation}: {text}");
            sandbox.validate();
        }
    }
}

#[test]
fn facts_and_links_are_not_repeated_in_any_face() {
    for (face, call) in FACES {
        let sandbox = vault();
        let input = json!({"source_type": "meeting", "source_ref": "sync", "pages": [{"slug": "people/ada",
        "expected_version": 1,
        "assertions": [
            {"subject": "people/ada", "predicate": "role", "object": "CTO", "source_ref": "other"},
            {"subject": "Ada", "predicate": "role", "object": "CTO", "valid_from": "2021"}
        ],
        "links": [
            {"to": "Acme", "relationship": "works_at", "context": "again"},
            {"to": "companies/acme", "relationship": "works_at", "valid_from": "2019"}
        ]}]});
        let answer = call(&sandbox, "ingest", input);
        assert_eq!(page(&sandbox, "people/ada.md"), ADA, "{face}: {answer}");
    }
}

#[test]
fn overlapping_link_is_refused_in_every_face() {
    for (face, call) in FACES {
        let sandbox = vault();
        let input = json!({"source_type": "meeting", "source_ref": "sync", "pages": [{"slug": "people/ada",
            "expected_version": 1,
            "links": [{"to": "companies/acme", "relationship": "works_at", "valid_from": "2021"}]}]});
        let answer = call(&sandbox, "ingest", input).to_string();
        assert!(answer.contains("overlap"), "{face}: {answer}");
        assert_eq!(page(&sandbox, "people/ada.md"), ADA, "{face}");
    }
}

#[test]
fn end_date_closes_what_is_open() {
    let sandbox = vault();
    let input = json!({"source_ref": "sync", "pages": [{"slug": "people/ada", "expected_version": 1,
        "assertions": [{"predicate": "role", "object": "CTO", "valid_until": "2025-01"}],
        "links": [{"to": "companies/acme", "relationship": "works_at", "valid_until": "2025-01"}]}]});
    sandbox.run(&["call", "ingest", &input.to_string()]).ok();
    let text = page(&sandbox, "people/ada.md");
    assert!(text.contains("- role:: CTO {2020..2025-01}"), "{text}");
    assert!(text.contains("- works_at [[acme]] {2019..2025-01}"), "{text}");
    assert_eq!(text.lines().count(), ADA.lines().count(), "no line was added");
}

#[test]
fn changes_on_one_day_follow_in_the_order_of_the_lines() {
    let sandbox = vault();
    for role in ["CEO", "Chair", "CEO"] {
        let day = ["--valid-from", "2024-03-01"];
        sandbox.run(&[&["fact-add", "people/ada", "role", role], &day[..]].concat()).ok();
    }
    let text = page(&sandbox, "people/ada.md");
    let roles: Vec<&str> = text.lines().filter(|line| line.contains("role::")).collect();
    let expected = [
        "- role:: CTO {2020..2024-02-29}",
        "- role:: CEO {2024-03-01..2024-03-01}",
        "- role:: Chair {2024-03-01..2024-03-01}",
        "- role:: CEO {2024-03-01..}",
    ];
    assert_eq!(roles, expected);
    let facts = sandbox.run(&["facts", "people/ada", "--as-of", "2024-03-01"]).ok().json();
    assert_eq!(facts["facts"].as_array().map(Vec::len), Some(1), "{facts}");
    assert_eq!(facts["facts"][0]["valid_until"], Value::Null, "the last line counts: {facts}");
    assert_eq!(sandbox.run(&["check", "--type", "cross_page"]).ok().json()["unresolved"], 0);
    sandbox.validate();

    let link = sandbox.run(&["links", "people/ada"]).ok().json()["links"][0]["id"].to_string();
    sandbox.run(&["link-close", &link, "--valid-until", "2024-05-05"]).ok();
    let again = ["link", "people/ada", "companies/acme", "--relationship", "works_at"];
    sandbox.run(&[&again[..], &["--valid-from", "2024-05-05"]].concat()).ok();
    sandbox.validate();
}

#[test]
fn ended_facts_are_not_current_backlinks() {
    let sandbox = vault();
    sandbox.write("people/bob.md", "# Bob\n\n- employer:: [[companies/acme]] {2018..2020}\n");
    sandbox.write("people/cy.md", "# Cy\n\n- employer:: [[companies/acme]] {2023..}\n");
    let from = |arguments: &[&str]| -> Vec<String> {
        let ran = sandbox.run(&[&["backlinks", "companies/acme"], arguments].concat());
        let links = ran.json()["links"].as_array().expect("links").clone();
        let mut slugs: Vec<String> =
            links.iter().filter_map(|link| link["from"].as_str().map(str::to_owned)).collect();
        slugs.sort();
        slugs.dedup();
        slugs
    };
    assert_eq!(from(&[]), ["people/ada", "people/cy"]);
    assert_eq!(from(&["--as-of", "2019-06"]), ["people/ada", "people/bob"]);
    assert_eq!(from(&["--temporal", "historical"]), ["people/bob"]);
}

#[test]
fn appended_timeline_entries_are_newest_first() {
    for (face, call) in FACES {
        let sandbox = vault();
        let lines = "- **2025-05-05** | call — Newer\n- **2023-01-01** | call — Older";
        let input = json!({"slug": "people/ada", "timeline_append": lines, "expected_version": 1});
        call(&sandbox, "put", input);
        let text = page(&sandbox, "people/ada.md");
        let order: Vec<usize> =
            ["Newer", "Met her", "Older"].iter().filter_map(|words| text.find(words)).collect();
        assert!(order.len() == 3 && order.is_sorted(), "{face}: {text}");
    }
}

#[test]
fn any_text_is_a_source() {
    let reference = "conversations 1-8, 17 March - 29 April 2022; \"part\" (one: [a—b])";
    for (face, call) in FACES {
        let sandbox = vault();
        let input = json!({"content": "What they talked about, in short.", "source_type": "conversation",
        "source_ref": reference, "source_date": "2022-04", "source_slug": "sources/talks",
        "pages": [{"slug": "people/ada", "expected_version": 1, "body_append": "Likes trains.",
            "assertions": [{"predicate": "hobby", "object": "trains (old)", "evidence_text": "\"yes\"; always"}],
            "timeline_entries": [
                {"date": "2022-03", "summary": "Talked"},
                {"date": "{2022-03-10..2022-03-16}", "summary": "Travelled - by train"}
            ]}]});
        let answer = call(&sandbox, "ingest", input);
        assert_eq!(answer["date_from"], "parameter", "{face}: {answer}");
        assert_eq!(answer["source"]["slug"], "sources/talks", "{face}: {answer}");
        let timeline = sandbox.run(&["timeline", "people/ada"]).ok().json();
        let entries: Vec<(&Value, &Value)> = timeline["entries"]
            .as_array()
            .expect("entries")
            .iter()
            .map(|entry| (&entry["date"], &entry["source"]))
            .collect();
        let expected = [
            (&json!("2024-01-02"), &json!("meeting/1")),
            (&json!("2022-03-10..2022-03-16"), &json!(reference)),
            (&json!("2022-03"), &json!(reference)),
        ];
        assert_eq!(entries, expected, "{face}");
        let facts = sandbox.run(&["facts", "people/ada", "--predicate", "hobby"]).ok().json();
        assert_eq!(facts["facts"][0]["source"], reference, "{face}: {facts}");
        assert_eq!(facts["facts"][0]["evidence"], "\"yes\"; always", "{face}: {facts}");
        assert!(page(&sandbox, "people/ada.md").contains("Likes trains."), "{face}");
    }
}

#[test]
fn date_of_a_source_is_its_own() {
    let sandbox = vault();
    let content = "# Plan\n\nNext meeting: 2027-02-01\n";
    let ran =
        sandbox.run(&["call", "ingest", &json!({"content": content, "source_ref": "a"}).to_string()]).ok();
    assert_eq!(ran.json()["date_from"], "today");
    let content = "Date: 1 March 2024\nFrom: Ada\n\nNext meeting: 2027-02-01\n";
    let ran =
        sandbox.run(&["call", "ingest", &json!({"content": content, "source_ref": "b"}).to_string()]).ok();
    let answer = ran.json();
    assert_eq!(
        (&answer["date_from"], &answer["source_date"]),
        (&json!("header field"), &json!("2024-03-01"))
    );
}

#[test]
fn known_source_gets_another_date_and_entries_take_dates_in_words() {
    let sandbox = vault();
    let file = sandbox.root.join("call.txt");
    std::fs::write(&file, "We agreed on the harbour.\n").expect("a file");
    let file = file.to_string_lossy();
    let ingest =
        |more: &[&str]| sandbox.run(&[&["ingest", &file, "--type", "meeting"], more].concat()).ok().json();
    let first = ingest(&["--date", "2024-03-01"]);
    let path = first["source"]["path"].as_str().expect("a path").to_owned();
    assert!(String::from_utf8_lossy(&sandbox.read(&path)).contains("date: 2024-03-01\n"));
    let again = ingest(&["--date", "2024-04-02"]);
    assert_eq!(again["outcome"], "already", "{again}");
    let forced = ingest(&["--force", "--date", "2 April 2024"]);
    assert_eq!((&forced["source"]["path"], &forced["source_date"]), (&json!(path), &json!("2024-04-02")));
    let page = String::from_utf8_lossy(&sandbox.read(&path)).into_owned();
    assert!(page.contains("date: 2024-04-02\n") && !page.contains("2024-03-01\n"), "{page}");

    let mut client = McpClient::start(&sandbox, "memory");
    let page = |entry: Value| json!({"slug": "people/grace", "expected_version": 0, "content": "# Grace\n", "timeline_entries": [entry]});
    let call = json!({
        "source_type": "meeting", "source_ref": "m/1", "source_date": "last monday", "content": "Grace moved.",
        "pages": [page(json!({"date": "March 2025", "summary": "Moved"}))],
    });
    let answer = client.call("memory_ingest", call);
    assert_ne!(answer["isError"], true, "{answer}");
    assert!(
        String::from_utf8_lossy(&sandbox.read("people/grace.md")).contains("- **2025-03** | m/1 — Moved")
    );
}

#[test]
fn gaps_are_resolved_and_keep_their_approved_words_over_mcp() {
    let sandbox = vault();
    let mut client = McpClient::start(&sandbox, "memory");
    let mut call = |tool: &str, input: Value| client.call(tool, input)["structuredContent"].clone();
    let gap = call("memory_gap", json!({"query_text": "who audits Acme?"}))["id"].clone();
    let approve = |more: Value| {
        let mut input = json!({"gap_id": gap, "sensitivity": "external", "approver": "ada"});
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        input
    };
    let approved = call("memory_gap_approve", approve(json!({"query_text": "who audits Acme?"})));
    assert_eq!(approved["query_text"], "who audits Acme?");
    let again =
        call("memory_gap_approve", approve(json!({"redacted_query": "auditor of a maker of anvils"})));
    assert_eq!(again["query_text"], "who audits Acme?", "{again}");
    let resolved = call("memory_gap_resolve", json!({"gap_id": gap, "slug": "companies/acme"}));
    assert_eq!(resolved["resolved_by_slug"], "companies/acme", "{resolved}");
}

#[test]
fn briefing_has_conflicts_overdue_commitments_and_changes() {
    let sandbox = vault();
    sandbox.write("people/bob.md", "# Bob\n\n- ada | role:: CFO {2020..}\n");
    sandbox.write(
        "commitments/report.md",
        "---\ntitle: Report\ntype: commitment\nowner: people/ada\ndue: 2020-01-01\nstatus: open\n---\n# Report\n",
    );
    sandbox.write(
        "commitments/done.md",
        "---\ntitle: Old\ntype: commitment\ndue: 2020-01-01\nstatus: completed\n---\n# Old\n",
    );
    let briefing = sandbox.run(&["briefing"]).ok().json();
    assert_eq!(briefing["overdue"].as_array().map(Vec::len), Some(1), "{briefing}");
    assert_eq!(briefing["overdue"][0]["slug"], "commitments/report");
    assert!(briefing["conflicts"].to_string().contains("two_values"), "{briefing}");
    assert!(briefing["changed"].as_array().is_some_and(|pages| pages.len() >= 4), "{briefing}");
    let mut client = McpClient::start(&sandbox, "memory");
    let prompt = client.request("prompts/get", json!({"name": "memory_briefing"})).to_string();
    for part in ["Contradictions", "Overdue", "commitments/report", "Changed pages"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let stats = sandbox.run(&["call", "memory_stats"]).ok().json();
    assert!(stats["contradictions"].as_u64().is_some_and(|number| number > 0), "{stats}");
}

#[test]
fn tools_are_called_and_listed_by_name() {
    let sandbox = vault();
    let page = sandbox.run(&["call", "memory_get", r#"{"slug": "people/ada"}"#]).ok().json();
    assert!(page["compiled_truth"].as_str().is_some_and(|truth| truth.starts_with("# Ada")), "{page}");
    assert!(page["timeline"].as_str().is_some_and(|text| text.contains("Met her")), "{page}");
    assert_eq!(page["wing"], "ada");
    assert!(page["truth_updated_at"].is_string() && page["timeline_updated_at"].is_string(), "{page}");
    let bad = sandbox.run(&["call", "memory_get", r#"{"page": "people/ada"}"#]).exits(2);
    assert!(bad.err.contains("memory_get has no parameter"), "{bad:?}");
    let piped = sandbox.pipe(&["pipe"], b"{\"tool\": \"memory_stats\"}\n").ok().json();
    assert_eq!(piped["result"]["pages"], 2, "{piped}");
    let tools = sandbox.run(&["--tools-json"]).ok().json();
    let names: Vec<&str> =
        tools["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in ["search", "fact_add", "memory_put", "memory_ingest", "memory_gap_resolve", "read_note"] {
        assert_eq!(names.iter().filter(|known| **known == name).count(), 1, "{name}");
    }
    let version = sandbox.run(&["version"]).ok().text();
    assert_eq!(version, format!("lore {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn settings_have_the_names_of_other_programs_too() {
    let sandbox = vault();
    sandbox.run(&["config", "set", "search_merge_strategy", "set-union"]).ok();
    sandbox.run(&["config", "set", "default_token_budget", "900"]).ok();
    assert_eq!(sandbox.run(&["config", "get", "search.budget"]).ok().json()["value"], "900");
    assert_eq!(sandbox.run(&["config", "get", "search.fusion"]).ok().json()["value"], "union");
    assert_eq!(sandbox.run(&["config", "get", "chunk_strategy"]).ok().json()["value"], "section");
    sandbox.run(&["config", "get", "embedding_model"]).ok();
    sandbox.run(&["config", "get", "embedding_dimensions"]).ok();
    sandbox.run(&["config", "set", "embedding_model", "x"]).exits(2).says("read-only");
}

#[test]
fn templates_are_complete_and_due_is_not_today() {
    let sandbox = vault();
    for (slug, parts) in [
        (
            "people/eve",
            vec!["linkedin:", "twitter:", "score:", "What They Believe", "Hobby Horses", "Network"],
        ),
        ("companies/globex", vec!["domain:", "linkedin:", "stage:"]),
        (
            "decisions/use-rust",
            vec!["title: \"Decision: Use Rust\"", "# Decision: Use Rust", "stakeholders:"],
        ),
        ("commitments/ship", vec!["title: \"Commitment: who → Ship by when\"", "due: \"\"", "owner:"]),
        ("actions/call-bob", vec!["title: \"Action: Call Bob\"", "priority: normal", "due: \"\""]),
        ("originals/idea", vec!["origin:", "confidence: high", "Shaped by:"]),
        ("meetings/sync", vec!["attendees:", "type: source"]),
        ("deals/series-a", vec!["type: deal"]),
        ("concepts/moat", vec!["type: concept"]),
        ("projects/engine", vec!["type: project"]),
    ] {
        sandbox.run(&["put", slug, "--template"]).ok();
        let text = page(&sandbox, &format!("{slug}.md"));
        for part in parts {
            assert!(text.contains(part), "{slug}: {part}: {text}");
        }
    }
    let briefing = sandbox.run(&["briefing"]).ok().json();
    assert_eq!((&briefing["overdue"], &briefing["due"]), (&json!([]), &json!([])), "{briefing}");
}
