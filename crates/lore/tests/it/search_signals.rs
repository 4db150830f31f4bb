//! Signals of a hybrid answer: each can be disabled, disabling it changes the order, and a hit lists the signals that
//! raised it.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::search_support::{has_reason, hit, query, rank, score, set, slugs, titled, vault};

const SIGNALS: [&str; 5] = ["exact", "complete", "entity", "dates", "recency"];

/// Returns the answer with every signal, and with all but one.
fn with_and_without(sandbox: &Sandbox, signal: &str, question: &str) -> (Value, Value) {
    set(sandbox, "search.signals", &SIGNALS.join(" "));
    let with = query(sandbox, "hybrid", question);
    let others: Vec<&str> = SIGNALS.into_iter().filter(|other| *other != signal).collect();
    set(sandbox, "search.signals", &others.join(","));
    (with, query(sandbox, "hybrid", question))
}

#[test]
fn exact_signal_ranks_a_page_of_that_name_first() {
    let sandbox = vault(&[
        ("pipes.md", "---\naliases: [zen garden]\n---\nInvoices of the plumber.\n"),
        ("gravel.md", "# Gravel\n\nThe zen garden: raked gravel in a zen garden.\n"),
    ]);
    let (with, without) = with_and_without(&sandbox, "exact", "Zen Garden");
    assert_eq!((slugs(&with), slugs(&without)[0]), (vec!["pipes", "gravel"], "gravel"));
    assert!(has_reason(&with, "pipes", "exact alias match"), "{with}");
    assert!(score(&with, "pipes") > score(&with, "gravel"), "{with}");
    assert!(!without.to_string().contains("exact alias match"), "{without}");
}

#[test]
fn complete_signal_ranks_the_only_page_with_every_word_first() {
    let quiet = "The rest of the year was quiet, and the accounts were closed late. ".repeat(8);
    let sandbox = vault(&[
        (
            "year.md",
            titled("A year", &format!("A lantern was lost. {quiet} A festival. {quiet} No granite.")),
        ),
        (
            "lamps.md",
            titled("Lamps", "A granite lantern by a granite lantern, how stone lanterns are set up."),
        ),
        ("bread.md", titled("Bread", "Knead the dough.")),
    ]);
    set(&sandbox, "search.weight", "0.9");
    let (with, without) = with_and_without(&sandbox, "complete", "granite lantern festival");
    assert_eq!((slugs(&with)[..2].to_vec(), slugs(&without)[0]), (vec!["year", "lamps"], "lamps"));
    assert!(has_reason(&with, "year", "all words") && has_reason(&with, "lamps", "some words"), "{with}");
    assert!(has_reason(&without, "year", "some words"), "{without}");
}

#[test]
fn complete_signal_raises_each_page_with_every_word() {
    let sandbox = vault(&[
        ("a.md", titled("A", "Granite and a lantern.")),
        ("b.md", titled("B", "A lantern of granite.")),
        ("c.md", titled("C", "Granite.")),
    ]);
    let (with, without) = with_and_without(&sandbox, "complete", "granite lantern");
    for (page, more) in [("a", 0.1), ("b", 0.1), ("c", 0.0)] {
        let difference = score(&with, page) - score(&without, page);
        assert!((difference - more).abs() < 1e-3, "{page}: {difference}, not {more}: {with}");
    }
}

#[test]
fn entity_signal_raises_the_named_page() {
    let sandbox = vault(&[
        ("people/ada.md", "---\ntitle: Ada\naliases: [The Countess]\n---\nBorn in London.\n"),
        ("tea.md", "# Tea\n\nTea is drunk with milk.\n"),
        ("cup.md", "# Cup\n\nA cup of tea in London.\n"),
    ]);
    set(&sandbox, "search.weight", "0.55");
    for (question, name) in
        [("what does Ada think of tea", "ada"), ("what does the Countess think of tea?", "the countess")]
    {
        let (with, without) = with_and_without(&sandbox, "entity", question);
        assert_eq!(slugs(&with)[0], "people/ada", "{question}: {with}");
        assert!(has_reason(&with, "people/ada", &format!("the question names it: {name}")), "{with}");
        assert!((score(&with, "people/ada") - score(&without, "people/ada") - 0.2).abs() < 1e-3, "{with}");
        assert!(!without.to_string().contains("the question names it"), "{without}");
    }
    let (_, without) = with_and_without(&sandbox, "entity", "what does Ada think of tea");
    assert_eq!(slugs(&without)[0], "tea", "the order changes: {without}");
}

#[test]
fn entity_signal_raises_pages_under_the_named_page() {
    let sandbox = vault(&[
        ("people/ada.md", "---\ntitle: Ada\n---\nBorn in London.\n"),
        ("people/ada/letters.md", "---\ntitle: Letters\n---\nTen of them, and much in them about engines.\n"),
        (
            "steam.md",
            "---\ntitle: Steam\n---\nMuch is said about engines, and more about the engines of ships.\n",
        ),
        ("tea.md", "---\ntitle: Tea\n---\nMilk.\n"),
    ]);
    set(&sandbox, "search.weight", "0.2");
    let (with, without) = with_and_without(&sandbox, "entity", "what did Ada say about engines");
    let above = |answer: &Value| rank(answer, "people/ada/letters") < rank(answer, "steam");
    assert!(above(&with) && !above(&without), "{with}\n{without}");
    assert!(has_reason(&with, "people/ada/letters", "filed under a name in the question: ada"), "{with}");
    assert!((score(&with, "people/ada/letters") - score(&without, "people/ada/letters") - 0.1).abs() < 1e-3);
    assert_eq!(score(&with, "steam"), score(&without, "steam"));
}

#[test]
fn dates_signal_raises_pages_with_the_date() {
    let minutes = |date: &str| {
        format!(
            "---\ntitle: Minutes\n---\nThe board.\n\n---\n\n## Timeline\n\n- **{date}** | The board talked about money.\n"
        )
    };
    let sandbox = vault(&[
        ("a.md", minutes("2024-02-05")),
        ("b.md", minutes("2024-03-05")),
        ("c.md", minutes("2023-03-05")),
        ("far.md", titled("Bread", "Knead the dough.")),
    ]);
    for (date, bonus) in
        [("March 2024", 0.1), ("Mar 2024", 0.1), ("5 March 2024", 0.4), ("March 5, 2024", 0.4)]
    {
        let question = format!("what did the board say about money in {date}");
        let (with, without) = with_and_without(&sandbox, "dates", &question);
        assert_eq!(slugs(&with)[0], "b", "{date}: {with}");
        assert!(has_reason(&with, "b", "has the date 2024-03-05"), "{date}: {with}");
        assert!((score(&with, "b") - score(&without, "b") - bonus).abs() < 1e-3, "{date}: {with}");
        assert!(!without.to_string().contains("has the date"), "{date}: {without}");
    }
    let question = "what did the board say about money in March 2024";
    assert_eq!(slugs(&with_and_without(&sandbox, "dates", question).1)[0], "a", "the order changes");
}

/// The notes of a day are found by their file names alone.
#[test]
fn dates_signal_raises_pages_named_after_the_day() {
    let days = ["20240204", "2024-02-05", "2024-02-06"];
    let mut pages: Vec<(String, String)> =
        days.iter().map(|day| (format!("{day}.md"), "Lunch with Bo. Lunch was late.\n".to_owned())).collect();
    pages.push(("2024/02/03.md".to_owned(), "Lunch.\n".to_owned()));
    let sandbox = vault(&pages);
    for (question, day) in
        [("who came to lunch on 3 February 2024", "2024/02/03"), ("lunch on Feb 4, 2024", "20240204")]
    {
        let (with, without) = with_and_without(&sandbox, "dates", question);
        assert_eq!(slugs(&with)[0], day, "{with}");
        assert!((score(&with, day) - score(&without, day) - 0.4).abs() < 1e-3, "{with}\n{without}");
    }
}

/// A page that is over still counts if the question names it: among pages that are all similar, half a similarity is
/// below the last of them.
#[test]
fn page_that_is_over_is_found_by_its_number() {
    let code = |number: u32| {
        format!("# Locker {number}\n\nThe code of locker {number} is {}.\n", 1000 + 37 * number)
    };
    let mut pages: Vec<(String, String)> =
        (0..60).map(|number| (format!("l{number}.md"), code(number))).collect();
    pages[42].1 = format!("---\nstatus: archived\n---\n{}", code(42));
    let sandbox = vault(&pages);
    let found = query(&sandbox, "hybrid", "what is the code of locker 42");
    assert!(rank(&found, "l42").is_some_and(|rank| rank < 5), "{found}");
}

#[test]
fn recency_signal_breaks_ties() {
    let sandbox =
        vault(&["a", "b", "c", "d"].map(|name| (format!("{name}.md"), titled("Log", "About herons."))));
    for (name, day) in [("a", 1), ("b", 3), ("c", 4), ("d", 2)] {
        let file =
            File::options().write(true).open(sandbox.vault().join(format!("{name}.md"))).expect("a file");
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_700_000_000 + day * 86_400)).expect("a time");
    }
    let (with, without) = with_and_without(&sandbox, "recency", "herons");
    assert_eq!((slugs(&with), slugs(&without)), (vec!["c", "b", "d", "a"], vec!["a", "b", "c", "d"]));
    assert_eq!(score(&with, "a"), score(&with, "c"), "the scores are equal: {with}");
    set(&sandbox, "search.signals", "recency");
    let one = sandbox.run(&["query", "herons", "--limit", "1", "--json"]).json();
    assert_eq!(slugs(&one), ["c"], "recency applies before the limit: {one}");
}

/// No signal adds a page that the query excludes.
#[test]
fn complete_signal_respects_exclusions() {
    let sandbox = vault(&[
        ("lion.md", titled("Lion", "A striped zebra and a lion.")),
        ("zebra.md", titled("Zebra", "A striped zebra.")),
    ]);
    let answer = query(&sandbox, "lexical", "zebra striped NOT lion");
    assert_eq!(slugs(&answer), ["zebra"], "{answer}");
}

/// An exact spelling outranks the same letters in slug form.
#[test]
fn title_with_punctuation_is_not_another_pages_slug() {
    let sandbox = vault(&[
        ("c.md", titled("The letter", "The third letter.")),
        ("languages/cpp.md", "---\ntitle: C++\n---\nA language.\n".to_owned()),
    ]);
    assert_eq!(slugs(&query(&sandbox, "hybrid", "C++"))[0], "languages/cpp");
    assert_eq!(sandbox.run(&["show", "C++", "--json"]).json()["slug"], "languages/cpp");
    assert_eq!(sandbox.run(&["show", "c", "--json"]).json()["slug"], "c");
}

#[test]
fn without_signals_only_lexical_and_semantic_scores_count() {
    let sandbox = vault(&[
        (
            "people/ada.md",
            "---\ntitle: Ada\n---\nBorn in London.\n\n---\n\n## Timeline\n\n- **2024-03-05** | Tea.\n",
        ),
        ("tea.md", "# Tea\n\nTea is drunk with milk.\n"),
    ]);
    set(&sandbox, "search.signals", "none");
    for question in ["Ada", "tea of Ada in March 2024"] {
        let answer = query(&sandbox, "hybrid", question);
        for slug in slugs(&answer) {
            let why = hit(&answer, slug)["why"].as_array().expect("reasons").clone();
            let plain =
                |why: &Value| why == "some words" || why.as_str().expect("text").starts_with("similarity ");
            assert!(why.iter().all(plain), "{answer}");
        }
    }
    sandbox.run(&["config", "set", "search.signals", "exact headings"]).exits(2).says("ranking signals");
}

#[test]
fn heading_and_alias_words_outrank_body_words() {
    let rest = "Much else is said here, of this and that, and of nothing in particular.";
    let sandbox = vault(&[
        ("text.md", format!("# One\n\n## Part\n\nA sextant. {rest}\n")),
        ("heading.md", format!("# Two\n\n## Sextant\n\nA part. {rest}\n")),
        (
            "alias.md",
            format!("---\naliases: [Sextant and octant]\n---\n# Three\n\n## Part\n\nA part. {rest}\n"),
        ),
    ]);
    let answer = query(&sandbox, "lexical", "sextant");
    assert_eq!(slugs(&answer).last(), Some(&"text"), "{answer}");
    assert_eq!(slugs(&answer).len(), 3, "{answer}");
}
