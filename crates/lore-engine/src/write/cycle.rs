//! Refuses a write after which pages would supersede each other in a circle: none of them would be current.

use std::collections::BTreeSet;

use crate::change::PreparedChange;
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::lifecycle::Ties;

/// Supersession cycles, each as the sorted slugs of its pages.
pub(super) type Cycles = BTreeSet<Vec<String>>;

/// Returns the cycles of the pages of a write, as the index has them. Pages that do not mention supersession cannot close a
/// cycle.
pub(super) fn cycles(context: &VaultContext, ready: &[PreparedChange]) -> Result<Cycles> {
    let mut found = Cycles::new();
    for one in ready.iter().filter(|one| one.new.as_deref().is_some_and(mentions_supersession)) {
        let Some(row) = context.page_at(one.to.as_ref().unwrap_or(&one.path))? else { continue };
        let circle = Ties::around(context, &[row.number])?.circle(row.number);
        let rows = context.store().pages(context.project(), &circle)?;
        let mut slugs: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
        slugs.sort_unstable();
        if !slugs.is_empty() {
            found.insert(slugs);
        }
    }
    Ok(found)
}

/// Fails if the pages of a write are on a cycle that did not exist before.
pub(super) fn refuse_new_cycle(
    context: &VaultContext,
    ready: &[PreparedChange],
    before: &Cycles,
) -> Result<()> {
    match cycles(context, ready)?.difference(before).next() {
        Some(pages) => Err(Error::SupersessionCycle { pages: pages.clone() }),
        None => Ok(()),
    }
}

fn mentions_supersession(bytes: &[u8]) -> bool {
    bytes.windows(b"supersede".len()).any(|word| word.eq_ignore_ascii_case(b"supersede"))
}
