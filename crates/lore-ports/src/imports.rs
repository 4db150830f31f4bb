//! Rows of ingested sources.

use lore_text::ContentHash;

/// A source to store.
#[derive(Debug)]
pub struct NewImport<'a> {
    /// Groups the sources of one run.
    pub batch: &'a str,
    /// Its origin.
    pub source: &'a str,
    /// Its type: `meeting`, `article`.
    pub source_type: &'a str,
    /// The path of the page that contains its evidence.
    pub page: &'a str,
    /// Hash of the bytes.
    pub hash: ContentHash,
    /// The bytes as received.
    pub bytes: &'a [u8],
    /// When it was imported, in milliseconds since 1970.
    pub at: i64,
}

/// Selects sources.
#[derive(Debug)]
pub enum ImportFilter<'a> {
    /// Sources with this hash.
    Hash(ContentHash),
    /// Sources of one run.
    Batch(&'a str),
    /// All sources.
    All,
}

/// A stored source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// Its number, to fetch its bytes.
    pub number: i64,
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
    /// Size in bytes.
    pub size: u64,
    /// Whether it is the active source of its page.
    pub active: bool,
    /// When it was imported, in milliseconds since 1970.
    pub at: i64,
}
