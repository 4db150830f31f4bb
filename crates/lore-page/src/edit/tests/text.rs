use expect_test::expect;

use super::*;

#[test]
fn appends_at_the_end() {
    let add = |addition: &'static str| move |text: &str| append(text, addition);
    check(
        "# T\n",
        add("New\nlines"),
        expect![[r#"
             # T
            +New
            +lines

        "#]],
    );
    check(
        "# T\nlast",
        add("New"),
        expect![[r#"
             last
            +New
            +
        "#]],
    );
    check(
        "# T\n\n",
        add("New\n"),
        expect![[r#"

            +New

        "#]],
    );
    check(
        "",
        add("New"),
        expect![[r#"
            +New

        "#]],
    );
    check(
        "# T",
        add(""),
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        "---\na: 1\n---",
        add("New"),
        expect![[r#"
             ---
            +New
            +
        "#]],
    );
}

#[test]
fn prepends_after_the_frontmatter() {
    let add = |addition: &'static str| move |text: &str| prepend(text, addition);
    check(
        "---\na: 1\n---\n\n# T\n",
        add("New"),
        expect![[r#"
             ---
            +New

        "#]],
    );
    check(
        "---\na: 1\n---",
        add("New"),
        expect![[r#"
             ---
            +New
            +
        "#]],
    );
    check(
        "# T\n",
        add("New\n"),
        expect![[r#"
            +New
             # T
        "#]],
    );
    check(
        "",
        add("New"),
        expect![[r#"
            +New

        "#]],
    );
    check(
        "---\nnot closed\n",
        add("New"),
        expect![[r#"
            +New
             ---
        "#]],
    );
}

#[test]
fn replaces_text_that_occurs_as_often_as_expected() {
    let page = "---\ntitle: Foo\n---\nFoo is foo.\nFoo\nlast\n";
    let replace = |find: &'static str, with: &'static str, count| {
        move |text: &str| replace_text(text, find, with, count)
    };
    check(
        page,
        replace("is foo", "ist Fuß", None),
        expect![[r#"
             ---
            -Foo is foo.
            +Foo ist Fuß.
             Foo
        "#]],
    );
    check(
        page,
        replace("Foo", "Bar", None),
        expect![[r#"
            the text occurs 3 times, expected 1; give a longer text or the right count
        "#]],
    );
    check(
        page,
        replace("Foo", "Bar", Some(3)),
        expect![[r#"
             ---
            -title: Foo
            ----
            -Foo is foo.
            -Foo
            +title: Bar
            +---
            +Bar is foo.
            +Bar
             last
        "#]],
    );
    check(
        page,
        replace("none", "Bar", None),
        expect![[r#"
            the text occurs 0 times, expected 1; read the page for its current text
        "#]],
    );
    check(
        page,
        replace("none", "Bar", Some(0)),
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        page,
        replace("", "Bar", None),
        expect![[r#"
            the text to find is empty; give the text to replace
        "#]],
    );
    check(
        page,
        replace(".\nFoo\n", ".\nBar\nbaz\n", None),
        expect![[r#"
             Foo is foo.
            -Foo
            +Bar
            +baz
             last
        "#]],
    );
    check(
        page,
        replace("last\n", "", None),
        expect![[r#"
             Foo
            -last

        "#]],
    );
}

#[test]
fn keeps_other_line_endings() {
    assert_eq!(append("a\r\nb\nc\r\n", "d"), Ok("a\r\nb\nc\r\nd\r\n".to_owned()));
    assert_eq!(append("a\r\nb\n", "d\r\ne"), Ok("a\r\nb\nd\ne\n".to_owned()));
    assert_eq!(replace_text("a\nb\r\nc\r\n", "c", "d\ne", None), Ok("a\nb\r\nd\r\ne\r\n".to_owned()));
}

/// Text directly below a list item would become part of it, and change what it says.
#[test]
fn appended_text_does_not_become_part_of_an_item() {
    let text = "# T\n\n- knows [[Ada]]\n";
    assert_eq!(append(text, "More."), Ok(format!("{text}\nMore.\n")));
    assert_eq!(append("- a\r\n  - b\r\n", "More."), Ok("- a\r\n  - b\r\n\r\nMore.\r\n".to_owned()));
    for joined in ["- likes [[Tea]]", "1. one", "  detail", "## Heading", "\nMore."] {
        assert_eq!(append(text, joined), Ok(format!("{text}{joined}\n")), "{joined:?}");
    }
    assert_eq!(append("- a\n\nText\n", "More."), Ok("- a\n\nText\nMore.\n".to_owned()));
}
