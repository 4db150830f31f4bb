//! The database port for semantic search: models, chunks pending embedding, vectors and their sign codes.
//!
//! A store finds candidates by sign code and reads vectors. How many are compared, and which chunk represents a page, is
//! decided above it.

use lore_page::LineRange;
use lore_text::ContentHash;

use crate::chunk::ChunkKind;
use crate::embed::ModelIdentity;
use crate::error::Result;
use crate::filter::Filter;
use crate::rows::{PageNo, ProjectNo};

/// A model's number in its database.
pub type ModelNo = i64;

/// A chunk's number in its project. Numbers are reused, so it is valid within one transaction only.
pub type ChunkNo = i64;

/// Vectors by content hash and model. Chunks come and go with their pages; vectors are kept, so that the same text is
/// never embedded twice, even after the index is rebuilt.
pub trait Vectors {
    /// Returns the models with vectors in this database, in the order they were added.
    fn models(&self) -> Result<Vec<ModelRow>>;

    /// Adds a model: every chunk without a vector of it becomes pending. Adding an existing model changes nothing.
    fn add_model(&self, identity: &ModelIdentity) -> Result<ModelNo>;

    /// Makes a model the active one.
    fn activate_model(&self, model: ModelNo) -> Result<()>;

    /// Deletes a model and its vectors.
    fn remove_model(&self, model: ModelNo) -> Result<()>;

    /// Returns the first `limit` chunks of a project that are pending for a model, in an order that does not change while
    /// others are embedded.
    fn pending(&self, project: ProjectNo, model: ModelNo, limit: usize) -> Result<Vec<ChunkRow>>;

    /// Counts the chunks of a project that are pending for a model. Every command calls this, so it must be cheap.
    fn count_pending(&self, project: ProjectNo, model: ModelNo) -> Result<u64>;

    /// Counts the chunks of a project.
    fn count_chunks(&self, project: ProjectNo) -> Result<u64>;

    /// Stores vectors, each under the hash of its text.
    fn put_vectors(&self, model: ModelNo, vectors: &[(ContentHash, Vec<f32>)]) -> Result<()>;

    /// Makes all chunks of these pages, or of the whole project, pending again.
    fn forget_vectors(&self, project: ProjectNo, model: ModelNo, pages: Option<&[PageNo]>) -> Result<()>;

    /// Compares sign codes with a query's. Chunks without a vector of the model are not returned.
    fn near_codes(&self, project: ProjectNo, query: &CodeQuery<'_>) -> Result<NearCodes>;

    /// Returns the vectors of these chunks, in any order. Chunks without one are left out.
    fn chunk_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        chunks: &[ChunkNo],
    ) -> Result<Vec<ChunkVector>>;

    /// Returns the vectors of all chunks of these pages, in any order, as [`ChunkVector::vector`] has them.
    fn page_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        pages: &[PageNo],
    ) -> Result<Vec<(PageNo, Vec<u8>)>>;

    /// Returns the chunks of these pages in the given order, those of each page in file order.
    fn chunks_of(&self, project: ProjectNo, pages: &[PageNo]) -> Result<Vec<ChunkRow>>;

    /// Deletes the vectors of text that no chunk has any more; returns how many.
    fn prune_vectors(&self) -> Result<usize>;

    /// Returns inconsistencies between chunks, vectors and sign codes of a model; empty when there are none.
    fn vector_problems(&self, project: ProjectNo, model: ModelNo) -> Result<Vec<String>>;
}

/// A model in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRow {
    /// Its number.
    pub number: ModelNo,
    /// Its identity.
    pub identity: ModelIdentity,
    /// Whether it is the active model.
    pub active: bool,
}

/// A chunk in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow {
    /// Its page.
    pub page: PageNo,
    /// The part of the page it comes from.
    pub kind: ChunkKind,
    /// The headings above it.
    pub heading: String,
    /// Its lines.
    pub lines: LineRange,
    /// Hash of the embedded text.
    pub hash: ContentHash,
}

/// A query for near sign codes.
#[derive(Debug)]
pub struct CodeQuery<'a> {
    /// The model.
    pub model: ModelNo,
    /// The query's code, as [`lore_text::sign_codes::code`] gives it.
    pub code: &'a [u8],
    /// Which pages to search.
    pub filter: &'a Filter,
    /// Maximum number of chunks.
    pub limit: usize,
    /// Pages whose chunks are always returned, if they match the filter.
    pub also: &'a [PageNo],
}

/// Chunks by the distance of their sign codes to a query's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NearCodes {
    /// The nearest chunks, nearest first.
    pub nearest: Vec<NearCode>,
    /// All chunks of the pages asked for, in any order.
    pub also: Vec<PageCode>,
}

/// A chunk with its sign code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearCode {
    /// The chunk.
    pub chunk: ChunkNo,
    /// Number of signs that differ from the query's.
    pub distance: u16,
    /// Its code.
    pub code: Vec<u8>,
}

/// A chunk of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCode {
    /// The page.
    pub page: PageNo,
    /// The chunk.
    pub chunk: ChunkNo,
    /// Number of signs that differ from the query's.
    pub distance: u16,
}

/// A chunk with its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkVector {
    /// The chunk.
    pub chunk: ChunkRow,
    /// Its int8 vector, as [`lore_text::sign_codes::to_bytes`] gives it.
    pub vector: Vec<u8>,
}
