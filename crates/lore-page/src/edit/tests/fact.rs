use expect_test::{Expect, expect};

use super::*;

fn fact(predicate: &str, object: &str) -> NewFact {
    NewFact { predicate: predicate.to_owned(), object: object.to_owned(), ..NewFact::default() }
}

fn full() -> NewFact {
    let some = |text: &str| Some(text.to_owned());
    NewFact {
        subject: some("Pedro"),
        interval: "2018..".parse().expect("an interval"),
        source: some("meeting/123"),
        by: some("agent"),
        confidence: some("0.9"),
        evidence: some("we (the board; all) agreed"),
        ..fact("is_ceo_of", "[[Brex]]")
    }
}

#[track_caller]
fn check_add(before: &str, new: NewFact, expected: Expect) {
    check(before, |text| add_fact(text, &new), expected);
}

#[test]
fn adds_after_the_last_fact() {
    check_add(
        "## Facts\n\n## Else\n- a:: b\n  more\n- c\n\n---\n- d:: e\n",
        full(),
        expect![[r#"
               more
            +- Pedro | is_ceo_of:: [[Brex]] {2018..} (source: meeting/123; by: agent; confidence: 0.9; "we (the board; all) agreed")
             - c
        "#]],
    );
    check_add(
        "- a:: b\nlazy\n# T\n",
        fact("c", "d"),
        expect![[r#"
             lazy
            +- c:: d
             # T
        "#]],
    );
    check_add(
        "## Else\n- a:: b\n  more\n",
        fact("a", "b more"),
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn adds_to_a_section_or_the_end_of_the_truth() {
    check_add(
        "# T\n\n## State\nProse.\n\n- [belief] x\n\n### Sub\n\n---\nBelow\n",
        fact("a", "b"),
        expect![[r#"
             - [belief] x
            +- a:: b

        "#]],
    );
    check_add(
        "## facts\nProse.\n## Else\n",
        fact("a", "b"),
        expect![[r#"
             Prose.
            +
            +- a:: b
            +
             ## Else
        "#]],
    );
    check_add(
        "# T\n\nProse\n---\n\n---\n\nBelow",
        fact("a", "b"),
        expect![[r#"

            +- a:: b
            +
             ---
        "#]],
    );
}

#[test]
fn is_written_once_and_reads_back() {
    let written = add_fact("", &full()).expect("it is written");
    assert_eq!(add_fact(&written, &full()).as_ref(), Ok(&written));
    check_add(
        "",
        fact("two words", "b"),
        expect![[r#"
            the line `- two words:: b` would not parse as a fact: change its predicate
        "#]],
    );
    check_add(
        "",
        fact("a", " "),
        expect![[r#"
            the object must not be empty
        "#]],
    );
    check_add(
        "",
        fact("a", "b {2017..}"),
        expect![[r#"
            +- a:: b \{2017..\}

        "#]],
    );
}

#[test]
fn closes_a_fact() {
    let page = "- a:: b\n- c:: d {2017..} (source: x)\n- e:: f (g) (source: x; \"(h\")\n- i:: j (k)\n- l:: m {2017..2018}\n- x [[Y]]\n";
    let close = |line| move |text: &str| close_fact(text, line, "2020".parse().expect("a date"));
    check(
        page,
        close(1),
        expect![[r#"
            -- a:: b
            +- a:: b {..2020}
             - c:: d {2017..} (source: x)
        "#]],
    );
    check(
        page,
        close(2),
        expect![[r#"
             - a:: b
            -- c:: d {2017..} (source: x)
            +- c:: d {2017..2020} (source: x)
             - e:: f (g) (source: x; "(h")
        "#]],
    );
    check(
        page,
        close(3),
        expect![[r#"
             - c:: d {2017..} (source: x)
            -- e:: f (g) (source: x; "(h")
            +- e:: f (g) {..2020} (source: x; "(h")
             - i:: j (k)
        "#]],
    );
    check(
        page,
        close(4),
        expect![[r#"
             - e:: f (g) (source: x; "(h")
            -- i:: j (k)
            +- i:: j (k) {..2020}
             - l:: m {2017..2018}
        "#]],
    );
    check(
        page,
        close(5),
        expect![[r#"
             - i:: j (k)
            -- l:: m {2017..2018}
            +- l:: m {2017..2020}
             - x [[Y]]
        "#]],
    );
    check(
        page,
        close(6),
        expect![[r#"
            no fact on line 6; read the page for its current lines
        "#]],
    );
    check(
        "- a:: b {2021..}\n",
        close(1),
        expect![[r#"
            line 1 is valid from 2021, which is after 2020; give a later end date
        "#]],
    );
}
