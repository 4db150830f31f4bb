//! Models, vectors, and chunks pending embedding.

use lore_ports::{
    ChunkNo, ChunkRow, ChunkVector, CodeQuery, Error, ModelIdentity, ModelNo, ModelRow, NearCodes, PageNo,
    ProjectNo, Result, Vectors,
};
use lore_text::{ContentHash, sign_codes};
use rusqlite::{Row, params};

use crate::chunks::{CHUNK, chunk_row};
use crate::codes::BLOCK;
use crate::index::row_count;
use crate::{SqliteStore, rows};

impl SqliteStore {
    pub(super) fn dimensions(&self, model: ModelNo) -> Result<usize> {
        let sql = "SELECT dimensions FROM model WHERE number = ?1";
        let found = self.one("find a model", sql, [model], |row| row.get::<_, i64>(0))?;
        let missing =
            || Error::Index { doing: "find a model", message: format!("no model {model}"), transient: false };
        found.map(|dimensions| dimensions.unsigned_abs() as usize).ok_or_else(missing)
    }

    /// Connects every chunk of a project, or of all projects, with a model.
    fn queue(&self, model: ModelNo, project: Option<ProjectNo>) -> Result<()> {
        let sql = "SELECT project, slot, hash FROM chunk WHERE ?1 IS NULL OR project = ?1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, rows::hash(row, 2)?));
        for (project, slot, hash) in
            self.all::<(i64, i64, ContentHash)>("read chunks", sql, [project], read)?
        {
            self.meet(project, model, slot, hash)?;
        }
        Ok(())
    }

    fn put_vector(&self, model: ModelNo, hash: ContentHash, vector: &[f32]) -> Result<()> {
        let bytes = sign_codes::to_bytes(vector);
        let sql = "INSERT OR REPLACE INTO vector(model, hash, vector) VALUES (?1, ?2, ?3)";
        self.run("write a vector", sql, params![model, hash.0, bytes])?;
        let sql = "SELECT project, slot FROM chunk WHERE hash = ?1";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        for (project, slot) in self.all("find chunks", sql, [hash.0], read)? {
            self.put_code(project, model, slot, sign_codes::code_of_bytes(&bytes));
            let sql = "DELETE FROM pending WHERE project = ?1 AND model = ?2 AND slot = ?3";
            self.run("mark a chunk as embedded", sql, params![project, model, slot])?;
        }
        Ok(())
    }
}

impl Vectors for SqliteStore {
    fn models(&self) -> Result<Vec<ModelRow>> {
        let sql = "SELECT number, name, dimensions, revision, active FROM model ORDER BY number";
        self.all("read the models", sql, [], |row| {
            let dimensions = row.get::<_, i64>(2)?.unsigned_abs() as usize;
            let identity = ModelIdentity { name: row.get(1)?, dimensions, revision: row.get(3)? };
            Ok(ModelRow { number: row.get(0)?, identity, active: row.get(4)? })
        })
    }

    fn add_model(&self, identity: &ModelIdentity) -> Result<ModelNo> {
        let mut number = 0;
        self.in_transaction(&mut || {
            let known = self.models()?.into_iter().find(|row| row.identity == *identity);
            if let Some(known) = known {
                number = known.number;
                return Ok(());
            }
            let sql = "INSERT INTO model(name, dimensions, revision) VALUES (?1, ?2, ?3)";
            let dimensions = identity.dimensions as i64;
            self.run("add a model", sql, params![identity.name, dimensions, identity.revision])?;
            number = self.connection.last_insert_rowid();
            self.queue(number, None)
        })?;
        Ok(number)
    }

    fn activate_model(&self, model: ModelNo) -> Result<()> {
        self.in_transaction(&mut || {
            self.dimensions(model)?;
            self.run("deactivate a model", "UPDATE model SET active = 0 WHERE active = 1", [])?;
            self.run("activate a model", "UPDATE model SET active = 1 WHERE number = ?1", [model]).map(drop)
        })
    }

    fn remove_model(&self, model: ModelNo) -> Result<()> {
        self.in_transaction(&mut || {
            self.codes.borrow_mut().retain(|place, _| place.model != model);
            for table in ["pending", "code", "vector"] {
                self.run("remove a model", &format!("DELETE FROM {table} WHERE model = ?1"), [model])?;
            }
            self.run("remove a model", "DELETE FROM model WHERE number = ?1", [model]).map(drop)
        })
    }

    fn pending(&self, project: ProjectNo, model: ModelNo, limit: usize) -> Result<Vec<ChunkRow>> {
        let sql = format!(
            "SELECT {CHUNK} FROM pending w JOIN chunk c ON c.project = w.project AND c.slot = w.slot
             WHERE w.project = ?1 AND w.model = ?2 ORDER BY w.slot LIMIT ?3"
        );
        self.all("read pending chunks", &sql, params![project, model, row_count(limit)], chunk_row)
    }

    fn count_pending(&self, project: ProjectNo, model: ModelNo) -> Result<u64> {
        let sql = "SELECT count(*) FROM pending WHERE project = ?1 AND model = ?2";
        let found = self.one("count pending chunks", sql, [project, model], |row| row.get::<_, i64>(0))?;
        Ok(found.unwrap_or(0).unsigned_abs())
    }

    fn count_chunks(&self, project: ProjectNo) -> Result<u64> {
        let sql = "SELECT count(*) FROM chunk WHERE project = ?1";
        let found = self.one("count chunks", sql, [project], |row| row.get::<_, i64>(0))?;
        Ok(found.unwrap_or(0).unsigned_abs())
    }

    fn put_vectors(&self, model: ModelNo, vectors: &[(ContentHash, Vec<f32>)]) -> Result<()> {
        self.in_transaction(&mut || {
            let dimensions = self.dimensions(model)?;
            for (hash, vector) in vectors {
                if vector.len() != dimensions || vector.iter().any(|number| !number.is_finite()) {
                    let message =
                        format!("the vector has {} dimensions, expected {dimensions}", vector.len());
                    return Err(Error::Index { doing: "write a vector", message, transient: false });
                }
                self.put_vector(model, *hash, vector)?;
            }
            Ok(())
        })
    }

    fn forget_vectors(&self, project: ProjectNo, model: ModelNo, pages: Option<&[PageNo]>) -> Result<()> {
        self.in_transaction(&mut || {
            let forget = |which: &str, value: i64| {
                let hashes = format!("SELECT hash FROM chunk WHERE {which} = ?2");
                let sql = format!("DELETE FROM vector WHERE model = ?1 AND hash IN ({hashes})");
                self.run("remove vectors", &sql, params![model, value]).map(drop)
            };
            match pages {
                None => forget("project", project)?,
                Some(pages) => pages.iter().try_for_each(|page| forget("page", *page))?,
            }
            // The same text may occur elsewhere too: every chunk that lost its vector becomes pending, in all projects.
            self.queue(model, None)
        })
    }

    fn prune_vectors(&self) -> Result<usize> {
        self.run("prune vectors", "DELETE FROM vector WHERE hash NOT IN (SELECT hash FROM chunk)", [])
    }

    fn near_codes(&self, project: ProjectNo, query: &CodeQuery<'_>) -> Result<NearCodes> {
        self.find_near_codes(project, query)
    }

    fn chunk_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        chunks: &[ChunkNo],
    ) -> Result<Vec<ChunkVector>> {
        self.read_chunk_vectors(project, model, chunks)
    }

    fn page_vectors(
        &self,
        project: ProjectNo,
        model: ModelNo,
        pages: &[PageNo],
    ) -> Result<Vec<(PageNo, Vec<u8>)>> {
        // The unary plus keeps SQLite from scanning all chunks of the project for every page.
        let sql = "SELECT c.page, v.vector FROM (SELECT DISTINCT value FROM json_each(?2)) s
             CROSS JOIN chunk c ON c.page = s.value AND +c.project = ?1
             CROSS JOIN vector v ON v.model = ?3 AND v.hash = c.hash";
        let list = serde_json::to_string(pages).unwrap_or_default();
        self.all("read the vectors of pages", sql, params![project, list, model], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    fn chunks_of(&self, project: ProjectNo, pages: &[PageNo]) -> Result<Vec<ChunkRow>> {
        let sql = format!(
            "SELECT {CHUNK} FROM chunk c WHERE c.page = ?2 AND +c.project = ?1 ORDER BY c.first, c.slot"
        );
        let mut found = Vec::new();
        for page in pages {
            found.extend(self.all("read a page's chunks", &sql, params![project, page], chunk_row)?);
        }
        Ok(found)
    }

    fn vector_problems(&self, project: ProjectNo, model: ModelNo) -> Result<Vec<String>> {
        self.flush_codes()?;
        let (dimensions, mut problems) = (self.dimensions(model)?, Vec::new());
        let sql = "SELECT p.path, c.first, c.slot, v.vector, w.slot IS NOT NULL, p.number IS NULL,
               (SELECT substr(k.codes, (c.slot % ?3) * ?4 + 1, ?4) FROM code k
                WHERE k.project = c.project AND k.model = ?2 AND k.block = c.slot / ?3)
             FROM chunk c LEFT JOIN page p ON p.number = c.page
               LEFT JOIN vector v ON v.model = ?2 AND v.hash = c.hash
               LEFT JOIN pending w ON w.project = c.project AND w.model = ?2 AND w.slot = c.slot
             WHERE c.project = ?1";
        let length = sign_codes::code_length(dimensions) as i64;
        let mut look = |row: &Row<'_>| {
            let place = match row.get::<_, Option<String>>(0)? {
                Some(path) => format!("{path}:{}", row.get::<_, i64>(1)?),
                None => format!("chunk in slot {}", row.get::<_, i64>(2)?),
            };
            let (vector, waits) = (row.get::<_, Option<Vec<u8>>>(3)?, row.get::<_, bool>(4)?);
            let problem = match &vector {
                _ if row.get::<_, bool>(5)? => "belongs to no page",
                None if !waits => "has no vector and is not pending",
                Some(_) if waits => "has a vector and is pending",
                Some(vector) if vector.len() != dimensions + 4 => "has a vector of the wrong length",
                Some(vector)
                    if row.get::<_, Option<Vec<u8>>>(6)?.as_deref()
                        != Some(&sign_codes::code_of_bytes(vector)) =>
                {
                    "has a sign code that does not match its vector"
                }
                _ => return Ok(()),
            };
            problems.push(format!("{place} {problem}"));
            Ok(())
        };
        self.all("check the vectors", sql, params![project, model, BLOCK, length], &mut look)?;
        Ok(problems)
    }
}
