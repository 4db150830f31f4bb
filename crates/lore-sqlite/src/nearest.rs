//! Near sign codes: filter first, then scan. And the vectors of chunks.

use lore_ports::{
    ChunkNo, ChunkVector, CodeQuery, Error, Filter, ModelNo, NearCode, NearCodes, PageCode, PageNo,
    ProjectNo, Result,
};
use lore_text::sign_codes::{self, Nearest};
use rusqlite::{Row, params};

use crate::chunks::{CHUNK, chunk_row};
use crate::codes::BLOCK;
use crate::filter::Conditions;
use crate::{SqliteStore, failed};

/// A bit set of slots.
struct Slots {
    bits: Vec<u64>,
    count: usize,
}

impl Slots {
    fn new() -> Self {
        Slots { bits: Vec::new(), count: 0 }
    }

    fn insert(&mut self, slot: i64) {
        let at = slot.unsigned_abs() as usize;
        if self.bits.len() <= at / 64 {
            self.bits.resize(at / 64 + 1, 0);
        }
        self.bits[at / 64] |= 1 << (at % 64);
        self.count += 1;
    }

    fn has(&self, slot: u64) -> bool {
        self.bits.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    fn all(&self) -> Vec<u64> {
        (0..self.bits.len() as u64 * 64).filter(|slot| self.has(*slot)).collect()
    }
}

/// The result of a scan.
struct Scan {
    nearest: Nearest,
    dead: Slots,
    wanted: Option<Slots>,
}

impl Scan {
    /// Returns the distance of an eligible slot.
    fn distance(&self, slot: u64) -> Option<u16> {
        self.nearest.distance(slot).filter(|_| counts(&self.dead, self.wanted.as_ref(), slot))
    }
}

/// Returns whether a slot is in use and passes the filter.
fn counts(dead: &Slots, wanted: Option<&Slots>, slot: u64) -> bool {
    !dead.has(slot) && wanted.is_none_or(|wanted| wanted.has(slot))
}

impl SqliteStore {
    pub(super) fn find_near_codes(&self, project: ProjectNo, query: &CodeQuery<'_>) -> Result<NearCodes> {
        self.flush_codes()?;
        let expected = sign_codes::code_length(self.dimensions(query.model)?);
        if query.code.len() != expected {
            let message = format!("the sign code has {} bytes, expected {expected}", query.code.len());
            return Err(Error::Index { doing: "find the nearest chunks", message, transient: false });
        }
        let scan = self.scan(project, query, self.wanted(project, query.filter)?)?;
        let near = |(slot, distance, code): (u64, u16, &[u8])| NearCode {
            chunk: slot as i64,
            distance,
            code: code.to_vec(),
        };
        let nearest = scan.nearest.codes(expected).into_iter().map(near).collect();
        Ok(NearCodes { nearest, also: self.codes_of(query.also, &scan)? })
    }

    /// Returns the slots of the pages that match a filter; `None` if there is no filter.
    fn wanted(&self, project: ProjectNo, filter: &Filter) -> Result<Option<Slots>> {
        if *filter == Filter::default() {
            return Ok(None);
        }
        let conditions = Conditions::all(project, filter);
        let sql =
            format!("SELECT c.slot FROM page p JOIN chunk c ON c.page = p.number WHERE {}", conditions.sql);
        self.slots("filter chunks", &sql, conditions.bound().as_slice()).map(Some)
    }

    /// Scans the sign codes of all chunks, or of the wanted ones, and retains the nearest.
    fn scan(&self, project: ProjectNo, query: &CodeQuery<'_>, wanted: Option<Slots>) -> Result<Scan> {
        // A few wanted chunks are looked up; for more, reading everything in order is cheaper.
        let few = wanted.as_ref().filter(|wanted| wanted.count <= query.limit).map(Slots::all);
        let dead = self.dead(project, query.model, few.as_deref())?;
        let blocks = few.map(|slots| {
            let mut blocks: Vec<u64> = slots.iter().map(|slot| slot / BLOCK as u64).collect();
            blocks.dedup();
            serde_json::to_string(&blocks).unwrap_or_default()
        });
        let mut nearest = Nearest::new(query.limit);
        let sql = match blocks {
            None => {
                "SELECT block, codes FROM code WHERE project = ?1 AND model = ?2 AND ?3 IS NULL ORDER BY block"
            }
            Some(_) => {
                "SELECT block, codes FROM json_each(?3) b CROSS JOIN code
                 ON project = ?1 AND model = ?2 AND block = b.value ORDER BY block"
            }
        };
        self.each("scan sign codes", sql, params![project, query.model, blocks], |row| {
            let first = row.get::<_, i64>(0)? * BLOCK;
            let counts = |slot| counts(&dead, wanted.as_ref(), slot);
            nearest.look(query.code, row.get_ref(1)?.as_blob()?, first.unsigned_abs(), &counts);
            Ok(())
        })?;
        Ok(Scan { nearest, dead, wanted })
    }

    /// Returns the eligible chunks of these pages.
    fn codes_of(&self, pages: &[PageNo], scan: &Scan) -> Result<Vec<PageCode>> {
        let mut found = Vec::new();
        if pages.is_empty() {
            return Ok(found);
        }
        let sql = "SELECT c.page, c.slot FROM json_each(?1) p CROSS JOIN chunk c ON c.page = p.value";
        let list = serde_json::to_string(pages).unwrap_or_default();
        self.each("read pages' slots", sql, [list], |row| {
            let chunk: i64 = row.get(1)?;
            if let Some(distance) = scan.distance(chunk.unsigned_abs()) {
                found.push(PageCode { page: row.get(0)?, chunk, distance });
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns slots without a chunk, or whose chunk has no vector yet; their sign codes are stale. With `among`, at
    /// least those of these, which have a chunk.
    fn dead(&self, project: ProjectNo, model: ModelNo, among: Option<&[u64]>) -> Result<Slots> {
        let Some(among) = among else {
            let sql = "SELECT slot FROM free_slot WHERE project = ?1
                 UNION ALL SELECT slot FROM pending WHERE project = ?1 AND model = ?2";
            return self.slots("read free slots", sql, params![project, model]);
        };
        // Mostly few chunks are pending; reading them is cheaper than looking each slot up.
        let limit = among.len() as i64 + 1;
        let sql = "SELECT slot FROM pending WHERE project = ?1 AND model = ?2 LIMIT ?3";
        let pending = self.slots("read pending chunks", sql, params![project, model, limit])?;
        if pending.count <= among.len() {
            return Ok(pending);
        }
        let sql = "SELECT slot FROM json_each(?3) s CROSS JOIN pending
             ON project = ?1 AND model = ?2 AND slot = s.value";
        let list = serde_json::to_string(among).unwrap_or_default();
        self.slots("read pending chunks", sql, params![project, model, list])
    }

    fn slots(&self, doing: &'static str, sql: &str, params: impl rusqlite::Params) -> Result<Slots> {
        let mut slots = Slots::new();
        self.each(doing, sql, params, |row| {
            slots.insert(row.get(0)?);
            Ok(())
        })?;
        Ok(slots)
    }

    pub(super) fn read_chunk_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        chunks: &[ChunkNo],
    ) -> Result<Vec<ChunkVector>> {
        // One statement for all chunks, sorted by their position: starting a statement for each would take half of the
        // time.
        let sql = format!(
            "SELECT {CHUNK}, v.vector FROM json_each(?2) s CROSS JOIN chunk c ON c.project = ?1 AND c.slot = s.value
             CROSS JOIN vector v ON v.model = ?3 AND v.hash = c.hash"
        );
        let mut slots = chunks.to_vec();
        slots.sort_unstable();
        let list = serde_json::to_string(&slots).unwrap_or_default();
        self.all("read the vectors of chunks", &sql, params![project, list, model], |row| {
            Ok(ChunkVector { chunk: chunk_row(row)?, vector: row.get(6)? })
        })
    }

    pub(super) fn each(
        &self,
        doing: &'static str,
        sql: &str,
        params: impl rusqlite::Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failed(doing))?;
        let mut rows = statement.query(params).map_err(failed(doing))?;
        while let Some(row) = rows.next().map_err(failed(doing))? {
            read(row).map_err(failed(doing))?;
        }
        Ok(())
    }
}
