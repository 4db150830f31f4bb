//! Upkeep of the database file.

use lore_ports::{Error, Maintenance, Result};
use rusqlite::config::DbConfig;

use crate::{SqliteStore, failed, files};

impl SqliteStore {
    /// Keeps SQLite from deleting the write-ahead log by its name when the connection is closed: it may be that of the
    /// database that replaced this one.
    fn leave_files_alone(&self) {
        let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        if files::identity(&self.path) != self.identity {
            self.leave_files_alone();
        }
    }
}

impl Maintenance for SqliteStore {
    fn check_in_place(&self) -> Result<()> {
        match files::identity(&self.path) == self.identity {
            true => Ok(()),
            false => {
                self.leave_files_alone();
                Err(Error::DatabaseReplaced { location: self.path.display().to_string() })
            }
        }
    }

    fn optimize(&self) -> Result<()> {
        self.one("checkpoint the database", "PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        self.connection.execute_batch("PRAGMA optimize").map_err(failed("optimize the database"))
    }

    fn erase_deleted(&self) -> Result<bool> {
        let doing = "erase deleted data";
        self.flush_words()?;
        for project in self.all(doing, "SELECT number FROM project", [], |row| row.get::<_, i64>(0))? {
            // Full-text search keeps the words of deleted pages until its segments are merged.
            let merge = format!("INSERT INTO fts_{project}(fts_{project}) VALUES ('optimize')");
            self.connection.execute_batch(&merge).map_err(failed(doing))?;
        }
        self.connection.execute_batch("PRAGMA secure_delete = ON; VACUUM").map_err(failed(doing))?;
        // The write-ahead log still has the old pages until it is emptied.
        let busy = self.one(doing, "PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
        Ok(busy == Some(0))
    }

    fn shrink_memory(&self) -> Result<()> {
        self.connection.execute_batch("PRAGMA shrink_memory").map_err(failed("release memory"))
    }

    fn problems(&self) -> Result<Vec<String>> {
        let doing = "check the index";
        self.flush_words()?;
        let mut problems: Vec<String> =
            self.all(doing, "PRAGMA integrity_check(20)", [], |row| row.get(0))?;
        problems.retain(|problem| problem != "ok");
        for (what, sql) in [
            (
                "pages with a duplicate slug",
                "SELECT count(*) - count(DISTINCT project || '/' || slug) FROM page",
            ),
            (
                "links from a missing page",
                "SELECT count(*) FROM link WHERE from_page NOT IN (SELECT number FROM page)",
            ),
            (
                "links to a missing page",
                "SELECT count(*) FROM link WHERE to_page IS NOT NULL AND to_page NOT IN (SELECT number FROM page)",
            ),
            (
                "names of a missing page",
                "SELECT count(*) FROM name WHERE page NOT IN (SELECT number FROM page)",
            ),
            (
                "statements of a missing page",
                "SELECT count(*) FROM statement WHERE page NOT IN (SELECT number FROM page)",
            ),
        ] {
            let found = self.one(doing, sql, [], |row| row.get::<_, i64>(0))?.unwrap_or_default();
            if found > 0 {
                problems.push(format!("{found} {what}"));
            }
        }
        for project in self.all(doing, "SELECT number FROM project", [], |row| row.get::<_, i64>(0))? {
            let sql = format!(
                "SELECT (SELECT count(*) FROM page WHERE project = {project}) - (SELECT count(*) FROM fts_{project})"
            );
            if self.one(doing, &sql, [], |row| row.get::<_, i64>(0))? != Some(0) {
                problems.push(format!("project {project}: the page table and the full-text table differ"));
            }
        }
        Ok(problems)
    }
}
