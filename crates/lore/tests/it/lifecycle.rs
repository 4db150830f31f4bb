//! The life of what is known: superseded, contested, old, compacted, and the brief an agent starts with.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const NOW: &str = "2026-02-10T14:30:00Z";

/// A vault whose pages grow old, with a decision, what it took the place of, and what speaks against it.
struct Told {
    sandbox: Sandbox,
}

const POLICY: &str =
    "[lifecycle]\nage = true\n\n[[lifecycle.paths]]\npattern = \"clients/**\"\nstale_after_days = 30\n";

impl Told {
    fn new() -> Told {
        let sandbox = Sandbox::empty();
        sandbox.write("lore.toml", POLICY);
        let told = Told { sandbox };
        told.page("ep-advisory/pricing", "2026-02-08", "EP Advisory pricing decision", PRICING);
        told.page(
            "ep-advisory/sprints",
            "2026-02-07",
            "Sprint pricing",
            "Sprints cost the same everywhere.\n",
        );
        told.page(
            "ep-advisory/first",
            "2026-01-20",
            "First pricing",
            "- supersedes [[ep-advisory/zeroth]]\n",
        );
        told.page("ep-advisory/zeroth", "2026-01-10", "No pricing", "Everything was free.\n");
        told.page("clients/pipeline", "2025-12-29", "Client pipeline Q1", "Three leads.\n");
        told.page(
            "clients/index",
            "2026-02-01",
            "Clients",
            "- related [[clients/pipeline]]\n- related [[orphan]]\n",
        );
        told.page("linked", "2026-01-05", "Linked", "Linked by one page. See [[ep-advisory/pricing]].\n");
        told.page("orphan", "2026-01-05", "Nearly an orphan", "Linked by one page. And [[linked]].\n");
        told.page("lonely", "2026-01-05", "Lonely", "Linked by none.\n");
        told.lore(&["init", "--no-git"]).ok();
        told
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

    /// Slug, day and reason of every stale page.
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

    /// The brief as seen from a directory beside the vault.
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
fn pages_become_stale_by_links_and_by_age_and_say_why() {
    let told = Told::new();
    assert_eq!(
        told.stale(),
        [
            "ep-advisory/first 2026-02-08: superseded by ep-advisory/pricing",
            "lonely 2026-02-04: no inbound links (36 days)",
            "clients/pipeline 2026-01-28: age (43 days)",
            "ep-advisory/zeroth 2026-01-20: superseded by ep-advisory/first",
        ]
    );
    let text = told.lore(&["stale", "--path", "clients", "--format", "human"]).ok().text();
    assert_eq!(text, "2026-01-28  clients/pipeline  Client pipeline Q1: age (43 days)\n");
    assert_eq!(slugs(&told.lore(&["stale", "--limit", "1"]).ok().json()["pages"]), ["ep-advisory/first"]);
    told.lore(&["stale", "--path", "nowhere"]).exits(1);
    told.lore(&["stale", "--limit", "0"]).exits(2).says("--limit is 0");
    let id = told.lore(&["stale"]).json()["pages"][2]["id"].as_str().expect("an id").to_owned();
    assert_eq!(told.lore(&["show", &id]).ok().json()["slug"], "clients/pipeline", "a short id is an id");
    let later = told.at("2026-03-10T00:00:00Z", &["stale"]).ok().json();
    assert!(slugs(&later["pages"]).contains(&"linked"), "what is linked grows old later: {later}");
}

#[test]
fn show_tells_the_whole_chain() {
    let told = Told::new();
    let text = told.lore(&["show", "No pricing", "--format", "human"]).ok().text();
    let chain = "status: superseded since 2026-01-20 (superseded by ep-advisory/first)\n\
                 superseded by ep-advisory/first, which is superseded by ep-advisory/pricing\n";
    assert!(text.contains(chain), "{text}");
    let shown = told.lore(&["show", "No pricing", "--json"]).ok().json();
    assert_eq!(
        shown["superseded_by"],
        json!([
            { "slug": "ep-advisory/first", "title": "First pricing", "step": 1 },
            { "slug": "ep-advisory/pricing", "title": "EP Advisory pricing decision", "step": 2 }
        ])
    );
    assert_eq!(shown["reasons"], json!(["superseded by ep-advisory/first"]));
    let active = told.lore(&["show", "linked", "--json"]).ok().json();
    assert_eq!(
        (&active["status"], &active["reasons"], &active["warnings"]),
        (&json!("active"), &json!([]), &json!([]))
    );
    let contested = told.lore(&["show", "Sprint pricing", "--json"]).ok().json();
    assert_eq!(contested["status"], "contested");
    assert_eq!(contested["contradicts"][0]["context"], "Contradicting views on sprint pricing");
}

#[test]
fn hits_warn_of_what_they_are_worth() {
    let told = Told::new();
    let warned = |arguments: &[&str]| -> Vec<String> {
        let hits = told.lore(arguments).ok().json()["hits"].as_array().expect("hits").clone();
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
    assert_eq!(warned(&["query", "pricing", "--mode", "lexical", "--path", "ep-advisory"]), expected);
    let fields = warned(&["query", "pricing", "--mode", "fields", "--path", "ep-advisory"]);
    assert_eq!(fields, expected);
    let stale = [r#""clients/pipeline" "stale" ["stale since 2026-01-28: age (43 days)"]"#];
    assert_eq!(warned(&["search", "leads"]), stale);
    let text = told.lore(&["search", "leads", "--format", "human"]).ok().text();
    assert!(text.contains("  warning: stale since 2026-01-28: age (43 days)\n"), "{text}");
    let text = told.lore(&["query", "leads", "--mode", "lexical", "--format", "human"]).ok().text();
    assert!(text.contains("  warning: stale since 2026-01-28: age (43 days)\n"), "{text}");
    assert_eq!(warned(&["search", "lonely", "--kind", "page"]).len(), 1);
}

#[test]
fn a_contradiction_stales_neither_and_ends_when_it_is_settled() {
    let told = Told::new();
    let both = || (told.status("ep-advisory/pricing"), told.status("ep-advisory/sprints"));
    assert_eq!(both(), ("contested".into(), "contested".into()));
    let conflict = &told.lore(&["context", "--json"]).ok().json()["conflicts"];
    assert_eq!(conflict.as_array().map(Vec::len), Some(1));
    let pricing = told.read("ep-advisory/pricing.md");
    let closed = pricing.replace("sprint pricing)", "sprint pricing) {..2026-02-09}");
    told.sandbox.write("ep-advisory/pricing.md", closed);
    assert_eq!(both(), ("active".into(), "active".into()), "a link that has ended is settled");
    told.sandbox.write("ep-advisory/pricing.md", pricing + "- supersedes [[ep-advisory/sprints]]\n");
    assert_eq!(both(), ("active".into(), "superseded".into()), "so is one whose other page is superseded");
    assert_eq!(told.lore(&["context", "--json"]).ok().json()["conflicts"], json!([]));
}

#[test]
fn a_person_decides_what_still_holds() {
    let told = Told::new();
    told.lore(&["set-status", "Client pipeline Q1", "active"]).ok();
    assert!(told.read("clients/pipeline.md").contains("\nreviewed: 2026-02-10\n---"));
    assert!(!told.read("clients/pipeline.md").contains("status:"), "a review is all that age needs");
    assert_eq!(told.status("clients/pipeline"), "active");
    let shown = told.lore(&["show", "clients/pipeline", "--json"]).ok().json();
    assert_eq!(shown["reviewed"], "2026-02-10");
    let aged = told.at("2026-03-20T00:00:00Z", &["show", "clients/pipeline", "--json"]).ok().json();
    assert_eq!(aged["reasons"], json!(["age (38 days)"]), "and a review grows old too");

    told.lore(&["set-status", "ep-advisory/first", "active"]).ok();
    assert!(told.read("ep-advisory/first.md").contains("status: active\n"));
    let shown = told.lore(&["show", "ep-advisory/first", "--json"]).ok().json();
    assert_eq!(shown["status"], "active");
    assert_eq!(shown["warnings"], json!(["superseded by ep-advisory/pricing, but its file says active"]));
    assert!(!told.stale().iter().any(|line| line.starts_with("ep-advisory/first")));

    told.lore(&["set-status", "linked", "stale"]).ok();
    assert!(told.stale().iter().any(|line| line.starts_with("linked 2026-01-05: status: stale")));
    told.lore(&["set-status", "linked", "ACTIVE"]).ok();
    assert!(!told.read("linked.md").contains("status:"), "what said otherwise is taken out");
    told.lore(&["set-status", "linked", "splendid"])
        .exits(2)
        .says("active, stale, contested, superseded, compacted");
    told.lore(&["set-status", "linked", "compacted"]).exits(2).says("only a stale page can");
    told.lore(&["set-status", "lonely", "compacted"]).ok();
    told.lore(&["set-status", "lonely", "active"]).exits(2).says("cannot become active");
    told.lore(&["set-status", "lonely", "stale", "--expected-version", "9"]).exits(2);
    told.lore(&["set-status", "linked", "stale", "--expected-version", "9"]).exits(3);
    told.lore(&["set-status", "nobody", "stale"]).exits(1);
    assert_eq!(
        slugs(&told.lore(&["list", "--status", "active", "--json"]).ok().json()["pages"]),
        ["ep-advisory/first"]
    );
}

#[test]
fn a_schema_decides_which_statuses_there_are() {
    let told = Told::new();
    let schema = "[[rule]]\npaths = [\"ep-advisory/*\"]\nschema = \"node\"\n\
                  [schema.node]\nvalues = { status = [\"current\", \"reversed\"] }\ndefaults = { status = \"current\" }\n";
    told.sandbox.write("lore.toml", schema);
    told.lore(&["set-status", "ep-advisory/sprints", "stale"]).exits(4).says("current, reversed");
    told.lore(&["set-status", "ep-advisory/sprints", "reversed"]).ok();
    assert_eq!(told.status("ep-advisory/sprints"), "reversed");
    assert_eq!(told.status("ep-advisory/pricing"), "active", "nothing contradicts what is reversed");
    told.lore(&["set-status", "ep-advisory/sprints", "current"]).ok();
    assert!(told.read("ep-advisory/sprints.md").contains("reviewed: 2026-02-10"));
}

#[test]
fn the_brief_has_the_shape_that_agents_know() {
    let told = Told::new();
    let brief = told.context_in("code/ep-advisory/src", &[]);
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
        assert_eq!(told.lore(&["show", id]).ok().json()["slug"], slug);
    }
    assert_eq!(
        slugs(&brief["stale_alerts"])[..2],
        ["ep-advisory/first", "ep-advisory/zeroth"],
        "its own first"
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
fn the_brief_is_about_the_directory_and_only_of_what_holds() {
    let told = Told::new();
    let nodes = |brief: &Value| {
        slugs(&brief["active_nodes"]).iter().map(|slug| (*slug).to_owned()).collect::<Vec<_>>()
    };
    let matching = told.context_in("code/ep-advisory", &[]);
    assert_eq!(
        nodes(&matching),
        ["ep-advisory/pricing", "ep-advisory/sprints", "clients/index", "linked", "orphan"],
        "its own, then the last touched"
    );
    let recent = ["ep-advisory/pricing", "ep-advisory/sprints", "clients/index"];
    let elsewhere = told.context_in("code/other", &[]);
    assert_eq!(
        (nodes(&elsewhere), &elsewhere["namespace"]),
        (recent.map(str::to_owned).to_vec(), &json!("v"))
    );
    assert_eq!(nodes(&told.context_in("code/clients", &["--recent"])), recent);
    assert_eq!(nodes(&told.context_in("code/other", &["--limit", "1"])), recent[..1]);
    let named = told.context_in("code/other", &["--namespace", "clients"]);
    assert_eq!(
        (nodes(&named), slugs(&named["stale_alerts"])),
        (vec!["clients/index".into()], vec!["clients/pipeline"])
    );
    assert_eq!(named["conflicts"], json!([]));
    assert_eq!(nodes(&told.context_in("code/other", &["--path", "clients/"])), ["clients/index"]);
    told.lore(&["context", "--limit", "0"]).exits(2);
    told.lore(&["context", "--recent", "--namespace", "clients"]).exits(2);
    let text = told.lore(&["context", "--format", "human", "--namespace", "clients"]).ok().text();
    let id = named["active_nodes"][0]["id"].as_str().expect("an id");
    let expected = format!(
        "Stale\n  clients/pipeline  Client pipeline Q1: age (43 days), since 2026-01-28\n\
         Pages (clients)\n  {id}  Clients  (clients/index, 2026-02-01, 2 links)\n      related [[clients/pipeline]]\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn the_brief_keeps_to_its_budget_and_says_what_it_cut() {
    let told = Told::new();
    let policy = format!("{POLICY}\n[[inject]]\npath = \"me\"\nas = \"user\"\n");
    told.sandbox.write("lore.toml", policy);
    told.page("me", "2026-02-09", "Me", &"I like short answers. ".repeat(200));
    let whole = told.lore(&["context", "--json"]).ok().json();
    assert_eq!((whole["injected"].as_array().map(Vec::len), &whole["warnings"]), (Some(1), &json!([])));
    assert!(
        !slugs(&whole["active_nodes"]).contains(&"me"),
        "what is given whole is not listed again: {whole}"
    );
    assert!(whole["tokens"].as_u64() > Some(1000));
    let cut = told.lore(&["context", "--json", "--token-budget", "400"]).ok().json();
    assert!(cut["tokens"].as_u64() <= Some(400), "{cut}");
    assert_eq!(cut["injected"], json!([]), "half a file would be worse than none");
    let said = cut["warnings"].to_string();
    assert!(said.contains("me.md is left out") && said.contains("cut to 400 tokens"), "{said}");
    told.lore(&["config", "set", "context.budget", "250"]).ok();
    let small = told.lore(&["context", "--json"]).ok().json();
    assert_eq!(
        small["injected"].as_array().map(Vec::len),
        Some(1),
        "the policy's files have their own limits"
    );
    assert!(small["warnings"].to_string().contains("cut to 250 tokens"), "{small}");
    told.lore(&["config", "set", "context.budget", "none"]).exits(2);
}

#[test]
fn another_database_gives_the_same_answers() {
    let told = Told::new();
    let asked: [&[&str]; 6] = [
        &["stale", "--json"],
        &["context", "--json"],
        &["context", "--json", "--namespace", "ep-advisory"],
        &["search", "pricing", "--json"],
        &["show", "No pricing", "--format", "human"],
        &["query", "pricing", "--mode", "lexical", "--format", "human"],
    ];
    let answers = || asked.map(|arguments| told.lore(arguments).ok().text());
    let before = answers();
    for file in ["home/lore.db", "home/lore.db-wal", "home/lore.db-shm"] {
        let _ = fs::remove_file(told.sandbox.root.join(file));
    }
    told.lore(&["sync"]).ok();
    assert_eq!(answers(), before);
}

#[test]
fn a_circle_is_told_and_ends() {
    let told = Told::new();
    told.page("ep-advisory/zeroth", "2026-01-10", "No pricing", "- supersedes [[ep-advisory/pricing]]\n");
    let text = told.lore(&["show", "No pricing", "--format", "human"]).ok().text();
    assert!(
        text.contains("supersession cycle: ep-advisory/zeroth, ep-advisory/first, ep-advisory/pricing"),
        "{text}"
    );
    assert_eq!(told.stale().len(), 5);
    told.lore(&["context"]).ok();
}

#[test]
fn a_policy_that_cannot_be_read_names_its_line() {
    let told = Told::new();
    for (text, says) in [
        ("[lifecycle]\nage = true\nstale_after_day = 3\n", "lore.toml:3"),
        ("[[lifecycle.paths]]\npattern = \"/x\"\n", "lore.toml:2"),
    ] {
        told.sandbox.write("lore.toml", text);
        told.lore(&["stale"]).exits(2).says(says);
    }
}

#[test]
fn in_a_vault_that_does_not_ask_nothing_grows_old() {
    let told = Told::new();
    told.sandbox.write("lore.toml", "profile = \"notes\"\n");
    let stale = told.stale();
    assert_eq!(stale.len(), 2, "{stale:?}");
    assert!(stale.iter().all(|line| line.contains("superseded by")), "{stale:?}");
}
