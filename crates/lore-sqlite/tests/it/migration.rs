//! Ledgers of earlier versions are migrated, after a backup.

use std::fs;
use std::path::Path;

use lore_ports::conformance::sample::{checkout_key, open_key, open_project, put, with_text, with_word};
use lore_ports::{
    Authorship, FileFailure, GapFilter, GapsAndImports as _, ImportFilter, Ledger as _, Maintenance as _,
    ProjectKey, ProjectState, Projects as _, ResolvedFinding, Vectors as _, local_id,
};
use lore_sqlite::{OpenedStore, SqliteStore, open};
use lore_text::ContentHash;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::sqlite::{names, user_version};

/// The steps that lead to each version of the ledger.
const STEPS: [&str; 5] = [
    include_str!("../../src/ledger.sql"),
    include_str!("../../src/ledger-2.sql"),
    include_str!("../../src/ledger-3.sql"),
    include_str!("../../src/ledger-4.sql"),
    include_str!("../../src/ledger-5.sql"),
];

/// The derived tables of those versions, as far as they matter: they are dropped whatever they look like.
const OLD_INDEX: &str = "
CREATE TABLE page (number INTEGER PRIMARY KEY, project INTEGER NOT NULL, path TEXT NOT NULL);
INSERT INTO page(project, path) VALUES (1, 'a.md');
CREATE VIRTUAL TABLE fts_1 USING fts5(title);";

/// Rows of the first version.
const FIRST_ROWS: &str = "
INSERT INTO project(number, name, root) VALUES (1, 'notes', '/notes'), (2, 'old', '/shared'), (3, 'new', '/shared');
INSERT INTO version(project, path, version, hash) VALUES (1, 'a.md', 7, zeroblob(32)), (2, 'a.md', 3, zeroblob(32));
INSERT INTO snapshot(project, path, version, hash, bytes, at, actor) VALUES
  (1, 'a.md', 6, zeroblob(32), CAST('six' AS BLOB), 20, 'ada'),
  (1, 'a.md' || char(0) || 'é.md', 2, zeroblob(32), CAST('two' AS BLOB), 10, 'bob'),
  (2, 'a.md', 2, zeroblob(32), CAST('other' AS BLOB), 10, '');
INSERT INTO failure(project, path, size, mtime, count, reason) VALUES (1, 'b.md', 5, 6, 2, 'bad');
INSERT INTO identity(project, path, id) VALUES (1, 'c.md', 'id-1');
INSERT INTO setting(key, value) VALUES
  ('policy/1', 'mark'), ('intent/1', 'write-1'), ('intent/1/generated', 'write-2'), ('git/1', '{}'), ('curated/1', '42'),
  ('policy/3', 'other'), ('curated/3', '7'), ('policy/13', 'none');";

/// Rows of the later versions.
const LATER_ROWS: &str = "
INSERT INTO author(project, path, hash, actor, whole) VALUES
  (1, 'a.md', zeroblob(32), 'ada', 1), (1, 'b.md', zeroblob(32), 'bob', 0);
INSERT INTO model(name, dimensions, revision, active) VALUES ('m', 8, '1', 1);
INSERT INTO finding(project, id, at, actor) VALUES (1, 'f', 9, 'ada');
INSERT INTO gap(project, id, query_hash, detected_at) VALUES (1, 5, zeroblob(32), 11);
INSERT INTO import(project, batch, source, page, hash, bytes, at) VALUES (1, 'run', 's', 'a.md', zeroblob(32), CAST('raw' AS BLOB), 12);";

/// Creates a database with this version of the ledger.
pub fn old_database(path: &Path, version: usize) {
    let old = Connection::open(path).unwrap();
    for step in &STEPS[..version.min(4)] {
        old.execute_batch(step).unwrap();
    }
    for rows in [OLD_INDEX, FIRST_ROWS].into_iter().chain((version >= 4).then_some(LATER_ROWS)) {
        old.execute_batch(rows).unwrap();
    }
    // The fifth step changes the form of the rows.
    for step in &STEPS[version.min(4)..version] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "user_version", (version as i64) << 16 | 6).unwrap();
}

/// Checks the rows that every version has.
#[track_caller]
fn check_first_rows(store: &SqliteStore) {
    let no_hash = ContentHash([0; 32]);
    assert_eq!(store.version(1, "a.md").unwrap(), Some((7, no_hash)));
    assert_eq!(store.version(2, "a.md").unwrap(), Some((3, no_hash)));
    let snapshots = store.snapshots(1, "a.md").unwrap();
    assert_eq!(snapshots.iter().map(|row| (row.version, row.at)).collect::<Vec<_>>(), [(6, 20)]);
    assert_eq!(snapshots[0].actor, "ada");
    assert_eq!(store.snapshot_bytes(1, snapshots[0].number).unwrap().as_deref(), Some(&b"six"[..]));
    let failure = FileFailure { path: "b.md".into(), size: 5, mtime: 6, count: 2, reason: "bad".into() };
    assert_eq!(store.failures(1).unwrap(), [failure]);
    assert_eq!(store.identities(1, &["c.md"]).unwrap(), [Some("id-1".to_owned())]);
    let text = |text: &str| Some(text.to_owned());
    let state = ProjectState {
        index_mark: text("mark"),
        last_write: text("write-1"),
        last_generated: text("write-2"),
        git: text("{}"),
        curated_pages: Some(42),
        clock: None,
        indexed: None,
        lint_errors: None,
    };
    assert_eq!(store.state(1).unwrap(), state);
    assert_eq!(store.state(2).unwrap(), ProjectState::default());
    let state = ProjectState { index_mark: text("other"), curated_pages: Some(7), ..ProjectState::default() };
    assert_eq!(store.state(3).unwrap(), state);
}

#[test]
fn version_4_ledgers_are_migrated_after_a_backup() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    old_database(&path, 4);
    let OpenedStore { store, warnings } = open(&path).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(user_version(&path) >> 16, 9);
    check_first_rows(&store);

    let no_hash = ContentHash([0; 32]);
    let by = |actor: &str, sole_author: bool| Authorship { hash: no_hash, actor: actor.into(), sole_author };
    assert_eq!(store.author(1, "a.md").unwrap(), Some(by("ada", true)));
    assert_eq!(store.author(1, "b.md").unwrap(), Some(by("bob", false)));
    assert_eq!(store.models().unwrap()[0].identity.name, "m");
    let finding = ResolvedFinding { id: "f".into(), at: 9, actor: "ada".into() };
    assert_eq!(store.resolved_findings(1).unwrap(), [finding]);
    let gap = store.gaps(1, &GapFilter::ALL, 9).unwrap().remove(0);
    assert_eq!((gap.detected, gap.namespaces), (11, Vec::new()));
    let import = store.imports(1, &ImportFilter::All).unwrap().remove(0);
    assert_eq!(store.import_bytes(1, import.number).unwrap().as_deref(), Some(&b"raw"[..]));
    // The snapshot with a NUL in its path belongs to no page, but is pruned in its time.
    assert_eq!(store.prune_snapshots(1, 15).unwrap(), 1);
    assert_eq!(store.prune_snapshots(1, i64::MAX).unwrap(), 1);

    assert_eq!(names(&folder), ["lore.db", "lore.db.ledger-4.backup"]);
    let backup = folder.path().join("lore.db.ledger-4.backup");
    assert_eq!(user_version(&backup), 4 << 16 | 6);
    let kept = Connection::open(&backup).unwrap();
    let setting = "SELECT value FROM setting WHERE key = 'intent/1'";
    assert_eq!(kept.query_row(setting, [], |row| row.get::<_, String>(0)).unwrap(), "write-1");
    drop((store, kept));
    check_opens_without_migration(&folder, &path);
}

#[track_caller]
fn check_opens_without_migration(folder: &TempDir, path: &Path) {
    let before = names(folder);
    let OpenedStore { store, warnings } = open(path).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(store.version(1, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(names(folder), before, "no further backup");
}

/// A directory identifies a vault without an id. Of two projects in one directory, the last keeps it.
#[test]
fn migrated_projects_are_found_by_their_directory() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    old_database(&path, 4);
    let store = open(&path).unwrap().store;
    assert_eq!(store.checkouts(&local_id("/notes")).unwrap(), ["/notes"]);
    assert_eq!(store.checkouts(&local_id("/shared")).unwrap(), ["/shared"]);
    assert_eq!(store.projects_at("/shared").unwrap(), [2, 3]);
    let without_id = |checkout| ProjectKey { vault_id: None, ..checkout_key("x", checkout) };
    let project = open_key(&store, &without_id("/notes"));
    assert_eq!(project.number, 1);
    assert_eq!(open_key(&store, &without_id("/shared")).number, 3);
    assert_eq!(open_key(&store, &checkout_key("id", "/notes")), project, "it may get an id");
    put(&store, project, with_text("a.md", "heron"));
    assert_eq!(with_word(&store, project, "heron"), ["a.md"], "the index was rebuilt");
    assert_eq!(open_project(&store, "p").number, 4);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

#[test]
fn every_earlier_ledger_is_migrated() {
    for version in [1, 2, 3, 5] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("lore.db");
        old_database(&path, version);
        let OpenedStore { store, warnings } = open(&path).unwrap();
        assert_eq!(warnings, [""; 0]);
        check_first_rows(&store);
        assert_eq!(store.author(1, "a.md").unwrap().is_some(), version == 5);
        let author = Authorship { hash: ContentHash::of(b"x"), actor: "ada".into(), sole_author: true };
        store.set_author(1, "a.md", &author, Some(b"x"), 1).unwrap();
        assert_eq!(store.author(1, "a.md").unwrap(), Some(author));
        assert_eq!(names(&folder), ["lore.db", &format!("lore.db.ledger-{version}.backup")]);
        drop(store);
        check_opens_without_migration(&folder, &path);
    }
}

/// A backup of an upgrade that did not finish is kept and does not stop the next one.
#[test]
fn backups_do_not_replace_each_other() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    old_database(&path, 4);
    let first = folder.path().join("lore.db.ledger-4.backup");
    fs::write(&first, "an earlier backup").unwrap();
    let store = open(&path).unwrap().store;
    check_first_rows(&store);
    assert_eq!(fs::read_to_string(&first).unwrap(), "an earlier backup");
    assert_eq!(names(&folder), ["lore.db", "lore.db.ledger-4.backup", "lore.db.ledger-4.backup-2"]);
}
