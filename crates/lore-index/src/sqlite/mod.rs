//! SQLite: one file for many projects, many processes, one writer at a time.

mod chunks;
mod codes;
mod common;
mod filter;
mod fts;
mod index;
mod intake;
mod ledger;
mod means;
mod nearest;
mod open;
mod put;
mod rows;
mod vectors;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use lore_engine::{Error, PageNo, Result};
use rusqlite::{Connection, ErrorCode};

pub use open::{Opened, open, open_temporary, set_aside};

use codes::Codes;
use common::Common;
use fts::Words;

/// The index and ledger in a SQLite file.
pub struct SqliteStore {
    connection: Connection,
    path: PathBuf,
    /// Words of pages written in the open transaction, not yet given to FTS5.
    words: RefCell<BTreeMap<PageNo, Words>>,
    /// Codes of chunks written in the open transaction, not yet in their blobs.
    codes: RefCell<Codes>,
    /// Which words most pages have, as far as it was asked.
    common: RefCell<Common>,
}

impl SqliteStore {
    /// Runs `work` in a transaction that takes the write lock at once, so that it cannot fail half-way for want
    /// of it. A transaction inside another joins it.
    fn in_transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        if !self.connection.is_autocommit() {
            return work();
        }
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed("began to write"))?;
        let commit = || self.connection.execute_batch("COMMIT").map_err(failed("committed"));
        match work()
            .and_then(|()| self.flush_words())
            .and_then(|()| self.flush_codes())
            .and_then(|()| commit())
        {
            Ok(()) => Ok(()),
            Err(error) => {
                self.words.borrow_mut().clear();
                self.codes.borrow_mut().clear();
                // After some errors (a full disk) SQLite has rolled back by itself already.
                if !self.connection.is_autocommit() {
                    let _ = self.connection.execute_batch("ROLLBACK");
                }
                Err(error)
            }
        }
    }
}

/// Turns what SQLite says into an error of Lore.
fn failed(doing: &'static str) -> impl Fn(rusqlite::Error) -> Error {
    move |error| {
        let code = error.sqlite_error_code();
        if matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) {
            return Error::IndexBroken { location: "the index".into(), message: error.to_string() };
        }
        let busy =
            [ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked, ErrorCode::DiskFull, ErrorCode::CannotOpen];
        let transient = code.is_some_and(|code| busy.contains(&code));
        Error::Index { doing, message: error.to_string(), transient }
    }
}
