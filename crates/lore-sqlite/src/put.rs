//! Writes a page's rows, table by table.

use lore_ports::{PageDraft, PageNo, ProjectNo, ReplicaNo, Result, StatementKind, name_in_fact};
use lore_text::{Language, fold};
use rusqlite::params;
use serde_json::to_string;

use crate::SqliteStore;
use crate::filter::label_name;

impl SqliteStore {
    /// Removes everything that belongs to a page, except links to it and its chunks.
    pub(super) fn clear_page(&self, project: ProjectNo, page: PageNo) -> Result<()> {
        for sql in [
            "DELETE FROM name WHERE page = ?1",
            "DELETE FROM label WHERE page = ?1",
            "DELETE FROM link WHERE from_page = ?1",
            "DELETE FROM statement WHERE page = ?1",
        ] {
            self.run("clear a page", sql, [page])?;
        }
        self.remove_fts(project, page)
    }

    pub(super) fn put_row(
        &self,
        project: ProjectNo,
        replica: ReplicaNo,
        draft: &PageDraft,
        number: Option<PageNo>,
    ) -> Result<PageNo> {
        let row = &draft.row;
        let json = |text: serde_json::Result<String>| text.unwrap_or_else(|_| "null".into());
        self.run(
            "write a page",
            "INSERT OR REPLACE INTO page(number, project, path, slug, id, title, kind, status, wing, summary, tags,
               properties, diagnostics, hash, size, mtime, created, updated, declared_date,
               title_key, replica)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
            params![
                number,
                project,
                row.path,
                row.slug,
                row.id,
                row.title,
                row.kind,
                row.status,
                row.wing,
                row.summary,
                json(to_string(&row.tags)),
                json(to_string(&row.properties)),
                json(to_string(&row.diagnostics)),
                row.hash.0,
                row.size as i64,
                draft.mtime,
                row.created,
                row.updated,
                draft.declared_date,
                fold(&row.title),
                replica,
            ],
        )?;
        Ok(number.unwrap_or_else(|| self.connection.last_insert_rowid()))
    }

    pub(super) fn put_names(&self, project: ProjectNo, page: PageNo, draft: &PageDraft) -> Result<()> {
        for (kind, name) in &draft.keys {
            self.run(
                "write a page's names",
                "INSERT OR IGNORE INTO name(project, name, kind, page) VALUES (?1, ?2, ?3, ?4)",
                params![project, name, *kind as u8, page],
            )?;
        }
        let write = |kind: &str, value: &str| {
            self.run(
                "write a page's labels",
                "INSERT OR IGNORE INTO label(project, kind, value, page) VALUES (?1, ?2, ?3, ?4)",
                params![project, kind, value, page],
            )
        };
        for (label, value) in draft.row.labels() {
            write(label_name(label), &value)?;
        }
        let language = draft.text.language;
        if language != Language::English {
            write("language", language.code())?;
        }
        Ok(())
    }

    pub(super) fn put_links(&self, project: ProjectNo, page: PageNo, draft: &PageDraft) -> Result<()> {
        for link in &draft.links {
            self.run(
                "write a page's links",
                "INSERT INTO link(project, id, from_page, relation, target, name, slug, heading, label, context,
                   valid_from, valid_until, line, relation_key)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                params![
                    project,
                    link.id as i64,
                    page,
                    link.relation,
                    link.target,
                    link.names[0],
                    link.names[1],
                    link.heading,
                    link.label,
                    link.context,
                    link.interval.from.map(|date| date.to_string()),
                    link.interval.until.map(|date| date.to_string()),
                    link.line,
                    fold(&link.relation),
                ],
            )?;
        }
        Ok(())
    }

    pub(super) fn put_statements(&self, project: ProjectNo, page: PageNo, draft: &PageDraft) -> Result<()> {
        for said in &draft.statements {
            let fact = said.kind == StatementKind::Fact;
            let subject = said.subject.as_deref().filter(|_| fact).map(name_in_fact);
            self.run(
                "write a page's statements",
                "INSERT INTO statement(page, kind, first, last, subject, predicate, object, valid_from, valid_until,
                   notes, project, subject_name, object_name)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    page,
                    said.kind as u8,
                    said.lines.first,
                    said.lines.last,
                    said.subject,
                    said.predicate,
                    said.object,
                    said.interval.from.map(|date| date.to_string()),
                    said.interval.until.map(|date| date.to_string()),
                    to_string(&said.notes).unwrap_or_else(|_| "[]".into()),
                    project,
                    subject,
                    fact.then(|| name_in_fact(&said.object)),
                ],
            )?;
        }
        Ok(())
    }
}
