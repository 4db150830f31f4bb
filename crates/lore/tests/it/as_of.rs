//! Links and facts with intervals: as of today, as of another day and as of a commit.

use std::fs;
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::git_support::GitVault;
use crate::sandbox::{Ran, Sandbox};

/// Creates two people, a company, and a page that only mentions them.
fn world() -> GitVault {
    let vault = GitVault::with_profile("notes");
    for (slug, text) in [
        (
            "people/ada",
            "---\ntitle: Ada Lovelace\naliases: [Countess]\n---\n# Ada Lovelace\n\nKnows [[Acme]] well.\n",
        ),
        ("people/bob", "# Bob\n\n- advises [[companies/acme]] (as a friend)\n"),
        ("companies/acme", "---\ntitle: Acme\n---\n# Acme\n"),
        ("notes/tea", "# Tea\n\nWith [[people/bob]].\n"),
    ] {
        vault.put(slug, text).ok();
    }
    vault
}

fn works(vault: &GitVault, dates: &[&str]) -> Ran {
    let link = ["link", "people/ada", "Acme", "--relationship", "works_at"];
    vault.lore(&[&link[..], dates].concat())
}

fn id(answer: &Value) -> String {
    answer["link"]["id"].to_string()
}

/// Returns each link as `from verb to from..until`.
fn sentences(ran: &Ran) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = ran.json()["links"].as_array().expect("links").clone();
    let sentence = |link: &Value| {
        let dates = format!("{}..{}", text(&link["valid_from"]), text(&link["valid_until"]));
        format!("{} {} {} {dates}", text(&link["from"]), text(&link["relationship"]), text(&link["to"]))
    };
    list.iter().map(sentence).collect()
}

/// Returns each fact as `subject predicate object from..until`.
fn facts(ran: &Ran) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = ran.json()["facts"].as_array().expect("facts").clone();
    let sentence = |fact: &Value| {
        let dates = format!("{}..{}", text(&fact["valid_from"]), text(&fact["valid_until"]));
        format!("{} {} {} {dates}", text(&fact["subject"]), text(&fact["predicate"]), text(&fact["object"]))
    };
    list.iter().map(sentence).collect()
}

#[test]
fn link_is_created_closed_by_id_and_listed_as_of_a_day() {
    let vault = world();
    let made = works(&vault, &["--valid-from", "2018", "--context", "in the lab"]).ok().json();
    assert_eq!((&made["outcome"], &made["version"]), (&json!("updated"), &json!(2)));
    assert!(vault.read("people/ada.md").ends_with("- works_at [[companies/acme]] (in the lab) {2018..}\n"));

    let again = works(&vault, &["--valid-from", "2018"]).ok().json();
    assert_eq!((&again["outcome"], &again["version"]), (&json!("unchanged"), &json!(2)));
    assert_eq!(id(&again), id(&made), "the same link");
    let human = vault.lore(&[
        "link",
        "ada",
        "acme",
        "--relationship",
        "works_at",
        "--valid-from",
        "2018",
        "--format",
        "human",
    ]);
    assert!(human.ok().text().contains("already on line 9"));

    let closed = vault.lore(&["link-close", &id(&made), "--valid-until", "2019-06-30"]).ok().json();
    assert_eq!(id(&closed), id(&made), "the id is stable");
    works(&vault, &["--valid-from", "2021-01-01"]).ok();

    let backlinks = |more: &[&str]| sentences(&vault.lore(&[&["backlinks", "acme"], more].concat()).exits(0));
    let mention = "people/ada links_to companies/acme ..";
    let friend = "people/bob advises companies/acme ..";
    let (old, new) = (
        "people/ada works_at companies/acme 2018..2019-06-30",
        "people/ada works_at companies/acme 2021-01-01..",
    );
    assert_eq!(backlinks(&[]), [mention, new, friend]);
    assert_eq!(backlinks(&["--temporal", "historical"]), [old]);
    assert_eq!(backlinks(&["--temporal", "all"]), [mention, old, new, friend]);
    assert_eq!(backlinks(&["--as-of", "2018-05-05"]), [mention, old, friend]);
    assert_eq!(backlinks(&["--as-of", "2019"]), [mention, old, friend]);
    assert_eq!(backlinks(&["--as-of", "2020-03"]), [mention, friend]);
    assert_eq!(backlinks(&["--as-of", "2020", "--temporal", "historical"]), [old]);
    assert_eq!(backlinks(&["--as-of", "2020", "--temporal", "all"]), [mention, old, friend]);
    let links = vault.lore(&["links", "Countess", "--as-of", "2021"]).ok();
    assert_eq!(sentences(&links), [mention, new]);
    let graph = ["graph", "ada", "--depth", "1", "--as-of", "2020", "--format", "brief"];
    assert_eq!(vault.lore(&graph).ok().text(), "people/ada links_to companies/acme\n");
    vault.lore(&["links", "ada", "--as-of", "May"]).exits(2).says("--as-of: \"May\" is not a date");
    for mode in ["hybrid", "fields"] {
        let query = vault.lore(&["query", "ada", "--mode", mode, "--as-of", "May"]);
        query.exits(2).says("--as-of: \"May\" is not a date");
    }
    vault.lore(&["validate", "--all"]).ok();
}

#[test]
fn overlapping_interval_is_refused() {
    let vault = world();
    let first = works(&vault, &["--valid-from", "2018", "--valid-until", "2019"]).ok().json();
    works(&vault, &["--valid-from", "2021"]).ok();
    let refused = vault.refuses(|| works(&vault, &["--valid-from", "2019-12-30", "--valid-until", "2020"]));
    refused
        .says("`works_at [[companies/acme]] {2019-12-30..2020}` would overlap `works_at [[companies/acme]] {2018..2019}` on line 9")
        .says("lore link-close ");
    assert_eq!(works(&vault, &[]).ok().json()["outcome"], "unchanged", "it is open already");
    vault
        .refuses(|| vault.lore(&["link-close", &id(&first), "--valid-until", "2021-01-02"]))
        .says("{2021..}");
    vault
        .lore(&["link-close", &id(&first), "--valid-until", "2017"])
        .exits(2)
        .says("before it starts on 2018");
    works(&vault, &["--valid-from", "2020", "--valid-until", "2019"]).exits(2).says("before it starts");
    works(&vault, &["--valid-from", "2020-13"]).exits(2).says("is not a date");
    vault.lore(&["link-close", "1", "--valid-until", "2020"]).exits(1).says("no link 1");
    vault.lore(&["link", "ada", "nobody"]).exits(1).says("no page matches \"nobody\"");
    let prose = vault.lore(&["links", "ada"]).ok().json()["links"][0]["id"].to_string();
    vault.lore(&["link-close", &prose, "--valid-until", "2020"]).exits(2).says("is a link in prose");
}

#[test]
fn unlink_removes_relations_and_reports_prose() {
    let vault = world();
    works(&vault, &["--valid-from", "2018"]).ok();
    vault.lore(&["link", "ada", "acme"]).ok();
    let cut = vault.lore(&["unlink", "ada", "acme", "--relationship", "works_at"]).ok().json();
    assert_eq!(
        (cut["removed"].as_array().map(Vec::len), &cut["left"][1]["relationship"]),
        (Some(1), &json!("related"))
    );
    let cut = vault.lore(&["unlink", "ada", "acme"]).ok().json();
    assert_eq!((&cut["removed"][0]["relationship"], &cut["outcome"]), (&json!("related"), &json!("updated")));
    let text = vault.read("people/ada.md");
    assert!(
        text.contains("Knows [[Acme]] well.\n") && !text.contains("works_at") && !text.contains("related"),
        "{text}"
    );
    let nothing = vault.lore(&["unlink", "ada", "acme", "--format", "human"]).exits(1);
    assert!(nothing.text().contains("the remaining links are in prose"), "{}", nothing.text());
    assert_eq!(vault.read("people/ada.md"), text);
    let none = vault.lore(&["unlink", "ada", "bob"]).exits(1).json();
    assert_eq!(
        (&none["removed"], &none["left"], &none["outcome"]),
        (&json!([]), &json!([]), &json!("unchanged"))
    );
}

#[test]
fn new_fact_closes_the_previous_one() {
    let vault = world();
    let add = |more: &[&str]| vault.lore(&[&["fact-add"], more].concat());
    let first = [
        "ada",
        "role",
        "translator",
        "--valid-from",
        "2018",
        "--source",
        "letter/1",
        "--by",
        "agent",
        "--confidence",
        "0.9",
        "--evidence",
        "in her hand",
    ];
    let made = add(&first).ok().json();
    assert_eq!(add(&first).ok().json()["outcome"], "unchanged", "the same fact again");
    let next = add(&["Ada Lovelace", "role", "programmer", "--valid-from", "2024-03-01"]).ok().json();
    assert_eq!(
        (&next["ended"][0]["valid_until"], &next["ended"][0]["id"]),
        (&json!("2024-02-29"), &made["fact"]["id"])
    );
    let last = add(&["ada", "role", "boss"]).ok().json();
    assert_eq!(last["fact"]["valid_from"], "2026-11-01");
    add(&["ada", "knows", "Babbage"]).ok();
    add(&["ada", "knows", "Faraday"]).ok();
    add(&["notes/tea", "lives_in", "London", "--subject", "Countess"]).ok();
    let text = vault.read("people/ada.md");
    assert!(
        text.ends_with(
            "- role:: translator {2018..2024-02-29} (source: letter/1; by: agent; confidence: 0.9; \"in her hand\")\n\
             - role:: programmer {2024-03-01..2026-10-31}\n- role:: boss {2026-11-01..}\n- knows:: Babbage\n- knows:: Faraday\n"
        ),
        "{text}"
    );
    let facts_of = |more: &[&str]| facts(&vault.lore(&[&["facts"], more].concat()).exits(0));
    let lives = "Ada Lovelace lives_in London ..";
    let knows = ["Ada Lovelace knows Babbage ..", "Ada Lovelace knows Faraday .."];
    assert_eq!(facts_of(&["ada"]), [lives, "Ada Lovelace role boss 2026-11-01..", knows[0], knows[1]]);
    assert_eq!(
        facts_of(&["--predicate", "role", "--as-of", "2020"]),
        ["Ada Lovelace role translator 2018..2024-02-29"]
    );
    assert_eq!(
        facts_of(&["--predicate", "role", "--as-of", "2024-03-01"]),
        ["Ada Lovelace role programmer 2024-03-01..2026-10-31"]
    );
    assert_eq!(facts_of(&["--subject", "people/ada", "--temporal", "historical"]).len(), 2);
    assert_eq!(facts_of(&["notes/tea"]), [lives]);
    let all = vault.lore(&["facts", "ada", "--temporal", "all"]).ok().json();
    assert_eq!(all["facts"][1]["evidence"], "in her hand");
    assert_eq!(all["facts"][1]["source"], "letter/1");
    let human = vault.lore(&["facts", "ada", "--format", "human"]).ok().text();
    assert!(human.ends_with("2 more facts at other times: --temporal all\n"), "{human}");
    vault.lore(&["facts", "bob"]).exits(1);
    vault
        .refuses(|| add(&["ada", "role", "clerk", "--valid-from", "2026-10-31"]))
        .says("`role:: boss {2026-11-01..}`");
    add(&["ada", "role", "x", "--confidence", "7"]).exits(2).says("not a confidence");
    add(&["ada", "has role", "x"]).exits(2).says("is not a predicate");
    vault.lore(&["validate", "--all"]).ok();
}

#[test]
fn as_of_commit_uses_the_files_of_that_commit() {
    let vault = world();
    let link = works(&vault, &["--valid-from", "2018"]).ok().json();
    vault.lore(&["fact-add", "ada", "role", "clerk", "--valid-from", "2018"]).ok();
    let then = vault.head();
    vault.lore(&["link-close", &id(&link), "--valid-until", "2019"]).ok();
    vault.lore(&["fact-add", "ada", "role", "boss", "--valid-from", "2020"]).ok();
    vault.lore(&["mv", "companies/acme", "companies/acme-ltd"]).ok();
    vault.lore(&["rm", "notes/tea", "--yes"]).ok();
    let before = vault.sandbox.files();

    let at = |arguments: &[&str]| vault.lore(&[arguments, &["--as-of-commit", &then]].concat());
    let open = "people/ada works_at companies/acme 2018..";
    assert!(sentences(&at(&["links", "ada"]).ok()).contains(&open.to_owned()));
    assert!(sentences(&at(&["backlinks", "companies/acme"]).ok()).contains(&open.to_owned()));
    assert_eq!(facts(&at(&["facts", "ada"]).ok()), ["Ada Lovelace role clerk 2018.."]);
    assert_eq!(facts(&at(&["facts", "ada", "--as-of", "2017", "--temporal", "all"]).exits(1)), [""; 0]);
    assert_eq!(at(&["links", "ada"]).json()["links"][1]["id"].to_string(), id(&link));
    assert_eq!(
        at(&["path", "notes/tea", "companies/acme"]).ok().json()["pages"],
        json!(["notes/tea", "people/bob", "companies/acme"])
    );
    at(&["graph", "notes/tea"]).ok();
    at(&["links", "companies/acme-ltd"]).exits(1);
    assert_eq!(
        facts(&vault.lore(&["facts", "ada", "--as-of-commit", "HEAD"]).ok()),
        ["Ada Lovelace role boss 2020.."]
    );

    for unknown in ["nonsense", "--help", "HEAD:people/ada.md", ""] {
        vault.lore(&["links", "ada", &format!("--as-of-commit={unknown}")]).exits(2).says("no commit \"");
    }
    assert_eq!(vault.sandbox.files(), before, "the vault is unchanged");
    assert!(vault.uncommitted().is_empty());
    vault.lore(&["validate", "--all"]).ok();
}

#[test]
fn as_of_commit_leaves_no_temporary_files() {
    let vault = world();
    let temporary = vault.sandbox.root.join("tmp");
    fs::create_dir(&temporary).expect("a folder");
    let mut command = vault.at(crate::git_support::NOON, &["links", "ada", "--as-of-commit", "HEAD"]);
    let ran: Ran = command.env("TMPDIR", &temporary).output().expect("it runs").into();
    ran.ok();
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0);

    let plain = Sandbox::with_vault();
    plain.write("a.md", "x\n");
    plain.run(&["links", "a", "--as-of-commit", "HEAD"]).exits(2).says("is not in a git repository");
}

#[test]
fn path_shows_the_chain_of_links() {
    let vault = world();
    works(&vault, &["--valid-from", "2018", "--valid-until", "2019"]).ok();
    let path = |more: &[&str]| vault.lore(&[&["path"], more].concat());
    let found = path(&["ada", "notes/tea", "--as-of", "2018"]).ok().json();
    assert_eq!(found["pages"], json!(["people/ada", "companies/acme", "people/bob", "notes/tea"]));
    let human = path(&["ada", "notes/tea", "--as-of", "2018", "--format", "human"]).ok().text();
    assert_eq!(
        human,
        "people/ada\n  people/ada works_at companies/acme {2018..2019}\n    people/ada.md:9\n\
         companies/acme\n  people/bob advises companies/acme\n    people/bob.md:3  as a friend\n\
         people/bob\n  notes/tea links_to people/bob\n    notes/tea.md:3  With [[people/bob]].\nnotes/tea\n"
    );
    let now = path(&["ada", "acme"]).ok().json();
    assert_eq!(now["links"][0]["relationship"], "links_to", "an ended link does not count");
    path(&["ada", "notes/tea", "--limit-depth", "2"]).exits(1);
    vault.put("notes/alone", "# Alone\n").ok();
    let none = path(&["ada", "notes/alone", "--format", "human"]).exits(1).text();
    assert_eq!(none, "no chain of up to 12 links between people/ada and notes/alone\n");
    path(&["ada", "ada"]).ok();
    path(&["ada", "nobody"]).exits(1).says("no page matches");
}

#[test]
fn only_one_of_two_concurrent_links_is_created() {
    let vault = world();
    vault.lore(&["sync"]).ok();
    let version = vault.lore(&["show", "ada"]).ok().json()["version"].to_string();
    let start = Barrier::new(2);
    let run = |relation: &str| {
        let link = ["link", "ada", "acme", "--relationship", relation, "--expected-version", &version];
        let mut command = vault.at(crate::git_support::NOON, &link);
        command.stdin(Stdio::null());
        start.wait();
        Ran::from(command.output().expect("it runs"))
    };
    let ran = thread::scope(|scope| {
        let both = [scope.spawn(|| run("founded")), scope.spawn(|| run("left"))];
        both.map(|one| one.join().expect("a thread"))
    });
    let mut codes = ran.each_ref().map(|one| one.code);
    codes.sort_unstable();
    assert_eq!(codes, [0, 3], "{ran:?}");
    let text = vault.read("people/ada.md");
    assert_eq!(text.matches("[[companies/acme]]").count(), 1, "{text}");
    vault.lore(&["fact-add", "ada", "role", "x", "--expected-version", &version]).exits(3);
    vault.lore(&["unlink", "ada", "acme", "--expected-version", &version]).exits(3);
    vault.lore(&["validate", "--all"]).ok();
}

#[test]
fn rebuilt_index_gives_the_same_answers() {
    let vault = world();
    let first = works(&vault, &["--valid-from", "2018"]).ok().json();
    vault.lore(&["link-close", &id(&first), "--valid-until", "2019"]).ok();
    works(&vault, &["--valid-from", "2021"]).ok();
    vault.lore(&["link", "bob", "ada", "--relationship", "old friend of"]).ok();
    for (role, from) in [("clerk", "2018"), ("boss", "2020")] {
        vault.lore(&["fact-add", "ada", "role", role, "--valid-from", from]).ok();
    }
    vault.lore(&["fact-add", "notes/tea", "likes", "tea", "--subject", "Countess"]).ok();
    let answers = || {
        let queries: [&[&str]; 6] = [
            &["links", "ada"],
            &["backlinks", "acme", "--temporal", "all"],
            &["facts", "--temporal", "all"],
            &["graph", "ada", "--temporal", "all"],
            &["path", "notes/tea", "acme"],
            &["links", "bob", "--as-of-commit", "HEAD"],
        ];
        queries.map(|arguments| vault.lore(arguments).ok().text())
    };
    let before = answers();
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(vault.sandbox.root.join(format!("home/lore.db{ending}")));
    }
    vault.lore(&["sync"]).exits(0);
    assert_eq!(answers(), before);
    vault.lore(&["validate", "--all"]).ok();
}
