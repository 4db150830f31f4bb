//! The rows of a batch: read at once before it, written at once after it, so that a database is asked once per batch and
//! not once per page. What a change reads is always the state that the changes before it leave.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_ports::{FileFailure, PageNo, PageRow, PageWrite, WrittenFile};
use lore_text::ContentHash;

use crate::context::VaultContext;
use crate::error::Result;

/// Reads and collected writes of a batch.
pub(super) struct BatchRows<'a> {
    context: &'a VaultContext,
    /// Rows that no collected write affects.
    rows: HashMap<PageNo, PageRow>,
    /// The pages at paths, `None` where there is none.
    at: HashMap<String, Option<PageNo>>,
    /// The versions of paths, collected writes included.
    versions: HashMap<String, Known<(u64, ContentHash)>>,
    /// The ids assigned to paths, collected writes included.
    ids: HashMap<String, Known<String>>,
    /// The former paths of pages moved outside Lore, each with the current path; read when first needed.
    former: Option<BTreeMap<String, String>>,
    /// Changes of these.
    new_former: BTreeMap<String, Option<String>>,
    /// Pages that somebody has overwritten or deleted.
    overwritten: Vec<PageRow>,
    renames: Vec<(String, String)>,
    failures: Vec<(String, Option<FileFailure>)>,
    writes: Vec<PageWrite<'a>>,
    /// Pages that were written.
    pub(super) pages: Vec<PageNo>,
    /// Names whose links must be resolved again.
    pub(super) names: BTreeSet<String>,
}

/// A value of the ledger, and whether it must still be written.
struct Known<T> {
    value: Option<T>,
    is_new: bool,
}

impl<T> Known<T> {
    fn stored(value: Option<T>) -> Self {
        Known { value, is_new: false }
    }

    fn new(value: T) -> Self {
        Known { value: Some(value), is_new: true }
    }
}

impl<'a> BatchRows<'a> {
    pub(super) fn new(context: &'a VaultContext) -> Self {
        let (rows, at, versions, ids, names) = Default::default();
        let (overwritten, renames, failures, writes, pages) = Default::default();
        let (former, new_former) = Default::default();
        BatchRows {
            context,
            rows,
            at,
            versions,
            ids,
            former,
            new_former,
            overwritten,
            renames,
            failures,
            writes,
            pages,
            names,
        }
    }

    /// Reads everything about these paths, and about pages that were last seen at one of them.
    pub(super) fn load(&mut self, pages: &[PageNo], paths: BTreeSet<String>) -> Result<()> {
        let (store, project, replica) =
            (self.context.store(), self.context.project(), self.context.replica());
        if paths.is_empty() {
            return Ok(());
        }
        let known = store.fingerprints(project, replica, Some(&paths))?;
        let numbers: BTreeSet<PageNo> =
            pages.iter().copied().chain(known.iter().map(|known| known.page)).collect();
        let numbers: Vec<PageNo> = numbers.into_iter().collect();
        self.at.extend(paths.iter().map(|path| (path.clone(), None)));
        if !numbers.is_empty() {
            for row in store.pages(project, &numbers)? {
                self.at.insert(row.path.clone(), Some(row.number));
                self.rows.insert(row.number, row);
            }
        }
        let list: Vec<&str> = paths.iter().map(String::as_str).collect();
        let versions = store.versions(project, &list)?.into_iter().map(Known::stored);
        self.versions.extend(paths.iter().cloned().zip(versions));
        let ids = store.identities(project, &list)?.into_iter().map(Known::stored);
        self.ids.extend(paths.iter().cloned().zip(ids));
        Ok(())
    }

    /// Returns a page's row.
    pub(super) fn page(&mut self, number: PageNo) -> Result<Option<PageRow>> {
        if let Some(row) = self.rows.get(&number) {
            return Ok(Some(row.clone()));
        }
        self.flush()?;
        Ok(self.context.store().pages(self.context.project(), &[number])?.pop())
    }

    /// Returns the row of the page at a path.
    pub(super) fn page_at(&mut self, path: &str) -> Result<Option<PageRow>> {
        match self.at.get(path) {
            Some(None) => Ok(None),
            Some(Some(number)) => self.page(*number),
            None => {
                self.flush()?;
                self.context.page_at(path)
            }
        }
    }

    /// Returns the version of a path and the hash of its bytes.
    pub(super) fn version(&mut self, path: &str) -> Result<Option<(u64, ContentHash)>> {
        if let Some(known) = self.versions.get(path) {
            return Ok(known.value);
        }
        let found = self.context.store().version(self.context.project(), path)?;
        self.versions.insert(path.to_owned(), Known::stored(found));
        Ok(found)
    }

    /// Stores the version of a path.
    pub(super) fn set_version(&mut self, path: &str, version: u64, hash: ContentHash) {
        self.forget(path);
        self.versions.insert(path.to_owned(), Known::new((version, hash)));
    }

    /// Returns the id assigned to the page at a path.
    pub(super) fn identity(&mut self, path: &str) -> Result<Option<String>> {
        if let Some(known) = self.ids.get(path) {
            return Ok(known.value.clone());
        }
        let found = self.context.store().identities(self.context.project(), &[path])?.pop().flatten();
        self.ids.insert(path.to_owned(), Known::stored(found.clone()));
        Ok(found)
    }

    /// Assigns an id to the page at a path.
    pub(super) fn set_identity(&mut self, path: &str, id: &str) {
        self.ids.insert(path.to_owned(), Known::new(id.to_owned()));
    }

    /// Returns the paths that the page at a path had before it was moved outside Lore.
    pub(super) fn former(&mut self, path: &str) -> Result<Vec<String>> {
        let all = self.all_former()?;
        Ok(all.iter().filter(|(_, page)| *page == path).map(|(former, _)| former.clone()).collect())
    }

    /// Stores that a page was moved outside Lore.
    pub(super) fn add_former(&mut self, from: &str, to: &str) -> Result<()> {
        self.all_former()?.insert(from.to_owned(), to.to_owned());
        self.new_former.insert(from.to_owned(), Some(to.to_owned()));
        // A page that moves back has its own path again.
        if self.all_former()?.remove(to).is_some() {
            self.new_former.insert(to.to_owned(), None);
        }
        Ok(())
    }

    /// Forgets the former paths of a page that is gone.
    pub(super) fn forget_former(&mut self, path: &str) -> Result<()> {
        for former in self.former(path)? {
            self.all_former()?.remove(&former);
            self.new_former.insert(former, None);
        }
        Ok(())
    }

    fn all_former(&mut self) -> Result<&mut BTreeMap<String, String>> {
        if self.former.is_none() {
            let all = self.context.store().former_paths(self.context.project())?;
            self.former = Some(all.into_iter().collect());
        }
        Ok(self.former.get_or_insert_default())
    }

    /// Moves the history of a page to its new path.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        for former in self.former(from)? {
            self.all_former()?.insert(former.clone(), to.to_owned());
        }
        self.version(from)?;
        self.forget(from);
        self.forget(to);
        if let Some(known) = self.versions.insert(from.to_owned(), Known::stored(None)) {
            self.versions.insert(to.to_owned(), known);
        }
        self.renames.push((from.to_owned(), to.to_owned()));
        Ok(())
    }

    /// Keeps the bytes that Lore last wrote to a page, if the index knew them.
    pub(super) fn keep_written(&mut self, row: PageRow) {
        self.overwritten.push(row);
    }

    /// Stores the failure of a path, or clears it.
    pub(super) fn set_failure(&mut self, path: &str, failure: Option<FileFailure>) {
        self.failures.push((path.to_owned(), failure));
    }

    /// Adds a change of the index.
    pub(super) fn write(&mut self, write: PageWrite<'a>) {
        match &write {
            PageWrite::Put(draft) => self.forget(&draft.row.path),
            PageWrite::Move { page, to } => {
                self.forget_page(*page);
                self.forget(to);
            }
            PageWrite::Touch { page, .. } | PageWrite::Remove(page) => self.forget_page(*page),
        }
        self.writes.push(write);
    }

    /// Forgets the row at a path, which a write affects: it must be read again.
    fn forget(&mut self, path: &str) {
        if let Some(Some(number)) = self.at.remove(path) {
            self.rows.remove(&number);
        }
    }

    fn forget_page(&mut self, number: PageNo) {
        if let Some(row) = self.rows.remove(&number) {
            self.at.remove(&row.path);
        }
    }

    /// Writes everything that was collected.
    pub(super) fn flush(&mut self) -> Result<()> {
        let (store, project, replica) =
            (self.context.store(), self.context.project(), self.context.replica());
        if !self.overwritten.is_empty() {
            let vault = self.context.vault();
            let files: Vec<WrittenFile<'_>> = self
                .overwritten
                .iter()
                .map(|PageRow { path, version, hash, .. }| WrittenFile {
                    path,
                    version: *version,
                    hash: Some(*hash),
                    mode: vault.mode(path),
                })
                .collect();
            store.keep_written(project, &files, self.context.ledger_time()?.recorded)?;
            self.overwritten.clear();
        }
        if !self.renames.is_empty() {
            let moves: Vec<(&str, &str)> =
                self.renames.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
            store.rename(project, &moves)?;
            self.renames.clear();
        }
        if !self.new_former.is_empty() {
            let paths: Vec<(&str, Option<&str>)> =
                self.new_former.iter().map(|(path, page)| (path.as_str(), page.as_deref())).collect();
            store.set_former_paths(project, &paths)?;
            self.new_former.clear();
        }
        let versions: Vec<(&str, u64, ContentHash)> = unwritten(&mut self.versions)
            .into_iter()
            .map(|(path, (version, hash))| (path, *version, *hash))
            .collect();
        if !versions.is_empty() {
            store.set_versions(project, &versions)?;
        }
        let ids: Vec<(&str, &str)> =
            unwritten(&mut self.ids).into_iter().map(|(path, id)| (path, id.as_str())).collect();
        if !ids.is_empty() {
            store.set_identities(project, &ids)?;
        }
        let failures: Vec<(&str, Option<&FileFailure>)> =
            self.failures.iter().map(|(path, failure)| (path.as_str(), failure.as_ref())).collect();
        if !failures.is_empty() {
            store.set_failures(project, &failures)?;
            self.failures.clear();
        }
        let writes = std::mem::take(&mut self.writes);
        if writes.is_empty() {
            return Ok(());
        }
        for (write, written) in writes.iter().zip(store.apply(project, replica, &writes)?) {
            self.names.extend(written.names);
            if matches!(write, PageWrite::Put(_)) {
                self.pages.push(written.page);
            }
        }
        Ok(())
    }
}

/// Returns the values that must still be written, sorted by path, and marks them as written.
fn unwritten<T>(all: &mut HashMap<String, Known<T>>) -> Vec<(&str, &T)> {
    let new = all.iter_mut().filter_map(|(path, known)| {
        let is_new = std::mem::take(&mut known.is_new);
        Some((path.as_str(), known.value.as_ref().filter(|_| is_new)?))
    });
    let mut new: Vec<(&str, &T)> = new.collect();
    new.sort_unstable_by_key(|(path, _)| *path);
    new
}
