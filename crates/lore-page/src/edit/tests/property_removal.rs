use expect_test::expect;

use super::property::{check_remove, check_set};
use super::*;

#[test]
fn removes_a_key_with_all_its_lines() {
    let page = "---\n# top\na: 1 # one\ntags:\n  - x\n  - y\n\n# about b\nb: |\n  text\nc: 3\n---\nBody\n";
    check_remove(
        page,
        "a",
        expect![[r#"
             # top
            -a: 1 # one
             tags:
        "#]],
    );
    check_remove(
        page,
        "tags",
        expect![[r#"
             a: 1 # one
            -tags:
            -  - x
            -  - y

        "#]],
    );
    check_remove(
        page,
        "b",
        expect![[r#"
             # about b
            -b: |
            -  text
             c: 3
        "#]],
    );
    check_remove(
        page,
        "none",
        expect![[r#"
            unchanged
        "#]],
    );
    check_remove(
        "---\na: 1\n---\n# T\n",
        "a",
        expect![[r#"
            ----
            -a: 1
            ----
             # T
        "#]],
    );
    check_remove(
        "---\n# kept\na: 1\n---\n# T\n",
        "a",
        expect![[r#"
             # kept
            -a: 1
             ---
        "#]],
    );
    check_remove(
        "---\na: 1\nb: 2\na: 3\n---\n",
        "a",
        expect![[r#"
             ---
            -a: 1
            -b: 2
            -a: 3
            +b: 2
             ---
        "#]],
    );
    check_remove(
        "# T\n",
        "a",
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn rule_after_the_frontmatter_does_not_become_a_fence() {
    check_remove(
        "---\na: 1\n---\n---\nb: 2\n---\n",
        "a",
        expect![[r#"
             ---
            -a: 1
             ---
        "#]],
    );
}

#[test]
fn rejects_unreadable_frontmatter() {
    check_set(
        "---\na: 1\ntitle: Foo: bar\n---\n",
        "a",
        scalar("2"),
        expect![[r#"
            line 3: the frontmatter is not valid YAML: mapping values are not allowed in this context; fix the frontmatter and retry
        "#]],
    );
    check_set(
        "---\n- a\n---\n",
        "a",
        scalar("2"),
        expect![[r#"
            line 2: the frontmatter is not a mapping of `key: value` lines; fix the frontmatter and retry
        "#]],
    );
    check_set(
        "---\na: 1\n",
        "a",
        scalar("2"),
        expect![[r#"
            line 1: the frontmatter is not closed; fix the frontmatter and retry
        "#]],
    );
    check_set(
        "---\n{a: 1}\n---\n",
        "a",
        scalar("2"),
        expect![[r#"
            line 2: only plain `key: value` lines can be edited; fix the frontmatter and retry
        "#]],
    );
    check_set(
        "---\n? a\n: b\n---\n",
        "a",
        scalar("2"),
        expect![[r#"
            line 2: only plain `key: value` lines can be edited; fix the frontmatter and retry
        "#]],
    );
    check_set(
        "---\na: &x 1\nb: *x\n---\n",
        "a",
        scalar("2"),
        expect![[r#"
            cannot change property `a` safely; edit its line in the file
        "#]],
    );
    check_remove(
        "---\na: &x 1\nb: *x\n---\n",
        "a",
        expect![[r#"
            cannot change property `a` safely; edit its line in the file
        "#]],
    );
    check_remove(
        "---\na: \"\n---\n",
        "a",
        expect![[r#"
            line 2: the frontmatter is not valid YAML: while scanning a quoted scalar, found unexpected end of stream; fix the frontmatter and retry
        "#]],
    );
}
