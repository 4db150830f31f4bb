use expect_test::{Expect, expect};

use super::*;
use crate::page::{Properties, Value};

#[track_caller]
pub(super) fn check_set(before: &str, key: &str, value: Value, expected: Expect) {
    check(before, |text| set_property(text, key, &value), expected);
}

#[track_caller]
pub(super) fn check_remove(before: &str, key: &str, expected: Expect) {
    check(before, |text| remove_property(text, key), expected);
}

#[test]
fn properties_parted_by_a_carriage_return_are_not_lost() {
    for (page, key) in
        [("---\nborn: 1815\rtags:\n---\nBody\n", "tags"), ("---\ntags:\rborn: 1815\n---\nBody\n", "tags")]
    {
        let removed = remove_property(page, key);
        assert!(removed.as_ref().is_err_and(|error| error.to_string().contains(key)), "{removed:?}");
    }
}

#[test]
fn replaces_only_the_value() {
    let page = "---\n# Who\ntitle:   Ada   # the first\nborn: 1815\n---\nBody\n";
    check_set(
        page,
        "title",
        scalar("Ada Lovelace"),
        expect![[r#"
             # Who
            -title:   Ada   # the first
            +title:   Ada Lovelace   # the first
             born: 1815
        "#]],
    );
    check_set(
        page,
        "born",
        scalar("1816"),
        expect![[r#"
             title:   Ada   # the first
            -born: 1815
            +born: 1816
             ---
        "#]],
    );
    check_set(
        page,
        "Title",
        scalar("Ada King"),
        expect![[r#"
             # Who
            -title:   Ada   # the first
            +title:   Ada King   # the first
             born: 1815
        "#]],
    );
    check_set(
        page,
        "born",
        scalar("1815"),
        expect![[r#"
            unchanged
        "#]],
    );
    check_set(
        "---\na:\nb: # later\n---\n",
        "a",
        scalar("x"),
        expect![[r#"
             ---
            -a:
            +a: x
             b: # later
        "#]],
    );
    check_set(
        "---\na:\nb: # later\n---\n",
        "b",
        scalar("x"),
        expect![[r#"
             a:
            -b: # later
            +b: x # later
             ---
        "#]],
    );
}

#[test]
fn keeps_existing_quotes() {
    check_set(
        "---\na: \"x\" # c\n---\n",
        "a",
        scalar("y"),
        expect![[r#"
             ---
            -a: "x" # c
            +a: "y" # c
             ---
        "#]],
    );
    check_set(
        "---\na: 'x'\n---\n",
        "a",
        scalar("it's"),
        expect![[r#"
             ---
            -a: 'x'
            +a: 'it''s'
             ---
        "#]],
    );
    check_set(
        "---\na: 'x'\n---\n",
        "a",
        scalar("two\nlines"),
        expect![[r#"
             ---
            -a: 'x'
            +a: "two\nlines"
             ---
        "#]],
    );
}

#[test]
fn quotes_text_that_would_read_as_something_else() {
    for text in [
        "",
        "true",
        "null",
        "~",
        "a: b",
        "a #b",
        "- a",
        "@x",
        "yes",
        "2025-01-15 10:30:00",
        " x",
        "10:30",
        "[x]",
        "# x",
        "*x",
        "é\u{85}",
    ] {
        let edited = set_property("", "k", &scalar(text)).expect("it can be written");
        assert!(edited.starts_with("---\nk: \"") && edited.ends_with("\"\n---\n"), "{edited}");
    }
    for text in [
        "True",
        "1.10",
        "007",
        "2025-01-15",
        "a:b",
        "a#b",
        "Hello, world",
        "it's",
        "é ü",
        "-x",
        "http://x.org/?a=b",
        "x [y]",
    ] {
        let edited = set_property("", "k", &scalar(text)).expect("it can be written");
        assert_eq!(edited, format!("---\nk: {text}\n---\n"));
    }
}

#[test]
fn adds_a_line_or_a_block() {
    check_set(
        "---\na: 1\n# end\n---\nBody\n",
        "b",
        scalar("2"),
        expect![[r#"
             # end
            +b: 2
             ---
        "#]],
    );
    check_set(
        "# Title\n",
        "b",
        texts(&["x", "y z", "a, b", "- c"]),
        expect![[r#"
            +---
            +b: [x, y z, "a, b", "- c"]
            +---
             # Title
        "#]],
    );
    check_set(
        "",
        "b: c",
        scalar("x"),
        expect![[r#"
            +---
            +"b: c": x
            +---

        "#]],
    );
    check_set(
        "---\n---\n",
        "a",
        scalar("x"),
        expect![[r#"
             ---
            +a: x
             ---
        "#]],
    );
    check_set(
        "---\n  a: 1\n---\n",
        "b",
        scalar("2"),
        expect![[r#"
               a: 1
            +  b: 2
             ---
        "#]],
    );
    let map = Value::Map(Properties(vec![("x".to_owned(), scalar("1")), ("y".to_owned(), texts(&["true"]))]));
    check_set(
        "---\na: |\n  text\n---\n",
        "m",
        map,
        expect![[r#"
               text
            +m: {x: 1, "y": ["true"]}
             ---
        "#]],
    );
}

#[test]
fn replaces_multiline_values() {
    let page = "---\nnote: | # why\n  one\n\n  two\n\nlong: a\n  b # c\nmap:\n  x: 1\n  # inside\n  y: 2\n# after\nflow: [a,\n  b] # d\nbelow:\n  value # e\nend: 1\n---\n";
    check_set(
        page,
        "note",
        scalar("short"),
        expect![[r#"
             ---
            -note: | # why
            -  one
            -
            -  two
            +note: short # why

        "#]],
    );
    check_set(
        page,
        "long",
        scalar("short"),
        expect![[r#"

            -long: a
            -  b # c
            +long: short # c
             map:
        "#]],
    );
    check_set(
        page,
        "map",
        scalar("short"),
        expect![[r#"
               b # c
            -map:
            -  x: 1
            -  # inside
            -  y: 2
            +map: short
             # after
        "#]],
    );
    check_set(
        page,
        "flow",
        scalar("short"),
        expect![[r#"
             # after
            -flow: [a,
            -  b] # d
            +flow: short # d
             below:
        "#]],
    );
    check_set(
        page,
        "below",
        scalar("short"),
        expect![[r#"
               b] # d
            -below:
            -  value # e
            +below: short # e
             end: 1
        "#]],
    );
    check_set(
        "---\na: |\nb: 1\n---\n",
        "a",
        scalar("x"),
        expect![[r#"
             ---
            -a: |
            +a: x
             b: 1
        "#]],
    );
}
