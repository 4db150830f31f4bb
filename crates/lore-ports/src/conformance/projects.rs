//! Several projects in one database.

use super::Open;
use super::sample::{
    Project, apply, known, link, listed, open_project, page, put, statement, with_text, with_word,
};
use crate::{
    Counts, FileFailure, Filter, Forget, LabelKind, LinkFilter, NameQuery, NewSnapshot, Order, PageNo,
    PageWrite, StatementFilter, StatementKind, Store,
};

/// Adds a page with a bit of everything, and a ledger row of each kind.
pub(super) fn fill(store: &dyn Store, project: Project, word: &'static str) -> PageNo {
    let mut draft = with_text("a.md", word);
    draft.row.tags = vec![word.into()];
    draft.links = vec![link("nowhere")];
    draft.statements = vec![statement(StatementKind::Fact, "is", word, 1)];
    let hash = draft.row.hash;
    let number = put(store, project, draft);
    store.set_version(project.number, "a.md", 7, hash).unwrap();
    let (bytes, at, actor, mode) = (word.as_bytes(), 1, "x", None);
    let snapshot = NewSnapshot { path: "a.md", version: 6, hash, bytes, at, actor, mode };
    store.add_snapshot(project.number, &snapshot).unwrap();
    let failure = FileFailure { path: "b.md".into(), size: 1, mtime: 1, count: 2, reason: "bad".into() };
    store.set_failures(project.number, &[("b.md", Some(&failure))]).unwrap();
    number
}

fn is_empty(store: &dyn Store, project: Project) -> bool {
    let counts = store.counts(project.number).unwrap();
    counts == Counts { bytes: counts.bytes, ..Default::default() }
        && listed(store, project, &Filter::default(), Order::Title).is_empty()
        && store.labels(project.number, LabelKind::Tag).unwrap().is_empty()
        && known(store, project, "a").is_empty()
        && store.fingerprints(project.number, project.replica, None).unwrap().is_empty()
}

pub fn projects_are_isolated(open: Open<'_>) {
    let store = open();
    let (one, two) = (open_project(&*store, "one"), open_project(&*store, "two"));
    assert_ne!(one, two);
    let in_one = fill(&*store, one, "heron");
    let in_two = fill(&*store, two, "badger");
    assert_ne!(in_one, in_two);
    for (project, other, own, mine, theirs) in
        [(one, two, in_one, "heron", "badger"), (two, one, in_two, "badger", "heron")]
    {
        assert_eq!(with_word(&*store, project, mine), ["a.md"]);
        assert_eq!(with_word(&*store, project, theirs), [""; 0]);
        assert_eq!(listed(&*store, project, &Filter::default(), Order::Title), ["a.md"]);
        assert_eq!(store.pages(project.number, &[in_one, in_two]).unwrap()[0].number, own);
        assert_eq!(store.pages(project.number, &[in_one, in_two]).unwrap().len(), 1);
        assert_eq!(
            store.lookup(project.number, &NameQuery::Exact(&["a"])).unwrap().iter().map(|row| row.page).max(),
            Some(own)
        );
        assert_eq!(store.lookup(project.number, &NameQuery::AllSlugs).unwrap().len(), 1);
        assert_eq!(store.lookup(project.number, &NameQuery::IdPrefix("id-of", 20)).unwrap().len(), 1);
        assert_eq!(store.links(project.number, &LinkFilter::Named(&["nowhere"])).unwrap()[0].from, own);
        assert_eq!(store.links(project.number, &LinkFilter::Pending).unwrap().len(), 1);
        assert_eq!(
            store.statements(project.number, &StatementFilter::default()).unwrap()[0].statement.object,
            mine
        );
        assert_eq!(store.labels(project.number, LabelKind::Tag).unwrap(), [(mine.to_owned(), 1)]);
        assert_eq!(store.counts(project.number).unwrap().facts, 1);
        let snapshot = store.snapshots(project.number, "a.md").unwrap().remove(0);
        let bytes = store.snapshot_bytes(project.number, snapshot.number).unwrap();
        assert_eq!(bytes.as_deref(), Some(mine.as_bytes()));
        assert_eq!(store.snapshot_bytes(other.number, snapshot.number).unwrap(), None);
    }
    apply(&*store, one, PageWrite::Remove(in_one));
    assert_eq!(with_word(&*store, two, "badger"), ["a.md"]);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn forget_removes_the_requested_parts(open: Open<'_>) {
    let store = open();
    let (kept, project) = (open_project(&*store, "kept"), open_project(&*store, "p"));
    fill(&*store, kept, "otter");
    fill(&*store, project, "heron");
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert!(is_empty(&*store, project));
    assert_eq!(store.version(project.number, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(store.failures(project.number).unwrap().len(), 1);
    fill(&*store, project, "heron");
    assert_eq!(with_word(&*store, project, "heron"), ["a.md"]);

    store.forget(project.number, Forget::LedgerToo).unwrap();
    assert_eq!(store.version(project.number, "a.md").unwrap(), None);
    assert_eq!(store.snapshots(project.number, "a.md").unwrap(), []);
    assert_eq!(store.failures(project.number).unwrap(), []);
    let again = open_project(&*store, "p");
    assert!(is_empty(&*store, again));
    assert_eq!(with_word(&*store, again, "heron"), [""; 0]);
    assert_eq!(with_word(&*store, kept, "otter"), ["a.md"], "other projects are unaffected");
    assert_eq!(store.version(kept.number, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn forget_in_a_transaction_leaves_no_text(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for ledger in [Forget::IndexOnly, Forget::LedgerToo] {
        let forgotten = store.transaction(&mut || {
            put(&*store, project, with_text("a.md", "heron"));
            store.forget(project.number, ledger)
        });
        forgotten.unwrap();
        assert_eq!(store.problems().unwrap(), [""; 0], "{ledger:?}");
    }
    let again = open_project(&*store, "p");
    put(&*store, again, page("b.md"));
    assert_eq!(with_word(&*store, again, "heron"), [""; 0]);
}
