//! The [`Index`](lore_engine::Index) and [`Ledger`](lore_engine::Ledger) of Lore in a database. SQL lives here and
//! nowhere else.

mod signs;
mod sqlite;

pub use sqlite::{Opened, SqliteStore, open, open_temporary, set_aside};
