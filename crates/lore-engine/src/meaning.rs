//! Search by meaning as a vault has it: which model answers, what waits for it, and the queue that is drained.
//!
//! Pages are found by their words as soon as they are indexed, and by their meaning when their chunks are embedded. A
//! model that costs nothing embeds them at once; any other drains the queue in the background or when it is told to.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lore_page::parse;

use crate::chunk::chunks;
use crate::embed::{EmbedError, EmbedResult, Embedder};
use crate::error::Result;
use crate::fault::{EMBEDDED, fault};
use crate::hash::ContentHash;
use crate::index::PageNo;
use crate::memory::Memory;
use crate::progress::{Progress, unwatched};
use crate::vault::decode;
use crate::vectors::{ChunkRow, ModelNo, ModelRow};

/// Chunks per round: what is lost when the process is killed, and enough that those of one length go together.
const ROUND: usize = 128;

/// A model that has been opened, or could not be.
pub(crate) struct Opened {
    model: ModelNo,
    embedder: EmbedResult<Arc<dyn Embedder>>,
}

/// What a run over the queue did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Chunks that have a vector now.
    pub chunks: u64,
    /// Chunks that still wait: their files changed since they were indexed.
    pub left: u64,
}

impl Memory {
    /// The model that answers, where there is one.
    pub fn active_model(&self) -> Result<Option<ModelRow>> {
        Ok(self.store().models()?.into_iter().find(|row| row.active))
    }

    /// A model of the database, ready to embed; opened once.
    pub fn embedder(&self, row: &ModelRow) -> EmbedResult<Arc<dyn Embedder>> {
        let mut opened = self.opened.borrow_mut();
        match opened.as_ref() {
            Some(known) if known.model == row.number => known.embedder.clone(),
            _ => {
                let embedder = self.open_model(row);
                *opened = Some(Opened { model: row.number, embedder: embedder.clone() });
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
        let name = &known.name;
        let reason = format!("it is not the one the vectors are of ({differs}): run `lore model use {name}`");
        Err(EmbedError::Model { place: name.clone(), reason })
    }

    /// A database without a model begins with the best there is; a model that costs nothing embeds what is new, unless
    /// that is more than so many chunks.
    pub fn keep_up(&self, most: u64) -> Result<()> {
        let row = match self.active_model()? {
            Some(row) => row,
            None => match self.begin()? {
                Some(row) => row,
                None => return Ok(()),
            },
        };
        let instant = self.models().is_instant(&row.identity.name);
        if !instant {
            return Ok(());
        }
        let pending = self.store().count_pending(self.project(), row.number)?;
        if pending == 0 || pending > most {
            return Ok(());
        }
        match self.embedder(&row) {
            Ok(embedder) => embed_with(self, &row, &*embedder, &unwatched).map(drop),
            Err(_) => Ok(()),
        }
    }

    fn begin(&self) -> Result<Option<ModelRow>> {
        let opened = self.models().preferred().into_iter().find_map(|name| self.models().open(&name).ok());
        let Some(embedder) = opened else { return Ok(None) };
        self.store().transaction(&mut || {
            // Another process may have begun with one while this one opened its own.
            if self.active_model()?.is_some() {
                return Ok(());
            }
            let model = self.store().add_model(embedder.identity())?;
            self.store().activate_model(model)
        })?;
        self.active_model()
    }
}

/// Embeds the pending chunks with the active model, whatever it costs; without a model there is nothing to do.
pub fn drain_queue(memory: &Memory, progress: Progress<'_>) -> Result<()> {
    match memory.active_model()? {
        Some(row) => embed_pending(memory, &row, progress).map(drop),
        None => Ok(()),
    }
}

/// Embeds what waits for a model.
pub fn embed_pending(memory: &Memory, row: &ModelRow, progress: Progress<'_>) -> Result<Embedded> {
    // A model is opened only for work that there is.
    if memory.store().count_pending(memory.project(), row.number)? == 0 {
        return Ok(Embedded::default());
    }
    let embedder = memory.embedder(row)?;
    embed_with(memory, row, &*embedder, progress)
}

/// Takes a model in, embeds every chunk of this vault with it, and only then lets it answer. The vectors of the model
/// before stay, so that going back costs nothing.
pub fn choose_model(memory: &Memory, name: &str, progress: Progress<'_>) -> Result<(ModelRow, Embedded)> {
    let embedder = memory.models().open(name)?;
    let store = memory.store();
    let number = store.add_model(embedder.identity())?;
    let row = ModelRow { number, identity: embedder.identity().clone(), active: false };
    let embedded = embed_with(memory, &row, &*embedder, progress)?;
    store.activate_model(number)?;
    Ok((ModelRow { active: true, ..row }, embedded))
}

fn embed_with(
    memory: &Memory,
    row: &ModelRow,
    embedder: &dyn Embedder,
    progress: Progress<'_>,
) -> Result<Embedded> {
    let (store, project) = (memory.store(), memory.project());
    let all = store.count_pending(project, row.number)?;
    let mut done = Embedded { left: all, ..Embedded::default() };
    let mut passed_over = 0;
    loop {
        let waiting = store.pending(project, row.number, passed_over + ROUND)?;
        let Some(waiting) = waiting.get(passed_over..).filter(|waiting| !waiting.is_empty()) else {
            return Ok(done);
        };
        let round = texts(memory, waiting)?;
        // A chunk whose file has changed since has no text any more: it goes with the next sync.
        passed_over += waiting.len() - round.waiting;
        if round.texts.is_empty() {
            continue;
        }
        let passages: Vec<&str> = round.texts.values().map(String::as_str).collect();
        let vectors = embedder.embed_passages(&passages)?;
        let kept: Vec<(ContentHash, Vec<f32>)> = round.texts.keys().copied().zip(vectors).collect();
        store.put_vectors(row.number, &kept)?;
        fault(EMBEDDED);
        done.left = store.count_pending(project, row.number)?;
        done.chunks = all.saturating_sub(done.left);
        progress(done.chunks as usize, all as usize)?;
    }
}

/// The texts of a round.
struct Round {
    texts: BTreeMap<ContentHash, String>,
    /// How many of the chunks have a text.
    waiting: usize,
}

/// The texts of chunks, read from their files.
fn texts(memory: &Memory, waiting: &[ChunkRow]) -> Result<Round> {
    let mut pages: Vec<PageNo> = waiting.iter().map(|chunk| chunk.page).collect();
    pages.dedup();
    let mut known: HashMap<ContentHash, String> = HashMap::new();
    for page in memory.store().pages(memory.project(), &pages)? {
        let Ok(Some(file)) = memory.vault().read(&page.path, memory.policy().limits.page_bytes) else {
            continue;
        };
        let decoded = decode(&file.bytes);
        let parsed = parse(&page.path, &decoded.text);
        known.extend(
            chunks(&parsed.page, &decoded.text).into_iter().map(|chunk| (chunk.place.hash, chunk.text)),
        );
    }
    let of = |chunk: &ChunkRow| known.get(&chunk.hash).map(|text| (chunk.hash, text.clone()));
    let found: Vec<(ContentHash, String)> = waiting.iter().filter_map(of).collect();
    Ok(Round { waiting: found.len(), texts: found.into_iter().collect() })
}
