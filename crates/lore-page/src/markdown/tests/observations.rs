use expect_test::expect;

use super::check;

#[test]
fn extract_observations_with_categories() {
    check(
        "- [definition] AI is intelligence exhibited by machines",
        expect![[r#"
            1: [definition] AI is intelligence exhibited by machines
        "#]],
    );
}

#[test]
fn extract_observation_tags() {
    check(
        "- [technique] Gradient descent #ml #optimization",
        expect![[r#"
            1: [technique] Gradient descent #ml #optimization, tags ml optimization
        "#]],
    );
}

#[test]
fn extract_observation_context() {
    check(
        "- [fact] Water boils at 100°C (at sea level)",
        expect![[r#"
            1: [fact] Water boils at 100°C, context at sea level
        "#]],
    );
}

#[test]
fn exclude_checkboxes_from_observations() {
    check("- [x] Completed task\n- [ ] Pending task", expect![[""]]);
    check("- [X] a\n- [-] b\n- [/] c\n- [>] d\n- [?] e\n- [!] f\n- [*] g\n- [✓] h\n", expect![[""]]);
}

#[test]
fn exclude_markdown_links_from_observations() {
    check("- [click here](https://example.com)", expect![[""]]);
    check("- [click here](https://example.com) and more", expect![[""]]);
    check("- [click here][ref] and more\n- [ref] too\n\n[ref]: https://example.com\n", expect![[""]]);
}

#[test]
fn other_brackets_are_not_categories() {
    check(
        "- [[link]] text\n- [^1] footnote\n- [^1]: footnote\n- [!note] callout\n",
        expect![[r#"
            1: links_to -> link
        "#]],
    );
    check("- [00:01:42] said\n- [12:30] said\n- [00:01:42.500] said\n", expect![[""]]);
    check("- [a(b)] text\n- [] text\n- [ a\n- [a]text\n- [a]\n- [a]   \n- \\[a] text\n", expect![[""]]);
}

#[test]
fn unusual_categories() {
    check(
        "- [1] numbered\n- [a] letter\n- [技術] 学習 #機械\n- [two words] text\n- [ padded ] text\n",
        expect![[r#"
            1: [1] numbered
            2: [a] letter
            3: [技術] 学習 #機械, tags 機械
            4: [two words] text
            5: [padded] text
        "#]],
    );
}

#[test]
fn content_keeps_tags_and_drops_context() {
    check(
        "- [design] X #a #b (ctx)",
        expect![[r#"
            1: [design] X #a #b, context ctx, tags a b
        "#]],
    );
    check(
        "- [design] X #t1#t2 (see #t3)",
        expect![[r#"
            1: [design] X #t1#t2, context see #t3, tags t1 t2 t3
        "#]],
    );
    check(
        "- [design] X #a, #a and `#c` and [#d](x.html) and C#e",
        expect![[r#"
            1: [design] X #a, #a and `#c` and [#d](x.html) and C#e, tags a
        "#]],
    );
}

#[test]
fn context_is_found_before_tags() {
    check(
        "- [t] text (ctx) #tag\n- [t] text (ctx) #a #b#c\n- [t] text #a (ctx) #b\n- [t] (all) #a\n",
        expect![[r#"
            1: [t] text #tag, context ctx, tags tag
            2: [t] text #a #b#c, context ctx, tags a b c
            3: [t] text #a #b, context ctx, tags a b
            4: [t] (all) #a, tags a
        "#]],
    );
    check(
        "- [t] text (ctx) #tag.\n- [t] text (ctx) #1\n- [t] #a #b\n- [t] text (one) #a (two)\n",
        expect![[r#"
            1: [t] text (ctx) #tag., tags tag
            2: [t] text (ctx) #1
            3: [t] #a #b, tags a b
            4: [t] text (one) #a, context two, tags a
        "#]],
    );
}

#[test]
fn context_is_the_last_parenthesis_after_a_space() {
    check(
        "- [a] nested (one (two))\n- [a] call f(x)\n- [a] middle (one) end\n- [a] (all of it)\n",
        expect![[r#"
            1: [a] nested, context one (two)
            2: [a] call f(x)
            3: [a] middle (one) end
            4: [a] (all of it)
        "#]],
    );
    check(
        "- [a] empty ()\n- [a] unbalanced x) (y)\n- [a] see [docs](http://x)\n- [a] smile :)\n",
        expect![[r#"
            1: [a] empty ()
            2: [a] unbalanced x), context y
            3: [a] see [docs](http://x)
            4: [a] smile :)
        "#]],
    );
}

#[test]
fn all_kinds_of_lists_are_parsed() {
    check(
        "* [a] star\n+ [b] plus\n1. [c] one\n2) [d] two\n\n> - [e] quoted\n> > 1. [f] twice\n",
        expect![[r#"
            1: [a] star
            2: [b] plus
            3: [c] one
            4: [d] two
            6: [e] quoted
            7: [f] twice
        "#]],
    );
    check(
        "- [a] outer\n  - [b] inner\n    1. [c] innermost\n",
        expect![[r#"
            1: [a] outer
            2: [b] inner
            3: [c] innermost
        "#]],
    );
    check(
        "-   [a] wide\n\n    second paragraph [[x]]\n\n- [b] loose\n",
        expect![[r#"
            1: [a] wide
            5: [b] loose
            3: links_to -> x
        "#]],
    );
}

#[test]
fn first_paragraph_is_joined() {
    check(
        "- [a] one\n  two #x\nlazy (three\n  four)\n",
        expect![[r#"
            1: [a] one two #x lazy, context three four, tags x
        "#]],
    );
    check(
        "> - [a] one\n>   two\n>   `co\n>   de` (three)\n",
        expect![[r#"
            1: [a] one two `co de`, context three
        "#]],
    );
    check(
        "- [a] one  \n  two\\\n  three\n",
        expect![[r#"
            1: [a] one two three
        "#]],
    );
}

#[test]
fn other_text_is_not_an_observation() {
    check(
        "[a] no list\n\n# [a] heading\n\n- text [a] later\n- > [a] quote\n- # [a] heading\n",
        expect![[""]],
    );
}

#[test]
fn carriage_returns_are_ignored() {
    check(
        "---\r\ntitle: x\r\n---\r\n- [a] one\r\n  two (three)\r\n- knows [[B]]\r\n",
        expect![[r#"
            4: [a] one two, context three
            6: knows -> B
        "#]],
    );
}
