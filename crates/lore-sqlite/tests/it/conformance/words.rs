//! Full-text search.

use lore_ports::{Expression, Filter, TextQuery};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::Open;
use crate::sample::{ALL, found, page, put, with_text, with_word};

pub fn scores_are_positive_and_descending(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    // In every page, in half of them, in one: the rarer the better, but never below zero.
    for number in 0..8 {
        let text =
            ["heron", "heron heron badger", "heron badger", "heron badger otter heron heron"][number % 4];
        put(&*store, project, with_text(&format!("{number}.md"), text));
    }
    for word in ["heron", "badger", "otter"] {
        let expression = Expression::Phrase(word.into());
        let query = TextQuery {
            expression: &expression,
            filter: &Filter::default(),
            weights: lore_ports::Weights::default(),
            window: ALL,
        };
        let scores: Vec<f64> = store.search(project, &query).unwrap().iter().map(|hit| hit.score).collect();
        assert!(scores.len() >= 2 && scores.iter().all(|score| *score > 0.0), "{word}: {scores:?}");
        assert!(scores.is_sorted_by(|a, b| a >= b), "{word}: {scores:?}");
    }
}

pub fn titles_weigh_more_than_bodies(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    put(&*store, project, with_text("body.md", "heron heron heron heron"));
    let mut headed = page("heading.md");
    headed.text.headings = "heron".into();
    put(&*store, project, headed);
    let mut aliased = page("alias.md");
    aliased.text.aliases = "heron".into();
    put(&*store, project, aliased);
    let mut titled = page("title.md");
    titled.row.title = "heron".into();
    put(&*store, project, titled);
    for number in 0..20 {
        put(&*store, project, with_text(&format!("filler/{number}.md"), "other words that fill the vault"));
    }
    let ranked = found(&*store, project, "heron", &Filter::default());
    assert_eq!(ranked, ["title.md", "alias.md", "heading.md", "body.md"]);
}

/// Common words match no page. Frequencies follow the current pages, whichever connection wrote them.
pub fn common_words_match_nothing(open: Open<'_>) {
    let (store, other) = (open(), open());
    let project = store.project("p", "/p").unwrap();
    let telling = |store: &dyn lore_ports::Store| {
        let any = ["heron", "badger"].map(|word| Expression::Phrase(word.into())).to_vec();
        let expression = Expression::AnyRare(any);
        let query = TextQuery {
            expression: &expression,
            filter: &Filter::default(),
            weights: lore_ports::Weights::default(),
            window: ALL,
        };
        store.search(project, &query).unwrap().len()
    };
    let fill = |store: &dyn lore_ports::Store, numbers: std::ops::Range<u32>, text: &'static str| {
        let mut work = || {
            for number in numbers.clone() {
                put(store, project, with_text(&format!("{number}.md"), text));
            }
            Ok(())
        };
        store.transaction(&mut work).unwrap();
    };
    fill(&*store, 0..150, "other words");
    fill(&*store, 150..250, "heron");
    fill(&*store, 250..251, "badger");
    assert_eq!(telling(&*store), 101, "two of five pages have the word");
    fill(&*store, 251..400, "heron");
    assert_eq!(telling(&*store), 1, "most pages have the word now");
    fill(&*other, 400..700, "other words");
    assert_eq!(telling(&*store), 250, "another connection wrote more pages");
}

pub fn every_field_is_searched(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut draft = page("all.md");
    (draft.row.title, draft.row.summary) = ("intitle".into(), Some("insummary".into()));
    (draft.text.aliases, draft.text.headings) = ("inaliases".into(), "inheadings".into());
    (draft.text.tags, draft.text.truth, draft.text.timeline) = ("intags".into(), "intruth", "intimeline");
    put(&*store, project, draft);
    put(&*store, project, with_text("other.md", "nothing"));
    for word in ["intitle", "inaliases", "inheadings", "intags", "insummary", "intruth", "intimeline"] {
        assert_eq!(with_word(&*store, project, word), ["all.md"], "{word}");
    }
}

pub fn phrases_prefixes_and_operators_work(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    for (path, text) in [
        ("ab.md", "river bank"),
        ("ba.md", "bank of the river"),
        ("a.md", "river riverside"),
        ("near.md", "AND or not NEAR"),
    ] {
        put(&*store, project, with_text(path, text));
    }
    let word = |text: &str| Expression::Phrase(text.into());
    let (river, bank) = (word("river"), word("bank"));
    let ask = |expression: &Expression| {
        let query = TextQuery {
            expression,
            filter: &Filter::default(),
            weights: lore_ports::Weights::default(),
            window: ALL,
        };
        let hits = store.search(project, &query).unwrap();
        let pages = hits.iter().map(|hit| store.pages(project, &[hit.page]).unwrap().remove(0).path);
        let mut paths: Vec<String> = pages.map(|path| path.replace(".md", "")).collect();
        paths.sort();
        paths.join(" ")
    };
    for (expression, expected) in [
        (word("river bank"), "ab"),
        (word("bank river"), ""),
        (Expression::Prefix("riv".into()), "a ab ba"),
        (Expression::Prefix("riversid".into()), "a"),
        (word("riv"), ""),
        (Expression::All(vec![river.clone(), bank.clone()]), "ab ba"),
        (Expression::Any(vec![word("riverside"), bank.clone()]), "a ab ba"),
        (Expression::Without(Box::new(river.clone()), Box::new(bank.clone())), "a"),
        (
            Expression::Any(vec![
                Expression::Without(Box::new(river), Box::new(word("riverside"))),
                Expression::All(vec![word("near"), word("NOT")]),
            ]),
            "ab ba near",
        ),
        (word("AND"), "near"),
        (word("NEAR"), "near"),
        (Expression::Prefix("NEA".into()), "near"),
    ] {
        assert_eq!(ask(&expression), expected, "{expression:?}");
    }
}

pub fn words_are_stemmed_and_accents_ignored(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    put(&*store, project, with_text("run.md", "She runs every day"));
    put(&*store, project, with_text("name.md", "Jürgen aß Crème brûlée"));
    put(&*store, project, with_text("plain.md", "Jurgen in ASCII"));
    put(&*store, project, with_text("node.md", "the node-js-tutorial for node.js"));
    for (query, expected) in [
        ("running ", "run.md"),
        ("run", "run.md"),
        ("RUNS ", "run.md"),
        ("Jurgen", "name.md plain.md"),
        ("jürgen", "name.md plain.md"),
        ("JÜRGEN", "name.md plain.md"),
        ("ju\u{308}rgen", "name.md plain.md"),
        ("creme brulee", "name.md"),
        ("node-js", "node.md"),
        ("node.js", "node.md"),
    ] {
        assert_eq!(with_word(&*store, project, query).join(" "), expected, "{query}");
    }
}

pub fn unspaced_scripts_match_inside_sentences(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    put(&*store, project, with_text("zh.md", "今天天气很好，我们去公园。"));
    put(&*store, project, with_text("ja.md", "東京都の天気は晴れです"));
    put(&*store, project, with_text("ko.md", "나는 학교에 갑니다"));
    put(&*store, project, with_text("th.md", "สวัสดีชาวโลก"));
    put(&*store, project, with_text("mixed.md", "我的iPhone手机坏了"));
    let mut titled = page("titled.md");
    titled.row.title = "世界地図".into();
    put(&*store, project, titled);
    for (query, expected) in [
        ("天气", "zh.md"),
        ("天氣", ""),
        ("公园", "zh.md"),
        ("京都の天", "ja.md"),
        ("天", "ja.md zh.md"),
        ("气天", ""),
        ("학교", "ko.md"),
        ("ชาวโลก", "th.md"),
        ("iphone手机", "mixed.md"),
        ("iphone", "mixed.md"),
        ("世界", "titled.md"),
    ] {
        assert_eq!(with_word(&*store, project, query).join(" "), expected, "{query}");
    }
}

pub fn no_user_input_is_an_error(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    put(&*store, project, with_text("a.md", "cats and dogs"));
    let long = "cats ".repeat(2000);
    for query in [
        "\"",
        "\"\"",
        "'",
        "cats\" OR \"dogs",
        "title:cats",
        "{title} : x",
        "cats*",
        "*",
        "^cats",
        "NEAR(a b, 2)",
        "a AND",
        "NOT",
        "NOT NOT a",
        "OR OR",
        "((",
        "cats )",
        "-cats",
        "+cats",
        "a:b:c",
        "\0",
        "cats\0dogs",
        "\u{feff}",
        "%_",
        "; DROP TABLE page; --",
        "\\",
        "💥",
        "Ⓐ cats",
        "e\u{301}\u{301}",
        "filter : 91",
        &long,
    ] {
        found(&*store, project, query, &Filter::default());
    }
    assert_eq!(with_word(&*store, project, "and\0dogs"), ["a.md"]);
    let mut runner = TestRunner::new(Config {
        cases: 200,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    });
    let typed = "([a-z\"'*^():{}+\\-\\\\.~ \0]|AND |OR |NOT |NEAR|世|é|Ⓐ){0,24}";
    runner
        .run(&typed.prop_map(|query| query), |query| {
            let filter =
                Filter { title: Some(query.clone()), slug_match: Some(query.clone()), ..Default::default() };
            found(&*store, project, &query, &Filter::default());
            found(&*store, project, &query, &filter);
            Ok(())
        })
        .unwrap();
}

pub fn filter_tokens_are_not_searchable(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut draft = with_text("people/a.md", "heron");
    draft.row.tags = vec!["secret".into()];
    draft.row.status = Some("archived".into());
    put(&*store, project, draft);
    // Tags are searchable only if the draft's text contains them.
    for word in ["secret", "archived", "person", "people", "91", "92"] {
        assert_eq!(with_word(&*store, project, word), [""; 0], "{word}");
    }
}

/// With a different weight, a word in an alias counts no more than one in the text.
pub fn weights_are_configurable(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut aliased = with_text("alias.md", "other words");
    aliased.text.aliases = "heron".into();
    put(&*store, project, aliased);
    put(&*store, project, with_text("body.md", "heron heron heron"));
    put(&*store, project, with_text("other.md", "other words"));
    let first = |weights: lore_ports::Weights| {
        let expression = Expression::Phrase("heron".into());
        let query = TextQuery { expression: &expression, filter: &Filter::default(), weights, window: ALL };
        let hits = store.search(project, &query).unwrap();
        let pages = store.pages(project, &[hits[0].page]).unwrap();
        (hits.len(), pages[0].path.clone())
    };
    let equal = lore_ports::Weights { aliases: 1.0, headings: 1.0 };
    assert_eq!(first(lore_ports::Weights::default()), (2, "alias.md".into()));
    assert_eq!(first(equal), (2, "body.md".into()));
}
