//! Lints across files: links that fit several pages.

use std::collections::BTreeSet;

use lore_ports::LinkFilter;

use super::Finding;
use super::page::Findings;
use crate::context::VaultContext;
use crate::error::Result;
use crate::index::equal_targets;
use crate::policy::{Level, Lint};

/// Maximum number of pages that a finding names.
const NAMED: usize = 3;

/// Finds links that fit several pages equally well, of these pages or of all, if the policy's level is at least this.
pub(super) fn ambiguous_links(
    context: &VaultContext,
    only: Option<&BTreeSet<String>>,
    least: Level,
) -> Result<Vec<Finding>> {
    let policy = context.policy();
    if policy.lint.level(Lint::LinkAmbiguous) < least {
        return Ok(Vec::new());
    }
    let (store, project) = (context.store(), context.project());
    let known = store.fingerprints(project, context.replica(), only)?;
    let numbers: Vec<i64> = known.into_iter().map(|page| page.page).collect();
    let links = store.links(project, &LinkFilter::From(&numbers))?;
    let mut findings = Vec::new();
    for (row, paths) in links.iter().zip(equal_targets(store, project, &links)?) {
        if paths.len() > 1 {
            let mut found = Findings { policy: &policy, path: &row.from_path, list: Vec::new() };
            let shown = paths[..paths.len().min(NAMED)].join(" and ");
            let more = paths.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let message = format!("the link to {:?} fits {shown}{more}", row.link.target);
            found.add(Lint::LinkAmbiguous, Some(row.link.line), message, false);
            findings.append(&mut found.list);
        }
    }
    Ok(findings)
}
