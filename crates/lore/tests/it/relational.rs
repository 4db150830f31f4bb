//! Questions about a relation, answered from typed, dated links and facts without a model.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    for (path, text) in [
        (
            "people/ada.md",
            "---\ntitle: Ada Berg\ntype: person\n---\n# Ada Berg\n\n- works_at [[Acme]] (as CEO) {2020-01..}\n\
             - works_at [[Varmholt]] {2015..2019}\n- invested_in [[Kilnlight]] {2021..}\n- knows [[Bob Dahl]] {2018..2023-06}\n\
             - lives_in:: Oslo {2022..}\n",
        ),
        (
            "people/bob.md",
            "---\ntitle: Bob Dahl\ntype: person\naliases: [Bobby]\n---\n# Bob Dahl\n\n- works_at [[Acme]] {2021..2024-02}\n\
             - is_ceo_of:: Varmholt {2024-03..}\n",
        ),
        (
            "people/cy.md",
            "---\ntitle: Cy Moe\ntype: person\n---\n# Cy Moe\n\nHas read much about Acme and who works there.\n",
        ),
        (
            "companies/acme.md",
            "---\ntitle: Acme\ntype: company\n---\n# Acme\n\n- founded_by [[Cy Moe]] {2012..}\n",
        ),
        ("companies/varmholt.md", "---\ntitle: Varmholt\ntype: company\n---\n# Varmholt\n\nHeat pumps.\n"),
        (
            "companies/kilnlight.md",
            "---\ntitle: Kilnlight\ntype: company\n---\n# Kilnlight\n\nBricks that store heat.\n",
        ),
        (
            "notes/work.md",
            "# Work\n\nWho works at Acme? Who works at Acme now? Everybody who works at Acme is here.\n",
        ),
    ] {
        sandbox.write(path, text);
    }
    sandbox.run(&["init", "--no-git"]).ok();
    sandbox
}

/// Returns the titles of hits found by a link or fact, with their reason.
fn answers(sandbox: &Sandbox, question: &str, more: &[&str]) -> Vec<(String, String)> {
    let arguments: Vec<&str> = [&["query", question, "--json"], more].concat();
    let answer: Value = sandbox.run(&arguments).json();
    let hits = answer["hits"].as_array().expect("hits").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let reason = |hit: &Value| Some(text(&hit["why"][0])).filter(|why| why.starts_with("answers it: "));
    // Hits found by a link or fact rank before all others.
    let first = hits.iter().take_while(|hit| reason(hit).is_some()).count();
    assert!(hits[first..].iter().all(|hit| reason(hit).is_none()), "{answer}");
    hits[..first].iter().map(|hit| (text(&hit["title"]), reason(hit).expect("an answer"))).collect()
}

fn titles(sandbox: &Sandbox, question: &str, more: &[&str]) -> Vec<String> {
    answers(sandbox, question, more).into_iter().map(|(title, _)| title).collect()
}

#[test]
fn relation_question_is_answered_by_links_and_facts() {
    let sandbox = vault();
    for (question, expected) in [
        ("who works at Acme?", vec!["Ada Berg"]),
        ("Who worked at Acme", vec!["Ada Berg", "Bob Dahl"]),
        ("who worked at Acme in 2022?", vec!["Bob Dahl", "Ada Berg"]),
        ("where does Ada Berg work", vec!["Acme"]),
        ("where did Ada Berg work in 2017", vec!["Varmholt"]),
        ("what did Ada Berg invest in?", vec!["Kilnlight"]),
        ("which companies did Ada Berg invest in", vec!["Kilnlight"]),
        ("who knew Bobby in 2023", vec!["Ada Berg"]),
        ("who knows Bob Dahl", vec![]),
        ("who founded Acme", vec!["Cy Moe"]),
        ("what did Cy Moe found", vec!["Acme"]),
        ("who is the CEO of Varmholt?", vec!["Bob Dahl"]),
        ("where does Ada Berg live", vec!["Ada Berg"]),
        ("who sings at Acme", vec![]),
    ] {
        let mut found = titles(&sandbox, question, &[]);
        let mut expected: Vec<&str> = expected;
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{question}");
    }
}

#[test]
fn reason_of_a_hit_is_its_link_or_fact() {
    let sandbox = vault();
    let found = answers(&sandbox, "who works at Acme?", &[]);
    let why = "answers it: Ada Berg works_at Acme {2020-01..} (people/ada.md:7)";
    assert_eq!(found, [("Ada Berg".to_owned(), why.to_owned())]);
    let answer = sandbox.run(&["query", "who works at Acme?", "--depth", "section", "--json"]).json();
    assert_eq!(answer["hits"][0]["slug"], "people/ada");
    let lines = answer["hits"][0]["passages"][0]["lines"].as_array().expect("lines");
    assert!(lines[0].as_u64() <= Some(7) && Some(7) <= lines[1].as_u64(), "{answer}");
    let fact = answers(&sandbox, "where does Ada Berg live", &[]);
    assert_eq!(fact[0].1, "answers it: Ada Berg lives_in Oslo {2022..} (people/ada.md:11)");
}

#[test]
fn as_of_uses_the_relations_of_that_day() {
    let sandbox = vault();
    assert_eq!(titles(&sandbox, "who works at Acme", &["--as-of", "2021-06-01"]).len(), 2);
    assert_eq!(titles(&sandbox, "who works at Acme", &["--as-of", "2024-03"]), ["Ada Berg"]);
    assert_eq!(titles(&sandbox, "where does Ada Berg work", &["--as-of", "2016"]), ["Varmholt"]);
    sandbox.run(&["query", "who works at Acme", "--as-of", "someday"]).exits(2);
}

#[test]
fn relation_search_can_be_disabled_and_respects_filters() {
    let sandbox = vault();
    assert_eq!(titles(&sandbox, "who works at Acme", &["--type", "company"]), [""; 0]);
    sandbox.run(&["config", "set", "search.signals", "exact complete entity"]).ok();
    assert_eq!(titles(&sandbox, "who works at Acme", &[]), [""; 0]);
    let answer = sandbox.run(&["query", "who works at Acme", "--json"]).json();
    assert_ne!(answer["hits"], json!([]));
}
