//! Search cases that any note search must pass, run through the binary.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::search_support::{TRANSFORMER, call_all, query, score, set, slugs, titled, vault};

#[test]
fn title_words_find_the_page_with_a_positive_score() {
    let sandbox = vault(&[
        ("one.md", &titled("Machine Learning Basics", "Where to begin.")),
        ("two.md", &titled("Gardening", "The machine shed and what there is of learning.")),
        ("three.md", &titled("Cooking", "Nothing of the kind.")),
    ]);
    let answer = sandbox.run(&["search", "machine learning"]).ok().json();
    assert_eq!(slugs(&answer), ["one", "two"], "a title match ranks higher: {answer}");
    assert!(score(&answer, "one") > score(&answer, "two") && score(&answer, "two") > 0.0, "{answer}");
    assert_eq!((&answer["relaxed"], &answer["hits"][0]["why"]), (&json!(false), &json!(["all words"])));
}

#[test]
fn only_page_of_a_vault_has_a_positive_score() {
    let sandbox = vault(&[("one.md", &titled("Machine Learning Basics", "Where to begin."))]);
    let answer = sandbox.run(&["search", "machine learning"]).ok().json();
    assert!(score(&answer, "one") > 0.0, "{answer}");
    let answer = sandbox.run(&["query", "machine learning", "--mode", "lexical"]).ok().json();
    assert!(score(&answer, "one") > 0.0, "{answer}");
}

#[test]
fn hyphenated_words_match_as_a_phrase() {
    let sandbox = vault(&[
        ("a.md", &titled("node-js-tutorial", "Servers.")),
        ("b.md", &titled("Graphs", "A node of a graph; js is another matter.")),
        ("c.md", &titled("Trees", "js first and node after it.")),
    ]);
    for command in [&["search", "node-js"][..], &["search", "Node-JS"], &["search", "\"node-js\""]] {
        let answer = sandbox.run(command).ok().json();
        assert_eq!(slugs(&answer), ["a"], "{command:?}");
        assert!(score(&answer, "a") > 0.0, "{answer}");
    }
    // A query matches any of its words; the page that has them adjacent still ranks first.
    for mode in ["lexical", "hybrid"] {
        assert_eq!(slugs(&query(&sandbox, mode, "node-js"))[0], "a", "{mode}");
    }
}

#[test]
fn full_text_syntax_is_escaped() {
    let sandbox = vault(&[("a.md", "# Odd\n\nA zeppelin, C++, foo:bar, 50% (half) and user@example.org.\n")]);
    let queries = [
        "zeppelin\"",
        "\"zeppelin",
        "zeppelin*",
        "^zeppelin",
        "zeppelin)",
        "(zeppelin",
        "zeppelin'",
        "-zeppelin",
        "zeppelin:",
        "{zeppelin}",
        "zeppelin AND",
        "OR zeppelin",
        "NOT zeppelin",
        "NEAR zeppelin",
        "zeppelin\\",
        "zeppelin;--",
        "+zeppelin",
        "zeppelin\u{0}",
        "c++",
        "foo:bar",
        "50%",
        "user@example.org",
        "text:zeppelin",
    ];
    for (tool, parameter) in [("search", "query"), ("query", "question")] {
        let calls = queries.map(|query| json!({ "tool": tool, "input": { parameter: query } }));
        for (answer, query) in call_all(&sandbox, &calls).iter().zip(queries) {
            assert_eq!(slugs(answer), ["a"], "{tool} {query:?}");
        }
    }
}

#[test]
fn search_relaxes_to_some_words() {
    let sandbox = vault(&[
        ("tips.md", &titled("Tips", "project management tips")),
        ("bread.md", &titled("Bread", "Knead the dough.")),
    ]);
    let answer = sandbox.run(&["search", "project planning ideas"]).ok().json();
    assert_eq!((slugs(&answer), &answer["relaxed"]), (vec!["tips"], &json!(true)));
    assert_eq!(answer["hits"][0]["why"], json!(["some words"]));
    let strict = sandbox.run(&["search", "project management"]).ok().json();
    assert_eq!((slugs(&strict), &strict["relaxed"]), (vec!["tips"], &json!(false)));
    let nothing = sandbox.run(&["search", "quantum chromodynamics"]).exits(1).json();
    assert_eq!(slugs(&nothing), [""; 0]);
}

/// In `semantic` mode the score of a hit is the cosine between the query and the nearest chunk of the page.
#[test]
fn dog_training_finds_canine_behavior_in_semantic_mode() {
    let sandbox = vault(&[
        ("canine.md", &titled("Canine behavior", "canine behavior")),
        ("harbour.md", &titled("Harbour", "Ships lie at the quay while their cargo is unloaded.")),
        ("tax.md", &titled("Tax return", "The form is due in May.")),
    ]);
    sandbox.run(&["model", "use", TRANSFORMER]).ok();
    let answer = sandbox.run(&["query", "dog training", "--mode", "semantic"]).ok().json();
    assert_eq!((&answer["mode"], slugs(&answer)[0]), (&json!("semantic"), "canine"));
    assert!(score(&answer, "canine") > 0.55, "{answer}");
    assert!(score(&answer, "harbour") < 0.3 && score(&answer, "tax") < 0.3, "{answer}");
    let shown = format!("similarity {:.2}", score(&answer, "canine"));
    assert_eq!(answer["hits"][0]["why"], json!([shown]));
}

#[test]
fn hybrid_answer_has_lexical_and_semantic_hits() {
    let sandbox = vault(&[
        (
            "words.md",
            &titled("Training schedule", "The training plan of the dog show committee: rooms and dates."),
        ),
        ("meaning.md", &titled("Puppy school", "A young hound is rewarded when it sits and stays.")),
        ("neither.md", &titled("Harbour", "Ships lie at the quay.")),
        ("weak.md", &titled("Gym", "Training on Monday.")),
    ]);
    sandbox.run(&["model", "use", TRANSFORMER]).ok();
    // Signals would change the sum.
    set(&sandbox, "search.signals", "none");
    let query = |mode: &str| query(&sandbox, mode, "dog training");
    let (lexical, semantic) = (query("lexical"), query("semantic"));
    let by_words = |page: &str| if slugs(&lexical).contains(&page) { score(&lexical, page) } else { 0.0 };
    assert_eq!(slugs(&lexical), ["words", "weak"], "{lexical}");
    let pages = ["words", "meaning", "neither", "weak"];
    let near = pages.map(|page| score(&semantic, page));
    let (best, worst) =
        (near.into_iter().fold(f64::MIN, f64::max), near.into_iter().fold(f64::MAX, f64::min));
    for (weight, setting) in [(0.5, "0.5"), (0.2, "0.2"), (1.0, "1"), (0.0, "0")] {
        set(&sandbox, "search.weight", setting);
        let hybrid = query("hybrid");
        assert_eq!(slugs(&hybrid).len(), 4, "{hybrid}");
        for (page, near) in pages.iter().zip(near) {
            let semantic_part = (near - worst) / (best - worst);
            let expected = (1.0 - weight) * by_words(page) + weight * semantic_part;
            let found = score(&hybrid, page);
            assert!((found - expected).abs() < 1e-3, "{weight} {page}: {found}, not {expected}: {hybrid}");
        }
        assert!(slugs(&hybrid).is_sorted_by(|a, b| score(&hybrid, a) >= score(&hybrid, b)), "{hybrid}");
    }
    assert_eq!(score(&lexical, "words"), 1.0, "the best lexical score is scaled to 1: {lexical}");
}

#[test]
fn type_filter_limits_hits() {
    let page = |kind: &str| format!("---\ntype: {kind}\n---\nA heron stands at the water.\n");
    let sandbox = vault(&[
        ("concepts/a.md", &page("concept")),
        ("b.md", &page("person")),
        ("c.md", &page("concept")),
        ("d.md", &"A heron without a type.\n".to_owned()),
    ]);
    let cases: &[(&[&str], &[&str])] = &[
        (&["--type", "concept"], &["c", "concepts/a"]),
        (&["--type", "Concept"], &["c", "concepts/a"]),
        (&["--type", "concept", "--type", "person"], &["b", "c", "concepts/a"]),
        (&["--type", "concept", "--path", "concepts/"], &["concepts/a"]),
        (&["--type", "recipe"], &[]),
        (&[], &["b", "c", "concepts/a", "d"]),
    ];
    for (filters, expected) in cases {
        for command in [
            &["search", "heron"][..],
            &["query", "heron", "--mode", "lexical", "--depth", "list"],
            &["query", "water bird", "--mode", "semantic", "--depth", "list"],
            &["query", "heron at the water", "--depth", "list"],
        ] {
            let ran = sandbox.run(&[command, filters].concat()).exits(i32::from(expected.is_empty()));
            let answer = ran.json();
            let mut found = slugs(&answer);
            found.sort_unstable();
            assert_eq!(found, *expected, "{command:?} {filters:?}");
        }
    }
}

/// A hundred pages that tie for one query, and rank one after another for another query.
#[test]
fn result_pages_are_consecutive() {
    let sandbox = Sandbox::empty();
    for number in 0..100 {
        let filler = "moor ".repeat(number);
        sandbox.write(&format!("{number:03}.md"), format!("Each has a bittern.\n\nA heron. {filler}\n"));
    }
    sandbox.run(&["init", "--no-git"]).ok();
    for query in ["bittern", "heron"] {
        let all = sandbox.run(&["search", query, "--limit", "100"]).ok().json();
        let all = slugs(&all);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 100, "every page appears once");
        let mut seen = Vec::new();
        for page in 1..=10 {
            let (number, start) = (page.to_string(), (page - 1) * 10);
            let answer = sandbox.run(&["search", query, "--limit", "10", "--page", &number]).ok().json();
            assert_eq!(slugs(&answer), all[start..start + 10], "page {page}");
            assert_eq!((&answer["page"], &answer["more"]), (&json!(page), &json!(page < 10)));
            seen.extend(slugs(&answer).into_iter().map(str::to_owned));
        }
        assert_eq!(seen, all, "nothing is missing or repeated");
        let after = sandbox.run(&["search", query, "--limit", "10", "--page", "11"]).exits(1).json();
        assert_eq!((slugs(&after), &after["more"]), (vec![], &json!(false)));
    }
}

#[test]
fn huge_page_and_limit_values_are_handled() {
    let sandbox = vault(&[("a.md", "A heron.\n")]);
    let most = usize::MAX.to_string();
    for page in [most.as_str(), "9223372036854775808", "4294967297", "2"] {
        let answer = sandbox.run(&["search", "heron", "--page", page]).exits(1).json();
        assert_eq!(slugs(&answer), [""; 0], "{page}");
    }
    for limit in [most.as_str(), "10001", "0"] {
        sandbox.run(&["search", "heron", "--limit", limit]).exits(2).says("--limit");
        sandbox.run(&["query", "heron", "--limit", limit]).exits(2).says("--limit");
        sandbox.run(&["query", "heron", "--mode", "fields", "--limit", limit]).exits(2).says("--limit");
    }
    sandbox.run(&["search", "heron", "--page", "0"]).exits(2).says("--page");
    sandbox.run(&["list", "--page", &most, "--limit", &most]).exits(1);
    sandbox.run(&["search", "heron", "--kind", "entry", "--page", &most]).exits(1);
}
