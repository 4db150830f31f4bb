//! Several projects in one database.

use lore_ports::{
    Counts, Filter, Forget, LabelKind, LinkFilter, NameQuery, NewSnapshot, Order, ProjectNo, StatementFilter,
    Store,
};

use super::Open;
use crate::sample::{known, link, listed, page, put, statement, with_text, with_word};

/// Adds a page with a bit of everything, and a ledger row of each kind.
fn fill(store: &dyn Store, project: ProjectNo, word: &'static str) -> i64 {
    let mut draft = with_text("a.md", word);
    draft.row.tags = vec![word.into()];
    draft.links = vec![link("nowhere")];
    draft.statements = vec![statement(lore_ports::StatementKind::Fact, "is", word, 1)];
    let hash = draft.row.hash;
    let number = put(store, project, draft);
    store.set_version(project, "a.md", 7, hash).unwrap();
    let snapshot = NewSnapshot { path: "a.md", version: 6, hash, bytes: word.as_bytes(), at: 1, actor: "x" };
    store.add_snapshot(project, &snapshot).unwrap();
    let failure =
        lore_ports::FileFailure { path: "b.md".into(), size: 1, mtime: 1, count: 2, reason: "bad".into() };
    store.set_failure(project, "b.md", Some(&failure)).unwrap();
    number
}

fn is_empty(store: &dyn Store, project: ProjectNo) -> bool {
    let counts = store.counts(project).unwrap();
    counts == Counts { bytes: counts.bytes, ..Default::default() }
        && listed(store, project, &Filter::default(), Order::Title).is_empty()
        && store.labels(project, LabelKind::Tag).unwrap().is_empty()
        && known(store, project, "a").is_empty()
        && store.fingerprints(project, None).unwrap().is_empty()
}

pub fn projects_are_isolated(open: Open<'_>) {
    let store = open();
    let (one, two) = (store.project("one", "/one").unwrap(), store.project("two", "/two").unwrap());
    assert_ne!(one, two);
    let in_one = fill(&*store, one, "heron");
    let in_two = fill(&*store, two, "badger");
    assert_ne!(in_one, in_two);
    for (project, own, mine, theirs) in [(one, in_one, "heron", "badger"), (two, in_two, "badger", "heron")] {
        assert_eq!(with_word(&*store, project, mine), ["a.md"]);
        assert_eq!(with_word(&*store, project, theirs), [""; 0]);
        assert_eq!(listed(&*store, project, &Filter::default(), Order::Title), ["a.md"]);
        assert_eq!(store.pages(project, &[in_one, in_two]).unwrap()[0].number, own);
        assert_eq!(store.pages(project, &[in_one, in_two]).unwrap().len(), 1);
        assert_eq!(
            store.lookup(project, &NameQuery::Exact(&["a"])).unwrap().iter().map(|row| row.page).max(),
            Some(own)
        );
        assert_eq!(store.lookup(project, &NameQuery::AllSlugs).unwrap().len(), 1);
        assert_eq!(store.lookup(project, &NameQuery::IdPrefix("id-of")).unwrap().len(), 1);
        assert_eq!(store.links(project, &LinkFilter::Named(&["nowhere"])).unwrap()[0].from, own);
        assert_eq!(store.links(project, &LinkFilter::Pending).unwrap().len(), 1);
        assert_eq!(store.statements(project, &StatementFilter::default()).unwrap()[0].statement.object, mine);
        assert_eq!(store.labels(project, LabelKind::Tag).unwrap(), [(mine.to_owned(), 1)]);
        assert_eq!(store.counts(project).unwrap().facts, 1);
        let snapshot = store.snapshots(project, "a.md").unwrap().remove(0);
        let bytes = store.snapshot_bytes(project, snapshot.number).unwrap();
        assert_eq!(bytes.as_deref(), Some(mine.as_bytes()));
        assert_eq!(store.snapshot_bytes(one + two - project, snapshot.number).unwrap(), None);
    }
    store.remove_page(one, in_one).unwrap();
    assert_eq!(with_word(&*store, two, "badger"), ["a.md"]);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn new_root_clears_the_index_and_keeps_the_ledger(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/old").unwrap();
    fill(&*store, project, "heron");
    assert_eq!(store.project("p", "/old").unwrap(), project);
    assert_eq!(with_word(&*store, project, "heron"), ["a.md"], "the same root changes nothing");

    assert_eq!(open().project("p", "/new").unwrap(), project);
    assert!(is_empty(&*store, project));
    assert_eq!(with_word(&*store, project, "heron"), [""; 0]);
    assert_eq!(store.version(project, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(store.snapshots(project, "a.md").unwrap().len(), 1);
    put(&*store, project, with_text("a.md", "badger"));
    let row = store.list(project, &Filter::default(), Order::Title, crate::sample::ALL).unwrap().remove(0);
    assert_eq!(
        (row.version, with_word(&*store, project, "badger").len()),
        (7, 1),
        "the index can be refilled"
    );
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn forget_removes_the_requested_parts(open: Open<'_>) {
    let store = open();
    let (kept, project) = (store.project("kept", "/k").unwrap(), store.project("p", "/p").unwrap());
    fill(&*store, kept, "otter");
    fill(&*store, project, "heron");
    store.forget(project, Forget::IndexOnly).unwrap();
    assert!(is_empty(&*store, project));
    assert_eq!(store.version(project, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(store.failures(project).unwrap().len(), 1);
    fill(&*store, project, "heron");
    assert_eq!(with_word(&*store, project, "heron"), ["a.md"]);

    store.forget(project, Forget::LedgerToo).unwrap();
    assert_eq!(store.version(project, "a.md").unwrap(), None);
    assert_eq!(store.snapshots(project, "a.md").unwrap(), []);
    assert_eq!(store.failures(project).unwrap(), []);
    let again = store.project("p", "/p").unwrap();
    assert!(is_empty(&*store, again));
    assert_eq!(with_word(&*store, again, "heron"), [""; 0]);
    assert_eq!(with_word(&*store, kept, "otter"), ["a.md"], "other projects are unaffected");
    assert_eq!(store.version(kept, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn forget_in_a_transaction_leaves_no_text(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    for ledger in [Forget::IndexOnly, Forget::LedgerToo] {
        let forgotten = store.transaction(&mut || {
            put(&*store, project, with_text("a.md", "heron"));
            store.forget(project, ledger)
        });
        forgotten.unwrap();
        assert_eq!(store.problems().unwrap(), [""; 0], "{ledger:?}");
    }
    let again = store.project("p", "/p").unwrap();
    put(&*store, again, page("b.md"));
    assert_eq!(with_word(&*store, again, "heron"), [""; 0]);
}
