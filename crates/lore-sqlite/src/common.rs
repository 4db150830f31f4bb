//! Detects words that occur in most pages: BM25 gives them no weight, and ranking every page by them would dominate the
//! cost of a query. Counting is expensive too, so results are cached until the database changes.

use std::collections::HashMap;

use lore_ports::{Expression, ProjectNo, Result};
use rusqlite::params;

use crate::SqliteStore;
use crate::fts::render_in_words;

/// A vault with fewer pages is ranked completely: it costs nothing, and each page may be relevant.
const FEW: i64 = 200;

/// Maximum number of cached words.
const REMEMBERED: usize = 4096;

/// Cached word frequencies for one state of the database.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// Data version (changes by other connections) and our own change count.
    state: (i64, u64),
    /// Number of pages per project.
    pages: HashMap<ProjectNo, i64>,
    /// Whether a word occurs in more than half of a project's pages.
    words: HashMap<(ProjectNo, String), bool>,
}

impl SqliteStore {
    /// Removes the alternatives that occur in more than half of the pages.
    pub(super) fn without_common(&self, project: ProjectNo, expression: &Expression) -> Result<Expression> {
        let any = match expression {
            Expression::Without(wanted, unwanted) => {
                let wanted = self.without_common(project, wanted)?;
                return Ok(Expression::Without(Box::new(wanted), unwanted.clone()));
            }
            Expression::AnyRare(any) if any.len() > 1 => any,
            other => return Ok(other.clone()),
        };
        self.forget_outdated()?;
        let pages = self.count_pages(project)?;
        if pages < FEW {
            return Ok(expression.clone());
        }
        let mut rare = Vec::new();
        for term in any {
            if !self.is_common(project, render_in_words(term), pages / 2 + 1)? {
                rare.push(term.clone());
            }
        }
        Ok(Expression::AnyRare(if rare.is_empty() { any.clone() } else { rare }))
    }

    fn forget_outdated(&self) -> Result<()> {
        let others = self.one("read the data version", "PRAGMA data_version", [], |row| row.get(0))?;
        let state = (others.unwrap_or_default(), self.connection.total_changes());
        let mut common = self.common.borrow_mut();
        if common.state != state || common.words.len() >= REMEMBERED {
            *common = Common { state, ..Common::default() };
        }
        Ok(())
    }

    fn count_pages(&self, project: ProjectNo) -> Result<i64> {
        if let Some(pages) = self.common.borrow().pages.get(&project) {
            return Ok(*pages);
        }
        let sql = "SELECT count(*) FROM page WHERE project = ?1";
        let pages = self.one("count pages", sql, [project], |row| row.get(0))?.unwrap_or(0);
        self.common.borrow_mut().pages.insert(project, pages);
        Ok(pages)
    }

    /// Returns whether at least `enough` pages match. Terms that FTS5 cannot parse are left to the search itself.
    fn is_common(&self, project: ProjectNo, term: String, enough: i64) -> Result<bool> {
        let key = (project, term);
        if let Some(known) = self.common.borrow().words.get(&key) {
            return Ok(*known);
        }
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM fts_{project} WHERE fts_{project} MATCH ?1 LIMIT ?2)"
        );
        let found = self.one("count pages", &sql, params![key.1, enough], |row| row.get::<_, i64>(0));
        let common = found.is_ok_and(|found| found.is_some_and(|found| found >= enough));
        self.common.borrow_mut().words.insert(key, common);
        Ok(common)
    }
}
