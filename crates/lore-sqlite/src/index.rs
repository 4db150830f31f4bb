//! The derived tables: the implementation of `Index`.

use std::collections::{BTreeSet, HashMap};

use lore_ports::{
    Counts, DocumentFrequencies, Expression, Filter, Fingerprint, Index, KeyKind, KeyRow, LabelKind,
    LinkFilter, LinkRow, NameQuery, Order, PageNo, PageRow, PageWrite, PageWritten, ProjectNo, ReplicaNo,
    Result, StatementFilter, StatementRow, TextHit, TextQuery, Window,
};
use rusqlite::{OptionalExtension as _, Params, Row, params, params_from_iter};

use crate::filter::Conditions;
use crate::fts::{is_syntax_error, ranking, render};
use crate::rows::{self, PAGE, PAGE_FROM};
use crate::{SqliteStore, failed};

impl SqliteStore {
    pub(super) fn run(&self, doing: &'static str, sql: &str, params: impl Params) -> Result<usize> {
        self.connection.prepare_cached(sql).and_then(|mut found| found.execute(params)).map_err(failed(doing))
    }

    pub(super) fn all<T>(
        &self,
        doing: &'static str,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failed(doing))?;
        statement.query_map(params, read).and_then(Iterator::collect).map_err(failed(doing))
    }

    pub(super) fn one<T>(
        &self,
        doing: &'static str,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failed(doing))?;
        statement.query_row(params, read).optional().map_err(failed(doing))
    }
}

impl Index for SqliteStore {
    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.in_transaction(work)
    }

    fn read_transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        if !self.connection.is_autocommit() {
            return work();
        }
        self.connection.execute_batch("BEGIN DEFERRED").map_err(failed("begin a read transaction"))?;
        let done = work();
        let _ = self.connection.execute_batch("ROLLBACK");
        done
    }

    fn fingerprints(
        &self,
        project: ProjectNo,
        replica: ReplicaNo,
        paths: Option<&BTreeSet<String>>,
    ) -> Result<Vec<Fingerprint>> {
        let doing = "read fingerprints";
        // The mtime counts only for the checkout that recorded it.
        let sql =
            "SELECT number, path, size, iif(replica = ?2, mtime, 0), hash FROM page INDEXED BY page_path
                   WHERE project = ?1";
        let read = |row: &Row<'_>| {
            Ok(Fingerprint {
                page: row.get(0)?,
                path: row.get(1)?,
                size: row.get::<_, i64>(2)?.unsigned_abs(),
                mtime: row.get(3)?,
                hash: rows::hash(row, 4)?,
            })
        };
        match paths {
            None => self.all(doing, &format!("{sql} ORDER BY path"), [project, replica], read),
            Some(paths) => {
                let sql = format!("{sql} AND path = ?3");
                let found =
                    paths.iter().map(|path| self.one(doing, &sql, params![project, replica, path], read));
                found.filter_map(Result::transpose).collect()
            }
        }
    }

    fn apply(
        &self,
        project: ProjectNo,
        replica: ReplicaNo,
        writes: &[PageWrite<'_>],
    ) -> Result<Vec<PageWritten>> {
        self.apply_writes(project, replica, writes)
    }

    fn pages(&self, project: ProjectNo, numbers: &[PageNo]) -> Result<Vec<PageRow>> {
        let sql = format!("SELECT {PAGE} FROM {PAGE_FROM} WHERE p.number = ?1 AND p.project = ?2");
        let read = |number: &PageNo| self.one("read a page", &sql, params![number, project], rows::page);
        numbers.iter().filter_map(|number| read(number).transpose()).collect()
    }

    fn list(
        &self,
        project: ProjectNo,
        filter: &Filter,
        order: Order,
        window: Window,
    ) -> Result<Vec<PageRow>> {
        let conditions = Conditions::all(project, filter);
        let order = match order {
            Order::Updated => "p.updated DESC, p.path",
            Order::Touched => "coalesce(p.declared_date, p.updated) DESC, p.path",
            Order::Created => "p.created DESC, p.path",
            Order::Title => "p.title_key, p.path",
        };
        let sql = format!(
            "SELECT {PAGE} FROM {PAGE_FROM} WHERE {} ORDER BY {order} LIMIT {} OFFSET {}",
            conditions.sql,
            row_count(window.limit),
            row_count(window.offset)
        );
        self.all("list pages", &sql, conditions.bound().as_slice(), rows::page)
    }

    fn count(&self, project: ProjectNo, filter: &Filter) -> Result<u64> {
        let conditions = Conditions::all(project, filter);
        let sql = format!("SELECT count(*) FROM {PAGE_FROM} WHERE {}", conditions.sql);
        let read = |row: &Row<'_>| row.get::<_, i64>(0);
        let counted = self.all("count pages", &sql, conditions.bound().as_slice(), read)?;
        Ok(counted.first().copied().unwrap_or_default().unsigned_abs())
    }

    fn lookup(&self, project: ProjectNo, names: &NameQuery<'_>) -> Result<Vec<KeyRow>> {
        let doing = "look up a name";
        let select =
            "SELECT n.name, n.kind, n.page, p.path, p.slug FROM name n JOIN page p ON p.number = n.page";
        let read = |row: &Row<'_>| {
            let kind = KeyKind::from_number(row.get(1)?);
            Ok(KeyRow { key: row.get(0)?, kind, page: row.get(2)?, path: row.get(3)?, slug: row.get(4)? })
        };
        match names {
            NameQuery::Exact(names) => {
                let sql = format!("{select} WHERE n.project = ?1 AND n.name = ?2");
                let mut found = Vec::new();
                for name in names.iter().filter(|name| !name.is_empty()) {
                    found.extend(self.all(doing, &sql, params![project, name], read)?);
                }
                Ok(found)
            }
            NameQuery::IdPrefix(start, limit) => {
                let sql = format!(
                    "{select} WHERE n.project = ?1 AND n.name >= ?2 AND n.name < ?3 AND n.kind = 0 LIMIT ?4"
                );
                let end = format!("{start}\u{10ffff}");
                self.all(doing, &sql, params![project, start, end, row_count(*limit)], read)
            }
            NameQuery::AllSlugs => {
                let sql = "SELECT slug, 1, number, path, slug FROM page WHERE project = ?1";
                self.all(doing, sql, [project], read)
            }
        }
    }

    fn links(&self, project: ProjectNo, ends: &LinkFilter<'_>) -> Result<Vec<LinkRow>> {
        self.read_links(project, ends)
    }

    fn inbound(&self, _: ProjectNo, pages: &[PageNo]) -> Result<Vec<u64>> {
        let sql = "SELECT count(*) FROM link WHERE to_page = ?1 AND from_page <> ?1";
        let count = |page: &PageNo| -> Result<u64> {
            let found = self.one("count links", sql, [page], |row| row.get::<_, i64>(0))?;
            Ok(found.unwrap_or_default().unsigned_abs())
        };
        pages.iter().map(count).collect()
    }

    fn resolve_links(&self, targets: &[(i64, Option<PageNo>)]) -> Result<()> {
        for (link, page) in targets {
            self.run(
                "resolve a link",
                "UPDATE link SET to_page = ?2 WHERE number = ?1",
                params![link, page],
            )?;
        }
        Ok(())
    }

    fn statements(&self, project: ProjectNo, wanted: &StatementFilter<'_>) -> Result<Vec<StatementRow>> {
        self.read_statements(project, wanted)
    }

    fn search(&self, project: ProjectNo, query: &TextQuery<'_>) -> Result<Vec<TextHit>> {
        self.flush_words()?;
        let conditions = Conditions::beyond_fts(project, query.filter);
        let limit = row_count(query.window.limit);
        let offset = row_count(query.window.offset);
        // Only filters that tokens cannot express need the page rows; without them FTS5 sorts by itself.
        let from = if conditions.values.is_empty() { "" } else { "JOIN page p ON p.number = f.rowid" };
        let sql = format!(
            "SELECT f.rowid, -f.rank FROM fts_{project} f {from} WHERE fts_{project} MATCH ? AND rank MATCH '{}' AND {}
             ORDER BY f.rank LIMIT {limit} OFFSET {offset}",
            ranking(&query.weights),
            conditions.sql
        );
        let matching = rusqlite::types::Value::from(render(query.expression, query.filter));
        let values = std::iter::once(matching).chain(conditions.values);
        let found = self.all("run a full-text search", &sql, params_from_iter(values), |row| {
            Ok(TextHit { page: row.get(0)?, score: row.get(1)? })
        });
        match found {
            Err(error) if is_syntax_error(&error) => Ok(Vec::new()),
            found => found,
        }
    }

    fn document_frequencies(
        &self,
        project: ProjectNo,
        terms: &[&Expression],
        enough: f64,
    ) -> Result<DocumentFrequencies> {
        self.count_documents(project, terms, enough)
    }

    fn labels(&self, project: ProjectNo, kind: LabelKind) -> Result<Vec<(String, u64)>> {
        let sql = match kind {
            LabelKind::Tag => {
                "SELECT value, count(*) FROM label WHERE project = ?1 AND kind = 'tag' GROUP BY value ORDER BY 2 DESC, 1"
            }
            LabelKind::Wing => {
                "SELECT value, count(*) FROM label WHERE project = ?1 AND kind = 'wing' GROUP BY value ORDER BY 2 DESC, 1"
            }
            LabelKind::Language => {
                "SELECT value, count(*) FROM label WHERE project = ?1 AND kind = 'language' GROUP BY value ORDER BY 2 DESC, 1"
            }
            LabelKind::Type => {
                "SELECT kind, count(*) FROM page WHERE project = ?1 GROUP BY kind ORDER BY 2 DESC, 1"
            }
        };
        self.all("count labels", sql, [project], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
        })
    }

    fn counts(&self, project: ProjectNo) -> Result<Counts> {
        let count = |sql: &str| -> Result<u64> {
            let found = self.one("count index rows", sql, [project], |row| row.get::<_, i64>(0))?;
            Ok(found.unwrap_or_default().unsigned_abs())
        };
        let mut kinds: HashMap<u8, u64> = HashMap::new();
        let sql = "SELECT kind, count(*) FROM statement WHERE project = ?1 GROUP BY kind";
        for (kind, number) in
            self.all("count index rows", sql, [project], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?
        {
            kinds.insert(kind, number.unsigned_abs());
        }
        let kind = |number: u8| kinds.get(&number).copied().unwrap_or_default();
        Ok(Counts {
            pages: count("SELECT count(*) FROM page WHERE project = ?1")?,
            links: count("SELECT count(*) FROM link WHERE project = ?1 AND to_page IS NOT NULL")?,
            pending: count("SELECT count(*) FROM link WHERE project = ?1 AND to_page IS NULL")?,
            observations: kind(0),
            facts: kind(1),
            entries: kind(2),
            tags: count("SELECT count(DISTINCT value) FROM label WHERE project = ?1 AND kind = 'tag'")?,
            diagnosed: count("SELECT count(*) FROM page WHERE project = ?1 AND diagnostics <> '[]'")?,
            bytes: self.size()?,
        })
    }
}

/// Converts a number of rows for `LIMIT` and `OFFSET`.
pub(super) fn row_count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
