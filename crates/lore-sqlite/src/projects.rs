//! Projects, their checkouts and their state.

use lore_ports::{
    FileFailure, Forget, ProjectKey, ProjectNo, ProjectState, Projects, ReplicaNo, ResolvedFinding, Result,
    StateChange,
};
use rusqlite::params;

use crate::SqliteStore;

impl SqliteStore {
    fn find_project(&self, key: &ProjectKey<'_>) -> Result<Option<(ProjectNo, ReplicaNo)>> {
        let sql = "SELECT p.number, r.number FROM project p JOIN replica r ON r.project = p.number
                   WHERE p.vault_id = ?1 AND p.name = ?2 AND r.checkout = ?3";
        self.one("find a project", sql, [key.vault_id, key.name, key.checkout], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    fn create_project(&self, key: &ProjectKey<'_>) -> Result<ProjectNo> {
        let ProjectKey { vault_id, name, former_id, .. } = key;
        // A vault that has got an id of its own keeps the rows it had under its former one.
        if let Some(former) = former_id {
            let sql = "UPDATE project SET vault_id = ?1 WHERE vault_id = ?2
                       AND NOT EXISTS (SELECT 1 FROM project WHERE vault_id = ?1)";
            self.run("identify a project", sql, [vault_id, former])?;
        }
        let sql = "INSERT INTO project(vault_id, name) VALUES (?1, ?2) ON CONFLICT(vault_id) DO UPDATE SET name = ?2
                   RETURNING number";
        let number = self.one("create a project", sql, [vault_id, name], |row| row.get(0))?;
        Ok(number.unwrap_or_default())
    }
}

impl Projects for SqliteStore {
    fn project(&self, key: &ProjectKey<'_>) -> Result<(ProjectNo, ReplicaNo)> {
        if let Some(known) = self.find_project(key)? {
            return Ok(known);
        }
        let mut found = (0, 0);
        self.in_transaction(&mut || {
            let project = self.create_project(key)?;
            let sql = "INSERT INTO replica(project, checkout) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET checkout = ?2
                       RETURNING number";
            let replica = self.one("record a checkout", sql, params![project, key.checkout], |row| row.get(0))?;
            found = (project, replica.unwrap_or_default());
            self.make_fts(project)
        })?;
        Ok(found)
    }

    fn checkouts(&self, vault_id: &str) -> Result<Vec<String>> {
        let sql =
            "SELECT r.checkout FROM replica r JOIN project p ON p.number = r.project WHERE p.vault_id = ?1";
        self.all("list checkouts", sql, [vault_id], |row| row.get(0))
    }

    fn projects_at(&self, checkout: &str) -> Result<Vec<ProjectNo>> {
        let sql = "SELECT project FROM replica WHERE checkout = ?1 ORDER BY project";
        self.all("find projects", sql, [checkout], |row| row.get(0))
    }

    fn forget(&self, project: ProjectNo, what: Forget) -> Result<()> {
        self.in_transaction(&mut || {
            self.words.borrow_mut().retain(|_, words| words.project != project);
            self.codes.borrow_mut().retain(|place, _| place.project != project);
            let doing = "remove a project";
            for table in
                ["page", "name", "label", "link", "statement", "chunk", "free_slot", "pending", "code"]
            {
                self.run(doing, &format!("DELETE FROM {table} WHERE project = ?1"), [project])?;
            }
            self.run(doing, &format!("DROP TABLE IF EXISTS fts_{project}"), [])?;
            if what == Forget::LedgerToo {
                for table in [
                    "version",
                    "snapshot",
                    "failure",
                    "identity",
                    "author",
                    "finding",
                    "gap",
                    "import",
                    "replica",
                    "project_state",
                ] {
                    self.run(doing, &format!("DELETE FROM {table} WHERE project = ?1"), [project])?;
                }
                self.run(doing, "DELETE FROM project WHERE number = ?1", [project])?;
            } else {
                self.make_fts(project)?;
            }
            Ok(())
        })
    }

    fn state(&self, project: ProjectNo) -> Result<ProjectState> {
        let sql = "SELECT index_mark, last_write, last_generated, git, curated_pages FROM project_state
                   WHERE project = ?1";
        let found = self.one("read the state of a project", sql, [project], |row| {
            Ok(ProjectState {
                index_mark: row.get(0)?,
                last_write: row.get(1)?,
                last_generated: row.get(2)?,
                git: row.get(3)?,
                curated_pages: row.get::<_, Option<i64>>(4)?.map(i64::unsigned_abs),
            })
        })?;
        Ok(found.unwrap_or_default())
    }

    fn set_state(&self, project: ProjectNo, change: &StateChange<'_>) -> Result<()> {
        let set = |column: &str, value: &dyn rusqlite::ToSql| {
            let sql = format!(
                "INSERT INTO project_state(project, {column}) VALUES (?1, ?2)
                 ON CONFLICT(project) DO UPDATE SET {column} = ?2"
            );
            self.run("write the state of a project", &sql, params![project, value]).map(drop)
        };
        match change {
            StateChange::IndexMark(mark) => set("index_mark", mark),
            StateChange::LastWrite(id) => set("last_write", id),
            StateChange::LastGenerated(id) => set("last_generated", id),
            StateChange::Git(json) => set("git", json),
            StateChange::CuratedPages(pages) => set("curated_pages", &(*pages as i64)),
        }
    }

    fn failures(&self, project: ProjectNo) -> Result<Vec<FileFailure>> {
        let sql = "SELECT path, size, mtime, count, reason FROM failure WHERE project = ?1 ORDER BY path";
        self.all("read failures", sql, [project], |row| {
            Ok(FileFailure {
                path: row.get(0)?,
                size: row.get::<_, i64>(1)?.unsigned_abs(),
                mtime: row.get(2)?,
                count: row.get(3)?,
                reason: row.get(4)?,
            })
        })
    }

    fn set_failure(&self, project: ProjectNo, path: &str, failure: Option<&FileFailure>) -> Result<()> {
        let doing = "write a failure";
        match failure {
            None => self.run(
                doing,
                "DELETE FROM failure WHERE project = ?1 AND path = ?2",
                params![project, path],
            ),
            Some(failure) => {
                let sql = "INSERT OR REPLACE INTO failure(project, path, size, mtime, count, reason)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                let FileFailure { size, mtime, count, reason, .. } = failure;
                self.run(doing, sql, params![project, path, *size as i64, mtime, count, reason])
            }
        }
        .map(drop)
    }

    fn resolved_findings(&self, project: ProjectNo) -> Result<Vec<ResolvedFinding>> {
        let sql = "SELECT id, at, actor FROM finding WHERE project = ?1 ORDER BY id";
        self.all("read resolved findings", sql, [project], |row| {
            Ok(ResolvedFinding { id: row.get(0)?, at: row.get(1)?, actor: row.get(2)? })
        })
    }

    fn resolve_finding(&self, project: ProjectNo, finding: &ResolvedFinding) -> Result<()> {
        let sql = "INSERT OR IGNORE INTO finding(project, id, at, actor) VALUES (?1, ?2, ?3, ?4)";
        let ResolvedFinding { id, at, actor } = finding;
        self.run("resolve a finding", sql, params![project, id, at, actor]).map(drop)
    }
}
