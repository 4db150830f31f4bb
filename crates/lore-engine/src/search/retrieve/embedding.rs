//! Retrieval by embedding: the chunks nearest to the query.

use lore_ports::{EmbedResult, Embedder, Filter, PageNo, PageRow};

use crate::context::VaultContext;
use crate::error::Result;
use crate::note::Note;
use crate::search::nearest::{ChunkHit, VectorQuery, nearest};
use crate::search::request::SearchRequest;

/// Maximum bytes of a query that are embedded: models read no more, and tokenizing it costs time.
const QUESTION_BYTES: usize = 8192;

/// What is done where embeddings cannot be used.
const INSTEAD: &str = "using full-text search";

/// Pages found by embedding, or why there are none.
pub(super) enum EmbeddingHits {
    /// The nearest chunk of each page, nearest first, then those of the pages in `also`; with the model's name and a note
    /// for the user.
    Found(Vec<ChunkHit>, String, Option<Note>),
    /// There is no model, or it failed.
    Unavailable(Note),
}

/// Finds the pages whose nearest chunk is similar to the query, and scores the chunks of the pages in `also`.
pub(super) fn by_embedding(
    context: &VaultContext,
    request: &SearchRequest,
    limit: usize,
    also: &[PageNo],
) -> Result<EmbeddingHits> {
    let Some(row) = context.answering_model()? else {
        let note = format!("no embedding model is installed; {INSTEAD}");
        return Ok(EmbeddingHits::Unavailable(Note::Remark(note)));
    };
    let failed = |error| Ok(EmbeddingHits::Unavailable(Note::Model { error, effect: Some(INSTEAD) }));
    let embedder = match context.embedder(&row) {
        Ok(embedder) => embedder,
        Err(error) => return failed(error),
    };
    if !embedder.reads(&request.text) {
        let note = format!("{} does not support the query's script; {INSTEAD}", row.identity.name);
        return Ok(EmbeddingHits::Unavailable(Note::Remark(note)));
    }
    let vector = match embedder.embed_query(beginning(&request.text)) {
        Ok(vector) => vector,
        Err(error) => return failed(error),
    };
    let query = VectorQuery { model: row.number, vector: &vector, filter: &request.filter, limit, also };
    let mut hits = nearest(context, &query)?;
    if let Some(least) = request.min_similarity {
        hits.retain(|hit| f64::from(hit.similarity) >= least);
    }
    let waiting = context.store().count_pending(context.project(), row.number)?;
    let effect = "found only by full-text search";
    let note = (waiting > 0).then_some(Note::NotEmbedded { count: waiting, what: "chunk", effect });
    Ok(EmbeddingHits::Found(hits, row.identity.name, note))
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(QUESTION_BYTES)]
}

/// Returns the cosine between a text and the nearest part of a page; none without a usable model. `vector` embeds the
/// text, as a query or as a passage.
pub fn page_similarity(
    context: &VaultContext,
    text: &str,
    page: &PageRow,
    vector: &dyn Fn(&dyn Embedder) -> EmbedResult<Vec<f32>>,
) -> Result<Option<f64>> {
    let Some(row) = context.active_model()? else { return Ok(None) };
    let Ok(embedder) = context.embedder(&row) else { return Ok(None) };
    if text.trim().is_empty() || !embedder.reads(text) {
        return Ok(None);
    }
    let Ok(vector) = vector(&*embedder) else { return Ok(None) };
    let filter = Filter { slug: Some(page.slug.clone()), ..Filter::default() };
    let query = VectorQuery { model: row.number, vector: &vector, filter: &filter, limit: 1, also: &[] };
    let hits = nearest(context, &query)?;
    Ok(hits.iter().find(|hit| hit.chunk.page == page.number).map(|hit| f64::from(hit.similarity)))
}
