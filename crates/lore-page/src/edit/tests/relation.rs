use expect_test::{Expect, expect};

use super::*;
use crate::interval::Interval;

fn relation(relation: &str, target: &str) -> NewRelation {
    NewRelation { relation: relation.to_owned(), target: target.to_owned(), ..NewRelation::default() }
}

#[track_caller]
fn check_add(before: &str, new: NewRelation, expected: Expect) {
    check(before, |text| add_relation(text, &new), expected);
}

#[test]
fn adds_to_the_relations_section() {
    let page = "# T\n- knows [[A]]\n\n## Relations\n\n- knows [[B]]\n  more\n\n## Notes\n- likes [[C]]\n\n---\nBelow\n";
    check_add(
        page,
        relation("works at", "Brex"),
        expect![[r#"
               more
            +- "works at" [[Brex]]

        "#]],
    );
    check_add(
        "## Relations\n## Notes\n",
        relation("knows", "A"),
        expect![[r#"
             ## Relations
            +- knows [[A]]
            +
             ## Notes
        "#]],
    );
    check_add(
        "## relations\n\nProse.\n\n### Sub\n",
        relation("knows", "A"),
        expect![[r#"

            +- knows [[A]]
            +
             ### Sub
        "#]],
    );
    check_add(
        "## Relations\n* [x] [[A]]\n",
        relation("knows", "[[A#b|c]]"),
        expect![[r#"
             * [x] [[A]]
            +* knows [[A#b|c]]

        "#]],
    );
}

#[test]
fn adds_after_the_last_relation_of_the_truth() {
    check_add(
        "Text\n* knows [[A]]\n\nMore\n\n---\n- knows [[B]]\n",
        relation("knows", "C"),
        expect![[r#"
             * knows [[A]]
            +* knows [[C]]

        "#]],
    );
    check_add(
        "- a\n  - knows [[A]]\n  - b\n",
        relation("knows", "C"),
        expect![[r#"
               - knows [[A]]
            +  - knows [[C]]
               - b
        "#]],
    );
    check_add(
        "- knows [[A]]\n\n  more\n\n      code\n\n> quote\n",
        relation("knows", "C"),
        expect![[r#"
                   code
            +- knows [[C]]

        "#]],
    );
    check_add(
        "> - knows [[A]]\n>   (more)\n> - x\n",
        relation("knows", "C"),
        expect![[r#"
             >   (more)
            +> - knows [[C]]
             > - x
        "#]],
    );
    check_add(
        "```\n- knows [[A]]\n```\n- knows [[B]]",
        relation("knows", "A"),
        expect![[r#"
             - knows [[B]]
            +- knows [[A]]
            +
        "#]],
    );
}

#[test]
fn starts_a_list_at_the_end_of_the_truth() {
    check_add(
        "---\nup: \"[[X]]\"\n---\n# T\n\nProse\n\n---\nBelow\n",
        relation("knows", "A"),
        expect![[r#"

            +- knows [[A]]
            +
             ---
        "#]],
    );
    check_add(
        "# T\n",
        relation("knows", "A"),
        expect![[r#"

            +- knows [[A]]
            +
        "#]],
    );
    check_add(
        "",
        relation("knows", "A"),
        expect![[r#"
            +- knows [[A]]

        "#]],
    );
    check_add(
        "---\na: 1\n---\n---\nBelow\n",
        relation("knows", "A"),
        expect![[r#"
             ---
            +- knows [[A]]
            +
             ---
        "#]],
    );
    check_add(
        "Prose\n- [belief] x\n",
        relation("knows", "A"),
        expect![[r#"
             - [belief] x
            +- knows [[A]]

        "#]],
    );
    check_add(
        "Prose\n***\nmore",
        relation("knows", "A"),
        expect![[r#"
             more
            +
            +- knows [[A]]
            +
        "#]],
    );
}

#[test]
fn writes_context_and_interval() {
    let interval: Interval = "2017-01-01..".parse().expect("an interval");
    let new =
        NewRelation { context: Some("with\nHenrique ".to_owned()), interval, ..relation("founded", "Brex") };
    check_add(
        "- a [[B]]\n",
        new.clone(),
        expect![[r#"
             - a [[B]]
            +- founded [[Brex]] (with Henrique) {2017-01-01..}

        "#]],
    );
    check_add(
        "- founded [[Brex|us]] (with Henrique) {2017-01-01..}\n",
        new,
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn rejects_relations_that_would_not_read_back() {
    check_add(
        "",
        relation("", "A"),
        expect![[r#"
            the relation must not be empty
        "#]],
    );
    check_add(
        "",
        relation("knows", "]] x"),
        expect![[r#"
            the line `- knows [[]] x]]` would not parse as a relation: change its target, which contains ']'
        "#]],
    );
    check_add(
        "```\nopen",
        relation("knows", "A"),
        expect![[r#"
            the line `- knows [[A]]` would not parse as a relation: close the code block or comment above it
        "#]],
    );
    check_add(
        "",
        NewRelation { context: Some(":)".to_owned()), ..relation("knows", "A") },
        expect![[r#"
            +- knows [[A]] (:\))

        "#]],
    );
}

#[test]
fn closes_a_relation() {
    let page = "---\nup: \"[[X]]\"\n---\n- knows [[A]] (x) {2017..}\n- knows [[B]]  \n- [[C]] {x}\n* knows [[D]] { 2017 .. 2018 } (y)\n- knows [[E]]\n  (z)\n";
    let close = |line, until: &'static str| {
        move |text: &str| close_relation(text, line, until.parse().expect("a date"))
    };
    check(
        page,
        close(4, "2020-05"),
        expect![[r#"
             ---
            -- knows [[A]] (x) {2017..}
            +- knows [[A]] (x) {2017..2020-05}
             - knows [[B]]
        "#]],
    );
    check(
        page,
        close(4, "2016"),
        expect![[r#"
            line 4 is valid from 2017, which is after 2016; give a later end date
        "#]],
    );
    check(
        page,
        close(5, "2020"),
        expect![[r#"
             - knows [[A]] (x) {2017..}
            -- knows [[B]]
            +- knows [[B]] {..2020}
             - [[C]] {x}
        "#]],
    );
    check(
        page,
        close(7, "2019"),
        expect![[r#"
             - [[C]] {x}
            -* knows [[D]] { 2017 .. 2018 } (y)
            +* knows [[D]] {2017..2019} (y)
             - knows [[E]]
        "#]],
    );
    check(
        page,
        close(7, "2018"),
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        page,
        close(8, "2019"),
        expect![[r#"
             - knows [[E]]
            -  (z)
            +  (z) {..2019}

        "#]],
    );
    check(
        page,
        close(6, "2019"),
        expect![[r#"
            no relation on line 6; read the page for its current lines
        "#]],
    );
    check(
        page,
        close(2, "2019"),
        expect![[r#"
            no relation on line 2; read the page for its current lines
        "#]],
    );
    check(
        page,
        close(99, "2019"),
        expect![[r#"
            no relation on line 99; read the page for its current lines
        "#]],
    );
}

#[test]
fn removes_the_line_of_a_relation() {
    let page = "- knows [[A]]\n- [[B]]\nProse [[C]]\n- prose [[D]] here\n* ![[E]]";
    for (line, removed) in [(1, true), (2, true), (3, false), (4, false), (5, true), (6, false)] {
        let result = remove_link_line(page, line);
        let kept = |(at, text)| if at == line as usize { None } else { Some(text) };
        let expected: String = (1..).zip(page.split_inclusive('\n')).filter_map(kept).collect();
        assert_eq!(result, if removed { Ok(expected) } else { Err(EditError::NoRelation { line }) });
    }
}
