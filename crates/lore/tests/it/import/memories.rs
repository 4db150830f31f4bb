//! Exports of other memories.

use std::fs;

use super::{import, paths, reason};
use crate::sandbox::Sandbox;

fn file(sandbox: &Sandbox, name: &str, text: &str) {
    fs::write(sandbox.root.join(name), text).expect("a file");
}

#[test]
fn entities_observations_and_relations() {
    let sandbox = Sandbox::with_vault();
    file(
        &sandbox,
        "memory.jsonl",
        concat!(
            r#"{"type":"entity","name":"Ada Lovelace","entityType":"person","observations":["Wrote notes","Likes engines #x"]}"#,
            "\n",
            r#"{"type":"entity","name":"ada-lovelace","entityType":"alias","observations":[]}"#,
            "\n",
            r#"{"type":"entity","name":"Acme [Ltd]","entityType":"company","observations":["a\nb"]}"#,
            "\n",
            r#"{"type":"relation","from":"Ada Lovelace","to":"Acme [Ltd]","relationType":"works at"}"#,
            "\n",
            r#"{"type":"relation","from":"Nobody","to":"Acme [Ltd]","relationType":"x"}"#,
            "\n",
        ),
    );
    let output = import(&sandbox, &["../memory.jsonl"]);
    assert_eq!(output["kind"], "memory-json");
    assert_eq!(
        paths(&output, "pages"),
        ["entities/acme-ltd.md", "entities/ada-lovelace.md", "entities/ada-lovelace-2.md"]
    );
    assert!(reason(&output, "skipped", "memory.jsonl:5").contains("Nobody"));
    let shown = sandbox.run(&["show", "entities/ada-lovelace"]).ok().json();
    assert_eq!((shown["title"].as_str(), shown["type"].as_str()), (Some("Ada Lovelace"), Some("person")));
    let links = sandbox.run(&["links", "entities/ada-lovelace"]).exits(0).text();
    assert!(links.contains("works_at") && links.contains("acme-ltd"), "{links}");
    let again = import(&sandbox, &["../memory.jsonl"]);
    assert_eq!(again["outcome"], "unchanged", "{again}");
    file(&sandbox, "memory.jsonl", "{\"type\":\"entity\",\"name\":\"A\"}\nnot JSON\n");
    sandbox.run(&["import", "../memory.jsonl"]).exits(2).says("line 2");
}

/// A link cannot say every name; it must not say that of another entity instead.
#[test]
fn relations_lead_to_the_entity_that_they_name() {
    let sandbox = Sandbox::with_vault();
    file(
        &sandbox,
        "memory.jsonl",
        concat!(
            r#"{"type":"entity","name":"C","entityType":"language","observations":["Compiled",null]}"#,
            "\n",
            r#"{"type":"entity","name":"C#","entityType":"language","observations":["Managed"]}"#,
            "\n",
            r#"{"type":"entity","name":"Ada [Lovelace]","entityType":"person","observations":[]}"#,
            "\n",
            r#"{"type":"entity","name":"Ada Lovelace","entityType":"person","observations":[]}"#,
            "\n",
            r#"{"type":"relation","from":"C","to":"C#","relationType":"precedes"}"#,
            "\n",
            r#"{"type":"relation","from":"Ada Lovelace","to":"Ada [Lovelace]","relationType":"differs_from"}"#,
            "\n",
        ),
    );
    let output = import(&sandbox, &["../memory.jsonl"]);
    assert_eq!((paths(&output, "pages").len(), output["links_pending"].as_u64()), (4, Some(0)), "{output}");
    for (from, to) in [("C", "C#"), ("Ada Lovelace", "Ada [Lovelace]")] {
        let links = sandbox.run(&["links", from]).exits(0).json();
        let slug = links["links"][0]["to"].as_str().expect("a page");
        assert_eq!(sandbox.run(&["show", slug]).ok().json()["title"], to, "{links}");
    }
}

#[test]
fn memories_of_mem0() {
    let sandbox = Sandbox::with_vault();
    let one = r#"{"id":"m1","memory":"Likes tea. Not coffee.","user_id":"ada","categories":["food"],"created_at":"2024-05-06T07:08:09Z","metadata":{"App Name":"x"}}"#;
    let two = r#"{"id":"m2","memory":"Likes tea","user_id":"bob"}"#;
    file(
        &sandbox,
        "mem0.json",
        &format!(
            r#"{{"results":[{one},{two}],"relations":[{{"source":"ada","relationship":"likes","target":"tea"}}]}}"#
        ),
    );
    let output = import(&sandbox, &["../mem0.json"]);
    assert_eq!(output["kind"], "mem0");
    assert_eq!(
        paths(&output, "pages"),
        ["memories/likes-tea.md", "memories/likes-tea-2.md", "memories/mem0-relations.md"]
    );
    let text = String::from_utf8(sandbox.read("memories/likes-tea.md")).expect("text");
    assert!(text.contains("created: 2024-05-06") && text.contains("mem0_app_name: x"), "{text}");
    assert!(text.contains("Likes tea. Not coffee."), "{text}");
    // The same memories in another file are known by their ids.
    file(&sandbox, "later.json", &format!("[{two},{one}]"));
    let later = import(&sandbox, &["../later.json"]);
    assert_eq!(
        (later["pages"].as_array().map(Vec::len), later["unchanged"].as_u64()),
        (Some(0), Some(2)),
        "{later}"
    );
}

/// The tables of a database of Quaid that have something to import, and one that has not.
const QUAID: &str = "
CREATE TABLE pages (id INTEGER PRIMARY KEY, slug TEXT, type TEXT, title TEXT, summary TEXT DEFAULT '', compiled_truth TEXT,
  timeline TEXT, frontmatter TEXT);
CREATE TABLE links (id INTEGER PRIMARY KEY, from_page_id INTEGER, to_page_id INTEGER, relationship TEXT, context TEXT,
  valid_from TEXT, valid_until TEXT);
CREATE TABLE assertions (id INTEGER PRIMARY KEY, page_id INTEGER, subject TEXT, predicate TEXT, object TEXT, valid_from TEXT,
  valid_until TEXT, confidence REAL, asserted_by TEXT, source_ref TEXT, evidence_text TEXT);
CREATE TABLE tags (id INTEGER PRIMARY KEY, page_id INTEGER, tag TEXT);
CREATE TABLE raw_data (id INTEGER PRIMARY KEY, page_id INTEGER, source TEXT, data TEXT);
CREATE TABLE timeline_entries (id INTEGER PRIMARY KEY, page_id INTEGER, date TEXT, source TEXT, summary TEXT, detail TEXT);
CREATE TABLE config (key TEXT, value TEXT);
CREATE VIRTUAL TABLE page_fts USING fts5(title);
INSERT INTO pages VALUES (1, 'people/ada', 'person', 'Ada', '', '# Ada\n\n> Runs the works.\n\n## State\nIn Porto.',
  '- **2024-01-02** | meeting — Met her', '{\"title\": \"Ada\", \"score\": 3, \"aliases\": [\"Countess\"], \"tags\": [\"founder\"]}');
INSERT INTO pages VALUES (2, 'companies/acme', 'company', 'Acme', '', '# Acme', '', '{}');
INSERT INTO links VALUES (1, 1, 2, 'works at', 'since the start', '2018-01-01', NULL);
INSERT INTO assertions VALUES (1, 1, 'Ada', 'lives_in', 'Porto', '2020-05-01', NULL, 0.9, 'agent', 'meeting/1', 'I moved');
INSERT INTO assertions VALUES (2, 1, 'Ada', 'has_size', 'tall', '2019', NULL, 1, 'agent', '', '');
INSERT INTO tags VALUES (1, 1, 'founder'), (2, 1, 'alum');
INSERT INTO raw_data VALUES (1, 1, 'registry', '{\"born\": 1815}');
INSERT INTO timeline_entries VALUES (1, 1, '2024-01-02', 'meeting', 'Met her', ''), (2, 1, '2024-02-03', 'email', 'Wrote back', 'At length');
INSERT INTO config VALUES ('version', '8');
";

#[test]
fn database_of_quaid() {
    let sandbox = Sandbox::with_vault();
    let path = sandbox.root.join("memory.db");
    let quaid = QUAID
        .replace("\\n", "'||char(10)||'")
        .replace('\n', " ")
        .replace("'||char(10)||'", "' || char(10) || '");
    rusqlite::Connection::open(&path).expect("a database").execute_batch(&quaid).expect("tables");
    let before = fs::read(&path).expect("bytes");
    let output = import(&sandbox, &["../memory.db"]);
    assert_eq!(output["kind"], "quaid");
    assert_eq!(paths(&output, "pages"), ["people/ada.md", "companies/acme.md"]);
    assert_eq!(paths(&output, "attachments"), ["people/.raw/ada.json"]);
    assert!(reason(&output, "skipped", "table config").contains("1 rows"));
    let text = String::from_utf8(sandbox.read("people/ada.md")).expect("text");
    for part in [
        "score: 3",
        "aliases: [Countess]",
        "tags: [founder, alum]",
        "type: person",
        "In Porto.",
        "- **2024-01-02** | meeting — Met her",
        "- **2024-02-03** | email — Wrote back",
        "works_at [[companies/acme]] (since the start) {2018-01-01..}",
        "lives_in:: Porto {2020-05-01..}",
        "has_size:: tall {2019..}",
        "confidence: 0.9",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert_eq!(
        text.matches("Met her").count(),
        1,
        "an entry that the timeline has is not added again: {text}"
    );
    assert_eq!(output["links_pending"], 0, "{output}");
    assert_eq!(fs::read(&path).expect("bytes"), before);
    assert_eq!(import(&sandbox, &["../memory.db"])["outcome"], "unchanged");
    fs::write(sandbox.root.join("other.db"), b"SQLite format 3\0 but not really").expect("a file");
    sandbox.run(&["import", "../other.db"]).exits(2);
}
