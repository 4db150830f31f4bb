//! What the ledger learns with a change, in the same transaction and as safe from a crash: the source it was made from,
//! and the gaps it fills.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::gaps::resolve_gap;
use crate::hash::ContentHash;
use crate::intake::{ImportRow, ImportsOf, NewImport};
use crate::memory::Memory;
use crate::vault::Staging;

/// What the ledger learns.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Noted {
    /// The source that was taken in.
    pub import: Option<TakenIn>,
    /// Gaps that are filled, each with the path of the page that fills it.
    pub fills: Vec<(u64, String)>,
}

/// A source that is taken in. Its bytes lie beside the record while the change is under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TakenIn {
    /// What the sources of one run have in common.
    pub batch: String,
    /// Where it came from.
    pub source: String,
    /// What it is.
    pub source_type: String,
    /// The path of the page that holds its evidence.
    pub page: String,
    /// The checksum of its bytes.
    pub hash: ContentHash,
    /// Its bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// Whether it is taken in although it is there.
    pub again: bool,
}

impl Noted {
    /// That the page at a path fills these gaps.
    pub fn filling(gaps: &[u64], path: &str) -> Noted {
        Noted { import: None, fills: gaps.iter().map(|gap| (*gap, path.to_owned())).collect() }
    }

    /// Whether there is nothing to learn.
    pub fn is_empty(&self) -> bool {
        self.import.is_none() && self.fills.is_empty()
    }

    /// Fails where the source is there already: another process may have taken it in while this one waited.
    pub(super) fn refuse_known(&self, memory: &Memory) -> Result<()> {
        match &self.import {
            Some(import) if !import.again => match known_source(memory, import.hash, &import.bytes)? {
                Some(known) => Err(Error::Exists { path: known.page }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Writes it down, inside a transaction of the caller's.
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
                // Somebody forgot it meanwhile: then there is nothing to close.
                Err(Error::NoGap { .. }) => {}
                done => drop(done?),
            }
        }
        Ok(())
    }

    /// Writes it down where no file changes with it.
    pub(super) fn record_alone(&self, memory: &Memory) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        memory.store().transaction(&mut || {
            self.refuse_known(memory)?;
            self.record(memory)
        })
    }

    /// Takes the bytes from beside the record; whether they are the ones it is about.
    pub(super) fn reattach(&mut self, staging: &Staging) -> bool {
        let Some(import) = &mut self.import else { return true };
        import.bytes = staging.attached().ok().flatten().unwrap_or_default();
        ContentHash::of(&import.bytes) == import.hash
    }
}

/// The source of these very bytes, where it was taken in: looked for by its checksum, then compared.
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
