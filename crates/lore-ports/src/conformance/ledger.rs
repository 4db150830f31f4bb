//! The durable tables.

use lore_text::ContentHash;

use super::Open;
use super::sample::{Project, open_project, page, put};
use crate::{Authorship, Forget, NewSnapshot, SnapshotRow, Store, WrittenFile};

fn snapshot(store: &dyn Store, project: Project, path: &str, version: u64, at: i64) {
    let bytes = format!("{path} at {version}\0\u{1}");
    let (bytes, hash) = (bytes.as_bytes(), ContentHash::of(bytes.as_bytes()));
    store
        .add_snapshot(
            project.number,
            &NewSnapshot { path, version, hash, bytes, at, actor: "ada", mode: Some(0o600) },
        )
        .unwrap();
}

fn versions(store: &dyn Store, project: Project, path: &str) -> Vec<u64> {
    store.snapshots(project.number, path).unwrap().into_iter().map(|row| row.version).collect()
}

pub fn versions_are_stored_by_path(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let (old, new) = (ContentHash::of(b"old"), ContentHash::of(b"new"));
    assert_eq!(store.version(project.number, "a.md").unwrap(), None);
    store.set_version(project.number, "a.md", 2, old).unwrap();
    store.set_version(project.number, "a.md", 3, new).unwrap();
    assert_eq!(store.version(project.number, "a.md").unwrap(), Some((3, new)));
    assert_eq!(store.version(project.number, "A.md").unwrap(), None, "paths are case-sensitive");
    let number = put(&*store, project, page("a.md"));
    assert_eq!(
        store.pages(project.number, &[number]).unwrap()[0].version,
        3,
        "page rows show the ledger's version"
    );
    let number = put(&*store, project, page("b.md"));
    assert_eq!(store.pages(project.number, &[number]).unwrap()[0].version, 1);
}

pub fn versions_and_ids_are_read_and_written_together(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let hash = |text: &str| ContentHash::of(text.as_bytes());
    store
        .set_versions(
            project.number,
            &[("a.md", 2, hash("a")), ("b.md", 3, hash("b")), ("a.md", 4, hash("c"))],
        )
        .unwrap();
    let found = store.versions(project.number, &["b.md", "none.md", "a.md", "b.md"]).unwrap();
    assert_eq!(found, [Some((3, hash("b"))), None, Some((4, hash("c"))), Some((3, hash("b")))], "in order");
    store.set_identities(project.number, &[("a.md", "1"), ("b.md", "2"), ("a.md", "3")]).unwrap();
    let found = store.identities(project.number, &["b.md", "none.md", "a.md"]).unwrap();
    assert_eq!(found, [Some("2".to_owned()), None, Some("3".to_owned())]);
    for none in [store.set_versions(project.number, &[]), store.set_identities(project.number, &[])] {
        none.unwrap();
    }
    assert_eq!(store.versions(project.number, &[]).unwrap(), []);
    assert_eq!(store.identities(project.number, &[]).unwrap(), []);
}

pub fn renames_follow_each_other(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let hash = ContentHash::of(b"x");
    store.set_versions(project.number, &[("a.md", 1, hash), ("b.md", 2, hash), ("c.md", 3, hash)]).unwrap();
    // a and b change places, and c replaces what was a.
    let moves = [("a.md", "t.md"), ("b.md", "a.md"), ("t.md", "b.md"), ("c.md", "b.md")];
    store.rename(project.number, &moves).unwrap();
    let found = store.versions(project.number, &["a.md", "b.md", "c.md", "t.md"]).unwrap();
    assert_eq!(found, [Some((2, hash)), Some((3, hash)), None, None]);
}

pub fn released_slugs_keep_their_highest_version(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let released = |project: Project| store.released_versions(project.number, &["b", "none", "a"]).unwrap();
    assert_eq!(released(project), [None, None, None]);
    store.release_slugs(project.number, &[("a", 2), ("b", 1), ("a", 5)]).unwrap();
    store.release_slugs(project.number, &[("a", 3)]).unwrap();
    assert_eq!(released(project), [Some(1), None, Some(5)]);
    assert_eq!(released(other), [None, None, None]);
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert_eq!(released(project), [Some(1), None, Some(5)]);
    store.forget(project.number, Forget::LedgerToo).unwrap();
    assert_eq!(released(project), [None, None, None]);
}

pub fn snapshots_are_listed_newest_first(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (version, at) in [(1, 100), (2, 50), (3, 100)] {
        snapshot(&*store, project, "a.md", version, at);
    }
    snapshot(&*store, project, "b.md", 9, 1);
    assert_eq!(versions(&*store, project, "a.md"), [3, 2, 1]);
    let row = store.snapshots(project.number, "a.md").unwrap().remove(1);
    let bytes = store.snapshot_bytes(project.number, row.number).unwrap().unwrap();
    assert_eq!(bytes, b"a.md at 2\0\x01");
    assert_eq!(row.mode, Some(0o600));
    assert_eq!((row.hash, row.size, row.at), (ContentHash::of(&bytes), bytes.len() as u64, 50));
    assert_eq!(row.actor, "ada");
    assert_eq!(store.snapshot_bytes(project.number, 999).unwrap(), None);
    assert_eq!(store.snapshots(project.number, "none.md").unwrap(), []);
}

pub fn rename_moves_the_history(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let hash = ContentHash::of(b"x");
    store.set_version(project.number, "a.md", 5, hash).unwrap();
    store.set_version(project.number, "b.md", 2, ContentHash::of(b"gone")).unwrap();
    snapshot(&*store, project, "a.md", 4, 1);
    store.rename(project.number, &[("a.md", "b.md")]).unwrap();
    assert_eq!(store.version(project.number, "a.md").unwrap(), None);
    assert_eq!(store.version(project.number, "b.md").unwrap(), Some((5, hash)));
    assert_eq!(versions(&*store, project, "a.md"), [0; 0]);
    assert_eq!(versions(&*store, project, "b.md"), [4]);
}

pub fn authors_follow_renames(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let by = |actor: &str, text: &[u8], sole_author: bool| Authorship {
        hash: ContentHash::of(text),
        actor: actor.into(),
        sole_author,
    };
    assert_eq!(store.author(project.number, "a.md").unwrap(), None);
    store.set_author(project.number, "a.md", &by("ada", b"old", true), Some(b"old"), 1).unwrap();
    store.set_author(project.number, "a.md", &by("bob", b"new", false), None, 2).unwrap();
    store.set_author(project.number, "b.md", &by("gone", b"old", true), Some(b"old"), 3).unwrap();
    assert_eq!(store.author(project.number, "a.md").unwrap(), Some(by("bob", b"new", false)));
    assert_eq!(store.author(other.number, "a.md").unwrap(), None);
    store.rename(project.number, &[("a.md", "b.md")]).unwrap();
    assert_eq!(store.author(project.number, "a.md").unwrap(), None);
    assert_eq!(store.author(project.number, "b.md").unwrap(), Some(by("bob", b"new", false)));
    store.forget(project.number, Forget::LedgerToo).unwrap();
    assert_eq!(store.author(project.number, "b.md").unwrap(), None);
}

pub fn written_bytes_become_a_snapshot_once(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p").number;
    let author = Authorship { hash: ContentHash::of(b"text"), actor: "ada".into(), sole_author: true };
    let file = |path: &'static str, version| WrittenFile { path, version, hash: None, mode: Some(0o600) };
    let keep = |version, at| store.keep_written(project, &[file("b.md", version)], at).unwrap() == [true];
    let write = |path: &str, at| store.set_author(project, path, &author, Some(b"text"), at).unwrap();
    assert!(!keep(1, 10), "nothing was written");
    write("a.md", 5);
    store.rename(project, &[("a.md", "b.md")]).unwrap();
    let other = WrittenFile { hash: Some(ContentHash::of(b"other")), ..file("b.md", 7) };
    assert_eq!(store.keep_written(project, &[other, file("b.md", 7)], 10).unwrap(), [false, true]);
    assert!(!keep(8, 11), "they are kept once");
    assert_eq!(store.author(project, "b.md").unwrap(), Some(author.clone()));
    let kept = store.snapshots(project, "b.md").unwrap();
    let [SnapshotRow { number, version: 7, at: 10, mode: Some(0o600), .. }] = kept[..] else {
        panic!("{kept:?}")
    };
    assert_eq!((&kept[0].actor, kept[0].hash), (&author.actor, author.hash));
    assert_eq!(store.snapshot_bytes(project, number).unwrap().as_deref(), Some(&b"text"[..]));

    write("b.md", 20);
    store.prune_snapshots(project, 20).unwrap();
    assert!(keep(8, 21), "written at that time, not before");
    write("b.md", 20);
    store.prune_snapshots(project, 21).unwrap();
    assert!(!keep(9, 22), "they expire");
    write("b.md", 20);
    store.drop_written(project).unwrap();
    assert!(!keep(9, 22), "they are deleted");
}

pub fn pruning_is_per_project(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    snapshot(&*store, project, "a.md", 1, 10);
    snapshot(&*store, other, "a.md", 1, 10);
    assert_eq!(store.prune_snapshots(project.number, 20).unwrap(), 1);
    assert_eq!(versions(&*store, other, "a.md"), [1]);
}

pub fn old_snapshots_are_pruned(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (version, at) in [(1, 10), (2, 20), (3, 30)] {
        snapshot(&*store, project, "a.md", version, at);
    }
    assert_eq!(store.prune_snapshots(project.number, 20).unwrap(), 1);
    assert_eq!(versions(&*store, project, "a.md"), [3, 2]);
    assert_eq!(store.prune_snapshots(project.number, 20).unwrap(), 0);
    assert_eq!(store.prune_snapshots(project.number, i64::MAX).unwrap(), 2);
}

/// Snapshots of a page whose path another page has taken belong to no page, but stay until they expire.
pub fn detached_snapshots_are_pruned_but_not_listed(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    snapshot(&*store, project, "a.md", 4, 10);
    snapshot(&*store, project, "b.md", 9, 10);
    let detached = store.snapshots(project.number, "b.md").unwrap().remove(0).number;
    store.rename(project.number, &[("a.md", "b.md")]).unwrap();
    assert_eq!(versions(&*store, project, "b.md"), [4]);
    assert!(store.snapshot_bytes(project.number, detached).unwrap().is_some(), "its bytes are kept");
    store.rename(project.number, &[("b.md", "c.md")]).unwrap();
    assert_eq!(versions(&*store, project, "c.md"), [4], "it does not follow the page that replaced its own");
    assert_eq!(versions(&*store, project, "b.md"), [0; 0], "nor does it come back when the path is free");
    snapshot(&*store, project, "b.md", 1, 30);
    assert_eq!(versions(&*store, project, "b.md"), [1]);
    assert_eq!(store.prune_snapshots(project.number, 20).unwrap(), 2);
    assert_eq!(store.snapshot_bytes(project.number, detached).unwrap(), None);
    assert_eq!(versions(&*store, project, "b.md"), [1]);
}

pub fn snapshots_can_be_rewritten(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    snapshot(&*store, project, "a.md", 1, 100);
    snapshot(&*store, project, "b.md", 1, 100);
    // Moving `a.md` to `b.md` detaches the snapshot that was there.
    store.rename(project.number, &[("a.md", "b.md")]).unwrap();
    snapshot(&*store, project, "a.md", 4, 100);
    let all = store.all_snapshots(project.number).unwrap();
    let places: Vec<(&str, u64)> = all.iter().map(|(path, row)| (path.as_str(), row.version)).collect();
    assert_eq!(places, [("a.md", 4), ("b.md", 1), ("b.md", 1)], "detached ones too");
    for (_, row) in &all {
        store.rewrite_snapshot(project.number, row.number, b"clean").unwrap();
        store.rewrite_snapshot(other.number, row.number, b"elsewhere").unwrap();
        let bytes = store.snapshot_bytes(project.number, row.number).unwrap();
        assert_eq!(bytes.as_deref(), Some(&b"clean"[..]), "projects are isolated");
    }
    let rows = store.snapshots(project.number, "a.md").unwrap();
    assert_eq!((rows[0].hash, rows[0].version, rows[0].at), (ContentHash::of(b"clean"), 4, 100));
    assert!(store.erase_deleted().unwrap());
    assert_eq!(store.all_snapshots(project.number).unwrap().len(), 3);
}
