//! Reads observations, facts and entries.

use lore_ports::{PageNo, ProjectNo, Result, StatementFilter, StatementKind, StatementRow};
use rusqlite::params;

use crate::SqliteStore;
use crate::rows::{self, STATEMENT};

impl SqliteStore {
    /// Reads statements.
    pub(super) fn read_statements(
        &self,
        project: ProjectNo,
        wanted: &StatementFilter<'_>,
    ) -> Result<Vec<StatementRow>> {
        if let Some(names) = wanted.naming {
            return match wanted.kind {
                None | Some(StatementKind::Fact) => self.facts_naming(project, names, wanted.pages),
                Some(_) => Ok(Vec::new()),
            };
        }
        let doing = "read statements";
        let kind = wanted.kind.map(|kind| kind as u8);
        let Some(pages) = wanted.pages else {
            let sql = format!(
                "SELECT {STATEMENT} FROM statement WHERE project = ?1 AND (?2 IS NULL OR kind = ?2)
                 ORDER BY page, kind, first"
            );
            return self.all(doing, &sql, params![project, kind], rows::statement);
        };
        let sql = format!(
            "SELECT {STATEMENT} FROM statement WHERE page = ?1 AND (?2 IS NULL OR kind = ?2) ORDER BY kind, first"
        );
        let mut found = Vec::new();
        for page in pages {
            found.extend(self.all(doing, &sql, params![page, kind], rows::statement)?);
        }
        Ok(found)
    }

    /// Reads the facts that name something, on these pages or anywhere.
    fn facts_naming(
        &self,
        project: ProjectNo,
        names: &[&str],
        pages: Option<&[PageNo]>,
    ) -> Result<Vec<StatementRow>> {
        let list = serde_json::to_string(names).unwrap_or_default();
        let on = pages.and_then(|pages| serde_json::to_string(pages).ok());
        let of = |column: &str| {
            format!(
                "SELECT statement.rowid AS row, statement.* FROM json_each(?2) n
                 CROSS JOIN statement ON project = ?1 AND {column} = n.value"
            )
        };
        let sql = format!(
            "SELECT {STATEMENT} FROM ({} UNION {})
             WHERE ?3 IS NULL OR page IN (SELECT value FROM json_each(?3)) ORDER BY page, first",
            of("subject_name"),
            of("object_name")
        );
        let mut found = self.all("read facts", &sql, params![project, list, on], rows::statement)?;
        if let Some(pages) = pages {
            found.sort_by_key(|row| pages.iter().position(|page| *page == row.page));
        }
        Ok(found)
    }
}
