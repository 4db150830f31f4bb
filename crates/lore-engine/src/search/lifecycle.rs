//! Lifecycle: the state of every hit's page, and the warnings that a reader needs.

use lore_ports::PageRow;

use super::result::Hit;
use crate::context::VaultContext;
use crate::error::Result;
use crate::lifecycle::states;

/// Adds states and warnings to hits. The number of index queries does not depend on the number of hits.
pub(super) fn add_states(context: &VaultContext, hits: &mut [Hit]) -> Result<()> {
    if hits.is_empty() {
        return Ok(());
    }
    let pages: Vec<PageRow> = hits.iter().map(|hit| hit.page.clone()).collect();
    for (hit, state) in hits.iter_mut().zip(states(context, &pages)?) {
        hit.warnings = state.warnings();
        hit.state = state;
    }
    Ok(())
}
