//! Tests of the SQLite store: the conformance suite of the storage port, and what is particular to SQLite files.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests edit files as a user would; a failed unwrap fails the test"
)]

mod foreign;
mod migration;
mod sqlite;
mod sqlite_gaps;

lore_ports::conformance!(conformance, crate::sqlite::with_database);
