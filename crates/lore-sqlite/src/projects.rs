//! Projects, their checkouts and their state.

use lore_ports::{
    FileFailure, Forget, ProjectKey, ProjectNo, ProjectState, Projects, ReplicaNo, ResolvedFinding, Result,
    StateChange, is_local_id, local_id,
};
use rusqlite::params;

use crate::SqliteStore;
use crate::tables::{DERIVED, LEDGER, LOCAL};

/// A checkout with its project.
struct Checkout {
    project: ProjectNo,
    replica: ReplicaNo,
    vault_id: String,
    name: String,
}

impl SqliteStore {
    /// Returns what is known of a key's vault in a directory: the same vault, else one that had no id of its own.
    fn find_checkout(&self, key: &ProjectKey<'_>, checkout: &str) -> Result<Option<Checkout>> {
        let sql = "SELECT p.number, r.number, p.vault_id, p.name FROM replica r JOIN project p ON p.number = r.project
                   WHERE r.checkout = ?1 ORDER BY r.number DESC";
        let mut known = self.all("find a project", sql, [checkout], |row| {
            Ok(Checkout {
                project: row.get(0)?,
                replica: row.get(1)?,
                vault_id: row.get(2)?,
                name: row.get(3)?,
            })
        })?;
        let same = |one: &Checkout| key.vault_id.is_none_or(|id| one.vault_id == id);
        let local = |one: &Checkout| is_local_id(&one.vault_id);
        let found = known.iter().position(same).or_else(|| known.iter().position(local));
        Ok(found.map(|at| known.swap_remove(at)))
    }

    /// Returns the checkout that a new one replaces.
    fn find_moved(&self, key: &ProjectKey<'_>) -> Result<Option<Checkout>> {
        key.moved_from.map_or(Ok(None), |from| self.find_checkout(key, from))
    }

    /// Finds or creates the project of a new checkout.
    fn project_by_id(&self, key: &ProjectKey<'_>) -> Result<ProjectNo> {
        let local = local_id(key.checkout);
        let vault_id = key.vault_id.unwrap_or(&local);
        let sql = "INSERT INTO project(vault_id, name) VALUES (?1, ?2)
                   ON CONFLICT(vault_id) DO UPDATE SET name = ?2 RETURNING number";
        let number = self.one("create a project", sql, [vault_id, key.name], |row| row.get(0))?;
        Ok(number.unwrap_or_default())
    }

    /// Records a new name, and the id that a vault without one of its own has got, unless another project has it.
    fn update_project(&self, known: &Checkout, key: &ProjectKey<'_>) -> Result<()> {
        if known.name != key.name {
            let sql = "UPDATE project SET name = ?2 WHERE number = ?1";
            self.run("rename a project", sql, params![known.project, key.name])?;
        }
        let local = local_id(key.checkout);
        let id = key.vault_id.or_else(|| is_local_id(&known.vault_id).then_some(&local));
        if let Some(id) = id.filter(|id| *id != known.vault_id) {
            let sql = "UPDATE OR IGNORE project SET vault_id = ?2 WHERE number = ?1";
            self.run("identify a project", sql, params![known.project, id])?;
        }
        Ok(())
    }
}

impl Projects for SqliteStore {
    fn project(&self, key: &ProjectKey<'_>) -> Result<(ProjectNo, ReplicaNo)> {
        let unchanged =
            |known: &Checkout| known.name == key.name && key.vault_id.is_none_or(|id| known.vault_id == id);
        if let Some(known) = self.find_checkout(key, key.checkout)?.filter(unchanged) {
            return Ok((known.project, known.replica));
        }
        let mut found = (0, 0);
        self.in_transaction(&mut || {
            if let Some(known) = self.find_checkout(key, key.checkout)? {
                self.update_project(&known, key)?;
                found = (known.project, known.replica);
                return Ok(());
            }
            let moved = self.find_moved(key)?;
            let project = match &moved {
                Some(moved) => moved.project,
                None => self.project_by_id(key)?,
            };
            let sql = "INSERT INTO replica(project, checkout) VALUES (?1, ?2)
                       ON CONFLICT DO UPDATE SET checkout = ?2 RETURNING number";
            let replica =
                self.one("record a checkout", sql, params![project, key.checkout], |row| row.get(0))?;
            found = (project, replica.unwrap_or_default());
            // Only now, so that the new checkout cannot get the number of the old one and with it its fingerprints.
            if let Some(moved) = moved {
                self.update_project(&moved, key)?;
                self.run("remove a checkout", "DELETE FROM replica WHERE number = ?1", [moved.replica])?;
            }
            self.make_fts(project)
        })?;
        Ok(found)
    }

    fn checkouts(&self, vault_id: &str) -> Result<Vec<String>> {
        let sql = "SELECT r.checkout FROM replica r JOIN project p ON p.number = r.project
                   WHERE p.vault_id = ?1 ORDER BY r.number";
        self.all("list checkouts", sql, [vault_id], |row| row.get(0))
    }

    fn checkouts_named(&self, name: &str) -> Result<Vec<String>> {
        let sql = "SELECT r.checkout FROM replica r JOIN project p ON p.number = r.project
                   WHERE p.name = ?1 ORDER BY r.number";
        self.all("list checkouts", sql, [name], |row| row.get(0))
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
            for table in DERIVED {
                self.run(doing, &format!("DELETE FROM {table} WHERE project = ?1"), [project])?;
            }
            self.run(doing, &format!("DROP TABLE IF EXISTS fts_{project}"), [])?;
            if what == Forget::LedgerToo {
                for table in LEDGER.iter().chain(&LOCAL) {
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
        let sql =
            "SELECT index_mark, last_write, last_generated, git, curated_pages, clock FROM project_state
                   WHERE project = ?1";
        let derived = "SELECT at, lint_mark, lint_errors FROM index_time WHERE project = ?1";
        let derived = self.one("read the state of a project", derived, [project], |row| {
            let mark = row.get::<_, Option<String>>(1)?;
            Ok((row.get(0)?, mark.zip(row.get::<_, Option<i64>>(2)?.map(i64::unsigned_abs))))
        })?;
        let (indexed, lint_errors) = derived.map_or((None, None), |(at, lint)| (Some(at), lint));
        let found = self.one("read the state of a project", sql, [project], |row| {
            Ok(ProjectState {
                index_mark: row.get(0)?,
                last_write: row.get(1)?,
                last_generated: row.get(2)?,
                git: row.get(3)?,
                curated_pages: row.get::<_, Option<i64>>(4)?.map(i64::unsigned_abs),
                clock: row.get(5)?,
                ..ProjectState::default()
            })
        })?;
        Ok(ProjectState { indexed, lint_errors, ..found.unwrap_or_default() })
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
            StateChange::Clock(json) => set("clock", json),
            StateChange::Indexed(at) => {
                let sql = "INSERT OR REPLACE INTO index_time(project, at) VALUES (?1, ?2)";
                self.run("write the time of the index", sql, params![project, at]).map(drop)
            }
            StateChange::LintErrors(mark, errors) => {
                let sql = "UPDATE index_time SET lint_mark = ?2, lint_errors = ?3 WHERE project = ?1";
                self.run("write the number of lint errors", sql, params![project, mark, *errors as i64])
                    .map(drop)
            }
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

    fn set_failures(&self, project: ProjectNo, failures: &[(&str, Option<&FileFailure>)]) -> Result<()> {
        let doing = "write a failure";
        let clear = "DELETE FROM failure WHERE project = ?1 AND path = ?2";
        let set = "INSERT OR REPLACE INTO failure(project, path, size, mtime, count, reason)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.each_in_transaction(failures, |(path, failure)| match failure {
            None => self.run(doing, clear, params![project, path]).map(drop),
            Some(FileFailure { size, mtime, count, reason, .. }) => {
                self.run(doing, set, params![project, path, *size as i64, mtime, count, reason]).map(drop)
            }
        })
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
