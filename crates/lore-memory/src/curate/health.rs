//! Collects the state of pages, contradictions, unanswered questions, missing and broken links, and duplicate tags.

use std::collections::BTreeMap;

use lore_engine::{Result, State, VaultContext, broken_links, states, status};
use lore_ports::{GapFilter, LabelKind, PageRow, Progress};
use lore_text::slugify;

use super::Curation;
use crate::check::{CheckScope, check};
use crate::mentions::missing_links;

/// Tags that differ only in case and punctuation, with their page counts, most used first.
pub type TagVariants = Vec<(String, u64)>;

/// Fills in the results.
pub(super) fn add_findings(
    context: &VaultContext,
    pages: &[PageRow],
    found: &mut Curation,
    progress: Progress<'_>,
) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    for (page, state) in pages.iter().zip(states(context, pages)?) {
        if let Some(bucket) = bucket(&state, found) {
            bucket.push((page.path.clone(), status_reason(&state)));
        }
    }
    found.findings = check(context, CheckScope::default(), progress)?;
    found.findings.retain(|finding| finding.settled.is_none());
    found.gaps = store.gaps(project, &GapFilter::OPEN, i64::MAX as usize)?;
    found.missing_links = missing_links(context, None)?;
    found.broken_links = broken_links(context, None, None)?;
    found.tags = tag_variants(store.labels(project, LabelKind::Tag)?);
    Ok(())
}

/// Returns the list for a page in this state. What other pages state counts even if the page's own status differs: such
/// disagreements need review.
fn bucket<'f>(state: &State, found: &'f mut Curation) -> Option<&'f mut Vec<(String, String)>> {
    let is = |word: &str| state.status == word;
    match () {
        () if is(status::COMPACTED) => None,
        () if is(status::SUPERSEDED) || !state.superseded_by.is_empty() => Some(&mut found.superseded),
        () if is(status::CONTESTED) || !state.contradicts.is_empty() => Some(&mut found.contested),
        () if is(status::STALE) => Some(&mut found.stale),
        () => None,
    }
}

fn status_reason(state: &State) -> String {
    let since = state.since.as_deref().map(|day| format!(" since {day}")).unwrap_or_default();
    format!("{}{since}", state.reason())
}

fn tag_variants(tags: Vec<(String, u64)>) -> Vec<TagVariants> {
    let mut by_form: BTreeMap<String, TagVariants> = BTreeMap::new();
    for (tag, pages) in tags {
        by_form.entry(slugify(&tag).replace(['-', '/'], "")).or_default().push((tag, pages));
    }
    by_form.into_values().filter(|tags| tags.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_variants_of_tags_are_grouped() {
        let tags = [("heat-pump", 4), ("Heat Pump", 2), ("heatpump", 1), ("heat", 3)];
        let found = tag_variants(tags.map(|(tag, pages)| (tag.to_owned(), pages)).to_vec());
        let found: Vec<Vec<&str>> =
            found.iter().map(|tags| tags.iter().map(|(tag, _)| tag.as_str()).collect()).collect();
        assert_eq!(found, [["heat-pump", "Heat Pump", "heatpump"]]);
    }
}
