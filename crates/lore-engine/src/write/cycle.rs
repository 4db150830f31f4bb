//! Refuses a write after which pages would supersede each other in a circle: none of them would be current.

use std::collections::BTreeSet;

use lore_ports::{LinkFilter, PageNo};

use crate::change::PreparedChange;
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::Proposal;
use crate::lifecycle::Ties;
use crate::policy::{Finding, Level, Lint};

/// Supersession cycles, each as the sorted numbers of its pages, which a move does not change.
pub(super) type Cycles = BTreeSet<Vec<PageNo>>;

/// Returns the cycles of the pages of a write, as the index has them. Pages that do not mention supersession cannot close a
/// cycle.
pub(super) fn cycles(context: &VaultContext, ready: &[PreparedChange]) -> Result<Cycles> {
    let mut found = Cycles::new();
    for one in ready.iter().filter(|one| one.new.as_deref().is_some_and(mentions_supersession)) {
        let moved = one.to.as_ref().map(|to| context.page_at(to)).transpose()?.flatten();
        let row = match moved {
            Some(row) => Some(row),
            None => context.page_at(&one.path)?,
        };
        let Some(row) = row else { continue };
        let mut circle = Ties::around(context, &[row.number])?.circle(row.number);
        circle.sort_unstable();
        if !circle.is_empty() {
            found.insert(circle);
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
    let after = cycles(context, ready)?;
    let Some(circle) = after.difference(before).next() else { return Ok(()) };
    let rows = context.store().pages(context.project(), circle)?;
    let mut pages: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
    pages.sort_unstable();
    Err(Error::SupersessionCycle { pages })
}

/// Returns an error for each of these pages that is on a cycle, as the index has it.
pub(super) fn cycle_findings(context: &VaultContext, proposal: &Proposal) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (path, bytes) in proposal {
        if !bytes.as_deref().is_some_and(mentions_supersession) {
            continue;
        }
        let Some(row) = context.page_at(path)? else { continue };
        let circle = Ties::around(context, &[row.number])?.circle(row.number);
        if circle.is_empty() {
            continue;
        }
        let rows = context.store().pages(context.project(), &circle)?;
        let mut pages: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
        pages.sort_unstable();
        let message = match pages.as_slice() {
            [one] => format!("{one} supersedes itself"),
            _ => format!("{} supersede each other, so none of them is current", pages.join(", ")),
        };
        let links = context.store().links(context.project(), &LinkFilter::From(&[row.number]))?;
        let link = links.iter().find(|one| {
            mentions_supersession(one.link.relation.as_bytes())
                && one.to.is_some_and(|to| circle.contains(&to))
        });
        findings.push(Finding {
            lint: Lint::Structure,
            level: Level::Error,
            path: path.clone(),
            line: link.map(|one| one.link.line),
            message,
            fixable: false,
        });
    }
    Ok(findings)
}

fn mentions_supersession(bytes: &[u8]) -> bool {
    bytes.windows(b"supersede".len()).any(|word| word.eq_ignore_ascii_case(b"supersede"))
}
