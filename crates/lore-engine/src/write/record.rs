//! Records a change in the index and the ledger, in one transaction.

use std::collections::BTreeSet;

use lore_ports::{Authorship, NewSnapshot, StateChange, WrittenFile, no_progress};
use lore_text::ContentHash;
use lore_vault::{is_sidecar, pages_of_sidecar};

use super::intent::Intent;
use crate::context::VaultContext;
use crate::error::Result;
use crate::expiry::LedgerTime;
use crate::index::{Proposal, ReconcileScope, reconcile};

/// A file of a change.
pub(super) struct FileChange {
    pub path: String,
    pub old: Option<Vec<u8>>,
    pub new: Option<ContentHash>,
    pub sole_author: bool,
    /// The mode of the old file.
    pub mode: Option<u32>,
}

/// Stores the old bytes as snapshots, updates the index, increments versions and records the author. Idempotent. Runs
/// inside the caller's transaction.
pub(super) fn record(
    context: &VaultContext,
    intent: &Intent,
    entries: &[FileChange],
    proposal: Option<&Proposal>,
) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    if is_recorded(context, intent)? {
        return Ok(());
    }
    let LedgerTime { recorded, expiry, .. } = context.ledger_time()?;
    for entry in entries {
        keep_snapshot(context, entry, recorded)?;
    }
    let paths: BTreeSet<String> = intent.steps.iter().map(|step| step.path.clone()).collect();
    for entry in entries.iter().filter(|entry| !context.indexes(&entry.path)) {
        count_version(context, entry)?;
    }
    reconcile(
        context,
        &ReconcileScope::Paths { paths: &paths, moved: &intent.moved, proposal },
        &no_progress,
    )?;
    for entry in entries.iter().filter(|entry| is_sidecar(&entry.path)) {
        count_page_version(context, entry, &paths)?;
    }
    for entry in entries {
        set_author(context, intent, entry, proposal, recorded)?;
    }
    context.hooks().in_transaction(context, &intent.noted, proposal.is_none())?;
    if let Some(expiry) = expiry {
        store.prune_snapshots(project, context.policy().limits.snapshots.before(&expiry))?;
    }
    let last = match intent.follows {
        true => StateChange::LastGenerated(&intent.id),
        false => StateChange::LastWrite(&intent.id),
    };
    Ok(store.set_state(project, &last)?)
}

/// Whether the ledger already contains a change.
pub(super) fn is_recorded(context: &VaultContext, intent: &Intent) -> Result<bool> {
    let state = context.store().state(context.project())?;
    let last = if intent.follows { state.last_generated } else { state.last_write };
    Ok(last.as_ref() == Some(&intent.id))
}

/// Stores the bytes that a change replaces or removes. If the ledger still has those that Lore wrote last, they are
/// the same, or somebody has overwritten them since.
fn keep_snapshot(context: &VaultContext, entry: &FileChange, at: i64) -> Result<()> {
    let Some(bytes) = &entry.old else { return Ok(()) };
    let (store, project) = (context.store(), context.project());
    let (hash, version) = (ContentHash::of(bytes), context.version_of(&entry.path)?);
    let author = store.author(project, &entry.path)?;
    let file = WrittenFile { path: &entry.path, version, hash: None, mode: entry.mode };
    let kept = author.is_some() && store.keep_written(project, &[file], at)?.contains(&true);
    let author = author.filter(|author| author.hash == hash);
    if kept && author.is_some() {
        return Ok(());
    }
    let (path, mode) = (entry.path.as_str(), entry.mode);
    let actor = &author.map(|author| author.actor).unwrap_or_default();
    Ok(store.add_snapshot(project, &NewSnapshot { path, version, hash, bytes, at, actor, mode })?)
}

/// Records who wrote a file, and what.
fn set_author(
    context: &VaultContext,
    intent: &Intent,
    entry: &FileChange,
    proposal: Option<&Proposal>,
    at: i64,
) -> Result<()> {
    let Some(hash) = entry.new else { return Ok(()) };
    // A recovered write is already on disk, and may have been edited there, or replaced by what cannot be read.
    let on_disk = || context.vault().read(&entry.path, u64::MAX).ok().flatten().map(|file| file.bytes);
    let bytes = match proposal.and_then(|proposal| proposal.get(&entry.path).cloned().flatten()) {
        Some(bytes) => Some(bytes),
        None => on_disk().filter(|bytes| ContentHash::of(bytes) == hash),
    };
    let author = Authorship { hash, actor: intent.author.actor.clone(), sole_author: entry.sole_author };
    Ok(context.store().set_author(context.project(), &entry.path, &author, bytes.as_deref(), at)?)
}

/// Increments the version of a file that is not a page and has no row to count it.
fn count_version(context: &VaultContext, entry: &FileChange) -> Result<()> {
    let noted = context.store().version(context.project(), &entry.path)?;
    let before = noted.map_or(u64::from(entry.old.is_some()), |(version, _)| version);
    let (version, hash) = match (entry.new, &entry.old) {
        (Some(new), _) => (before + 1, new),
        (None, Some(old)) => (before, ContentHash::of(old)),
        (None, None) => return Ok(()),
    };
    Ok(context.store().set_version(context.project(), &entry.path, version, hash)?)
}

/// Increments the version of a page whose sidecar data changed, unless the page itself changes with it.
fn count_page_version(context: &VaultContext, entry: &FileChange, paths: &BTreeSet<String>) -> Result<()> {
    for page in pages_of_sidecar(&entry.path).into_iter().filter(|page| !paths.contains(page)) {
        if let Some(row) = context.page_at(&page)? {
            context.store().set_version(context.project(), &page, row.version + 1, row.hash)?;
        }
    }
    Ok(())
}
