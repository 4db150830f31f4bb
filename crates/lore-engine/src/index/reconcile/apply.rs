//! Applies a batch of changes in one transaction: pages, versions, slugs, then the affected links.

use std::collections::{BTreeSet, HashMap};

use lore_page::{Diagnostic, Parsed, parse};
use lore_ports::{FileFailure, Fingerprint, PageNo, PageRow, PageWrite};
use lore_text::{ContentHash, path_slug};
use lore_vault::{DiskFile, FileBytes, Skipped, decode, stat};

use super::rows::BatchRows;
use super::slugs::Holders;
use super::{Report, read, slugs};
use crate::context::VaultContext;
use crate::error::Result;
use crate::index::diff::Change;
use crate::index::draft::{DraftSource, Inherited, derived_id, draft, storable};
use crate::index::proposal::Proposal;
use crate::index::relink::relink;

/// Nanoseconds within which a file may change again without a change of its mtime: some file systems have a resolution
/// of two seconds.
const SETTLING: i64 = 2_000_000_000;

/// Stored with the last version of a path that has no page, in place of the hash of its bytes: the next page there gets
/// the next version, even if it has the same bytes.
const NO_TEXT: ContentHash = ContentHash([0; 32]);

/// A change with its file read and parsed.
pub(super) enum Prepared<'a> {
    Put {
        file: &'a DiskFile,
        known: Option<&'a Fingerprint>,
        moved: bool,
        read: Box<ReadPage>,
    },
    Remove(&'a Fingerprint),
    Failed {
        file: &'a DiskFile,
        reason: String,
    },
    /// Gone and never indexed, or unchanged.
    Nothing,
}

impl Prepared<'_> {
    /// Whether the index must be written.
    pub(super) fn is_work(&self) -> bool {
        !matches!(self, Prepared::Nothing)
    }

    /// The page and the paths whose rows it needs.
    fn needs(&self) -> (Option<PageNo>, [Option<&String>; 2]) {
        match self {
            Prepared::Put { file, known, .. } => {
                (known.map(|known| known.page), [Some(&file.path), known.map(|known| &known.path)])
            }
            Prepared::Remove(known) => (Some(known.page), [Some(&known.path), None]),
            Prepared::Failed { .. } | Prepared::Nothing => (None, [None, None]),
        }
    }
}

/// A page's file, read and parsed.
pub(super) struct ReadPage {
    text: String,
    hash: ContentHash,
    size: u64,
    mtime: i64,
    parsed: Parsed,
}

/// Reads and parses the file of a change.
pub(super) fn prepare<'a>(
    context: &VaultContext,
    change: &Change<'a>,
    failures: &HashMap<String, FileFailure>,
    proposal: Option<&Proposal>,
) -> Prepared<'a> {
    let (file, known, moved) = match change {
        Change::Added(file) => (*file, None, false),
        Change::Modified(file, known) => (*file, Some(*known), false),
        Change::Moved(file, known) => (*file, Some(*known), true),
        Change::Removed(known) => return Prepared::Remove(known),
    };
    match read(context, &file.path, proposal) {
        Ok(Some(bytes)) => {
            let hash = ContentHash::of(&bytes.bytes);
            let stamp = (hash, bytes.bytes.len() as u64, settled(context, bytes.mtime));
            let same = |known: &Fingerprint| (known.hash, known.size, known.mtime) == stamp;
            if !moved && !failures.contains_key(&file.path) && known.is_some_and(same) {
                return Prepared::Nothing;
            }
            Prepared::Put { file, known, moved, read: Box::new(read_page(&file.path, &bytes, hash)) }
        }
        Ok(None) => known.map_or(Prepared::Nothing, Prepared::Remove),
        Err(error) => Prepared::Failed { file, reason: error.to_string() },
    }
}

fn read_page(path: &str, file: &FileBytes, hash: ContentHash) -> ReadPage {
    let decoded = decode(&file.bytes);
    let text = storable(decoded.text);
    let mut parsed = parse(path, &text);
    let mut odd = |message: String| parsed.diagnostics.push(Diagnostic { line: 1, message });
    if let Some(encoding) = decoded.encoding {
        odd(format!("the file is not UTF-8; it was read as {encoding}"));
    }
    if file.bytes.contains(&0) {
        odd("the file contains a NUL byte".into());
    }
    ReadPage { hash, size: file.bytes.len() as u64, mtime: file.mtime, text: text.into_owned(), parsed }
}

/// The state of a batch.
pub(super) struct Batch<'a> {
    context: &'a VaultContext,
    failures: &'a HashMap<String, FileFailure>,
    report: &'a mut Report,
    proposal: Option<&'a Proposal>,
    rows: BatchRows<'a>,
    claims: BTreeSet<String>,
    holders: Holders,
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        context: &'a VaultContext,
        failures: &'a HashMap<String, FileFailure>,
        report: &'a mut Report,
        proposal: Option<&'a Proposal>,
    ) -> Self {
        let (rows, claims, holders) = (BatchRows::new(context), BTreeSet::new(), Holders::default());
        Batch { context, failures, report, proposal, rows, claims, holders }
    }

    /// Reads a page's file: its planned contents if it is in the proposal, else what is on disk.
    fn read(&self, path: &str) -> Result<Option<FileBytes>> {
        read(self.context, path, self.proposal.filter(|proposal| proposal.contains_key(path)))
    }

    /// Applies the changes in their order.
    pub(super) fn apply(&mut self, all: &'a [Prepared<'a>]) -> Result<()> {
        let needs: Vec<_> = all.iter().map(Prepared::needs).collect();
        let pages: Vec<PageNo> = needs.iter().filter_map(|(page, _)| *page).collect();
        let paths = needs.iter().flat_map(|(_, paths)| paths).flatten().map(|path| (*path).clone());
        self.rows.load(&pages, paths.collect())?;
        all.iter().try_for_each(|one| self.apply_one(one))
    }

    fn apply_one(&mut self, one: &'a Prepared<'a>) -> Result<()> {
        match one {
            Prepared::Put { file, known, moved, read } => self.put(file, *known, *moved, read),
            Prepared::Remove(known) => self.remove(known),
            Prepared::Failed { file, reason } => self.fail(file, reason),
            Prepared::Nothing => Ok(()),
        }
    }

    /// Assigns contested slugs, then resolves the affected links again.
    pub(super) fn finish(mut self) -> Result<()> {
        self.rows.flush()?;
        let settled = slugs::settle(self.context, std::mem::take(&mut self.claims))?;
        self.rows.load(&[], settled.iter().map(|(path, _)| path.clone()).collect())?;
        for (path, slug) in settled {
            // A file that cannot be read keeps its slug until it can be read again.
            if let Ok(Some(bytes)) = self.read(&path) {
                let row = self.rows.page_at(&path)?;
                if let Some(row) = &row {
                    self.holders.had(&path, row);
                }
                let read = read_page(&path, &bytes, ContentHash::of(&bytes.bytes));
                self.write(&path, &read, row.as_ref(), &slug)?;
                self.holders.has(&path, &slug);
            }
        }
        if let Some(proposal) = self.proposal {
            self.holders.refuse_taken(proposal)?;
        }
        self.rows.flush()?;
        self.holders.count_versions(self.context)?;
        relink(self.context.store(), self.context.project(), &self.rows.pages, &self.rows.names)
    }

    fn put(
        &mut self,
        file: &'a DiskFile,
        known: Option<&Fingerprint>,
        moved: bool,
        read: &ReadPage,
    ) -> Result<()> {
        if self.failures.contains_key(&file.path) {
            self.rows.set_failure(&file.path, None);
        }
        // The plan was made before the transaction. Other processes may have changed files and rows since, so each is
        // looked up again by its path: what counts is the state now.
        let here = self.rows.page_at(&file.path)?;
        let origin = match known.filter(|_| moved) {
            Some(known) => self.origin(known, here.is_some())?,
            None => None,
        };
        let indexed = origin.as_ref().or(here.as_ref()).map(|row| row.hash);
        let is_current = self.proposal.is_some()
            || indexed == known.map(|known| known.hash) && self.is_as_read(&file.path, read);
        let fresh;
        let read = match is_current {
            true => read,
            false => match self.read(&file.path) {
                Ok(Some(bytes)) => {
                    fresh = read_page(&file.path, &bytes, ContentHash::of(&bytes.bytes));
                    &fresh
                }
                _ => return Ok(()),
            },
        };
        // A file that was changed since the plan was made is no longer known to be the one that moved.
        let origin = origin.filter(|row| is_current || row.hash == read.hash);
        if let Some(known) = known.filter(|_| moved && origin.is_none()) {
            self.remove(known)?;
        }
        let moved = origin.is_some();
        let mut row = origin.or(here);
        if let Some(known) = row.as_ref().filter(|row| !moved && row.hash == read.hash) {
            self.rows.write(touch(self.context, known.number, read.mtime));
            return Ok(());
        }
        if let Some(row) = &row {
            self.holders.had(&row.path, row);
        }
        if let Some(from) = row.as_mut().filter(|row| row.path != file.path) {
            self.rows.write(PageWrite::Move { page: from.number, to: &file.path });
            self.claims.insert(path_slug(&from.path));
            self.move_history(from, &file.path)?;
            carry_id(&mut self.rows, from, &file.path);
            if self.proposal.is_none() {
                self.rows.add_former(&from.path, &file.path)?;
            }
            self.report.moved.push((from.path.clone(), file.path.clone()));
            from.path.clone_from(&file.path);
        } else if let Some(row) = &row {
            self.keep_written(row.clone());
            self.report.modified.push(file.path.clone());
        } else {
            self.report.added.push(file.path.clone());
        }
        let claim = path_slug(&file.path);
        self.claims.insert(claim.clone());
        self.holders.has(&file.path, &claim);
        self.write(&file.path, read, row.as_ref(), &claim)
    }

    /// Returns the page that a file moved from, if it still is that page, its file is gone, and no other page has taken
    /// the new path.
    fn origin(&mut self, known: &Fingerprint, is_taken: bool) -> Result<Option<PageRow>> {
        if is_taken || self.is_there(&known.path) {
            return Ok(None);
        }
        let row = self.rows.page(known.page)?;
        Ok(row.filter(|row| row.path == known.path && row.hash == known.hash))
    }

    /// Whether a file is still the one that was read, as far as its mtime and size tell.
    fn is_as_read(&self, path: &str, read: &ReadPage) -> bool {
        self.context.vault().stamp(path) == Some((read.mtime, read.size))
    }

    /// Moves the history of a page to its new path. No path has a version twice: the page continues after the one that
    /// was there, and the next page at the old path after this one.
    fn move_history(&mut self, from: &PageRow, to: &str) -> Result<()> {
        let before = self.rows.version(to)?.map_or(0, |(version, _)| version);
        self.rows.rename(&from.path, to)?;
        if before >= from.version {
            self.rows.set_version(to, before + 1, from.hash);
        }
        self.rows.set_version(&from.path, from.version, NO_TEXT);
        Ok(())
    }

    fn write(&mut self, path: &str, read: &ReadPage, row: Option<&PageRow>, slug: &str) -> Result<()> {
        let inherited = Inherited {
            id: self.rows.identity(path)?,
            created: row.map(|row| row.created),
            former: self.rows.former(path)?,
        };
        self.note_version(path, read.hash, row)?;
        let source = DraftSource {
            path,
            slug: slug.to_owned(),
            claim: path_slug(path),
            hash: read.hash,
            size: read.size,
            mtime: read.mtime,
            settled: settled(self.context, read.mtime) != 0,
            text: &read.text,
        };
        let draft = draft(&source, &read.parsed, &self.context.policy(), &inherited);
        self.rows.write(PageWrite::Put(Box::new(draft)));
        Ok(())
    }

    /// Increments the version of a page whose bytes changed. Pages that never changed since they were first seen have
    /// version 1 and need no row in the ledger.
    fn note_version(&mut self, path: &str, hash: ContentHash, row: Option<&PageRow>) -> Result<()> {
        let before = self.rows.version(path)?.or(row.map(|row| (1, row.hash)));
        if let Some((version, _)) = before.filter(|(_, old)| *old != hash) {
            self.rows.set_version(path, version + 1, hash);
        }
        Ok(())
    }

    /// Keeps what Lore last wrote to a page that somebody has overwritten or deleted since: the file was the only copy.
    fn keep_written(&mut self, row: PageRow) {
        if self.proposal.is_none() {
            self.rows.keep_written(row);
        }
    }

    fn remove(&mut self, known: &Fingerprint) -> Result<()> {
        let Some(row) = self.rows.page(known.page)?.filter(|row| row.path == known.path) else {
            return Ok(());
        };
        if self.is_there(&row.path) {
            return Ok(());
        }
        self.keep_written(row.clone());
        // The version is stored so that a new page under this path continues from it.
        self.rows.set_version(&row.path, row.version, NO_TEXT);
        self.holders.had(&row.path, &row);
        self.rows.forget_former(&row.path)?;
        self.rows.write(PageWrite::Remove(row.number));
        self.claims.insert(path_slug(&row.path));
        self.report.removed.push(row.path);
        Ok(())
    }

    /// Whether a page that seemed to be gone exists after all. Scanning a vault takes time, and other processes write
    /// meanwhile; here no one else can be in the middle of a write.
    fn is_there(&self, path: &str) -> bool {
        let look = || stat(self.context.vault(), &BTreeSet::from([path.to_owned()]));
        self.proposal.is_none() && self.context.policy().indexes(path) && !look().files.is_empty()
    }

    fn fail(&mut self, file: &DiskFile, reason: &str) -> Result<()> {
        let before = self.failures.get(&file.path);
        let same = before.filter(|failure| failure.size == file.size && failure.mtime == file.mtime);
        let count = same.map_or(0, |failure| failure.count) + 1;
        let failure = FileFailure {
            path: file.path.clone(),
            size: file.size,
            mtime: file.mtime,
            count,
            reason: reason.to_owned(),
        };
        self.report.skipped.push(Skipped { path: failure.path.clone(), reason: failure.reason.clone() });
        self.rows.set_failure(&file.path, Some(failure));
        Ok(())
    }
}

/// Keeps the id of a page whose file has none when it moves, and gives the next page at the old path another one.
fn carry_id(rows: &mut BatchRows<'_>, page: &PageRow, to: &str) {
    if page.properties.get("id").is_none() {
        rows.set_identity(to, &page.id);
        rows.set_identity(&page.path, &derived_id(&[&page.path, &page.id]));
    }
}

/// Returns the write that records a file's time.
pub(super) fn touch(context: &VaultContext, page: PageNo, mtime: i64) -> PageWrite<'static> {
    PageWrite::Touch { page, mtime: settled(context, mtime), updated: mtime / 1_000_000 }
}

/// Returns the file's mtime if it can be trusted, else 0: a file this recent is checked again next time.
fn settled(context: &VaultContext, mtime: i64) -> i64 {
    let now = context.now().timestamp().as_nanosecond() as i64;
    if (now - mtime).abs() > SETTLING { mtime } else { 0 }
}
