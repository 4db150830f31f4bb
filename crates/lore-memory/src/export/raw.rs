//! The original bytes of an import, as they were.

use std::path::Path;

use lore_engine::{Error, Result, VaultContext};
use lore_ports::Progress;
use lore_vault::NewFolder;

use super::Exported;
use crate::import::{import_batches, manifest_of};

/// Writes the originals of an import to a new directory, byte for byte.
pub fn export_raw(
    context: &VaultContext,
    target: &Path,
    import: &str,
    progress: Progress<'_>,
) -> Result<Exported> {
    let known = import_batches(context)?;
    let Some(batch) = known.iter().find(|row| row.batch == import) else {
        return Err(Error::BadInput {
            message: format!("there is no import {import:?}"),
            hint: "`lore imports` lists the imports of the vault".into(),
        });
    };
    if !batch.is_last {
        return Err(Error::BadInput {
            message: format!("import {import} was interrupted, so its originals are not complete"),
            hint: "import the source again; that completes it".into(),
        });
    }
    let manifest = manifest_of(context, import)?;
    let folder = NewFolder::create(target)?;
    let mut exported = Exported::default();
    for (number, file) in manifest.originals.iter().enumerate() {
        progress(number, manifest.originals.len())?;
        folder.write(&file.path, b"")?;
        for hash in &file.pieces {
            let bytes = context.store().blob(context.project(), *hash)?;
            let bytes = bytes.ok_or_else(|| Error::BadInput {
                message: format!("the ledger has lost the bytes of {}", file.path),
                hint: "restore a backup of the database, or import the source again".into(),
            })?;
            folder.append(&file.path, &bytes, None)?;
        }
        exported.files += 1;
    }
    for path in &manifest.empty_folders {
        folder.make_folder(path)?;
    }
    folder.finish()?;
    Ok(exported)
}
