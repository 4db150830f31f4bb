//! Tests of the store traits and of the engine on a real store.
//!
//! `conformance` runs against every backend, `sqlite` covers SQLite files, `engine` opens a vault in a temporary
//! directory with a SQLite file and uses `Memory`, as the faces do.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests edit files as a user would; a failed unwrap fails the test"
)]

mod conformance;
mod engine;
mod sample;
mod sqlite;
mod sqlite_gaps;
