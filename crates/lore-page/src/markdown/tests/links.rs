use expect_test::expect;

use super::{check, parse};

#[test]
fn forms_of_a_wiki_link() {
    check(
        "[[a|b]] [[a#h]] [[a#^b]] [[a#h|l]] [[ a | b ]] ![[a]] [[a/b.md]] [[#h]] [[|b]] [[]] [[ ]] [[a|]]",
        expect![[r#"
            1: links_to -> a|b
            1: links_to -> a#h
            1: links_to -> a#^b
            1: links_to -> a#h|l
            1: links_to -> a|b
            1: links_to -> embedded a
            1: links_to -> a/b.md
            1: links_to -> a
        "#]],
    );
}

#[test]
fn escaped_exclamation_mark_does_not_embed() {
    check(
        r"\![[a]] ! [[b]]",
        expect![[r#"
            1: links_to -> a
            1: links_to -> b
        "#]],
    );
}

#[test]
fn footnotes_contain_links() {
    check(
        "text[^1] and[^2]\n\n[^1]: [[A]]\n[^2]: See [[B]] there\n",
        expect![[r#"
            3: links_to -> A
            4: links_to -> B
        "#]],
    );
}

#[test]
fn brackets_match_by_depth() {
    check(
        "[[a [b] c]] [[[d]]] [[[[e]]]] [[f [g]] x [[h]] [[i] j]] [k [[l]] m]",
        expect![[r#"
            1: links_to -> a [b] c
            1: links_to -> d
            1: links_to -> e
            1: links_to -> f [g
            1: links_to -> h
            1: links_to -> l
        "#]],
    );
    check("\\[[a]] \\[\\[b]] [[c\\]] d]]\n\n[[e\n\nf]] [[g]\n", expect![[""]]);
}

#[test]
fn link_may_span_lines_but_not_blocks() {
    check(
        "text [[Machine\nLearning]]\n\n> quoted [[Deep\n> Learning|deep\n> one]]\n",
        expect![[r#"
            1: links_to -> Machine Learning
            4: links_to -> Deep Learning|deep one
        "#]],
    );
    check("- [[a\n- b]]\n\n[[c\n# d]]\n", expect![[""]]);
}

#[test]
fn tables_escape_the_bar() {
    check(
        "| a | b |\n|---|---|\n| [[x\\|y]] | [[p|q]] |\n| [[x | z]] |\n",
        expect![[r#"
            3: links_to -> x|y
            3: links_to -> p|q
            4: links_to -> x|z
        "#]],
    );
}

#[test]
fn markdown_links_are_relative_to_the_page() {
    check(
        "[a](b.md) [c](../d/e.md#h) [f](/g.md) [h](./i%20j.md?x#y%20z) [k](<l m.md>) [n](sub/../o.MD \"title\")",
        expect![[r#"
            1: links_to -> markdown notes/b.md|a
            1: links_to -> markdown d/e.md#h|c
            1: links_to -> markdown g.md|f
            1: links_to -> markdown notes/i j.md#y z|h
            1: links_to -> markdown notes/l m.md|k
            1: links_to -> markdown notes/o.MD|n
        "#]],
    );
    check(
        "[out](../../x.md) [**bold** `code`](b.md) [](c.md) [ref][r] [r] [wiki [[x]]](d.md)\n\n[r]: e.md",
        expect![[r#"
            1: links_to -> markdown ../../x.md|out
            1: links_to -> markdown notes/b.md|bold code
            1: links_to -> markdown notes/c.md
            1: links_to -> markdown notes/e.md|ref
            1: links_to -> markdown notes/e.md|r
            1: links_to -> markdown notes/d.md|wiki x
            1: links_to -> x
        "#]],
    );
}

#[test]
fn other_destinations_are_not_page_links() {
    check(
        "[a](https://x.org/b.md) [c](mailto:d.md) [e](//host/f.md) [g](h.txt) [i](#j) ![k](l.md) <https://x/m.md> [n](o.mdx)",
        expect![[""]],
    );
    check(
        "[[a]](b.md) [[r]]\n\n[r]: e.md\n",
        expect![[r#"
            1: links_to -> a
            1: links_to -> r
        "#]],
    );
}

#[test]
fn links_in_structured_lines_are_links_too() {
    check(
        "# About [[A]]\n\n- [note] see [[B]] and [c](c.md)\n- owns:: [[D]]\n- **2024-01-01** | [[E]] — met [[F]]\n",
        expect![[r#"
            3: [note] see [[B]] and [c](c.md)
            1: links_to -> A
            3: links_to -> B
            3: links_to -> markdown notes/c.md|c
            4: links_to -> D
            5: links_to -> E
            5: links_to -> F
            4: fact owns = D
            5-5: entry 2024-01-01 from [[E]]: met [[F]]
        "#]],
    );
}

#[test]
fn links_are_in_order_of_appearance() {
    check(
        "[a](a.md) [[b]] [c](c.md) [[d]]\n- knows [[e]]\n\n[f](f.md)\n",
        expect![[r#"
            1: links_to -> markdown notes/a.md|a
            1: links_to -> b
            1: links_to -> markdown notes/c.md|c
            1: links_to -> d
            2: knows -> e
            4: links_to -> markdown notes/f.md|f
        "#]],
    );
}

#[test]
fn plain_link_has_its_line_as_context() {
    let text = format!("> - see [[A]] there  \n\n{} [[B]] {}\n", "é".repeat(300), "x".repeat(300));
    let links = parse("a.md", &text).page.links;
    assert_eq!(links[0].context.as_deref(), Some("> - see [[A]] there"));
    let context = links[1].context.as_deref().expect("a context");
    assert!(context.contains("é [[B]] x") && context.chars().count() <= 200, "{context}");
}

#[test]
fn spans_cover_the_links() {
    let text = "---\ntitle: é\n---\né ![[A]] [b](b.md)\r\n- knows [[C|c]]\n";
    let links = parse("a.md", text).page.links;
    let spans: Vec<&str> = links.iter().map(|link| link.span.of(text)).collect();
    assert_eq!(spans, ["[[A]]", "[b](b.md)", "[[C|c]]"]);
}
