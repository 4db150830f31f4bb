//! Progress reporting and cancellation of long-running work.

use crate::error::Result;

/// Called at every point where the work may stop, with the amount done and the total. An error stops the work there;
/// what was done before is kept.
pub type Progress<'a> = &'a dyn Fn(usize, usize) -> Result<()>;

/// Ignores progress.
pub fn no_progress(_done: usize, _total: usize) -> Result<()> {
    Ok(())
}
