//! Semantic search for a vault: the active model, and the queue of chunks pending embedding.
//!
//! Pages are found by full-text search as soon as they are indexed, and by semantic search once their chunks are
//! embedded. An instant model embeds them right away; for any other, the queue is drained in the background or on
//! request. Until most chunks are embedded, an instant model answers instead, if there is one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lore_page::parse;
use lore_ports::{
    ChunkRow, EmbedError, EmbedResult, Embedder, ModelRow, PageNo, PageRow, Progress, no_progress,
    transaction,
};
use lore_text::ContentHash;
use lore_vault::decode;
use lore_vault::fault::{EMBEDDED, fault};

use crate::context::{EmbedderCache, VaultContext};
use crate::error::Result;
use crate::index::chunk::chunks;
use crate::index::draft::storable;

/// Chunks per batch: the work lost when the process is killed, yet enough to batch chunks of similar length.
const ROUND: usize = 128;

/// Chunks read from the queue at a time.
const FETCH: usize = 1024;

/// One of this many chunks may be pending for a model that covers the vault.
const COVERED: u64 = 20;

/// The result of processing the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Chunks that were embedded.
    pub chunks: u64,
    /// Chunks still pending: their files changed since they were indexed.
    pub left: u64,
}

impl VaultContext {
    /// Returns the active model, if any.
    pub fn active_model(&self) -> Result<Option<ModelRow>> {
        Ok(self.store().models()?.into_iter().find(|row| row.active))
    }

    /// Returns the model that answers queries: the active one, or an instant one until that covers the vault. Vectors of
    /// different models are never mixed.
    pub fn answering_model(&self) -> Result<Option<ModelRow>> {
        let models = self.store().models()?;
        let Some(active) = models.iter().find(|row| row.active) else { return Ok(None) };
        if self.models().is_instant(&active.identity.name) || self.covers(active)? {
            return Ok(Some(active.clone()));
        }
        for row in &models {
            if self.models().is_instant(&row.identity.name) && self.covers(row)? {
                return Ok(Some(row.clone()));
            }
        }
        Ok(Some(active.clone()))
    }

    /// Returns whether almost all chunks of this vault have a vector of a model.
    fn covers(&self, row: &ModelRow) -> Result<bool> {
        let pending = self.store().count_pending(self.project(), row.number)?;
        Ok(pending == 0 || pending * COVERED <= self.store().count_chunks(self.project())?)
    }

    /// Returns the embedder of a model, opening it on first use.
    pub fn embedder(&self, row: &ModelRow) -> EmbedResult<Arc<dyn Embedder>> {
        let mut opened = self.embedder.borrow_mut();
        match opened.as_ref() {
            Some(known) if known.model == row.number => known.embedder.clone(),
            _ => {
                let embedder = self.open_model(row);
                *opened = Some(EmbedderCache { model: row.number, embedder: embedder.clone() });
                embedder
            }
        }
    }

    fn open_model(&self, row: &ModelRow) -> EmbedResult<Arc<dyn Embedder>> {
        let embedder = self.models().open(&row.identity.name)?;
        let (found, known) = (embedder.identity(), &row.identity);
        if found == known {
            return Ok(embedder);
        }
        let differs = match found.dimensions == known.dimensions {
            true => "other weights".to_owned(),
            false => format!("{} dimensions instead of {}", found.dimensions, known.dimensions),
        };
        Err(EmbedError::Outdated { model: known.name.clone(), differs })
    }

    /// Activates the best available model if the database has none; an instant model then embeds about `most` of the
    /// pending chunks.
    pub fn embed_pending_inline(&self, most: u64) -> Result<()> {
        let row = match self.active_model()? {
            Some(row) => row,
            None => match self.begin()? {
                Some(row) => row,
                None => return Ok(()),
            },
        };
        let row = match self.models().is_instant(&row.identity.name) {
            true => row,
            false if self.covers(&row)? => return Ok(()),
            false => match self.bridge()? {
                Some(bridge) => bridge,
                None => return Ok(()),
            },
        };
        let pending = self.store().count_pending(self.project(), row.number)?;
        if pending == 0 {
            return Ok(());
        }
        match self.embedder(&row) {
            Ok(embedder) => embed_with(self, &row, &*embedder, most, &no_progress).map(drop),
            Err(_) => Ok(()),
        }
    }

    /// Returns the instant model that answers until the active one covers the vault, if there is one.
    fn bridge(&self) -> Result<Option<ModelRow>> {
        let Some(embedder) = self.models().instant().and_then(|name| self.models().open(&name).ok()) else {
            return Ok(None);
        };
        let is_it = |row: &ModelRow| row.identity == *embedder.identity();
        if let Some(known) = self.store().models()?.into_iter().find(is_it) {
            return Ok(Some(known));
        }
        let number = self.store().add_model(embedder.identity())?;
        Ok(Some(ModelRow { number, identity: embedder.identity().clone(), active: false }))
    }

    fn begin(&self) -> Result<Option<ModelRow>> {
        let opened = self.models().preferred().into_iter().find_map(|name| self.models().open(&name).ok());
        let Some(embedder) = opened else { return Ok(None) };
        transaction(self.store(), || -> Result<()> {
            // Another process may have activated a model while this one was opening its own.
            if self.active_model()?.is_some() {
                return Ok(());
            }
            let model = self.store().add_model(embedder.identity())?;
            Ok(self.store().activate_model(model)?)
        })?;
        self.active_model()
    }
}

/// Embeds the pending chunks with the active model, whatever it costs; without a model there is nothing to do.
pub fn drain_queue(context: &VaultContext, progress: Progress<'_>) -> Result<()> {
    match context.active_model()? {
        Some(row) => embed_pending(context, &row, progress).map(drop),
        None => Ok(()),
    }
}

/// Embeds the chunks that are pending for a model.
pub fn embed_pending(context: &VaultContext, row: &ModelRow, progress: Progress<'_>) -> Result<Embedded> {
    // A model is opened only if there is work for it.
    if context.store().count_pending(context.project(), row.number)? == 0 {
        return Ok(Embedded::default());
    }
    let embedder = context.embedder(row)?;
    embed_with(context, row, &*embedder, u64::MAX, progress)
}

/// Adds a model, embeds every chunk of this vault with it, and only then activates it. The vectors of the previous
/// model are kept, so that switching back costs nothing.
pub fn choose_model(
    context: &VaultContext,
    name: &str,
    progress: Progress<'_>,
) -> Result<(ModelRow, Embedded)> {
    let embedder = context.models().open(name)?;
    let store = context.store();
    let number = store.add_model(embedder.identity())?;
    let row = ModelRow { number, identity: embedder.identity().clone(), active: false };
    let embedded = embed_with(context, &row, &*embedder, u64::MAX, progress)?;
    store.activate_model(number)?;
    Ok((ModelRow { active: true, ..row }, embedded))
}

/// Embeds about `most` pending chunks; the batch that reaches it is completed.
fn embed_with(
    context: &VaultContext,
    row: &ModelRow,
    embedder: &dyn Embedder,
    most: u64,
    progress: Progress<'_>,
) -> Result<Embedded> {
    let (store, project) = (context.store(), context.project());
    let all = store.count_pending(project, row.number)?;
    let mut done = Embedded { left: all, ..Embedded::default() };
    let mut passed_over = 0;
    let mut page_texts = PageTexts::default();
    while done.chunks < most {
        // At least as many as are passed over, so that reading those again and again never dominates.
        let fetched = store.pending(project, row.number, passed_over + passed_over.max(FETCH))?;
        let Some(fetched) = fetched.get(passed_over..).filter(|fetched| !fetched.is_empty()) else {
            break;
        };
        for waiting in fetched.chunks(ROUND) {
            let round = page_texts.round(context, waiting)?;
            // The text of a chunk whose file has changed is gone: the next sync removes the chunk.
            passed_over += waiting.len() - round.waiting;
            if round.texts.is_empty() {
                continue;
            }
            let passages: Vec<&str> = round.texts.values().map(String::as_str).collect();
            let vectors = embedder.embed_passages(&passages)?;
            let kept: Vec<(ContentHash, Vec<f32>)> = round.texts.keys().copied().zip(vectors).collect();
            store.put_vectors(row.number, &kept)?;
            fault(EMBEDDED);
            done.chunks += round.waiting as u64;
            progress(done.chunks.min(all) as usize, all as usize)?;
            if done.chunks >= most {
                break;
            }
        }
    }
    done.left = store.count_pending(project, row.number)?;
    done.chunks = all.saturating_sub(done.left);
    Ok(done)
}

/// The texts of a batch.
struct Round {
    texts: BTreeMap<ContentHash, String>,
    /// Number of chunks with a text.
    waiting: usize,
}

/// The texts of the chunks of the last page read: a page with many chunks takes several batches, and is read and split
/// once.
#[derive(Default)]
struct PageTexts {
    page: Option<PageNo>,
    texts: HashMap<ContentHash, String>,
}

impl PageTexts {
    /// Reads the texts of chunks from their files.
    fn round(&mut self, context: &VaultContext, waiting: &[ChunkRow]) -> Result<Round> {
        let mut pages: Vec<PageNo> = waiting.iter().map(|chunk| chunk.page).collect();
        pages.dedup();
        pages.retain(|page| self.page != Some(*page));
        let rows = match pages.is_empty() {
            true => Vec::new(),
            false => context.store().pages(context.project(), &pages)?,
        };
        let mut found: Vec<(ContentHash, String)> = Vec::with_capacity(waiting.len());
        for chunks in waiting.chunk_by(|a, b| a.page == b.page) {
            let Some(page) = chunks.first().map(|chunk| chunk.page) else { continue };
            if self.page != Some(page) {
                let row = rows.iter().find(|row| row.number == page);
                self.texts = row.map(|row| texts_of(context, row)).unwrap_or_default();
                self.page = Some(page);
            }
            let of = |chunk: &ChunkRow| self.texts.get(&chunk.hash).map(|text| (chunk.hash, text.clone()));
            found.extend(chunks.iter().filter_map(of));
        }
        Ok(Round { waiting: found.len(), texts: found.into_iter().collect() })
    }
}

/// Reads a page and splits it into chunks; a file that cannot be read has none.
fn texts_of(context: &VaultContext, page: &PageRow) -> HashMap<ContentHash, String> {
    let Ok(Some(file)) = context.vault().read(&page.path, context.policy().limits.page_bytes) else {
        return HashMap::new();
    };
    let text = storable(decode(&file.bytes).text);
    let parsed = parse(&page.path, &text);
    chunks(&parsed.page, &text).into_iter().map(|chunk| (chunk.place.hash, chunk.text)).collect()
}
