use expect_test::expect;

use super::property::check_set;
use super::*;

#[test]
fn flow_list_keeps_unchanged_items() {
    let flow = "---\ntags: [ a,  'b' , c ] # mine\n---\n";
    check_set(
        flow,
        "tags",
        texts(&["a", "b", "c", "d"]),
        expect![[r#"
             ---
            -tags: [ a,  'b' , c ] # mine
            +tags: [ a,  'b' , c, d ] # mine
             ---
        "#]],
    );
    check_set(
        flow,
        "tags",
        texts(&["a", "c"]),
        expect![[r#"
             ---
            -tags: [ a,  'b' , c ] # mine
            +tags: [ a,  c ] # mine
             ---
        "#]],
    );
    check_set(
        flow,
        "tags",
        texts(&["x", "a", "b", "c"]),
        expect![[r#"
             ---
            -tags: [ a,  'b' , c ] # mine
            +tags: [ x, a,  'b' , c ] # mine
             ---
        "#]],
    );
    check_set(
        flow,
        "tags",
        texts(&["a", "b"]),
        expect![[r#"
             ---
            -tags: [ a,  'b' , c ] # mine
            +tags: [ a,  'b' ] # mine
             ---
        "#]],
    );
    check_set(
        flow,
        "tags",
        texts(&["x"]),
        expect![[r#"
             ---
            -tags: [ a,  'b' , c ] # mine
            +tags: [ x ] # mine
             ---
        "#]],
    );
    check_set(
        flow,
        "tags",
        texts(&[]),
        expect![[r#"
             ---
            -tags: [ a,  'b' , c ] # mine
            +tags: [] # mine
             ---
        "#]],
    );
}

#[test]
fn block_list_keeps_unchanged_items() {
    let block = "---\ntags: # mine\n  - a # first\n  # between\n  - \"b\"\n  - c\nend: 1\n---\n";
    check_set(
        block,
        "tags",
        texts(&["a", "b", "c", "x: y"]),
        expect![[r#"
               - c
            +  - "x: y"
             end: 1
        "#]],
    );
    check_set(
        block,
        "tags",
        texts(&["a", "c"]),
        expect![[r#"
               # between
            -  - "b"
               - c
        "#]],
    );
    check_set(
        block,
        "tags",
        texts(&["n", "a", "b", "c"]),
        expect![[r#"
             tags: # mine
            +  - "n"
               - a # first
        "#]],
    );
    check_set(
        block,
        "tags",
        texts(&["n"]),
        expect![[r#"
             tags: # mine
            -  - a # first
            -  # between
            -  - "b"
            -  - c
            +  - "n"
             end: 1
        "#]],
    );
    check_set(
        block,
        "tags",
        texts(&[]),
        expect![[r#"
             ---
            -tags: # mine
            -  - a # first
            -  # between
            -  - "b"
            -  - c
            +tags: [] # mine
             end: 1
        "#]],
    );
    check_set(
        block,
        "tags",
        scalar("one"),
        expect![[r#"
             ---
            -tags: # mine
            -  - a # first
            -  # between
            -  - "b"
            -  - c
            +tags: one # mine
             end: 1
        "#]],
    );
    check_set(
        "---\ntags:\n- a\n- ~\n---\n",
        "tags",
        texts(&["a", "b"]),
        expect![[r#"
             - a
            -- ~
            +- b
             ---
        "#]],
    );
}
