use expect_test::expect;

use super::*;

const PAGE: &str = "---\ntitle: Ada\n---\n# Ada\n\nOld words.\n\n## More\n- works_at [[Acme]]\n\n---\n\n## Timeline\n- **2024-01-02** | call — First\n";

fn by(with: &'static str) -> impl Fn(&str) -> Result<String, EditError> {
    move |text: &str| replace_truth(text, with)
}

#[test]
fn replaces_only_the_truth() {
    check(
        PAGE,
        by("New words.\n\nAnd more."),
        expect![[r#"

        -Old words.
        -
        -## More
        -- works_at [[Acme]]
        +New words.
        +
        +And more.

    "#]],
    );
    check(
        PAGE,
        by("# Ada Lovelace\nNew."),
        expect![[r#"
         ---
        -# Ada
        -
        -Old words.
        -
        -## More
        -- works_at [[Acme]]
        +# Ada Lovelace
        +New.

    "#]],
    );
    check(
        "# T\n\nold\n",
        by("new"),
        expect![[r#"

        -old
        +new

    "#]],
    );
    check(
        "old",
        by("new"),
        expect![[r#"
        -old
        +new
        +
    "#]],
    );
    check(
        "",
        by("new\n"),
        expect![[r#"
        +new

    "#]],
    );
    check(
        "---\ntags: [a]\n---\n\n\nT\n=\n\nold\n",
        by("---\ntags: [b]\n---\nnew\n"),
        expect![[r#"

        -old
        +new

    "#]],
    );
    check(
        "intro\n\n# T\n\nold\n",
        by("new"),
        expect![[r#"
        -intro
        -
        -# T
        -
        -old
        +new

    "#]],
    );
}

#[test]
fn text_that_would_move_the_timeline_is_rejected() {
    for with in ["New.\n\n---\n\nBelow.", "```\nopen", "~~~\nopen\n"] {
        assert_eq!(replace_truth(PAGE, with), Err(EditError::Timeline), "{with}");
        assert_eq!(add_to_truth(PAGE, with), Err(EditError::Timeline), "{with}");
    }
    assert_eq!(replace_truth("old\n", "a\n\n---\nb"), Err(EditError::Timeline));
    assert_eq!(replace_truth(PAGE, " \n"), Err(EditError::Missing { part: "text" }));
    assert_eq!(replace_truth(PAGE, "---\ntitle: X\n---\n"), Err(EditError::Missing { part: "text" }));
}

#[test]
fn adds_at_the_end_of_the_truth() {
    let add = |text: &str| add_to_truth(text, "Added.");
    check(
        PAGE,
        add,
        expect![[r#"

        +Added.
        +
         ---
    "#]],
    );
    check(
        "# T\nlast",
        add,
        expect![[r#"
         last
        +
        +Added.
        +
    "#]],
    );
    check(
        "# T\n\n\n\n",
        add,
        expect![[r#"

        +Added.
        +

    "#]],
    );
    check(
        "---\ntitle: X\n---\n",
        add,
        expect![[r#"
         ---
        +Added.

    "#]],
    );
    check(
        "---\ntitle: X\n---\n\n---\n- **2024-01-02** | call — First\n",
        add,
        expect![[r#"
         ---
        +Added.

    "#]],
    );
}
