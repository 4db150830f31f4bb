//! The durable tables: the implementation of `Ledger`.

use std::cell::RefCell;

use lore_ports::{Authorship, Ledger, NewSnapshot, ProjectNo, Result, SnapshotRow, WrittenFile};
use lore_text::ContentHash;
use rusqlite::{Row, params};

use crate::{SqliteStore, rows};

impl SqliteStore {
    /// Returns the size of the database in bytes, without its write-ahead log.
    pub(super) fn size(&self) -> Result<u64> {
        let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let bytes = self.one("read the size of the database", sql, [], |row| row.get::<_, i64>(0))?;
        Ok(bytes.unwrap_or_default().unsigned_abs())
    }

    /// Moves the durable rows of one page.
    fn rename_one(&self, project: ProjectNo, from: &str, to: &str) -> Result<()> {
        for sql in [
            "DELETE FROM version WHERE project = ?1 AND path = ?3 AND path <> ?2",
            // Snapshots of the page previously at that path stay until they are pruned, but belong to no page.
            "UPDATE snapshot SET detached = 1 WHERE project = ?1 AND path = ?3 AND path <> ?2",
            "UPDATE version SET path = ?3 WHERE project = ?1 AND path = ?2",
            "UPDATE snapshot SET path = ?3 WHERE project = ?1 AND path = ?2 AND detached = 0",
            "UPDATE OR REPLACE author SET path = ?3 WHERE project = ?1 AND path = ?2",
            "UPDATE import SET active = 0 WHERE project = ?1 AND page = ?3 AND page <> ?2 AND active = 1",
            "UPDATE import SET page = ?3 WHERE project = ?1 AND page = ?2",
            "UPDATE former_path SET page = ?3 WHERE project = ?1 AND page = ?2",
            "UPDATE gap SET resolved_by = ?3 WHERE project = ?1 AND resolved_by = ?2",
        ] {
            self.run("move the history of a page", sql, params![project, from, to])?;
        }
        Ok(())
    }
}

impl Ledger for SqliteStore {
    fn versions(&self, project: ProjectNo, paths: &[&str]) -> Result<Vec<Option<(u64, ContentHash)>>> {
        let sql = "SELECT version, hash FROM version WHERE project = ?1 AND path = ?2";
        let read = |path: &&str| {
            self.one("read a version", sql, params![project, path], |row| {
                Ok((row.get::<_, i64>(0)?.unsigned_abs(), rows::hash(row, 1)?))
            })
        };
        paths.iter().map(read).collect()
    }

    fn set_versions(&self, project: ProjectNo, versions: &[(&str, u64, ContentHash)]) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO version(project, path, version, hash) VALUES (?1, ?2, ?3, ?4)";
        self.each_in_transaction(versions, |(path, version, hash)| {
            self.run("write a version", sql, params![project, path, *version as i64, hash.0]).map(drop)
        })
    }

    fn released_versions(&self, project: ProjectNo, slugs: &[&str]) -> Result<Vec<Option<u64>>> {
        let sql = "SELECT version FROM released_slug WHERE project = ?1 AND slug = ?2";
        let read = |slug: &&str| {
            let version = |row: &Row<'_>| row.get::<_, i64>(0).map(i64::unsigned_abs);
            self.one("read a released slug", sql, params![project, slug], version)
        };
        slugs.iter().map(read).collect()
    }

    fn release_slugs(&self, project: ProjectNo, slugs: &[(&str, u64)]) -> Result<()> {
        let sql = "INSERT INTO released_slug(project, slug, version) VALUES (?1, ?2, ?3)
                   ON CONFLICT(project, slug) DO UPDATE SET version = max(version, excluded.version)";
        self.each_in_transaction(slugs, |(slug, version)| {
            self.run("write a released slug", sql, params![project, slug, *version as i64]).map(drop)
        })
    }

    fn identities(&self, project: ProjectNo, paths: &[&str]) -> Result<Vec<Option<String>>> {
        let sql = "SELECT id FROM identity WHERE project = ?1 AND path = ?2";
        let read = |path: &&str| self.one("read an id", sql, params![project, path], |row| row.get(0));
        paths.iter().map(read).collect()
    }

    fn set_identities(&self, project: ProjectNo, ids: &[(&str, &str)]) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO identity(project, path, id) VALUES (?1, ?2, ?3)";
        self.each_in_transaction(ids, |(path, id)| {
            self.run("write an id", sql, params![project, path, id]).map(drop)
        })
    }

    fn former_paths(&self, project: ProjectNo) -> Result<Vec<(String, String)>> {
        let sql = "SELECT path, page FROM former_path WHERE project = ?1 ORDER BY path";
        self.all("read former paths", sql, [project], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn set_former_paths(&self, project: ProjectNo, paths: &[(&str, Option<&str>)]) -> Result<()> {
        self.each_in_transaction(paths, |(path, page)| {
            let doing = "write a former path";
            match page {
                Some(page) => {
                    let sql = "INSERT OR REPLACE INTO former_path(project, path, page) VALUES (?1, ?2, ?3)";
                    self.run(doing, sql, params![project, path, page]).map(drop)
                }
                None => {
                    let sql = "DELETE FROM former_path WHERE project = ?1 AND path = ?2";
                    self.run(doing, sql, params![project, path]).map(drop)
                }
            }
        })
    }

    fn rename(&self, project: ProjectNo, moves: &[(&str, &str)]) -> Result<()> {
        self.each_in_transaction(moves, |(from, to)| self.rename_one(project, from, to))
    }

    fn add_snapshot(&self, project: ProjectNo, snapshot: &NewSnapshot<'_>) -> Result<()> {
        let sql = "INSERT INTO snapshot(project, path, version, hash, bytes, at, actor, mode)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let NewSnapshot { path, version, hash, bytes, at, actor, mode } = snapshot;
        let row = params![project, path, *version as i64, hash.0, bytes, at, actor, mode];
        self.run("write a snapshot", sql, row).map(drop)
    }

    fn snapshots(&self, project: ProjectNo, path: &str) -> Result<Vec<SnapshotRow>> {
        let sql = "SELECT number, version, hash, length(bytes), at, actor, mode FROM snapshot
                   WHERE project = ?1 AND path = ?2 AND detached = 0 ORDER BY number DESC";
        self.all("read snapshots", sql, params![project, path], snapshot)
    }

    fn all_snapshots(&self, project: ProjectNo) -> Result<Vec<(String, SnapshotRow)>> {
        let sql = "SELECT number, version, hash, length(bytes), at, actor, mode, path FROM snapshot
                   WHERE project = ?1 ORDER BY path, number DESC";
        self.all("read snapshots", sql, [project], |row| Ok((row.get(7)?, snapshot(row)?)))
    }

    fn rewrite_snapshot(&self, project: ProjectNo, number: i64, bytes: &[u8]) -> Result<()> {
        let sql = "UPDATE snapshot SET bytes = ?3, hash = ?4 WHERE project = ?1 AND number = ?2";
        let hash = ContentHash::of(bytes).0;
        self.run("rewrite a snapshot", sql, params![project, number, bytes, hash]).map(drop)
    }

    fn snapshot_bytes(&self, project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT bytes FROM snapshot WHERE project = ?1 AND number = ?2";
        self.one("read a snapshot", sql, params![project, number], |row| row.get(0))
    }

    fn prune_snapshots(&self, project: ProjectNo, before: i64) -> Result<usize> {
        let sql = "UPDATE author SET bytes = NULL WHERE project = ?1 AND at < ?2 AND bytes IS NOT NULL";
        self.run("prune written bytes", sql, [project, before])?;
        let sql = "DELETE FROM snapshot WHERE project = ?1 AND at < ?2";
        self.run("prune snapshots", sql, [project, before])
    }

    fn author(&self, project: ProjectNo, path: &str) -> Result<Option<Authorship>> {
        let sql = "SELECT hash, actor, sole_author FROM author WHERE project = ?1 AND path = ?2";
        self.one("read an author", sql, params![project, path], |row| {
            Ok(Authorship { hash: rows::hash(row, 0)?, actor: row.get(1)?, sole_author: row.get(2)? })
        })
    }

    fn set_author(
        &self,
        project: ProjectNo,
        path: &str,
        author: &Authorship,
        bytes: Option<&[u8]>,
        at: i64,
    ) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO author(project, path, hash, actor, sole_author, bytes, at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let Authorship { hash, actor, sole_author } = author;
        self.run("write an author", sql, params![project, path, hash.0, actor, sole_author, bytes, at])
            .map(drop)
    }

    fn keep_written(&self, project: ProjectNo, files: &[WrittenFile<'_>], at: i64) -> Result<Vec<bool>> {
        let doing = "keep the bytes of a page";
        let of_file = "WHERE project = ?1 AND path = ?2 AND bytes IS NOT NULL AND (?3 IS NULL OR hash = ?3)";
        let keep = format!(
            "INSERT INTO snapshot(project, path, version, hash, bytes, at, actor, mode)
             SELECT project, path, ?4, hash, bytes, ?5, actor, ?6 FROM author {of_file}"
        );
        let clear = format!("UPDATE author SET bytes = NULL {of_file}");
        let kept = RefCell::new(Vec::with_capacity(files.len()));
        self.each_in_transaction(files, |file| {
            let WrittenFile { path, version, hash, mode } = file;
            let hash = hash.map(|hash| hash.0);
            let found = self.run(doing, &keep, params![project, path, hash, *version as i64, at, mode])?;
            kept.borrow_mut().push(found > 0);
            self.run(doing, &clear, params![project, path, hash]).map(drop)
        })?;
        Ok(kept.into_inner())
    }

    fn drop_written(&self, project: ProjectNo) -> Result<()> {
        let sql = "UPDATE author SET bytes = NULL WHERE project = ?1";
        self.run("delete written bytes", sql, [project]).map(drop)
    }
}

fn snapshot(row: &Row<'_>) -> rusqlite::Result<SnapshotRow> {
    Ok(SnapshotRow {
        number: row.get(0)?,
        version: row.get::<_, i64>(1)?.unsigned_abs(),
        hash: rows::hash(row, 2)?,
        size: row.get::<_, i64>(3)?.unsigned_abs(),
        at: row.get(4)?,
        actor: row.get(5)?,
        mode: row.get(6)?,
    })
}
