//! The chunks of pages. A chunk whose text is unchanged keeps its slot, and with it its vector and sign code.

use std::collections::HashMap;

use lore_page::LineRange;
use lore_ports::{ChunkDraft, ChunkKind, ChunkRow, ModelNo, PageNo, ProjectNo, Result};
use lore_text::{ContentHash, sign_codes};
use rusqlite::{Row, params};

use crate::{SqliteStore, rows};

/// The columns of a [`ChunkRow`].
pub(super) const CHUNK: &str = "c.page, c.kind, c.heading, c.first, c.last, c.hash";

pub(super) fn chunk_row(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    let kind = if row.get::<_, u8>(1)? == 1 { ChunkKind::Entry } else { ChunkKind::Section };
    Ok(ChunkRow {
        page: row.get(0)?,
        kind,
        heading: row.get(2)?,
        lines: LineRange { first: row.get(3)?, last: row.get(4)? },
        hash: rows::hash(row, 5)?,
    })
}

impl SqliteStore {
    /// Replaces the chunks of a page.
    pub(super) fn put_chunks(&self, project: ProjectNo, page: PageNo, chunks: &[ChunkDraft]) -> Result<()> {
        let mut known: HashMap<ContentHash, Vec<i64>> = HashMap::new();
        let sql = "SELECT slot, hash FROM chunk WHERE page = ?1 ORDER BY slot DESC";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, rows::hash(row, 1)?));
        for (slot, hash) in self.all("read a page's chunks", sql, [page], read)? {
            known.entry(hash).or_default().push(slot);
        }
        let mut fresh = Vec::new();
        for chunk in chunks {
            match known.get_mut(&chunk.hash).and_then(Vec::pop) {
                Some(slot) => self.place_chunk(project, page, slot, chunk)?,
                None => fresh.push(chunk),
            }
        }
        known.into_values().flatten().try_for_each(|slot| self.free_slot(project, slot))?;
        if fresh.is_empty() {
            return Ok(());
        }
        let models: Vec<ModelNo> =
            self.all("read the models", "SELECT number FROM model", [], |row| row.get(0))?;
        for chunk in fresh {
            let slot = self.take_slot(project)?;
            self.place_chunk(project, page, slot, chunk)?;
            models.iter().try_for_each(|model| self.meet(project, *model, slot, chunk.hash))?;
        }
        Ok(())
    }

    fn place_chunk(&self, project: ProjectNo, page: PageNo, slot: i64, chunk: &ChunkDraft) -> Result<()> {
        self.run(
            "write a chunk",
            "INSERT OR REPLACE INTO chunk(project, slot, page, kind, heading, first, last, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                project,
                slot,
                page,
                u8::from(chunk.kind == ChunkKind::Entry),
                chunk.heading,
                chunk.lines.first,
                chunk.lines.last,
                chunk.hash.0
            ],
        )
        .map(drop)
    }

    /// Connects a chunk with a model: uses a known vector, or queues the chunk for embedding.
    pub(super) fn meet(
        &self,
        project: ProjectNo,
        model: ModelNo,
        slot: i64,
        hash: ContentHash,
    ) -> Result<()> {
        let sql = "SELECT vector FROM vector WHERE model = ?1 AND hash = ?2";
        let code = self.one("find a vector", sql, params![model, hash.0], |row| {
            Ok(sign_codes::code_of_bytes(row.get_ref(0)?.as_blob()?))
        })?;
        match code {
            Some(code) => self.put_code(project, model, slot, code),
            None => {
                let sql = "INSERT OR IGNORE INTO pending(project, model, slot) VALUES (?1, ?2, ?3)";
                self.run("queue a chunk for embedding", sql, params![project, model, slot])?;
            }
        }
        Ok(())
    }

    fn free_slot(&self, project: ProjectNo, slot: i64) -> Result<()> {
        for sql in [
            "DELETE FROM chunk WHERE project = ?1 AND slot = ?2",
            "DELETE FROM pending WHERE project = ?1 AND slot = ?2",
            "INSERT OR IGNORE INTO free_slot(project, slot) VALUES (?1, ?2)",
        ] {
            self.run("remove a chunk", sql, params![project, slot])?;
        }
        Ok(())
    }

    fn take_slot(&self, project: ProjectNo) -> Result<i64> {
        let sql = "SELECT min(slot) FROM free_slot WHERE project = ?1";
        let free = self.one("find a free slot", sql, [project], |row| row.get::<_, Option<i64>>(0))?;
        if let Some(slot) = free.flatten() {
            let sql = "DELETE FROM free_slot WHERE project = ?1 AND slot = ?2";
            self.run("take a free slot", sql, params![project, slot])?;
            return Ok(slot);
        }
        let sql = "SELECT max(slot) FROM chunk WHERE project = ?1";
        let last = self.one("find the last slot", sql, [project], |row| row.get::<_, Option<i64>>(0))?;
        Ok(last.flatten().map_or(0, |slot| slot + 1))
    }
}
