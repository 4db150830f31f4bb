//! Pages that were moved outside Lore, and the links that still use their former paths.

use std::collections::{BTreeMap, BTreeSet};

use lore_ports::{KeyKind, LinkFilter, LinkRow, NameQuery, PageRow};

use crate::context::VaultContext;
use crate::error::Result;

/// Returns the pages that were moved outside Lore, each with its former paths.
pub fn moved_pages(context: &VaultContext) -> Result<Vec<(PageRow, Vec<String>)>> {
    let mut by_page: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (former, page) in context.store().former_paths(context.project())? {
        by_page.entry(page).or_default().push(former);
    }
    let mut moved = Vec::new();
    for (path, former) in by_page {
        moved.extend(context.page_at(&path)?.map(|page| (page, former)));
    }
    Ok(moved)
}

/// Returns the links to these pages that only a former path of theirs resolves.
pub fn links_by_former(context: &VaultContext, pages: &[PageRow]) -> Result<Vec<LinkRow>> {
    let (store, project) = (context.store(), context.project());
    let numbers: Vec<i64> = pages.iter().map(|page| page.number).collect();
    let mut rows = store.links(project, &LinkFilter::To(&numbers))?;
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.link.names.iter().map(String::as_str)).collect();
    let keys = store.lookup(project, &NameQuery::Exact(&names.into_iter().collect::<Vec<_>>()))?;
    rows.retain(|row| {
        let mut own = keys.iter().filter(|key| Some(key.page) == row.to && row.link.names.contains(&key.key));
        own.all(|key| key.kind == KeyKind::Former)
    });
    Ok(rows)
}
