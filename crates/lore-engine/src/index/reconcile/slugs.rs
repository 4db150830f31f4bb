//! Slugs that several files would have. The assignment depends only on the files, never on their order of arrival:
//! the file whose name is the slug comes first, then by path; the others get `-1`, `-2`, ….

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use lore_ports::{KeyKind, KeyRow, NameQuery};
use lore_text::path_slug;
use lore_vault::without_extension;

use crate::context::VaultContext;
use crate::error::Result;

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
