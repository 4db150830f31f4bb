//! What a person should look over: pages that say the same, pages that nothing is linked to, what is contested, superseded
//! or old, pages that are too broad, captures that no page rests on; what contradicts what, what is asked in vain, names
//! that are no links, links that lead nowhere. Nothing is changed here.

mod health;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_page::fold;

pub use health::{Alike, Broken};

use crate::capture::page_terms;
use crate::check::Finding;
use crate::error::Result;
use crate::index::{Filter, LabelKind, LinkEnds, Order, PageRow, Window};
use crate::intake::GapRow;
use crate::likeness::overlap;
use crate::memory::Memory;
use crate::mentions::MissingLink;
use crate::progress::Progress;
use crate::timeframe::date_millis;
use crate::vault::{files_below, is_page_path};

/// From which likeness on two pages may be one.
const SAME: f64 = 0.7;

/// How many terms two pages must share before they are held against each other.
const SHARED: usize = 4;

/// A term that more pages have says nothing about which of them are alike.
const COMMON: usize = 50;

/// Where the count of pages at the last look is kept.
const LOOKED: &str = "curated";

/// What to look over.
#[derive(Debug, Default)]
pub struct Curation {
    /// Pages of two that may be one, with their likeness.
    pub duplicates: Vec<(String, String, f64)>,
    /// Pages with no link from or to another.
    pub orphans: Vec<String>,
    /// Pages at odds with another, and why.
    pub contested: Vec<(String, String)>,
    /// Pages in whose place another stands, and why.
    pub superseded: Vec<(String, String)>,
    /// Pages that grew stale otherwise, and why.
    pub stale: Vec<(String, String)>,
    /// What cannot all be true and is not settled.
    pub findings: Vec<Finding>,
    /// Questions that found no answer, the oldest first.
    pub gaps: Vec<GapRow>,
    /// Names of pages that are no links.
    pub missing_links: Vec<MissingLink>,
    /// Links that lead nowhere.
    pub broken_links: Vec<Broken>,
    /// Tags that differ only in how they are written.
    pub tags: Vec<Alike>,
    /// Pages nobody has touched for long, the longest first.
    pub untouched: Vec<String>,
    /// Pages that may be several, with their words.
    pub broad: Vec<(String, usize)>,
    /// Captures that no page names as its source.
    pub unused_captures: Vec<String>,
    /// Captures that are unusually large, with their bytes.
    pub large_captures: Vec<(String, u64)>,
    /// How many pages there are.
    pub pages: u64,
    /// Whether a look is due.
    pub due: bool,
}

/// Looks the vault over.
pub fn curate(memory: &Memory, progress: Progress<'_>) -> Result<Curation> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let pages = memory.store().list(memory.project(), &Filter::default(), Order::Title, all)?;
    let mut found = Curation {
        orphans: orphans(memory, &pages)?,
        untouched: untouched(memory, &pages),
        pages: pages.len() as u64,
        due: curation_due(memory)?,
        ..Curation::default()
    };
    health::look(memory, &pages, &mut found, progress)?;
    same_and_broad(memory, &pages, &mut found)?;
    captures(memory, &pages, &mut found);
    Ok(found)
}

/// Whether enough pages have come since the last look.
pub fn curation_due(memory: &Memory) -> Result<bool> {
    let policy = memory.policy();
    // Asked at the start of every session: to count all there is would cost more than the rest of the brief.
    let types = memory.store().labels(memory.project(), LabelKind::Type)?;
    let pages: u64 = types.into_iter().map(|(_, pages)| pages).sum();
    let noted = memory.store().setting(&format!("{LOOKED}/{}", memory.project()))?;
    let due_at = match noted.and_then(|noted| noted.parse::<u64>().ok()) {
        Some(last) => last + policy.curate.every,
        None => policy.curate.first,
    };
    Ok(policy.curate.first > 0 && pages >= due_at)
}

/// Notes that the pages were looked over.
pub fn mark_curated(memory: &Memory) -> Result<()> {
    let pages = memory.store().counts(memory.project())?.pages;
    memory.store().set_setting(&format!("{LOOKED}/{}", memory.project()), &pages.to_string())
}

fn orphans(memory: &Memory, pages: &[PageRow]) -> Result<Vec<String>> {
    let numbers: Vec<i64> = pages.iter().map(|page| page.number).collect();
    let links = memory.store().links(memory.project(), &LinkEnds::From(&numbers))?;
    let mut linked = BTreeSet::new();
    for link in links.iter().filter(|link| link.to.is_some_and(|to| to != link.from)) {
        linked.insert(link.from);
        linked.extend(link.to);
    }
    Ok(pages.iter().filter(|page| !linked.contains(&page.number)).map(|page| page.path.clone()).collect())
}

fn untouched(memory: &Memory, pages: &[PageRow]) -> Vec<String> {
    let before = memory.policy().curate.untouched.before(&memory.now());
    let mut old: Vec<(i64, String)> = pages
        .iter()
        .map(|page| (last_touch(page), page.path.clone()))
        .filter(|(touched, _)| *touched < before)
        .collect();
    old.sort();
    old.into_iter().map(|(_, path)| path).collect()
}

/// The day the page itself names, the latest of them; else the file's last change.
fn last_touch(page: &PageRow) -> i64 {
    let noted = ["updated", "reviewed", "last_curated"];
    let days = noted.iter().filter_map(|key| page.properties.text(key).and_then(date_millis));
    days.max().unwrap_or(page.updated)
}

fn same_and_broad(memory: &Memory, pages: &[PageRow], found: &mut Curation) -> Result<()> {
    let mut by_title: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut by_term: HashMap<String, Vec<usize>> = HashMap::new();
    let mut terms = Vec::with_capacity(pages.len());
    for (at, page) in pages.iter().enumerate() {
        by_title.entry(fold(&page.title)).or_default().push(at);
        let own = page_terms(memory, page)?;
        for term in &own {
            by_term.entry(term.clone()).or_default().push(at);
        }
        terms.push(own);
        let words = memory.vault().read(&page.path, u64::MAX)?.map_or(0, |file| words_in(&file.bytes));
        if words > memory.policy().curate.broad_words {
            found.broad.push((page.path.clone(), words));
        }
    }
    let mut shared: HashMap<(usize, usize), usize> = HashMap::new();
    for holders in by_term.values().filter(|holders| holders.len() <= COMMON) {
        for (at, one) in holders.iter().enumerate() {
            for other in &holders[at + 1..] {
                *shared.entry((*one, *other)).or_default() += 1;
            }
        }
    }
    let alike = shared.into_iter().filter(|(_, count)| *count >= SHARED);
    let mut pairs: BTreeMap<(usize, usize), f64> = alike
        .map(|((one, other), _)| ((one, other), overlap(&terms[one], &terms[other])))
        .filter(|(_, likeness)| *likeness >= SAME)
        .collect();
    for same in by_title.into_values().filter(|same| same.len() > 1) {
        pairs.extend(same.windows(2).map(|two| ((two[0], two[1]), 1.0)));
    }
    found.duplicates = pairs
        .into_iter()
        .map(|((one, other), score)| (pages[one].path.clone(), pages[other].path.clone(), score))
        .collect();
    Ok(())
}

fn words_in(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).split_whitespace().count()
}

fn captures(memory: &Memory, pages: &[PageRow], found: &mut Curation) {
    let policy = memory.policy();
    let Some(raw) = &policy.raw else { return };
    let sources: BTreeSet<&str> = pages.iter().filter_map(|page| page.properties.text("source")).collect();
    for (path, size) in files_below(memory.vault(), &raw.folder) {
        if size > raw.large_bytes {
            found.large_captures.push((path.clone(), size));
        }
        let whole = path.starts_with(&format!("{}/files/", raw.folder));
        if is_page_path(&path) && !whole && !sources.contains(path.as_str()) {
            found.unused_captures.push(path);
        }
    }
}
