//! Operations that keep a vault current: sync, embedding, git, retention, validation.

pub mod embed;
pub mod git;
pub mod retention;
pub mod sync;
pub mod test;
pub mod validate;
