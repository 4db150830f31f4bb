use expect_test::expect;

use super::*;

#[test]
fn adds_a_tag_once() {
    let add = |tag: &'static str| move |text: &str| add_tag(text, tag);
    check(
        "---\ntags: [a]\n---\nText #inline\n",
        add("b"),
        expect![[r#"
             ---
            -tags: [a]
            +tags: [a, b]
             ---
        "#]],
    );
    check(
        "---\ntags: [a]\n---\nText #inline\n",
        add("#A"),
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        "---\ntags: [a]\n---\nText #inline\n",
        add("inline"),
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        "---\ntags: a, b\n---\n",
        add("c"),
        expect![[r#"
             ---
            -tags: a, b
            +tags: [a, b, c]
             ---
        "#]],
    );
    check(
        "---\ntags:\n- a\n---\n",
        add("two words"),
        expect![[r#"
             - a
            +- two words
             ---
        "#]],
    );
    check(
        "Body\n",
        add("Überblick"),
        expect![[r#"
            +---
            +tags: [Überblick]
            +---
             Body
        "#]],
    );
    check(
        "Body\n",
        add(" # "),
        expect![[r#"
            a tag must be a single line with at least one character besides `#`
        "#]],
    );
}

#[test]
fn removes_a_tag_from_the_frontmatter() {
    let remove = |tag: &'static str| move |text: &str| remove_tag(text, tag);
    check(
        "---\ntags: [a, b]\n---\n",
        remove("#A"),
        expect![[r#"
             ---
            -tags: [a, b]
            +tags: [b]
             ---
        "#]],
    );
    check(
        "---\ntags: [a]\nx: 1\n---\n",
        remove("a"),
        expect![[r#"
             ---
            -tags: [a]
             x: 1
        "#]],
    );
    check(
        "---\ntag: a b\n---\n",
        remove("b"),
        expect![[r#"
             ---
            -tag: a b
            +tag: [a]
             ---
        "#]],
    );
    check(
        "---\ntags: [a]\n---\nOn #a\n",
        remove("a"),
        expect![[r#"
            ----
            -tags: [a]
            ----
             On #a
        "#]],
    );
    check(
        "---\nx: 1\n---\n\nOn #b and #Later\n",
        remove("later"),
        expect![[r#"
            tag `later` is in the text on line 5, not in the frontmatter; edit that line
        "#]],
    );
    check(
        "---\nx: 1\n---\n",
        remove("none"),
        expect![[r#"
            unchanged
        "#]],
    );
}
