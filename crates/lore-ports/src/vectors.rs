//! The database port for semantic search: models, chunks pending embedding, and nearest-neighbour queries.

use lore_page::LineRange;
use lore_text::ContentHash;

use crate::chunk::ChunkKind;
use crate::embed::ModelIdentity;
use crate::error::Result;
use crate::filter::Filter;
use crate::rows::{PageNo, ProjectNo};

/// A model's number in its database.
pub type ModelNo = i64;

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

    /// Returns up to `limit` chunks of a project that are pending for a model, sorted by page and position.
    fn pending(&self, project: ProjectNo, model: ModelNo, limit: usize) -> Result<Vec<ChunkRow>>;

    /// Counts the chunks of a project that are pending for a model. Every command calls this, so it must be cheap.
    fn count_pending(&self, project: ProjectNo, model: ModelNo) -> Result<u64>;

    /// Counts the chunks of a project.
    fn count_chunks(&self, project: ProjectNo) -> Result<u64>;

    /// Stores vectors, each under the hash of its text.
    fn put_vectors(&self, model: ModelNo, vectors: &[(ContentHash, Vec<f32>)]) -> Result<()>;

    /// Makes all chunks of these pages, or of the whole project, pending again.
    fn forget_vectors(&self, project: ProjectNo, model: ModelNo, pages: Option<&[PageNo]>) -> Result<()>;

    /// Returns the nearest chunk of each page, nearest first.
    fn nearest(&self, project: ProjectNo, query: &VectorQuery<'_>) -> Result<Vec<ChunkHit>>;

    /// Returns the normalized mean of the chunk vectors of each of these pages. A page without any chunk vector is left
    /// out.
    fn page_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        pages: &[PageNo],
    ) -> Result<Vec<(PageNo, Vec<f32>)>>;

    /// Returns the chunks of a page, in file order.
    fn chunks_of(&self, project: ProjectNo, page: PageNo) -> Result<Vec<ChunkRow>>;

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

/// A nearest-neighbour query.
#[derive(Debug)]
pub struct VectorQuery<'a> {
    /// The model.
    pub model: ModelNo,
    /// The query's vector, of unit length.
    pub vector: &'a [f32],
    /// Which pages to search.
    pub filter: &'a Filter,
    /// Maximum number of pages.
    pub limit: usize,
    /// Pages whose nearest chunk is always returned.
    pub also: &'a [PageNo],
}

/// A page's nearest chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkHit {
    /// The chunk.
    pub chunk: ChunkRow,
    /// Cosine similarity to the query.
    pub similarity: f32,
}
