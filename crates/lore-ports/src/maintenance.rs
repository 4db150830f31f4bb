//! Upkeep of a database itself.

use crate::error::Result;

/// What a database does for its own health. Copies and the like are the business of each database's own tools.
pub trait Maintenance {
    /// Fails with [`Error::DatabaseReplaced`](crate::Error::DatabaseReplaced) if the open database is no longer the one
    /// at its location. What is written to it then is lost.
    fn check_in_place(&self) -> Result<()>;

    /// Reclaims space and updates statistics.
    fn optimize(&self) -> Result<()>;

    /// Rewrites the database so that its files contain nothing that was deleted or replaced. Returns false if another
    /// process that uses the database prevents it.
    fn erase_deleted(&self) -> Result<bool>;

    /// Releases cached memory, for use when idle.
    fn shrink_memory(&self) -> Result<()>;

    /// Returns what is wrong with the database's own structure; empty when sound.
    fn problems(&self) -> Result<Vec<String>>;
}
