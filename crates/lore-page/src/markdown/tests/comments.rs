use expect_test::expect;

use super::{check, check_head};

#[test]
fn code_is_ignored() {
    check(
        "```\n- [a] b\n[[c]] #d\n```\n\n~~~md\n- e:: f\n~~~\n\n    - knows [[g]]\n\n`[[h]]` ``[[i]] ` #j``\n\n<pre>\n[[k]]\n</pre>\n",
        expect![[""]],
    );
    check(
        "- text\n\n  ```\n  - [a] b\n  ```\n- ```\n  - [c] d\n  ```\n\n> ```\n> - [e] f\n> ```\n",
        expect![[""]],
    );
    check("```\n- [a] never closed\n", expect![[""]]);
    check(
        "- [a] `[[b]]` and [[c `d` e]]\n",
        expect![[r#"
            1: [a] `[[b]]` and [[c `d` e]]
            1: links_to -> c `d` e
        "#]],
    );
}

#[test]
fn html_comments_are_ignored() {
    check(
        "<!--\n- [a] b\n\n- knows [[c]]\n\n---\n-->\n\ntext <!-- [[d]] #e --> [[f]]\n\n<!-- [[g]] --> [[h]]\n",
        expect![[r#"
            9: links_to -> f
            11: links_to -> h
        "#]],
    );
    check(
        "- knows [[a]] <!-- for now -->\n- [b] c <!-- hidden\n  still --> d\n",
        expect![[r#"
            2: [b] c d
            1: knows -> a
        "#]],
    );
}

#[test]
fn obsidian_comments_are_ignored() {
    check(
        "%%\n- [a] b\n\n# c\n\n- knows [[d]]\n%%\n\ntext %% [[e]] %% [[f]]\n- knows [[g]] %% really %%\n",
        expect![[r#"
            9: links_to -> f
            10: knows -> g
        "#]],
    );
    check(
        "50%% and [[a]]\n\n60%% and [[b]]\n\n`%%` [[c]] %%\n",
        expect![[r#"
            1: links_to -> a
            3: links_to -> b
            5: links_to -> c
        "#]],
    );
    check(
        "%% [[a]](b.md) [c](d.md) %% %%%% [[e]]\n",
        expect![[r#"
            1: links_to -> e
        "#]],
    );
}

#[test]
fn html_tags_are_skipped_but_their_text_is_read() {
    check(
        "<div title=\"[[a]] #b\">\n[[c]] a < b > c\n</div>\n\n<b class=\"[[d]]\">[[e]]</b>\n",
        expect![[r#"
            2: links_to -> c
            5: links_to -> e
        "#]],
    );
    check_head(
        "a.md",
        "<div style=\"color: #fff\">\n#tag\n</div>\n",
        expect![[r#"
            title: a
            tags: tag
        "#]],
    );
}

#[test]
fn headings_and_rules_in_comments_are_ignored() {
    check_head(
        "a.md",
        "%%\n# hidden\n\n> hidden\n\n---\n%%\n\n# shown\n\n> shown\n",
        expect![[r#"
            title: a
            heading title: shown
            summary: shown
        "#]],
    );
}

#[test]
fn tags_in_code_links_and_definitions_are_ignored() {
    check_head(
        "a.md",
        "`#a` [#b](c.html) [l #l ![m #m](n.png) #o](p.html) [[d #e]] http://x/#f <http://x/#g> \\#h [r]\n\n[r]: #i\n\n```\n#j\n```\n#k\n",
        expect![[r#"
            title: a
            tags: k
        "#]],
    );
}
