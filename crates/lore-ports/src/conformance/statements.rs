//! Observations, facts and entries.

use lore_page::{Interval, LineRange};

use super::Open;
use super::sample::{open_project, page, put, statement};
use crate::{PageNo, Statement, StatementFilter, StatementKind, name_in_fact};

pub fn statements_are_ordered_by_page_kind_and_line(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let mut draft = page("a.md");
    let whole = Statement {
        subject: Some("Bob".into()),
        interval: Interval { from: "2020-01-02".parse().ok(), until: None },
        notes: vec![("source".into(), "m/1".into()), ("by".into(), "agent".into())],
        lines: LineRange { first: 9, last: 11 },
        ..statement(StatementKind::Fact, "works_at", "Lab", 0)
    };
    let entry = statement(StatementKind::Entry, "diary", "first", 1);
    let early = statement(StatementKind::Fact, "likes", "tea", 2);
    draft.statements = vec![entry.clone(), whole.clone(), early.clone()];
    let a = put(&*store, project, draft);
    let mut other = page("b.md");
    other.statements = vec![statement(StatementKind::Fact, "likes", "rain", 1)];
    let b = put(&*store, project, other);

    let of = |pages: &[PageNo], kind: Option<StatementKind>| -> Vec<Statement> {
        let rows = store
            .statements(project.number, &StatementFilter { pages: Some(pages), kind, naming: None })
            .unwrap();
        rows.into_iter().map(|row| row.statement).collect()
    };
    assert_eq!(of(&[a], None), [early.clone(), whole.clone(), entry.clone()]);
    assert_eq!(of(&[a], Some(StatementKind::Entry)), [entry]);
    assert_eq!(of(&[b, a], Some(StatementKind::Fact))[1..], [early, whole]);
    let facts = store
        .statements(
            project.number,
            &StatementFilter { pages: None, kind: Some(StatementKind::Fact), naming: None },
        )
        .unwrap();
    assert_eq!(facts.iter().map(|row| row.page).collect::<Vec<_>>(), [a, a, b]);
    let all = store.statements(project.number, &StatementFilter::default()).unwrap();
    let all: Vec<_> = all.iter().map(|row| (row.page, row.statement.lines.first)).collect();
    assert_eq!(all, [(a, 2), (a, 9), (a, 1), (b, 1)], "by kind before line");
}

pub fn facts_are_found_by_the_names_in_them(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let fact = |subject: Option<&str>, object: &str, line: u32| Statement {
        subject: subject.map(str::to_owned),
        ..statement(StatementKind::Fact, "knows", object, line)
    };
    let mut a = page("a.md");
    a.statements = vec![
        fact(Some("[[Bob]]"), "Ada", 1),
        fact(Some("Ann"), "Bob Smith", 2),
        statement(StatementKind::Observation, "likes", "Bob", 3),
        fact(Some("bob"), "[[people/bob|Bob]]", 4),
    ];
    let mut b = page("b.md");
    b.statements = vec![fact(None, "Bob.", 1)];
    let mut elsewhere = page("c.md");
    elsewhere.statements = vec![fact(None, "Bob", 1)];
    let (a, b) = (put(&*store, project, a), put(&*store, project, b));
    put(&*store, other, elsewhere);
    let naming = |names: &[&str], pages: Option<&[PageNo]>, kind: Option<StatementKind>| {
        let names: Vec<String> = names.iter().map(|name| name_in_fact(name)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let filter = StatementFilter { pages, kind, naming: Some(&names) };
        let rows = store.statements(project.number, &filter).unwrap();
        rows.into_iter().map(|row| (row.page, row.statement.lines.first)).collect::<Vec<_>>()
    };
    assert_eq!(naming(&["BOB"], None, None), [(a, 1), (a, 4), (b, 1)], "as subject or object, ignoring case");
    assert_eq!(naming(&["people/bob", "bob"], None, None), [(a, 1), (a, 4), (b, 1)], "each once");
    assert_eq!(naming(&["ann", "nobody"], None, Some(StatementKind::Fact)), [(a, 2)]);
    assert_eq!(naming(&["bob"], Some(&[b]), None), [(b, 1)], "only of these pages");
    assert_eq!(naming(&["bob"], Some(&[b, a]), None), [(b, 1), (a, 1), (a, 4)], "in the order of the pages");
    assert_eq!(naming(&["bob"], None, Some(StatementKind::Observation)), [], "only facts name anything");
    assert_eq!(naming(&[], None, None), []);
}
