use expect_test::expect;

use super::*;

#[test]
fn renaming_keeps_the_heading_syntax() {
    for (before, after) in [
        ("# Today\ntext\n", "# Yesterday\ntext\n"),
        ("  #   Today  \ntext\n", "  #   Yesterday  \ntext\n"),
        ("# Today #\ntext\n", "# Yesterday #\ntext\n"),
        ("# **Today**\ntext\n", "# Yesterday\ntext\n"),
        ("Today\n=====\ntext\n", "Yesterday\n=====\ntext\n"),
        ("---\ntitle: Today\n---\n# Today", "---\ntitle: Today\n---\n# Yesterday"),
        ("```\n# Today\n```\n# Today\n", "```\n# Today\n```\n# Yesterday\n"),
        ("# Yesterday\n", "# Yesterday\n"),
    ] {
        let heading = if before == after { "Yesterday" } else { "# Today" };
        assert_eq!(rename_heading(before, heading, "Yesterday").as_deref(), Ok(after), "{before:?}");
    }
}

#[test]
fn rejects_a_name_that_would_not_read_back() {
    for new in ["two\nlines", "closed #", "a\n---"] {
        let refused = EditError::unreadable("a heading", new, "text", new);
        assert_eq!(rename_heading("# Today\n", "Today", new), Err(refused));
    }
    assert_eq!(rename_heading("# Today\n", "Today", " "), Err(EditError::Missing { part: "heading" }));
    check(
        "# Today\n",
        |text| rename_heading(text, "Log", "x"),
        expect![[r#"
            no section named "Log"; sections: Today
        "#]],
    );
}

#[test]
fn demotes_headings() {
    check(
        "# A\ntext\n ## B ##\n###### F\n\nSet *ext*\n===\nC\non two #\n------\n#\n",
        |text| Ok(demote_headings(text, 1)),
        expect![[r#"
            -# A
            -text
            - ## B ##
            -###### F
            -
            -Set *ext*
            -===
            -C
            -on two #
            -------
            -#
            +## A
            +text
            + ### B ##
            +###### F
            +
            +## Set *ext*
            +### C on two # #
            +##

        "#]],
    );
}

#[test]
fn demotes_only_headings() {
    for (before, by, after) in [
        ("```\n# code\n```\n# A\n~~~\n# code\n", 1, "```\n# code\n```\n## A\n~~~\n# code\n"),
        (
            "> # quoted\n\n- # listed\n\n#tag\n    # code\n",
            1,
            "> # quoted\n\n- # listed\n\n#tag\n    # code\n",
        ),
        ("---\n# note\na: b\n---\n# A\n## B", 2, "---\n# note\na: b\n---\n### A\n#### B"),
        ("# A\n##### E\n", 9, "###### A\n###### E\n"),
        ("# A\n", 0, "# A\n"),
        ("text\r# A\n", 1, "text\r# A\n"),
        ("a\nb\r---\n# C\n---", 1, "a\nb\r---\n## C\n---"),
    ] {
        assert_eq!(demote_headings(before, by), after);
    }
}

/// Markdown allows every kind of space after the hashes. Such a heading is no paragraph with an underline further down.
#[test]
fn heading_with_unusual_space_ends_on_its_line() {
    for space in ["\t", "\x0b", "\x0c"] {
        let text = format!("#{space}One\ntext\n---\nmore\n#{space}Two\nend\n");
        let demoted = demote_headings(&text, 1);
        assert!(demoted.starts_with(&format!("##{space}One\n")), "{demoted:?}");
        let edited = replace_section(&text, "Two", "new").expect("a section");
        assert_eq!(edited, format!("#{space}One\ntext\n---\nmore\n#{space}Two\nnew\n"));
    }
    demote_headings("a\n---\nb\n-\n\n#\x0c\nT\nx\n---\n#\n\n#\x0c\n", 3);
}
