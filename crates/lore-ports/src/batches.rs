//! The database port for imports of whole sources: durable rows, part of the ledger.

use lore_text::ContentHash;

use crate::error::Result;
use crate::rows::ProjectNo;

/// Batches of imported files, and the original bytes of those files by their hash.
pub trait Batches {
    /// Stores bytes under their hash. Hashes that are already known are left as they are.
    fn put_blobs(&self, project: ProjectNo, blobs: &[(ContentHash, &[u8])]) -> Result<()>;

    /// Returns the bytes with this hash.
    fn blob(&self, project: ProjectNo, hash: ContentHash) -> Result<Option<Vec<u8>>>;

    /// Returns the hashes of all stored bytes.
    fn blobs(&self, project: ProjectNo) -> Result<Vec<ContentHash>>;

    /// Replaces bytes that had to be changed after the fact. They are still known by the hash of the original bytes.
    fn rewrite_blob(&self, project: ProjectNo, hash: ContentHash, bytes: &[u8]) -> Result<()>;

    /// Deletes the bytes with these hashes.
    fn remove_blobs(&self, project: ProjectNo, hashes: &[ContentHash]) -> Result<()>;

    /// Stores a part of a batch, replacing the part with its number.
    fn add_batch(&self, project: ProjectNo, part: &NewBatch<'_>) -> Result<()>;

    /// Returns the parts of all batches without their manifests, oldest batch first.
    fn batches(&self, project: ProjectNo) -> Result<Vec<BatchRow>>;

    /// Returns the manifests of a batch, in the order of its parts.
    fn manifests(&self, project: ProjectNo, batch: &str) -> Result<Vec<Vec<u8>>>;

    /// Deletes a batch.
    fn remove_batch(&self, project: ProjectNo, batch: &str) -> Result<()>;
}

/// A part of a batch to store: what one atomic write imported.
#[derive(Debug)]
pub struct NewBatch<'a> {
    /// Id of the batch.
    pub batch: &'a str,
    /// Number of the part, from 0.
    pub part: u32,
    /// Kind of source: `obsidian`.
    pub kind: &'a str,
    /// Origin of the files.
    pub source: &'a str,
    /// Whether it is the last part.
    pub is_last: bool,
    /// What was imported, in a format of the caller.
    pub manifest: &'a [u8],
    /// When it was imported, in milliseconds since 1970.
    pub at: i64,
}

/// A stored part of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchRow {
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
    /// When it was imported, in milliseconds since 1970.
    pub at: i64,
}
