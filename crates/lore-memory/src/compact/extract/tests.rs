//! Tests of the built-in summarizer: small examples and properties.

use std::collections::BTreeSet;

use expect_test::expect;
use proptest::prelude::*;

use super::*;

const TODAY: &str = "2024-06-01";

fn source(slug: &str, date: &str, text: &str) -> SummarySource {
    SummarySource {
        slug: format!("clients/{slug}"),
        title: slug.to_uppercase(),
        path: "clients/summary.md".into(),
        date: date.into(),
        text: text.into(),
        within: BTreeSet::from(["clients/b".to_owned()]),
    }
}

fn summary(sources: &[SummarySource], tokens: usize) -> String {
    extract(sources, TODAY, tokens)
}

fn pages() -> Vec<SummarySource> {
    vec![
        source(
            "a",
            "2024-01-10",
            "---\ntags: [x]\n---\n# A\n\nClient X plans by the quarter. The weather was fine that day. They rejected the sprint \
             format because it disrupts their quarterly planning.\n\n- [decision] Offer a retainer instead of sprints #pricing\n\
             - [mood] Tired\n- contact:: Ada Byron {2023-01-01..}\n- budget:: 10k {2022..2023}\n- supersedes [[clients/b]]\n\
             - works_with [[Harbour Ltd]] (since spring)\n",
        ),
        source(
            "b",
            "2024-02-20",
            "# B\n\nThe sprint format is rejected for good, since quarterly planning comes first.\n\n* [decision] Offer a \
             retainer instead of sprints #pricing\n* ADA | role:: CFO (by: tester)\n\n---\n\n- **2024-02-01** | call — They said no.\n  \
             Twice.\n- **2023-02-01** | call — First contact.\n",
        ),
        source("c", "2024-03-01", "# C\n\nThe retainer now runs until autumn. Yes.\n"),
    ]
}

#[test]
fn summary_keeps_central_sentences_with_their_sources() {
    expect![[r#"
        The retainer now runs until autumn. ([[clients/c|C]])

        The sprint format is rejected for good, since quarterly planning comes first. ([[clients/b|B]])

        Client X plans by the quarter. The weather was fine that day. They rejected the sprint format because it disrupts their quarterly planning. ([[clients/a|A]])

        ## Decisions and observations

        - [decision] Offer a retainer instead of sprints #pricing
        - [mood] Tired

        ## Facts

        - ADA | role:: CFO (by: tester)
        - A | contact:: Ada Byron {2023-01-01..}

        ## Relations

        - works_with [[Harbour Ltd]] (since spring)

        ## Sources

        - [[clients/c|C]] (2024-03-01)
        - [[clients/b|B]] (2024-02-20)
        - [[clients/a|A]] (2024-01-10)

        ---

        ## Timeline

        - **2024-02-01** | call — They said no.
          Twice.
        - **2023-02-01** | call — First contact.
    "#]]
    .assert_eq(&summary(&pages(), 400));
}

#[test]
fn small_budget_keeps_facts_and_few_sentences() {
    let text = summary(&pages(), 40);
    assert!(text.contains("- A | contact:: Ada Byron") && text.contains("- ADA | role:: CFO"), "{text}");
    assert!(!text.contains("weather"), "the least important sentence is dropped first: {text}");
    let prose = text.split("\n## ").next().expect("a beginning");
    assert!(estimate_tokens(prose) < 60, "{prose}");
}

#[test]
fn facts_keep_their_subjects() {
    let text = summary(&pages(), 400);
    let page = parse("clients/summary.md", &text).page;
    let facts: Vec<(Option<&str>, &str, &str)> = page
        .facts
        .iter()
        .map(|fact| (fact.subject.as_deref(), fact.predicate.as_str(), fact.object.as_str()))
        .collect();
    assert_eq!(facts, [(Some("ADA"), "role", "CFO"), (Some("A"), "contact", "Ada Byron")]);
    let relations: Vec<&str> = page
        .links
        .iter()
        .filter(|link| link.relation != "links_to")
        .map(|link| link.target.as_str())
        .collect();
    assert_eq!(relations, ["Harbour Ltd"], "none to a page of the cluster");
    assert_eq!(page.entries.len(), 2);
}

#[test]
fn duplicate_sentences_are_kept_once() {
    let text = "# T\n\nThe harbour opens at six in the morning on weekdays.\n";
    let sources: Vec<SummarySource> = ["a", "b", "c"].map(|slug| source(slug, "2024-01-01", text)).to_vec();
    let found = summary(&sources, 400);
    assert_eq!(found.matches("harbour opens").count(), 1, "{found}");
    assert!(["clients/a", "clients/b", "clients/c"].iter().all(|slug| found.contains(slug)), "all are cited");
}

#[test]
fn pages_without_text_give_no_summary() {
    let sources = [source("a", "2024-01-01", "---\ntitle: A\n---\n"), source("b", "2024-01-01", "# B\n")];
    let extractive = Extractive { today: TODAY.into(), tokens: 100 };
    let failed = extractive.summarize(&sources).expect_err("nothing to say");
    assert!(failed.to_string().contains("the pages have no text"), "{failed}");
}

/// Returns the words of a text, separated by single spaces and without markers.
fn plain(text: &str) -> String {
    let body: Vec<&str> = text.lines().map(|line| line.trim_start_matches(['>', '-', '*', ' '])).collect();
    body.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a text consists only of unchanged sentences of a page, in order.
fn consists_of(text: &str, source: &SummarySource) -> bool {
    let mut rest = text;
    for sentence in sentences(&parse(&source.path, &source.text).page, &source.text) {
        if let Some(after) = rest.strip_prefix(with_full_stop(&sentence).as_str())
            && plain(&source.text).contains(&plain(&sentence))
        {
            rest = after.trim_start();
        }
    }
    rest.is_empty()
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "harbour",
        "ship",
        "sprint",
        "decided",
        "planning",
        "client",
        "because",
        "budget",
        "[[clients/b]]",
        "retainer",
        "autumn",
        "Ada",
        "1.5",
        "`a. B`",
        "[x](y.md)",
        "now",
        "Zürich",
        "東京。",
        "(in May)",
    ]);
    let sentence = prop::collection::vec(word, 1..12).prop_map(|words| format!("The {}", words.join(" ")));
    let end = prop::sample::select(vec![".", "!", "?", ".\n", "\n\n", "\n- ", "\n> "]);
    let line = prop::sample::select(vec![
        "",
        "\n- [decision] Keep it\n",
        "\n- owner:: Ada {2020..}\n",
        "\n## Part\n",
        "\n```\ncode. More.\n```\n",
        "\n- knows [[Bob]]\n",
        "\n| a | b |\n",
    ]);
    prop::collection::vec((sentence, end, line), 0..12).prop_map(|parts| {
        parts.into_iter().map(|(sentence, end, line)| format!("{sentence}{end} {line}")).collect()
    })
}

proptest! {
    #[test]
    fn every_sentence_comes_from_a_source_page(texts in prop::collection::vec(text(), 1..5), tokens in 20usize..400) {
        let slugs = ["a", "b", "c", "d", "e"];
        let sources: Vec<SummarySource> =
            texts.iter().zip(slugs).map(|(text, slug)| source(slug, "2024-01-01", text)).collect();
        let found = summary(&sources, tokens);
        let prose = if found.starts_with("## ") { "" } else { found.split("\n## ").next().unwrap_or_default() };
        for paragraph in prose.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            let (text_part, cited) = paragraph.rsplit_once(" ([[").expect("a paragraph ends with its page");
            let source = sources.iter().find(|source| cited.starts_with(&source.slug)).expect("one of them");
            prop_assert!(consists_of(text_part, source), "{:?} is not in {:?}", text_part, source.text);
        }
        let facts = parse("s.md", &found).page.facts;
        for source in &sources {
            for fact in parse("s.md", &source.text).page.facts {
                let kept = facts.iter().any(|one| one.subject.as_deref() == Some(&source.title) && plain(&one.object) == plain(&fact.object));
                prop_assert!(kept, "{:?} is lost in {}", fact, found);
            }
        }
        let mut reversed = sources.clone();
        reversed.reverse();
        prop_assert_eq!(summary(&reversed, tokens), found, "independent of order");
    }
}
