//! The derived tables: the implementation of `Index`.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_ports::{
    Counts, DocumentFrequencies, Expression, Filter, Fingerprint, Index, KeyKind, KeyRow, LabelKind,
    LinkFilter, LinkRow, NameQuery, Order, PageDraft, PageNo, PageRow, PageWrite, PageWritten, ProjectNo,
    ReplicaNo, Result, StatementFilter, StatementRow, TextHit, TextQuery, Window,
};
use lore_text::fold;
use rusqlite::{OptionalExtension as _, Params, Row, params, params_from_iter};

use crate::filter::Conditions;
use crate::fts::{is_syntax_error, ranking, render};
use crate::rows::{self, LINK, PAGE, PAGE_FROM};
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

    fn names_of(&self, page: PageNo) -> Result<Vec<(u8, String)>> {
        self.all("read a page's names", "SELECT kind, name FROM name WHERE page = ?1", [page], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    fn page_at(&self, project: ProjectNo, path: &str) -> Result<Option<PageNo>> {
        let sql = "SELECT number FROM page WHERE project = ?1 AND path = ?2";
        self.one("find a page", sql, params![project, path], |row| row.get(0))
    }

    fn links_where(&self, condition: &str, params: impl Params) -> Result<Vec<LinkRow>> {
        let sql =
            format!("SELECT {LINK} FROM link l JOIN page p ON p.number = l.from_page WHERE {condition}");
        self.all("read links", &sql, params, rows::link)
    }

    fn put_page(&self, project: ProjectNo, replica: ReplicaNo, draft: &PageDraft) -> Result<PageWritten> {
        let known = self.page_at(project, &draft.row.path)?;
        let mut before: HashSet<(u8, String)> = HashSet::new();
        if let Some(page) = known {
            before.extend(self.names_of(page)?);
            self.clear_page(project, page)?;
        }
        let page = self.put_row(project, replica, draft, known)?;
        self.put_names(project, page, draft)?;
        self.put_links(project, page, draft)?;
        self.put_statements(project, page, draft)?;
        self.put_chunks(project, page, &draft.chunks)?;
        self.put_fts(project, page, draft)?;
        let mut names = Vec::new();
        for (kind, name) in &draft.keys {
            if !before.remove(&(*kind as u8, name.clone())) {
                names.push(name.clone());
            }
        }
        names.extend(before.into_iter().map(|(_, name)| name));
        Ok(PageWritten { page, names })
    }

    fn touch_page(&self, replica: ReplicaNo, page: PageNo, mtime: i64, updated: i64) -> Result<()> {
        let sql = "UPDATE page SET mtime = ?2, updated = ?3, replica = ?4
                   WHERE number = ?1 AND (mtime, updated, replica) IS NOT (?2, ?3, ?4)";
        self.run("write a page's timestamps", sql, params![page, mtime, updated, replica]).map(drop)
    }

    fn rename_page(&self, project: ProjectNo, page: PageNo, to: &str) -> Result<Vec<String>> {
        let mut names: Vec<String> = self.names_of(page)?.into_iter().map(|(_, name)| name).collect();
        if let Some(there) = self.page_at(project, to)?.filter(|there| *there != page) {
            names.extend(self.remove_page(project, there)?);
        }
        self.run("move a page", "UPDATE page SET path = ?2 WHERE number = ?1", params![page, to])?;
        Ok(names)
    }

    fn remove_page(&self, project: ProjectNo, page: PageNo) -> Result<Vec<String>> {
        let names = self.names_of(page)?.into_iter().map(|(_, name)| name).collect();
        self.clear_page(project, page)?;
        self.put_chunks(project, page, &[])?;
        self.run("unlink a page", "UPDATE link SET to_page = NULL WHERE to_page = ?1", [page])?;
        self.run("remove a page", "DELETE FROM page WHERE number = ?1", [page])?;
        Ok(names)
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
        let one = |write: &PageWrite<'_>| match write {
            PageWrite::Put(draft) => self.put_page(project, replica, draft),
            PageWrite::Touch { page, mtime, updated } => {
                self.touch_page(replica, *page, *mtime, *updated)?;
                Ok(PageWritten { page: *page, names: Vec::new() })
            }
            PageWrite::Move { page, to } => {
                Ok(PageWritten { page: *page, names: self.rename_page(project, *page, to)? })
            }
            PageWrite::Remove(page) => {
                Ok(PageWritten { page: *page, names: self.remove_page(project, *page)? })
            }
        };
        let mut written = Vec::with_capacity(writes.len());
        if !writes.is_empty() {
            self.in_transaction(&mut || {
                written = writes.iter().map(one).collect::<Result<Vec<PageWritten>>>()?;
                Ok(())
            })?;
        }
        Ok(written)
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
            window.limit.min(i64::MAX as usize),
            window.offset.min(i64::MAX as usize)
        );
        self.all("list pages", &sql, conditions.bound().as_slice(), rows::page)
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
            NameQuery::IdPrefix(start) => {
                let sql = format!(
                    "{select} WHERE n.project = ?1 AND n.name >= ?2 AND n.name < ?3 AND n.kind = 0 LIMIT 20"
                );
                self.all(doing, &sql, params![project, start, format!("{start}\u{10ffff}")], read)
            }
            NameQuery::AllSlugs => {
                let sql = "SELECT slug, 1, number, path, slug FROM page WHERE project = ?1";
                self.all(doing, sql, [project], read)
            }
        }
    }

    fn links(&self, project: ProjectNo, ends: &LinkFilter<'_>) -> Result<Vec<LinkRow>> {
        let each = |condition: &str, pages: &[PageNo]| -> Result<Vec<LinkRow>> {
            let mut found = Vec::new();
            for page in pages {
                found.extend(self.links_where(condition, [page])?);
            }
            Ok(found)
        };
        match ends {
            LinkFilter::From(pages) => each("l.from_page = ?1 ORDER BY l.number", pages),
            LinkFilter::To(pages) => each("l.to_page = ?1 ORDER BY l.number", pages),
            LinkFilter::Pending => {
                self.links_where("l.project = ?1 AND l.to_page IS NULL ORDER BY p.path, l.line", [project])
            }
            LinkFilter::Ids(ids) => {
                let mut found = Vec::new();
                for id in *ids {
                    // Ids have 52 bits, so the conversion is lossless.
                    let id = i64::try_from(*id).unwrap_or(-1);
                    let condition = "l.project = ?1 AND l.id = ?2 ORDER BY p.path, l.number";
                    found.extend(self.links_where(condition, params![project, id])?);
                }
                Ok(found)
            }
            LinkFilter::TypedAt(relations, pages) => {
                let relations: Vec<String> = relations.iter().map(|relation| fold(relation)).collect();
                let relations = serde_json::to_string(&relations).unwrap_or_default();
                let pages = serde_json::to_string(pages).unwrap_or_default();
                let at = |end: &str| {
                    format!(
                        "SELECT o.number FROM json_each(?2) e CROSS JOIN link o ON o.{end} = e.value
                         WHERE o.relation_key IN (SELECT value FROM json_each(?1))"
                    )
                };
                let condition = format!(
                    "l.number IN ({} UNION {}) ORDER BY p.path, l.line, l.number",
                    at("from_page"),
                    at("to_page")
                );
                self.links_where(&condition, params![relations, pages])
            }
            LinkFilter::Typed(relations) => {
                let condition = "l.project = ?1 AND l.relation_key = ?2 ORDER BY p.path, l.line, l.number";
                let mut found = Vec::new();
                for relation in *relations {
                    found.extend(self.links_where(condition, params![project, fold(relation)])?);
                }
                Ok(found)
            }
            LinkFilter::WithVerb => {
                let condition = "l.project = ?1 AND l.relation <> ?2 ORDER BY p.path, l.line, l.number";
                self.links_where(condition, params![project, lore_page::LINKS_TO])
            }
            LinkFilter::Named(names) => {
                let mut found = Vec::new();
                for name in names.iter().filter(|name| !name.is_empty()) {
                    found.extend(self.links_where("l.project = ?1 AND l.name = ?2", params![project, name])?);
                    found.extend(self.links_where(
                        "l.project = ?1 AND l.slug = ?2 AND l.slug <> ''",
                        params![project, name],
                    )?);
                }
                Ok(found)
            }
        }
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
        let conditions = Conditions::beyond_fts(query.filter);
        let limit = query.window.limit.min(i64::MAX as usize);
        let offset = query.window.offset.min(i64::MAX as usize);
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
