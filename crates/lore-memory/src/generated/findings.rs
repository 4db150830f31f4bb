//! Lint findings of generated files.

use std::collections::BTreeSet;

use lore_engine::{Finding, Findings, Lint, Result, VaultContext};

use super::{EditState, broken_blocks, is_merged, stale_files, state_of, whole_files};

/// Finds generated files that are out of date or were edited by hand.
pub(crate) fn generated_findings(context: &VaultContext) -> Result<Vec<Finding>> {
    let policy = context.policy();
    let mut findings = edited_findings(context)?;
    let known: BTreeSet<String> = findings.iter().map(|found| found.path.clone()).collect();
    for (path, text) in stale_files(context)? {
        if known.contains(&path) {
            continue;
        }
        let mut found = Findings { policy: &policy, path: &path, list: Vec::new() };
        let message = match text {
            Some(_) => "out of date",
            None => "no longer needed",
        };
        found.add(Lint::GeneratedStale, None, message.into(), true);
        findings.append(&mut found.list);
    }
    Ok(findings)
}

/// Finds generated files that were edited by hand.
pub(crate) fn edited_findings(context: &VaultContext) -> Result<Vec<Finding>> {
    let policy = context.policy();
    let mut findings = Vec::new();
    for path in broken_blocks(context)? {
        let mut found = Findings { policy: &policy, path: &path, list: Vec::new() };
        let message = "the markers of its generated block are broken; put each on a line of its own";
        found.add(Lint::GeneratedEdited, None, message.into(), false);
        findings.append(&mut found.list);
    }
    for path in whole_files(context)? {
        let Some(file) = context.vault().read(&path, u64::MAX)? else { continue };
        let text = String::from_utf8_lossy(&file.bytes);
        if state_of(&text) == EditState::Unchanged || is_merged(&text) {
            continue;
        }
        let mut found = Findings { policy: &policy, path: &path, list: Vec::new() };
        let message = "generated, but edited by hand; move the text to a page";
        found.add(Lint::GeneratedEdited, Some(1), message.into(), false);
        findings.append(&mut found.list);
    }
    Ok(findings)
}
