//! The vault's repository: what is committed, what is left alone, and how remotes are handled.

mod commits;
mod failures;
mod foreign_edits;
mod interrupted;
mod remote;
mod saves;
