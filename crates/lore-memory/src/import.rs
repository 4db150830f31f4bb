//! Imports whole sources: vaults of other programs, exports of accounts, session files. A reader turns the files of a
//! source into proposed pages; a plan compares them with the vault and with earlier imports; the changes are made by the
//! one write path, all or nothing per batch, and the original bytes are kept in the ledger.

mod apply;
mod decide;
mod kinds;
mod manifest;
mod originals;
mod report;
mod transcript;

use std::collections::BTreeSet;
use std::path::Path;

use lore_engine::{Error, Result, VaultContext};
use lore_ports::{BatchRow, Progress, Table};
use lore_vault::SourceTree;

pub use kinds::ImportKind;
pub use manifest::{Manifest, OriginalFile, manifest_of};
pub use report::{ImportOutcome, ImportReport, ImportedPage};

pub(crate) use manifest::record_batch;

pub(crate) use originals::stored_originals;

use apply::Run;

/// Subdirectory of the vault, and other choices of an import.
#[derive(Default)]
pub struct ImportOptions<'a> {
    /// The kind of source; none to detect it.
    pub kind: Option<ImportKind>,
    /// Directory of the vault that the pages go to; none for the default of the kind.
    pub folder: Option<&'a str>,
    /// Whether to plan only.
    pub dry_run: bool,
    /// Reads the tables of a database; none if that is not possible.
    pub tables: Option<TableReader<'a>>,
    /// Paths of the session files that changed since the last import of the source; none to read every file.
    pub changed: Option<&'a BTreeSet<String>>,
    /// Id of an earlier import of the source that this one replaces.
    pub replaces: Option<&'a str>,
}

/// Reads every table of a database except those with one of these prefixes.
pub type TableReader<'a> = &'a dyn Fn(&Path, &[&str]) -> lore_ports::Result<Vec<Table>>;

/// A page or file that a reader proposes.
#[derive(Debug, Default)]
pub(crate) struct Proposed {
    /// Identity in the source: the path of a file, the id of a conversation.
    pub key: String,
    /// Vault-relative path.
    pub path: String,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Whether the name was made up by the reader, so that another one will do if it is taken.
    pub is_named_freely: bool,
    /// Parts by their anchors, which are added to a page that somebody has edited since it was imported.
    pub turns: Vec<(String, String)>,
    /// Number of credentials that were removed.
    pub redacted: usize,
}

/// What a reader finds.
#[derive(Debug)]
pub(crate) enum Found {
    /// A page, or a file beside the pages.
    Item(Proposed),
    /// A file that does not become a page, and why.
    Skipped {
        /// Path in the source.
        path: String,
        /// The reason.
        reason: String,
    },
}

/// Receives what a reader finds.
pub(crate) type Sink<'a> = dyn FnMut(Found) -> Result<()> + 'a;

/// Imports a source, or plans it.
pub fn import(
    context: &VaultContext,
    source: &Path,
    options: &ImportOptions<'_>,
    progress: Progress<'_>,
) -> Result<ImportReport> {
    let mut tree = SourceTree::open(source)?;
    refuse_own_vault(context, &tree)?;
    let kind = match options.kind {
        Some(kind) => kind,
        None => kinds::detect(&tree)?,
    };
    // An import that ends removes the originals that none has recorded, which those of another under way are.
    let _alone = (!options.dry_run).then(|| context.import_lock()).transpose()?;
    // Each session is a file of its own, so that the others need not be read again.
    let unread = options
        .changed
        .map(|changed| tree.leave_out(|path| kinds::is_session_file(kind, path) && !changed.contains(path)));
    Run::new(context, &tree, kind, options)?.run(unread.unwrap_or_default(), progress)
}

/// Returns the batches of imported files, oldest first, one row for each.
pub fn import_batches(context: &VaultContext) -> Result<Vec<BatchRow>> {
    let rows = context.store().batches(context.project())?;
    let mut batches: Vec<BatchRow> = Vec::new();
    for row in rows {
        match batches.last_mut() {
            Some(last) if last.batch == row.batch => *last = row,
            _ => batches.push(row),
        }
    }
    Ok(batches)
}

/// A vault is not imported into itself: its pages are there already.
fn refuse_own_vault(context: &VaultContext, tree: &SourceTree) -> Result<()> {
    let root = context.vault().root();
    match tree.root() == root || root.starts_with(tree.root()) && tree.is_folder() {
        true => Err(Error::BadInput {
            message: format!("{} is the vault itself, or contains it", tree.root().display()),
            hint: "pages in the vault's directory are indexed by `lore sync`".into(),
        }),
        false => Ok(()),
    }
}
