//! What an import did, or would do.

use lore_vault::Skipped;

use super::ImportKind;

/// What happens to a page or file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// It is created.
    Created,
    /// It is replaced, because the source changed and nobody has edited it since.
    Updated,
    /// New parts are added to it, because somebody has edited it since.
    Extended,
}

/// A page or file that is written.
#[derive(Debug, Clone)]
pub struct ImportedPage {
    /// Vault-relative path.
    pub path: String,
    /// Identity in the source.
    pub from: String,
    /// What happens to it.
    pub outcome: ImportOutcome,
}

/// Report of an import.
#[derive(Debug)]
pub struct ImportReport {
    /// The kind of source.
    pub kind: ImportKind,
    /// Absolute path of the source.
    pub source: String,
    /// Id of the batch; none if nothing was recorded.
    pub batch: Option<String>,
    /// Pages that are written.
    pub pages: Vec<ImportedPage>,
    /// Other files that are written.
    pub attachments: Vec<ImportedPage>,
    /// Number of pages and files that are as they were.
    pub unchanged: usize,
    /// Pages that were edited, deleted or taken, although the source has another text for them.
    pub conflicts: Vec<Skipped>,
    /// Files of the source that did not become pages, and why.
    pub skipped: Vec<Skipped>,
    /// Number of links on the written pages that lead to a page.
    pub links_resolved: usize,
    /// Number of links on the written pages that lead nowhere yet.
    pub links_pending: usize,
    /// Number of credentials that were removed from the pages.
    pub redacted: usize,
    /// Number of original files in the ledger.
    pub originals: usize,
    /// Their size in bytes.
    pub original_bytes: u64,
    /// Originals that are not kept, and why.
    pub not_kept: Vec<Skipped>,
    /// Ids of the commits.
    pub commits: Vec<String>,
    /// Warnings of the writes.
    pub warnings: Vec<String>,
}

impl ImportReport {
    /// Creates the report of an import that has done nothing yet.
    pub fn new(kind: ImportKind, source: String) -> ImportReport {
        ImportReport {
            kind,
            source,
            batch: None,
            pages: Vec::new(),
            attachments: Vec::new(),
            unchanged: 0,
            conflicts: Vec::new(),
            skipped: Vec::new(),
            links_resolved: 0,
            links_pending: 0,
            redacted: 0,
            originals: 0,
            original_bytes: 0,
            not_kept: Vec::new(),
            commits: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
