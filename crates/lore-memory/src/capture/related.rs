//! `related` links of a new page: relations to live pages that are semantically close.

use std::collections::HashSet;

use lore_engine::{Error, Result, VaultContext, is_live, link_target, states, target_of};
use lore_page::{Format, Interval, edit};
use lore_ports::{PageNo, PageRow};
use lore_text::fold;

use super::similar::Comparison;

/// Relation verb.
const RELATED: &str = "related";

/// Maximum number of linked pages.
const LINKS: usize = 3;

/// Returns the pages related to a text, nearest first, except those it already links to.
pub(super) fn related_pages(context: &VaultContext, found: &Comparison, text: &str) -> Result<Vec<PageRow>> {
    let Some(minimum) = found.min_related else { return Ok(Vec::new()) };
    let near: Vec<PageRow> =
        found.near.iter().filter(|(_, cosine)| *cosine >= minimum).map(|(page, _)| page.clone()).collect();
    if near.is_empty() {
        return Ok(near);
    }
    let mut linked: HashSet<PageNo> = HashSet::new();
    for link in Format::guess(text).parse(text).page.links {
        // An ambiguous name does not identify a page.
        linked.extend(context.find(&link.target).ok().flatten().map(|page| page.number));
    }
    let states = states(context, &near)?;
    let live = near.into_iter().zip(states).filter(|(_, state)| is_live(&state.status));
    Ok(live.map(|(page, _)| page).filter(|page| !linked.contains(&page.number)).take(LINKS).collect())
}

/// Adds a link to each page and returns the text with the pages that were linked.
pub(super) fn with_links(
    context: &VaultContext,
    path: &str,
    text: String,
    title: &str,
    pages: Vec<PageRow>,
) -> Result<(String, Vec<PageRow>)> {
    let (mut text, mut linked) = (text, Vec::new());
    for page in pages {
        let name = match target(context, &page, title) {
            // Another process has deleted it since it was found.
            Err(Error::NotFound { .. }) => continue,
            name => name?,
        };
        let (target, label) = link_target(path, &page, name);
        let relation = edit::NewRelation {
            relation: RELATED.to_owned(),
            target,
            label,
            context: None,
            interval: Interval::default(),
        };
        // A text with an open code block cannot take a relation, but it is still worth saving.
        if let Ok(edited) = edit::add_relation(Format::of(path), &text, &relation) {
            (text, linked) = (edited, [linked, vec![page]].concat());
        }
    }
    Ok((text, linked))
}

/// Returns the link target for a page: its title if that identifies this page alone and differs from the new page's
/// title.
fn target(context: &VaultContext, page: &PageRow, own_title: &str) -> Result<String> {
    let plain = !page.title.contains(['[', ']', '|', '#', '^', '\n']) && page.title.trim() == page.title;
    let differs = fold(&page.title) != fold(own_title);
    let found = if plain && differs { context.find(&page.title).ok().flatten() } else { None };
    match found {
        Some(found) if found.number == page.number => Ok(page.title.clone()),
        _ => target_of(context, page),
    }
}
