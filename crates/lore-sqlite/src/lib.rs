//! The SQLite store: one file for many projects and many processes, with one writer at a time.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_engine::Policy; // It has no rules.
//! ```

mod backup;
mod batches;
mod chunks;
mod codes;
mod files;
mod filter;
mod foreign;
mod fts;
mod gaps_and_imports;
mod index;
mod ledger;
mod links;
mod maintenance;
mod nearest;
mod open;
mod pack;
mod pages;
mod projects;
mod put;
mod recognize;
mod rows;
mod statements;
mod tables;
mod term_counts;
mod vectors;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use lore_ports::{Error, Maintenance as _, PageNo, Result};
use rusqlite::{Connection, ErrorCode};

pub use foreign::read_tables;
pub use open::{OpenOptions, OpenedStore, open, open_temporary, open_with, set_aside};

use codes::Codes;
use fts::Words;
use term_counts::TermCounts;

/// The index and ledger in a SQLite file.
pub struct SqliteStore {
    connection: Connection,
    path: PathBuf,
    /// The file that was opened; another one may take its path.
    identity: Option<files::Identity>,
    /// Text of pages written in the open transaction, not yet passed to FTS5.
    words: RefCell<BTreeMap<PageNo, Words>>,
    /// Sign codes of chunks written in the open transaction, not yet in their blobs.
    codes: RefCell<Codes>,
    /// Cached counts of pages per term.
    counts: RefCell<TermCounts>,
}

impl SqliteStore {
    /// Runs `work` in a transaction that acquires the write lock immediately, so that it cannot fail half-way for lack
    /// of it. A nested transaction joins the outer one.
    fn in_transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        if !self.connection.is_autocommit() {
            return work();
        }
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed("begin an index transaction"))?;
        let commit =
            || self.connection.execute_batch("COMMIT").map_err(failed("commit an index transaction"));
        match self
            .check_in_place()
            .and_then(|()| work())
            .and_then(|()| self.flush_words())
            .and_then(|()| self.flush_codes())
            .and_then(|()| self.check_in_place())
            .and_then(|()| commit())
        {
            Ok(()) => Ok(()),
            Err(error) => {
                self.words.borrow_mut().clear();
                self.codes.borrow_mut().clear();
                *self.counts.borrow_mut() = TermCounts::default();
                // After some errors (such as a full disk) SQLite has already rolled back.
                if !self.connection.is_autocommit() {
                    let _ = self.connection.execute_batch("ROLLBACK");
                }
                Err(error)
            }
        }
    }
}

impl SqliteStore {
    /// Runs `work` for each item, all in one transaction.
    fn each_in_transaction<T>(&self, items: &[T], work: impl Fn(&T) -> Result<()>) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        self.in_transaction(&mut || items.iter().try_for_each(&work))
    }
}

/// Converts a SQLite error.
fn failed(doing: &'static str) -> impl Fn(rusqlite::Error) -> Error {
    move |error| {
        let code = error.sqlite_error_code();
        if matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) {
            return Error::IndexBroken { location: "the index".into(), message: error.to_string() };
        }
        if code == Some(ErrorCode::ReadOnly) {
            return Error::IndexReadOnly { doing };
        }
        let busy =
            [ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked, ErrorCode::DiskFull, ErrorCode::CannotOpen];
        let transient = code.is_some_and(|code| busy.contains(&code));
        Error::Index { doing, message: error.to_string(), transient }
    }
}
