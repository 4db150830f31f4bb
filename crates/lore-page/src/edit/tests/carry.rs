//! Structured lines that a rewrite keeps.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::page::Fact;

const PAGE: &str = "\
---
title: Ada
---
# Ada

> Mathematician.

- [belief] Enterprise is the path to durability #strategy

## State
Runs the lab.

- role:: CTO {2018..}
- knows:: Babbage
- knows:: Byron

## Relations
- founded [[acme]] (with Charles) {2017..}
- advises [[acme]]

---

## Timeline
- **2024-03-01** | meeting — Pivot agreed
  with detail
- **2023-01-01** | call — First call
";

/// Checks the rewritten text and the summary of a rewrite of the page.
#[track_caller]
fn check_rewrite(old: &str, new: &str, drop: &[&str], expected: Expect) {
    let shown = match rewrite(old, new, drop) {
        Ok(done) => {
            let list = |name: &str, lines: &[String]| {
                lines.iter().map(|line| format!("{name}: {line}\n")).collect::<String>()
            };
            let LineChanges { kept, added, removed } = &done.lines;
            let text = done.text;
            format!("{text}====\n{}{}{}", list("kept", kept), list("added", added), list("removed", removed))
        }
        Err(error) => format!("{error}\n"),
    };
    expected.assert_eq(&shown);
}

fn rewrite(old: &str, new: &str, drop: &[&str]) -> Result<Rewritten, EditError> {
    let dropped = Dropped::parse(drop.iter().copied());
    let topic = |fact: &Fact| (fact.predicate == "role").then(|| fact.predicate.clone());
    carry_over(old, new, &RewriteTerms { dropped: &dropped, topic: &topic })
}

#[test]
fn text_without_structure_keeps_all_of_it() {
    check_rewrite(
        PAGE,
        "# Ada\n\nA new text.\n\n## State\nRetired.\n",
        &[],
        expect![[r#"
        # Ada

        A new text.

        - [belief] Enterprise is the path to durability #strategy

        ## State
        Retired.

        - role:: CTO {2018..}
        - knows:: Babbage
        - knows:: Byron

        ## Relations
        - founded [[acme]] (with Charles) {2017..}
        - advises [[acme]]

        ---

        ## Timeline
        - **2024-03-01** | meeting — Pivot agreed
          with detail
        - **2023-01-01** | call — First call
        ====
        kept: - [belief] Enterprise is the path to durability #strategy
        kept: - role:: CTO {2018..}
        kept: - knows:: Babbage
        kept: - knows:: Byron
        kept: - founded [[acme]] (with Charles) {2017..}
        kept: - advises [[acme]]
        kept: - **2024-03-01** | meeting — Pivot agreed with detail
        kept: - **2023-01-01** | call — First call
    "#]],
    );
}

#[test]
fn removed_line_returns_to_its_place() {
    for line in
        ["- knows:: Babbage\n", "- founded [[acme]] (with Charles) {2017..}\n", "- advises [[acme]]\n"]
    {
        let done = rewrite(PAGE, &PAGE.replace(line, ""), &[]).expect("it fits");
        assert_eq!(done.text, PAGE, "{line}");
        assert_eq!(done.lines.kept, [line.trim_end()]);
        assert!(done.lines.added.is_empty() && done.lines.removed.is_empty(), "{:?}", done.lines);
    }
    let shorter = PAGE.replace("- **2024-03-01** | meeting — Pivot agreed\n  with detail\n", "");
    assert_eq!(rewrite(PAGE, &shorter, &[]).expect("it fits").text, PAGE);
    let undetailed = PAGE.replace("  with detail\n", "");
    assert_eq!(rewrite(PAGE, &undetailed, &[]).expect("it fits").text, PAGE);
    let windows = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(rewrite(&windows(PAGE), &windows(&shorter), &[]).expect("it fits").text, windows(PAGE));
}

#[test]
fn dropped_lines_are_removed() {
    let new = PAGE.replace("- knows:: Babbage\n", "").replace("- advises [[acme]]\n", "");
    for drop in [&["knows:: Babbage", "- advises [[acme]]"][..], &["all"], &["facts", "relations"]] {
        let done = rewrite(PAGE, &new, drop).expect("it fits");
        assert_eq!(done.text, new, "{drop:?}");
        assert_eq!(done.lines.removed, ["- knows:: Babbage", "- advises [[acme]]"]);
    }
    let error = rewrite(PAGE, &new, &["- knows:: Nobody"]).expect_err("is not there");
    assert_eq!(error, EditError::NoLine { line: "knows:: Nobody".into() });
    let plain = "# Ada\n\nNothing.\n";
    assert_eq!(rewrite(PAGE, plain, &["all"]).expect("it fits").text, plain);
    let done = rewrite(
        PAGE,
        plain,
        &["facts", "relations", "observations", "- **2024-03-01** | meeting — Pivot agreed"],
    );
    assert_eq!(
        done.expect("it fits").text,
        "# Ada\n\nNothing.\n\n---\n\n## Timeline\n- **2023-01-01** | call — First call\n"
    );
    assert_eq!(
        rewrite(PAGE, plain, &["facts", "relations", "observations", "timeline"]).expect("it fits").text,
        plain
    );
}

#[test]
fn changed_line_is_mentioned() {
    for (old, new) in [
        ("- role:: CTO {2018..}", "- role:: CTO {2018..2020} (by: agent)"),
        ("- role:: CTO {2018..}", "- role:: CEO"),
        ("- founded [[acme]] (with Charles) {2017..}", "- founded [[Acme]] {2017-02..}"),
        (
            "- [belief] Enterprise is the path to durability #strategy",
            "- [belief] Enterprise is the only path to durability",
        ),
        ("  with detail\n", "  with detail\n  and more\n"),
    ] {
        let new = PAGE.replace(old, new);
        let done = rewrite(PAGE, &new, &[]).expect("it fits");
        assert_eq!(done.text, new, "{old}");
        assert_eq!(
            (done.lines.kept.len(), done.lines.added.len(), done.lines.removed.len()),
            (0, 1, 1),
            "{old}"
        );
    }
}

#[test]
fn line_that_says_something_else_is_not_mentioned() {
    for (old, new) in [
        ("- knows:: Babbage", "- knows:: Somerville"),
        ("- founded [[acme]] (with Charles) {2017..}", "- founded [[acme]] {1990..1991}"),
        ("- advises [[acme]]", "- advises [[other]]"),
        ("- [belief] Enterprise is the path to durability #strategy", "- [belief] Lunch is late"),
        ("- **2023-01-01** | call — First call", "- **2023-01-01** | call — Second call"),
        ("- **2023-01-01** | call — First call", "- **2023-01-01** | mail — First call"),
    ] {
        let done = rewrite(PAGE, &PAGE.replace(old, new), &[]).expect("it fits");
        assert!(done.text.contains(old) && done.text.contains(new), "{}", done.text);
        assert_eq!(done.lines.kept, [old]);
    }
}

#[test]
fn dated_value_ends_the_old_one() {
    let new = PAGE.replace("- role:: CTO {2018..}", "- role:: CEO {2021-05..}");
    let expected =
        PAGE.replace("- role:: CTO {2018..}", "- role:: CEO {2021-05..}\n- role:: CTO {2018..2021-04-30}");
    assert_eq!(rewrite(PAGE, &new, &[]).expect("it fits").text, expected);
}

#[test]
fn unclosed_code_block_is_rejected() {
    for new in ["# Ada\n\n```\ncode\n", "# Ada\n\n<!-- open\n"] {
        let error = rewrite(PAGE, new, &[]).expect_err("it would hide the lines");
        assert!(matches!(error, EditError::Hidden { .. }), "{error}");
    }
}

#[test]
fn timeline_only_grows() {
    let old = "# A\n\n---\n\nWords among entries.\n\n- **2024-01-02** — Second\n\nMore words.\n\n- **2024-01-01** — First\n";
    check_rewrite(
        old,
        "# A\n\n---\n\n- **2025-01-01** — Third\n",
        &[],
        expect![[r#"
        # A

        ---

        - **2025-01-01** — Third
        - **2024-01-02** — Second
        - **2024-01-01** — First

        Words among entries.

        More words.
        ====
        kept: Words among entries.
        kept: - **2024-01-02** — Second
        kept: More words.
        kept: - **2024-01-01** — First
        added: - **2025-01-01** — Third
    "#]],
    );
    // Text below a rule without entries is ordinary text.
    let plain = "# A\n\n---\n\nFooter.\n";
    assert_eq!(
        rewrite(plain, "# A\n\n---\n\nOther.\n", &[]).expect("it fits").text,
        "# A\n\n---\n\nOther.\n"
    );
    assert_eq!(rewrite(plain, "# B\n", &[]).expect("it fits").text, "# B\n\n---\n\nFooter.\n");
}

#[test]
fn nested_lines_are_kept() {
    let old = "# A\n\n- Plan\n  - [risk] Late\n  - knows [[B]]\n    - [why] Long ago\n";
    check_rewrite(
        old,
        "# A\n\nText.\n",
        &[],
        expect![[r#"
        # A

        Text.

        - [risk] Late
        - knows [[B]]
          - [why] Long ago
        ====
        kept: - [risk] Late
        kept: - knows [[B]]
        kept: - [why] Long ago
    "#]],
    );
    check_rewrite(
        old,
        "# A\n\n- knows [[B]]\n",
        &[],
        expect![[r#"
        # A

        - knows [[B]]
        - [risk] Late
        - [why] Long ago
        ====
        kept: - [risk] Late
        kept: - [why] Long ago
    "#]],
    );
}

#[test]
fn missing_subsection_is_written_in_its_section() {
    let old = "# A\n\n## State\nText.\n\n### Facts\n- role:: CTO\n\n## Log\nOld.\n";
    check_rewrite(
        old,
        "# A\n\n## State\nNew.\n\n## Log\nOld.\n",
        &[],
        expect![[r#"
        # A

        ## State
        New.

        ### Facts
        - role:: CTO

        ## Log
        Old.
        ====
        kept: - role:: CTO
    "#]],
    );
}

#[test]
fn replaced_text_names_its_lines() {
    let topic = |_: &Fact| None;
    let dropped = Dropped::default().with_found("Babbage");
    let terms = RewriteTerms { dropped: &dropped, topic: &topic };
    let new = PAGE.replace("Babbage", "Somerville");
    let done = carry_over(PAGE, &new, &terms).expect("it fits");
    assert_eq!(done.text, new);
    assert_eq!(
        (done.lines.added, done.lines.removed),
        (vec!["- knows:: Somerville".to_owned()], vec!["- knows:: Babbage".to_owned()])
    );
}

fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "# A",
        "## B",
        "### C",
        "a",
        "---",
        "```",
        "<!--",
        "    x",
        "- role:: x",
        "- role:: y {2020..}",
        "- knows:: x",
        "- knows:: y",
        "- [a] alpha one",
        "- [a] alpha two",
        "- [b] beta",
        "- likes [[x]]",
        "- likes [[y]] {2020..}",
        "  - likes [[x]]",
        "    - [a] alpha one",
        "> - p:: x",
        "1. likes [[z]]",
        "- plain",
        "- **2024-01-01** — x",
        "- **2024-01-02** | y — x",
        "  more",
        "  - knows:: x",
        "",
        "",
    ]);
    (prop::collection::vec(line, 0..12), prop::bool::ANY).prop_map(|(mut lines, ends)| {
        // Lines that say the same twice have no place of their own.
        let mut seen = std::collections::HashSet::new();
        lines.retain(|line| line.is_empty() || seen.insert(line.trim_start()));
        lines.join("\n") + if ends { "\n" } else { "" }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_is_accounted_for(old in text(), new in text()) {
        // A text that would hide lines is rejected.
        let Ok(done) = rewrite(&old, &new, &[]) else { return Ok(()) };
        let LineChanges { kept, removed, added } = &done.lines;
        prop_assert!(kept.iter().all(|line| !removed.contains(line)), "{:?}", done.lines);
        prop_assert!(removed.is_empty() || !added.is_empty() || new != old, "{:?}", done.lines);
        // The next write of the same text changes nothing.
        let again = rewrite(&done.text, &done.text, &[]).expect("the same text");
        prop_assert_eq!(&again.text, &done.text);
        prop_assert_eq!(again.lines, LineChanges::default());
    }

    #[test]
    fn repeated_rewrite_changes_nothing(old in text(), new in text()) {
        // Indented text below a kept list becomes a part of it, and a rule moves what is below an entry.
        let plain = |text: &str| text.replace("  more", "more").replace("```", "b").replace("<!--", "c");
        let (old, new) = (plain(&old), plain(&new).replace("---", "d"));
        let Ok(done) = rewrite(&old, &new, &[]) else { return Ok(()) };
        prop_assert_eq!(rewrite(&done.text, &new, &[]).map(|again| again.text), Ok(done.text));
    }

    #[test]
    fn empty_text_keeps_every_line(old in text()) {
        let before = crate::parse("", &old).page;
        let done = rewrite(&old, "# New\n", &[]);
        prop_assert!(done.is_ok(), "{done:?}");
        let done = done.expect("checked");
        let after = crate::parse("", &done.text).page;
        prop_assert!(done.lines.removed.is_empty(), "{:?}", done.lines);
        prop_assert!(after.facts.len() >= before.facts.len(), "{}", done.text);
        prop_assert!(after.observations.len() >= before.observations.len(), "{}", done.text);
        prop_assert!(after.entries.len() >= before.entries.len(), "{}", done.text);
    }

    #[test]
    fn same_text_is_unchanged(old in text()) {
        prop_assert_eq!(rewrite(&old, &old, &[]).expect("the same text").text, old);
    }
}

/// The lines of an entry and of what is nested in it are not the entry.
#[test]
fn entry_whose_lines_are_elsewhere_is_kept_each_time() {
    let old = "    x\n---\n- **2024-01-01** — x\n    - [a] alpha one";
    let new = "- **2024-01-01** — x\n- role:: x\n- [a] alpha one";
    let once = rewrite(old, new, &[]).expect("it fits").text;
    assert!(once.ends_with("---\n- **2024-01-01** — x\n    - [a] alpha one"), "{once}");
    assert_eq!(rewrite(&once, new, &[]).expect("it fits").text, once);
}

/// A paragraph directly below a relation makes it part of a longer text; the line itself is still there.
#[test]
fn line_with_text_directly_below_it_is_not_kept_twice() {
    check_rewrite(
        "# T\n\n- knows [[Ada]]\n",
        "# T\n\n- knows [[Ada]]\nMore.\n",
        &[],
        expect![[r#"
            # T

            - knows [[Ada]]
            More.
            ====
            removed: - knows [[Ada]]
        "#]],
    );
}
