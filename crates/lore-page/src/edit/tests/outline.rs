use expect_test::expect;

use super::*;

/// Removes the sections with this heading.
fn without(heading: &'static str) -> impl Fn(&str) -> Result<String, EditError> {
    move |text| {
        let places = sections(text);
        Ok(remove_sections(text, places.iter().filter(|place| place.heading.text == heading)))
    }
}

#[test]
fn section_includes_its_heading_and_everything_under_it() {
    let text = "intro\n\n## A\none\n### Deep\ntwo\n\nB\n---\n\nthree\n\n***\n\n---\n\nfour\n## C";
    let found: Vec<_> = sections(text)
        .into_iter()
        .map(|place| (place.heading.text, place.whole.of(text), place.body.of(text)))
        .collect();
    assert_eq!(
        found,
        [
            ("A".to_owned(), "## A\none\n### Deep\ntwo\n\n", "one\n### Deep\ntwo\n\n"),
            ("Deep".to_owned(), "### Deep\ntwo\n\n", "two\n\n"),
            ("B".to_owned(), "B\n---\n\nthree\n\n***\n\n", "\nthree\n\n***\n\n"),
            ("C".to_owned(), "## C", ""),
        ]
    );
}

#[test]
fn heading_after_a_lone_carriage_return_is_skipped() {
    assert_eq!(sections("# A\r\rtext\r## B\rmore\r"), []);
}

#[test]
fn seven_hashes_are_text_and_indented_dashes_continue_it() {
    let text = "####### A\n---\none\n\nB\n    ---\nmore\n===\ntwo\n";
    let bodies: Vec<_> = sections(text).iter().map(|place| place.body.of(text).to_owned()).collect();
    assert_eq!(bodies, ["one\n\n", "two\n"]);
}

#[test]
fn removes_sections_with_their_subsections() {
    check(
        "# T\n\n## A\n\none\n\n### Deep\n\n## B\n\ntwo\n\n## A\nthree\n",
        without("A"),
        expect![[r#"

            -## A
            -
            -one
            -
            -### Deep
            -
            -## B
            -
            -two
            -
            -## A
            -three
            +## B
            +
            +two
            +

        "#]],
    );
}

#[test]
fn surrounding_lines_do_not_run_together() {
    for (before, after) in [
        ("text\n## A\none\n\n---\nrest\n", "text\n\n---\nrest\n"),
        ("text\n## A\n- one\n---\nrest\n", "text\n\n---\nrest\n"),
        ("text\n## A\none\n\nB\n---\nrest\n", "text\n\nB\n---\nrest\n"),
        ("text\n## A\none\n## B\n", "text\n## B\n"),
        ("text\n\n## A\none\n\n## B\n", "text\n\n## B\n"),
        ("text\n## A\none\n\n## A\n\n## B\n", "text\n\n## B\n"),
        ("\u{feff}## A\none\n\nB\n===\n", "\u{feff}B\n===\n"),
        ("text\n## A\none\n\n", "text\n"),
        ("## A\none\n\n---\nb\n---\n", "\n---\nb\n---\n"),
    ] {
        assert_eq!(without("A")(before).as_deref(), Ok(after), "{before:?}");
    }
}
