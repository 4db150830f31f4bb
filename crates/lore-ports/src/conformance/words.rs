//! Full-text search.

use lore_text::{Language, search_terms};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::Open;
use super::sample::{
    ALL, Project, WEIGHTS, found, matching, open_project, page, prefix, put, with_text, with_word, word,
    words,
};
use crate::{Expression, Filter, Store, TextQuery, Weights};

pub fn scores_are_positive_and_descending(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    // In every page, in half of them, in one: the rarer the better, but never below zero.
    for number in 0..8 {
        let text =
            ["heron", "heron heron badger", "heron badger", "heron badger otter heron heron"][number % 4];
        put(&*store, project, with_text(&format!("{number}.md"), text));
    }
    for text in ["heron", "badger", "otter"] {
        let filter = Filter::default();
        let query = TextQuery { expression: &word(text), filter: &filter, weights: WEIGHTS, window: ALL };
        let scores: Vec<f64> =
            store.search(project.number, &query).unwrap().iter().map(|hit| hit.score).collect();
        assert!(scores.len() >= 2 && scores.iter().all(|score| *score > 0.0), "{text}: {scores:?}");
        assert!(scores.is_sorted_by(|a, b| a >= b), "{text}: {scores:?}");
    }
}

pub fn titles_weigh_more_than_bodies(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    put(&*store, project, with_text("body.md", "heron heron heron heron"));
    let mut headed = page("heading.md");
    headed.text.headings = "heron".into();
    put(&*store, project, headed);
    let mut aliased = page("alias.md");
    aliased.text.aliases = "heron".into();
    put(&*store, project, aliased);
    let mut titled = page("title.md");
    titled.text.title = "heron".into();
    put(&*store, project, titled);
    for number in 0..20 {
        put(&*store, project, with_text(&format!("filler/{number}.md"), "other words that fill the vault"));
    }
    let ranked = found(&*store, project, &word("heron"), &Filter::default());
    assert_eq!(ranked, ["title.md", "alias.md", "heading.md", "body.md"]);
}

pub fn every_field_is_searched(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let mut draft = page("all.md");
    (draft.text.title, draft.text.summary) = ("intitle".into(), "insummary".into());
    (draft.text.aliases, draft.text.headings) = ("inaliases".into(), "inheadings".into());
    (draft.text.truth, draft.text.timeline) = ("intruth".into(), "intimeline".into());
    draft.text.tags = "intags".into();
    put(&*store, project, draft);
    put(&*store, project, with_text("other.md", "nothing"));
    for word in ["intitle", "inaliases", "inheadings", "intags", "insummary", "intruth", "intimeline"] {
        assert_eq!(with_word(&*store, project, word), ["all.md"], "{word}");
    }
}

pub fn phrases_prefixes_and_operators_work(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (path, text) in [
        ("ab.md", "river bank"),
        ("ba.md", "bank of the river"),
        ("a.md", "river riverside"),
        ("near.md", "and or not near"),
    ] {
        put(&*store, project, with_text(path, text));
    }
    let (river, bank) = (word("river"), word("bank"));
    let ask = |expression: &Expression| matching(&*store, project, expression).join(" ").replace(".md", "");
    for (expression, expected) in [
        (word("river bank"), "ab"),
        (word("bank river"), ""),
        (prefix("riv"), "a ab ba"),
        (prefix("riversid"), "a"),
        (word("riv"), ""),
        (words(["river", "bank"]), "ab ba"),
        (Expression::Any(vec![word("riverside"), bank.clone()]), "a ab ba"),
        (Expression::AnyRare(vec![word("riverside"), bank.clone()]), "a ab ba"),
        (Expression::Without(Box::new(river.clone()), Box::new(bank.clone())), "a"),
        (
            Expression::Any(vec![
                Expression::Without(Box::new(river), Box::new(word("riverside"))),
                Expression::All(vec![word("near"), word("not")]),
            ]),
            "ab ba near",
        ),
        (word("and"), "near"),
        (word("near"), "near"),
        (prefix("nea"), "near"),
    ] {
        assert_eq!(ask(&expression), expected, "{expression:?}");
    }
}

/// Folding and stemming are the engine's: a store matches terms as they are.
pub fn terms_match_as_they_are(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    put(&*store, project, with_text("run.md", "she run every day"));
    put(&*store, project, with_text("runs.md", "she runs every day"));
    put(&*store, project, with_text("name.md", "jürgen aß crème"));
    put(&*store, project, with_text("plain.md", "jurgen ass creme"));
    put(&*store, project, with_text("hindi.md", "हिन्दी भाषा"));
    for (expression, expected) in [
        (word("run"), "run.md"),
        (word("runs"), "runs.md"),
        (word("running"), ""),
        (prefix("run"), "run.md runs.md"),
        (word("jurgen"), "plain.md"),
        (word("jürgen"), "name.md"),
        (prefix("jü"), "name.md"),
        (word("ass"), "plain.md"),
        (words(["crème", "aß"]), "name.md"),
        (word("हिन्दी"), "hindi.md"),
        (word("हिन"), ""),
        (prefix("हिन"), "hindi.md"),
        (word("she runs"), "runs.md"),
        (prefix("she ru"), "run.md runs.md"),
    ] {
        assert_eq!(matching(&*store, project, &expression).join(" "), expected, "{expression:?}");
    }
}

/// The terms of a text match it in every script, whole and in part.
pub fn terms_of_every_script_match(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let terms = |text: &str| search_terms(text, Language::English);
    for (path, text) in [
        ("zh.md", "今天天气很好，我们去公园。"),
        ("ja.md", "東京都の天気は晴れです"),
        ("ko.md", "나는 학교에 갑니다"),
        ("th.md", "สวัสดีชาวโลก"),
        ("mixed.md", "我的iPhone手机坏了"),
        ("en.md", "She runs; Jürgen's node.js"),
    ] {
        put(&*store, project, with_text(path, terms(text)));
    }
    let mut titled = page("titled.md");
    titled.text.title = terms("世界地図");
    put(&*store, project, titled);
    for (text, expected) in [
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
        ("Running", "en.md"),
        ("JU\u{308}RGEN", "en.md"),
        ("node-js", "en.md"),
        ("js node", ""),
    ] {
        let text = terms(text);
        for expression in [word(&text), prefix(&text)] {
            assert_eq!(matching(&*store, project, &expression).join(" "), expected, "{expression:?}");
        }
    }
}

/// Searches for a text in every kind of expression.
fn ask_for(store: &dyn Store, project: Project, text: &str, filter: &Filter) {
    let each: Vec<Expression> = text.split(' ').take(64).map(word).collect();
    for expression in [
        word(text),
        prefix(text),
        Expression::Any(each.clone()),
        Expression::AnyRare(each.clone()),
        Expression::Without(Box::new(word("cats")), Box::new(word(text))),
        Expression::All(each),
    ] {
        found(store, project, &expression, filter);
        store.document_frequencies(project.number, &[&expression], 0.5).unwrap();
    }
}

pub fn no_text_is_an_error(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
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
        ask_for(&*store, project, query, &Filter::default());
    }
    for empty in [Expression::All(Vec::new()), Expression::Any(Vec::new()), word(""), prefix("")] {
        assert_eq!(matching(&*store, project, &empty), [""; 0], "{empty:?}");
    }
    let mut runner = TestRunner::new(Config {
        cases: 200,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    });
    let typed = "([a-z\"'*^():{}+\\-\\\\.~ ]|AND |OR |NOT |NEAR|世|é|Ⓐ){0,24}";
    runner
        .run(&typed, |query| {
            let filter =
                Filter { title: Some(query.clone()), slug_match: Some(query.clone()), ..Default::default() };
            ask_for(&*store, project, &query, &Filter::default());
            ask_for(&*store, project, &query, &filter);
            Ok(())
        })
        .unwrap();
}

pub fn filter_tokens_are_not_searchable(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
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
    let project = open_project(&*store, "p");
    let mut aliased = with_text("alias.md", "other words");
    aliased.text.aliases = "heron".into();
    put(&*store, project, aliased);
    put(&*store, project, with_text("body.md", "heron heron heron"));
    put(&*store, project, with_text("other.md", "other words"));
    let first = |weights: Weights| {
        let query =
            TextQuery { expression: &word("heron"), filter: &Filter::default(), weights, window: ALL };
        let hits = store.search(project.number, &query).unwrap();
        let pages = store.pages(project.number, &[hits[0].page]).unwrap();
        (hits.len(), pages[0].path.clone())
    };
    let equal = Weights { aliases: 1.0, ..WEIGHTS };
    assert_eq!(first(WEIGHTS), (2, "alias.md".into()));
    assert_eq!(first(equal), (2, "body.md".into()));
}
