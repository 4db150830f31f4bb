//! Atomicity and isolation of transactions.

use super::Open;
use super::sample::{Project, apply, known, listed, open_project, put, with_text, with_word};
use crate::{Error, Filter, NameQuery, Order, PageWrite, Result, Store};

fn refuse() -> Result<()> {
    Err(Error::Cancelled)
}

/// Writes to index and ledger.
fn write(store: &dyn Store, project: Project, path: &str) {
    let draft = with_text(path, "heron");
    let hash = draft.row.hash;
    put(store, project, draft);
    store.set_version(project.number, path, 3, hash).unwrap();
}

#[track_caller]
fn check(store: &dyn Store, project: Project, paths: &[&str]) {
    assert_eq!(listed(store, project, &Filter::default(), Order::Title), paths);
    assert_eq!(with_word(store, project, "heron"), paths);
    for path in ["a.md", "b.md", "c.md"] {
        let there = paths.contains(&path);
        assert_eq!(store.version(project.number, path).unwrap().is_some(), there, "{path}");
        assert_eq!(known(store, project, path).is_empty(), !there, "{path}");
    }
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn failed_transactions_are_rolled_back(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    write(&*store, project, "a.md");
    let failed = store.transaction(&mut || {
        write(&*store, project, "b.md");
        let page = store.lookup(project.number, &NameQuery::Exact(&["a"]))?.remove(0).page;
        apply(&*store, project, PageWrite::Remove(page));
        refuse()
    });
    assert!(matches!(failed, Err(Error::Cancelled)), "the error is passed through: {failed:?}");
    check(&*store, project, &["a.md"]);
    store
        .transaction(&mut || {
            write(&*store, project, "b.md");
            Ok(())
        })
        .unwrap();
    check(&*store, project, &["a.md", "b.md"]);
}

pub fn nested_transactions_join_the_outer_one(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let inner = |path: &'static str| {
        let store = &store;
        move || {
            store.transaction(&mut || {
                write(&**store, project, path);
                Ok(())
            })
        }
    };
    let failed = store.transaction(&mut || {
        inner("a.md")()?;
        refuse()
    });
    failed.unwrap_err();
    check(&*store, project, &[]);
    store
        .transaction(&mut || {
            inner("a.md")()?;
            inner("b.md")()
        })
        .unwrap();
    check(&*store, project, &["a.md", "b.md"]);
    let failed = store.transaction(&mut || {
        write(&*store, project, "c.md");
        store.transaction(&mut refuse)
    });
    failed.unwrap_err();
    check(&*store, project, &["a.md", "b.md"]);
}

pub fn transactions_read_their_own_writes(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    store
        .transaction(&mut || {
            write(&*store, project, "a.md");
            assert_eq!(with_word(&*store, project, "heron"), ["a.md"]);
            put(&*store, project, with_text("a.md", "badger"));
            assert_eq!(with_word(&*store, project, "heron"), [""; 0]);
            write(&*store, project, "a.md");
            assert_eq!(store.counts(project.number)?.pages, 1);
            assert_eq!(store.problems()?, [""; 0]);
            Ok(())
        })
        .unwrap();
    check(&*store, project, &["a.md"]);
}

pub fn other_connections_see_committed_data(open: Open<'_>) {
    let (writer, reader) = (open(), open());
    let known = open_project(&*reader, "p");
    let project = open_project(&*writer, "p");
    assert_eq!(known, project);
    write(&*writer, project, "a.md");
    writer
        .transaction(&mut || {
            write(&*writer, project, "b.md");
            check(&*reader, project, &["a.md"]);
            Ok(())
        })
        .unwrap();
    check(&*reader, project, &["a.md", "b.md"]);
    drop((writer, reader));
    check(&*open(), project, &["a.md", "b.md"]);
}

pub fn read_transactions_see_a_single_state(open: Open<'_>) {
    let (writer, reader) = (open(), open());
    let project = open_project(&*writer, "p");
    write(&*writer, project, "a.md");
    reader
        .read_transaction(&mut || {
            check(&*reader, project, &["a.md"]);
            write(&*writer, project, "b.md");
            check(&*reader, project, &["a.md"]);
            reader.read_transaction(&mut || {
                check(&*reader, project, &["a.md"]);
                Ok(())
            })
        })
        .unwrap();
    check(&*reader, project, &["a.md", "b.md"]);
    let failed = reader.read_transaction(&mut refuse);
    assert!(matches!(failed, Err(Error::Cancelled)), "the error is passed through: {failed:?}");
    check(&*reader, project, &["a.md", "b.md"]);
}
