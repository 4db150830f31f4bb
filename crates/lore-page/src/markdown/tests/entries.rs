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
            3-3: entry 2024-03: c
            1: warning: invalid date `2024-02-30`; an entry starts with **YYYY-MM-DD**, a month, or a range of dates
            2: warning: invalid date `2024-3-1`; an entry starts with **YYYY-MM-DD**, a month, or a range of dates
            4: warning: the entry of 2024-03-01 has no summary, so it is not an entry
        "#]],
    );
}

#[test]
fn other_bold_text_is_not_an_entry() {
    check(
        "- **2024-03-01** was a day\n- **Note** | a\n- **2024** | b\n- **2024** — moved\n- **2024-03-01 | c\n**2024-03-01** | d\n",
        expect![[""]],
    );
    check(
        "**2024-03-01** | no list\n\n- 2024-03-01 | not bold\n- **Ada** | born:: 1815\n",
        expect![[r#"
            4: fact Ada | born = 1815
        "#]],
    );
}

#[test]
fn months_years_and_ranges_are_dates_of_entries() {
    check(
        "- **2022-03** | chat — a\n- **2022** | chat — b\n- **2022-03-10..2022-03-16** | trip — c\n- **{2022-03..2022-05}** — d\n- **2022** | — e\n- **2022-03-16..2022-03-10** — f\n- **2022-03..** — g\n",
        expect![[r#"
            1-1: entry 2022-03 from chat: a
            2-2: entry 2022 from chat: b
            3-3: entry 2022-03-10..2022-03-16 from trip: c
            4-4: entry 2022-03..2022-05: d
            5-5: entry 2022: e
            6: warning: invalid date `2022-03-16..2022-03-10`; an entry starts with **YYYY-MM-DD**, a month, or a range of dates
            7: warning: invalid date `2022-03..`; an entry starts with **YYYY-MM-DD**, a month, or a range of dates
        "#]],
    );
}

#[test]
fn links_in_facts_and_entries_have_their_dates() {
    let text = "- works_at:: [[Acme]] {2018..2020}\n- likes:: [[Tea]]\n\nSee [[Acme]] and [x](b.md).\n\n---\n\n- **2021-05-01** | x — Met [[Bob]]\n  and [Carol](carol.md)\n  - knows [[Dan]]\n";
    let links = crate::parse("t.md", text).page.links;
    let dates: Vec<String> =
        links.iter().map(|link| format!("{} {}", link.target, link.interval).trim_end().to_owned()).collect();
    let expected =
        ["Acme {2018..2020}", "Tea", "Acme", "b.md", "Bob {2021-05-01..}", "carol.md {2021-05-01..}", "Dan"];
    assert_eq!(dates, expected);
}
