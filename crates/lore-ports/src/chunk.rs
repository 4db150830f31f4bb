//! Chunks as the index stores them.

use lore_page::LineRange;
use lore_text::ContentHash;

/// The part of its page that a chunk comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkKind {
    /// Truth text, or timeline text outside any entry.
    Section,
    /// A timeline entry.
    Entry,
}

/// A chunk as the index stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkDraft {
    /// The part of the page it comes from.
    pub kind: ChunkKind,
    /// The headings above it, outermost first, joined by ` > `.
    pub heading: String,
    /// Its lines in the file.
    pub lines: LineRange,
    /// Hash of the embedded text.
    pub hash: ContentHash,
}
