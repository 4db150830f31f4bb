//! A change to the files of a vault: what the caller asks for, what it became, and what was done.

use std::collections::BTreeMap;
use std::sync::Arc;

use lore_page::edit::{Dropped, LineChanges};
use lore_ports::PageRow;
use lore_text::ContentHash;
use lore_vault::VaultPath;
use serde::{Deserialize, Serialize};

use crate::context::VaultContext;
use crate::error::Result;

/// A function from old text to new text.
pub type Edit<'a> = Box<dyn Fn(&str) -> Result<String> + 'a>;

/// What to do with a file.
pub enum Action<'a> {
    /// Write these bytes, replacing any existing file. Structured lines of a page that they do not mention are kept.
    Put(Vec<u8>),
    /// As `Put`; then the edit is made to the result, with the lines that were kept.
    PutThen(Vec<u8>, Edit<'a>),
    /// Edit its text; the file must exist. The edit changes only the lines that it means to change.
    Edit(Edit<'a>),
    /// Replace some of its text; the file must exist. Structured lines that the new text does not mention are kept.
    Rewrite(Edit<'a>),
    /// Edit its text and move it to another path, which must be free.
    Move(VaultPath, Edit<'a>),
    /// Move it to another path, which must be free, with its bytes as they are.
    Relocate(VaultPath),
    /// Delete it.
    Delete,
    /// Delete it if the condition still holds once the vault is locked.
    DeleteIf(Box<dyn Fn() -> bool + 'a>),
    /// Change nothing, but fail unless the file exists at the expected version.
    Check,
}

/// A change to one file.
pub struct PageChange<'a> {
    /// Its vault-relative path.
    pub path: VaultPath,
    /// What to do with it.
    pub action: Action<'a>,
    /// The version the caller has read; 0 means that the file must not exist yet.
    pub expected_version: Option<u64>,
}

/// The authority under which a change is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Authority {
    /// Its author's: the rules of the policy apply.
    #[default]
    Author,
    /// The policy's own: rotation, expiry, generated files.
    Upkeep,
    /// Lore's own operations on the policy file, which nothing else may write.
    Settings,
}

/// Options of a write.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// The authority under which it is made.
    pub authority: Authority,
    /// The first line of its commit; by default, derived from the pages.
    pub subject: Option<String>,
    /// Whether it only fixes lint findings: it is allowed despite other findings and uncommitted changes.
    pub is_fix: bool,
    /// Whether a page is replaced as a whole: no structured line is kept, and no revision is added to somebody else's
    /// text.
    pub overwrite: bool,
    /// Structured lines that new texts remove by not mentioning them, by the path of the page as in its change.
    pub dropped: BTreeMap<String, Dropped>,
    /// The section that an edit names.
    pub section: Option<String>,
    /// Whether it moves a page, so that links to it are rewritten wherever they are.
    pub is_move: bool,
    /// What is recorded in the ledger with it.
    pub noted: LedgerNotes,
    /// The mode of a file that is created; by default, the umask decides.
    pub mode: Option<u32>,
    /// The widest mode that a file may have after the write, by its path as in its change: its new text comes from a private
    /// file.
    pub private: BTreeMap<String, u32>,
    /// What must hold once the vault is locked.
    pub precondition: Option<Precondition>,
}

/// A check that runs while the vault is locked, before anything is prepared: no other writer can come between it and the
/// write.
#[derive(Clone)]
pub struct Precondition(pub Arc<UnderLock>);

/// The function of a precondition.
pub type UnderLock = dyn Fn(&VaultContext) -> Result<()> + Send + Sync;

impl std::fmt::Debug for Precondition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Precondition")
    }
}

impl WriteOptions {
    /// Returns options with structured lines that the new text of a page removes.
    pub fn dropping(path: &str, dropped: Dropped) -> WriteOptions {
        WriteOptions { dropped: BTreeMap::from([(path.to_owned(), dropped)]), ..WriteOptions::default() }
    }
}

/// The result of a write.
#[derive(Debug, Clone, Default)]
pub struct Receipt {
    /// The files, in the given order.
    pub files: Vec<Written>,
    /// Generated files that were updated.
    pub generated: Vec<String>,
    /// The commit, if any.
    pub commit: Option<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The result of a change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its new path.
    pub path: String,
    /// Its new slug.
    pub slug: String,
    /// Its new version.
    pub version: u64,
    /// What happened.
    pub outcome: Outcome,
    /// What a new text did to the structured lines of the page.
    pub lines: LineChanges,
}

/// What a write did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Created it.
    Created,
    /// Changed it.
    Updated,
    /// Moved it.
    Moved,
    /// Deleted it.
    Deleted,
    /// Nothing: there was no change.
    Unchanged,
}

/// A prepared change: permitted, at the expected version, with its new bytes.
pub struct PreparedChange {
    /// Its path before the change.
    pub path: String,
    /// Its row in the index, if it is indexed.
    pub row: Option<PageRow>,
    /// Its bytes before the change.
    pub old: Option<Vec<u8>>,
    /// Its bytes after the change; `None` deletes it.
    pub new: Option<Vec<u8>>,
    /// Its new path, if it moves.
    pub to: Option<String>,
    /// What the change does.
    pub outcome: Outcome,
    /// Whether the new bytes contain nothing written by anyone else.
    pub sole_author: bool,
    /// The mode of the file before the change, which a moved file keeps; of a file that is created, the mode it gets.
    pub mode: Option<u32>,
    /// What a new text did to the structured lines of the page.
    pub lines: LineChanges,
}

/// What to record in the ledger.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LedgerNotes {
    /// The imported source.
    pub import: Option<ImportNote>,
    /// The part of a batch of imported files.
    #[serde(default)]
    pub batch: Option<BatchNote>,
    /// Resolved gaps, each with the path of the page that resolves it.
    pub fills: Vec<(u64, String)>,
}

/// An imported source. Its bytes are attached to the intent record while the write is in progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImportNote {
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

/// A part of a batch of imported files. Its manifest is attached to the intent record while the write is in progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BatchNote {
    /// Id of the batch.
    pub batch: String,
    /// Number of the part, from 0.
    pub part: u32,
    /// Kind of source.
    pub kind: String,
    /// Origin of the files.
    pub source: String,
    /// Whether it is the last part.
    pub is_last: bool,
    /// Hash of the manifest.
    pub hash: ContentHash,
    /// What is imported.
    #[serde(skip)]
    pub manifest: Vec<u8>,
}

impl LedgerNotes {
    /// Returns the bytes that are attached to the intent record, and their hash.
    pub(crate) fn attachment(&self) -> Option<(&[u8], ContentHash)> {
        let import = self.import.as_ref().map(|import| (import.bytes.as_slice(), import.hash));
        import.or_else(|| self.batch.as_ref().map(|batch| (batch.manifest.as_slice(), batch.hash)))
    }

    /// Sets the bytes that were attached to the intent record.
    pub(crate) fn attach(&mut self, bytes: Vec<u8>) {
        match (&mut self.import, &mut self.batch) {
            (Some(import), _) => import.bytes = bytes,
            (None, Some(batch)) => batch.manifest = bytes,
            (None, None) => {}
        }
    }

    /// Records that the page at a path resolves these gaps.
    pub fn filling(gaps: &[u64], path: &str) -> LedgerNotes {
        LedgerNotes {
            import: None,
            batch: None,
            fills: gaps.iter().map(|gap| (*gap, path.to_owned())).collect(),
        }
    }

    /// Returns whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        self.import.is_none() && self.batch.is_none() && self.fills.is_empty()
    }
}
