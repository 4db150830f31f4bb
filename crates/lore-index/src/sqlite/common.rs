//! Words that most pages have: BM25 gives them no weight, and to rank every page by them is most of what a question
//! would cost. To count them costs too, so that what was found is remembered until the database changes.

use std::collections::HashMap;

use lore_engine::{Expression, ProjectNo, Result};
use rusqlite::params;

use super::SqliteStore;
use super::fts::render_in_words;

/// So few pages are all ranked: it costs nothing, and each of them may be wanted.
const FEW: i64 = 200;

/// So many words are remembered.
const REMEMBERED: usize = 4096;

/// What is known of words, for one state of the database.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// Changes of others, and our own.
    state: (i64, u64),
    /// Pages of each project.
    pages: HashMap<ProjectNo, i64>,
    /// Whether more than half of a project's pages have it.
    words: HashMap<(ProjectNo, String), bool>,
}

impl SqliteStore {
    /// The expression without those alternatives that more than half of the pages have.
    pub(super) fn without_common(&self, project: ProjectNo, expression: &Expression) -> Result<Expression> {
        let any = match expression {
            Expression::Without(wanted, unwanted) => {
                let wanted = self.without_common(project, wanted)?;
                return Ok(Expression::Without(Box::new(wanted), unwanted.clone()));
            }
            Expression::Telling(any) if any.len() > 1 => any,
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
        Ok(Expression::Telling(if rare.is_empty() { any.clone() } else { rare }))
    }

    fn forget_outdated(&self) -> Result<()> {
        let others = self.one("looked for changes", "PRAGMA data_version", [], |row| row.get(0))?;
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
        let pages = self.one("counted pages", sql, [project], |row| row.get(0))?.unwrap_or(0);
        self.common.borrow_mut().pages.insert(project, pages);
        Ok(pages)
    }

    /// Whether so many pages have it. What FTS5 cannot read is left for the search itself to judge.
    fn is_common(&self, project: ProjectNo, term: String, enough: i64) -> Result<bool> {
        let key = (project, term);
        if let Some(known) = self.common.borrow().words.get(&key) {
            return Ok(*known);
        }
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM fts_{project} WHERE fts_{project} MATCH ?1 LIMIT ?2)"
        );
        let found = self.one("counted pages", &sql, params![key.1, enough], |row| row.get::<_, i64>(0));
        let common = found.is_ok_and(|found| found.is_some_and(|found| found >= enough));
        self.common.borrow_mut().words.insert(key, common);
        Ok(common)
    }
}
