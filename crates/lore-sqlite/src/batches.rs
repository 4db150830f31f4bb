//! Batches of imported files.

use lore_ports::{BatchRow, Batches, NewBatch, ProjectNo, Result};
use lore_text::ContentHash;
use rusqlite::params;

use crate::{SqliteStore, rows};

impl Batches for SqliteStore {
    fn put_blobs(&self, project: ProjectNo, blobs: &[(ContentHash, &[u8])]) -> Result<()> {
        self.in_transaction(&mut || {
            for (hash, bytes) in blobs {
                let sql = "INSERT OR IGNORE INTO blob(project, hash, bytes) VALUES (?1, ?2, ?3)";
                self.run("store imported bytes", sql, params![project, hash.0, bytes])?;
            }
            Ok(())
        })
    }

    fn blob(&self, project: ProjectNo, hash: ContentHash) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT bytes FROM blob WHERE project = ?1 AND hash = ?2";
        self.one("read imported bytes", sql, params![project, hash.0], |row| row.get(0))
    }

    fn blobs(&self, project: ProjectNo) -> Result<Vec<ContentHash>> {
        let sql = "SELECT hash FROM blob WHERE project = ?1 ORDER BY hash";
        self.all("list imported bytes", sql, [project], |row| rows::hash(row, 0))
    }

    fn rewrite_blob(&self, project: ProjectNo, hash: ContentHash, bytes: &[u8]) -> Result<()> {
        let sql = "UPDATE blob SET bytes = ?3 WHERE project = ?1 AND hash = ?2";
        self.run("rewrite imported bytes", sql, params![project, hash.0, bytes]).map(drop)
    }

    fn remove_blobs(&self, project: ProjectNo, hashes: &[ContentHash]) -> Result<()> {
        self.in_transaction(&mut || {
            for hash in hashes {
                let sql = "DELETE FROM blob WHERE project = ?1 AND hash = ?2";
                self.run("remove imported bytes", sql, params![project, hash.0])?;
            }
            Ok(())
        })
    }

    fn add_batch(&self, project: ProjectNo, part: &NewBatch<'_>) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO batch(project, batch, part, kind, source, is_last, manifest, at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let NewBatch { batch, part, kind, source, is_last, manifest, at } = part;
        self.run("write a batch", sql, params![project, batch, part, kind, source, is_last, manifest, at])
            .map(drop)
    }

    fn batches(&self, project: ProjectNo) -> Result<Vec<BatchRow>> {
        let sql = "SELECT batch, part, kind, source, is_last, at FROM batch WHERE project = ?1
                   ORDER BY (SELECT min(at) FROM batch AS first WHERE first.project = ?1
                             AND first.batch = batch.batch), batch, part";
        self.all("list batches", sql, [project], |row| {
            Ok(BatchRow {
                batch: row.get(0)?,
                part: row.get(1)?,
                kind: row.get(2)?,
                source: row.get(3)?,
                is_last: row.get(4)?,
                at: row.get(5)?,
            })
        })
    }

    fn manifests(&self, project: ProjectNo, batch: &str) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT manifest FROM batch WHERE project = ?1 AND batch = ?2 ORDER BY part";
        self.all("read a batch", sql, params![project, batch], |row| row.get(0))
    }

    fn remove_batch(&self, project: ProjectNo, batch: &str) -> Result<()> {
        let sql = "DELETE FROM batch WHERE project = ?1 AND batch = ?2";
        self.run("remove a batch", sql, params![project, batch]).map(drop)
    }
}
