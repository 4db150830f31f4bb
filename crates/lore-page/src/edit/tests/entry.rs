use expect_test::{Expect, expect};

use super::*;

fn entry(date: &str, summary: &str) -> NewEntry {
    NewEntry { date: date.to_owned(), summary: summary.to_owned(), ..NewEntry::default() }
}

#[track_caller]
fn check_add(before: &str, new: NewEntry, expected: Expect) {
    check(before, |text| add_entry(text, &new), expected);
}

#[test]
fn entries_are_sorted_newest_first() {
    let page = "# T\n- **2020-01-01** | x — not here\n\n---\n\n## Timeline\n- **2024-03-01** | a — b\n  detail\n- **2024-01-01** | c — d\n\n## More\n";
    let detailed = NewEntry {
        source: Some("meeting".to_owned()),
        detail: Some("one\n\n  two\n".to_owned()),
        ..entry("2024-02-01", "New – and so on")
    };
    check_add(
        page,
        detailed,
        expect![[r#"
               detail
            +- **2024-02-01** | meeting — New – and so on
            +  one
            +
            +    two
             - **2024-01-01** | c — d
        "#]],
    );
    check_add(
        page,
        entry("2025-01-01", "New"),
        expect![[r#"
             ## Timeline
            +- **2025-01-01** — New
             - **2024-03-01** | a — b
        "#]],
    );
    check_add(
        page,
        entry("2024-03-01", "New"),
        expect![[r#"
               detail
            +- **2024-03-01** — New
             - **2024-01-01** | c — d
        "#]],
    );
    check_add(
        page,
        entry("2023-01-01", "New"),
        expect![[r#"
             - **2024-01-01** | c — d
            +- **2023-01-01** — New

        "#]],
    );
    check_add(
        page,
        entry("2024-01-01", "d"),
        expect![[r#"
            unchanged
        "#]],
    );
    let spaced = "---\n\n* **2024-03-01** — b\n\n* **2024-01-01** — d";
    check_add(
        &format!("T\n\n{spaced}"),
        entry("2024-02-01", "New"),
        expect![[r#"

            +* **2024-02-01** — New
            +
             * **2024-01-01** — d
        "#]],
    );
    check_add(
        &format!("T\n\n{spaced}"),
        entry("2023-02-01", "New"),
        expect![[r#"
             * **2024-01-01** — d
            +
            +* **2023-02-01** — New
            +
        "#]],
    );
}

#[test]
fn rule_and_heading_are_created() {
    check_add(
        "",
        entry("2024-01-01", "New"),
        expect![[r#"

            +---
            +
            +## Timeline
            +- **2024-01-01** — New
            +
        "#]],
    );
    check_add(
        "# T\nProse",
        entry("2024-01-01", "New"),
        expect![[r#"
             Prose
            +
            +---
            +
            +## Timeline
            +- **2024-01-01** — New
            +
        "#]],
    );
    check_add(
        "---\na: 1\n---\n",
        entry("2024-01-01", "New"),
        expect![[r#"

            +---
            +
            +## Timeline
            +- **2024-01-01** — New
            +
        "#]],
    );
    check_add(
        "Prose\n\n---\n",
        entry("2024-01-01", "New"),
        expect![[r#"

            +## Timeline
            +- **2024-01-01** — New
            +
        "#]],
    );
    check_add(
        "Prose\n\n---\n\n## Timeline\n\n## More\n",
        entry("2024-01-01", "New"),
        expect![[r#"
             ## Timeline
            +- **2024-01-01** — New

        "#]],
    );
    check_add(
        "Prose\n\n---\n\n## Timeline\nNothing yet.\n",
        entry("2024-01-01", "New"),
        expect![[r#"

            +- **2024-01-01** — New
            +
        "#]],
    );
    check_add(
        "# T\n## Timeline\n",
        entry("2024-01-01", "New"),
        expect![[r#"
             # T
            -## Timeline
            +
            +---
            +
            +## Timeline
            +- **2024-01-01** — New

        "#]],
    );
    check_add(
        "## Timeline\n",
        entry("2024-01-01", "New"),
        expect![[r#"
            -## Timeline
            +
            +---
            +
            +## Timeline
            +- **2024-01-01** — New

        "#]],
    );
    check_add(
        "# T\n\n## Timeline\n\n# More\n",
        entry("2024-01-01", "New"),
        expect![[r#"
             ## Timeline
            +- **2024-01-01** — New

        "#]],
    );
}

#[test]
fn entries_need_a_day_and_a_summary() {
    check_add(
        "",
        entry("2024-01", "New"),
        expect![[r#"

            +---
            +
            +## Timeline
            +- **2024-01** — New
            +
        "#]],
    );
    check_add(
        "",
        entry("2023-02-29", "New"),
        expect![[r#"
            invalid date "2023-02-29"; use YYYY-MM-DD, YYYY-MM, YYYY, or a range such as 2022-03-10..2022-03-16
        "#]],
    );
    check_add(
        "",
        entry("2024-01-01", " "),
        expect![[r#"
            the summary must not be empty
        "#]],
    );
    let source = Some("a — b".to_owned());
    check_add(
        "",
        NewEntry { source, ..entry("2024-01-01", "New") },
        expect![[r#"

            +---
            +
            +## Timeline
            +- **2024-01-01** | a \— b — New
            +
        "#]],
    );
}
