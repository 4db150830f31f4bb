//! Open contradictions between pages.

use lore_ports::PageRow;

use super::day::Day;
use super::rows;
use super::ties::Ties;
use crate::context::VaultContext;
use crate::error::Result;

/// Two contradicting pages.
#[derive(Debug, Clone)]
pub struct Conflict {
    /// First page.
    pub one: PageRow,
    /// Second page.
    pub other: PageRow,
    /// Context of the link between them, else a default sentence.
    pub description: String,
}

/// Returns the open contradictions of a vault, each once, sorted by path.
pub fn conflicts(context: &VaultContext) -> Result<Vec<Conflict>> {
    conflicts_by(context, &Ties::read(context)?)
}

/// Returns the conflicts among known relations.
pub fn conflicts_by(context: &VaultContext, ties: &Ties) -> Result<Vec<Conflict>> {
    let (rows, day) = (rows(context, ties.contradicted())?, Day::today(context));
    let mut found = Vec::new();
    for one in rows.values().filter(|page| !day.is_over(page, ties)) {
        for tie in ties.contradictions(one.number) {
            let Some(other) = rows.get(&tie.other).filter(|page| !day.is_over(page, ties)) else { continue };
            // Each contradiction is listed at both ends.
            if one.path < other.path {
                let description = tie.context.clone().unwrap_or_else(|| said_plainly(one, other));
                found.push(Conflict { one: one.clone(), other: other.clone(), description });
            }
        }
    }
    found.sort_by(|a, b| (&a.one.path, &a.other.path).cmp(&(&b.one.path, &b.other.path)));
    Ok(found)
}

fn said_plainly(one: &PageRow, other: &PageRow) -> String {
    format!("{:?} and {:?} contradict each other", one.title, other.title)
}
