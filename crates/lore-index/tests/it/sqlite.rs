//! What only a SQLite file can do: be damaged, too new, too old, shared or copied.

use std::fs;
use std::path::Path;

use lore_engine::{
    Authorship, ContentHash, Error, Filter, Index as _, LinkEnds, Order, ProjectNo, Store, TextQuery,
};
use lore_index::{Opened, open};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::conformance::Open;
use crate::sample::{ALL, link, listed, put, with_text, with_word};

/// Tells a story of a new database in a directory of its own.
pub fn with_database(story: &dyn Fn(Open<'_>)) {
    let folder = TempDir::new().unwrap();
    story(&|| Box::new(open(&folder.path().join("lore.db")).unwrap().store));
}

/// A database with two pages, a link and a ledger.
fn filled(path: &Path) -> ProjectNo {
    let store = open(path).unwrap().store;
    let project = store_project(&store);
    let mut draft = with_text("a.md", "heron");
    draft.links = vec![link("b")];
    put(&store, project, draft);
    for number in 0..50 {
        put(&store, project, with_text(&format!("many/{number}.md"), "badger and otter"));
    }
    lore_engine::Ledger::set_version(&store, project, "a.md", 7, ContentHash::of(b"x")).unwrap();
    lore_engine::Ledger::set_setting(&store, "kept", "yes").unwrap();
    project
}

fn store_project(store: &dyn Store) -> ProjectNo {
    store.project("p", "/p").unwrap()
}

fn user_version(path: &Path) -> i64 {
    Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn set_user_version(path: &Path, version: i64) {
    Connection::open(path).unwrap().pragma_update(None, "user_version", version).unwrap();
}

/// The names beside the database, damaged ones included.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_database_and_its_copies() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/er/lore.db");
    let store = open(&path).unwrap().store;
    store_project(&store);
    lore_engine::Ledger::backup(&store, &folder.path().join("deep/er/copy.db")).unwrap();
    let mut seen = 0;
    for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
        seen += 1;
    }
    assert!(seen >= 3, "the database, its log and the copy");
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
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
            other => panic!("{newer:x} was not refused: {other:?}"),
        }
        assert_eq!(user_version(&path), newer);
    }
    set_user_version(&path, version);
    let store = open(&path).unwrap().store;
    let project = store_project(&store);
    assert_eq!(with_word(&store, project, "heron"), ["a.md"], "nothing was touched");
}

#[test]
fn an_older_index_is_made_again_and_the_ledger_stays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    let version = user_version(&path);
    set_user_version(&path, version - 1);
    let Opened { store, warnings } = open(&path).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(user_version(&path), version);
    assert_eq!(store_project(&store), project);
    assert_eq!(listed(&store, project, &Filter::default(), Order::Title), [""; 0]);
    assert_eq!(lore_engine::Ledger::version(&store, project, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(lore_engine::Ledger::setting(&store, "kept").unwrap().as_deref(), Some("yes"));
    put(&store, project, with_text("a.md", "heron"));
    assert_eq!(with_word(&store, project, "heron"), ["a.md"]);
    assert_eq!(lore_engine::Index::problems(&store).unwrap(), [""; 0]);
}

#[test]
fn a_ledger_of_the_first_version_is_migrated_after_a_copy() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    // As the first version left it: no authors, models, findings, gaps or imports; snapshots found by their time alone.
    let old = "DROP TABLE author; DROP TABLE model; DROP TABLE vector; DROP INDEX snapshot_at;
               DROP TABLE finding; DROP TABLE gap; DROP TABLE import;
               CREATE INDEX snapshot_at ON snapshot(at);";
    Connection::open(&path).unwrap().execute_batch(old).unwrap();
    set_user_version(&path, 1 << 16 | 1);
    let Opened { store, warnings } = open(&path).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(lore_engine::Ledger::version(&store, project, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(lore_engine::Ledger::author(&store, project, "a.md").unwrap(), None);
    let author = Authorship { hash: ContentHash::of(b"x"), actor: "ada".into(), whole: true };
    lore_engine::Ledger::set_author(&store, project, "a.md", &author).unwrap();
    assert!(names(&folder).contains(&"lore.db.ledger-1.backup".to_owned()), "{:?}", names(&folder));
}

/// Damages a filled database; it is set aside, told of, and a new one works.
#[track_caller]
fn check_damage(damage: impl Fn(&Path, Vec<u8>)) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    filled(&path);
    let sound = fs::read(&path).unwrap();
    assert!(sound.len() > 40_000 && !path.with_extension("db-wal").exists(), "all of it is in the file");
    damage(&path, sound);
    let damaged = fs::read(&path).unwrap();
    let Opened { store, warnings } = open(&path).unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("lore.db.damaged-1"), "{warnings:?}");
    assert_eq!(fs::read(folder.path().join("lore.db.damaged-1")).unwrap(), damaged, "kept as it was");
    let project = store_project(&store);
    assert_eq!(listed(&store, project, &Filter::default(), Order::Title), [""; 0]);
    put(&store, project, with_text("a.md", "heron"));
    drop(store);
    let Opened { store, warnings } = open(&path).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(with_word(&store, project, "heron"), ["a.md"]);
    assert_eq!(names(&folder), ["lore.db", "lore.db.damaged-1"]);
}

#[test]
fn bytes_that_are_no_database_are_set_aside() {
    let noise: Vec<u8> = (0..9000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    check_damage(|path, _| fs::write(path, &noise).unwrap());
    check_damage(|path, _| fs::write(path, "not a database at all").unwrap());
}

#[test]
fn a_truncated_database_is_set_aside() {
    check_damage(|path, sound| fs::write(path, &sound[..sound.len() / 2]).unwrap());
    check_damage(|path, sound| fs::write(path, &sound[..5000]).unwrap());
}

#[test]
fn a_second_damaged_file_does_not_replace_the_first() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    for text in ["first damage, long enough", "second damage, long enough"] {
        fs::write(&path, text).unwrap();
        open(&path).unwrap();
    }
    assert_eq!(names(&folder), ["lore.db", "lore.db.damaged-1", "lore.db.damaged-2"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("lore.db.damaged-1")).unwrap(),
        "first damage, long enough"
    );
}

/// Damage inside is met only when those pages are read: it must be told apart from an empty index.
#[test]
fn damage_inside_is_an_error_and_never_an_empty_answer() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    let mut bytes = fs::read(&path).unwrap();
    let size = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    bytes[size..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let told = match open(&path) {
        Ok(opened) if !opened.warnings.is_empty() => return,
        Ok(opened) => {
            let store: &dyn Store = &opened.store;
            store.list(project, &Filter::default(), Order::Title, crate::sample::ALL).map(drop)
        }
        Err(error) => Err(error),
    };
    assert!(matches!(told, Err(Error::IndexBroken { .. })), "{told:?}");
}

#[test]
fn rows_that_do_not_fit_together_are_told() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    filled(&path);
    let store: Box<dyn Store> = Box::new(open(&path).unwrap().store);
    assert_eq!(store.problems().unwrap(), [""; 0]);
    let broken = Connection::open(&path).unwrap();
    broken.execute_batch("UPDATE link SET to_page = 999; DELETE FROM page WHERE path = 'a.md'").unwrap();
    broken.execute_batch("UPDATE page SET slug = 'many/1' WHERE slug = 'many/2'").unwrap();
    let told = store.problems().unwrap().join("; ");
    for what in ["slug of another", "links from", "links to", "names of", "words without a page"] {
        assert!(told.contains(what), "{what} is not in {told}");
    }
}

#[test]
fn a_reader_is_not_kept_waiting_by_a_writer() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lore.db");
    let project = filled(&path);
    let (writer, reader) = (open(&path).unwrap().store, open(&path).unwrap().store);
    lore_engine::Index::transaction(&writer, &mut || {
        put(&writer, project, with_text("new.md", "heron"));
        assert_eq!(with_word(&reader, project, "heron"), ["a.md"]);
        // Opening, too, must not need the write lock.
        let third = open(&path)?.store;
        assert_eq!(store_project(&third), project);
        assert_eq!(with_word(&third, project, "heron"), ["a.md"]);
        Ok(())
    })
    .unwrap();
    assert_eq!(with_word(&reader, project, "heron"), ["a.md", "new.md"]);
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
                    lore_engine::Index::transaction(&store, &mut || {
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
    assert_eq!(lore_engine::Index::problems(&store).unwrap(), [""; 0]);
}

#[test]
fn a_backup_opens_and_has_the_same_rows() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (folder.path().join("lore.db"), folder.path().join("copy.db"));
    let project = filled(&path);
    let store: Box<dyn Store> = Box::new(open(&path).unwrap().store);
    store.backup(&copy).unwrap();
    put(&*store, project, with_text("later.md", "heron"));
    let copied: Box<dyn Store> = Box::new(open(&copy).unwrap().store);
    assert_eq!(store_project(&*copied), project);
    assert_eq!(listed(&*copied, project, &Filter::default(), Order::Title).len(), 51);
    assert_eq!(with_word(&*copied, project, "heron"), ["a.md"]);
    assert_eq!(copied.links(project, &LinkEnds::Pending).unwrap().len(), 1);
    assert_eq!(copied.version(project, "a.md").unwrap(), store.version(project, "a.md").unwrap());
    assert_eq!(copied.setting("kept").unwrap().as_deref(), Some("yes"));
    assert_eq!(copied.problems().unwrap(), [""; 0]);
    assert!(store.backup(&copy).is_err(), "a file that is there is never overwritten");
}

#[test]
fn a_word_that_most_pages_have_does_not_rank_them_all() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder.path().join("lore.db")).unwrap().store;
    let project = store_project(&store);
    for number in 0..300 {
        put(&store, project, with_text(&format!("{number}.md"), "otter"));
    }
    put(&store, project, with_text("rare.md", "heron"));
    let relaxed = lore_engine::prepare("heron otter").relaxed.unwrap();
    let query = TextQuery {
        expression: &relaxed,
        filter: &Filter::default(),
        weights: lore_engine::Weights::default(),
        window: ALL,
    };
    let hits = store.search(project, &query).unwrap();
    let pages: Vec<i64> = hits.into_iter().map(|hit| hit.page).collect();
    assert_eq!(store.pages(project, &pages).unwrap()[0].path, "rare.md");
    assert_eq!(pages.len(), 1);
    assert_eq!(with_word(&store, project, "heron OR otter").len(), 301, "who asks for either gets both");
}
