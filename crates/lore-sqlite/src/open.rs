//! Opens the database: settings, schema versions, and recovery from a damaged or too new file.

use std::path::Path;
use std::time::Duration;

use lore_ports::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{SqliteStore, failed, files};

/// Version of the derived tables: any other version is dropped and rebuilt.
const INDEX_VERSION: i64 = 10;

/// Version of the durable tables: an older one is migrated, a newer one rejected.
const LEDGER_VERSION: i64 = 6;

/// Migrations from each ledger version to the next; the first creates the ledger.
const MIGRATIONS: [&str; LEDGER_VERSION as usize] = [
    include_str!("ledger.sql"),
    include_str!("ledger-2.sql"),
    include_str!("ledger-3.sql"),
    include_str!("ledger-4.sql"),
    include_str!("ledger-5.sql"),
    include_str!("ledger-6.sql"),
];

/// How long to wait for another process that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// An open database, and the warnings from opening it.
pub struct OpenedStore {
    /// The database.
    pub store: SqliteStore,
    /// Warnings to show to the user.
    pub warnings: Vec<String>,
}

/// Opens the database at `path` and creates it if missing. A damaged file is renamed, and a warning names the new path.
pub fn open(path: &Path) -> Result<OpenedStore> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        files::make_folder(folder)?;
    }
    // Created here, not by SQLite, so that it is private from the first byte.
    files::make_private(path)?;
    match try_open(path) {
        Ok(store) => Ok(OpenedStore { store, warnings: Vec::new() }),
        Err(Error::IndexBroken { message, .. }) => {
            let warning = set_aside(path, &message)?;
            files::make_private(path)?;
            Ok(OpenedStore { store: try_open(path)?, warnings: vec![warning] })
        }
        Err(error) => Err(error),
    }
}

/// Creates a temporary database. It does not survive a crash and never waits for the disk.
pub fn open_temporary(path: &Path) -> Result<SqliteStore> {
    files::make_private(path)?;
    let store = try_open(path)?;
    let quick = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;";
    store.connection.execute_batch(quick).map_err(failed("open the database"))?;
    Ok(store)
}

/// Renames a damaged database, so that the next open starts with an empty one; returns the warning for the user.
pub fn set_aside(path: &Path, message: &str) -> Result<String> {
    let aside = files::set_aside(path, &["", "-wal", "-shm"])?;
    let (path, aside) = (path.display(), aside.display());
    Ok(format!(
        "{path} was damaged ({message}); it was moved to {aside} and the index will be rebuilt from your files"
    ))
}

fn try_open(path: &Path) -> Result<SqliteStore> {
    let opening = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::IndexBroken { location: path.display().to_string(), message: error.to_string() }
        }
        _ => failed("open the database")(error),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(opening)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(opening)?;
    connection.set_prepared_statement_cache_capacity(64);
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let folded = |context: &Context<'_>| context.get::<String>(0).map(|text| lore_text::fold(&text));
    connection.create_scalar_function("fold", 1, flags, folded).map_err(opening)?;
    // Otherwise a statement is recompiled whenever a bound value could change its plan.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(opening)?;
    // The index can be rebuilt, and each ledger write accompanies a file that is fsynced itself, so NORMAL is enough: a
    // power failure may lose the last transactions but never corrupts the database.
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
             PRAGMA temp_store = MEMORY; PRAGMA cache_size = -20000;
             PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 4000;",
        )
        .map_err(opening)?;
    let store = SqliteStore {
        connection,
        path: path.to_owned(),
        words: Default::default(),
        codes: Default::default(),
        counts: Default::default(),
    };
    store.upgrade().map_err(|error| at(error, path))?;
    Ok(store)
}

impl SqliteStore {
    /// Upgrades index and ledger to the current versions, in one transaction.
    fn upgrade(&self) -> Result<()> {
        let (index, ledger) = self.versions()?;
        if (index, ledger) == (INDEX_VERSION, LEDGER_VERSION) {
            return Ok(());
        }
        if ledger > LEDGER_VERSION || index > INDEX_VERSION {
            let location = self.path.display().to_string();
            let (found, known) =
                if ledger > LEDGER_VERSION { (ledger, LEDGER_VERSION) } else { (index, INDEX_VERSION) };
            return Err(Error::IndexNewer { location, found, known });
        }
        if ledger > 0 && ledger < LEDGER_VERSION {
            self.backup(&files::unused(&self.path, &format!(".ledger-{ledger}.backup")))?;
        }
        self.in_transaction(&mut || {
            // Another process may have upgraded it while this one waited for the lock.
            let (index, ledger) = self.versions()?;
            for step in MIGRATIONS.iter().skip(usize::try_from(ledger).unwrap_or(0)) {
                self.connection.execute_batch(step).map_err(failed("migrate the ledger"))?;
            }
            if index != INDEX_VERSION {
                self.drop_index()?;
                self.connection
                    .execute_batch(include_str!("index.sql"))
                    .map_err(failed("create the index"))?;
                self.remake_fts()?;
            }
            let version = LEDGER_VERSION << 16 | INDEX_VERSION;
            self.connection
                .pragma_update(None, "user_version", version)
                .map_err(failed("write the schema version"))
        })
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
                 (name IN ('page', 'name', 'label', 'link', 'statement', 'chunk', 'free_slot', 'pending', 'code') OR name GLOB 'fts_[0-9]*' AND sql LIKE '%fts5%')",
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

    /// Copies the database to a new file, as a consistent snapshot.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let to_text = to.to_string_lossy();
        self.connection.execute("VACUUM INTO ?1", [to_text.as_ref()]).map_err(failed("copy the database"))?;
        files::restrict(to)
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
