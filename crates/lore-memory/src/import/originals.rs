//! The original bytes of a source, kept in the ledger by their hash: a file that is imported again is stored once.

use std::collections::BTreeSet;
use std::io;

use lore_engine::{Result, VaultContext, secrets_in};
use lore_ports::Progress;
use lore_text::ContentHash;
use lore_vault::{Skipped, SourceTree};

use super::manifest::{OriginalFile, manifest_of};
use super::report::ImportReport;

/// Size of a piece of a large file.
const PIECE: usize = 4 * 1024 * 1024;

/// Bytes stored in one transaction.
const GROUP: usize = 32 * 1024 * 1024;

/// Stores the originals, or only hashes them; returns their list.
pub(super) fn keep_originals(
    context: &VaultContext,
    tree: &SourceTree,
    store: bool,
    report: &mut ImportReport,
    progress: Progress<'_>,
) -> Result<Vec<OriginalFile>> {
    let mut kept = Vec::new();
    let mut group: Vec<(ContentHash, Vec<u8>)> = Vec::new();
    let mut waiting = 0;
    let files = tree.originals();
    let total = files.len();
    for (number, file) in files.into_iter().enumerate() {
        progress(number, total)?;
        let mut original = OriginalFile { path: file.path.clone(), size: 0, pieces: Vec::new() };
        let (mut pieces, mut has_secret) = (Vec::new(), false);
        let mut failed: Option<lore_engine::Error> = None;
        tree.read_original(&file, PIECE, |bytes| {
            let hash = ContentHash::of(&bytes);
            has_secret |= has_certain_secret(context, &bytes);
            original.size += bytes.len() as u64;
            original.pieces.push(hash);
            pieces.push((hash, bytes));
            // A large file is stored while it is read; what turns out to be refused is removed with the next cleaning.
            if store && !has_secret && pieces.len() * PIECE >= GROUP {
                failed = put(context, &std::mem::take(&mut pieces)).err();
            } else if !store || has_secret {
                pieces.clear();
            }
            if failed.is_some() { Err(io::Error::other("the ledger cannot be written")) } else { Ok(()) }
        })
        .or_else(|error| failed.take().map_or(Err(error.into()), Err))?;
        if has_secret {
            let reason = "it contains a credential".to_owned();
            report.not_kept.push(Skipped { path: file.path, reason });
            continue;
        }
        waiting += pieces.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        group.extend(pieces);
        if waiting >= GROUP {
            put(context, &std::mem::take(&mut group))?;
            waiting = 0;
        }
        kept.push(original);
    }
    put(context, &group)?;
    progress(total, total)?;
    report.originals = kept.len();
    report.original_bytes = kept.iter().map(|file| file.size).sum();
    Ok(kept)
}

fn put(context: &VaultContext, group: &[(ContentHash, Vec<u8>)]) -> Result<()> {
    let blobs: Vec<(ContentHash, &[u8])> =
        group.iter().map(|(hash, bytes)| (*hash, bytes.as_slice())).collect();
    Ok(context.store().put_blobs(context.project(), &blobs)?)
}

/// Whether bytes contain what is a credential beyond doubt, and the policy does not allow it.
pub(super) fn has_certain_secret(context: &VaultContext, bytes: &[u8]) -> bool {
    secrets_in(&context.policy(), bytes).iter().any(|leak| leak.certain)
}

/// Removes batches that a later one of the same source replaced, once they are older than snapshots are kept, and bytes
/// that no batch refers to.
pub(super) fn clean(context: &VaultContext) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    let batches = super::import_batches(context)?;
    let before =
        context.ledger_time()?.expiry.map(|expiry| context.policy().limits.snapshots.before(&expiry));
    let mut used: BTreeSet<ContentHash> = BTreeSet::new();
    for (number, row) in batches.iter().enumerate() {
        let is_replaced = batches[number + 1..]
            .iter()
            .any(|later| later.is_last && later.kind == row.kind && later.source == row.source);
        if is_replaced && before.is_some_and(|before| row.at < before) {
            store.remove_batch(project, &row.batch)?;
            continue;
        }
        used.extend(manifest_of(context, &row.batch)?.originals.into_iter().flat_map(|file| file.pieces));
    }
    let unused: Vec<ContentHash> =
        store.blobs(project)?.into_iter().filter(|hash| !used.contains(hash)).collect();
    Ok(store.remove_blobs(project, &unused)?)
}

/// Returns the stored bytes of all imports: the path of a file that has them, and their hash.
pub(crate) fn stored_originals(context: &VaultContext) -> Result<Vec<(String, ContentHash)>> {
    let mut names = std::collections::BTreeMap::new();
    for row in super::import_batches(context)? {
        for file in manifest_of(context, &row.batch)?.originals {
            names.extend(file.pieces.iter().map(|hash| (*hash, file.path.clone())));
        }
    }
    let stored = context.store().blobs(context.project())?;
    Ok(stored.into_iter().map(|hash| (names.remove(&hash).unwrap_or_default(), hash)).collect())
}
