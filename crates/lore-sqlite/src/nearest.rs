//! Nearest-chunk search: filter first, then scan the sign codes, then compare the nearest as int8 vectors.

use std::collections::HashMap;

use lore_ports::{ChunkHit, Error, Filter, ModelNo, PageNo, ProjectNo, Result, VectorQuery};
use lore_text::sign_codes::{Nearest, code, dot};
use rusqlite::{Row, params};

use crate::chunks::{CHUNK, chunk_row};
use crate::codes::BLOCK;
use crate::filter::Conditions;
use crate::{SqliteStore, failed};

/// Up to this many eligible chunks are compared exactly.
const EXACT: usize = 500;

/// Chunks retained by sign code for each chunk that is compared: weighting the signs can move up a chunk that the plain
/// bit count ranked a little too low.
const KEPT: usize = 4;

/// Chunks compared for each requested page: several chunks of one page may be near.
const PER_PAGE: usize = 2;

/// Minimum number of chunks compared.
const COMPARED: usize = 200;

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

/// The result of scanning all sign codes.
struct Scan<'a> {
    nearest: Nearest,
    dead: Slots,
    wanted: Option<&'a Slots>,
}

impl Scan<'_> {
    /// Returns whether a slot is in use and passes the filter.
    fn counts(dead: &Slots, wanted: Option<&Slots>, slot: u64) -> bool {
        !dead.has(slot) && wanted.is_none_or(|wanted| wanted.has(slot))
    }

    /// Returns the distance of an eligible slot.
    fn distance(&self, slot: u64) -> Option<u16> {
        self.nearest.distance(slot).filter(|_| Scan::counts(&self.dead, self.wanted, slot))
    }
}

impl SqliteStore {
    pub(super) fn find_nearest(&self, project: ProjectNo, query: &VectorQuery<'_>) -> Result<Vec<ChunkHit>> {
        self.flush_codes()?;
        let dimensions = self.dimensions(query.model)?;
        if query.vector.len() != dimensions {
            let message = format!("the vector has {} dimensions, expected {dimensions}", query.vector.len());
            return Err(Error::Index { doing: "find the nearest chunks", message, transient: false });
        }
        let compared = COMPARED.max(query.limit.saturating_mul(PER_PAGE));
        let mut best = Best::default();
        match self.wanted(project, query.filter)? {
            Some(wanted) if wanted.count <= EXACT.max(compared) => {
                self.compare(project, query, wanted.all(), &mut best)?;
            }
            wanted => {
                let scan = self.scan(project, query, wanted.as_ref(), compared * KEPT)?;
                let compared = if scan.nearest.count() <= EXACT { EXACT } else { compared };
                self.compare(project, query, scan.nearest.places(query.vector, compared), &mut best)?;
                let missing = query.also.iter().filter(|page| !best.pages.contains_key(page));
                let missing: Vec<PageNo> = missing.copied().collect();
                self.compare(project, query, self.nearest_of(&missing, &scan)?, &mut best)?;
            }
        }
        Ok(best.nearest(query.limit, query.also))
    }

    /// Returns the slots of the pages that match a filter; `None` if there is no filter.
    fn wanted(&self, project: ProjectNo, filter: &Filter) -> Result<Option<Slots>> {
        if *filter == Filter::default() {
            return Ok(None);
        }
        let conditions = Conditions::all(project, filter);
        let sql =
            format!("SELECT c.slot FROM page p JOIN chunk c ON c.page = p.number WHERE {}", conditions.sql);
        let mut slots = Slots::new();
        self.each("filter chunks", &sql, conditions.bound().as_slice(), |row| {
            slots.insert(row.get(0)?);
            Ok(())
        })?;
        Ok(Some(slots))
    }

    /// Scans the sign codes of all chunks and retains at most `limit` eligible ones.
    fn scan<'a>(
        &self,
        project: ProjectNo,
        query: &VectorQuery<'_>,
        wanted: Option<&'a Slots>,
        limit: usize,
    ) -> Result<Scan<'a>> {
        let dead = self.dead(project, query.model)?;
        let mut nearest = Nearest::new(limit);
        let signs = code(query.vector);
        let sql = "SELECT block, codes FROM code WHERE project = ?1 AND model = ?2 ORDER BY block";
        self.each("scan sign codes", sql, params![project, query.model], |row| {
            let first = row.get::<_, i64>(0)? * BLOCK;
            let counts = |slot| Scan::counts(&dead, wanted, slot);
            nearest.look(&signs, row.get_ref(1)?.as_blob()?, first.unsigned_abs(), &counts);
            Ok(())
        })?;
        Ok(Scan { nearest, dead, wanted })
    }

    /// Returns the slot with the nearest sign code of each of these pages.
    fn nearest_of(&self, pages: &[PageNo], scan: &Scan<'_>) -> Result<Vec<u64>> {
        let sql = "SELECT c.page, c.slot FROM json_each(?1) p CROSS JOIN chunk c ON c.page = p.value";
        let list = serde_json::to_string(pages).unwrap_or_default();
        let mut found: HashMap<PageNo, (u16, u64)> = HashMap::new();
        self.each("read pages' slots", sql, [list], |row| {
            let slot = row.get::<_, i64>(1)?.unsigned_abs();
            if let Some(distance) = scan.distance(slot) {
                let nearest = found.entry(row.get(0)?).or_insert((distance, slot));
                *nearest = (*nearest).min((distance, slot));
            }
            Ok(())
        })?;
        Ok(found.into_values().map(|(_, slot)| slot).collect())
    }

    /// Returns slots without a chunk, or whose chunk has no vector yet; their sign codes are stale.
    fn dead(&self, project: ProjectNo, model: ModelNo) -> Result<Slots> {
        let mut dead = Slots::new();
        let sql = "SELECT slot FROM free_slot WHERE project = ?1
                   UNION ALL SELECT slot FROM pending WHERE project = ?1 AND model = ?2";
        self.each("read free slots", sql, params![project, model], |row| {
            dead.insert(row.get(0)?);
            Ok(())
        })?;
        Ok(dead)
    }

    fn compare(
        &self,
        project: ProjectNo,
        query: &VectorQuery<'_>,
        mut slots: Vec<u64>,
        best: &mut Best,
    ) -> Result<()> {
        // One statement for all slots, sorted by their position: starting a statement for each would take half of the
        // time.
        let sql = format!(
            "SELECT {CHUNK}, v.vector FROM json_each(?2) s CROSS JOIN chunk c ON c.project = ?1 AND c.slot = s.value
             CROSS JOIN vector v ON v.model = ?3 AND v.hash = c.hash"
        );
        slots.sort_unstable();
        let list = serde_json::to_string(&slots).unwrap_or_default();
        self.each("compare chunks", &sql, params![project, list, query.model], |row| {
            best.offer(query.vector, row)
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

/// The nearest chunk of each page seen so far.
#[derive(Default)]
struct Best {
    pages: HashMap<PageNo, ChunkHit>,
}

impl Best {
    fn offer(&mut self, vector: &[f32], row: &Row<'_>) -> rusqlite::Result<()> {
        let Some(similarity) = dot(vector, row.get_ref(6)?.as_blob()?) else { return Ok(()) };
        let page: PageNo = row.get(0)?;
        let known = self.pages.get(&page);
        // Of two equally near chunks, the first in the file represents the page, whatever their slots.
        let nearer = known.is_none_or(|known| {
            similarity > known.similarity
                || similarity == known.similarity
                    && row.get(3).is_ok_and(|first: u32| first < known.chunk.lines.first)
        });
        if nearer {
            self.pages.insert(page, ChunkHit { chunk: chunk_row(row)?, similarity });
        }
        Ok(())
    }

    /// Returns at most `limit` pages, nearest first, followed by the remaining pages of `also`.
    fn nearest(self, limit: usize, also: &[PageNo]) -> Vec<ChunkHit> {
        let mut hits: Vec<ChunkHit> = self.pages.into_values().collect();
        hits.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.chunk.page.cmp(&b.chunk.page)));
        let mut rest = hits.split_off(limit.min(hits.len()));
        rest.retain(|hit| also.contains(&hit.chunk.page));
        hits.append(&mut rest);
        hits
    }
}
