//! What the engine needs of a database to search by meaning: models, what waits to be embedded, and the nearest chunks.

use lore_page::LineRange;

use crate::chunk::ChunkKind;
use crate::embed::ModelIdentity;
use crate::error::Result;
use crate::hash::ContentHash;
use crate::index::{Filter, PageNo, ProjectNo};

/// A model's number in its database.
pub type ModelNo = i64;

/// Vectors by content and model. Chunks come and go with their pages; a vector stays, so that the same text is never
/// embedded twice, whatever becomes of the index.
pub trait Vectors {
    /// The models this database has vectors of, in the order they came.
    fn models(&self) -> Result<Vec<ModelRow>>;

    /// Takes a model in: every chunk without a vector of it waits from now on. One that is in already stays as it is.
    fn add_model(&self, identity: &ModelIdentity) -> Result<ModelNo>;

    /// Makes a model the one that answers, and no other.
    fn activate_model(&self, model: ModelNo) -> Result<()>;

    /// Forgets a model and its vectors.
    fn remove_model(&self, model: ModelNo) -> Result<()>;

    /// Chunks of a project that wait for a model, by page and place; at most so many.
    fn pending(&self, project: ProjectNo, model: ModelNo, limit: usize) -> Result<Vec<ChunkRow>>;

    /// How many chunks of a project wait for a model. Asked by every command, so that it must cost nothing.
    fn count_pending(&self, project: ProjectNo, model: ModelNo) -> Result<u64>;

    /// How many chunks a project has.
    fn count_chunks(&self, project: ProjectNo) -> Result<u64>;

    /// Keeps vectors, each under the checksum of its text.
    fn put_vectors(&self, model: ModelNo, vectors: &[(ContentHash, Vec<f32>)]) -> Result<()>;

    /// Makes all chunks of these pages, or of the whole project, wait again.
    fn forget_vectors(&self, project: ProjectNo, model: ModelNo, pages: Option<&[PageNo]>) -> Result<()>;

    /// The nearest chunk of each page, nearest first.
    fn nearest(&self, project: ProjectNo, query: &VectorQuery<'_>) -> Result<Vec<ChunkHit>>;

    /// The direction of each of these pages: the mean of its chunks' vectors, of unit length. A page none of whose
    /// chunks has a vector is left out.
    fn page_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        pages: &[PageNo],
    ) -> Result<Vec<(PageNo, Vec<f32>)>>;

    /// The chunks of a page, in the order of the file.
    fn chunks_of(&self, project: ProjectNo, page: PageNo) -> Result<Vec<ChunkRow>>;

    /// What does not fit between chunks, vectors and codes of a model; empty when all is well.
    fn vector_problems(&self, project: ProjectNo, model: ModelNo) -> Result<Vec<String>>;
}

/// A model in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRow {
    /// Its number.
    pub number: ModelNo,
    /// Which model it is.
    pub identity: ModelIdentity,
    /// Whether it is the one that answers.
    pub active: bool,
}

/// A chunk in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow {
    /// Its page.
    pub page: PageNo,
    /// What it is.
    pub kind: ChunkKind,
    /// The headings above it.
    pub heading: String,
    /// Its lines.
    pub lines: LineRange,
    /// The checksum of the text that is embedded.
    pub hash: ContentHash,
}

/// What is looked for.
#[derive(Debug)]
pub struct VectorQuery<'a> {
    /// Whose vectors.
    pub model: ModelNo,
    /// The question's vector, of unit length.
    pub vector: &'a [f32],
    /// Which pages count.
    pub filter: &'a Filter,
    /// How many pages.
    pub limit: usize,
    /// Pages whose nearest chunk is wanted, near or not.
    pub also: &'a [PageNo],
}

/// A page's nearest chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkHit {
    /// The chunk.
    pub chunk: ChunkRow,
    /// The cosine of the angle between the two.
    pub similarity: f32,
}
