//! Answers made of passages, over every face.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::server_support::McpClient;

/// Returns a vault of conversations, a film and a note with rules.
fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    for number in 1..=9 {
        let mut turns: Vec<String> = (0..30)
            .map(|turn| {
                let who = if turn % 2 == 0 { "Ada" } else { "Bob" };
                format!("{who}: Turn {turn} about the garden, the weather and dinner plans of day {number}.")
            })
            .collect();
        turns.insert(number, format!("Ada: I moved to the harbour district number {number} yesterday."));
        let page = format!("# Chat of {number} May 2023\n\n{}\n", turns.join("\n\n"));
        sandbox.write(&format!("chats/{number}.md"), page);
    }
    sandbox.write(
        "films/alien.md",
        "---\ndirector: \"[[Ridley Scott]]\"\n---\n# Alien\n\nA film about a ship.\n",
    );
    sandbox.write(
        "notes/rules.md",
        "# Rules\n\nAbove.\n\n---\n\nThe quokka lives on Rottnest.\n\n---\n\nBelow.\n",
    );
    sandbox.sync();
    sandbox
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

#[test]
fn budget_is_a_ceiling_for_everything_that_is_sent() {
    let sandbox = vault();
    let mut client = McpClient::start(&sandbox, "core");
    for budget in [200, 300, 500, 1000, 2000] {
        let arguments = json!({ "question": "When did Ada move to the harbour?", "token_budget": budget });
        let result = client.call("memory_query", arguments);
        let (shown, structured) = (text(&result), result["structuredContent"].to_string());
        let tokens = lore_embed::count_tokens(shown);
        assert!(tokens <= budget, "{tokens} of {budget}: {shown}");
        assert!(shown.contains("harbour district"), "{budget}: {shown}");
        // Each reference has its confidence.
        let references = result["structuredContent"]["hits"].as_array().map_or(0, Vec::len);
        assert!(structured.len() * 3 < shown.len() + 300 + 60 * references, "references only: {structured}");
    }
    for budget in [250, 500, 1000] {
        let tokens = budget.to_string();
        let arguments = ["query", "When did Ada move to the harbour?", "--token-budget", &tokens, "--json"];
        let answer = sandbox.run(&arguments).ok().json();
        let sent = lore_embed::count_tokens(&answer.to_string());
        assert!(sent <= budget, "{sent} of {budget}: {answer}");
        assert!(answer.to_string().contains("harbour district"), "{budget}: {answer}");
    }
}

/// Returns a vault in which other lines of a page compete with the one that answers.
fn crowded_vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    let (socks, lenses) =
        ("Socks and shirts and soap. ".repeat(60), "Filler about lenses and mirrors. ".repeat(60));
    let trip = format!(
        "# Trip\n\nPacking first.\n\n{socks}\n\n---\n\n## Part two\n\nThe ferry leaves at eight.\n\n---\n\nThe cabin number was 4217.\n"
    );
    let ada = format!(
        "# Ada Keller\n\n> Physicist.\n\n{lenses}\n\n- [preference] Drinks only oat milk\n\n---\n\n- **2024-03-01** | call — Chairs the Lindau workshop.\n"
    );
    sandbox.write("trip.md", trip);
    sandbox.write("ada.md", ada);
    let cast = "year: 1979\ncast:\n  - Sigourney Weaver";
    sandbox.write("alien.md", format!("---\n{cast}\n---\n# Alien\n\nThe crew of a ship meets a creature.\n"));
    sandbox
}

#[test]
fn passage_that_matched_is_in_the_answer_at_every_depth_and_budget() {
    let sandbox = crowded_vault();
    let mut client = McpClient::start(&sandbox, "core");
    for (question, expected) in [
        ("cabin number", "4217"),
        ("which actors are in Alien", "Weaver"),
        ("what milk does Ada drink", "oat milk"),
        ("when does Ada chair the Lindau workshop", "Lindau"),
    ] {
        for depth in ["auto", "list", "summary", "section", "full"] {
            for budget in [100, 200, 300, 500, 1000] {
                let input = json!({ "question": question, "depth": depth, "token_budget": budget });
                let result = client.call("memory_query", input);
                assert!(text(&result).contains(expected), "{depth} {budget}: {}", text(&result));
                let tokens = budget.to_string();
                let arguments = ["query", question, "--depth", depth, "--token-budget", &tokens, "--json"];
                let answer = sandbox.run(&arguments).ok().json();
                assert!(answer["hits"][0].to_string().contains(expected), "{depth} {budget}: {answer}");
            }
        }
    }
}

#[test]
fn lesser_page_does_not_take_the_place_of_the_best_one() {
    let sandbox = Sandbox::with_vault();
    let page = |day: &str, text: &str| format!("---\ndate: {day}\n---\n{text}\n");
    sandbox.write("clinic-1.md", page("2016-01-01", "The address of the clinic is Elm Street 4."));
    let text = "- supersedes [[clinic-1]]\n\nThe address of the clinic is Oak Street 9.";
    sandbox.write("clinic-2.md", page("2020-01-01", text));
    for budget in ["100", "200", "300", "1000"] {
        for depth in ["auto", "list", "summary", "section", "full"] {
            let question = "what was the previous address of the clinic";
            let arguments = ["query", question, "--depth", depth, "--token-budget", budget, "--json"];
            let answer = sandbox.run(&arguments).ok().json();
            assert_eq!(answer["hits"][0]["slug"], "clinic-1", "{depth} {budget}: {answer}");
        }
    }
}

#[test]
fn answers_have_titles_lines_and_days() {
    let sandbox = vault();
    let mut client = McpClient::start(&sandbox, "core");
    let result = client.call("memory_query", json!({ "question": "When did Ada move to the harbour?" }));
    let shown = text(&result);
    assert!(shown.contains("Chat of 3 May 2023 [chats/3]"), "{shown}");
    assert!(shown.contains("[yesterday = 2023-05-02]"), "{shown}");
    let first = &result["structuredContent"]["hits"][0];
    assert!(first["slug"].as_str().is_some_and(|slug| slug.starts_with("chats/")), "{first}");
    let lines = first["lines"].as_str().expect("lines").split([',', '-']).next().expect("a line").to_owned();
    let read = client.call("memory_get", json!({ "slug": first["slug"], "lines": lines }));
    let content = read["structuredContent"]["content"].as_str().expect("content").trim_end();
    assert!(shown.contains(content), "{content} in {shown}");
}

#[test]
fn list_has_one_line_of_each_page() {
    let sandbox = vault();
    let arguments = ["query", "harbour district", "--depth", "list", "--token-budget", "4000", "--json"];
    let answer = sandbox.run(&arguments).ok().json();
    let hits = answer["hits"].as_array().expect("hits");
    assert!(hits.len() >= 9, "{answer}");
    assert!(hits.iter().all(|hit| hit["passages"].as_array().is_some_and(|passages| passages.len() == 1)));
}

#[test]
fn properties_and_text_below_a_rule_answer() {
    let sandbox = vault();
    let film = sandbox.run(&["query", "who directed Alien", "--json"]).ok().json();
    assert_eq!(film["hits"][0]["slug"], "films/alien", "{film}");
    assert!(film["hits"][0]["passages"].to_string().contains("Ridley Scott"), "{film}");
    for depth in ["list", "summary", "section", "full", "auto"] {
        let note =
            sandbox.run(&["query", "where does the quokka live", "--depth", depth, "--json"]).ok().json();
        assert!(note["hits"][0]["passages"].to_string().contains("Rottnest"), "{depth}: {note}");
    }
}

#[test]
fn period_and_participant_restrict_an_answer() {
    let sandbox = vault();
    let ask = |more: &[&str]| sandbox.run(&[&["query", "harbour", "--json"][..], more].concat());
    let slugs = |answer: Value| -> Vec<String> {
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["slug"].as_str().expect("a slug").to_owned()).collect()
    };
    assert_eq!(slugs(ask(&["--date-from", "2023-05-09"]).ok().json()), ["chats/9"]);
    assert_eq!(slugs(ask(&["--date-to", "2023-05-01"]).ok().json()), ["chats/1"]);
    assert!(!slugs(ask(&["--participant", "bob", "--date-from", "2023-05"]).ok().json()).is_empty());
    ask(&["--participant", "Carol"]).exits(1);
    ask(&["--date-from", "2024"]).exits(1);
    ask(&["--date-from", "soon"]).exits(2).says("--date-from: \\\"soon\\\" is not a date");
}

#[test]
fn ids_and_hashes_are_included_on_request() {
    let sandbox = vault();
    let plain = sandbox.run(&["query", "quokka", "--json"]).ok().json();
    let detailed = sandbox.run(&["query", "quokka", "--details", "--json"]).ok().json();
    for key in ["id", "hash", "projects", "updated"] {
        assert!(plain["hits"][0].get(key).is_none(), "{key}: {plain}");
        assert!(detailed["hits"][0].get(key).is_some(), "{key}: {detailed}");
    }
}

#[test]
fn range_of_lines_is_read() {
    let sandbox = vault();
    let show = |lines: &str| sandbox.run(&["show", "notes/rules", "--lines", lines, "--json"]);
    assert_eq!(show("7-9").ok().json()["content"], "The quokka lives on Rottnest.\n\n---\n");
    assert_eq!(show("11").ok().json()["lines"], json!([11, 11]));
    assert_eq!(show("9-99").ok().json()["lines"], json!([9, 11]));
    for invalid in ["", "0", "5-2", "x", "1-", "-3", "99999999999"] {
        show(invalid).exits(2).says("is not a range of lines");
    }
    show("12-13").exits(2).says("has 11 lines");
}

#[test]
fn default_tools_are_few() {
    let sandbox = Sandbox::with_vault();
    let mut client = McpClient::start_with(&sandbox, &[]);
    let tools = client.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools").clone();
    assert!(tools.len() <= 10, "{} tools", tools.len());
    let tokens = lore_embed::count_tokens(&Value::from(tools).to_string());
    assert!(tokens <= 2000, "{tokens} tokens");
}
