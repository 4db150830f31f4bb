//! Resolves links to pages, in whichever order they arrive: only links that a change of names can affect are resolved
//! again.

use std::collections::{BTreeSet, HashMap};

use lore_ports::{Index, KeyRow, LinkFilter, LinkRow, NameQuery, PageNo, ProjectNo};
use lore_vault::folder;

use crate::error::Result;
use crate::index::candidates::Candidates;

/// Resolves the links on `pages`, and those that refer to one of `names`, again.
pub fn relink(
    index: &dyn Index,
    project: ProjectNo,
    pages: &[PageNo],
    names: &BTreeSet<String>,
) -> Result<()> {
    let named: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut links: HashMap<i64, LinkRow> = HashMap::new();
    for row in index.links(project, &LinkFilter::From(pages))? {
        links.insert(row.number, row);
    }
    for row in index.links(project, &LinkFilter::Named(&named))? {
        links.insert(row.number, row);
    }
    let links: Vec<LinkRow> = links.into_values().collect();
    let resolve_targets = resolve_targets(index, project, &links)?;
    let changed =
        links.iter().zip(resolve_targets).filter(|(row, resolve_targets)| row.to != *resolve_targets);
    let mut targets: Vec<(i64, Option<PageNo>)> =
        changed.map(|(row, resolve_targets)| (row.number, resolve_targets)).collect();
    targets.sort_unstable();
    Ok(index.resolve_links(&targets)?)
}

/// Resolves each of these links to a page.
pub fn resolve_targets(
    index: &dyn Index,
    project: ProjectNo,
    links: &[LinkRow],
) -> Result<Vec<Option<PageNo>>> {
    for_each_link(index, project, links, |row, found| {
        found.nearest(folder(&row.from_path)).map(|row| row.page)
    })
}

/// Returns the paths of the pages that each of these links fits equally well.
pub fn equal_targets(index: &dyn Index, project: ProjectNo, links: &[LinkRow]) -> Result<Vec<Vec<String>>> {
    for_each_link(index, project, links, |_, found| found.paths().map(str::to_owned).collect())
}

fn for_each_link<T>(
    index: &dyn Index,
    project: ProjectNo,
    links: &[LinkRow],
    choose: impl Fn(&LinkRow, &Candidates<'_>) -> T,
) -> Result<Vec<T>> {
    let wanted: BTreeSet<&str> =
        links.iter().flat_map(|row| row.link.names.iter().map(String::as_str)).collect();
    let wanted: Vec<&str> = wanted.into_iter().collect();
    let mut by_name: HashMap<String, Vec<KeyRow>> = HashMap::new();
    for row in index.lookup(project, &NameQuery::Exact(&wanted))? {
        by_name.entry(row.key.clone()).or_default().push(row);
    }
    let mut candidates: HashMap<Reference<'_>, Candidates<'_>> = HashMap::new();
    let mut targets = Vec::with_capacity(links.len());
    for row in links {
        let reference = Reference { written: &row.link.target, names: &row.link.names };
        let found = candidates.entry(reference).or_insert_with(|| {
            let rows = row.link.names.iter().filter_map(|name| by_name.get(name.as_str())).flatten();
            Candidates::new(rows, &row.link.target)
        });
        targets.push(choose(row, found));
    }
    Ok(targets)
}

/// A reference as it is written, and the names it is looked up by.
#[derive(PartialEq, Eq, Hash)]
struct Reference<'a> {
    written: &'a str,
    names: &'a [String; 2],
}
