use expect_test::expect;

use super::check;

#[test]
fn forms_of_an_entry() {
    check(
        "- **2024-03-01** | meeting — Enterprise pivot agreed\n- **2024-03-02** | call – en dash\n\
         - **2024-03-03** | mail -- two hyphens\n- **2024-03-04** | chat - one hyphen\n\
         - **2024-03-05** | tight—em dash\n- **2024-03-06** | no source\n- **2024-03-07** — no bar\n\
         - **2024-03-08**: colon\n* **2024-03-09** - hyphen\n1. **2024-03-10** -- hyphens\n",
        expect![[r#"
            1-1: entry 2024-03-01 from meeting: Enterprise pivot agreed
            2-2: entry 2024-03-02 from call: en dash
            3-3: entry 2024-03-03 from mail: two hyphens
            4-4: entry 2024-03-04 from chat: one hyphen
            5-5: entry 2024-03-05 from tight: em dash
            6-6: entry 2024-03-06: no source
            7-7: entry 2024-03-07: no bar
            8-8: entry 2024-03-08: colon
            9-9: entry 2024-03-09: hyphen
            10-10: entry 2024-03-10: hyphens
        "#]],
    );
}

#[test]
fn first_dash_with_spaces_separates() {
    check(
        "- **2024-03-01** | re-org call - first — second\n- **2024-03-01** | [[A — B]] — c\n",
        expect![[r#"
            2: links_to -> A — B
            1-1: entry 2024-03-01 from re-org call: first — second
            2-2: entry 2024-03-01 from [[A — B]]: c
        "#]],
    );
    check(
        "- **2024-03-01** | — d\n- **2024-03-01** | e —\n- **2024-03-01** | 10–12 h\n",
        expect![[r#"
            1-1: entry 2024-03-01: d
            2-2: entry 2024-03-01: e
            3-3: entry 2024-03-01: 10–12 h
        "#]],
    );
}

#[test]
fn detail_is_dedented() {
    check(
        "- **2024-03-01** | meeting — Pivot agreed. Detail follows\n  on indented lines.\n\n  - [a] nested\n    deeper\n\n\n- **2024-03-02** | b\nlazy\n",
        expect![[r#"
            4: [a] nested deeper
            1-5: entry 2024-03-01 from meeting: Pivot agreed. Detail follows
                |on indented lines.
                |
                |- [a] nested
                |  deeper
            8-9: entry 2024-03-02: b
                |lazy
        "#]],
    );
    check(
        "> 1. **2024-03-01** | a\n>    b\n>\n>     c\n>\n\nend\n",
        expect![[r#"
            1-4: entry 2024-03-01: a
                |b
                |
                | c
        "#]],
    );
    check(
        "-\t**2024-03-01** | a\n\tb\n\t\tc\r\n",
        expect![[r#"
            1-3: entry 2024-03-01: a
                |b
                |	c
        "#]],
    );
}

#[test]
fn entries_are_read_anywhere() {
    check(
        "- **2024-03-01** | above\n\n---\n\n## Timeline\n\n- **2024-03-02** | below\n",
        expect![[r#"
            1-1: entry 2024-03-01: above
            7-7: entry 2024-03-02: below
        "#]],
    );
}

#[test]
fn nonexistent_days_are_reported() {
    check(
        "- **2024-02-30** | a\n- **2024-3-1** | b\n- **2024-03** — c\n- **2024-03-01** |\n",
        expect![[r#"
            1: warning: invalid date `2024-02-30`; an entry starts with **YYYY-MM-DD**
            2: warning: invalid date `2024-3-1`; an entry starts with **YYYY-MM-DD**
            3: warning: invalid date `2024-03`; an entry starts with **YYYY-MM-DD**
            4: warning: the entry of 2024-03-01 has no summary, so it is not an entry
        "#]],
    );
}

#[test]
fn other_bold_text_is_not_an_entry() {
    check(
        "- **2024-03-01** was a day\n- **Note** | a\n- **2024** | b\n- **2024-03-01 | c\n**2024-03-01** | d\n",
        expect![[""]],
    );
    check(
        "**2024-03-01** | no list\n\n- 2024-03-01 | not bold\n- **Ada** | born:: 1815\n",
        expect![[r#"
            4: fact Ada | born = 1815
        "#]],
    );
}
