//! Copies of the database: private from their first byte, complete before they get their name, and never over a file.

use std::path::{Path, PathBuf};

use lore_ports::Result;
use rusqlite::{Connection, OpenFlags};

use crate::{SqliteStore, failed, files};

/// Called at each step with its name, so that tests can interrupt it.
pub(crate) type Step = fn(&str);

impl SqliteStore {
    /// Copies the database to a new file, as a consistent snapshot.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let partial = files::unused(to, &format!(".{}.partial", std::process::id()));
        copy(&self.connection, &partial, |_| {})?;
        files::publish(&partial, to)
    }

    /// Copies the database before its ledger is migrated. The caller holds the write lock, so that one process does this
    /// and a copy that another one left unfinished is certainly abandoned.
    pub(crate) fn backup_ledger(&self, version: i64, step: Step) -> Result<PathBuf> {
        let ending = format!(".ledger-{version}.backup");
        let partial = files::with_ending(&self.path, &format!("{ending}.partial"));
        files::remove(&partial)?;
        // A connection that holds the write lock cannot copy; a second one reads the state before the transaction.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = Connection::open_with_flags(&self.path, flags).map_err(failed("open the database"))?;
        copy(&reader, &partial, step)?;
        loop {
            let to = files::unused(&self.path, &ending);
            match files::publish(&partial, &to) {
                // Somebody else took the name meanwhile.
                Err(_) if files::exists(&partial) && files::exists(&to) => {}
                done => return done.map(|()| to),
            }
        }
    }
}

/// Writes a copy to a new, private file and syncs it.
fn copy(from: &Connection, to: &Path, step: Step) -> Result<()> {
    files::create_private(to)?;
    step("backup-started");
    // SQLite accepts an existing target if it is empty.
    let copied = from.execute("VACUUM INTO ?1", [to.to_string_lossy().as_ref()]);
    let copied = copied.map_err(failed("copy the database")).and_then(|_| files::sync(to));
    if copied.is_err() {
        files::remove(to)?;
    }
    step("backup-copied");
    copied
}
