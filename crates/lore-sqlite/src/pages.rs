//! Applies changes to pages.

use std::collections::HashSet;

use lore_ports::{PageDraft, PageNo, PageWrite, PageWritten, ProjectNo, ReplicaNo, Result};
use rusqlite::params;

use crate::SqliteStore;

impl SqliteStore {
    pub(super) fn apply_writes(
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

    fn names_of(&self, page: PageNo) -> Result<Vec<(u8, String)>> {
        self.all("read a page's names", "SELECT kind, name FROM name WHERE page = ?1", [page], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    fn page_at(&self, project: ProjectNo, path: &str) -> Result<Option<PageNo>> {
        let sql = "SELECT number FROM page WHERE project = ?1 AND path = ?2";
        self.one("find a page", sql, params![project, path], |row| row.get(0))
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
