//! SQLite files that are damaged, too new, too old, shared or copied.

use std::fs;
use std::path::Path;

use lore_ports::conformance::Open;
use lore_ports::conformance::sample::{ALL, Project, link, listed, open_project, put, with_text, with_word};
use lore_ports::{
    Error, Filter, Index as _, Ledger as _, LinkFilter, Maintenance as _, Order, PageWrite, Projects as _,
    StateChange, Store,
};
use lore_sqlite::{OpenOptions, OpenedStore, open, open_with};
use lore_text::ContentHash;
use rusqlite::Connection;
use tempfile::TempDir;

/// Runs a conformance test with a new database in its own directory.
pub fn with_database(story: &dyn Fn(Open<'_>)) {
    let folder = TempDir::new().unwrap();
    story(&|| Box::new(open(&folder.path().join("lore.db")).unwrap().store));
}

/// Fills a database with pages, a link and a ledger.
fn filled(path: &Path) -> Project {
    let store = open(path).unwrap().store;
    let project = open_project(&store, "p");
    let mut draft = with_text("a.md", "heron");
    draft.links = vec![link("b")];
    put(&store, project, draft);
    for number in 0..50 {
        put(&store, project, with_text(&format!("many/{number}.md"), "badger and otter"));
    }
    store.set_version(project.number, "a.md", 7, ContentHash::of(b"x")).unwrap();
    store.set_state(project.number, &StateChange::LastWrite("kept")).unwrap();
    project
}

fn last_write(store: &dyn Store, project: Project) -> Option<String> {
    store.state(project.number).unwrap().last_write
}

pub fn user_version(path: &Path) -> i64 {
    Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn set_user_version(path: &Path, version: i64) {
    Connection::open(path).unwrap().pragma_update(None, "user_version", version).unwrap();
}

/// Returns the names next to the database, including damaged files.
pub fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn database_and_copies_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/er/lore.db");
    let store = open(&path).unwrap().store;
    open_project(&store, "p");
    store.backup(&folder.path().join("deep/er/copy.db")).unwrap();
    let mut seen = 0;
    for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
        seen += 1;
    }
    assert!(seen >= 3, "the database, its log and the copy exist");
}

#[test]
fn newer_schemas_are_rejected_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    filled(&path);
    let version = user_version(&path);
    for newer in [version + 1, version + (1 << 16), (version + (1 << 16)) & !0xffff] {
        set_user_version(&path, newer);
        match open(&path).map(|opened| opened.warnings) {
            Err(Error::IndexNewer { found, known, location }) => {
                assert!(found > known && location.ends_with("lore.db"), "{found} {known} {location}");
            }
            other => panic!("{newer:x} was not rejected: {other:?}"),
        }
        assert_eq!(user_version(&path), newer);
    }
    set_user_version(&path, version);
    let store = open(&path).unwrap().store;
    let project = open_project(&store, "p");
    assert_eq!(with_word(&store, project, "heron"), ["a.md"], "the database is unchanged");
}

#[test]
fn older_indexes_are_rebuilt_and_the_ledger_kept() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    let version = user_version(&path);
    set_user_version(&path, version - 1);
    let OpenedStore { store, warnings } = open(&path).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(user_version(&path), version);
    assert_eq!(open_project(&store, "p"), project);
    assert_eq!(listed(&store, project, &Filter::default(), Order::Title), [""; 0]);
    assert_eq!(store.version(project.number, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(last_write(&store, project).as_deref(), Some("kept"));
    put(&store, project, with_text("a.md", "heron"));
    assert_eq!(with_word(&store, project, "heron"), ["a.md"]);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

/// Opens a database where only Lore keeps a file.
fn open_own(path: &Path) -> OpenedStore {
    open_with(&OpenOptions { path, own_location: true, step: |_| {} }).unwrap()
}

/// Damages a filled database; it is renamed with a warning, and a new one works.
#[track_caller]
fn check_damage(damage: impl Fn(&Path, Vec<u8>)) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    filled(&path);
    let sound = fs::read(&path).unwrap();
    assert!(
        sound.len() > 40_000 && !path.with_extension("db-wal").exists(),
        "everything is in the main file"
    );
    damage(&path, sound);
    let damaged = fs::read(&path).unwrap();
    let OpenedStore { store, warnings } = open_own(&path);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("lore.db.damaged-1"), "{warnings:?}");
    assert_eq!(
        fs::read(folder.path().join("lore.db.damaged-1")).unwrap(),
        damaged,
        "the damaged file is unchanged"
    );
    let project = open_project(&store, "p");
    assert_eq!(listed(&store, project, &Filter::default(), Order::Title), [""; 0]);
    put(&store, project, with_text("a.md", "heron"));
    drop(store);
    let OpenedStore { store, warnings } = open(&path).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(with_word(&store, project, "heron"), ["a.md"]);
    assert_eq!(names(&folder), ["lore.db", "lore.db.damaged-1"]);
}

#[test]
fn non_database_files_are_set_aside() {
    let noise: Vec<u8> = (0..9000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    check_damage(|path, _| fs::write(path, &noise).unwrap());
    check_damage(|path, _| fs::write(path, "not a database at all").unwrap());
}

#[test]
fn truncated_databases_are_set_aside() {
    check_damage(|path, sound| fs::write(path, &sound[..sound.len() / 2]).unwrap());
    check_damage(|path, sound| fs::write(path, &sound[..5000]).unwrap());
}

#[test]
fn damaged_files_do_not_replace_each_other() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    for text in ["first damage, long enough", "second damage, long enough"] {
        fs::write(&path, text).unwrap();
        open_own(&path);
    }
    assert_eq!(names(&folder), ["lore.db", "lore.db.damaged-1", "lore.db.damaged-2"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("lore.db.damaged-1")).unwrap(),
        "first damage, long enough"
    );
}

/// Damage inside the file surfaces only when those pages are read: it must not look like an empty index.
#[test]
fn damage_inside_is_an_error_and_never_an_empty_result() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    let mut bytes = fs::read(&path).unwrap();
    let size = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    bytes[size..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let error = match open(&path) {
        Ok(opened) if !opened.warnings.is_empty() => return,
        Ok(opened) => {
            let store: &dyn Store = &opened.store;
            store.list(project.number, &Filter::default(), Order::Title, ALL).map(drop)
        }
        Err(error) => Err(error),
    };
    assert!(matches!(error, Err(Error::IndexBroken { .. })), "{error:?}");
}

#[test]
fn inconsistent_rows_are_reported() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    filled(&path);
    let store: Box<dyn Store> = Box::new(open(&path).unwrap().store);
    assert_eq!(store.problems().unwrap(), [""; 0]);
    let broken = Connection::open(&path).unwrap();
    broken.execute_batch("UPDATE link SET to_page = 999; DELETE FROM page WHERE path = 'a.md'").unwrap();
    broken.execute_batch("UPDATE page SET slug = 'many/1' WHERE slug = 'many/2'").unwrap();
    let error = store.problems().unwrap().join("; ");
    for what in ["duplicate slug", "links from", "links to", "names of", "full-text table differ"] {
        assert!(error.contains(what), "{what} missing from {error}");
    }
}

#[test]
fn writers_do_not_block_readers() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    let (writer, reader) = (open(&path).unwrap().store, open(&path).unwrap().store);
    writer
        .transaction(&mut || {
            put(&writer, project, with_text("new.md", "heron"));
            assert_eq!(with_word(&reader, project, "heron"), ["a.md"]);
            // Opening must not need the write lock either.
            let third = open(&path)?.store;
            assert_eq!(open_project(&third, "p"), project);
            assert_eq!(with_word(&third, project, "heron"), ["a.md"]);
            Ok(())
        })
        .unwrap();
    assert_eq!(with_word(&reader, project, "heron"), ["a.md", "new.md"]);
}

#[test]
fn changes_of_pages_are_applied_together_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let store = open(&path).unwrap().store;
    let project = open_project(&store, "p");
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON page WHEN new.path = 'b.md'
                  BEGIN SELECT RAISE(ABORT, 'refused'); END";
    Connection::open(&path).unwrap().execute_batch(refuse).unwrap();
    let put = |path: &str| PageWrite::Put(Box::new(with_text(path, "heron")));
    let failed = store.apply(project.number, project.replica, &[put("a.md"), put("b.md")]);
    assert!(matches!(failed, Err(Error::Index { .. })), "{failed:?}");
    assert_eq!(listed(&store, project, &Filter::default(), Order::Title), [""; 0]);
    assert_eq!(with_word(&store, project, "heron"), [""; 0]);
    store.apply(project.number, project.replica, &[put("a.md"), put("c.md")]).unwrap();
    assert_eq!(with_word(&store, project, "heron"), ["a.md", "c.md"]);
}

#[test]
fn two_writers_take_turns() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let path = &path;
            scope.spawn(move || {
                let store = open(path).unwrap().store;
                for number in 0..20 {
                    store
                        .transaction(&mut || {
                            put(&store, project, with_text(&format!("{writer}-{number}.md"), "turn"));
                            Ok(())
                        })
                        .unwrap();
                }
            });
        }
    });
    let store = open(&path).unwrap().store;
    assert_eq!(with_word(&store, project, "turn").len(), 40);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

#[test]
fn backups_open_with_the_same_rows() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (folder.path().join("lore.db"), folder.path().join("copy.db"));
    let project = filled(&path);
    let store = open(&path).unwrap().store;
    store.backup(&copy).unwrap();
    put(&store, project, with_text("later.md", "heron"));
    let copied: Box<dyn Store> = Box::new(open(&copy).unwrap().store);
    assert_eq!(open_project(&*copied, "p"), project);
    assert_eq!(listed(&*copied, project, &Filter::default(), Order::Title).len(), 51);
    assert_eq!(with_word(&*copied, project, "heron"), ["a.md"]);
    assert_eq!(copied.links(project.number, &LinkFilter::Pending).unwrap().len(), 1);
    assert_eq!(
        copied.version(project.number, "a.md").unwrap(),
        store.version(project.number, "a.md").unwrap()
    );
    assert_eq!(last_write(&*copied, project).as_deref(), Some("kept"));
    assert_eq!(copied.problems().unwrap(), [""; 0]);
    assert!(store.backup(&copy).is_err(), "an existing file is never overwritten");
}
