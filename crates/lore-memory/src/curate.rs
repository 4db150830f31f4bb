//! Lists what needs review: likely duplicates, orphans, contested, superseded and stale pages, overly broad pages,
//! unused captures, contradictions, unanswered questions, unlinked mentions and broken links. Changes nothing.

mod health;
mod namespace;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_text::fold;

pub use health::TagVariants;
pub use lore_engine::BrokenLink;

use lore_engine::{
    Action, Authority, Edit, Error, PageChange, Receipt, Result, VaultContext, Verb, WriteOptions,
    page_terms, write_as,
};
use lore_page::{Format, Value, edit};
use lore_ports::{
    Filter, GapRow, LabelKind, LinkFilter, Namespace, Order, PageRow, Progress, StateChange, Window,
};
use lore_text::{date_millis, jaccard};
use lore_vault::{VaultPath, decode, files_below, is_page_path};

use crate::check::Contradiction;
use crate::mentions::MissingLink;

/// Minimum similarity of likely duplicates.
const SAME: f64 = 0.7;

/// Minimum number of shared terms for two pages to be compared.
const SHARED: usize = 4;

/// Terms on more pages than this do not indicate similarity and are skipped.
const COMMON: usize = 50;

/// Result of a review.
#[derive(Debug, Default)]
pub struct Curation {
    /// Pairs of likely duplicates, with their similarity.
    pub duplicates: Vec<(String, String, f64)>,
    /// Pages without links to or from another page.
    pub orphans: Vec<String>,
    /// Contested pages, with the reason.
    pub contested: Vec<(String, String)>,
    /// Superseded pages, with the reason.
    pub superseded: Vec<(String, String)>,
    /// Other stale pages, with the reason.
    pub stale: Vec<(String, String)>,
    /// Unsettled contradictions.
    pub findings: Vec<Contradiction>,
    /// Unanswered questions, oldest first.
    pub gaps: Vec<GapRow>,
    /// Unlinked mentions of pages.
    pub missing_links: Vec<MissingLink>,
    /// Links that do not resolve.
    pub broken_links: Vec<BrokenLink>,
    /// Tags that differ only in spelling.
    pub tags: Vec<TagVariants>,
    /// Pages not changed for a long time, oldest first.
    pub untouched: Vec<String>,
    /// Pages that may need to be split, with their word counts.
    pub broad: Vec<(String, usize)>,
    /// Captures that no page names as its source.
    pub unused_captures: Vec<String>,
    /// Unusually large captures, with their sizes in bytes.
    pub large_captures: Vec<(String, u64)>,
    /// Number of pages.
    pub pages: u64,
    /// Whether a review is due.
    pub due: bool,
}

/// Reviews the vault.
pub fn curate(context: &VaultContext, progress: Progress<'_>) -> Result<Curation> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let pages = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
    let mut found = Curation {
        orphans: orphans(context, &pages)?,
        untouched: untouched(context, &pages),
        pages: pages.len() as u64,
        due: curation_due(context)?,
        ..Curation::default()
    };
    health::add_findings(context, &pages, &mut found, progress)?;
    duplicates_and_broad_pages(context, &pages, &mut found)?;
    captures(context, &pages, &mut found);
    Ok(found)
}

/// Property with the date of a page's last review. It is in the file, so that every machine knows it.
const LAST_CURATED: &str = "last_curated";

/// Returns whether enough pages were added since the last review.
pub fn curation_due(context: &VaultContext) -> Result<bool> {
    let policy = context.policy();
    // Called at the start of every session: counting everything would cost more than the rest of the brief.
    let types = context.store().labels(context.project(), LabelKind::Type)?;
    let pages: u64 = types.into_iter().map(|(_, pages)| pages).sum();
    if policy.curate.first == 0 || pages < policy.curate.first.min(policy.curate.every.max(1)) {
        return Ok(false);
    }
    let due_at = match known_review(context)? {
        Some(last) => last + policy.curate.every,
        None => policy.curate.first,
    };
    Ok(pages >= due_at)
}

/// Returns the number of pages at the last review: as recorded here, else from the dates in the files, which may have
/// been written on another machine.
fn known_review(context: &VaultContext) -> Result<Option<u64>> {
    if let Some(pages) = context.store().state(context.project())?.curated_pages {
        return Ok(Some(pages));
    }
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let pages = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
    let stamp = |page: &PageRow| page.properties.text(LAST_CURATED).and_then(date_millis);
    let Some(last) = pages.iter().filter_map(stamp).max() else { return Ok(None) };
    // A page without a date of its own was there before: the time at which this index saw it first says nothing.
    let created = |page: &PageRow| page.properties.text("created").and_then(date_millis);
    let added = pages.iter().filter(|page| created(page).is_some_and(|day| day > last)).count() as u64;
    let known = pages.len() as u64 - added;
    // Remembered, so that the next session need not ask every page.
    context.store().set_state(context.project(), &StateChange::CuratedPages(known))?;
    Ok(Some(known))
}

/// Records that pages were reviewed: these, or those that were not reviewed or changed for the longest time, as many as a
/// review is due for, of one namespace if there is one. The date is written into their files.
pub fn mark_curated(
    context: &VaultContext,
    references: &[String],
    namespace: Option<&Namespace>,
) -> Result<Receipt> {
    let pages = match references {
        [] => least_recent(context, namespace)?,
        references => references.iter().map(|page| context.page_to_write(page)).collect::<Result<_>>()?,
    };
    let (today, count) = (context.today(), pages.len());
    let stamp = |page: &PageRow| {
        let (slug, today, format) = (page.slug.clone(), today.clone(), Format::of(&page.path));
        let edit: Edit<'static> = Box::new(move |text| {
            edit::set_property(format, text, LAST_CURATED, &Value::Text(today.clone()))
                .map_err(|source| Error::Edit { slug: slug.clone(), source })
        });
        PageChange {
            path: VaultPath::known(page.path.clone()),
            action: Action::Edit(edit),
            expected_version: None,
        }
    };
    let changes: Vec<PageChange<'_>> = pages.iter().map(stamp).collect();
    // Not the author's: a review is no change of the text, so it must not set the date of the last one.
    let options = WriteOptions {
        authority: Authority::Upkeep,
        subject: Some(match count {
            1 => "Record the review of 1 page".to_owned(),
            count => format!("Record the review of {count} pages"),
        }),
        ..WriteOptions::default()
    };
    let receipt =
        if changes.is_empty() { Receipt::default() } else { write_as(context, &changes, &options)? };
    let pages = context.store().counts(context.project())?.pages;
    context.store().set_state(context.project(), &StateChange::CuratedPages(pages))?;
    Ok(receipt)
}

/// Returns the pages that were not touched for the longest time and may be stamped.
fn least_recent(context: &VaultContext, namespace: Option<&Namespace>) -> Result<Vec<PageRow>> {
    let policy = context.policy();
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let filter = Filter { namespace: namespace.cloned(), ..Filter::default() };
    let mut pages = context.store().list(context.project(), &filter, Order::Title, all)?;
    pages.retain(|page| {
        let is_generated = policy.generated.iter().any(|generated| generated.path.matches(&page.path));
        !is_generated && policy.allow(&page.path, &[Verb::Patch]).is_ok()
    });
    // One page that cannot be edited must not prevent the record of the others.
    let today = Value::Text(context.today());
    let takes_stamp = |page: &PageRow| {
        let file = context.vault().read(&page.path, policy.limits.page_bytes).ok().flatten();
        file.is_some_and(|file| {
            let decoded = decode(&file.bytes);
            let stamped = edit::set_property(Format::of(&page.path), &decoded.text, LAST_CURATED, &today);
            decoded.encoding.is_none() && stamped.is_ok()
        })
    };
    pages.sort_by_key(|page| (last_touch(page), page.path.clone()));
    let most = usize::try_from(policy.curate.every.max(1)).unwrap_or(usize::MAX);
    Ok(pages.into_iter().filter(takes_stamp).take(most).collect())
}

fn orphans(context: &VaultContext, pages: &[PageRow]) -> Result<Vec<String>> {
    let numbers: Vec<i64> = pages.iter().map(|page| page.number).collect();
    let links = context.store().links(context.project(), &LinkFilter::From(&numbers))?;
    let mut linked = BTreeSet::new();
    for link in links.iter().filter(|link| link.to.is_some_and(|to| to != link.from)) {
        linked.insert(link.from);
        linked.extend(link.to);
    }
    Ok(pages.iter().filter(|page| !linked.contains(&page.number)).map(|page| page.path.clone()).collect())
}

fn untouched(context: &VaultContext, pages: &[PageRow]) -> Vec<String> {
    let before = context.policy().curate.untouched.before(&context.now());
    let mut old: Vec<(i64, String)> = pages
        .iter()
        .map(|page| (last_touch(page), page.path.clone()))
        .filter(|(touched, _)| *touched < before)
        .collect();
    old.sort();
    old.into_iter().map(|(_, path)| path).collect()
}

/// Returns the latest date in the page's properties, else the file's modification time.
fn last_touch(page: &PageRow) -> i64 {
    let properties = ["updated", "reviewed", LAST_CURATED];
    let days = properties.iter().filter_map(|key| page.properties.text(key).and_then(date_millis));
    days.max().unwrap_or(page.updated)
}

fn duplicates_and_broad_pages(context: &VaultContext, pages: &[PageRow], found: &mut Curation) -> Result<()> {
    let mut by_title: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut by_term: HashMap<String, Vec<usize>> = HashMap::new();
    let mut terms = Vec::with_capacity(pages.len());
    for (at, page) in pages.iter().enumerate() {
        by_title.entry(fold(&page.title)).or_default().push(at);
        let own = page_terms(context, page)?;
        for term in &own {
            by_term.entry(term.clone()).or_default().push(at);
        }
        terms.push(own);
        let words = context.vault().read(&page.path, u64::MAX)?.map_or(0, |file| count_words(&file.bytes));
        if words > context.policy().curate.broad_words {
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
    let candidates = shared.into_iter().filter(|(_, count)| *count >= SHARED);
    let mut pairs: BTreeMap<(usize, usize), f64> = candidates
        .map(|((one, other), _)| ((one, other), jaccard(&terms[one], &terms[other])))
        .filter(|(_, similarity)| *similarity >= SAME)
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

fn count_words(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).split_whitespace().count()
}

fn captures(context: &VaultContext, pages: &[PageRow], found: &mut Curation) {
    let policy = context.policy();
    let Some(raw) = &policy.raw else { return };
    let mut used: BTreeSet<String> = BTreeSet::new();
    for page in pages {
        for key in ["source", "sources"] {
            used.extend(
                page.properties.list(key).into_iter().map(|path| path.trim_start_matches("./").to_owned()),
            );
        }
    }
    used.extend(found.broken_links.iter().map(|link| link.target.clone()));
    let files: Vec<(String, u64)> = files_below(context.vault(), &raw.folder).into_iter().collect();
    // A stub that a page names stands for the file beside it.
    let stubs: Vec<&String> = files
        .iter()
        .map(|(path, _)| path)
        .filter(|path| is_page_path(path) && used.contains(*path))
        .collect();
    let stored: Vec<String> = stubs.into_iter().filter_map(|stub| stored_file(context, stub)).collect();
    used.extend(stored);
    for (path, size) in files {
        if size > raw.large_bytes {
            found.large_captures.push((path.clone(), size));
        }
        if !used.contains(&path) {
            found.unused_captures.push(path);
        }
    }
}

/// Returns the complete file that a stub stands for.
fn stored_file(context: &VaultContext, stub: &str) -> Option<String> {
    let file = context.vault().read(stub, context.policy().limits.page_bytes).ok()??;
    lore_page::parse(stub, &decode(&file.bytes).text).page.properties.text("file").map(str::to_owned)
}
