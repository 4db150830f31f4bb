//! Counts the pages that contain a term. Counting is expensive, so results are cached until the database changes.

use std::collections::HashMap;

use lore_ports::{DocumentFrequencies, Expression, ProjectNo, Result};
use rusqlite::params;

use crate::SqliteStore;
use crate::fts::{is_syntax_error, render_in_words};

/// Maximum number of cached terms.
const CACHED_TERMS: usize = 4096;

/// Cached counts for one state of the database.
#[derive(Debug, Default)]
pub(super) struct TermCounts {
    /// Data version (changes by other connections) and our own change count.
    state: (i64, u64),
    /// Number of pages per project.
    pages: HashMap<ProjectNo, i64>,
    /// Number of pages with a term, counted up to a limit.
    terms: HashMap<(ProjectNo, String, i64), i64>,
}

impl SqliteStore {
    pub(super) fn count_documents(
        &self,
        project: ProjectNo,
        terms: &[&Expression],
        enough: f64,
    ) -> Result<DocumentFrequencies> {
        self.flush_words()?;
        self.forget_outdated_counts()?;
        let pages = self.count_pages(project)?;
        let limit = (pages as f64 * enough) as i64 + 1;
        let count = |term: &&Expression| self.count_term(project, render_in_words(term), limit);
        let counts = terms.iter().map(count).collect::<Result<Vec<u64>>>()?;
        Ok(DocumentFrequencies { pages: pages.unsigned_abs(), counts })
    }

    fn forget_outdated_counts(&self) -> Result<()> {
        let others = self.one("read the data version", "PRAGMA data_version", [], |row| row.get(0))?;
        let state = (others.unwrap_or_default(), self.connection.total_changes());
        let mut counts = self.counts.borrow_mut();
        if counts.state != state || counts.terms.len() >= CACHED_TERMS {
            *counts = TermCounts { state, ..TermCounts::default() };
        }
        Ok(())
    }

    fn count_pages(&self, project: ProjectNo) -> Result<i64> {
        if let Some(pages) = self.counts.borrow().pages.get(&project) {
            return Ok(*pages);
        }
        let sql = "SELECT count(*) FROM page WHERE project = ?1";
        let pages = self.one("count pages", sql, [project], |row| row.get(0))?.unwrap_or(0);
        self.counts.borrow_mut().pages.insert(project, pages);
        Ok(pages)
    }

    /// Counts matching pages up to a limit. A term that FTS5 cannot parse counts as rare: the search itself decides.
    fn count_term(&self, project: ProjectNo, term: String, limit: i64) -> Result<u64> {
        let key = (project, term, limit);
        if let Some(known) = self.counts.borrow().terms.get(&key) {
            return Ok(known.unsigned_abs());
        }
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM fts_{project} WHERE fts_{project} MATCH ?1 LIMIT ?2)"
        );
        let found = self.one("count pages", &sql, params![key.1, limit], |row| row.get::<_, i64>(0));
        let count = match found {
            Err(error) if is_syntax_error(&error) => 0,
            found => found?.unwrap_or_default(),
        };
        self.counts.borrow_mut().terms.insert(key, count);
        Ok(count.unsigned_abs())
    }
}
