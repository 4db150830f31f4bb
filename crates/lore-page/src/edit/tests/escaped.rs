//! Parts of structured lines take any text and give it back.

use proptest::prelude::*;

use super::*;
use crate::interval::Interval;
use crate::parse;

const PAGE: &str = "# T\n\n- a:: b\n- knows [[x]]\n\n---\n\n## Timeline\n- **2024-01-01** | a — b\n";

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{1,12}",
        "\\PC{1,12}",
        "[;:()\"“”\\\\<%!>—–\\[\\]{}|*`# a-]{1,12}",
        "[a-z]{1,4}( (-|–|—|--) [a-z]{1,4}){1,3}",
    ]
    .prop_map(|text| text.trim().to_owned())
    .prop_filter("not empty", |text| !text.is_empty())
}

#[track_caller]
fn check_entry_source(source: &str, written: &str) {
    let new = NewEntry {
        date: "2024-02-01".into(),
        source: Some(source.into()),
        summary: "Met".into(),
        detail: None,
    };
    let edited = add_entry(PAGE, &new).expect("it fits");
    assert!(edited.contains(&format!("- **2024-02-01** | {written} — Met\n")), "{edited}");
}

#[test]
fn only_what_would_end_a_part_gets_a_backslash() {
    check_entry_source("meeting/123", "meeting/123");
    check_entry_source(
        "conversations 1-8, 17 March - 29 April 2022",
        "conversations 1-8, 17 March \\- 29 April 2022",
    );
    check_entry_source("a; b: (c)", "a; b: (c)");
    check_entry_source("a — b", "a \\— b");
    let new = NewFact {
        predicate: "role".into(),
        object: "CTO".into(),
        source: Some("mail: a; b (c".into()),
        evidence: Some("she said \"yes\"".into()),
        ..NewFact::default()
    };
    let edited = add_fact(PAGE, &new).expect("it fits");
    assert!(
        edited.contains("- role:: CTO (source: mail: a\\; b \\(c; \"she said \\\"yes\\\"\")\n"),
        "{edited}"
    );
}

#[test]
fn error_names_the_part_and_the_character() {
    let new = NewFact { predicate: "a b".into(), object: "x".into(), ..NewFact::default() };
    let error = add_fact(PAGE, &new).expect_err("two words").to_string();
    assert!(error.contains("change its predicate"), "{error}");
    let new = NewRelation { relation: "x".into(), target: "a]]b".into(), ..NewRelation::default() };
    let error = add_relation(PAGE, &new).expect_err("not a target").to_string();
    assert!(error.contains("change its target, which contains ']'"), "{error}");
}

proptest! {
    #[test]
    fn entry_with_any_source_and_summary_reads_back(source in text(), summary in text()) {
        let new = NewEntry {
            date: "2024-02-01".into(),
            source: Some(source.clone()),
            summary: summary.clone(),
            detail: None,
        };
        let edited = add_entry(PAGE, &new).expect("any text fits");
        let page = parse("t.md", &edited).page;
        let found = page.entries.iter().find(|entry| entry.date == "2024-02-01").expect("the entry");
        prop_assert_eq!((found.source.as_deref(), &found.summary), (Some(source.as_str()), &summary));
        prop_assert_eq!(page.entries.len(), 2);
        prop_assert_eq!((page.facts.len(), page.timeline.is_some()), (1, true));
    }

    #[test]
    fn fact_with_any_provenance_reads_back(source in text(), by in text(), evidence in text()) {
        let new = NewFact {
            predicate: "role".into(),
            object: "CTO".into(),
            interval: "2020..".parse::<Interval>().expect("an interval"),
            source: Some(source.clone()),
            by: Some(by.clone()),
            evidence: Some(evidence.clone()),
            ..NewFact::default()
        };
        let edited = add_fact(PAGE, &new).expect("any text fits");
        let page = parse("t.md", &edited).page;
        let found = page.facts.iter().find(|fact| fact.predicate == "role").expect("the fact");
        let parts = (found.source.as_deref(), found.by.as_deref(), found.evidence.as_deref());
        prop_assert_eq!(parts, (Some(source.as_str()), Some(by.as_str()), Some(evidence.as_str())));
        prop_assert_eq!((found.object.as_str(), found.interval), ("CTO", new.interval));
        let line = found.line;
        let closed = close_fact(&edited, line, "2021".parse().expect("a year")).expect("it closes");
        let closed = parse("t.md", &closed).page;
        let found = closed.facts.iter().find(|fact| fact.predicate == "role").expect("the fact");
        prop_assert_eq!(found.source.as_deref(), Some(source.as_str()));
    }

    #[test]
    fn relation_with_any_context_reads_back(context in text()) {
        let new = NewRelation {
            label: None,
            relation: "met".into(),
            target: "Z".into(),
            context: Some(context.clone()),
            interval: "2020..".parse::<Interval>().expect("an interval"),
        };
        let edited = add_relation(PAGE, &new).expect("any text fits");
        let page = parse("t.md", &edited).page;
        let found = page.links.iter().find(|link| link.relation == "met").expect("the relation");
        prop_assert_eq!((found.context.as_deref(), found.interval), (Some(context.as_str()), new.interval));
    }

    #[test]
    fn unescaped_text_is_what_was_escaped(text in "[ -~—–“”\\\\]{0,16}") {
        let (escape, unescape) = (crate::grammar::escape, crate::grammar::unescape);
        for special in [crate::grammar::PROVENANCE, crate::grammar::CONTEXT, crate::grammar::OBJECT] {
            let escaped = escape(&text, special);
            let read = unescape(&escaped, special);
            prop_assert_eq!(read.as_ref(), text.as_str());
        }
    }
}
