//! Records a change in the index and the ledger, in one transaction.

use std::collections::BTreeSet;

use lore_ports::{Authorship, NewSnapshot, no_progress};
use lore_text::ContentHash;

use super::intent::Intent;
use crate::context::Memory;
use crate::error::Result;
use crate::index::{Look, Proposal, reconcile};

/// A file of a change.
pub(super) struct Entry {
    pub path: String,
    pub old: Option<Vec<u8>>,
    pub new: Option<ContentHash>,
    pub whole: bool,
}

/// Stores the old bytes as snapshots, updates the index, increments versions and records the author. Idempotent. Runs
/// inside the caller's transaction.
pub(super) fn record(
    memory: &Memory,
    intent: &Intent,
    entries: &[Entry],
    proposal: Option<&Proposal>,
) -> Result<()> {
    let (store, project) = (memory.store(), memory.project());
    if is_recorded(memory, intent)? {
        return Ok(());
    }
    for entry in entries {
        keep_snapshot(memory, entry)?;
    }
    let paths: BTreeSet<String> = intent.steps.iter().map(|step| step.path.clone()).collect();
    for entry in entries.iter().filter(|entry| !memory.indexes(&entry.path)) {
        count_version(memory, entry)?;
    }
    reconcile(memory, &Look::Paths { paths: &paths, moved: &intent.moved, proposal }, &no_progress)?;
    for entry in entries {
        if let Some(hash) = entry.new {
            let actor = intent.author.actor.clone();
            store.set_author(project, &entry.path, &Authorship { hash, actor, whole: entry.whole })?;
        }
    }
    memory.hooks().in_transaction(memory, &intent.noted, proposal.is_none())?;
    store.prune_snapshots(project, memory.policy().limits.snapshots.before(&memory.now()))?;
    Ok(store.set_setting(&key(memory, intent), &intent.id)?)
}

/// Whether the ledger already contains a change.
pub(super) fn is_recorded(memory: &Memory, intent: &Intent) -> Result<bool> {
    Ok(memory.store().setting(&key(memory, intent))?.as_ref() == Some(&intent.id))
}

/// Returns the settings key of the last change; a change that follows another has its own key.
fn key(memory: &Memory, intent: &Intent) -> String {
    format!("intent/{}{}", memory.project(), if intent.follows { "/generated" } else { "" })
}

fn keep_snapshot(memory: &Memory, entry: &Entry) -> Result<()> {
    let Some(bytes) = &entry.old else { return Ok(()) };
    let (store, project) = (memory.store(), memory.project());
    let hash = ContentHash::of(bytes);
    let author = store.author(project, &entry.path)?.filter(|author| author.hash == hash);
    let snapshot = NewSnapshot {
        path: &entry.path,
        version: memory.version_of(&entry.path)?,
        hash,
        bytes,
        at: memory.now().timestamp().as_millisecond(),
        actor: &author.map(|author| author.actor).unwrap_or_default(),
    };
    Ok(store.add_snapshot(project, &snapshot)?)
}

/// Increments the version of a file that is not a page and has no row to count it.
fn count_version(memory: &Memory, entry: &Entry) -> Result<()> {
    let noted = memory.store().version(memory.project(), &entry.path)?;
    let before = noted.map_or(u64::from(entry.old.is_some()), |(version, _)| version);
    let (version, hash) = match (entry.new, &entry.old) {
        (Some(new), _) => (before + 1, new),
        (None, Some(old)) => (before, ContentHash::of(old)),
        (None, None) => return Ok(()),
    };
    Ok(memory.store().set_version(memory.project(), &entry.path, version, hash)?)
}
