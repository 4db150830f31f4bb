//! `lore curate`, the operations a briefing uses, and answers as of a day.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const NOW: &str = "2026-11-15T12:00:00Z";

fn lore(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.command(arguments).env("LORE_NOW", NOW).output().expect("lore runs").into()
}

fn run_json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    lore(sandbox, arguments).exits(0).json()
}

fn slugs(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|one| one["slug"].as_str().expect("a slug")).collect()
}

#[test]
fn curate_lists_pages_by_derived_status() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "name = \"v\"\n[lifecycle]\nage = true\n");
    sandbox.write("old.md", "# Old way\n\nText.\n");
    sandbox.write(
        "new.md",
        "---\nupdated: 2026-11-01\n---\n# New way\n\n- supersedes [[Old way]] {2026-10-01..}\n",
    );
    sandbox.write("one.md", "---\nupdated: 2026-11-01\nstatus: active\n---\n# One view\n\n- contradicts [[Other view]] (on colour)\n");
    sandbox.write("other.md", "---\nupdated: 2026-11-01\n---\n# Other view\n\nSee [[One view]] #heat-pump\n");
    sandbox.write(
        "aged.md",
        "---\nupdated: 2026-08-01\n---\n# Aged view\n\nSee [[One view]], [[Nobody]] #HeatPump\n",
    );
    sandbox.write(
        "says.md",
        "---\nupdated: 2026-11-01\nstatus: stale\n---\nSee [[One view]]\n\n- role:: a\n- role:: b\n",
    );
    lore(&sandbox, &["gap", "add", "who paints?"]).ok();
    let found = run_json(&sandbox, &["curate", "--dry-run"]);
    assert_eq!(found["superseded"], json!(["old.md"]), "{found}");
    assert_eq!(found["contested"], json!(["one.md", "other.md"]));
    assert_eq!(found["stale"], json!(["aged.md", "says.md"]));
    assert_eq!(found["why"]["old.md"], "superseded by new since 2026-10-01");
    assert_eq!(found["why"]["one.md"], "status: active, contradicts other");
    assert_eq!((&found["findings"]["count"], &found["gaps"]["count"]), (&json!(1), &json!(1)));
    assert_eq!(found["findings"]["first"][0]["kind"], "two_values");
    assert_eq!(found["broken_links"]["first"], json!([{ "path": "aged.md", "line": 6, "target": "Nobody" }]));
    assert_eq!(found["tags"], json!([["heat-pump", "heatpump"]]));
    let id = found["findings"]["first"][0]["id"].as_str().expect("an id");
    lore(&sandbox, &["check", "--resolve", id]).ok();
    let after = run_json(&sandbox, &["curate", "--dry-run", "--limit", "0"]);
    assert_eq!(after["findings"], json!({ "count": 0, "first": [] }));
    assert_eq!(after["gaps"], json!({ "count": 1, "first": [] }));
    let output = lore(&sandbox, &["curate", "--dry-run", "--format", "human"]).ok().text();
    assert!(output.contains("\nSuperseded (1)\n  old.md  superseded by new since 2026-10-01\n"), "{output}");
    assert!(lore(&sandbox, &["context"]).ok().text().contains("1 unanswered question"));
}

#[test]
fn briefing_lists_new_entries_changed_facts_and_due_pages() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "- role:: clerk {2020..2026-11-13}\n- role:: head {2026-11-14..}\n- team:: x {2019..}\n\n---\n\n- **2026-11-14** | note — Became head.\n- **2026-12-24** | plan — A party.\n- **2026-01-02** | note — Long ago.\n");
    sandbox.write(
        "b.md",
        "# B\n\n---\n\n- **2026-11-14** | call — Rang.\n- **2026-11-10** | call — Rang before.\n",
    );
    let happened = run_json(&sandbox, &["timeline", "--since", "7d"]);
    let entries: Vec<String> = happened["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|one| format!("{} {} {}", one["date"], one["slug"], one["summary"]).replace('"', ""))
        .collect();
    assert_eq!(entries, ["2026-11-14 a Became head.", "2026-11-14 b Rang.", "2026-11-10 b Rang before."]);
    assert_eq!(
        run_json(&sandbox, &["timeline", "a", "--since", "7d"])["entries"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(run_json(&sandbox, &["timeline", "a"])["entries"].as_array().map(Vec::len), Some(3));
    let shifted = run_json(&sandbox, &["facts", "--since", "2 days"]);
    let objects: Vec<&str> = shifted["facts"]
        .as_array()
        .expect("facts")
        .iter()
        .map(|fact| fact["object"].as_str().expect("an object"))
        .collect();
    assert_eq!(objects, ["clerk", "head"]);
    lore(&sandbox, &["facts", "--since", "2 days", "--temporal", "all"]).exits(2);
    for (name, due, priority) in [
        ("late", "2026-11-01", "b"),
        ("soon", "2026-11-20", "b"),
        ("first", "2026-11-20", "a"),
        ("far", "2027", "a"),
    ] {
        sandbox.write(
            &format!("c/{name}.md"),
            format!("---\ntype: commitment\ndue: {due}\npriority: {priority}\n---\nText.\n"),
        );
    }
    let due = run_json(&sandbox, &["list", "--type", "commitment", "--due", "2026-11-22"]);
    assert_eq!(slugs(&due["pages"]), ["c/late", "c/first", "c/soon"]);
    lore(&sandbox, &["list", "--due", "soon"]).exits(2).says("--due");
}

#[test]
fn as_of_answer_excludes_later_entries() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("plain.md", "# Plain\n\nThe zeppelin is mentioned here.\n\n---\n\n- **2024-05-01** | news — A zeppelin with quartz windows landed.\n");
    sandbox.write("later.md", "# Later\n\nNothing to see.\n\n---\n\n- **2024-05-01** | news — The zeppelin landed.\n  With detail.\n");
    sandbox.write(
        "fact.md",
        "# Facts\n\nNothing.\n\n- vehicle:: zeppelin {2024-05..}\n- vehicle:: tram {2001..2024-04}\n",
    );
    sandbox.write(
        "named.md",
        "---\ntitle: Zeppelin\n---\nText.\n\n---\n\n- **2024-05-01** | news — The zeppelin landed.\n",
    );
    lore(&sandbox, &["embed"]).ok();
    for mode in ["lexical", "hybrid"] {
        let now = run_json(&sandbox, &["query", "zeppelin quartz", "--mode", mode, "--depth", "list"]);
        assert_eq!(slugs(&now["hits"]).len(), 4, "{now}");
        let then = run_json(
            &sandbox,
            &["query", "zeppelin quartz", "--mode", mode, "--as-of", "2024-04-30", "--depth", "section"],
        );
        let mut found = slugs(&then["hits"]);
        found.sort_unstable();
        // Semantic search finds a section as a whole; of this one only the earlier fact is shown.
        let expected: &[&str] =
            if mode == "hybrid" { &["fact", "named", "plain"] } else { &["named", "plain"] };
        assert_eq!(found, expected, "{mode}: {then}");
        assert!(!then.to_string().contains("zeppelin {"), "no later fact is shown: {then}");
        assert!(!then.to_string().contains("landed"), "no later entry is shown: {then}");
        let whole = run_json(&sandbox, &["query", "tram", "--as-of", "2023", "--depth", "full"]);
        assert!(whole.to_string().contains("tram") && !whole.to_string().contains("zeppelin {"), "{whole}");
        let day = run_json(
            &sandbox,
            &["query", "zeppelin quartz", "--mode", mode, "--as-of", "2024-05", "--depth", "list"],
        );
        assert_eq!(slugs(&day["hits"]).len(), 4, "an entry counts from its month: {day}");
    }
    let one = run_json(&sandbox, &["query", "zeppelin quartz", "--as-of", "2024-04-30", "--limit", "1"]);
    assert_eq!(slugs(&one["hits"]).len(), 1, "excluded hits make room for others");
}

#[test]
fn question_answered_by_a_relation_is_not_a_gap() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "name = \"v\"\n[gaps]\nlog = true\nthreshold = 1.0\n");
    sandbox.write("acme.md", "# Acme\n\nAnvils.\n");
    sandbox.write("ada.md", "# Ada\n\n- works_at [[Acme]] {2020..}\n");
    let answered = run_json(&sandbox, &["query", "who is working at Acme these days?"]);
    let direct = run_json(&sandbox, &["query", "who works at Acme"]);
    assert_eq!(direct["hits"][0]["slug"], "ada");
    assert_eq!(direct["notes"], json!([]), "{direct}");
    // No other answer reaches this threshold.
    assert!(!answered["notes"].as_array().expect("notes").is_empty() || answered["hits"][0]["slug"] == "ada");
    let ended = lore(&sandbox, &["query", "what weighs an anvil of lead"]);
    assert!(ended.json()["notes"].to_string().contains("recorded as gap"), "{ended:?}");
    let gap = run_json(&sandbox, &["gap", "add", "who works at Acme"]);
    let closed = run_json(&sandbox, &["query", "who works at Acme"]);
    assert_eq!(closed["notes"], json!([format!("gap {} is closed: ada answers it", gap["id"])]));
}

#[test]
fn review_is_recorded_in_the_pages_and_known_on_another_machine() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "name = \"v\"\n[curate]\nfirst = 3\nevery = 2\n");
    for (name, day) in [("one", "2026-01-01"), ("two", "2026-02-01"), ("three", "2026-03-01")] {
        let text = format!("---\ncreated: {day}\nupdated: {day}\n---\n# Page {name}\n");
        sandbox.write(&format!("{name}.md"), text);
    }
    let is_due = |home: &str| {
        let mut command = sandbox.command(&["status"]);
        command.env("LORE_NOW", NOW).env("LORE_HOME", sandbox.root.join(home));
        Ran::from(command.output().expect("lore runs")).exits(0).json()["curation_due"].clone()
    };
    assert_eq!(is_due("home"), true);
    let done = run_json(&sandbox, &["curate", "--done"]);
    assert_eq!(done["marked"], json!(["one.md", "two.md"]), "those untouched for longest, `every` of them");
    let page = String::from_utf8(sandbox.read("one.md")).expect("text");
    assert!(page.contains("last_curated: 2026-11-15") && page.contains("updated: 2026-01-01"), "{page}");
    assert_eq!(is_due("home"), false);
    let named = run_json(&sandbox, &["curate", "--done", "three"]);
    assert_eq!(named["marked"], json!(["three.md"]));
    lore(&sandbox, &["curate", "--dry-run", "three"]).exits(2);
    sandbox.trust_in("elsewhere");
    assert_eq!(is_due("elsewhere"), false, "a new machine knows it from the files");
    for name in ["four", "five"] {
        sandbox.write(&format!("{name}.md"), format!("---\ncreated: 2026-11-16\n---\n# Page {name}\n"));
    }
    sandbox.trust_in("third");
    assert_eq!((is_due("home"), is_due("third")), (json!(true), json!(true)));
}

#[test]
fn review_of_org_pages_is_recorded_in_them() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "name = \"v\"\n[curate]\nfirst = 2\nevery = 2\n");
    for name in ["one", "two"] {
        let head = format!(":PROPERTIES:\n:ID: {name}\n:CREATED: 2026-01-01\n:UPDATED: 2026-01-01\n:END:\n");
        sandbox.write(&format!("{name}.org"), format!("{head}#+title: Page {name}\n\nText.\n"));
    }
    // It cannot be edited, and does not prevent the record of the others.
    sandbox.write("broken.md", "---\ntitle: [\n---\n# Broken\n");
    let done = run_json(&sandbox, &["curate", "--done"]);
    assert_eq!(done["marked"], json!(["one.org", "two.org"]));
    let page = String::from_utf8(sandbox.read("one.org")).expect("text");
    assert!(page.contains(":LAST_CURATED: 2026-11-15\n"), "{page}");
}

#[test]
fn raw_files_of_every_kind_without_a_page_are_listed() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "name = \"v\"\nexclude = [\"raw/**\"]\n[raw]\nfolder = \"raw\"\n");
    sandbox.write("page.md", "---\nsource: raw/used.md\n---\n# Page\n");
    sandbox.write("raw/used.md", "---\ntitle: Used\nfile: raw/files/used.pdf\n---\n");
    for path in ["raw/files/used.pdf", "raw/files/lost.pdf", "raw/lost.txt", "raw/lost.md"] {
        sandbox.write(path, "x");
    }
    let found = run_json(&sandbox, &["curate", "--dry-run"]);
    assert_eq!(found["unused_captures"], json!(["raw/files/lost.pdf", "raw/lost.md", "raw/lost.txt"]));
}
