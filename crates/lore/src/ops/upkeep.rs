//! Operations that keep a vault current: sync, embedding, git, retention, validation, secrets.

pub mod embed;
pub mod git;
pub mod retention;
pub mod routine;
pub mod secrets;
pub mod sync;
pub mod table;
pub mod test;
pub mod triage;
pub mod validate;
