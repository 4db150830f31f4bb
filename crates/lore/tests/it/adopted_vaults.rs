//! Vaults that other tools made: folders in any case, files that are no pages, links in every form.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

fn obsidian() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("People/Ada Lovelace.md", "Mathematician.\n\n## Early life\n");
    sandbox.write("People/Grace Hopper.md", "Wrote a compiler.\n");
    sandbox.write("Archive/Old Plan.md", "Done.\n");
    sandbox.sync();
    sandbox
}

fn has(sandbox: &Sandbox, path: &str) -> bool {
    sandbox.vault().join(path).exists()
}

#[test]
fn existing_folders_and_files_are_used_in_any_case() {
    let sandbox = obsidian();
    sandbox.pipe(&["put", "people/bob"], b"Bob.\n").exits(0);
    assert!(has(&sandbox, "People/bob.md") && !has(&sandbox, "people"));
    sandbox.pipe(&["put", "people/ADA LOVELACE.md"], b"Countess.\n").exits(0);
    assert_eq!(sandbox.read("People/Ada Lovelace.md"), b"Countess.\n");
    sandbox.run(&["mv", "people/bob", "archive/Alice J"]).exits(0);
    assert!(has(&sandbox, "Archive/Alice J.md"), "named like its neighbours");
    sandbox.run(&["mv", "People/Grace Hopper.md", "ARCHIVE/"]).exits(0);
    assert!(has(&sandbox, "Archive/Grace Hopper.md"));
    sandbox.run(&["mv", "archive/grace-hopper", "archive/GRACE HOPPER.md"]).exits(0);
    assert!(has(&sandbox, "Archive/GRACE HOPPER.md"), "only its case changes");
    sandbox.run(&["ls", "people", "--format", "brief"]).ok().prints("Ada Lovelace.md");
    sandbox.run(&["list", "--path", "PEOPLE", "--format", "brief"]).ok().prints("people/ada-lovelace");
    sandbox.run(&["get", "./people/ada lovelace.md"]).ok().prints("Countess.");
    let mut client = McpClient::start(&sandbox, "all");
    let put = json!({ "slug": "people/dora", "content": "Dora.\n", "expected_version": 0 });
    assert_eq!(client.call("memory_put", put)["structuredContent"]["path"], "People/dora.md");
    let server = HttpServer::start(&sandbox);
    let body = json!({ "content": "Carl.\n" }).to_string();
    let (status, written) = server.send(&server.token, "PUT /api/context/people/carl", &body);
    assert_eq!((status, &written["path"]), (201, &json!("People/carl.md")), "{written}");
    assert!(!has(&sandbox, "people"));
}

#[test]
fn existing_folders_are_used_by_their_names_and_slugs() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("Daily Notes/First One.md", "One.\n");
    sandbox.write("03 Projects/Alpha Beta.md", "Alpha.\n");
    sandbox.sync();
    sandbox.pipe(&["put", "Daily Notes/Second One"], b"Two.\n").exits(0);
    sandbox.pipe(&["put", "daily-notes/Third One"], b"Three.\n").exits(0);
    sandbox.run(&["mv", "Daily Notes/First One", "03 Projects/Moved One"]).exits(0);
    for path in ["Daily Notes/Second One.md", "Daily Notes/Third One.md", "03 Projects/Moved One.md"] {
        assert!(has(&sandbox, path), "{path}");
    }
    let mut client = McpClient::start(&sandbox, "all");
    let put = json!({ "slug": "03-projects/gamma", "content": "Gamma.\n", "expected_version": 0 });
    assert_eq!(client.call("memory_put", put)["structuredContent"]["path"], "03 Projects/gamma.md");
    for directory in ["03-projects", "03 Projects"] {
        let twin = json!({ "title": "Alpha Beta", "content": "Twin.", "directory": directory });
        assert_eq!(client.call("write_note", twin)["isError"], true, "{directory}");
    }
    assert!(!has(&sandbox, "daily-notes") && !has(&sandbox, "03-projects"));
    // A folder with exactly that name is another one.
    sandbox.write("daily-notes/own.md", "Own.\n");
    sandbox.pipe(&["put", "daily-notes/fourth"], b"Four.\n").exits(0);
    assert!(has(&sandbox, "daily-notes/fourth.md"));
}

#[test]
fn several_spellings_are_not_guessed() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("People/a.md", "a\n");
    sandbox.write("PEOPLE/b.md", "b\n");
    sandbox.pipe(&["put", "people/c.md"], b"c\n").exits(4).says("differ from it only in case");
    sandbox.pipe(&["put", "People/c.md"], b"c\n").exits(0);
}

#[test]
fn templates_packages_and_ignored_files_are_left_out() {
    let sandbox = Sandbox::with_vault();
    sandbox.write(".obsidian/templates.json", r#"{"folder": "Extras/My Templates"}"#);
    sandbox.write(".obsidian/plugins/templater-obsidian/data.json", r#"{"templates_folder": "Templater/"}"#);
    sandbox.write("nested/.obsidian/templates.json", r#"{"folder": "T"}"#);
    sandbox.write(".bmignore", "private/\n*.draft.md\n");
    for path in [
        "Extras/My Templates/Person.md",
        "Templater/Day.md",
        "nested/T/x.md",
        "node_modules/pkg/readme.md",
        "private/diary.md",
        "idea.draft.md",
    ] {
        sandbox.write(path, "text\n");
    }
    sandbox.write("Extras/note.md", "See [[Person]] and [[private/diary]].\n");
    let list = |sandbox: &Sandbox| sandbox.run(&["list", "--format", "brief"]).ok().text();
    assert_eq!(list(&sandbox), "extras/note\n");
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
    let refused = sandbox.pipe(&["put", "node_modules/x.md"], b"x\n").exits(4);
    refused.says("templates and node_modules");
    sandbox.write(".loreignore", "!Templater/\n!node_modules/\n");
    let listed = list(&sandbox);
    assert!(listed.contains("templater/day\n") && listed.contains("node-modules/pkg/readme\n"), "{listed}");
}

#[test]
fn only_links_that_lead_nowhere_are_broken() {
    let sandbox = obsidian();
    sandbox.write("Attachments/photo.png", [0x89, 0x50]);
    sandbox.write("Boards/Plan.canvas", "{}");
    let fine = "![[photo.png|200]] [[Attachments/photo.png]] [[Plan.canvas]] ![[Movies.base]]\n\
        [[Ada Lovelace#^block]] [[#^block]] [[2024-01-05]] [[January 5th, 2024]] [[{{title}}]] [[<% tp.date %>]]\n\
        [[Ada Lovelace#Early life]] [[ada lovelace#early-life|x]] [[#Own heading]] [[https://x.org]]\n\
        [out](../../outside.md) [[...]]\n\n## Own heading\n";
    sandbox.write("Fine.md", fine);
    sandbox.write("Template.md", "---\ncreated: {{date}}\n---\n");
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
    sandbox.write("Bad.md", "[[Nobody]] ![[missing.png]] [[Ada Lovelace#Death]] [[#Nothing]] [x](Gone.md)\n");
    let brief = sandbox.run(&["lint", "--format", "brief"]).ok().text();
    let mut lines: Vec<&str> = brief.lines().map(|line| line.split("; ").next().unwrap_or(line)).collect();
    lines.sort_unstable();
    let expected = [
        "Bad.md:1: the link to \"Gone.md\" matches no page",
        "Bad.md:1: the link to \"Nobody\" matches no page",
        "Bad.md:1: the link to \"missing.png\" matches no file",
        "Bad.md:1: the page \"Ada Lovelace\" has no heading \"Death\"",
        "Bad.md:1: the page has no heading \"Nothing\"",
    ];
    let shown: Vec<&str> = lines.iter().map(|line| line.trim_end_matches(" [link-broken]")).collect();
    assert_eq!(shown, expected, "{brief}");
    sandbox.run(&["doctor"]).prints("4 broken links");
}

#[test]
fn links_of_dendron_vaults_are_resolved() {
    let sandbox = Sandbox::with_vault();
    let front = "---\nid: a1\ntitle: Home\ndesc: ''\nupdated: 1598641352431\ncreated: 1598641352431\n---\n";
    sandbox.write(
        "vault/root.md",
        format!("{front}[[The topic|dendron.topic]] [[dendron://main/dendron.topic#start]]\n"),
    );
    let other = front.replace("a1", "b2").replace("Home", "Topic");
    sandbox.write("vault/dendron.topic.md", format!("{other}# Start\n"));
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
    let shown = sandbox.run(&["show", "vault/dendron.topic", "--with-links", "--json"]).ok().json();
    assert_eq!(shown["backlinks"].as_array().map(Vec::len), Some(2), "{shown}");
    assert_eq!(shown["created"], "2020-08-28T19:02:32Z");
    sandbox.run(&["mv", "vault/dendron.topic", "vault/dendron.subject.md"]).exits(0);
    let text = String::from_utf8(sandbox.read("vault/root.md")).expect("text");
    assert!(text.contains("[[The topic|"), "the label stays: {text}");
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
}

#[test]
fn label_of_a_dendron_link_is_not_a_heading() {
    let sandbox = Sandbox::with_vault();
    let front = "---\nid: a1\ntitle: Home\ndesc: ''\nupdated: 1598641352431\ncreated: 1598641352431\n---\n";
    let links = "[[#feedback|dendron://main/community#feedback]]\n";
    sandbox.write("root.md", format!("{front}{links}[[#help|community]]\n"));
    sandbox.write("plain.md", links);
    sandbox.write("community.md", "# Feedback\n");
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
    let backlinks = sandbox.run(&["backlinks", "community"]).ok().json();
    assert_eq!(backlinks["links"].as_array().map(Vec::len), Some(3), "{backlinks}");
    sandbox.run(&["mv", "community", "talk/community.md"]).ok();
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
    // Where the heading comes last, it is one of the page itself.
    sandbox.write("root.md", format!("{front}[[here|#nowhere]]\n"));
    sandbox.run(&["lint"]).prints("no heading");
}

#[test]
fn lists_have_totals_and_pages() {
    let sandbox = Sandbox::with_vault();
    for number in 0..7 {
        sandbox.write(&format!("n{number}.md"), "text\n");
    }
    sandbox.sync();
    let page = |call: &[&str]| sandbox.run(call).ok().json();
    let second = page(&["recent", "1 year", "--limit", "3", "--page", "2", "--json"]);
    assert_eq!((&second["total"], &second["more"]), (&json!(7), &json!(true)), "{second}");
    assert_eq!(second["pages"].as_array().map(Vec::len), Some(3));
    let last = page(&["list", "--limit", "3", "--page", "3", "--json"]);
    assert_eq!((&last["total"], &last["more"]), (&json!(7), &json!(false)), "{last}");
    assert_eq!(last["pages"].as_array().map(Vec::len), Some(1));
    sandbox.run(&["list", "--limit", "2", "--format", "human"]).ok().prints("2 of 7 pages");
    sandbox.run(&["list", "--page", "0"]).exits(2).says("--page is 0");
    let mut client = McpClient::start(&sandbox, "all");
    let found =
        client.call("recent_activity", json!({ "timeframe": "this year", "page_size": 4, "page": 2 }));
    assert_eq!(found["structuredContent"]["total"], 7, "{found}");
}

#[test]
fn status_is_the_one_that_is_shown() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("old.md", "Old.\n");
    sandbox.write("new.md", "- supersedes [[old]]\n");
    sandbox.write("open.md", "---\nstatus: open\n---\n");
    sandbox.sync();
    let list = |status: &str| sandbox.run(&["list", "--status", status, "--format", "brief"]).text();
    assert_eq!(list("superseded"), "old\n");
    assert_eq!(list("open"), "open\n");
    assert_eq!(list("active"), "new\n");
    assert_eq!(list("contested"), "");
    let found = sandbox.run(&["search", "old", "--status", "superseded", "--json"]).ok().json();
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(1), "{found}");
}

#[test]
fn dates_in_words_are_taken_everywhere() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("ada.md", "---\ndue: 1598641352431\n---\n- works_at:: Acme {2020..2022}\n");
    sandbox.write("acme.md", "Acme.\n");
    sandbox.sync();
    for call in [
        &["facts", "ada", "--as-of", "yesterday"][..],
        &["links", "ada", "--as-of", "last monday"],
        &["query", "acme", "--as-of", "two days ago"],
        &["list", "--due", "next friday"],
        &["list", "--since", "this week"],
        &["recent", "last monday"],
        &["timeline", "--since", "two weeks"],
        &["search", "acme", "--until", "tomorrow"],
        &["list", "--since", "March 2025"],
        &["list", "--since", "2022-03", "--until", "March 2025"],
        &["list", "--since", "2022"],
        &["list", "--since", "two days"],
        &["recent", "March 2025"],
        &["timeline", "--since", "March 2025"],
        &["query", "acme", "--date-from", "March 2025", "--date-to", "yesterday"],
        &["call", "find_notes", r#"{"query": "acme", "valid_at": "last monday"}"#],
        &["call", "search_notes", r#"{"query": "acme", "after_date": "March 2025"}"#],
        &["facts", "ada", "--as-of", "March 2025"],
        &["links", "ada", "--as-of", "2022-03"],
    ] {
        let ran = sandbox.run(call);
        assert!([0, 1].contains(&ran.code), "{call:?}: {ran:?}");
    }
    sandbox.run(&["list", "--due", "today", "--format", "human"]).ok().prints("(due 2020-08-28)");
    sandbox.run(&["link", "ada", "acme", "--valid-from", "last year", "--valid-until", "yesterday"]).exits(0);
    sandbox.run(&["fact-add", "ada", "city", "London", "--valid-from", "this month"]).exits(0);
    sandbox.run(&["timeline-add", "ada", "--date", "yesterday", "--summary", "Met"]).exits(0);
    sandbox.run(&["timeline-add", "ada", "--date", "soon", "--summary", "x"]).exits(2).says("soon");
    sandbox.run(&["links", "ada", "--as-of", "soon"]).exits(2).says("is not a date");
}
