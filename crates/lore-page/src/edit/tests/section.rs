use expect_test::expect;

use super::*;

const PAGE: &str = "\
---
title: T
---
# T

Intro

## Alpha
old
### Sub
deep

## Beta

```
## Alpha
```
text

## Log

one

---

## Timeline
- **2024-01-01** | x — y
";

fn replace(heading: &'static str, with: &'static str) -> impl Fn(&str) -> Result<String, EditError> {
    move |text| replace_section(text, heading, with)
}

#[test]
fn replaces_a_section_and_its_subsections() {
    check(
        PAGE,
        replace("Alpha", "new\n\nlines\n"),
        expect![[r#"
             ## Alpha
            -old
            -### Sub
            -deep
            +new
            +
            +lines

        "#]],
    );
    check(
        PAGE,
        replace("## beta", "new"),
        expect![[r#"

            -```
            -## Alpha
            -```
            -text
            +new

        "#]],
    );
    check(
        PAGE,
        replace("Sub", "new"),
        expect![[r#"
             ### Sub
            -deep
            +new

        "#]],
    );
    check(
        PAGE,
        replace("Beta", "## Beta\n\nnew\n"),
        expect![[r#"

            -```
            -## Alpha
            -```
            -text
            +new

        "#]],
    );
    check(
        PAGE,
        replace("Alpha", "\n## Alpha\nold\n### Sub\ndeep"),
        expect![[r#"
            unchanged
        "#]],
    );
    check(
        PAGE,
        replace("Alpha", ""),
        expect![[r#"
             ## Alpha
            -old
            -### Sub
            -deep

        "#]],
    );
    check(
        PAGE,
        replace("Timeline", "gone"),
        expect![[r#"
             ## Timeline
            -- **2024-01-01** | x — y
            +gone

        "#]],
    );
}

#[test]
fn section_ends_at_the_rule() {
    check(
        PAGE,
        replace("Log", "two"),
        expect![[r#"

            -one
            +two

        "#]],
    );
    check(
        "# T\nText\n\n---\nBelow\n",
        replace("T", "New"),
        expect![[r#"
             # T
            -Text
            +New

        "#]],
    );
    check(
        "# T\n\nText\n***\nmore\n",
        replace("T", "New"),
        expect![[r#"

            -Text
            -***
            -more
            +New

        "#]],
    );
}

#[test]
fn sections_may_be_empty_or_unfinished() {
    check(
        "## A\n## B\n",
        replace("A", "new"),
        expect![[r#"
             ## A
            +new
            +
             ## B
        "#]],
    );
    check(
        "## A\n\n## B\n",
        replace("A", "new"),
        expect![[r#"

            +new
            +
             ## B
        "#]],
    );
    check(
        "## A",
        replace("A", "new"),
        expect![[r#"
             ## A
            +new
            +
        "#]],
    );
    check(
        "## A\nold",
        replace("A", "new"),
        expect![[r#"
             ## A
            -old
            +new
            +
        "#]],
    );
    check(
        "Title\n=====\nold\n\nOther\n-----\ntext\n",
        replace("Title", "new"),
        expect![[r#"
             =====
            -old
            -
            -Other
            ------
            -text
            +new

        "#]],
    );
    check(
        "Title\n=====\nold\n\nOther\n-----\ntext\n",
        replace("Other", "new"),
        expect![[r#"
             -----
            -text
            +new

        "#]],
    );
    check(
        "## Größe `x` #\nold\n",
        replace("größe x", "new"),
        expect![[r#"
             ## Größe `x` #
            -old
            +new

        "#]],
    );
}

#[test]
fn duplicate_headings_need_a_path() {
    let page = "# 2023\n## Log\na\n# 2024\n## Log\nb\n### Log\nc\n# A/B\nd\n";
    check(
        page,
        replace("Log", "new"),
        expect![[r#"
            3 sections are named "Log"; give a heading path, such as "2023 > Log"
        "#]],
    );
    check(
        page,
        replace("2023/Log", "new"),
        expect![[r#"
             ## Log
            -a
            +new
            +
             # 2024
        "#]],
    );
    check(
        page,
        replace("2024 > log", "new"),
        expect![[r#"
             ## Log
            -b
            -### Log
            -c
            +new
            +
             # A/B
        "#]],
    );
    check(
        page,
        replace("### Log", "new"),
        expect![[r#"
             ### Log
            -c
            +new
            +
             # A/B
        "#]],
    );
    check(
        page,
        replace("## Log", "new"),
        expect![[r###"
            2 sections are named "## Log"; give a heading path, such as "2023 > Log"
        "###]],
    );
    check(
        page,
        replace("A/B", "new"),
        expect![[r#"
             # A/B
            -d
            +new

        "#]],
    );
    check(
        page,
        replace("Lag", "new"),
        expect![[r#"
            no section named "Lag"; sections: 2023, Log, 2024, Log, Log, A/B
        "#]],
    );
    check(
        "no headings\n",
        replace("Lag", "new"),
        expect![[r#"
            no section named "Lag"; the page has no sections
        "#]],
    );
    check(
        "# a\n# A\nx\n",
        replace("A", "new"),
        expect![[r#"
             # A
            -x
            +new

        "#]],
    );
}

#[test]
fn inserts_around_a_section() {
    check(
        PAGE,
        |text| insert_before_section(text, "Alpha", "## New\ntext"),
        expect![[r#"

            +## New
            +text
            +
             ## Alpha
        "#]],
    );
    check(
        PAGE,
        |text| insert_after_section(text, "Alpha", "## New\n"),
        expect![[r#"

            +## New
            +
             ## Beta
        "#]],
    );
    check(
        PAGE,
        |text| insert_after_section(text, "Log", "New"),
        expect![[r#"

            +New
            +
             ---
        "#]],
    );
    check(
        PAGE,
        |text| insert_after_section(text, "Timeline", "New"),
        expect![[r#"

            +New
            +
        "#]],
    );
    check(
        PAGE,
        |text| insert_before_section(text, "T", "New"),
        expect![[r#"
             ---
            +New
            +
             # T
        "#]],
    );
    check(
        "# A\nx\n# B",
        |text| insert_before_section(text, "B", "New"),
        expect![[r#"
             x
            +
            +New
            +
             # B
        "#]],
    );
    check(
        "# A\nx\n# B",
        |text| insert_after_section(text, "B", "New"),
        expect![[r#"
             # B
            +
            +New
            +
        "#]],
    );
    check(
        "# A\nx\n# B",
        |text| insert_after_section(text, "B", " \n"),
        expect![[r#"
            unchanged
        "#]],
    );
}
