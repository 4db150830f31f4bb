//! Names and links that fit several pages: a question reports all of them, and `lint` finds the links.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::search_support::{notes, query, titled, vault};
use crate::server_support::{HttpServer, McpClient};

/// Creates two pages of one title, two people of one first name, a superseded page and its successor of one title.
fn namesakes() -> Sandbox {
    vault(&[
        ("games/mercury.md", titled("Mercury", "A game about couriers.")),
        ("planets/mercury.md", titled("Mercury", "The planet nearest to the sun.")),
        ("people/sam-hill.md", titled("Sam Hill", "Repairs boats.")),
        ("people/sam-moss.md", titled("Sam Moss", "Bakes bread.")),
        ("old/orbit.md", titled("Orbit plan", "Two launches a year.")),
        ("new/orbit.md", titled("Orbit plan", "- supersedes [[old/orbit]]\n\nThree launches a year.")),
        ("links.md", titled("Links", "See [[Mercury]], [[planets/mercury]] and [[Sam Hill]].")),
    ])
}

const MERCURY: &str = "\"mercury\" fits several pages: games/mercury, planets/mercury";

#[test]
fn question_reports_every_page_that_a_name_fits() {
    let sandbox = namesakes();
    for mode in ["hybrid", "lexical", "semantic"] {
        for (question, expected) in [
            ("what is Mercury?", MERCURY),
            ("what is [[Mercury]]?", MERCURY),
            ("what does Sam do?", "\"sam\" fits several pages: people/sam-hill, people/sam-moss"),
            // A longer name, a path and the current one of two versions are not ambiguous.
            ("what does Sam Hill do?", ""),
            ("what is [[planets/mercury]]?", ""),
            ("what is the Orbit plan?", ""),
        ] {
            let found = notes(&query(&sandbox, mode, question));
            let found: Vec<&str> = found.lines().filter(|note| note.contains("fits several")).collect();
            assert_eq!(found.join("\n"), expected, "{mode} {question:?}");
        }
    }
}

#[test]
fn only_pages_that_match_the_filter_are_reported() {
    let sandbox = namesakes();
    let found = sandbox.run(&["query", "what is Mercury?", "--path", "planets"]).ok().json();
    assert!(!notes(&found).contains("fits several"), "{found}");
}

#[test]
fn servers_report_every_page_that_a_name_fits() {
    let sandbox = namesakes();
    let question = json!({ "question": "what is Mercury?" });
    let found = McpClient::start(&sandbox, "all").call("memory_query", question.clone());
    assert!(notes(&found["structuredContent"]).contains(MERCURY), "{found}");
    let server = HttpServer::start(&sandbox);
    let link = json!({ "query": "what is [[Mercury]]?" });
    for (operation, input) in [("query", &question), ("search", &link)] {
        let (status, found) = server.post(operation, input);
        assert_eq!(status, 200, "{found}");
        assert!(notes(&found).contains(MERCURY), "{found}");
    }
}

/// Returns the findings about ambiguous links, each as path, line and message.
#[track_caller]
fn findings(sandbox: &Sandbox, exit: i32) -> Vec<(String, u64, String)> {
    let report = sandbox.run(&["lint", "--json"]).exits(exit).json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let found = report["findings"].as_array().expect("findings").iter();
    found
        .filter(|found| found["rule"] == "link-ambiguous")
        .map(|found| (text(&found["path"]), found["line"].as_u64().expect("a line"), text(&found["message"])))
        .collect()
}

const FITS: &str = "the link to \"Mercury\" fits games/mercury.md and planets/mercury.md";

#[test]
fn lint_reports_links_that_fit_several_pages() {
    let sandbox = namesakes();
    assert_eq!(findings(&sandbox, 0), [("links.md".to_owned(), 4, FITS.to_owned())]);
    sandbox.write("links.md", titled("Links", "See [[games/mercury]]."));
    assert_eq!(findings(&sandbox, 0), []);
}

#[test]
fn file_with_the_name_is_meant_where_titles_are_equal() {
    let sandbox = vault(&[
        ("a/community.md", titled("Community", "The real one.")),
        ("b/tags.community.md", titled("Community", "A tag.")),
        ("b/from.md", titled("From", "See [[community]].")),
    ]);
    assert_eq!(findings(&sandbox, 0), []);
    let links = sandbox.run(&["links", "b/from", "--json"]).ok().json();
    assert_eq!(links["links"][0]["to"], "a/community");
    sandbox.run(&["show", "community"]).ok().prints("The real one.");
}

#[test]
fn finding_names_three_pages_and_counts_the_rest() {
    let pages: Vec<(String, String)> =
        (1..=5).map(|at| (format!("{at}/tide.md"), titled("Tide", "Water."))).collect();
    let sandbox = vault(&pages);
    sandbox.write("links.md", "[[Tide]]\n");
    let message = "the link to \"Tide\" fits 1/tide.md and 2/tide.md and 3/tide.md and 2 more";
    assert_eq!(findings(&sandbox, 0), [("links.md".to_owned(), 1, message.to_owned())]);
}

#[test]
fn write_of_an_ambiguous_link_is_refused_where_it_is_an_error() {
    let sandbox = namesakes();
    sandbox.write("links.md", titled("Links", "None."));
    sandbox.write("lore.toml", "[lint.levels]\nlink-ambiguous = \"error\"\n");
    let refused = sandbox.pipe(&["put", "notes"], b"See [[Mercury]].\n").exits(4);
    assert!(refused.err.contains(FITS), "{refused:?}");
    sandbox.pipe(&["put", "notes"], b"See [[planets/mercury]].\n").exits(0);
    assert_eq!(findings(&sandbox, 0), []);
}
