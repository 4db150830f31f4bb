//! Reads links.

use lore_ports::{LinkFilter, LinkRow, PageNo, ProjectNo, Result};
use lore_text::fold;
use rusqlite::{Params, params};

use crate::SqliteStore;
use crate::rows::{self, LINK};

impl SqliteStore {
    fn links_where(&self, condition: &str, params: impl Params) -> Result<Vec<LinkRow>> {
        let sql =
            format!("SELECT {LINK} FROM link l JOIN page p ON p.number = l.from_page WHERE {condition}");
        self.all("read links", &sql, params, rows::link)
    }

    pub(super) fn read_links(&self, project: ProjectNo, ends: &LinkFilter<'_>) -> Result<Vec<LinkRow>> {
        let each = |condition: &str, pages: &[PageNo]| -> Result<Vec<LinkRow>> {
            let mut found = Vec::new();
            for page in pages {
                found.extend(self.links_where(condition, [page])?);
            }
            Ok(found)
        };
        match ends {
            LinkFilter::From(pages) => each("l.from_page = ?1 ORDER BY l.line, l.number", pages),
            LinkFilter::To(pages) => each("l.to_page = ?1 ORDER BY p.path, l.line, l.number", pages),
            LinkFilter::Pending => {
                self.links_where("l.project = ?1 AND l.to_page IS NULL ORDER BY p.path, l.line", [project])
            }
            LinkFilter::WithHeading => self.links_where(
                "l.project = ?1 AND l.heading IS NOT NULL ORDER BY p.path, l.line, l.number",
                [project],
            ),
            LinkFilter::Ids(ids) => {
                let mut found = Vec::new();
                for id in *ids {
                    // Ids have 52 bits, so the conversion is lossless.
                    let id = i64::try_from(*id).unwrap_or(-1);
                    let condition = "l.project = ?1 AND l.id = ?2 ORDER BY p.path, l.line, l.number";
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
}
