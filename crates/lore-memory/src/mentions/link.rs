//! Turns unlinked mentions into links, through the write path.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::{
    Action, Edit, Outcome, PageChange, Resolution, Result, VaultContext, WriteOptions, choose, names_of,
    write_as,
};
use lore_page::edit;
use lore_ports::{LinkFilter, NameQuery};
use lore_text::ContentHash;
use lore_vault::{VaultPath, folder};

use super::MissingLink;

/// Number of pages per write.
const BATCH: usize = 100;

/// Result of linking mentions.
#[derive(Debug, Default)]
pub struct LinksAdded {
    /// Mentions that are links now.
    pub linked: Vec<MissingLink>,
    /// Changed files.
    pub paths: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Links mentions through the write path. A page that has changed since it was scanned is skipped.
pub fn add_missing_links(context: &VaultContext, mentions: &[MissingLink]) -> Result<LinksAdded> {
    let mut result = LinksAdded::default();
    let mut by_page: BTreeMap<&str, Vec<(&MissingLink, String)>> = BTreeMap::new();
    for mention in mentions {
        by_page.entry(&mention.path).or_default().push((mention, link_name(context, mention)?));
    }
    let pages: Vec<(&str, Vec<(&MissingLink, String)>)> = by_page.into_iter().collect();
    for batch in pages.chunks(BATCH) {
        let changes: Vec<PageChange<'_>> =
            batch.iter().map(|(path, mentions_on_page)| change(context, path, mentions_on_page)).collect();
        let options = WriteOptions { subject: Some(subject(batch)), is_fix: true, ..WriteOptions::default() };
        let receipt = write_as(context, &changes, &options)?;
        drop(changes);
        result.warnings.extend(receipt.warnings);
        let written = receipt.files.into_iter().filter(|file| file.outcome != Outcome::Unchanged);
        let paths: BTreeSet<String> = written.map(|file| file.path).collect();
        for (mention, _) in batch.iter().flat_map(|(_, mentions_on_page)| mentions_on_page) {
            if paths.contains(&mention.path) && is_linked(context, mention)? {
                result.linked.push((*mention).clone());
            }
        }
        result.paths.extend(paths);
    }
    Ok(result)
}

fn subject(batch: &[(&str, Vec<(&MissingLink, String)>)]) -> String {
    match batch {
        [(path, _)] => format!("Link mentions in {path}"),
        pages => format!("Link mentions in {} pages", pages.len()),
    }
}

/// Returns the name to use in a link: the title if it resolves to the page from there, else the slug.
fn link_name(context: &VaultContext, mention: &MissingLink) -> Result<String> {
    let names = names_of(&mention.title);
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let rows = context.store().lookup(context.project(), &NameQuery::Exact(&names))?;
    let resolves = match choose(&rows, &mention.title, Some(folder(&mention.path))) {
        Resolution::One(row) => row.page == mention.target,
        _ => false,
    };
    let plain = !mention.title.contains(['[', ']', '|', '#']);
    Ok(if resolves && plain { mention.title.clone() } else { mention.to.clone() })
}

fn change<'a>(
    context: &'a VaultContext,
    path: &str,
    mentions: &'a [(&MissingLink, String)],
) -> PageChange<'a> {
    let owned = path.to_owned();
    let link: Edit<'a> = Box::new(move |text| {
        let mut linked = text.to_owned();
        // In reverse order, so that earlier byte ranges stay valid.
        for (mention, name) in mentions.iter().rev() {
            if mention.text != ContentHash::of(text.as_bytes()) {
                return Ok(text.to_owned());
            }
            let id = context.store().pages(context.project(), &[mention.target])?.pop().map(|row| row.id);
            let to = edit::LinkTo { name, id: id.as_deref().unwrap_or_default() };
            if let Some(edited) = edit::link_words(&owned, &linked, mention.range, to) {
                linked = edited;
            }
        }
        Ok(linked)
    });
    PageChange { path: VaultPath::known(path.to_owned()), action: Action::Edit(link), expected_version: None }
}

/// Returns whether the page links to the target, according to the index.
fn is_linked(context: &VaultContext, mention: &MissingLink) -> Result<bool> {
    let Some(page) = context.page_at(&mention.path)? else { return Ok(false) };
    let links = context.store().links(context.project(), &LinkFilter::From(&[page.number]))?;
    Ok(links.iter().any(|link| link.to == Some(mention.target)))
}
