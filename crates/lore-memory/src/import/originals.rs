//! The original bytes of a source, kept in the ledger by their hash: a file that is imported again is stored once.

use std::collections::BTreeSet;
use std::io::{self, Read as _};

use lore_engine::{Result, VaultContext, secrets_in};
use lore_ports::Progress;
use lore_text::ContentHash;
use lore_vault::{Skipped, SourceFile, SourceTree};

use super::manifest::{OriginalFile, manifest_of};
use super::report::ImportReport;

/// Size of a piece of a large file.
const PIECE: usize = 4 * 1024 * 1024;

/// Bytes stored in one transaction.
const GROUP: usize = 32 * 1024 * 1024;

/// End of a piece that is searched again with the next one, so that no credential is between them.
const OVERLAP: usize = 64 * 1024;

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
        let mut pieces = Vec::new();
        // The bytes of an archive do not show what is in it.
        let mut search = Search { context, end: Vec::new(), found: has_hidden_secret(context, tree)? };
        let mut failed: Option<lore_engine::Error> = None;
        tree.read_original(&file, PIECE, |bytes| {
            let hash = ContentHash::of(&bytes);
            search.add(&bytes);
            original.size += bytes.len() as u64;
            original.pieces.push(hash);
            pieces.push((hash, bytes));
            // A large file is stored while it is read; what turns out to be refused is removed with the next cleaning.
            if store && !search.found && pieces.len() * PIECE >= GROUP {
                failed = put(context, &std::mem::take(&mut pieces)).err();
            } else if !store || search.found {
                pieces.clear();
            }
            if failed.is_some() { Err(io::Error::other("the ledger cannot be written")) } else { Ok(()) }
        })
        .or_else(|error| failed.take().map_or(Err(error.into()), Err))?;
        if search.found {
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

/// A search for credentials in bytes that come piece by piece.
struct Search<'a> {
    context: &'a VaultContext,
    /// The last bytes of the pieces before.
    end: Vec<u8>,
    found: bool,
}

impl Search<'_> {
    fn add(&mut self, piece: &[u8]) {
        if self.found {
            return;
        }
        self.end.extend_from_slice(piece);
        self.found = has_certain_secret(self.context, &self.end);
        self.end.drain(..self.end.len().saturating_sub(OVERLAP));
    }
}

/// Whether an entry of an archive has a credential.
fn has_hidden_secret(context: &VaultContext, tree: &SourceTree) -> Result<bool> {
    let entries: &[SourceFile] = if tree.is_archive() { &tree.files } else { &[] };
    let mut search = Search { context, end: Vec::new(), found: false };
    for file in entries.iter() {
        search.end.clear();
        tree.stream(file, |reader| {
            let mut piece = Vec::new();
            while !search.found && (&mut *reader).take(PIECE as u64).read_to_end(&mut piece)? > 0 {
                search.add(&piece);
                piece.clear();
            }
            Ok(())
        })?;
    }
    Ok(search.found)
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
