use std::fmt::Write;

use expect_test::{Expect, expect};

use super::parse;

#[track_caller]
fn check(text: &str, expect: Expect) {
    let page = parse("a.md", text).page;
    let mut out = String::new();
    for heading in &page.headings {
        let (first, last) = (heading.lines.first, heading.lines.last);
        writeln!(out, "{first}-{last}: {} {}", "#".repeat(heading.level.into()), heading.text).unwrap();
    }
    writeln!(out, "truth {:?}", page.truth.of(text)).unwrap();
    if let Some(timeline) = page.timeline {
        writeln!(out, "timeline {:?}", timeline.of(text)).unwrap();
    }
    expect.assert_eq(&out);
}

#[test]
fn section_includes_its_subsections() {
    check(
        "# A\n\n## B\ntext\n### C\n\n## D\n# E\nend",
        expect![[r##"
            1-7: # A
            3-6: ## B
            5-6: ### C
            7-7: ## D
            8-9: # E
            truth "# A\n\n## B\ntext\n### C\n\n## D\n# E\nend"
        "##]],
    );
    check(
        "text\n\nSetext\none\n===\n\nTwo\n---\n\n#no heading\n####### seven\n",
        expect![[r#"
            3-11: # Setext one
            7-11: ## Two
            truth "text\n\nSetext\none\n===\n\nTwo\n---\n\n#no heading\n####### seven\n"
        "#]],
    );
}

#[test]
fn heading_text_has_no_markup() {
    check(
        "# **Bold** `code` [link](x.md) [[A|b]] &amp; \\* #\n\n## A_b ![alt](i.png) <b>x</b>\n",
        expect![[r##"
            1-3: # Bold code link b & *
            3-3: ## A_b alt x
            truth "# **Bold** `code` [link](x.md) [[A|b]] &amp; \\* #\n\n## A_b ![alt](i.png) <b>x</b>\n"
        "##]],
    );
}

#[test]
fn headings_in_code_quotes_and_lists_are_not_sections() {
    check(
        "```\n# a\n```\n\n> # b\n\n- # c\n\n    # d\n\n# e\n",
        expect![[r#"
            11-11: # e
            truth "```\n# a\n```\n\n> # b\n\n- # c\n\n    # d\n\n# e\n"
        "#]],
    );
}

#[test]
fn first_rule_of_dashes_splits_the_page() {
    check(
        "truth\n\n---\n\ntimeline\n\n---\n\nmore\n",
        expect![[r#"
            truth "truth\n\n"
            timeline "\ntimeline\n\n---\n\nmore\n"
        "#]],
    );
    check(
        "a\n\n***\n\nb\n\n___\n\nc\n\n  -----  \r\nd\n",
        expect![[r#"
            truth "a\n\n***\n\nb\n\n___\n\nc\n\n"
            timeline "d\n"
        "#]],
    );
    check(
        "---\ntitle: x\n---\n---\nall timeline",
        expect![[r#"
            truth ""
            timeline "all timeline"
        "#]],
    );
}

#[test]
fn unclosed_frontmatter_does_not_end_the_truth() {
    check(
        "---",
        expect![[r#"
            truth "---"
        "#]],
    );
    check(
        "---\ntitle: x\n\ntruth\n\n- - -\n\n----\ntimeline\n",
        expect![[r#"
            truth "---\ntitle: x\n\ntruth\n\n- - -\n\n"
            timeline "timeline\n"
        "#]],
    );
}

#[test]
fn other_dashes_are_not_rules() {
    check(
        "heading\n---\n\n```\n---\n```\n\n> ---\n\n- a\n\n  ---\n\n- - -\n",
        expect![[r#"
            1-14: ## heading
            truth "heading\n---\n\n```\n---\n```\n\n> ---\n\n- a\n\n  ---\n\n- - -\n"
        "#]],
    );
    check(
        "| a |\n|---|\n\n<!--\n---\n-->\n",
        expect![[r#"
            truth "| a |\n|---|\n\n<!--\n---\n-->\n"
        "#]],
    );
}

#[test]
fn byte_order_mark_is_not_text() {
    check(
        "\u{feff}# A\n",
        expect![[r##"
            1-1: # A
            truth "# A\n"
        "##]],
    );
    check(
        "\u{feff}---\ntitle: x\n---\n# A\n\n---\nb",
        expect![[r##"
            4-7: # A
            truth "# A\n\n"
            timeline "b"
        "##]],
    );
}

#[test]
fn empty_file_is_a_page() {
    check(
        "",
        expect![[r#"
            truth ""
        "#]],
    );
    check(
        "---\ntitle: x\n---\n",
        expect![[r#"
            truth ""
        "#]],
    );
}
