use expect_test::expect;

use super::check;

#[test]
fn forms_of_a_fact() {
    check(
        "- is_ceo_of:: Brex {2018-01-01..} (source: meeting/123; by: agent; confidence: 0.9)\n\
         - born:: 1996\n- Pedro Franceschi | lives_in:: São Paulo (by: user)\n* _private:: yes\n1. имя:: Педро\n",
        expect![[r#"
            1: fact is_ceo_of = Brex {2018-01-01..}, source meeting/123, by agent, confidence 0.9
            2: fact born = 1996
            3: fact Pedro Franceschi | lives_in = São Paulo, by user
            4: fact _private = yes
            5: fact имя = Педро
        "#]],
    );
}

#[test]
fn links_lose_their_brackets() {
    check(
        "- owns:: [[A]] and [[B|b]] and [c](c.md) and `[[code]]`\n- [[X|x]] | knows:: [[Y]]\n- [Z](z.md) | knows:: z\n- uses:: [[React [[Hooks]]]]\n",
        expect![[r#"
            1: links_to -> A
            1: links_to -> B|b
            1: links_to -> markdown notes/c.md|c
            2: links_to -> X|x
            2: links_to -> Y
            3: links_to -> markdown notes/z.md|Z
            4: links_to -> React [[Hooks]]
            1: fact owns = A and B and c and `[[code]]`
            2: fact X | knows = Y
            3: fact Z | knows = z
            4: fact uses = React [[Hooks]]
        "#]],
    );
}

#[test]
fn interval_and_provenance_in_either_order() {
    check(
        "- a:: b (source: x) {2017..}\n- a:: b {2017..} (\"said so\")\n",
        expect![[r#"
            1: fact a = b {2017..}, source x
            2: fact a = b {2017..}, evidence said so
        "#]],
    );
    check(
        "- a:: b (SOURCE: x; “curly; quoted”; Confidence: high)\n- a:: b (source: chat; \"sad :(\")\n",
        expect![[r#"
            1: fact a = b, source x, confidence high, evidence curly; quoted
            2: fact a = b, source chat, evidence sad :(
        "#]],
    );
    check(
        "- a:: b\n  {2017..}\n  (source:\n  x)\n",
        expect![[r#"
            1: fact a = b {2017..}, source x
        "#]],
    );
}

#[test]
fn other_parentheses_and_braces_stay_in_the_object() {
    check(
        "- a:: Brex (the company)\n- a:: f(source: x)\n- set:: {a, b}\n- a:: b (one) (source: x)\n",
        expect![[r#"
            1: fact a = Brex (the company)
            2: fact a = f(source: x)
            3: fact set = {a, b}
            4: fact a = b (one), source x
        "#]],
    );
}

#[test]
fn malformed_facts_are_reported() {
    check(
        "- a::\n- b:: {2017..}\n- c:: d {2017-13..}\n- e:: f (source: x; in person; by:)\n",
        expect![[r#"
            3: fact c = d
            4: fact e = f, source x
            1: warning: `a::` has no object, so it is not a fact
            2: warning: `b::` has no object, so it is not a fact
            3: warning: `{2017-13..}` is not an interval; write {from..until} with YYYY, YYYY-MM or YYYY-MM-DD, in order
            4: warning: `in person` is not valid provenance; use source:, by:, confidence: or a quoted text
        "#]],
    );
}

#[test]
fn other_text_is_not_a_fact() {
    check(
        "- std::vec is nice\n- two words:: x\n- a:b\n- a: : b\n- 1a:: x\n- | a:: x\n- a::b\n- [ ] a:: x\n",
        expect![[""]],
    );
    check("a:: no list\n\n- `a:: code`\n- text\n\n  a:: second paragraph\n", expect![[""]]);
}
