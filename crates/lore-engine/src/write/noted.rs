//! Ledger entries that are recorded with a write, in the same transaction and equally crash-safe: the imported source,
//! and the gaps it resolves.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::gaps::resolve_gap;
use crate::hash::ContentHash;
use crate::intake::{ImportRow, ImportsOf, NewImport};
use crate::memory::Memory;
use crate::vault::Staging;

/// What to record in the ledger.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Noted {
    /// The imported source.
    pub import: Option<TakenIn>,
    /// Resolved gaps, each with the path of the page that resolves it.
    pub fills: Vec<(u64, String)>,
}

/// An imported source. Its bytes are attached to the intent record while the write is in progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TakenIn {
    /// Groups the sources of one run.
    pub batch: String,
    /// Its origin.
    pub source: String,
    /// Its type.
    pub source_type: String,
    /// The path of the page that contains its evidence.
    pub page: String,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// Its bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// Whether it is imported even if it is already known.
    pub again: bool,
}

impl Noted {
    /// Records that the page at a path resolves these gaps.
    pub fn filling(gaps: &[u64], path: &str) -> Noted {
        Noted { import: None, fills: gaps.iter().map(|gap| (*gap, path.to_owned())).collect() }
    }

    /// Whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        self.import.is_none() && self.fills.is_empty()
    }

    /// Fails if the source is already known: another process may have imported it while this one waited.
    pub(super) fn refuse_known(&self, memory: &Memory) -> Result<()> {
        match &self.import {
            Some(import) if !import.again => match known_source(memory, import.hash, &import.bytes)? {
                Some(known) => Err(Error::Exists { path: known.page }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Records it, inside the caller's transaction.
    pub(super) fn record(&self, memory: &Memory) -> Result<()> {
        let (store, project) = (memory.store(), memory.project());
        if let Some(TakenIn { batch, source, source_type, page, hash, bytes, .. }) = &self.import {
            let at = memory.now().timestamp().as_millisecond();
            let import = NewImport { batch, source, source_type, page, hash: *hash, bytes, at };
            store.add_import(project, &import)?;
            store.prune_imports(project, memory.policy().limits.snapshots.before(&memory.now()))?;
        }
        for (gap, path) in &self.fills {
            match resolve_gap(memory, *gap, path) {
                // The gap was deleted meanwhile, so there is nothing to close.
                Err(Error::NoGap { .. }) => {}
                done => drop(done?),
            }
        }
        Ok(())
    }

    /// Records it when no file changes.
    pub(super) fn record_alone(&self, memory: &Memory) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        memory.store().transaction(&mut || {
            self.refuse_known(memory)?;
            self.record(memory)
        })
    }

    /// Reads the attached bytes and returns whether they match the record.
    pub(super) fn reattach(&mut self, staging: &Staging) -> bool {
        let Some(import) = &mut self.import else { return true };
        import.bytes = staging.attached().ok().flatten().unwrap_or_default();
        ContentHash::of(&import.bytes) == import.hash
    }
}

/// Finds the import with exactly these bytes: looked up by hash, then compared.
pub(crate) fn known_source(memory: &Memory, hash: ContentHash, bytes: &[u8]) -> Result<Option<ImportRow>> {
    let (store, project) = (memory.store(), memory.project());
    let mut known = None;
    for row in store.imports(project, &ImportsOf::Hash(hash))? {
        if store.import_bytes(project, row.number)?.as_deref() == Some(bytes)
            && (known.is_none() || row.active)
        {
            known = Some(row);
        }
    }
    Ok(known)
}
