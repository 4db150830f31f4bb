//! The database port for gaps (unanswered questions) and imports (ingested sources): durable rows, part of the ledger.

use lore_text::ContentHash;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::imports::{ImportFilter, ImportRow, NewImport};
use crate::rows::ProjectNo;

/// Gaps and imports. The callers decide what may be stored, and the table's constraints enforce it again: a gap has no
/// query text unless someone approved it.
pub trait GapsAndImports {
    /// Returns a gap by id.
    fn gap(&self, project: ProjectNo, id: u64) -> Result<Option<GapRow>>;

    /// Writes a gap, replacing the one with its id.
    fn put_gap(&self, project: ProjectNo, gap: &GapRow) -> Result<()>;

    /// Returns up to `limit` open gaps, or all gaps with the open ones first; oldest first.
    fn gaps(&self, project: ProjectNo, which: &GapFilter<'_>, limit: usize) -> Result<Vec<GapRow>>;

    /// Counts the open and resolved gaps of a namespace, or of all.
    fn count_gaps(&self, project: ProjectNo, namespace: Option<&str>) -> Result<GapCounts>;

    /// Stores a source. It becomes the active one of its page; earlier ones are kept but inactive.
    fn add_import(&self, project: ProjectNo, import: &NewImport<'_>) -> Result<()>;

    /// Returns sources without their bytes, newest first.
    fn imports(&self, project: ProjectNo, which: &ImportFilter<'_>) -> Result<Vec<ImportRow>>;

    /// Returns the bytes of a source.
    fn import_bytes(&self, project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>>;

    /// Replaces the origin and the bytes of a source, which had to be changed after the fact. It is still known by the hash
    /// of the original bytes.
    fn rewrite_import(&self, project: ProjectNo, number: i64, source: &str, bytes: &[u8]) -> Result<()>;

    /// Deletes inactive sources imported before a time in milliseconds since 1970; returns how many.
    fn prune_imports(&self, project: ProjectNo, before: i64) -> Result<usize>;
}

/// Selects gaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GapFilter<'a> {
    /// Whether resolved gaps are included.
    pub resolved: bool,
    /// Only questions that were asked in this namespace.
    pub namespace: Option<&'a str>,
}

impl GapFilter<'static> {
    /// Open gaps.
    pub const OPEN: GapFilter<'static> = GapFilter { resolved: false, namespace: None };

    /// All gaps.
    pub const ALL: GapFilter<'static> = GapFilter { resolved: true, namespace: None };
}

/// How far a gap may be shared outside the vault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sensitivity {
    /// Not at all: it is answered from the memory, or stays open.
    #[default]
    Internal,
    /// Only its redacted text.
    Redacted,
    /// Its full text.
    External,
}

impl Sensitivity {
    /// All values.
    pub const ALL: [Sensitivity; 3] = [Sensitivity::Internal, Sensitivity::Redacted, Sensitivity::External];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Sensitivity::Internal => "internal",
            Sensitivity::Redacted => "redacted",
            Sensitivity::External => "external",
        }
    }
}

/// An unanswered question.
#[derive(Debug, Clone, PartialEq)]
pub struct GapRow {
    /// Derived from the question, the same in every database.
    pub id: u64,
    /// SHA-256 of the question as asked.
    pub query_hash: ContentHash,
    /// The question, once approved.
    pub query_text: Option<String>,
    /// Context given by the caller.
    pub context: String,
    /// Confidence of the answer, from 0 to 1.
    pub confidence: Option<f64>,
    /// How far it may be shared outside the vault.
    pub sensitivity: Sensitivity,
    /// How often it was asked without an answer.
    pub times: u64,
    /// Who approved sharing it, and when, in milliseconds since 1970.
    pub approved: Option<(String, i64)>,
    /// The question without private details.
    pub redacted_query: Option<String>,
    /// The path of the page that answers it, and since when, in milliseconds since 1970.
    pub resolved: Option<(String, i64)>,
    /// Names of the namespaces that it was asked in, in order; none if it was asked of the whole vault.
    pub namespaces: Vec<String>,
    /// When it was first asked, in milliseconds since 1970.
    pub detected: i64,
}

/// Numbers of gaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GapCounts {
    /// Open gaps.
    pub open: u64,
    /// Gaps that a page now answers.
    pub resolved: u64,
}
