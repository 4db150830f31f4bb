//! Retrieval by name: the query is a page's id, slug, path, title or alias.

use lore_ports::{Filter, KeyKind, KeyRow, NameQuery, Order, PageNo, Window};

use crate::context::VaultContext;
use crate::error::Result;
use crate::index::{is_lossy_slug, names_of};
use crate::search::request::SearchRequest;

/// Finds the pages whose id, slug, path, title or alias is the query, with the kind of match.
pub(super) fn exact(context: &VaultContext, request: &SearchRequest) -> Result<Vec<(PageNo, &'static str)>> {
    let (store, project) = (context.store(), context.project());
    let names = names_of(&request.text);
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let mut rows = store.lookup(project, &NameQuery::Exact(&names))?;
    rows.retain(|row| row.kind <= KeyKind::NameSlug);
    let lossy = is_lossy_slug(&request.text);
    let strength = |row: &KeyRow| (lossy && names.first() != Some(&row.key.as_str()), row.kind);
    rows.sort_by(|a, b| strength(a).cmp(&strength(b)).then_with(|| a.path.cmp(&b.path)));
    let mut found: Vec<(PageNo, &'static str)> = Vec::new();
    for row in rows {
        if found.iter().any(|(page, _)| *page == row.page) {
            continue;
        }
        let filter =
            Filter { slug: request.filter.slug.clone().or(Some(row.slug.clone())), ..request.filter.clone() };
        let passes = store.list(project, &filter, Order::Title, Window { limit: 1, offset: 0 })?;
        if passes.first().is_some_and(|page| page.number == row.page) {
            let what = match row.kind {
                KeyKind::Id => "exact id match",
                KeyKind::Slug => "exact slug match",
                KeyKind::Path => "exact path match",
                KeyKind::Title => "exact title match",
                _ => "exact alias match",
            };
            found.push((row.page, what));
        }
    }
    Ok(found)
}
