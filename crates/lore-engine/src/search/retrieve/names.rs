//! Retrieval by name: the query is a page's id, slug, path, title or alias.

use lore_ports::{Filter, KeyKind, KeyRow, NameQuery, Order, PageNo, Window};

use crate::context::VaultContext;
use crate::error::Result;
use crate::index::{Candidates, is_lossy_slug, names_of};
use crate::search::request::SearchRequest;
use crate::search::retrieve::passing;

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

/// Maximum number of references in a query.
const REFERENCES: usize = 8;

/// Whether a text is a reference by its form, such as `adr-12`, `people/ada`, `plan.md` or `[[Plan]]`: a name in prose
/// looks different.
pub(super) fn is_reference(text: &str) -> bool {
    let text = text.trim();
    let is_file = || [".md", ".org"].iter().any(|ending| text.ends_with(ending));
    let is_number = || text.contains('-') && text.contains(|letter: char| letter.is_ascii_digit());
    text.starts_with("[[") && text.ends_with("]]")
        || !text.contains(char::is_whitespace)
            && text.contains(char::is_alphabetic)
            && (text.contains('/') || is_file() || is_number())
}

/// Returns what is in double brackets in a query, without headings and labels.
pub(in crate::search) fn links_in(query: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = query;
    while let Some((inside, after)) = rest.split_once("[[").and_then(|(_, after)| after.split_once("]]")) {
        let target = inside.split(['|', '#']).next().unwrap_or_default().trim();
        found.push(target.to_owned());
        rest = after;
    }
    found.retain(|reference| !reference.is_empty());
    found.truncate(REFERENCES);
    found
}

/// Returns the words of a query that are references by their form.
fn references_in(query: &str) -> Vec<String> {
    let trim = |word: &str| {
        word.trim_matches(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '/' | '_')).to_owned()
    };
    let words = query.split_whitespace().map(trim);
    words.filter(|word| is_reference(word)).take(REFERENCES).collect()
}

/// Finds the pages that a query links to: several if a name is ambiguous.
pub(super) fn linked(context: &VaultContext, request: &SearchRequest) -> Result<Vec<PageNo>> {
    meant(context, request, &links_in(&request.text))
}

/// Finds the pages that a query refers to by slug or path.
pub(super) fn referenced(context: &VaultContext, request: &SearchRequest) -> Result<Vec<PageNo>> {
    meant(context, request, &references_in(&request.text))
}

fn meant(context: &VaultContext, request: &SearchRequest, references: &[String]) -> Result<Vec<PageNo>> {
    let mut found: Vec<PageNo> = Vec::new();
    for reference in references {
        let names = names_of(reference);
        let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let rows = context.store().lookup(context.project(), &NameQuery::Exact(&names))?;
        found.extend(Candidates::new(&rows, reference).pages());
    }
    if found.is_empty() {
        return Ok(found);
    }
    let passing = passing(context, &request.filter, &found)?;
    found.retain(|page| passing.iter().any(|row| row.number == *page));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_a_query() {
        for (query, expected) in [
            ("what does [[adr-12]] say", &["adr-12"][..]),
            ("compare [[Old plan|that]] with [[New plan#Costs]]", &["Old plan", "New plan"]),
            ("who is Ada", &[]),
            ("[[", &[]),
            ("[[]] x", &[]),
        ] {
            assert_eq!(links_in(query), expected, "{query}");
        }
    }

    #[test]
    fn references_by_their_form() {
        for (query, expected) in [
            ("what is in notes/plan.md?", &["notes/plan.md"][..]),
            ("does adr-12 apply, or people/ada?", &["adr-12", "people/ada"]),
            ("a well-known plan of 2024-03-01", &[]),
        ] {
            assert_eq!(references_in(query), expected, "{query}");
        }
    }
}
