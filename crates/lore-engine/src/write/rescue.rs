//! Ends a write, after keeping what it displaced and nothing else has: an edit that somebody made in the middle of it.

use lore_ports::{NewSnapshot, transaction};
use lore_text::ContentHash;
use lore_vault::Staging;

use super::intent::Intent;
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
            let base = step.new.or(step.old).unwrap_or_else(|| ContentHash::of(&bytes));
            keep(context, &step.path, &bytes, base)?;
            warnings.push(warning(&step.path));
        }
    }
    staging.end()?;
    Ok(warnings)
}

/// Returns the warning about a kept edit.
pub(super) fn warning(path: &str) -> String {
    format!("{path} was edited while it was being changed; that edit is kept as a snapshot")
}

/// Returns the hash of the file at a path, if it can be read.
pub(super) fn hash_at(context: &VaultContext, path: &str) -> Option<ContentHash> {
    let there = context.vault().read(path, u64::MAX).ok().flatten();
    there.map(|file| ContentHash::of(&file.bytes))
}

/// Stores bytes as a version of their own, between the current one and the next. `base` is the hash of the current file
/// if neither index nor ledger knows it.
pub(super) fn keep(context: &VaultContext, path: &str, bytes: &[u8], base: ContentHash) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    transaction(store, || {
        let noted = store.version(project, path)?;
        let row = context.page_at(path)?;
        let current = noted.map_or(0, |(version, _)| version).max(row.as_ref().map_or(1, |row| row.version));
        let now = row.map(|row| row.hash).or(noted.map(|(_, hash)| hash)).unwrap_or(base);
        let snapshot = NewSnapshot {
            path,
            version: current + 1,
            hash: ContentHash::of(bytes),
            bytes,
            at: context.ledger_time()?.recorded,
            actor: "",
            mode: context.vault().mode(path),
        };
        store.add_snapshot(project, &snapshot)?;
        Ok(store.set_version(project, path, current + 2, now)?)
    })
}
