use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check_retarget(before: &str, old: &str, new: &str, expected: Expect) {
    let edit = |text: &str| {
        retarget_links(text, "notes/here.md", &mut |link| (link.target == old).then(|| new.to_owned()))
    };
    check(before, edit, expected);
}

#[test]
fn changes_the_target_of_wiki_links_only() {
    let page = "[[Old]] and ![[ Old #h|Old]] `[[Old]]`\n- knows [[Old|a]] (Old)\n| [[Old\\|b]] | [[Older]] |\n<!-- [[Old]] -->\n[[Old\n";
    check_retarget(
        page,
        "Old",
        "New Name",
        expect![[r#"
            -[[Old]] and ![[ Old #h|Old]] `[[Old]]`
            -- knows [[Old|a]] (Old)
            -| [[Old\|b]] | [[Older]] |
            +[[New Name]] and ![[ New Name #h|Old]] `[[Old]]`
            +- knows [[New Name|a]] (Old)
            +| [[New Name\|b]] | [[Older]] |
             <!-- [[Old]] -->
        "#]],
    );
    check_retarget(
        "[[a [[b]]]]\n",
        "a [[b]]",
        "c",
        expect![[r#"
            -[[a [[b]]]]
            +[[c]]

        "#]],
    );
    check_retarget(
        "[[x]]\n",
        "Old",
        "New",
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn changes_the_destination_of_markdown_links() {
    let page = "[a](old.md) [b](./old.md#h \"title\") ![c](<old.md>) [d](<old.md#x>) [e [f]]( /notes/old.md )\n[g][ref] [Ref][] [ref]\n\n[REF]: old.md 'x'\n";
    check_retarget(
        page,
        "notes/old.md",
        "../new (1).md",
        expect![[r#"
            -[a](old.md) [b](./old.md#h "title") ![c](<old.md>) [d](<old.md#x>) [e [f]]( /notes/old.md )
            -[g][ref] [Ref][] [ref]
            -
            -[REF]: old.md 'x'
            +[a](../new%20%281%29.md) [b](../new%20%281%29.md#h "title") ![c](<old.md>) [d](<../new (1).md#x>) [e [f]]( ../new%20%281%29.md )
            +[g][ref] [Ref][] [ref]
            +
            +[REF]: ../new%20%281%29.md 'x'

        "#]],
    );
    check_retarget(
        "[a](old%20one.md)\n",
        "notes/old one.md",
        "new.md",
        expect![[r#"
            -[a](old%20one.md)
            +[a](new.md)

        "#]],
    );
    check_retarget(
        "[a](old_(1).md)\n",
        "notes/old_(1).md",
        "new.md",
        expect![[r#"
            -[a](old_(1).md)
            +[a](new.md)

        "#]],
    );
}

#[test]
fn destination_of_a_name_with_special_characters_reads_back() {
    let text = "[a](old.md) [b](<old.md>)\n\n[ref]\n\n[ref]: old.md\n";
    for name in ["50%20.md", "100%.md", "c#.md", "why?.md", "a\\(b.md", "x<y>.md", "größe 1.md"] {
        let edited = retarget_links(text, "here.md", &mut |_| Some(name.to_owned())).unwrap();
        let links = crate::parse("here.md", &edited).page.links;
        assert_eq!(links.iter().map(|link| link.target.as_str()).collect::<Vec<_>>(), [name; 3], "{edited}");
    }
}

#[test]
fn changes_links_in_properties() {
    let page = "---\ntitle: \"[[Old]]\"\nup: \"[[Old|x]]\" # c\nrelated:\n  - '[[Other]]'\n  - '[[Old#h]]'\nplain: [[Old]]\n---\n";
    check_retarget(
        page,
        "Old",
        "New",
        expect![[r#"
             title: "[[Old]]"
            -up: "[[Old|x]]" # c
            -related:
            -  - '[[Other]]'
            -  - '[[Old#h]]'
            -plain: [[Old]]
            +up: "[[New|x]]" # c
            +related:
            +  - '[[Other]]'
            +  - '[[New#h]]'
            +plain: [[New]]
             ---
        "#]],
    );
    check_retarget(
        page,
        "Old",
        "a \"b\"",
        expect![[r##"
             title: "[[Old]]"
            -up: "[[Old|x]]" # c
            -related:
            -  - '[[Other]]'
            -  - '[[Old#h]]'
            -plain: [[Old]]
            +up: "[[a \"b\"|x]]" # c
            +related:
            +  - '[[Other]]'
            +  - '[[a "b"#h]]'
            +plain: [[a "b"]]
             ---
        "##]],
    );
}

#[test]
fn repointing_keeps_the_label_and_drops_the_fragment() {
    let text = "---\nup: '[[Old#Part|it''s]]'\n---\n- rests_on [[ Old#Part | the start ]] (why) {2024..}\n\
        | [[Old#A\\|b]] | [x](old.md#a?b \"t\") |\n[[Old]] ![[Old#^block]] [y](<old.md#a b>) [z][ref] [[Other#Part]] `[[Old#Part]]`\n\n\
        [ref]: old.md#part\n";
    let mut follow = |link: &crate::Link| match link.target.as_str() {
        "Old" => Some("a/New".to_owned()),
        "notes/old.md" => Some("../a/new page.md".to_owned()),
        _ => None,
    };
    assert_eq!(
        repoint_links(text, "notes/here.md", &mut follow).unwrap(),
        "---\nup: '[[a/New|it''s]]'\n---\n- rests_on [[ a/New | the start ]] (why) {2024..}\n\
         | [[a/New\\|b]] | [x](../a/new%20page.md \"t\") |\n[[a/New]] ![[a/New]] [y](<../a/new page.md>) [z][ref] [[Other#Part]] \
         `[[Old#Part]]`\n\n[ref]: ../a/new%20page.md\n"
    );
}

#[test]
fn links_to_parts_of_the_page_follow() {
    let moved = |format| {
        move |text: &str| {
            let mut to = |link: &OwnLink| match link.part.as_str() {
                "Gone" | "gone" | "#gone" => Some(MovedTo { page: "new (1).md".into(), keeps_part: false }),
                "Deep" | "deep" | "^b" => Some(MovedTo { page: "new.md".into(), keeps_part: true }),
                _ => None,
            };
            Ok(retarget_own_links(format, text, &mut to))
        }
    };
    check(
        "[[#Gone]] ![[#^b]] [[# Deep |d]] [[Page#Gone]] [[#Here]] `[[#Gone]]`\n[x](#gone) [y](<#gone>) [z](#deep \"t\") [w](#here) <http://a.example/#gone>\n",
        moved(crate::Format::Markdown),
        expect![[r#"
            -[[#Gone]] ![[#^b]] [[# Deep |d]] [[Page#Gone]] [[#Here]] `[[#Gone]]`
            -[x](#gone) [y](<#gone>) [z](#deep "t") [w](#here) <http://a.example/#gone>
            +[[new (1).md]] ![[new.md#^b]] [[new.md# Deep |d]] [[Page#Gone]] [[#Here]] `[[#Gone]]`
            +[x](new%20%281%29.md) [y](<new (1).md>) [z](new.md#deep "t") [w](#here) <http://a.example/#gone>

        "#]],
    );
    check(
        "[[*Gone]] [[#gone][g]] [[Deep]] [[*Here]] [[id:Gone]] =[[*Gone]]=\n",
        moved(crate::Format::Org),
        expect![[r##"
            -[[*Gone]] [[#gone][g]] [[Deep]] [[*Here]] [[id:Gone]] =[[*Gone]]=
            +[[new (1).md][Gone]] [[new (1).md][g]] [[new.md::*Deep][Deep]] [[*Here]] [[id:Gone]] =[[*Gone]]=

        "##]],
    );
}
