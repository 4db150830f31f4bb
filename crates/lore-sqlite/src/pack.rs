//! The ledger and the vectors of one project as a file of their own, and back into another database.

use std::path::Path;

use lore_ports::{Error, ProjectNo, Result};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::tables::{DERIVED, LEDGER, LOCAL};
use crate::{SqliteStore, failed, files};

impl SqliteStore {
    /// Writes the ledger of a project and the vectors of its chunks to a new file.
    pub fn extract(&self, project: ProjectNo, to: &Path) -> Result<()> {
        self.backup(to)?;
        let doing = "extract a project";
        let copy = Connection::open(to).map_err(failed(doing))?;
        let run = |sql: &str| copy.execute(sql, []).map_err(failed(doing));
        run(&format!(
            "DELETE FROM vector WHERE hash NOT IN (SELECT hash FROM chunk WHERE project = {project})"
        ))?;
        run("DELETE FROM model WHERE number NOT IN (SELECT model FROM vector)")?;
        for table in LEDGER {
            run(&format!("DELETE FROM {table} WHERE project <> {project}"))?;
        }
        for table in LOCAL.iter().chain(&DERIVED) {
            run(&format!("DELETE FROM {table}"))?;
        }
        run(&format!("DELETE FROM project WHERE number <> {project}"))?;
        let indexes: Vec<String> = copy
            .prepare("SELECT name FROM sqlite_master WHERE name LIKE 'fts\\_%' ESCAPE '\\' AND sql LIKE 'CREATE VIRTUAL%'")
            .and_then(|mut found| found.query_map([], |row| row.get(0))?.collect())
            .map_err(failed(doing))?;
        for name in indexes {
            run(&format!("DROP TABLE \"{name}\""))?;
        }
        copy.execute_batch("PRAGMA journal_mode = DELETE; VACUUM").map_err(failed(doing))?;
        files::sync(to)
    }

    /// Takes the ledger and the vectors of a file that [`extract`](SqliteStore::extract) wrote, for the vault with this id.
    /// Fails if the database already knows the vault.
    pub fn absorb(&self, from: &Path, vault_id: &str, name: &str) -> Result<()> {
        // Opening it checks that it is Lore's and not newer, and migrates an older one.
        drop(crate::open(from)?);
        let doing = "read a packed ledger";
        let attach = "ATTACH DATABASE ?1 AS pack";
        self.connection.execute(attach, [from.to_string_lossy().as_ref()]).map_err(failed(doing))?;
        let done =
            self.in_transaction(&mut || self.absorb_attached(vault_id, name)).map_err(|error| match error {
                // What is wrong with the packed ledger says nothing about this database.
                Error::IndexBroken { message, .. } => {
                    Error::ForeignFile { path: from.to_owned(), reason: message }
                }
                error => error,
            });
        let detached = self.connection.execute("DETACH DATABASE pack", []).map_err(failed(doing));
        done.and(detached.map(drop))
    }

    fn absorb_attached(&self, vault_id: &str, name: &str) -> Result<()> {
        let doing = "read a packed ledger";
        let refuse = |message: &str| Error::Index { doing, message: message.to_owned(), transient: false };
        let active: i64 = self
            .one(
                doing,
                "SELECT count(*) FROM pack.sqlite_master WHERE type IN ('trigger', 'view')",
                [],
                |row| row.get(0),
            )?
            .unwrap_or_default();
        if active > 0 {
            return Err(refuse("it has triggers or views, which no ledger of Lore has"));
        }
        let packed = "SELECT number FROM pack.project";
        let packed: Vec<i64> = self.all(doing, packed, [], |row| row.get(0))?;
        let [packed] = packed[..] else { return Err(refuse("it has not exactly one vault")) };
        let known = "SELECT count(*) FROM main.project WHERE vault_id = ?1";
        if self.one(doing, known, [vault_id], |row| row.get::<_, i64>(0))?.unwrap_or_default() > 0 {
            return Err(refuse("the database already has this vault"));
        }
        let add = "INSERT INTO main.project(vault_id, name) VALUES (?1, ?2)";
        self.run(doing, add, params![vault_id, name])?;
        let project = self.connection.last_insert_rowid();
        for table in LEDGER {
            let columns = self.columns(table)?.join(", ");
            let sql = format!(
                "INSERT INTO main.{table}(project, {columns}) SELECT ?1, {columns} FROM pack.{table} WHERE project = ?2"
            );
            self.run(doing, &sql, [project, packed])?;
        }
        self.run(doing, "INSERT OR IGNORE INTO main.model(name, dimensions, revision) SELECT name, dimensions, revision FROM pack.model", [])?;
        // Other vaults use them for the same text, so one of another type, length or a scale that is no number would be theirs.
        self.run(
            doing,
            "INSERT OR IGNORE INTO main.vector(model, hash, vector)
             SELECT m.number, v.hash, v.vector FROM pack.vector v JOIN pack.model p ON p.number = v.model
             JOIN main.model m ON m.name = p.name AND m.dimensions = p.dimensions AND m.revision = p.revision
             WHERE typeof(v.hash) = 'blob' AND length(v.hash) = 32 AND typeof(v.vector) = 'blob'
               AND length(v.vector) = m.dimensions + 4 AND hex(substr(v.vector, 3, 2)) NOT GLOB '[89A-F]?[7F]F'",
            [],
        )?;
        let none_active = "SELECT number FROM main.model WHERE active = 1";
        let is_active =
            self.connection.query_row(none_active, [], |_| Ok(())).optional().map_err(failed(doing))?;
        if is_active.is_none() {
            self.run(
                doing,
                "UPDATE main.model SET active = 1 WHERE number = (SELECT m.number FROM main.model m JOIN pack.model p
                 ON m.name = p.name AND m.dimensions = p.dimensions AND m.revision = p.revision AND p.active = 1 LIMIT 1)",
                [],
            )?;
        }
        self.make_fts(project)
    }

    /// Returns the columns of a table besides its number and its project.
    fn columns(&self, table: &str) -> Result<Vec<String>> {
        let sql = "SELECT name FROM pragma_table_info(?1) WHERE name NOT IN ('number', 'project')";
        self.all("read a table's columns", sql, [table], |row| row.get(0))
    }
}
