//! The same edits on Org files.

mod random;

use expect_test::{Expect, expect};

use super::{difference, scalar, texts};
use crate::edit::{self, *};
use crate::format::Format::Org;
use crate::page::Value;

const PAGE: &str = ":PROPERTIES:\n:ID:       7\n:STATUS: current\n:END:\n#+title: Plan\n#+filetags: :a:b:\n\nIntro.\n\n* TODO State :x:\n\
                    :PROPERTIES:\n:ID: 8\n:END:\n- ceo:: Ada {2018..}\n- knows [[id:9][Bob]]\n** Sub\nDeep.\n* Log\n\n-----\n\n\
                    * Timeline\n- *2024-03-01* | chat — Met\n  detail\n";

/// Checks the lines that an edit changes, also with CRLF line endings and after a byte order mark.
#[track_caller]
fn check(before: &str, edit: impl Fn(&str) -> Result<String, EditError>, expected: Expect) {
    let after = edit(before);
    expected.assert_eq(&match &after {
        Ok(after) => difference(before, after),
        Err(error) => format!("{error}\n"),
    });
    let windows = |text: &str| text.replace('\n', "\r\n");
    if before.contains('\n') {
        assert_eq!(edit(&windows(before)), after.clone().map(|after| windows(&after)), "with CRLF");
    }
    let marked = |text: &str| format!("\u{feff}{text}");
    assert_eq!(edit(&marked(before)), after.map(|after| marked(&after)), "after a byte order mark");
}

#[track_caller]
fn check_set(before: &str, key: &str, value: Value, expected: Expect) {
    check(before, |text| set_property(Org, text, key, &value), expected);
}

#[test]
fn properties_are_set_in_place() {
    check_set(
        PAGE,
        "status",
        scalar("contested"),
        expect![[r#"
         :ID:       7
        -:STATUS: current
        +:STATUS: contested
         :END:
    "#]],
    );
    check_set(
        PAGE,
        "reviewed",
        scalar("2024-05-01"),
        expect![[r#"
         :STATUS: current
        +:REVIEWED: 2024-05-01
         :END:
    "#]],
    );
    check_set(
        PAGE,
        "title",
        scalar("New"),
        expect![[r#"
         :END:
        -#+title: Plan
        +#+title: New
         #+filetags: :a:b:
    "#]],
    );
    check_set(
        PAGE,
        "tags",
        texts(&["a", "c"]),
        expect![[r#"
         #+title: Plan
        -#+filetags: :a:b:
        +#+filetags: :a:c:

    "#]],
    );
    check_set(
        PAGE,
        "projects",
        texts(&["general", "emacs"]),
        expect![[r#"
         :STATUS: current
        +:PROJECTS: :general: :emacs:
         :END:
    "#]],
    );
    check_set(
        PAGE,
        "aliases",
        texts(&["The Plan", "P\"q"]),
        expect![[r#"
         :STATUS: current
        +:ROAM_ALIASES: "The Plan" "P\"q"
         :END:
    "#]],
    );
    check_set(
        PAGE,
        "sources",
        texts(&["a b", "c"]),
        expect![[r#"
         :STATUS: current
        +:SOURCES: ["a b", "c"]
         :END:
    "#]],
    );
    check_set(PAGE, "status", scalar("current"), expect!["unchanged\n"]);
    check_set(
        "Text\n",
        "id",
        scalar("7"),
        expect![[r#"
            +:PROPERTIES:
            +:ID: 7
            +:END:
             Text
        "#]],
    );
    check_set(
        "",
        "title",
        scalar("T"),
        expect![[r#"
            +#+title: T

        "#]],
    );
}

#[test]
fn values_without_a_form_in_org_are_rejected() {
    check_set(
        PAGE,
        "note",
        scalar("two\nlines"),
        expect!["cannot change property `note` safely; edit its line in the file\n"],
    );
    check_set(
        PAGE,
        "a key",
        scalar("x"),
        expect!["cannot change property `a key` safely; edit its line in the file\n"],
    );
    check_set(
        ":PROPERTIES:\nbroken\n:END:\n",
        "x",
        scalar("y"),
        expect!["line 2: malformed property drawer; fix the frontmatter and retry\n"],
    );
}

#[test]
fn properties_are_removed_with_all_their_lines() {
    check(
        PAGE,
        |text| remove_property(Org, text, "status"),
        expect![[r#"
         :ID:       7
        -:STATUS: current
         :END:
    "#]],
    );
    check(
        ":PROPERTIES:\n:ID: 7\n:ID+: 8\n:END:\nText\n",
        |text| remove_property(Org, text, "id"),
        expect![[r#"
        -:PROPERTIES:
        -:ID: 7
        -:ID+: 8
        -:END:
         Text
    "#]],
    );
    check(
        PAGE,
        |text| remove_property(Org, text, "title"),
        expect![[r#"
         :END:
        -#+title: Plan
         #+filetags: :a:b:
    "#]],
    );
}

#[test]
fn tags_are_file_tags() {
    check(
        PAGE,
        |text| add_tag(Org, text, "#c"),
        expect![[r#"
         #+title: Plan
        -#+filetags: :a:b:
        +#+filetags: :a:b:c:

    "#]],
    );
    check(
        PAGE,
        |text| remove_tag(Org, text, "a"),
        expect![[r#"
         #+title: Plan
        -#+filetags: :a:b:
        +#+filetags: :b:

    "#]],
    );
    check(
        "#+title: T\ntext\n",
        |text| add_tag(Org, text, "new"),
        expect![[r#"
         #+title: T
        +#+filetags: :new:
         text
    "#]],
    );
}

#[test]
fn text_is_added_and_replaced() {
    check(
        PAGE,
        |text| append(Org, text, "More."),
        expect![[r#"
           detail
        +More.

    "#]],
    );
    check(
        PAGE,
        |text| prepend(Org, text, "First."),
        expect![[r#"
         #+filetags: :a:b:
        +First.

    "#]],
    );
    check(
        PAGE,
        |text| replace_text(text, "Deep.", "Deeper.", None),
        expect![[r#"
         ** Sub
        -Deep.
        +Deeper.
         * Log
    "#]],
    );
}

#[test]
fn sections_keep_their_heading_and_drawer() {
    check(
        PAGE,
        |text| replace_section(Org, text, "State", "New."),
        expect![[r#"
         :END:
        -- ceo:: Ada {2018..}
        -- knows [[id:9][Bob]]
        -** Sub
        -Deep.
        +New.
        +
         * Log
    "#]],
    );
    check(
        PAGE,
        |text| append_to_section(Org, text, "** Sub", "More."),
        expect![[r#"
         Deep.
        +
        +More.
         * Log
    "#]],
    );
    check(
        PAGE,
        |text| insert_before_section(Org, text, "Log", "Between."),
        expect![[r#"
         Deep.
        +
        +Between.
        +
         * Log
    "#]],
    );
    check(
        PAGE,
        |text| rename_heading(Org, text, "State", "Now"),
        expect![[r#"

        -* TODO State :x:
        +* TODO Now :x:
         :PROPERTIES:
    "#]],
    );
    let demoted = demote_headings(Org, PAGE, 1);
    assert_eq!(demoted.matches("\n** ").count(), 3);
    assert_eq!(promote_headings(Org, &demoted), PAGE);
}

#[test]
fn structured_lines_are_added() {
    let fact = NewFact { predicate: "hq".into(), object: "[[id:1][Oslo]]".into(), ..NewFact::default() };
    check(
        PAGE,
        |text| add_fact(Org, text, &fact),
        expect![[r#"
         - ceo:: Ada {2018..}
        +- hq:: [[id:1][Oslo]]
         - knows [[id:9][Bob]]
    "#]],
    );
    let relation = NewRelation {
        relation: "supersedes".into(),
        target: "id:1".into(),
        label: Some("Old plan".into()),
        ..NewRelation::default()
    };
    check(
        PAGE,
        |text| add_relation(Org, text, &relation),
        expect![[r#"
         - knows [[id:9][Bob]]
        +- SUPERSEDES [[id:1][Old plan]]
         ** Sub
    "#]],
    );
    let entry = NewEntry {
        date: "2024-04-01".into(),
        source: Some("mail".into()),
        summary: "Wrote".into(),
        detail: Some("one\ntwo".into()),
    };
    check(
        PAGE,
        |text| add_entry(Org, text, &entry),
        expect![[r#"
         * Timeline
        +- *2024-04-01* | mail — Wrote
        +  one
        +  two
         - *2024-03-01* | chat — Met
    "#]],
    );
    check(
        "#+title: T\n\nText.\n",
        |text| add_entry(Org, text, &entry),
        expect![[r#"

            +-----
            +
            +* Timeline
            +- *2024-04-01* | mail — Wrote
            +  one
            +  two
            +
        "#]],
    );
}

#[test]
fn structured_lines_are_closed_and_removed() {
    let year = || "2024".parse().expect("a year");
    check(
        PAGE,
        |text| close_fact(Org, text, 14, year()),
        expect![[r#"
         :END:
        -- ceo:: Ada {2018..}
        +- ceo:: Ada {2018..2024}
         - knows [[id:9][Bob]]
    "#]],
    );
    check(
        PAGE,
        |text| close_relation(Org, text, 15, year()),
        expect![[r#"
         - ceo:: Ada {2018..}
        -- knows [[id:9][Bob]]
        +- knows [[id:9][Bob]] {..2024}
         ** Sub
    "#]],
    );
    check(
        PAGE,
        |text| remove_relation(Org, text, 15),
        expect![[r#"
         - ceo:: Ada {2018..}
        -- knows [[id:9][Bob]]
         ** Sub
    "#]],
    );
}

#[test]
fn links_follow_a_move() {
    let text = "[[file:a.org::*H][A]] [[file:../b.md]] [[roam:Old]] [[Old][o]] [[id:7]] [[file:c.org]]\n";
    let moved = edit::retarget_links(text, "x/page.org", &mut |link| match link.target.as_str() {
        "x/a.org" => Some("new/a.org".into()),
        "Old" => Some("New".into()),
        _ => None,
    });
    assert_eq!(
        moved.as_deref(),
        Ok("[[file:new/a.org::*H][A]] [[file:../b.md]] [[roam:New]] [[New][o]] [[id:7]] [[file:c.org]]\n")
    );
    let repointed =
        edit::repoint_links(text, "x/page.org", &mut |link| (link.target == "id:7").then(|| "id:8".into()));
    assert_eq!(repointed.map(|text| text.contains("[[id:8]]")), Ok(true));
    let property = ":PROPERTIES:\n:SUPERSEDES: [[id:1][Old]]\n:END:\n";
    let repointed = edit::repoint_links(property, "page.org", &mut |_| Some("id:2".into()));
    assert_eq!(repointed.as_deref(), Ok(":PROPERTIES:\n:SUPERSEDES: [[id:2][Old]]\n:END:\n"));
}

#[test]
fn structured_lines_survive_a_rewrite() {
    let topic = |_: &crate::Fact| None;
    let dropped = Dropped::default();
    let terms = RewriteTerms { dropped: &dropped, topic: &topic };
    let new = "#+title: Plan\n\nNew intro.\n\n* State\n:PROPERTIES:\n:ID: 8\n:END:\nRewritten.\n";
    let kept = carry_over(Org, PAGE, new, &terms).expect("it fits").text;
    let page = Org.parse(&kept).page;
    assert_eq!((page.facts.len(), page.links.len(), page.entries.len()), (1, 1, 1), "{kept}");
    assert!(kept.contains("Rewritten.") && kept.contains("-----\n"), "{kept}");
    assert_eq!(carry_over(Org, PAGE, PAGE, &terms).map(|done| done.text).as_deref(), Ok(PAGE));
}

#[test]
fn pages_are_combined() {
    let combined = combine(
        Org,
        "#+title: A\n\nIntro.\n\n* Facts\n- ceo:: Ada\n",
        "#+title: B\n\nIntro.\n\n* Facts\n- ceo:: Ada\n- hq:: Oslo\n* More\ntext\n",
    );
    assert_eq!(
        combined.as_deref(),
        Ok("#+title: A\n\nIntro.\n\n* Facts\n- ceo:: Ada\n- hq:: Oslo\n\n* More\n\ntext\n")
    );
}

#[test]
fn tables_are_written_as_org_has_them() {
    let row = |name: &str| vec![("name".to_owned(), name.to_owned()), ("when".to_owned(), "now".to_owned())];
    let text = put_row(Org, "* A\n", Some("A"), &row("x|y")).expect("a section");
    assert_eq!(text, "* A\n\n| name | when |\n|---+---|\n| x\\vert{}y | now |\n");
    let more = put_row(Org, &text, Some("A"), &row("z")).expect("a table");
    assert_eq!(more, format!("{text}| z | now |\n"));
    assert_eq!(
        table(Org, &more, Some("A"))
            .expect("a section")
            .map(|table| table.rows[0].cells[0].clone())
            .as_deref(),
        Some("x|y")
    );
}
