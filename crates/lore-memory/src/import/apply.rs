//! One run of an import: reads the source, decides about each item, and writes in parts. A part is one call of the write
//! path: all of its files, its rows in the index and its manifest, or none. A source is one part unless it is large.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::{
    Action, BatchNote, Error, LedgerNotes, PageChange, Receipt, Result, VaultContext, WriteOptions, write_as,
};
use lore_ports::{LinkFilter, PageNo, Progress};
use lore_text::ContentHash;
use lore_vault::{Skipped, SourceTree, VaultPath, is_page_path};

use super::decide::{Decision, Judge, Planned};
use super::manifest::{ImportedItem, Known, Manifest, OriginalFile, known};
use super::originals::{clean, keep_originals};
use super::report::{ImportReport, ImportedPage};
use super::{Found, ImportKind, ImportOptions, Proposed, TableReader, kinds};

/// Size of the files of one part, in bytes.
const PART: usize = 32 * 1024 * 1024;

/// How often a part is written again without pages that the vault refuses.
const ATTEMPTS: usize = 5;

/// One run of an import.
pub(super) struct Run<'a> {
    context: &'a VaultContext,
    tree: &'a SourceTree,
    kind: ImportKind,
    dry_run: bool,
    tables: Option<TableReader<'a>>,
    replaces: Option<&'a str>,
    known: Known,
    folder: String,
    report: ImportReport,
    /// Id of the batch.
    batch: String,
    /// Number of the next part.
    part: u32,
    /// Items to write in the next part.
    planned: Vec<Planned>,
    planned_bytes: usize,
    /// Items to record, by their key: those that are already there.
    settled: BTreeMap<String, ImportedItem>,
    /// Whether an item that is already there is not recorded yet.
    adopted: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        context: &'a VaultContext,
        tree: &'a SourceTree,
        kind: ImportKind,
        options: &ImportOptions<'a>,
    ) -> Result<Run<'a>> {
        let source = tree.root().display().to_string();
        let folder = options.folder.map_or_else(|| kinds::folder(kind, &context.policy()), str::to_owned);
        let folder = folder.trim_matches('/').to_owned();
        if !folder.is_empty() {
            VaultPath::parse(&folder)?;
        }
        let now = context.now();
        let unique = ContentHash::of(format!("{source} {kind:?} {}", now.timestamp()).as_bytes());
        Ok(Run {
            known: known(context, kind, &source)?,
            batch: format!("{}-{}", now.strftime("%Y%m%dT%H%M%S%3f"), &unique.to_string()[..8]),
            report: ImportReport::new(kind, source),
            context,
            tree,
            kind,
            dry_run: options.dry_run,
            tables: options.tables,
            replaces: options.replaces,
            folder,
            part: 0,
            planned: Vec::new(),
            planned_bytes: 0,
            settled: BTreeMap::new(),
            adopted: false,
        })
    }

    /// Reads the source and writes what is new. The originals of unread files are those of the last import.
    pub(super) fn run(mut self, unread: Vec<String>, progress: Progress<'_>) -> Result<ImportReport> {
        if self.may_break_off() {
            kinds::read(self.kind, self.tree, self.tables, &mut |_| Ok(()))?;
        }
        let mut originals =
            keep_originals(self.context, self.tree, !self.dry_run, &mut self.report, progress)?;
        let known = std::mem::take(&mut self.known);
        let unread: BTreeSet<String> = unread.into_iter().collect();
        originals.extend(known.last.originals.iter().filter(|file| unread.contains(&file.path)).cloned());
        originals.sort_by(|a, b| a.path.cmp(&b.path));
        self.report.originals = originals.len();
        self.report.original_bytes = originals.iter().map(|file| file.size).sum();
        let mut judge = Judge {
            context: self.context,
            folder: self.folder.clone(),
            taken: known.items.values().map(|item| lore_text::fold(&item.path)).collect(),
            known: &known,
        };
        self.report.skipped.extend(self.tree.skipped.iter().cloned());
        let (tree, kind, tables) = (self.tree, self.kind, self.tables);
        kinds::read(kind, tree, tables, &mut |found| self.take(&mut judge, found))?;
        if self.report.redacted > 0 && !tree.is_folder() && self.report.not_kept.is_empty() {
            // The credentials are inside the archive, where the bytes do not show them.
            let reason = "it contains credentials, which the pages do not".to_owned();
            self.report
                .not_kept
                .extend(originals.drain(..).map(|file| Skipped { path: file.path, reason: reason.clone() }));
            (self.report.originals, self.report.original_bytes) = (0, 0);
        }
        self.finish(&known, originals)?;
        self.report.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        self.report.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self.report)
    }

    /// Whether a damaged source could be noticed only after a part of it is written. It is read once before, so that it leaves
    /// nothing. Of a directory of notes, each file is whole by itself.
    fn may_break_off(&self) -> bool {
        let size: u64 = self.tree.files.iter().map(|file| file.size).sum();
        let is_one = !self.tree.is_folder() || self.kind.has_conversations();
        is_one && !self.dry_run && size > PART as u64
    }

    /// Takes what the reader found; writes a part when it is large enough.
    fn take(&mut self, judge: &mut Judge<'_>, found: Found) -> Result<()> {
        let item: Proposed = match found {
            Found::Skipped { path, reason } => {
                self.report.skipped.push(Skipped { path, reason });
                return Ok(());
            }
            Found::Item(item) => item,
        };
        let (key, redacted) = (item.key.clone(), item.redacted);
        match judge.decide(item)? {
            Decision::Write(planned) => {
                self.report.redacted += redacted;
                self.planned_bytes += planned.bytes.len();
                self.planned.push(planned);
            }
            Decision::Unchanged(item) => {
                self.report.redacted += redacted;
                self.adopted |= judge.known.items.get(&key) != Some(&item);
                self.report.unchanged += 1;
                self.settled.insert(key, item);
            }
            Decision::Conflict { path, reason } => {
                self.settled.extend(judge.known.items.get(&key).map(|item| (key.clone(), item.clone())));
                self.report.conflicts.push(Skipped { path, reason: reason.to_owned() });
            }
            Decision::Skip { reason } => self.report.skipped.push(Skipped { path: key, reason }),
        }
        if self.planned_bytes >= PART {
            self.write_part(Manifest::default(), false)?;
        }
        Ok(())
    }

    /// Writes the last part with the list of originals, if there is anything to record.
    fn finish(&mut self, known: &Known, originals: Vec<OriginalFile>) -> Result<()> {
        let empty_folders = self.tree.empty_folders.clone();
        let is_same = known.is_complete
            && known.last.originals == originals
            && known.last.empty_folders == empty_folders;
        if self.planned.is_empty() && self.part == 0 && is_same && !self.adopted {
            return Ok(());
        }
        // What this source had before and has no more stays known: nothing is deleted from the vault.
        let mut items = known.items.clone();
        items.append(&mut self.settled);
        self.write_part(Manifest { items, originals, empty_folders }, true)?;
        if !self.dry_run {
            self.report.batch = Some(self.batch.clone());
            if let Some(earlier) = self.replaces {
                self.context.store().remove_batch(self.context.project(), earlier)?;
            }
            clean(self.context)?;
        }
        Ok(())
    }

    fn write_part(&mut self, manifest: Manifest, is_last: bool) -> Result<()> {
        let mut planned = std::mem::take(&mut self.planned);
        self.planned_bytes = 0;
        if !self.dry_run {
            let receipt = self.write(&mut planned, manifest, is_last)?;
            self.report.commits.extend(receipt.commit);
            self.report.warnings.extend(receipt.warnings);
            self.count_links(&planned)?;
        }
        self.part += 1;
        for Planned { key, path, outcome, .. } in planned {
            let list =
                if is_page_path(&path) { &mut self.report.pages } else { &mut self.report.attachments };
            list.push(ImportedPage { path, from: key, outcome });
        }
        Ok(())
    }

    /// Writes a part. Pages that only the whole change shows to be invalid are left out.
    fn write(&mut self, planned: &mut Vec<Planned>, manifest: Manifest, is_last: bool) -> Result<Receipt> {
        for _ in 1..ATTEMPTS {
            let done = self.try_write(planned, &manifest, is_last);
            let refused: BTreeMap<String, String> = match done {
                Err(Error::Lint { ref findings }) => {
                    findings.iter().map(|found| (found.path.clone(), found.message.clone())).collect()
                }
                Err(ref error @ Error::SlugTaken { ref path, .. }) => {
                    BTreeMap::from([(path.clone(), error.to_string())])
                }
                done => return done,
            };
            let before = planned.len();
            planned.retain(|one| !refused.contains_key(&one.path));
            if planned.len() == before {
                return done;
            }
            let skipped = refused.into_iter().map(|(path, reason)| Skipped { path, reason });
            self.report.skipped.extend(skipped);
        }
        self.try_write(planned, &manifest, is_last)
    }

    fn try_write(&self, planned: &[Planned], manifest: &Manifest, is_last: bool) -> Result<Receipt> {
        let mut manifest = manifest.clone();
        let mut changes = Vec::with_capacity(planned.len());
        for one in planned {
            let item = ImportedItem { path: one.path.clone(), proposed: one.proposed, written: None };
            manifest.items.insert(one.key.clone(), item);
            changes.push(PageChange {
                path: VaultPath::known(one.path.clone()),
                action: Action::Put(one.bytes.clone()),
                expected_version: Some(one.version),
            });
        }
        let manifest = serde_json::to_vec(&manifest).unwrap_or_default();
        let note = BatchNote {
            batch: self.batch.clone(),
            part: self.part,
            kind: self.kind.name().to_owned(),
            source: self.report.source.clone(),
            is_last,
            hash: ContentHash::of(&manifest),
            manifest,
        };
        let count = planned.len();
        let files = if count == 1 { "file" } else { "files" };
        let subject = Some(format!("Import {count} {files} from {}", self.kind.name()));
        let noted = LedgerNotes { batch: Some(note), ..LedgerNotes::default() };
        // A page that nobody has edited is replaced as a whole; the others get what they lack, and keep the rest.
        let options = WriteOptions { subject, noted, overwrite: true, ..WriteOptions::default() };
        write_as(self.context, &changes, &options)
    }

    fn count_links(&mut self, planned: &[Planned]) -> Result<()> {
        let mut numbers: BTreeSet<PageNo> = BTreeSet::new();
        for one in planned.iter().filter(|one| is_page_path(&one.path)) {
            numbers.extend(self.context.page_at(&one.path)?.map(|row| row.number));
        }
        let numbers: Vec<PageNo> = numbers.into_iter().collect();
        for some in numbers.chunks(500) {
            for row in self.context.store().links(self.context.project(), &LinkFilter::From(some))? {
                match row.to {
                    Some(_) => self.report.links_resolved += 1,
                    None => self.report.links_pending += 1,
                }
            }
        }
        Ok(())
    }
}
