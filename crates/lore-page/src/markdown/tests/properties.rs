use expect_test::expect;

use super::{check, check_head, parse};
use crate::page::Value;

#[test]
fn parse_frontmatter_with_all_field_types() {
    let text =
        "---\ntitle: My Title\ntags: [a, b]\ncreated: 2025-01-15T10:30:00\ncount: 42\ndraft: true\n---\n";
    let page = parse("a.md", text).page;
    assert_eq!((page.title.as_str(), page.tags), ("My Title", vec!["a".to_owned(), "b".to_owned()]));
    let text_of = |key: &str| page.properties.text(key);
    assert_eq!(text_of("created"), Some("2025-01-15T10:30:00"));
    assert_eq!((text_of("count"), text_of("draft")), (Some("42"), Some("True")));
    assert!(matches!(page.properties.get("tags"), Some(Value::List(_))));
}

#[test]
fn missing_title_uses_filename() {
    check_head(
        "my-note.md",
        "---\ntype: note\n---\ntext\n",
        expect![[r#"
            title: my-note
            type: note
        "#]],
    );
    check_head(
        "a/b/notes.v1.md",
        "---\ntitle: \"\"\n---\n",
        expect![[r#"
            title: notes.v1
        "#]],
    );
    check_head(
        "a/.md",
        "",
        expect![[r#"
            title: .md
        "#]],
    );
}

#[test]
fn all_page_fields() {
    check_head(
        "people/pedro.md",
        "---\nid: 0192f3a1\ntitle: Pedro Franceschi\ntype: person\nstatus: active\ntags: [founder, '#yc-alum', founder]\n\
         aliases: [Pedro]\nalias: PF\npermalink: people/pedro\nsummary: Co-founder of Brex\n---\n# Pedro\n\n> Other.\n\n#strategy #founder\n",
        expect![[r#"
            title: Pedro Franceschi
            heading title: Pedro
            id: 0192f3a1
            type: person
            status: active
            summary: Co-founder of Brex
            tags: founder | yc-alum | strategy
            aliases: Pedro | PF | people/pedro
        "#]],
    );
}

#[test]
fn tags_may_be_a_single_text() {
    check_head(
        "a.md",
        "---\ntags: 'one, #two three'\ntag: four\n---\n",
        expect![[r#"
            title: a
            tags: one | two | three | four
        "#]],
    );
}

#[test]
fn inline_tags() {
    check_head(
        "a.md",
        "#start mid #a/b-c_d (#paren) #Ünï #标签 #हिन्दी #123 #1a C#no a#no ##no # no #t1#t2 #end. #dash- #sla/sh/\n\n## #heading\n\n| #cell |\n|--|\n",
        expect![[r#"
            title: a
            tags: start | a/b-c_d | paren | Ünï | 标签 | हिन्दी | 1a | t1 | t2 | end | dash | sla/sh | heading | cell
        "#]],
    );
}

#[test]
fn summary_is_a_property_or_a_quote_under_the_title() {
    check_head(
        "a.md",
        "---\ndescription: said so\n---\n> quote\n",
        expect![[r#"
            title: a
            summary: said so
        "#]],
    );
    check_head(
        "a.md",
        "# T\n\n<!-- about -->\n> Co-founder and **CEO** of\n> [[Brex|the bank]].\n>\n> More `code`.\n\n> other\n",
        expect![[r#"
            title: a
            heading title: T
            summary: Co-founder and CEO of the bank. More code.
        "#]],
    );
    check_head(
        "a.md",
        "# T\n\ntext\n\n> A quotation.\n",
        expect![[r#"
            title: a
            heading title: T
        "#]],
    );
    check_head(
        "a.md",
        "> [!note]- Callout title\n> body\n",
        expect![[r#"
            title: a
        "#]],
    );
    check_head(
        "a.md",
        "> [!note]\n\n- > in a list\n\n> - real\n>   - one\n",
        expect![[r#"
            title: a
        "#]],
    );
    check_head(
        "a.md",
        "text\n\n---\n\n> below the rule\n",
        expect![[r#"
            title: a
        "#]],
    );
}

#[test]
fn links_in_properties_have_the_key_as_relation() {
    check(
        "---\ntitle: \"[[no]]\"\nauthor: \"[[Name|N]]\"\nrelated:\n  - \"[[A#h]]\"\n  - see [[B]] and [[C]]\n\
         bare: [[D]]\nlist:\n  - [[E]]\n  - [[F, G]]\nplain: [h, i]\nmap:\n  key: \"[[J]]\"\nempty: \"[[]]\"\n---\n[[K]]\n",
        expect![[r#"
            3: author -> Name|N
            4: related -> A#h
            4: related -> B
            4: related -> C
            7: bare -> D
            8: list -> E
            8: list -> F, G
            12: map -> J
            16: links_to -> K
        "#]],
    );
}

#[test]
fn links_to_nothing_visible_are_text() {
    check(
        "---\nauthor: see [[\u{5}\t]]\n---\n[[\u{5}]] [[ ]] [[A]]\n",
        expect![[r#"
            4: links_to -> A
        "#]],
    );
}

#[test]
fn frontmatter_diagnostics_are_passed_on() {
    let parsed = parse("a.md", "---\ntitle: \"open\nx: y\n---\n- a [[B]] {x}\n");
    let lines: Vec<u32> = parsed.diagnostics.iter().map(|diagnostic| diagnostic.line).collect();
    assert!(lines.len() >= 2 && lines.is_sorted() && lines.last() == Some(&5), "{:?}", parsed.diagnostics);
}

#[test]
fn names_and_summaries_are_one_line() {
    let text = "---\ntitle: \"One\\nTwo\\x1b[1m\"\ntype: |\n  a\n  b\ntags: [\"x\\ny\"]\naliases: [\"p\\tq\"]\nsummary: >-\n  long\n\n  text\n---\n";
    let page = crate::parse("a.md", text).page;
    assert_eq!((page.title.as_str(), page.kind.as_deref()), ("One Two [1m", Some("a b")));
    assert_eq!((page.tags, page.aliases), (vec!["x y".to_owned()], vec!["p q".to_owned()]));
    assert_eq!(page.summary.as_deref(), Some("long text"));
    assert_eq!(page.properties.text("title"), Some("One\nTwo\u{1b}[1m"), "properties are exact");
    assert_eq!(crate::parse("a\nb.md", "x\n").page.title, "a b");
}
