use expect_test::expect;

use super::{check, parse};

#[test]
fn extract_explicit_relation() {
    check(
        "- implements [[Machine Learning]]",
        expect![[r#"
            1: implements -> Machine Learning
        "#]],
    );
    assert_eq!(
        parse("a.md", "- implements [[Machine Learning]]").page.links[0].target_key(),
        "machine-learning"
    );
}

#[test]
fn extract_implicit_link_relation() {
    check(
        "This relates to [[Statistics]] in many ways",
        expect![[r#"
            1: links_to -> Statistics
        "#]],
    );
    assert_eq!(parse("a.md", "This relates to [[Statistics]]").page.links[0].target_key(), "statistics");
}

#[test]
fn handle_nested_wiki_links() {
    check(
        "- uses [[React [[Hooks]]]]",
        expect![[r#"
            1: uses -> React [[Hooks]]
        "#]],
    );
}

#[test]
fn verb_is_a_word_or_a_quoted_phrase() {
    check(
        "- works_at [[A]]\n- is-a [[B]]\n- \"multi word\" [[C]]\n- связан [[D]]\n- 实现 [[E]]\n- v2 [[F]]\n",
        expect![[r#"
            1: works_at -> A
            2: is-a -> B
            3: multi word -> C
            4: связан -> D
            5: 实现 -> E
            6: v2 -> F
        "#]],
    );
}

#[test]
fn other_text_around_a_link_makes_it_plain() {
    check(
        "- some thing [[A]]\n- Added [[B]] to roster\n- [[C]]\n- verb: [[D]]\n- verb[[E]]\n- \"\" [[F]]\n\
         - **bold** [[G]]\n- -- [[H]]\n",
        expect![[r#"
            1: links_to -> A
            2: links_to -> B
            3: links_to -> C
            4: links_to -> D
            5: links_to -> E
            6: links_to -> F
            7: links_to -> G
            8: links_to -> H
        "#]],
    );
    check(
        "- a [[A]] [[B]]\n- b [[C]], [[D]]\n- c ![[E]]\n- [ ] d [[F]]\n- [x] e [[G]]\n",
        expect![[r#"
            1: links_to -> A
            1: links_to -> B
            2: links_to -> C
            2: links_to -> D
            3: links_to -> embedded E
            4: links_to -> F
            5: links_to -> G
        "#]],
    );
    check(
        "knows [[A]]\n\n> knows [[B]]\n\n# knows [[C]]\n",
        expect![[r#"
            1: links_to -> A
            3: links_to -> B
            5: links_to -> C
        "#]],
    );
}

#[test]
fn context_and_interval_in_either_order() {
    check(
        "- a [[A]] (ctx)\n- b [[B]] {2017-01-01..}\n- c [[C]] (ctx) {..2018}\n- d [[D]] {2017..2018-06} (ctx)\n",
        expect![[r#"
            1: a -> A (ctx)
            2: b -> B {2017-01-01..}
            3: c -> C (ctx) {..2018}
            4: d -> D (ctx) {2017..2018-06}
        "#]],
    );
    check(
        "- a [[A]](close){2017..}\n- b [[B]] (see [[C]])\n- c [[D]] (one) (two)\n- d [[E]] {2017..} {2018..}\n",
        expect![[r#"
            1: a -> A (close) {2017..}
            2: b -> B (see [[C]])
            2: links_to -> C
            3: links_to -> D
            4: links_to -> E
        "#]],
    );
    check(
        "- a [[A]] (with Henrique)\n  {2017-01-01..}\n- b\n  [[B]]\n- c [[C\n  D]]\n",
        expect![[r#"
            1: a -> A (with Henrique) {2017-01-01..}
            4: b -> B
            5: c -> C D
        "#]],
    );
}

#[test]
fn invalid_interval_is_reported_and_dropped() {
    check(
        "- a [[A]] {2017-13..}\n\n- b [[B]] {2018..2017} (ctx)\n- c [[C]] {soon}\n- d [[D]] {..}\n",
        expect![[r#"
            1: a -> A
            3: b -> B (ctx)
            4: c -> C
            5: d -> D
            1: warning: `{2017-13..}` is not an interval; write {from..until} with YYYY, YYYY-MM or YYYY-MM-DD, in order
            3: warning: `{2018..2017}` is not an interval; write {from..until} with YYYY, YYYY-MM or YYYY-MM-DD, in order
            4: warning: `{soon}` is not an interval; write {from..until} with YYYY, YYYY-MM or YYYY-MM-DD, in order
            5: warning: `{..}` is not an interval; write {from..until} with YYYY, YYYY-MM or YYYY-MM-DD, in order
        "#]],
    );
}

#[test]
fn relation_keeps_heading_and_label() {
    check(
        "- uses [[A#Install|the guide]] (ctx)\n- uses [[A#^block]]\n",
        expect![[r#"
            1: uses -> A#Install|the guide (ctx)
            2: uses -> A#^block
        "#]],
    );
}
