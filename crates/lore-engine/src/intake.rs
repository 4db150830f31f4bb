//! What the engine needs of a database for questions that found no answer and for sources that were taken in: durable
//! rows, part of the ledger.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::hash::ContentHash;
use crate::index::ProjectNo;

/// Gaps and imports. It stores what it is given; what may be stored is decided above, and once more by the table's own
/// conditions: a gap has no words without somebody who allowed them.
pub trait Intake {
    /// A gap by its id.
    fn gap(&self, project: ProjectNo, id: u64) -> Result<Option<GapRow>>;

    /// Writes a gap, in place of the one with its id.
    fn put_gap(&self, project: ProjectNo, gap: &GapRow) -> Result<()>;

    /// Gaps that are open, or all of them with the open ones first; the oldest first, at most so many.
    fn gaps(&self, project: ProjectNo, which: Which, limit: usize) -> Result<Vec<GapRow>>;

    /// How many gaps are open, and how many are not any more.
    fn count_gaps(&self, project: ProjectNo) -> Result<GapCounts>;

    /// Keeps a source. It becomes the one that counts for its page; those before it stay, and count no more.
    fn add_import(&self, project: ProjectNo, import: &NewImport<'_>) -> Result<()>;

    /// Sources without their bytes, the last first.
    fn imports(&self, project: ProjectNo, which: &ImportsOf<'_>) -> Result<Vec<ImportRow>>;

    /// The bytes of a source.
    fn import_bytes(&self, project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>>;

    /// Forgets sources that count no more and came before a moment in milliseconds since 1970; says how many.
    fn prune_imports(&self, project: ProjectNo, before: i64) -> Result<usize>;
}

/// Which gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that are open.
    Open,
    /// All of them.
    All,
}

/// How far a gap may be carried outside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sensitivity {
    /// Not at all: it is answered from the memory, or stays open.
    #[default]
    Internal,
    /// In the words of its redacted form only.
    Redacted,
    /// In its own words.
    External,
}

impl Sensitivity {
    /// Every one.
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

/// A question that was answered badly.
#[derive(Debug, Clone, PartialEq)]
pub struct GapRow {
    /// Made of the question, the same in every database.
    pub id: u64,
    /// The SHA-256 of the question as it was asked.
    pub query_hash: ContentHash,
    /// Its words, once somebody has allowed it.
    pub query_text: Option<String>,
    /// What whoever asked said about it.
    pub context: String,
    /// How well it was answered, from 0 to 1.
    pub confidence: Option<f64>,
    /// How far it may be carried outside.
    pub sensitivity: Sensitivity,
    /// How often it was asked in vain.
    pub times: u64,
    /// Who allowed more than `internal`, and when, in milliseconds since 1970.
    pub approved: Option<(String, i64)>,
    /// Its words without what must stay inside.
    pub redacted_query: Option<String>,
    /// The path of the page that answers it, and since when, in milliseconds since 1970.
    pub resolved: Option<(String, i64)>,
    /// When it was first asked, in milliseconds since 1970.
    pub detected: i64,
}

/// How many gaps there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GapCounts {
    /// Open ones.
    pub open: u64,
    /// Those that a page answers now.
    pub resolved: u64,
}

/// A source to keep.
#[derive(Debug)]
pub struct NewImport<'a> {
    /// What the sources of one run have in common.
    pub batch: &'a str,
    /// Where it came from.
    pub source: &'a str,
    /// What it is: `meeting`, `article`.
    pub source_type: &'a str,
    /// The path of the page that holds its evidence.
    pub page: &'a str,
    /// The checksum of the bytes.
    pub hash: ContentHash,
    /// The bytes, as they came.
    pub bytes: &'a [u8],
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// Which sources.
#[derive(Debug)]
pub enum ImportsOf<'a> {
    /// Those with this checksum.
    Hash(ContentHash),
    /// Those of one run.
    Batch(&'a str),
    /// All of them.
    All,
}

/// A source that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// Its number, for its bytes.
    pub number: i64,
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
    /// How many bytes.
    pub size: u64,
    /// Whether it is the one that counts for its page.
    pub active: bool,
    /// When it came, in milliseconds since 1970.
    pub at: i64,
}
