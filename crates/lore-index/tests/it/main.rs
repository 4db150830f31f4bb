//! What a store must do, told against the traits alone, and what the engine does with a real one.
//!
//! `conformance` runs against every backend, `sqlite` is about files of SQLite, `engine` opens a vault in a
//! temporary directory over a SQLite file and goes through `Memory` as the faces do.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests play the person who edits files, and stop at the first surprise"
)]

mod conformance;
mod engine;
mod sample;
mod sqlite;
mod sqlite_gaps;
