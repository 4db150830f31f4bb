use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::page::Value;

/// Renders the properties one per line, then the diagnostics, then the body.
fn rendered(text: &str) -> String {
    let found = read(text);
    let mut out = String::new();
    for (key, value) in found.properties.iter() {
        out += &format!("{key} = {}\n", shown(value));
    }
    for diagnostic in &found.diagnostics {
        out += &format!("! {}: {}\n", diagnostic.line, diagnostic.message);
    }
    out + &format!("body {:?}\n", &text[found.body_start..])
}

fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| format!("{key}: {}", shown(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&rendered(text));
}

/// Checks the properties and diagnostics of a block, which is wrapped in fences.
#[track_caller]
fn check_yaml(yaml: &str, expected: Expect) {
    let out = rendered(&format!("---\n{yaml}\n---\n"));
    expected.assert_eq(out.strip_suffix("body \"\"\n").expect("the body is empty"));
}

#[test]
fn all_field_types_are_text() {
    check_yaml(
        "title: My Title\ntags: [a, b]\ncreated: 2025-01-15\ncount: 42\ndraft: true\nnothing: null",
        expect![[r#"
            title = "My Title"
            tags = ["a", "b"]
            created = "2025-01-15"
            count = "42"
            draft = "True"
        "#]],
    );
}

#[test]
fn scalars_are_kept_as_written() {
    check_yaml(
        "version: 1.10\nid: 007\nhex: 0x1F\nbig: 1_000\nfloat: 1e3\nyes: yes\nquoted: \"true\"\nother: '~'\ncolon: a:b\nurl: https://x.org/#a",
        expect![[r#"
            version = "1.10"
            id = "007"
            hex = "0x1F"
            big = "1_000"
            float = "1e3"
            yes = "yes"
            quoted = "true"
            other = "~"
            colon = "a:b"
            url = "https://x.org/#a"
        "#]],
    );
}

#[test]
fn timestamps_become_iso_8601() {
    check_yaml(
        "a: 2025-01-15 10:30:00\nb: 2025-01-15T10:30:00\nc: 2025-01-15 10:30:00.5 +01:00\nd: 2025-01-15 10:30\ne: \"2025-01-15 10:30:00\"\nf: 2025-01-15 10:30:00 sharp",
        expect![[r#"
            a = "2025-01-15T10:30:00"
            b = "2025-01-15T10:30:00"
            c = "2025-01-15T10:30:00.5+01:00"
            d = "2025-01-15 10:30"
            e = "2025-01-15 10:30:00"
            f = "2025-01-15 10:30:00 sharp"
        "#]],
    );
}

#[test]
fn nulls_are_dropped_and_booleans_normalized() {
    check_yaml(
        "a:\nb: ~\nc: NULL\nd: TRUE\ne: False\nf: [true, ~, x]\ng: []\nh: ''\ni: {j: , k: 1}",
        expect![[r#"
            d = "True"
            e = "False"
            f = ["True", "x"]
            g = []
            h = ""
            i = {k: "1"}
        "#]],
    );
}

#[test]
fn lists_maps_and_block_scalars() {
    check_yaml(
        "tags:\n- ai # one\n- \"b c\"\nsource:\n  author: Ada\n  pages: [1, 2]\nnote: |\n  one\n  two\nfolded: >-\n  one\n  two\nlong: a\n  b",
        expect![[r#"
            tags = ["ai", "b c"]
            source = {author: "Ada", pages: ["1", "2"]}
            note = "one\ntwo\n"
            folded = "one two"
            long = "a b"
        "#]],
    );
}

#[test]
fn last_duplicate_key_wins() {
    check_yaml(
        "a: 1\nb: 2\na: 3\nc: {d: 4, d: 5}\na: 6",
        expect![[r#"
            a = "6"
            b = "2"
            c = {d: "5"}
            ! 5: duplicate key `d` (2 times); the last value is used
            ! 6: duplicate key `a` (3 times); the last value is used
        "#]],
    );
}

#[test]
fn bad_yaml_affects_only_its_own_line() {
    check(
        "---\ntitle: Foo: bar # note\ntags: [a, \"b\"]\nlist:\n- x\n- 'y'\nok: true\nbroken: [a, \"b c\"\nquote: \"half\nstatus: done\n---\nBody\n",
        expect![[r#"
            title = "Foo: bar"
            tags = ["a", "b"]
            list = ["x", "y"]
            ok = "True"
            broken = "[a, \"b c\""
            quote = "\"half"
            status = "done"
            ! 2: the frontmatter is not valid YAML: mapping values are not allowed in this context
            body "Body\n"
        "#]],
    );
    check(
        "---\ntags:\n\t- a\n\t- b: c: d\n\"key\": 'v'x\n---\n",
        expect![[r#"
            tags = ["a", "b: c: d"]
            key = "'v'x"
            ! 3: the frontmatter is not valid YAML: tabs disallowed within this context (block indentation)
            body ""
        "#]],
    );
}

#[test]
fn other_yaml_documents_are_reported() {
    check(
        "---\n- a\n- b\n---\nBody\n",
        expect![[r#"
            ! 2: the frontmatter is not a mapping of `key: value` lines
            body "Body\n"
        "#]],
    );
    check(
        "---\na: 1\n--- b: 2\n---\n",
        expect![[r#"
            a = "1"
            ! 3: the frontmatter contains a second YAML document
            body ""
        "#]],
    );
    check(
        "---\ntitle: {{title}}\nok: 1\n---\n",
        expect![[r#"
            title = {}
            ok = "1"
            body ""
        "#]],
    );
}

#[test]
fn fences_allow_trailing_space_crlf_and_byte_order_mark() {
    check(
        "\u{feff}--- \r\ntitle: Ü\r\n...\t\r\nBody\r\n",
        expect![[r#"
            title = "Ü"
            body "Body\r\n"
        "#]],
    );
    check(
        "---\n---",
        expect![[r#"
            body ""
        "#]],
    );
    check(
        "---\n# only a comment\n---\n\nBody",
        expect![[r#"
            body "\nBody"
        "#]],
    );
    assert_eq!(read("---\na: 1\n---\n").lines, Some(LineRange { first: 1, last: 3 }));
}

#[test]
fn without_a_block_everything_is_body() {
    check(
        "",
        expect![[r#"
            body ""
        "#]],
    );
    check(
        "\u{feff}x",
        expect![[r#"
            body "x"
        "#]],
    );
    check(
        "----\na: 1\n----\n",
        expect![[r#"
            body "----\na: 1\n----\n"
        "#]],
    );
    check(
        "\n---\na: 1\n---\n",
        expect![[r#"
            body "\n---\na: 1\n---\n"
        "#]],
    );
    check(
        "---\ntitle: x\n ---\n",
        expect![[r#"
            ! 1: the frontmatter is not closed; add a `---` line after it
            body "---\ntitle: x\n ---\n"
        "#]],
    );
}

#[test]
fn diagnostic_lines_follow_the_file() {
    let found = read("---\n\r-\r\r\0\n---\n");
    assert_eq!(found.diagnostics[0].line, 3);
}

#[test]
fn aliases_are_resolved_within_a_limit() {
    check_yaml(
        "a: &x [1, 2]\nb: *x\nc: &y [*y]\nd: !!str true",
        expect![[r#"
            a = ["1", "2"]
            b = ["1", "2"]
            c = ["*y"]
            d = "true"
        "#]],
    );
    let mut laughs = String::from("---\na0: &a0 [lol, lol, lol, lol]\n");
    for level in 1..20 {
        let of = vec![format!("*a{}", level - 1); 9].join(", ");
        laughs += &format!("a{level}: &a{level} [{of}]\n");
    }
    let found = read(&(laughs + "---\n"));
    assert_eq!(found.properties.0.len(), 20);
    assert!(shown(found.properties.get("a19").expect("the last key")).len() < 1_000_000);
}

#[test]
fn deep_nesting_is_rejected() {
    let deep = format!("---\ntitle: x\ndeep: {}{}\n---\n", "[".repeat(200), "]".repeat(200));
    let found = read(&deep);
    assert_eq!(found.properties.text("title"), Some("x"));
    assert_eq!(found.diagnostics[0].message, "the frontmatter is nested deeper than 32 levels");
    assert_eq!(found.diagnostics[0].line, 3);
    assert!(read(&format!("---\n{}\n---\n", "- ".repeat(100_000))).properties.0.is_empty());
}

#[test]
fn lookups_prefer_the_exact_key() {
    let found = read("---\nTitle: A\ntitle: B\nTAGS: [x, {y: z}]\nalias: one\n---\n").properties;
    assert_eq!(
        (found.text("title"), found.text("Title"), found.text("TITLE")),
        (Some("B"), Some("A"), Some("A"))
    );
    assert_eq!((found.list("tags"), found.list("alias")), (vec!["x".to_owned()], vec!["one".to_owned()]));
    assert_eq!((found.text("tags"), found.get("none")), (None, None));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(text in "(---\n)?[a-c:\\-\\[\\]{}&*!|>'\"#%@`,?~ \t\r\n.é🎉\u{feff}\u{0}]{0,60}(\n---\n)?.{0,9}") {
        let found = read(&text);
        prop_assert!(text.is_char_boundary(found.body_start));
        let lines = text.lines().count().max(1) as u32;
        prop_assert!(found.diagnostics.iter().all(|diagnostic| (1..=lines).contains(&diagnostic.line)));
    }

    #[test]
    fn plain_lines_are_read_as_written(values in proptest::collection::vec("[a-zé][a-zé0-9 .-]{0,12}[b-df-km-z]", 1..6)) {
        let block: String = values.iter().enumerate().map(|(at, value)| format!("k{at}: {value}\n")).collect();
        let found = read(&format!("---\n{block}---\n"));
        prop_assert!(found.diagnostics.is_empty());
        let read_back: Vec<_> = found.properties.iter().map(|(_, value)| value.clone()).collect();
        prop_assert_eq!(read_back, values.into_iter().map(Value::Text).collect::<Vec<_>>());
    }
}
