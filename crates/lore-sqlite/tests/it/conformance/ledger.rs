//! The durable tables.

use lore_ports::{Authorship, FileFailure, Forget, NewSnapshot, ProjectNo, ResolvedFinding, Store};
use lore_text::ContentHash;

use super::Open;
use crate::sample::{page, put};

fn snapshot(store: &dyn Store, project: ProjectNo, path: &str, version: u64, at: i64) {
    let bytes = format!("{path} at {version}\0\u{1}");
    let (bytes, hash) = (bytes.as_bytes(), ContentHash::of(bytes.as_bytes()));
    store.add_snapshot(project, &NewSnapshot { path, version, hash, bytes, at, actor: "ada" }).unwrap();
}

fn versions(store: &dyn Store, project: ProjectNo, path: &str) -> Vec<u64> {
    store.snapshots(project, path).unwrap().into_iter().map(|row| row.version).collect()
}

pub fn versions_are_stored_by_path(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let (old, new) = (ContentHash::of(b"old"), ContentHash::of(b"new"));
    assert_eq!(store.version(project, "a.md").unwrap(), None);
    store.set_version(project, "a.md", 2, old).unwrap();
    store.set_version(project, "a.md", 3, new).unwrap();
    assert_eq!(store.version(project, "a.md").unwrap(), Some((3, new)));
    assert_eq!(store.version(project, "A.md").unwrap(), None, "paths are case-sensitive");
    let number = put(&*store, project, page("a.md"));
    assert_eq!(store.pages(project, &[number]).unwrap()[0].version, 3, "page rows show the ledger's version");
    let number = put(&*store, project, page("b.md"));
    assert_eq!(store.pages(project, &[number]).unwrap()[0].version, 1);
}

pub fn snapshots_are_listed_newest_first(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    for (version, at) in [(1, 100), (2, 50), (3, 100)] {
        snapshot(&*store, project, "a.md", version, at);
    }
    snapshot(&*store, project, "b.md", 9, 1);
    assert_eq!(versions(&*store, project, "a.md"), [3, 2, 1]);
    let row = store.snapshots(project, "a.md").unwrap().remove(1);
    let bytes = store.snapshot_bytes(project, row.number).unwrap().unwrap();
    assert_eq!(bytes, b"a.md at 2\0\x01");
    assert_eq!((row.hash, row.size, row.at), (ContentHash::of(&bytes), bytes.len() as u64, 50));
    assert_eq!(row.actor, "ada");
    assert_eq!(store.snapshot_bytes(project, 999).unwrap(), None);
    assert_eq!(store.snapshots(project, "none.md").unwrap(), []);
}

pub fn rename_moves_the_history(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let hash = ContentHash::of(b"x");
    store.set_version(project, "a.md", 5, hash).unwrap();
    store.set_version(project, "b.md", 2, ContentHash::of(b"gone")).unwrap();
    snapshot(&*store, project, "a.md", 4, 1);
    store.rename(project, "a.md", "b.md").unwrap();
    assert_eq!(store.version(project, "a.md").unwrap(), None);
    assert_eq!(store.version(project, "b.md").unwrap(), Some((5, hash)));
    assert_eq!(versions(&*store, project, "a.md"), [0; 0]);
    assert_eq!(versions(&*store, project, "b.md"), [4]);
}

pub fn authors_follow_renames(open: Open<'_>) {
    let store = open();
    let (project, other) = (store.project("p", "/p").unwrap(), store.project("q", "/q").unwrap());
    let by = |actor: &str, text: &[u8], whole: bool| Authorship {
        hash: ContentHash::of(text),
        actor: actor.into(),
        whole,
    };
    assert_eq!(store.author(project, "a.md").unwrap(), None);
    store.set_author(project, "a.md", &by("ada", b"old", true)).unwrap();
    store.set_author(project, "a.md", &by("bob", b"new", false)).unwrap();
    store.set_author(project, "b.md", &by("gone", b"old", true)).unwrap();
    assert_eq!(store.author(project, "a.md").unwrap(), Some(by("bob", b"new", false)));
    assert_eq!(store.author(other, "a.md").unwrap(), None);
    store.rename(project, "a.md", "b.md").unwrap();
    assert_eq!(store.author(project, "a.md").unwrap(), None);
    assert_eq!(store.author(project, "b.md").unwrap(), Some(by("bob", b"new", false)));
    store.forget(project, Forget::LedgerToo).unwrap();
    assert_eq!(store.author(project, "b.md").unwrap(), None);
}

pub fn pruning_is_per_project(open: Open<'_>) {
    let store = open();
    let (project, other) = (store.project("p", "/p").unwrap(), store.project("q", "/q").unwrap());
    snapshot(&*store, project, "a.md", 1, 10);
    snapshot(&*store, other, "a.md", 1, 10);
    assert_eq!(store.prune_snapshots(project, 20).unwrap(), 1);
    assert_eq!(versions(&*store, other, "a.md"), [1]);
}

pub fn old_snapshots_are_pruned(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    for (version, at) in [(1, 10), (2, 20), (3, 30)] {
        snapshot(&*store, project, "a.md", version, at);
    }
    assert_eq!(store.prune_snapshots(project, 20).unwrap(), 1);
    assert_eq!(versions(&*store, project, "a.md"), [3, 2]);
    assert_eq!(store.prune_snapshots(project, 20).unwrap(), 0);
    assert_eq!(store.prune_snapshots(project, i64::MAX).unwrap(), 2);
}

pub fn failures_are_recorded_and_cleared(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let failure = |path: &str, count: u32| FileFailure {
        path: path.into(),
        size: 1 << 40,
        mtime: i64::MAX,
        count,
        reason: "too \"large\"".into(),
    };
    store.set_failure(project, "b.md", Some(&failure("b.md", 1))).unwrap();
    store.set_failure(project, "a.md", Some(&failure("a.md", 1))).unwrap();
    store.set_failure(project, "b.md", Some(&failure("b.md", 2))).unwrap();
    assert_eq!(store.failures(project).unwrap(), [failure("a.md", 1), failure("b.md", 2)]);
    store.set_failure(project, "a.md", None).unwrap();
    store.set_failure(project, "never.md", None).unwrap();
    assert_eq!(store.failures(project).unwrap(), [failure("b.md", 2)]);
}

pub fn resolved_findings_are_stored_by_project(open: Open<'_>) {
    let store = open();
    let (project, other) = (store.project("p", "/p").unwrap(), store.project("q", "/q").unwrap());
    let settled = |id: &str, at: i64| ResolvedFinding { id: id.into(), at, actor: "ada".into() };
    assert_eq!(store.settled(project).unwrap(), []);
    for one in [settled("b", 1), settled("a", 2), settled("b", 3)] {
        store.settle(project, &one).unwrap();
    }
    store.settle(other, &settled("c", 4)).unwrap();
    assert_eq!(
        store.settled(project).unwrap(),
        [settled("a", 2), settled("b", 1)],
        "sorted by id; the first resolution wins"
    );
    store.forget(project, Forget::IndexOnly).unwrap();
    assert_eq!(open().settled(project).unwrap().len(), 2, "resolutions survive a rebuild");
    store.forget(project, Forget::LedgerToo).unwrap();
    assert_eq!(store.settled(project).unwrap(), []);
    assert_eq!(store.settled(other).unwrap(), [settled("c", 4)]);
}

pub fn settings_are_replaced(open: Open<'_>) {
    let store = open();
    assert_eq!(store.setting("model").unwrap(), None);
    store.set_setting("model", "small").unwrap();
    store.set_setting("model", "large").unwrap();
    assert_eq!(store.setting("model").unwrap().as_deref(), Some("large"));
    assert_eq!(open().setting("model").unwrap().as_deref(), Some("large"), "visible to other connections");
    store.checkpoint().unwrap();
    assert_eq!(store.setting("model").unwrap().as_deref(), Some("large"));
}
