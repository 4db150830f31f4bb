//! Opens the database: settings, schema versions, and recovery from a damaged or too new file.

use std::path::Path;
use std::time::{Duration, Instant};

use lore_ports::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::backup::Step;
use crate::recognize::{APPLICATION_ID, Content, immutable, recognize};
use crate::{SqliteStore, failed, files};

/// Version of the derived tables: any other version is dropped and rebuilt.
const INDEX_VERSION: i64 = 16;

/// Version of the durable tables: an older one is migrated, a newer one rejected.
const LEDGER_VERSION: i64 = 9;

/// Migrations from each ledger version to the next; the first creates the ledger.
const MIGRATIONS: [&str; LEDGER_VERSION as usize] = [
    include_str!("ledger.sql"),
    include_str!("ledger-2.sql"),
    include_str!("ledger-3.sql"),
    include_str!("ledger-4.sql"),
    include_str!("ledger-5.sql"),
    include_str!("ledger-6.sql"),
    include_str!("ledger-7.sql"),
    include_str!("ledger-8.sql"),
    include_str!("ledger-9.sql"),
];

/// How long to wait for another process that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait for another process that is upgrading the database, which includes a copy of it.
const UPGRADE_TIMEOUT: Duration = Duration::from_secs(600);

/// Which database to open.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions<'a> {
    /// Path of the database.
    pub path: &'a Path,
    /// Whether only Lore keeps a file there, so that an unreadable one must be a damaged database.
    pub own_location: bool,
    /// Called at each step of an upgrade with its name, so that tests can interrupt it.
    pub step: fn(&str),
}

/// An open database, and the warnings from opening it.
pub struct OpenedStore {
    /// The database.
    pub store: SqliteStore,
    /// Warnings to show to the user.
    pub warnings: Vec<String>,
}

/// Opens the database at `path` and creates it if missing; any file that is not Lore's database is refused.
pub fn open(path: &Path) -> Result<OpenedStore> {
    open_with(&OpenOptions { path, own_location: false, step: |_| {} })
}

/// Opens the database and creates it if missing. A damaged one is renamed, and a warning names the new path; another
/// program's file is refused; a database that cannot be written is opened for reading.
pub fn open_with(options: &OpenOptions<'_>) -> Result<OpenedStore> {
    let path = options.path;
    match recognize(path, options.own_location)? {
        Content::Nothing => create(path)?,
        Content::Ours => {}
        Content::Unreadable => return replace(options, "file is not a database"),
    }
    make_all_private(path);
    match try_open(path, options.step) {
        Ok(store) => Ok(OpenedStore { store, warnings: Vec::new() }),
        Err(Error::IndexBroken { message, .. }) => replace(options, &message),
        // A database that is only busy is not opened for reading: the next attempt may write.
        Err(error) if is_forbidden(&error) => match open_for_reading(path)? {
            Some(store) => Ok(OpenedStore { store, warnings: vec![read_only(path)] }),
            None => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// Whether the database, or the files that SQLite needs beside it, may not be written.
fn is_forbidden(error: &Error) -> bool {
    match error {
        Error::IndexReadOnly { .. } => true,
        Error::Index { message, .. } => message.contains("unable to open database file"),
        _ => false,
    }
}

/// Makes a database private that was copied or restored with other permissions, and what SQLite keeps beside it.
fn make_all_private(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        files::withhold(&files::with_ending(path, ending));
    }
}

fn create(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        files::make_folder(folder)?;
    }
    // Created here, not by SQLite, so that it is private from the first byte.
    files::make_private(path)
}

/// Replaces a damaged database by an empty one.
fn replace(options: &OpenOptions<'_>, message: &str) -> Result<OpenedStore> {
    let warning = set_aside(options, message)?;
    files::make_private(options.path)?;
    Ok(OpenedStore { store: try_open(options.path, options.step)?, warnings: vec![warning] })
}

fn read_only(path: &Path) -> String {
    format!("{} cannot be written; answers come from the index as it is", path.display())
}

/// Creates a temporary database. It does not survive a crash and never waits for the disk.
pub fn open_temporary(path: &Path) -> Result<SqliteStore> {
    files::make_private(path)?;
    let store = try_open(path, |_| {})?;
    let quick = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;";
    store.connection.execute_batch(quick).map_err(failed("open the database"))?;
    Ok(store)
}

/// Renames a damaged database, so that the next open starts with an empty one; returns the warning for the user.
pub fn set_aside(options: &OpenOptions<'_>, message: &str) -> Result<String> {
    let path = options.path;
    recognize(path, options.own_location)?;
    let aside = files::set_aside(path, &["", "-wal", "-shm", "-journal"])?;
    let (path, aside) = (path.display(), aside.display());
    Ok(format!(
        "{path} was damaged ({message}); it was moved to {aside} and the index will be rebuilt from your files"
    ))
}

/// Opens a database for writing.
fn try_open(path: &Path, step: Step) -> Result<SqliteStore> {
    let opening = opening(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(&opening)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(&opening)?;
    if connection.is_readonly("main").map_err(&opening)? {
        return Err(Error::IndexReadOnly { doing: "open the database" });
    }
    patiently(|| {
        mark(&connection)?;
        connection.execute_batch("PRAGMA journal_mode = WAL")
    })
    .map_err(&opening)?;
    // The index can be rebuilt, and each ledger write accompanies a file that is fsynced itself, so NORMAL is enough: a
    // power failure may lose the last transactions but never corrupts the database.
    connection
        .execute_batch(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
             PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 4000;",
        )
        .map_err(&opening)?;
    let store = prepared(connection, path)?;
    store.upgrade(step).map_err(|error| at(error, path))?;
    Ok(store)
}

/// Opens a database that cannot be written; `None` if that does not help, or its schema is not current.
fn open_for_reading(path: &Path) -> Result<Option<SqliteStore>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let is_readable =
        |connection: &Connection| connection.query_row("SELECT count(*) FROM page", [], |_| Ok(())).is_ok();
    let shared = || {
        let connection = Connection::open_with_flags(path, flags).ok()?;
        connection.busy_timeout(BUSY_TIMEOUT).ok()?;
        Some(connection).filter(is_readable)
    };
    // In a directory that cannot be written SQLite has no shared memory for readers. Without a write-ahead log everything
    // is in the file itself, and nobody can change it there.
    let alone = || {
        let log = files::head(&files::with_ending(path, "-wal"), 1).ok()?;
        log.is_none_or(|log| log.is_empty()).then(|| immutable(path).ok()).flatten().filter(is_readable)
    };
    let Some(connection) = shared().or_else(alone) else { return Ok(None) };
    let store = prepared(connection, path)?;
    Ok((store.versions()? == (INDEX_VERSION, LEDGER_VERSION)).then_some(store))
}

/// Writes the application id as the first thing in a new database, before any other process can mistake it for a foreign
/// one.
fn mark(connection: &Connection) -> rusqlite::Result<()> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    if pages > 0 {
        return Ok(());
    }
    connection.execute_batch(&format!("BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; COMMIT"))
}

/// Repeats a step of opening while the database is busy: SQLite does not wait for a lock on the way to a write-ahead log,
/// which all processes that start with a new database take at once.
fn patiently(step: impl Fn() -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match step() {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
}

/// Sets what every connection needs.
fn prepared(connection: Connection, path: &Path) -> Result<SqliteStore> {
    let opening = opening(path);
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise a statement is recompiled whenever a bound value could change its plan.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(&opening)?;
    connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -20000;").map_err(&opening)?;
    Ok(SqliteStore {
        connection,
        path: path.to_owned(),
        identity: files::identity(path),
        words: Default::default(),
        codes: Default::default(),
        counts: Default::default(),
    })
}

fn opening(path: &Path) -> impl Fn(rusqlite::Error) -> Error + '_ {
    |error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::IndexBroken { location: path.display().to_string(), message: error.to_string() }
        }
        _ => failed("open the database")(error),
    }
}

impl SqliteStore {
    /// Upgrades index and ledger to the current versions, in one transaction.
    fn upgrade(&self, step: Step) -> Result<()> {
        let (index, ledger) = self.versions()?;
        if (index, ledger) == (INDEX_VERSION, LEDGER_VERSION) && self.is_marked()? {
            return Ok(());
        }
        if ledger > LEDGER_VERSION || index > INDEX_VERSION {
            let location = self.path.display().to_string();
            let (found, known) =
                if ledger > LEDGER_VERSION { (ledger, LEDGER_VERSION) } else { (index, INDEX_VERSION) };
            return Err(Error::IndexNewer { location, found, known });
        }
        let wait = |time| self.connection.busy_timeout(time).map_err(failed("open the database"));
        wait(UPGRADE_TIMEOUT)?;
        let upgraded = self.in_transaction(&mut || self.upgrade_locked(step));
        wait(BUSY_TIMEOUT)?;
        upgraded?;
        // Until the log is written back, the file itself still looks as before the upgrade. Others may be reading.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        Ok(())
    }

    /// Does the steps that are still to do; another process may have done them while this one waited for the lock.
    fn upgrade_locked(&self, step: Step) -> Result<()> {
        let (index, ledger) = self.versions()?;
        if ledger > 0 && ledger < LEDGER_VERSION {
            self.backup_ledger(ledger, step)?;
            step("backup-named");
        }
        for migration in MIGRATIONS.iter().skip(usize::try_from(ledger).unwrap_or(0)) {
            self.connection.execute_batch(migration).map_err(failed("migrate the ledger"))?;
        }
        if index != INDEX_VERSION {
            self.drop_index()?;
            self.connection.execute_batch(include_str!("index.sql")).map_err(failed("create the index"))?;
            self.remake_fts()?;
        }
        let version = LEDGER_VERSION << 16 | INDEX_VERSION;
        for (pragma, value) in [("user_version", version), ("application_id", APPLICATION_ID.into())] {
            self.connection.pragma_update(None, pragma, value).map_err(failed("write the schema version"))?;
        }
        step("migrated");
        Ok(())
    }

    fn is_marked(&self) -> Result<bool> {
        let id = self.connection.pragma_query_value(None, "application_id", |row| row.get::<_, i32>(0));
        Ok(id.map_err(failed("read the schema version"))? == APPLICATION_ID)
    }

    /// Returns the versions of index and ledger. Both are stored in SQLite's `user_version`, which is cheap to read.
    fn versions(&self) -> Result<(i64, i64)> {
        let both: i64 = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(failed("read the schema version"))?;
        Ok((both & 0xffff, both >> 16))
    }

    fn drop_index(&self) -> Result<()> {
        let mut statement = self
            .connection
            .prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND
                 (name IN ('page', 'name', 'label', 'link', 'statement', 'chunk', 'free_slot', 'pending', 'code', 'index_time') OR name GLOB 'fts_[0-9]*' AND sql LIKE '%fts5%')",
            )
            .map_err(failed("read the schema"))?;
        let tables: Vec<String> = statement
            .query_map([], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(failed("read the schema"))?;
        for table in tables {
            let drop = format!("DROP TABLE \"{table}\"");
            self.connection.execute_batch(&drop).map_err(failed("drop the old index"))?;
        }
        Ok(())
    }
}

/// Adds the path to an error that does not know it.
fn at(error: Error, path: &Path) -> Error {
    match error {
        Error::IndexBroken { message, .. } => {
            Error::IndexBroken { location: path.display().to_string(), message }
        }
        other => other,
    }
}
