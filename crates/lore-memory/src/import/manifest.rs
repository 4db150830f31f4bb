//! The manifest of a batch: the original files with the hashes of their bytes, and the pages that were made of them.

use std::collections::BTreeMap;

use lore_engine::{BatchNote, Error, LedgerTime, Result, VaultContext};
use lore_ports::NewBatch;
use lore_text::ContentHash;
use serde::{Deserialize, Serialize};

use super::ImportKind;

/// What one part of a batch imported. The last part lists the originals.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// Pages and files by their identity in the source.
    pub items: BTreeMap<String, ImportedItem>,
    /// Original files, sorted by path.
    #[serde(default)]
    pub originals: Vec<OriginalFile>,
    /// Directories without any file.
    #[serde(default)]
    pub empty_folders: Vec<String>,
}

/// A page or file that an import wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedItem {
    /// Vault-relative path.
    pub path: String,
    /// Hash of what the reader proposed.
    pub proposed: ContentHash,
    /// Hash of the file after the write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<ContentHash>,
}

/// An original file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalFile {
    /// Path in the source.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Hashes of its pieces, in order.
    pub pieces: Vec<ContentHash>,
}

/// Returns the manifest of a whole batch: all of its parts.
pub fn manifest_of(context: &VaultContext, batch: &str) -> Result<Manifest> {
    let mut whole = Manifest::default();
    for bytes in context.store().manifests(context.project(), batch)? {
        let part: Manifest = serde_json::from_slice(&bytes).map_err(|error| Error::BadInput {
            message: format!("the manifest of import {batch} cannot be read: {error}"),
            hint: "import the source again".into(),
        })?;
        whole.items.extend(part.items);
        whole.originals.extend(part.originals);
        whole.empty_folders.extend(part.empty_folders);
    }
    Ok(whole)
}

/// What earlier imports of a source left.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Pages and files by their identity.
    pub items: BTreeMap<String, ImportedItem>,
    /// Originals and empty directories of the last batch.
    pub last: Manifest,
    /// Whether the last batch has all of its parts.
    pub is_complete: bool,
}

/// Returns what earlier imports left. Items with ids of their own are known whatever file they came in.
pub(super) fn known(context: &VaultContext, kind: ImportKind, source: &str) -> Result<Known> {
    let mut known = Known::default();
    for row in super::import_batches(context)? {
        if row.kind != kind.name() || row.source != source && !kind.has_ids() {
            continue;
        }
        let manifest = manifest_of(context, &row.batch)?;
        known.items.extend(manifest.items.clone());
        if row.source == source {
            known.is_complete = row.is_last;
            known.last = manifest;
        }
    }
    Ok(known)
}

/// Records a part of a batch, inside the caller's transaction. What was written to each page is taken from the ledger: the
/// write path may have changed the proposed text.
pub(crate) fn record_batch(context: &VaultContext, note: &BatchNote) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    let mut manifest: Manifest = serde_json::from_slice(&note.manifest).map_err(|error| Error::BadInput {
        message: format!("the manifest of import {} cannot be read: {error}", note.batch),
        hint: "import the source again".into(),
    })?;
    for item in manifest.items.values_mut().filter(|item| item.written.is_none()) {
        item.written = store.author(project, &item.path)?.map(|author| author.hash);
    }
    let manifest = serde_json::to_vec(&manifest).unwrap_or_default();
    let LedgerTime { recorded: at, .. } = context.ledger_time()?;
    let BatchNote { batch, part, kind, source, is_last, .. } = note;
    store.add_batch(
        project,
        &NewBatch { batch, part: *part, kind, source, is_last: *is_last, manifest: &manifest, at },
    )?;
    Ok(())
}
