//! Slugs that several files would have. The assignment depends only on the files, never on their order of arrival:
//! the file whose name is the slug comes first, then by path; the others get `-1`, `-2`, ….
//!
//! So a new file can take the slug of a page. A write that would do this is refused. If somebody creates such a file by
//! hand, the page that gets the slug also gets a version above every version that the slug has shown, so that a writer
//! who has read the other page finds a conflict.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use lore_ports::{KeyKind, KeyRow, NameQuery, PageRow};
use lore_text::path_slug;
use lore_vault::without_extension;

use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::proposal::Proposal;

/// The slugs of the pages of a batch, before and after it, by path.
#[derive(Debug, Default)]
pub(super) struct Holders {
    /// With the version.
    before: BTreeMap<String, (String, u64)>,
    after: BTreeMap<String, String>,
}

impl Holders {
    /// Notes the slug of a page before the batch changes it.
    pub(super) fn had(&mut self, path: &str, row: &PageRow) {
        // The row of a page that the batch has already written shows a slug that is not settled yet.
        if !self.after.contains_key(path) {
            self.before.entry(path.to_owned()).or_insert_with(|| (row.slug.clone(), row.version));
        }
    }

    /// Notes the slug of a page after the batch has changed it.
    pub(super) fn has(&mut self, path: &str, slug: &str) {
        self.after.insert(path.to_owned(), slug.to_owned());
    }

    /// Fails if a new file of a write takes the slug of a page that the write does not touch.
    pub(super) fn refuse_taken(&self, proposal: &Proposal) -> Result<()> {
        for (holder, (slug, _)) in self.lost().filter(|(path, _)| !proposal.contains_key(*path)) {
            let takes = |(path, now): &(&String, &String)| *now == slug && !self.before.contains_key(*path);
            if let Some((path, _)) = self.after.iter().find(takes) {
                let (path, slug, holder) = (path.clone(), slug.clone(), holder.clone());
                return Err(Error::SlugTaken { path, slug, holder });
            }
        }
        Ok(())
    }

    /// Gives every page that got a slug a version above those that the slug had with other pages.
    pub(super) fn count_versions(&self, context: &VaultContext) -> Result<()> {
        let (store, project) = (context.store(), context.project());
        let lost: Vec<(&str, u64)> =
            self.lost().map(|(_, (slug, version))| (slug.as_str(), *version)).collect();
        if !lost.is_empty() {
            store.release_slugs(project, &lost)?;
        }
        let has_new = |(path, slug): &(&String, &String)| {
            self.before.get(*path).is_none_or(|(before, _)| before != *slug)
        };
        let (paths, slugs): (Vec<&str>, Vec<&str>) =
            self.after.iter().filter(has_new).map(|(path, slug)| (path.as_str(), slug.as_str())).unzip();
        if slugs.is_empty() {
            return Ok(());
        }
        for (path, released) in paths.iter().zip(store.released_versions(project, &slugs)?) {
            let Some(released) = released else { continue };
            if let Some(row) = context.page_at(path)?.filter(|row| row.version <= released) {
                store.set_version(project, path, released + 1, row.hash)?;
            }
        }
        Ok(())
    }

    fn lost(&self) -> impl Iterator<Item = (&String, &(String, u64))> {
        self.before.iter().filter(|(path, (slug, _))| self.after.get(*path) != Some(slug))
    }
}

/// Returns the pages whose slug must change after these slugs were claimed or released: path and new slug.
pub(super) fn settle(context: &VaultContext, claims: BTreeSet<String>) -> Result<Vec<(String, String)>> {
    let mut changes = Vec::new();
    let mut settled = BTreeSet::new();
    let mut work: Vec<String> = claims.into_iter().collect();
    while !work.is_empty() {
        let mut round = BTreeSet::new();
        while let Some(claim) = work.pop() {
            if settled.insert(claim.clone()) {
                // A slug such as `x-1` may be the second choice of a page that claims `x`.
                work.extend(first_choice(&claim));
                round.insert(claim);
            }
        }
        let mut holders = holders(context, &round)?;
        for claim in round {
            let rows = holders.remove(&claim).unwrap_or_default();
            if let [only] = rows.as_slice()
                && only.slug == claim
                && path_slug(&only.path) == claim
            {
                continue;
            }
            let (group, strangers): (Vec<_>, Vec<_>) =
                rows.into_iter().partition(|row| path_slug(&row.path) == claim);
            // A page that got this slug as its second choice must now take another.
            work.extend(
                strangers
                    .iter()
                    .filter(|row| !group.is_empty() && row.slug == claim)
                    .map(|row| path_slug(&row.path)),
            );
            for (row, slug) in assign(context, &claim, group)? {
                if row.slug != slug {
                    changes.push((row.path, slug));
                }
            }
        }
    }
    Ok(changes)
}

fn first_choice(slug: &str) -> Option<String> {
    let (base, number) = slug.rsplit_once('-')?;
    (!base.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| base.to_owned())
}

/// Returns the pages that have or claim each of these slugs, sorted by path.
fn holders(context: &VaultContext, slugs: &BTreeSet<String>) -> Result<HashMap<String, Vec<KeyRow>>> {
    let names: Vec<&str> = slugs.iter().map(String::as_str).collect();
    let mut holders: HashMap<String, Vec<KeyRow>> = HashMap::new();
    for row in context.store().lookup(context.project(), &NameQuery::Exact(&names))? {
        if matches!(row.kind, KeyKind::Slug | KeyKind::DesiredSlug) {
            holders.entry(row.key.clone()).or_default().push(row);
        }
    }
    for rows in holders.values_mut() {
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        rows.dedup_by_key(|row| row.page);
    }
    Ok(holders)
}

/// Assigns a slug to each page that claims it: the first gets it, the others the next free number.
fn assign(context: &VaultContext, claim: &str, mut group: Vec<KeyRow>) -> Result<Vec<(KeyRow, String)>> {
    group.sort_by_key(|row| (without_extension(&row.path) != claim, row.path.clone()));
    let mut assigned = Vec::new();
    let mut number = 0;
    let mut free = Vec::new();
    for row in group.iter().cloned() {
        if assigned.is_empty() {
            assigned.push((row, claim.to_owned()));
            continue;
        }
        while free.is_empty() {
            free = free_slugs(context, claim, number + 1..number + 1 + group.len())?;
            number += group.len();
        }
        assigned.push((row, free.remove(0)));
    }
    Ok(assigned)
}

/// Returns those of the slugs with these numbers that no page claims for itself.
fn free_slugs(context: &VaultContext, claim: &str, numbers: Range<usize>) -> Result<Vec<String>> {
    let slugs: Vec<String> = numbers.map(|number| format!("{claim}-{number}")).collect();
    let holders = holders(context, &slugs.iter().cloned().collect())?;
    let is_claimed = |slug: &String| {
        holders.get(slug).is_some_and(|rows| rows.iter().any(|row| path_slug(&row.path) == *slug))
    };
    Ok(slugs.into_iter().filter(|slug| !is_claimed(slug)).collect())
}
