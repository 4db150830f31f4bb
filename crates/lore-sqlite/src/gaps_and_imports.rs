//! Gaps and imports.

use lore_ports::{
    GapCounts, GapFilter, GapRow, GapsAndImports, ImportFilter, ImportRow, NewImport, ProjectNo, Result,
    Sensitivity,
};
use rusqlite::{Row, params};

use crate::{SqliteStore, rows};

const GAP: &str =
    "id, query_hash, query_text, context, confidence, sensitivity, times, approved_by, approved_at,
    redacted_query, resolved_by, resolved_at, detected_at, namespaces";

/// Whether a question was asked in the namespace of the second parameter, if there is one.
const ASKED_IN: &str = "(?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(namespaces) WHERE value = ?2))";

const IMPORT: &str = "number, batch, source, source_type, page, hash, length(bytes), active, at";

impl GapsAndImports for SqliteStore {
    fn gap(&self, project: ProjectNo, id: u64) -> Result<Option<GapRow>> {
        let sql = format!("SELECT {GAP} FROM gap WHERE project = ?1 AND id = ?2");
        self.one("read a gap", &sql, [project, id as i64], gap)
    }

    fn put_gap(&self, project: ProjectNo, gap: &GapRow) -> Result<()> {
        let sql = format!(
            "INSERT OR REPLACE INTO gap(project, {GAP})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
        );
        let (approved_by, approved_at) = gap.approved.clone().unzip();
        let (resolved_by, resolved_at) = gap.resolved.clone().unzip();
        let values = params![
            project,
            gap.id as i64,
            gap.query_hash.0,
            gap.query_text,
            gap.context,
            gap.confidence,
            gap.sensitivity.name(),
            gap.times as i64,
            approved_by,
            approved_at,
            gap.redacted_query,
            resolved_by,
            resolved_at,
            gap.detected,
            serde_json::to_string(&gap.namespaces).unwrap_or_default(),
        ];
        self.run("write a gap", &sql, values).map(drop)
    }

    fn gaps(&self, project: ProjectNo, which: &GapFilter<'_>, limit: usize) -> Result<Vec<GapRow>> {
        let open = if which.resolved { "" } else { "AND resolved_at IS NULL" };
        let sql = format!(
            "SELECT {GAP} FROM gap WHERE project = ?1 AND {ASKED_IN} {open}
             ORDER BY resolved_at IS NOT NULL, detected_at, id LIMIT ?3"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all("read gaps", &sql, params![project, which.namespace, limit], gap)
    }

    fn count_gaps(&self, project: ProjectNo, namespace: Option<&str>) -> Result<GapCounts> {
        let sql = format!(
            "SELECT count(*) - count(resolved_at), count(resolved_at) FROM gap
             WHERE project = ?1 AND {ASKED_IN}"
        );
        let counts = self.one("count gaps", &sql, params![project, namespace], |row| {
            Ok(GapCounts {
                open: row.get::<_, i64>(0)?.unsigned_abs(),
                resolved: row.get::<_, i64>(1)?.unsigned_abs(),
            })
        })?;
        Ok(counts.unwrap_or_default())
    }

    fn add_import(&self, project: ProjectNo, import: &NewImport<'_>) -> Result<()> {
        self.in_transaction(&mut || {
            let doing = "write an import";
            let sql = "UPDATE import SET active = 0 WHERE project = ?1 AND page = ?2 AND active = 1";
            self.run(doing, sql, params![project, import.page])?;
            let sql = "INSERT INTO import(project, batch, source, source_type, page, hash, bytes, at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let NewImport { batch, source, source_type, page, hash, bytes, at } = import;
            self.run(doing, sql, params![project, batch, source, source_type, page, hash.0, bytes, at])
                .map(drop)
        })
    }

    fn imports(&self, project: ProjectNo, which: &ImportFilter<'_>) -> Result<Vec<ImportRow>> {
        let doing = "read imports";
        let select = |condition: &str| {
            format!("SELECT {IMPORT} FROM import WHERE project = ?1 {condition} ORDER BY number DESC")
        };
        match which {
            ImportFilter::Hash(hash) => {
                self.all(doing, &select("AND hash = ?2"), params![project, hash.0], import)
            }
            ImportFilter::Batch(batch) => {
                self.all(doing, &select("AND batch = ?2"), params![project, batch], import)
            }
            ImportFilter::All => self.all(doing, &select(""), [project], import),
        }
    }

    fn import_bytes(&self, project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT bytes FROM import WHERE project = ?1 AND number = ?2";
        self.one("read an import", sql, [project, number], |row| row.get(0))
    }

    fn rewrite_import(&self, project: ProjectNo, number: i64, source: &str, bytes: &[u8]) -> Result<()> {
        let sql = "UPDATE import SET source = ?3, bytes = ?4 WHERE project = ?1 AND number = ?2";
        self.run("rewrite an import", sql, params![project, number, source, bytes]).map(drop)
    }

    fn prune_imports(&self, project: ProjectNo, before: i64) -> Result<usize> {
        let sql = "DELETE FROM import WHERE project = ?1 AND active = 0 AND at < ?2";
        self.run("prune imports", sql, [project, before])
    }
}

fn gap(row: &Row<'_>) -> rusqlite::Result<GapRow> {
    let name: String = row.get(5)?;
    let both = |by: usize| -> rusqlite::Result<Option<(String, i64)>> {
        Ok(row.get::<_, Option<String>>(by)?.zip(row.get(by + 1)?))
    };
    Ok(GapRow {
        id: row.get::<_, i64>(0)?.unsigned_abs(),
        query_hash: rows::hash(row, 1)?,
        query_text: row.get(2)?,
        context: row.get(3)?,
        confidence: row.get(4)?,
        sensitivity: Sensitivity::ALL.into_iter().find(|known| known.name() == name).unwrap_or_default(),
        times: row.get::<_, i64>(6)?.unsigned_abs(),
        approved: both(7)?,
        redacted_query: row.get(9)?,
        resolved: both(10)?,
        detected: row.get(12)?,
        namespaces: serde_json::from_str(&row.get::<_, String>(13)?).unwrap_or_default(),
    })
}

fn import(row: &Row<'_>) -> rusqlite::Result<ImportRow> {
    Ok(ImportRow {
        number: row.get(0)?,
        batch: row.get(1)?,
        source: row.get(2)?,
        source_type: row.get(3)?,
        page: row.get(4)?,
        hash: rows::hash(row, 5)?,
        size: row.get::<_, i64>(6)?.unsigned_abs(),
        active: row.get(7)?,
        at: row.get(8)?,
    })
}
