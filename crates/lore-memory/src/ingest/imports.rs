//! The ledger's imports: recording a source with the write that ingests it, and finding one that is already known.

use lore_engine::{Error, ImportNote, LedgerTime, Result, VaultContext};
use lore_ports::{ImportFilter, ImportRow, NewImport};
use lore_text::ContentHash;

/// Records an imported source, inside the caller's transaction. Unless it is imported again on purpose, a source that
/// another process has imported meanwhile is refused.
pub(crate) fn record_import(context: &VaultContext, import: &ImportNote, recovering: bool) -> Result<()> {
    let ImportNote { batch, source, source_type, page, hash, bytes, again } = import;
    if !recovering
        && !again
        && let Some(known) = known_source(context, *hash, bytes)?
    {
        return Err(Error::Exists { path: known.page });
    }
    let (store, project) = (context.store(), context.project());
    let LedgerTime { recorded: at, expiry, .. } = context.ledger_time()?;
    store.add_import(project, &NewImport { batch, source, source_type, page, hash: *hash, bytes, at })?;
    if let Some(expiry) = expiry {
        store.prune_imports(project, context.policy().limits.snapshots.before(&expiry))?;
    }
    Ok(())
}

/// Finds the import with exactly these bytes: looked up by hash, then compared.
pub(crate) fn known_source(
    context: &VaultContext,
    hash: ContentHash,
    bytes: &[u8],
) -> Result<Option<ImportRow>> {
    let (store, project) = (context.store(), context.project());
    let mut known = None;
    for row in store.imports(project, &ImportFilter::Hash(hash))? {
        if store.import_bytes(project, row.number)?.as_deref() == Some(bytes)
            && (known.is_none() || row.active)
        {
            known = Some(row);
        }
    }
    Ok(known)
}
