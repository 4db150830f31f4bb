//! Tracks which pages of a vault changed, through Lore or by hand, so that clients can be notified.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use lore_engine::{Report, Result, VaultContext};
use lore_ports::{Fingerprint, PageNo};
use lore_text::{path_slug, stable_number};

/// Changes of pages.
#[derive(Debug, Clone)]
pub struct PageChanges {
    /// The vault.
    pub root: Arc<Path>,
    /// Whether pages were added, removed or moved.
    pub list: bool,
    /// Slugs of the pages that changed.
    pub slugs: Arc<[String]>,
}

/// The files of a vault as the index had them when clients were last notified, as numbers to save memory.
pub(super) struct ChangeTracker {
    root: Arc<Path>,
    /// The number of each path and that of its content.
    seen: HashMap<u64, u64>,
}

impl ChangeTracker {
    /// Starts from the index as it is.
    pub(super) fn new(context: &VaultContext) -> Result<ChangeTracker> {
        let known = context.store().fingerprints(context.project(), context.replica(), None)?;
        let seen = known.iter().map(|page| (path_number(&page.path), content_number(page))).collect();
        Ok(ChangeTracker { root: context.vault().root().into(), seen })
    }

    /// Returns what changed since, at the paths that a report names or, if it looked at the whole vault, anywhere. `None` if
    /// nothing did.
    pub(super) fn changes(&mut self, context: &VaultContext, report: &Report) -> Result<Option<PageChanges>> {
        let moved = report.moved.iter().flat_map(|(from, to)| [from, to]);
        let named = report.added.iter().chain(&report.modified).chain(&report.removed).chain(&report.touched);
        let named: BTreeSet<String> = named.chain(moved).cloned().collect();
        let only = if report.pages.is_some() { None } else { Some(&named) };
        let known = context.store().fingerprints(context.project(), context.replica(), only)?;
        let mut found = Found::default();
        let mut now = HashMap::with_capacity(known.len());
        for page in &known {
            let (path, content) = (path_number(&page.path), content_number(page));
            now.insert(path, content);
            match self.seen.get(&path) {
                Some(before) if *before == content => {}
                before => found.note(page, before.is_none()),
            }
        }
        let is_gone = |path: &&String| !now.contains_key(&path_number(path));
        let gone: Vec<&String> = named.iter().filter(is_gone).collect();
        found.list |= gone.iter().any(|path| self.seen.contains_key(&path_number(path)));
        found.list |= only.is_none() && now.len() < self.seen.len();
        found.removed.extend(
            gone.iter().filter(|path| self.seen.contains_key(&path_number(path))).map(|path| path_slug(path)),
        );
        match only {
            None => self.seen = now,
            Some(_) => {
                for path in &gone {
                    self.seen.remove(&path_number(path));
                }
                self.seen.extend(now);
            }
        }
        self.page_changes(context, found)
    }

    fn page_changes(&self, context: &VaultContext, found: Found) -> Result<Option<PageChanges>> {
        if !found.list && found.pages.is_empty() {
            return Ok(None);
        }
        let rows = context.store().pages(context.project(), &found.pages)?;
        let slugs = rows.into_iter().map(|row| row.slug).chain(found.removed).collect();
        Ok(Some(PageChanges { root: self.root.clone(), list: found.list, slugs }))
    }
}

/// Changed pages so far.
#[derive(Default)]
struct Found {
    list: bool,
    pages: Vec<PageNo>,
    /// Slugs of pages that are gone, as far as their paths tell.
    removed: Vec<String>,
}

impl Found {
    fn note(&mut self, page: &Fingerprint, is_new: bool) {
        self.list |= is_new;
        self.pages.push(page.page);
    }
}

fn path_number(path: &str) -> u64 {
    stable_number(&[path])
}

fn content_number(page: &Fingerprint) -> u64 {
    page.hash.0.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
