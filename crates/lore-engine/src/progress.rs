//! How long work tells how far it is, and hears that nobody waits for it any more.

use crate::error::Result;

/// Told at every point where the work may end: how much is done, and how much there is in all. An error ends the work
/// there; what was done before it stays.
pub type Progress<'a> = &'a dyn Fn(usize, usize) -> Result<()>;

/// For work that nobody watches.
pub fn unwatched(_done: usize, _total: usize) -> Result<()> {
    Ok(())
}
