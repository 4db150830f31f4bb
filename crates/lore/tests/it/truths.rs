//! What holds, and when: links and facts with their intervals, told of today, of another day and of another commit.

use std::fs;
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};
use crate::story::Story;

/// Two people, a firm, and a page that only mentions them.
fn world() -> Story {
    let story = Story::of("notes");
    for (slug, text) in [
        (
            "people/ada",
            "---\ntitle: Ada Lovelace\naliases: [Countess]\n---\n# Ada Lovelace\n\nKnows [[Acme]] well.\n",
        ),
        ("people/bob", "# Bob\n\n- advises [[companies/acme]] (as a friend)\n"),
        ("companies/acme", "---\ntitle: Acme\n---\n# Acme\n"),
        ("notes/tea", "# Tea\n\nWith [[people/bob]].\n"),
    ] {
        story.put(slug, text).ok();
    }
    story
}

fn works(story: &Story, dates: &[&str]) -> Ran {
    let link = ["link", "people/ada", "Acme", "--relationship", "works_at"];
    story.lore(&[&link[..], dates].concat())
}

fn id(answer: &Value) -> String {
    answer["link"]["id"].to_string()
}

/// Each link as `from verb to from..until`.
fn sentences(ran: &Ran) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = ran.json()["links"].as_array().expect("links").clone();
    let sentence = |link: &Value| {
        let dates = format!("{}..{}", text(&link["valid_from"]), text(&link["valid_until"]));
        format!("{} {} {} {dates}", text(&link["from"]), text(&link["relationship"]), text(&link["to"]))
    };
    list.iter().map(sentence).collect()
}

/// Each fact as `subject predicate object from..until`.
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
fn a_link_is_made_ended_by_its_id_and_told_by_the_day() {
    let story = world();
    let made = works(&story, &["--valid-from", "2018", "--context", "in the lab"]).ok().json();
    assert_eq!((&made["outcome"], &made["version"]), (&json!("updated"), &json!(2)));
    assert!(story.read("people/ada.md").ends_with("- works_at [[companies/acme]] (in the lab) {2018..}\n"));

    let again = works(&story, &["--valid-from", "2018"]).ok().json();
    assert_eq!((&again["outcome"], &again["version"]), (&json!("unchanged"), &json!(2)));
    assert_eq!(id(&again), id(&made), "the same link");
    let human = story.lore(&[
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

    let closed = story.lore(&["link-close", &id(&made), "--valid-until", "2019-06-30"]).ok().json();
    assert_eq!(id(&closed), id(&made), "the id stays");
    works(&story, &["--valid-from", "2021-01-01"]).ok();

    let backlinks = |more: &[&str]| sentences(&story.lore(&[&["backlinks", "acme"], more].concat()).exits(0));
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
    let links = story.lore(&["links", "Countess", "--as-of", "2021"]).ok();
    assert_eq!(sentences(&links), [mention, new]);
    let graph = ["graph", "ada", "--depth", "1", "--as-of", "2020", "--format", "brief"];
    assert_eq!(story.lore(&graph).ok().text(), "people/ada links_to companies/acme\n");
    story.lore(&["links", "ada", "--as-of", "May"]).exits(2).says("--as-of: \"May\" is not a date");
    story.lore(&["validate", "--all"]).ok();
}

#[test]
fn an_interval_that_would_overlap_another_is_refused() {
    let story = world();
    let first = works(&story, &["--valid-from", "2018", "--valid-until", "2019"]).ok().json();
    works(&story, &["--valid-from", "2021"]).ok();
    let refused = story.refuses(|| works(&story, &["--valid-from", "2019-12-31", "--valid-until", "2020"]));
    refused
        .says("`works_at [[companies/acme]] {2019-12-31..2020}` would overlap `works_at [[companies/acme]] {2018..2019}` on line 9")
        .says("lore link-close ");
    story.refuses(|| works(&story, &[])).says("{2021..}");
    story
        .refuses(|| story.lore(&["link-close", &id(&first), "--valid-until", "2021-01-01"]))
        .says("{2021..}");
    story
        .lore(&["link-close", &id(&first), "--valid-until", "2017"])
        .exits(2)
        .says("before it starts on 2018");
    works(&story, &["--valid-from", "2020", "--valid-until", "2019"]).exits(2).says("before it starts");
    works(&story, &["--valid-from", "2020-13"]).exits(2).says("is not a date");
    story.lore(&["link-close", "1", "--valid-until", "2020"]).exits(1).says("no link 1");
    story.lore(&["link", "ada", "nobody"]).exits(1).says("no page matches \"nobody\"");
    let prose = story.lore(&["links", "ada"]).ok().json()["links"][0]["id"].to_string();
    story.lore(&["link-close", &prose, "--valid-until", "2020"]).exits(2).says("is a link in prose");
}

#[test]
fn taking_away_cuts_relations_and_tells_of_prose() {
    let story = world();
    works(&story, &["--valid-from", "2018"]).ok();
    story.lore(&["link", "ada", "acme"]).ok();
    let cut = story.lore(&["unlink", "ada", "acme", "--relationship", "works_at"]).ok().json();
    assert_eq!(
        (cut["removed"].as_array().map(Vec::len), &cut["left"][1]["relationship"]),
        (Some(1), &json!("related"))
    );
    let cut = story.lore(&["unlink", "ada", "acme"]).ok().json();
    assert_eq!((&cut["removed"][0]["relationship"], &cut["outcome"]), (&json!("related"), &json!("updated")));
    let text = story.read("people/ada.md");
    assert!(
        text.contains("Knows [[Acme]] well.\n") && !text.contains("works_at") && !text.contains("related"),
        "{text}"
    );
    let nothing = story.lore(&["unlink", "ada", "acme", "--format", "human"]).exits(1);
    assert!(nothing.text().contains("the remaining links are in prose"), "{}", nothing.text());
    assert_eq!(story.read("people/ada.md"), text);
    let none = story.lore(&["unlink", "ada", "bob"]).exits(1).json();
    assert_eq!(
        (&none["removed"], &none["left"], &none["outcome"]),
        (&json!([]), &json!([]), &json!("unchanged"))
    );
}

#[test]
fn a_new_value_ends_the_old_one() {
    let story = world();
    let add = |more: &[&str]| story.lore(&[&["fact-add"], more].concat());
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
    assert_eq!(add(&first).ok().json()["outcome"], "unchanged", "the same again");
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
    let text = story.read("people/ada.md");
    assert!(
        text.ends_with(
            "- role:: translator {2018..2024-02-29} (source: letter/1; by: agent; confidence: 0.9; \"in her hand\")\n\
             - role:: programmer {2024-03-01..2026-10-31}\n- role:: boss {2026-11-01..}\n- knows:: Babbage\n- knows:: Faraday\n"
        ),
        "{text}"
    );
    let facts_of = |more: &[&str]| facts(&story.lore(&[&["facts"], more].concat()).exits(0));
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
    let all = story.lore(&["facts", "ada", "--temporal", "all"]).ok().json();
    assert_eq!(all["facts"][1]["evidence"], "in her hand");
    assert_eq!(all["facts"][1]["source"], "letter/1");
    let human = story.lore(&["facts", "ada", "--format", "human"]).ok().text();
    assert!(human.ends_with("2 more facts at other times: --temporal all\n"), "{human}");
    story.lore(&["facts", "bob"]).exits(1);
    story
        .refuses(|| add(&["ada", "role", "clerk", "--valid-from", "2026-11-01"]))
        .says("`role:: boss {2026-11-01..}`");
    add(&["ada", "role", "x", "--confidence", "7"]).exits(2).says("not a confidence");
    add(&["ada", "has role", "x"]).exits(2).says("is not a predicate");
    story.lore(&["validate", "--all"]).ok();
}

#[test]
fn the_files_of_a_commit_answer_for_themselves() {
    let story = world();
    let link = works(&story, &["--valid-from", "2018"]).ok().json();
    story.lore(&["fact-add", "ada", "role", "clerk", "--valid-from", "2018"]).ok();
    let then = story.head();
    story.lore(&["link-close", &id(&link), "--valid-until", "2019"]).ok();
    story.lore(&["fact-add", "ada", "role", "boss", "--valid-from", "2020"]).ok();
    story.lore(&["mv", "companies/acme", "companies/acme-ltd"]).ok();
    story.lore(&["rm", "notes/tea", "--yes"]).ok();
    let before = story.sandbox.files();

    let at = |arguments: &[&str]| story.lore(&[arguments, &["--as-of-commit", &then]].concat());
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
        facts(&story.lore(&["facts", "ada", "--as-of-commit", "HEAD"]).ok()),
        ["Ada Lovelace role boss 2020.."]
    );

    for unknown in ["nonsense", "--help", "HEAD:people/ada.md", ""] {
        story.lore(&["links", "ada", &format!("--as-of-commit={unknown}")]).exits(2).says("no commit \"");
    }
    assert_eq!(story.sandbox.files(), before, "nothing of the vault is touched");
    assert!(story.uncommitted().is_empty());
    story.lore(&["validate", "--all"]).ok();
}

#[test]
fn nothing_is_left_behind_by_a_look_at_a_commit() {
    let story = world();
    let temporary = story.sandbox.root.join("tmp");
    fs::create_dir(&temporary).expect("a folder");
    let mut command = story.at(crate::story::NOON, &["links", "ada", "--as-of-commit", "HEAD"]);
    let ran: Ran = command.env("TMPDIR", &temporary).output().expect("it runs").into();
    ran.ok();
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0);

    let plain = Sandbox::with_vault();
    plain.write("a.md", "x\n");
    plain.run(&["links", "a", "--as-of-commit", "HEAD"]).exits(2).says("is not in a git repository");
}

#[test]
fn a_path_shows_how_pages_hang_together() {
    let story = world();
    works(&story, &["--valid-from", "2018", "--valid-until", "2019"]).ok();
    let path = |more: &[&str]| story.lore(&[&["path"], more].concat());
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
    assert_eq!(now["links"][0]["relationship"], "links_to", "what has ended does not count");
    path(&["ada", "notes/tea", "--limit-depth", "2"]).exits(1);
    story.put("notes/alone", "# Alone\n").ok();
    let none = path(&["ada", "notes/alone", "--format", "human"]).exits(1).text();
    assert_eq!(none, "no chain of up to 12 links between people/ada and notes/alone\n");
    path(&["ada", "ada"]).ok();
    path(&["ada", "nobody"]).exits(1).says("no page matches");
}

#[test]
fn of_two_links_to_one_version_one_is_made() {
    let story = world();
    story.lore(&["sync"]).ok();
    let version = story.lore(&["show", "ada"]).ok().json()["version"].to_string();
    let start = Barrier::new(2);
    let run = |relation: &str| {
        let link = ["link", "ada", "acme", "--relationship", relation, "--expected-version", &version];
        let mut command = story.at(crate::story::NOON, &link);
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
    let text = story.read("people/ada.md");
    assert_eq!(text.matches("[[companies/acme]]").count(), 1, "{text}");
    story.lore(&["fact-add", "ada", "role", "x", "--expected-version", &version]).exits(3);
    story.lore(&["unlink", "ada", "acme", "--expected-version", &version]).exits(3);
    story.lore(&["validate", "--all"]).ok();
}

#[test]
fn a_new_index_says_the_same() {
    let story = world();
    let first = works(&story, &["--valid-from", "2018"]).ok().json();
    story.lore(&["link-close", &id(&first), "--valid-until", "2019"]).ok();
    works(&story, &["--valid-from", "2021"]).ok();
    story.lore(&["link", "bob", "ada", "--relationship", "old friend of"]).ok();
    for (role, from) in [("clerk", "2018"), ("boss", "2020")] {
        story.lore(&["fact-add", "ada", "role", role, "--valid-from", from]).ok();
    }
    story.lore(&["fact-add", "notes/tea", "likes", "tea", "--subject", "Countess"]).ok();
    let answers = || {
        let asked: [&[&str]; 6] = [
            &["links", "ada"],
            &["backlinks", "acme", "--temporal", "all"],
            &["facts", "--temporal", "all"],
            &["graph", "ada", "--temporal", "all"],
            &["path", "notes/tea", "acme"],
            &["links", "bob", "--as-of-commit", "HEAD"],
        ];
        asked.map(|arguments| story.lore(arguments).ok().text())
    };
    let before = answers();
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(story.sandbox.root.join(format!("home/lore.db{ending}")));
    }
    story.lore(&["sync"]).exits(0);
    assert_eq!(answers(), before);
    story.lore(&["validate", "--all"]).ok();
}
