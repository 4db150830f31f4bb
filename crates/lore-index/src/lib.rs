//! Database implementations of [`Index`](lore_engine::Index) and [`Ledger`](lore_engine::Ledger). All SQL is in this
//! crate.

mod signs;
mod sqlite;

pub use sqlite::{Opened, SqliteStore, open, open_temporary, set_aside};
