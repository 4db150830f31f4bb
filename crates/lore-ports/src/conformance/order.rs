//! Order and windows.

use super::Open;
use super::sample::{WEIGHTS, apply, open_project, page, put, with_text, word};
use crate::{Filter, Order, PageWrite, TextQuery, Window};

pub fn lists_are_ordered_and_windowed(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (path, title, created, updated) in [
        ("1.md", "beta", 30, 10),
        ("2.md", "Alpha", 10, 30),
        ("3.md", "Beta", 20, 30),
        ("4.md", "gamma", 40, 20),
    ] {
        let mut draft = page(path);
        (draft.row.title, draft.row.created, draft.row.updated) = (title.into(), created, updated);
        put(&*store, project, draft);
    }
    let list = |order: Order, limit: usize, offset: usize| {
        let rows = store.list(project.number, &Filter::default(), order, Window { limit, offset }).unwrap();
        rows.into_iter().map(|row| row.path.replace(".md", "")).collect::<String>()
    };
    assert_eq!(list(Order::Updated, 9, 0), "2341");
    assert_eq!(list(Order::Created, 9, 0), "4132");
    assert_eq!(list(Order::Title, 9, 0), "2134");
    assert_eq!(list(Order::Title, 2, 0), "21");
    assert_eq!(list(Order::Title, 2, 1), "13");
    assert_eq!(list(Order::Title, 2, 3), "4");
    assert_eq!(list(Order::Title, 2, 9), "");
    assert_eq!(list(Order::Title, 0, 0), "");
}

pub fn declared_dates_precede_mtimes(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (path, updated, stated) in
        [("1.md", 30, None), ("2.md", 10, Some(40)), ("3.md", 50, Some(20)), ("4.md", 20, None)]
    {
        let mut draft = page(path);
        (draft.row.updated, draft.declared_date) = (updated, stated);
        put(&*store, project, draft);
    }
    let list = || {
        let window = Window { limit: 9, offset: 0 };
        let rows = store.list(project.number, &Filter::default(), Order::Touched, window).unwrap();
        rows.into_iter().map(|row| row.path.replace(".md", "")).collect::<String>()
    };
    assert_eq!(list(), "2134");
    let four = store.list(
        project.number,
        &Filter { slug: Some("4".into()), ..Filter::default() },
        Order::Title,
        Window { limit: 1, offset: 0 },
    );
    let page = four.unwrap()[0].number;
    apply(&*store, project, PageWrite::Touch { page, mtime: 1, updated: 60 });
    assert_eq!(list(), "4213", "a touched file comes first");
}

/// Includes a filter that the full-text table cannot express, and equal scores.
pub fn search_windows_add_up(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for number in 0..40 {
        put(&*store, project, with_text(&format!("{number:02}.md"), "equal words"));
    }
    let expression = word("equal");
    for filter in [Filter::default(), Filter { since: Some(0), ..Default::default() }] {
        let ask = |limit: usize, offset: usize| {
            let window = Window { limit, offset };
            let hits = store.search(
                project.number,
                &TextQuery { expression: &expression, filter: &filter, weights: WEIGHTS, window },
            );
            hits.unwrap().into_iter().map(|hit| hit.page).collect::<Vec<_>>()
        };
        let whole = ask(100, 0);
        assert_eq!(whole.len(), 40);
        let pieces: Vec<i64> = (0..5).flat_map(|at| ask(9, at * 9)).collect();
        assert_eq!(pieces, whole, "{filter:?}");
        assert_eq!(ask(15, 0), whole[..15], "a larger limit does not reorder: {filter:?}");
    }
}
