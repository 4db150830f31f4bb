//! The lifecycle of pages: superseded, contested, stale, compacted; and the brief an agent starts with.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const NOW: &str = "2026-02-10T14:30:00Z";

/// A vault with aging pages, a decision, the pages it supersedes and one that contradicts it.
struct LifecycleVault {
    sandbox: Sandbox,
}

const POLICY: &str =
    "[lifecycle]\nage = true\n\n[[lifecycle.paths]]\npattern = \"clients/**\"\nstale_after_days = 30\n";

impl LifecycleVault {
    fn new() -> LifecycleVault {
        let sandbox = Sandbox::empty();
        sandbox.write("lore.toml", POLICY);
        let vault = LifecycleVault { sandbox };
        vault.page("ep-advisory/pricing", "2026-02-08", "EP Advisory pricing decision", PRICING);
        vault.page(
            "ep-advisory/sprints",
            "2026-02-07",
            "Sprint pricing",
            "Sprints cost the same everywhere.\n",
        );
        vault.page(
            "ep-advisory/first",
            "2026-01-20",
            "First pricing",
            "- supersedes [[ep-advisory/zeroth]]\n",
        );
        vault.page("ep-advisory/zeroth", "2026-01-10", "No pricing", "Everything was free.\n");
        vault.page("clients/pipeline", "2025-12-29", "Client pipeline Q1", "Three leads.\n");
        vault.page(
            "clients/index",
            "2026-02-01",
            "Clients",
            "- related [[clients/pipeline]]\n- related [[orphan]]\n",
        );
        vault.page("linked", "2026-01-05", "Linked", "Linked by one page. See [[ep-advisory/pricing]].\n");
        vault.page("orphan", "2026-01-05", "Nearly an orphan", "Linked by one page. And [[linked]].\n");
        vault.page("lonely", "2026-01-05", "Lonely", "Linked by none.\n");
        vault.lore(&["init", "--no-git"]).ok();
        vault
    }

    fn page(&self, slug: &str, updated: &str, title: &str, body: &str) {
        let text = format!("---\ntitle: {title}\nupdated: {updated}\n---\n# {title}\n\n{body}");
        self.sandbox.write(&format!("{slug}.md"), text);
    }

    fn at(&self, now: &str, arguments: &[&str]) -> Ran {
        let mut command = self.sandbox.command(arguments);
        command.env("LORE_NOW", now).stdin(Stdio::null()).output().expect("lore runs").into()
    }

    fn lore(&self, arguments: &[&str]) -> Ran {
        self.at(NOW, arguments)
    }

    /// Returns slug, day and reason of every stale page.
    fn stale(&self) -> Vec<String> {
        let pages = self.lore(&["stale", "--json"]).json()["pages"].as_array().expect("pages").clone();
        let text = |page: &Value, key: &str| page[key].as_str().unwrap_or("-").to_owned();
        let line =
            |page| format!("{} {}: {}", text(page, "slug"), text(page, "stale_since"), text(page, "reason"));
        pages.iter().map(line).collect()
    }

    fn status(&self, page: &str) -> String {
        self.lore(&["show", page, "--json"]).ok().json()["status"].as_str().expect("a status").to_owned()
    }

    fn read(&self, path: &str) -> String {
        String::from_utf8(self.sandbox.read(path)).expect("text")
    }

    /// Returns the brief for a directory next to the vault.
    fn context_in(&self, directory: &str, arguments: &[&str]) -> Value {
        let directory = self.sandbox.root.join(directory);
        fs::create_dir_all(&directory).expect("a directory");
        let mut command =
            self.sandbox.command(&[&["--project", "v", "context", "--json"], arguments].concat());
        Ran::from(command.env("LORE_NOW", NOW).current_dir(directory).output().expect("lore runs"))
            .ok()
            .json()
    }
}

const PRICING: &str = "> Three-tier model: embedded advisory, salon, sprints\n\n\
    - supersedes [[ep-advisory/first]]\n- contradicts [[ep-advisory/sprints]] (Contradicting views on sprint pricing)\n\
    - related [[clients/index]]\n";

fn slugs(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|item| item["slug"].as_str().expect("a slug")).collect()
}

#[test]
fn pages_become_stale_by_links_and_age_with_a_reason() {
    let vault = LifecycleVault::new();
    assert_eq!(
        vault.stale(),
        [
            "ep-advisory/first 2026-02-08: superseded by ep-advisory/pricing",
            "lonely 2026-02-04: no inbound links (36 days)",
            "clients/pipeline 2026-01-28: age (43 days)",
            "ep-advisory/zeroth 2026-01-20: superseded by ep-advisory/first",
        ]
    );
    let text = vault.lore(&["stale", "--path", "clients", "--format", "human"]).ok().text();
    assert_eq!(text, "2026-01-28  clients/pipeline  Client pipeline Q1: age (43 days)\n");
    assert_eq!(slugs(&vault.lore(&["stale", "--limit", "1"]).ok().json()["pages"]), ["ep-advisory/first"]);
    vault.lore(&["stale", "--path", "nowhere"]).exits(1);
    vault.lore(&["stale", "--limit", "0"]).exits(2).says("--limit is 0");
    let id = vault.lore(&["stale"]).json()["pages"][2]["id"].as_str().expect("an id").to_owned();
    assert_eq!(vault.lore(&["show", &id]).ok().json()["slug"], "clients/pipeline", "a short id is accepted");
    let later = vault.at("2026-03-10T00:00:00Z", &["stale"]).ok().json();
    assert!(slugs(&later["pages"]).contains(&"linked"), "a linked page becomes stale later: {later}");
}

#[test]
fn show_prints_the_whole_chain() {
    let vault = LifecycleVault::new();
    let text = vault.lore(&["show", "No pricing", "--format", "human"]).ok().text();
    let chain = "status: superseded since 2026-01-20 (superseded by ep-advisory/first)\n\
                 superseded by ep-advisory/first, which is superseded by ep-advisory/pricing\n";
    assert!(text.contains(chain), "{text}");
    let shown = vault.lore(&["show", "No pricing", "--json"]).ok().json();
    assert_eq!(
        shown["superseded_by"],
        json!([
            { "slug": "ep-advisory/first", "title": "First pricing", "step": 1 },
            { "slug": "ep-advisory/pricing", "title": "EP Advisory pricing decision", "step": 2 }
        ])
    );
    assert_eq!(shown["reasons"], json!(["superseded by ep-advisory/first"]));
    let active = vault.lore(&["show", "linked", "--json"]).ok().json();
    assert_eq!(
        (&active["status"], &active["reasons"], &active["warnings"]),
        (&json!("active"), &json!([]), &json!([]))
    );
    let contested = vault.lore(&["show", "Sprint pricing", "--json"]).ok().json();
    assert_eq!(contested["status"], "contested");
    assert_eq!(contested["contradicts"][0]["context"], "Contradicting views on sprint pricing");
}

#[test]
fn hits_carry_lifecycle_warnings() {
    let vault = LifecycleVault::new();
    let warned = |arguments: &[&str]| -> Vec<String> {
        let hits = vault.lore(arguments).ok().json()["hits"].as_array().expect("hits").clone();
        let mut lines: Vec<String> =
            hits.iter().map(|hit| format!("{} {} {}", hit["slug"], hit["status"], hit["warnings"])).collect();
        lines.sort();
        lines
    };
    let expected = [
        r#""ep-advisory/first" "superseded" ["superseded by ep-advisory/pricing"]"#,
        r#""ep-advisory/pricing" "contested" ["contested: contradicts ep-advisory/sprints (Contradicting views on sprint pricing)"]"#,
        r#""ep-advisory/sprints" "contested" ["contested: contradicts ep-advisory/pricing (Contradicting views on sprint pricing)"]"#,
        r#""ep-advisory/zeroth" "superseded" ["superseded by ep-advisory/first"]"#,
    ];
    assert_eq!(warned(&["search", "pricing", "--path", "ep-advisory"]), expected);
    let query = ["query", "pricing", "--mode", "lexical", "--path", "ep-advisory"];
    assert_eq!(warned(&[&query[..], &["--depth", "section"]].concat()), expected);
    assert_eq!(warned(&query), expected[1..3], "a superseded page gives way to the pages that hold");
    let fields = warned(&["query", "pricing", "--mode", "fields", "--path", "ep-advisory"]);
    assert_eq!(fields, expected);
    let stale = [r#""clients/pipeline" "stale" ["stale since 2026-01-28: age (43 days)"]"#];
    assert_eq!(warned(&["search", "leads"]), stale);
    let text = vault.lore(&["search", "leads", "--format", "human"]).ok().text();
    assert!(text.contains("  warning: stale since 2026-01-28: age (43 days)\n"), "{text}");
    let text = vault.lore(&["query", "leads", "--mode", "lexical", "--format", "human"]).ok().text();
    assert!(text.contains("\nwarning: stale since 2026-01-28: age (43 days)\n"), "{text}");
    assert_eq!(warned(&["search", "lonely", "--kind", "page"]).len(), 1);
}

#[test]
fn contradiction_contests_both_pages_until_resolved() {
    let vault = LifecycleVault::new();
    let both = || (vault.status("ep-advisory/pricing"), vault.status("ep-advisory/sprints"));
    assert_eq!(both(), ("contested".into(), "contested".into()));
    let conflict = &vault.lore(&["context", "--json"]).ok().json()["conflicts"];
    assert_eq!(conflict.as_array().map(Vec::len), Some(1));
    let pricing = vault.read("ep-advisory/pricing.md");
    let closed = pricing.replace("sprint pricing)", "sprint pricing) {..2026-02-09}");
    vault.sandbox.write("ep-advisory/pricing.md", closed);
    assert_eq!(both(), ("active".into(), "active".into()), "an ended contradiction does not count");
    vault.sandbox.write("ep-advisory/pricing.md", pricing + "- supersedes [[ep-advisory/sprints]]\n");
    assert_eq!(both(), ("active".into(), "superseded".into()), "nor one with a superseded page");
    assert_eq!(vault.lore(&["context", "--json"]).ok().json()["conflicts"], json!([]));
}

#[test]
fn set_status_overrides_the_derived_status() {
    let vault = LifecycleVault::new();
    vault.lore(&["set-status", "Client pipeline Q1", "active"]).ok();
    assert!(vault.read("clients/pipeline.md").contains("\nreviewed: 2026-02-10\n---"));
    assert!(!vault.read("clients/pipeline.md").contains("status:"), "a review is enough for age");
    assert_eq!(vault.status("clients/pipeline"), "active");
    let shown = vault.lore(&["show", "clients/pipeline", "--json"]).ok().json();
    assert_eq!(shown["reviewed"], "2026-02-10");
    let aged = vault.at("2026-03-20T00:00:00Z", &["show", "clients/pipeline", "--json"]).ok().json();
    assert_eq!(aged["reasons"], json!(["age (38 days)"]), "a review ages too");

    vault.lore(&["set-status", "ep-advisory/first", "active"]).ok();
    assert!(vault.read("ep-advisory/first.md").contains("status: active\n"));
    let shown = vault.lore(&["show", "ep-advisory/first", "--json"]).ok().json();
    assert_eq!(shown["status"], "active");
    assert_eq!(shown["warnings"], json!(["superseded by ep-advisory/pricing, but its file says active"]));
    assert!(!vault.stale().iter().any(|line| line.starts_with("ep-advisory/first")));

    vault.lore(&["set-status", "linked", "stale"]).ok();
    assert!(vault.stale().iter().any(|line| line.starts_with("linked 2026-01-05: status: stale")));
    vault.lore(&["set-status", "linked", "ACTIVE"]).ok();
    assert!(!vault.read("linked.md").contains("status:"), "the old status is removed");
    vault
        .lore(&["set-status", "linked", "splendid"])
        .exits(2)
        .says("active, stale, contested, superseded, compacted");
    vault.lore(&["set-status", "linked", "compacted"]).exits(2).says("only a stale page can");
    vault.lore(&["set-status", "lonely", "compacted"]).ok();
    vault
        .lore(&["set-status", "lonely", "stale"])
        .exits(2)
        .says("lonely is compacted and cannot become stale")
        .says("edit REF --unset status`; no summary replaces it");
    vault.lore(&["set-status", "lonely", "active"]).exits(2).says("cannot become active");
    vault.lore(&["set-status", "lonely", "stale", "--expected-version", "9"]).exits(2);
    vault.lore(&["set-status", "linked", "stale", "--expected-version", "9"]).exits(3);
    vault.lore(&["set-status", "nobody", "stale"]).exits(1);
    let active = vault.lore(&["list", "--status", "active", "--json"]).ok().json();
    let mut active = slugs(&active["pages"]);
    active.sort_unstable();
    assert_eq!(active, ["clients/index", "clients/pipeline", "ep-advisory/first", "linked", "orphan"]);
}

#[test]
fn schema_defines_the_allowed_statuses() {
    let vault = LifecycleVault::new();
    let schema = "[[rule]]\npaths = [\"ep-advisory/*\"]\nschema = \"node\"\n\
                  [schema.node]\nvalues = { status = [\"current\", \"reversed\"] }\ndefaults = { status = \"current\" }\n";
    vault.sandbox.write("lore.toml", schema);
    vault.lore(&["set-status", "ep-advisory/sprints", "stale"]).exits(4).says("current, reversed");
    vault.lore(&["set-status", "ep-advisory/sprints", "reversed"]).ok();
    assert_eq!(vault.status("ep-advisory/sprints"), "reversed");
    assert_eq!(vault.status("ep-advisory/pricing"), "active", "a reversed page contradicts nothing");
    vault.lore(&["set-status", "ep-advisory/sprints", "current"]).ok();
    assert!(vault.read("ep-advisory/sprints.md").contains("reviewed: 2026-02-10"));
}

#[test]
fn brief_has_the_documented_fields() {
    let vault = LifecycleVault::new();
    let brief = vault.context_in("code/ep-advisory/src", &[]);
    let keys: Vec<&str> = brief.as_object().expect("an object").keys().map(String::as_str).collect();
    for key in [
        "namespace",
        "loaded_at",
        "active_nodes",
        "conflicts",
        "stale_alerts",
        "project",
        "injected",
        "warnings",
    ] {
        assert!(keys.contains(&key), "{key} is not in {keys:?}");
    }
    assert_eq!((&brief["namespace"], &brief["loaded_at"]), (&json!("ep-advisory"), &json!(NOW)));
    let node = &brief["active_nodes"][0];
    assert_eq!(
        json!([node["title"], node["summary"], node["updated_at"], node["links_out"], node["slug"]]),
        json!([
            "EP Advisory pricing decision",
            "Three-tier model: embedded advisory, salon, sprints",
            "2026-02-08",
            3,
            "ep-advisory/pricing"
        ])
    );
    let conflict = &brief["conflicts"][0];
    assert_eq!(conflict["description"], "Contradicting views on sprint pricing");
    for (end, slug) in [("node_a", "ep-advisory/pricing"), ("node_b", "ep-advisory/sprints")] {
        let id = conflict[end].as_str().expect("an id");
        assert_eq!(vault.lore(&["show", id]).ok().json()["slug"], slug);
    }
    assert_eq!(
        slugs(&brief["stale_alerts"])[..2],
        ["ep-advisory/first", "ep-advisory/zeroth"],
        "pages of the namespace come first"
    );
    let alert = brief["stale_alerts"]
        .as_array()
        .expect("alerts")
        .iter()
        .find(|one| one["slug"] == "clients/pipeline");
    let alert = alert.expect("the alert");
    assert_eq!(
        json!([alert["title"], alert["stale_since"], alert["reason"]]),
        json!(["Client pipeline Q1", "2026-01-28", "age (43 days)"])
    );
}

#[test]
fn brief_covers_active_pages_of_the_directory() {
    let vault = LifecycleVault::new();
    let nodes = |brief: &Value| {
        slugs(&brief["active_nodes"]).iter().map(|slug| (*slug).to_owned()).collect::<Vec<_>>()
    };
    let matching = vault.context_in("code/ep-advisory", &[]);
    assert_eq!(
        nodes(&matching),
        ["ep-advisory/pricing", "ep-advisory/sprints", "clients/index", "linked", "orphan"],
        "pages of the namespace, then the most recent"
    );
    let recent = ["ep-advisory/pricing", "ep-advisory/sprints", "clients/index"];
    let elsewhere = vault.context_in("code/other", &[]);
    assert_eq!(
        (nodes(&elsewhere), &elsewhere["namespace"]),
        (recent.map(str::to_owned).to_vec(), &json!("v"))
    );
    assert_eq!(nodes(&vault.context_in("code/clients", &["--recent"])), recent);
    assert_eq!(nodes(&vault.context_in("code/other", &["--limit", "1"])), recent[..1]);
    let named = vault.context_in("code/other", &["--namespace", "clients"]);
    assert_eq!(
        (nodes(&named), slugs(&named["stale_alerts"])),
        (vec!["clients/index".into()], vec!["clients/pipeline"])
    );
    assert_eq!(named["conflicts"], json!([]));
    assert_eq!(nodes(&vault.context_in("code/other", &["--path", "clients/"])), ["clients/index"]);
    vault.lore(&["context", "--limit", "0"]).exits(2);
    vault.lore(&["context", "--recent", "--namespace", "clients"]).exits(2);
    let text = vault.lore(&["context", "--format", "human", "--namespace", "clients"]).ok().text();
    let id = named["active_nodes"][0]["id"].as_str().expect("an id");
    let expected = format!(
        "Stale\n  clients/pipeline  Client pipeline Q1: age (43 days), since 2026-01-28\n\
         Pages (clients)\n  {id}  Clients  (clients/index, 2026-02-01, 2 links)\n      related clients/pipeline\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn brief_keeps_to_its_budget_and_reports_cuts() {
    let vault = LifecycleVault::new();
    let policy = format!("{POLICY}\n[[inject]]\npath = \"me\"\nas = \"user\"\n");
    vault.sandbox.write("lore.toml", policy);
    vault.page("me", "2026-02-09", "Me", &"I like short answers. ".repeat(200));
    let whole = vault.lore(&["context", "--json"]).ok().json();
    assert_eq!((whole["injected"].as_array().map(Vec::len), &whole["warnings"]), (Some(1), &json!([])));
    assert!(!slugs(&whole["active_nodes"]).contains(&"me"), "an injected page is not listed again: {whole}");
    assert!(whole["tokens"].as_u64() > Some(1000));
    let cut = vault.lore(&["context", "--json", "--token-budget", "400"]).ok().json();
    assert!(cut["tokens"].as_u64() <= Some(400), "{cut}");
    assert_eq!(cut["injected"], json!([]), "a file is never cut");
    let warnings = cut["warnings"].to_string();
    assert!(warnings.contains("me.md omitted") && warnings.contains("cut to 400 tokens"), "{warnings}");
    vault.lore(&["config", "set", "context.budget", "250"]).ok();
    let small = vault.lore(&["context", "--json"]).ok().json();
    assert_eq!(small["injected"].as_array().map(Vec::len), Some(1), "injected files have their own limits");
    assert!(small["warnings"].to_string().contains("cut to 250 tokens"), "{small}");
    vault.lore(&["config", "set", "context.budget", "none"]).exits(2);
}

#[test]
fn rebuilt_database_gives_the_same_answers() {
    let vault = LifecycleVault::new();
    let queries: [&[&str]; 6] = [
        &["stale", "--json"],
        &["context", "--json"],
        &["context", "--json", "--namespace", "ep-advisory"],
        &["search", "pricing", "--json"],
        &["show", "No pricing", "--format", "human"],
        &["query", "pricing", "--mode", "lexical", "--format", "human"],
    ];
    let answers = || queries.map(|arguments| vault.lore(arguments).ok().text());
    let before = answers();
    for file in ["home/lore.db", "home/lore.db-wal", "home/lore.db-shm"] {
        let _ = fs::remove_file(vault.sandbox.root.join(file));
    }
    vault.lore(&["sync"]).ok();
    assert_eq!(answers(), before);
}

#[test]
fn supersession_cycle_is_reported() {
    let vault = LifecycleVault::new();
    vault.page("ep-advisory/zeroth", "2026-01-10", "No pricing", "- supersedes [[ep-advisory/pricing]]\n");
    let text = vault.lore(&["show", "No pricing", "--format", "human"]).ok().text();
    assert!(
        text.contains("supersession cycle: ep-advisory/zeroth, ep-advisory/first, ep-advisory/pricing"),
        "{text}"
    );
    assert_eq!(vault.stale().len(), 5);
    vault.lore(&["context"]).ok();
}

#[test]
fn broken_policy_error_names_the_line() {
    let vault = LifecycleVault::new();
    for (text, says) in [
        ("[lifecycle]\nage = true\nstale_after_day = 3\n", "lore.toml:3"),
        ("[[lifecycle.paths]]\npattern = \"/x\"\n", "lore.toml:2"),
    ] {
        vault.sandbox.write("lore.toml", text);
        vault.lore(&["stale"]).exits(5).says(says);
    }
}

#[test]
fn pages_do_not_age_unless_the_policy_says_so() {
    let vault = LifecycleVault::new();
    vault.sandbox.write("lore.toml", "profile = \"notes\"\n");
    let stale = vault.stale();
    assert_eq!(stale.len(), 2, "{stale:?}");
    assert!(stale.iter().all(|line| line.contains("superseded by")), "{stale:?}");
}

#[test]
fn other_relations_to_a_superseded_page_are_no_cycle() {
    let sandbox = crate::sandbox::Sandbox::with_vault();
    sandbox.write("old.md", "# Old\n\n- knows [[old]]\n");
    sandbox.write("new.md", "# New\n\n- knows [[old]]\n- related [[old]]\n- supersedes [[old]]\n");
    assert_eq!(sandbox.run(&["check", "--all"]).ok().json()["findings"], json!([]));
    sandbox.write("old.md", "# Old\n\n- supersedes [[new]]\n");
    assert_eq!(sandbox.run(&["check", "--all"]).json()["findings"][0]["kind"], "supersession_cycle");
}
