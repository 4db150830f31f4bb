//! Reconciles the index with the files: scan the disk, plan, apply. Start-up, `sync`, the watcher and the writer all
//! use this, so that the index follows the files by the same rules in every case.

mod apply;
mod rows;
mod slugs;

use std::collections::{BTreeSet, HashMap};

use lore_ports::{FileFailure, Progress, StateChange, transaction};
use lore_text::ContentHash;
use lore_vault::fault::{PLANNED, fault};
use lore_vault::{DiskFile, FileBytes, Scan, Skipped, scan, stat};

use crate::context::VaultContext;
use crate::error::Result;
use crate::index::diff::{Change, ScanMode, changed_candidates, changes};
use crate::index::proposal::Proposal;
use crate::policy::PathClass;

use apply::{Batch, Prepared, prepare};

/// Bytes of pages per transaction: enough to be fast, little enough to let other processes in.
const BATCH_BYTES: u64 = 1_500_000;

/// Pages per transaction. Each transaction resolves the links to names that changed in it again; were there more of them,
/// names that many small pages share would cost much.
const BATCH_PAGES: usize = 4000;

/// After this many consecutive failures, a file is skipped until its bytes change.
const FAILURES: u32 = 3;

/// What to reconcile.
#[derive(Debug)]
pub enum ReconcileScope<'a> {
    /// The whole vault.
    Everything(ScanMode),
    /// Only these paths. `moved` lists pages known to have moved from one of them to another, even if their bytes
    /// changed at the same time.
    Paths {
        /// The paths.
        paths: &'a BTreeSet<String>,
        /// From, to.
        moved: &'a [(String, String)],
        /// The planned contents of the files, if they are not on disk yet.
        proposal: Option<&'a Proposal>,
    },
}

/// The result of a reconcile.
#[derive(Debug, Default, Clone)]
pub struct Report {
    /// New pages.
    pub added: Vec<String>,
    /// Changed pages.
    pub modified: Vec<String>,
    /// Moved pages: from, to.
    pub moved: Vec<(String, String)>,
    /// Deleted pages.
    pub removed: Vec<String>,
    /// Files that were not indexed, and why.
    pub skipped: Vec<Skipped>,
    /// Writes that a killed process had left unfinished, and how they were recovered.
    pub recovered: Vec<String>,
    /// Pages that a watcher reported, whether or not the index still had to follow: somebody else may have updated it.
    pub touched: Vec<String>,
    /// Number of pages, if the whole vault was reconciled.
    pub pages: Option<usize>,
}

impl Report {
    /// Whether any page changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.moved.is_empty() && self.removed.is_empty()
    }
}

/// Brings the index up to date with the files.
pub fn reconcile(
    context: &VaultContext,
    look: &ReconcileScope<'_>,
    progress: Progress<'_>,
) -> Result<Report> {
    let (store, project) = (context.store(), context.project());
    // The index is read before the disk: a page that another process creates in between is then new, never gone.
    let (known, Scan { mut files, skipped, unreadable }, trust, moved) = match look {
        ReconcileScope::Everything(trust) => {
            (store.fingerprints(project, context.replica(), None)?, scan(context.vault()), *trust, &[][..])
        }
        ReconcileScope::Paths { paths, moved, proposal } => {
            let known = store.fingerprints(project, context.replica(), Some(paths))?;
            let found = proposal.map_or_else(|| stat(context.vault(), paths), |new| proposed(context, new));
            (known, found, ScanMode::Nothing, *moved)
        }
    };
    let proposal = match look {
        ReconcileScope::Paths { proposal, .. } => *proposal,
        ReconcileScope::Everything(_) => None,
    };
    let policy = context.policy();
    files.retain(|file| policy.indexes(&file.path));
    if matches!(look, ReconcileScope::Everything(_)) && files.is_empty() && unreadable.is_empty() {
        context.check_not_vanished(known.len())?;
    }
    let failures = failures(context)?;
    let mut report = Report { skipped, ..Default::default() };
    let mut changed_candidates = changed_candidates(&files, &known, trust);
    changed_candidates.gone.retain(|page| !unreadable.iter().any(|folder| is_below(&page.path, folder)));
    let mut plan = changes(changed_candidates, moved, |file| hash_of(context, file, proposal));
    plan.retain(|change| !is_quarantined(context, change, &failures, trust, &mut report));
    clear_resolved_failures(context, look, &files, &failures)?;
    let mut done_with = 0;
    while done_with < plan.len() {
        let chunk = &plan[done_with..done_with + batch(&plan[done_with..])];
        done_with += chunk.len();
        // Files are read and parsed before the transaction, to keep it short.
        let prepared: Vec<Prepared<'_>> =
            chunk.iter().map(|change| prepare(context, change, &failures, proposal)).collect();
        if !prepared.iter().any(Prepared::is_work) {
            continue;
        }
        fault(PLANNED);
        let mut done = Report::default();
        transaction(context.store(), || {
            done = Report::default();
            let mut batch = Batch::new(context, &failures, &mut done, proposal);
            batch.apply(&prepared)?;
            batch.finish()
        })?;
        merge(&mut report, done);
        progress(done_with, plan.len())?;
    }
    if !report.is_empty() {
        let now = context.now().timestamp().as_millisecond();
        store.set_state(project, &StateChange::Indexed(now))?;
    }
    if matches!(look, ReconcileScope::Everything(_)) {
        report.pages = Some((known.len() + report.added.len()).saturating_sub(report.removed.len()));
    }
    Ok(report)
}

/// Returns how many of the next changes go into one transaction; at least one.
fn batch(next: &[Change<'_>]) -> usize {
    let mut bytes = 0;
    let fits = next.iter().take(BATCH_PAGES).take_while(|change| {
        bytes += match change {
            Change::Added(file) | Change::Modified(file, _) | Change::Moved(file, _) => file.size,
            Change::Removed(_) => 0,
        };
        bytes <= BATCH_BYTES
    });
    fits.count().max(1)
}

/// Records the mtimes of files that were just written, whose bytes the index already has.
pub(crate) fn record_times(context: &VaultContext, paths: &BTreeSet<String>) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    let files = stat(context.vault(), paths).files;
    let mut touched = Vec::new();
    for known in store.fingerprints(project, context.replica(), Some(paths))? {
        if let Some(file) = files.iter().find(|file| file.path == known.path) {
            touched.push(apply::touch(context, known.page, file.mtime));
        }
    }
    store.apply(project, context.replica(), &touched)?;
    Ok(())
}

/// Whether a path is in a folder, at any depth.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn failures(context: &VaultContext) -> Result<HashMap<String, FileFailure>> {
    let rows = context.store().failures(context.project())?;
    Ok(rows.into_iter().map(|failure| (failure.path.clone(), failure)).collect())
}

/// Whether a file has failed too often and has not changed since. Such a file is reported, not retried, unless it can be
/// opened by now: repaired permissions change neither its size nor its mtime.
fn is_quarantined(
    context: &VaultContext,
    change: &Change<'_>,
    failures: &HashMap<String, FileFailure>,
    trust: ScanMode,
    report: &mut Report,
) -> bool {
    let (Change::Added(file) | Change::Modified(file, _) | Change::Moved(file, _)) = change else {
        return false;
    };
    let Some(failure) = failures.get(&file.path) else { return false };
    let unchanged = failure.size == file.size && failure.mtime == file.mtime;
    let limit = context.policy().limits.page_bytes;
    let give_up = unchanged
        && failure.count >= FAILURES
        && trust == ScanMode::Stat
        && !context.vault().can_open(&file.path, limit);
    if give_up {
        let reason = format!("{} ({} failures; skipped until it changes)", failure.reason, failure.count);
        report.skipped.push(Skipped { path: file.path.clone(), reason });
    }
    give_up
}

/// Clears the failures of files that no longer exist.
fn clear_resolved_failures(
    context: &VaultContext,
    look: &ReconcileScope<'_>,
    files: &[DiskFile],
    failures: &HashMap<String, FileFailure>,
) -> Result<()> {
    if failures.is_empty() || matches!(look, ReconcileScope::Paths { .. }) {
        return Ok(());
    }
    let there: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let gone: Vec<(&str, Option<&FileFailure>)> = failures
        .keys()
        .filter(|path| !there.contains(path.as_str()))
        .map(|path| (path.as_str(), None))
        .collect();
    Ok(context.store().set_failures(context.project(), &gone)?)
}

fn hash_of(context: &VaultContext, file: &DiskFile, proposal: Option<&Proposal>) -> Option<ContentHash> {
    read(context, &file.path, proposal).ok().flatten().map(|read| ContentHash::of(&read.bytes))
}

/// Reads a page's file as it is, or as it is about to be.
fn read(context: &VaultContext, path: &str, proposal: Option<&Proposal>) -> Result<Option<FileBytes>> {
    match proposal {
        Some(new) => {
            let mtime = context.now().timestamp().as_nanosecond() as i64;
            Ok(new.get(path).cloned().flatten().map(|bytes| FileBytes { bytes, mtime }))
        }
        None => Ok(context.vault().read(path, context.policy().limits.page_bytes)?),
    }
}

/// Returns the pages of a proposal as a scan of the disk would.
fn proposed(context: &VaultContext, proposal: &Proposal) -> Scan {
    let file = |(path, bytes): (&String, &Option<Vec<u8>>)| {
        let size = bytes.as_ref()?.len() as u64;
        (context.classify(path) == PathClass::Page).then(|| DiskFile { path: path.clone(), size, mtime: 0 })
    };
    Scan { files: proposal.iter().filter_map(file).collect(), ..Scan::default() }
}

fn merge(report: &mut Report, mut done: Report) {
    report.added.append(&mut done.added);
    report.modified.append(&mut done.modified);
    report.moved.append(&mut done.moved);
    report.removed.append(&mut done.removed);
    report.skipped.append(&mut done.skipped);
}
