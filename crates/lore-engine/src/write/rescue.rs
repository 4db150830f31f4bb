//! Ends a write, after keeping what it displaced and nothing else has: an edit that somebody made in the middle of it.

use lore_ports::{NewSnapshot, transaction};
use lore_text::ContentHash;
use lore_vault::Staging;

use super::intent::{Intent, IntentStep};
use crate::context::VaultContext;
use crate::error::Result;

/// Removes a write's staging directory; returns warnings about edits that are kept as snapshots. `recorded` says whether
/// the ledger contains the change, and with it the bytes that it was prepared from.
pub(super) fn end(
    context: &VaultContext,
    staging: Staging,
    intent: &Intent,
    recorded: bool,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    for (number, step) in intent.steps.iter().enumerate() {
        let Some(bytes) = staging.displaced(number)? else { continue };
        let hash = Some(ContentHash::of(&bytes));
        let is_known = hash == step.new || recorded && hash == step.old;
        if !is_known && hash != hash_at(context, &step.path) {
            keep(context, step, &bytes)?;
            warnings.push(format!(
                "{} was edited while it was being changed; that edit is kept as a snapshot",
                step.path
            ));
        }
    }
    staging.end()?;
    Ok(warnings)
}

fn hash_at(context: &VaultContext, path: &str) -> Option<ContentHash> {
    let there = context.vault().read(path, u64::MAX).ok().flatten();
    there.map(|file| ContentHash::of(&file.bytes))
}

/// Stores bytes as a version of their own, between the current one and the next.
fn keep(context: &VaultContext, step: &IntentStep, bytes: &[u8]) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    transaction(store, || {
        let noted = store.version(project, &step.path)?;
        let row = context.page_at(&step.path)?;
        let current = noted.map_or(0, |(version, _)| version).max(row.as_ref().map_or(1, |row| row.version));
        let now = row.map(|row| row.hash).or(noted.map(|(_, hash)| hash)).or(step.new).or(step.old);
        store.add_snapshot(
            project,
            &NewSnapshot {
                path: &step.path,
                version: current + 1,
                hash: ContentHash::of(bytes),
                bytes,
                at: context.ledger_time()?.recorded,
                actor: "",
                mode: context.vault().mode(&step.path),
            },
        )?;
        match now {
            Some(now) => Ok(store.set_version(project, &step.path, current + 2, now)?),
            None => Ok(()),
        }
    })
}
