//! Confidence and verdict of answers: what is answered, what may be, and what is not.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Creates a vault of everyday notes, with the questions about them and the page that answers each.
fn paraphrases() -> (Sandbox, Vec<(String, String)>) {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/paraphrases");
    let read = |name: &str| fs::read_to_string(set.join(name)).expect(name);
    let rows = |name: &str| -> Vec<Value> {
        read(name).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let text = |row: &Value, key: &str| row[key].as_str().expect(key).to_owned();
    let sandbox = Sandbox::with_vault();
    for page in rows("corpus.jsonl") {
        let path = format!("{}.md", text(&page, "_id"));
        sandbox.write(&path, format!("# {}\n\n{}\n", text(&page, "title"), text(&page, "text")));
    }
    let answers = read("qrels.tsv");
    let answer = |id: &str| {
        let row = answers.lines().find(|line| line.split('\t').next() == Some(id)).expect(id);
        row.split('\t').nth(1).expect("a page").to_owned()
    };
    let questions = rows("queries.jsonl");
    let questions = questions.iter().map(|row| (text(row, "text"), answer(&text(row, "_id")))).collect();
    (sandbox, questions)
}

/// Asks questions in one process; returns the answers.
fn ask(sandbox: &Sandbox, questions: &[String]) -> Vec<Value> {
    let call =
        |question: &String| json!({ "tool": "query", "input": { "question": question, "depth": "list" } });
    let calls: String = questions.iter().map(|question| format!("{}\n", call(question))).collect();
    let ran = sandbox.pipe(&["pipe"], calls.as_bytes());
    let answer = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["result"].clone();
    ran.text().lines().map(answer).collect()
}

#[test]
fn everyday_questions_in_other_words_are_answered() {
    let (sandbox, questions) = paraphrases();
    let texts: Vec<String> = questions.iter().map(|(text, _)| text.clone()).collect();
    let answers = ask(&sandbox, &texts);
    assert_eq!(answers.len(), questions.len());
    let (mut found, mut refused) = (0, Vec::new());
    for ((question, page), answer) in questions.iter().zip(&answers) {
        let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("{answer}"));
        found += usize::from(hits.iter().take(3).any(|hit| hit["slug"] == page.as_str()));
        if answer["verdict"] == "nothing" {
            refused.push(question);
        }
    }
    assert!(refused.is_empty(), "refused: {refused:?}");
    assert!(found * 10 >= questions.len() * 9, "{found} of {}", questions.len());
}

#[test]
fn questions_about_something_else_are_not_answered() {
    let (sandbox, _) = paraphrases();
    let questions = [
        "Who won the battle of Actium?",
        "xyzzy plugh quux",
        "asdf qwer zxcv",
        "capital of Mongolia",
        "When was the Treaty of Westphalia signed?",
        "quarterly revenue of Initech",
    ];
    let answers = ask(&sandbox, &questions.map(str::to_owned));
    for (question, answer) in questions.iter().zip(&answers) {
        assert_ne!(answer["verdict"], "answered", "{question}: {answer}");
        assert!(answer["confidence"].as_f64().expect("a confidence") < 0.4, "{question}: {answer}");
    }
    let refused = answers.iter().filter(|answer| answer["verdict"] == "nothing").count();
    assert!(refused >= 4, "{answers:?}");
}

/// Creates a vault with two pages.
fn pages() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("people/jurgen-muller.md", "# Jürgen Müller\n\nBuilds harpsichords in Basel.\n");
    sandbox.write("people/ada.md", "# Ada\n\nRepairs clocks and teaches mathematics.\n");
    sandbox
}

#[test]
fn nothing_is_said_with_the_nearest_titles() {
    let sandbox = pages();
    let question = "Which zeppelin does the clocks department lease from Vandelay?";
    let answer = sandbox.run(&["query", question]).exits(1).json();
    assert_eq!((&answer["verdict"], &answer["hits"]), (&json!("nothing"), &json!([])));
    assert_eq!(answer["nearest"][0], json!({ "slug": "people/ada", "title": "Ada" }));
    let said = sandbox.run(&["query", question, "--format", "human"]).exits(1).text();
    assert!(said.starts_with("no page answers this (confidence 0."), "{said}");
    assert!(said.contains("nearest: Ada [people/ada]") && said.contains("--all"), "{said}");
    let all = sandbox.run(&["query", question, "--all"]).exits(1).json();
    assert_eq!((&all["verdict"], &all["hits"][0]["verdict"]), (&json!("nothing"), &json!("nothing")));
    assert_eq!(all["hits"][0]["slug"], "people/ada");
    assert_eq!(sandbox.run(&["query", "zzz qqq"]).exits(1).json()["verdict"], "nothing");
}

#[test]
fn every_answer_and_hit_has_a_verdict() {
    let sandbox = pages();
    for arguments in [
        &["query", "who repairs clocks"][..],
        &["query", "Ada"],
        &["query", "clocks", "--mode", "fields"],
        &["query", "clocks", "--mode", "lexical"],
        &["query", "who repairs clocks", "--mode", "semantic"],
        &["search", "clocks"],
        &["search", "Muller"],
        &["search", "mathematics", "--kind", "page"],
        &["search", "--path", "people"],
        &["search-notes", "clocks"],
    ] {
        let answer = sandbox.run(arguments).ok().json();
        for judged in [&answer, &answer["hits"][0]] {
            let confidence =
                judged["confidence"].as_f64().unwrap_or_else(|| panic!("{arguments:?}: {answer}"));
            assert!((0.0..=1.0).contains(&confidence), "{arguments:?}: {answer}");
            assert!(judged["verdict"].is_string(), "{arguments:?}: {answer}");
        }
        assert_eq!(answer["verdict"], "answered", "{arguments:?}: {answer}");
    }
    let unsure = sandbox.run(&["search", "clocks zeppelin"]).ok().json();
    assert_eq!(unsure["verdict"], "unsure", "{unsure}");
    let said = sandbox.run(&["search", "clocks zeppelin", "--format", "human"]).ok().text();
    assert!(said.starts_with("unsure (confidence 0."), "{said}");
}

#[test]
fn accented_names_and_exact_matches_are_no_gaps() {
    let sandbox = pages();
    sandbox.write("lore.toml", "profile = \"brain\"\n[gaps]\nlog = true\n");
    for question in ["Muller", "Müller", "jurgen muller", "people/ada", "Who repairs clocks?"] {
        let answer = sandbox.run(&["query", question]).ok().json();
        assert_eq!((&answer["verdict"], &answer["notes"]), (&json!("answered"), &json!([])), "{question}");
    }
    sandbox.run(&["gaps"]).exits(1);
    sandbox.run(&["query", "Which zeppelin does Vandelay lease?"]).exits(1);
    assert_eq!(sandbox.run(&["gaps"]).ok().json()["gaps"].as_array().map(Vec::len), Some(1));
}

#[test]
fn minimum_similarity_is_a_parameter_and_a_setting() {
    let sandbox = pages();
    let hits = |arguments: &[&str]| {
        let ran = sandbox.run(
            &[
                &["query", "who mends timepieces", "--mode", "semantic", "--all", "--depth", "list"],
                arguments,
            ]
            .concat(),
        );
        ran.json()["hits"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(hits(&[]), 2);
    assert_eq!(hits(&["--min-similarity", "0.99"]), 0);
    sandbox.run(&["query", "x", "--min-similarity", "1.5"]).exits(2).says("not between 0 and 1");
    sandbox.run(&["config", "set", "search.min_similarity", "0.99"]).ok();
    assert_eq!(hits(&[]), 0);
    assert!(hits(&["--min-similarity", "0"]) > 0, "the parameter comes before the setting");
    sandbox.run(&["config", "set", "search.min_similarity", "7"]).exits(2);
}

#[test]
fn wings_are_found_by_part_and_a_filter_that_leaves_nothing_says_so() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("people/ada-keller.md", "# Ada Keller\n\nRepairs clocks.\n");
    sandbox.write("people/bo.md", "---\nroom: workshop\n---\n# Bo\n\nRepairs clocks too.\n");
    let slugs = |wing: &str| -> Vec<String> {
        let answer = sandbox.run(&["query", "repairs clocks", "--wing", wing]).json();
        let hits = answer["hits"].as_array().expect("hits").iter();
        hits.map(|hit| hit["slug"].as_str().expect("a slug").to_owned()).collect()
    };
    for wing in ["ada", "keller", "ada-keller", "Ada Keller", "ada%", "%keller"] {
        assert_eq!(slugs(wing), ["people/ada-keller"], "{wing}");
    }
    let hit = &sandbox.run(&["query", "repairs clocks", "--wing", "bo"]).ok().json()["hits"][0];
    assert_eq!((&hit["wing"], &hit["room"]), (&json!("bo"), &json!("workshop")));
    for command in ["query", "search"] {
        let none = sandbox.run(&[command, "clocks", "--wing", "zoe"]).exits(1).json();
        assert!(none["notes"][0].as_str().expect("a note").contains("no wing is named \"zoe\""), "{none}");
    }
}
