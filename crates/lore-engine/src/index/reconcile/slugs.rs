//! Slugs that several files would have. The assignment depends only on the files, never on their order of arrival:
//! the file whose name is the slug comes first, then by path; the others get `-1`, `-2`, ….

use std::collections::BTreeSet;

use lore_ports::{KeyKind, KeyRow, NameQuery};
use lore_text::path_slug;
use lore_vault::without_extension;

use crate::context::VaultContext;
use crate::error::Result;

/// Returns the pages whose slug must change after these slugs were claimed or released: path and new slug.
pub(super) fn settle(context: &VaultContext, claims: BTreeSet<String>) -> Result<Vec<(String, String)>> {
    let mut changes = Vec::new();
    let mut work: Vec<String> = claims.into_iter().collect();
    let mut settled = BTreeSet::new();
    while let Some(claim) = work.pop() {
        if !settled.insert(claim.clone()) {
            continue;
        }
        // A slug such as `x-1` may be the second choice of a page that claims `x`.
        work.extend(first_choice(&claim));
        let rows = holders(context, &claim)?;
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
    Ok(changes)
}

fn first_choice(slug: &str) -> Option<String> {
    let (base, number) = slug.rsplit_once('-')?;
    (!base.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| base.to_owned())
}

fn holders(context: &VaultContext, slug: &str) -> Result<Vec<KeyRow>> {
    let mut rows = context.store().lookup(context.project(), &NameQuery::Exact(&[slug]))?;
    rows.retain(|row| matches!(row.kind, KeyKind::Slug | KeyKind::DesiredSlug));
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows.dedup_by_key(|row| row.page);
    Ok(rows)
}

fn assign(context: &VaultContext, claim: &str, mut group: Vec<KeyRow>) -> Result<Vec<(KeyRow, String)>> {
    group.sort_by_key(|row| (without_extension(&row.path) != claim, row.path.clone()));
    let mut assigned = Vec::new();
    let mut number = 0;
    for row in group {
        let mut slug = if number == 0 { claim.to_owned() } else { format!("{claim}-{number}") };
        while number > 0 && holders(context, &slug)?.iter().any(|other| path_slug(&other.path) == slug) {
            number += 1;
            slug = format!("{claim}-{number}");
        }
        number += 1;
        assigned.push((row, slug));
    }
    Ok(assigned)
}
