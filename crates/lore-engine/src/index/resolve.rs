//! Resolves references, wherever they come from, to pages.
//!
//! Reading may guess: any name of a page works, and so do the end of a slug and the start of an id. Writing guesses less:
//! a reference with a slash or an extension is a whole path or slug and nothing else. Deleting, moving and restoring guess
//! nothing: a page in a folder is not named by its file name alone. A reference that starts with `./` is a path, whatever
//! it is for. Where a page is removed, or made if there is none, the start of an id has eight characters, or is marked as
//! an id (`id:a1b2`, `kt-a1b2`).

use lore_ports::{Filter, Index, KeyKind, KeyRow, NameQuery, Order, PageRow, ProjectNo, Window};
use lore_text::fold;
use lore_vault::{EXTENSIONS, is_page_path, without_extension};

use super::candidates::{Resolution, choose, file_stem};
use super::reference::{
    ID_PREFIX, as_path, as_pattern, check, id_start, is_lossy_slug, names_of, resource_slug, without_scheme,
};
use crate::error::{Error, Result};

/// Number of suggestions when nothing matches.
const SUGGESTIONS: usize = 3;

/// Minimum length of an id prefix that is not marked as one, where it could be the name of a new page or names a page to
/// remove.
const WRITE_ID_PREFIX: usize = 8;

/// Maximum number of pages that share an id prefix; more of them are ambiguous anyway.
const SIMILAR_IDS: usize = 20;

/// Resolves a reference given by a person or agent; an error suggests the nearest pages.
pub fn resolve(index: &dyn Index, project: ProjectNo, reference: &str) -> Result<KeyRow> {
    match find(index, project, reference)? {
        Some(row) => Ok(row),
        None => {
            let reference = as_path(reference).unwrap_or(reference);
            let suggestions = suggestions(index, project, &names_of(reference))?;
            Err(Error::NotFound { reference: reference.to_owned(), suggestions })
        }
    }
}

/// Resolves a reference given by a person or agent: id or id prefix, slug, path, title, alias, slug suffix, or the address of
/// a resource.
pub fn find(index: &dyn Index, project: ProjectNo, reference: &str) -> Result<Option<KeyRow>> {
    check(reference)?;
    // The address of a resource comes first; a folder may have the same name.
    if let Some(slug) = resource_slug(reference)
        && let Some(row) = find(index, project, &slug)?
    {
        return Ok(Some(row));
    }
    if let Some(path) = as_path(reference) {
        return find_path(index, project, path, true);
    }
    let names = names_of(reference);
    let mut rows = index.lookup(project, &NameQuery::Exact(&wanted(&names)))?;
    // Links follow a file that was moved outside Lore; a reference means the page that has the name now.
    rows.retain(|row| !matches!(row.kind, KeyKind::DesiredSlug | KeyKind::Former));
    if rows.is_empty()
        && let Some(start) = id_start(reference, wanted(&names)[0], ID_PREFIX)
    {
        rows = index.lookup(project, &NameQuery::IdPrefix(start, SIMILAR_IDS))?;
    }
    if rows.is_empty()
        && let Some(pattern) = as_pattern(reference)
    {
        let filter = Filter { slug_match: Some(pattern), ..Filter::default() };
        let window = Window { limit: SIMILAR_IDS, offset: 0 };
        let found = index.list(project, &filter, Order::Title, window)?;
        let key = |row: PageRow| KeyRow {
            key: row.slug.clone(),
            kind: KeyKind::Slug,
            page: row.number,
            path: row.path,
            slug: row.slug,
        };
        rows = found.into_iter().map(key).collect();
        return one_of(rows.iter().collect(), reference);
    }
    only(&rows, reference)
}

/// What is done to a page that is named by a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Its text is changed.
    Change,
    /// It is deleted, moved or replaced by an older version.
    Remove,
}

/// Resolves a reference to a page that will be written; an error suggests the page that reading would have found, and
/// the nearest ones.
pub fn resolve_to(
    purpose: Purpose,
    index: &dyn Index,
    project: ProjectNo,
    reference: &str,
) -> Result<KeyRow> {
    let id_prefix = if purpose == Purpose::Change { ID_PREFIX } else { WRITE_ID_PREFIX };
    if let Some(row) = find_by(purpose, index, project, reference, id_prefix)? {
        return Ok(row);
    }
    let reference = as_path(reference).unwrap_or(reference);
    let guessed = find(index, project, reference).ok().flatten().map(|row| row.slug);
    let mut near = suggestions(index, project, &names_of(reference))?;
    near.retain(|slug| Some(slug) != guessed.as_ref());
    let suggestions = guessed.into_iter().chain(near).take(SUGGESTIONS).collect();
    Err(Error::NotFound { reference: reference.to_owned(), suggestions })
}

/// Resolves a reference to a page that will be written. If there is none, the reference may be the name of a new page.
pub fn find_to(
    purpose: Purpose,
    index: &dyn Index,
    project: ProjectNo,
    reference: &str,
) -> Result<Option<KeyRow>> {
    find_by(purpose, index, project, reference, WRITE_ID_PREFIX)
}

fn find_by(
    purpose: Purpose,
    index: &dyn Index,
    project: ProjectNo,
    reference: &str,
    id_prefix: usize,
) -> Result<Option<KeyRow>> {
    check(reference)?;
    if let Some(slug) = resource_slug(reference)
        && let Some(row) = find_by(purpose, index, project, &slug, id_prefix)?
    {
        return Ok(Some(row));
    }
    if let Some(path) = as_path(reference) {
        return find_path(index, project, path, purpose == Purpose::Change);
    }
    let names = names_of(reference);
    let mut rows = index.lookup(project, &NameQuery::Exact(&wanted(&names)))?;
    rows.retain(|row| is_named(row, without_scheme(reference.trim()), purpose));
    if rows.is_empty()
        && let Some(start) = id_start(reference, wanted(&names)[0], id_prefix)
    {
        rows = index.lookup(project, &NameQuery::IdPrefix(start, SIMILAR_IDS))?;
    }
    let found = only(&rows, reference)?;
    // A page that may not be removed by this name may still be the one that is meant: the other one is not removed instead.
    if purpose == Purpose::Remove
        && let Some(row) = &found
        && find(index, project, reference)?.is_some_and(|read| read.page != row.page)
    {
        return Ok(None);
    }
    Ok(found)
}

/// Finds the page at a path, given with its extension or without. A file whose name is not its slug is found by its slug
/// too. A path in another case is the same file on some systems and another one on others, so it is not enough to delete
/// a page.
fn find_path(index: &dyn Index, project: ProjectNo, path: &str, in_any_case: bool) -> Result<Option<KeyRow>> {
    let is_file = is_page_path(path);
    let mut names = names_of(path).to_vec();
    names
        .extend(EXTENSIONS.iter().filter(|_| !is_file).map(|extension| fold(&format!("{path}.{extension}"))));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = index.lookup(project, &NameQuery::Exact(&names))?;
    let is_at = |row: &&KeyRow| row.path == path || !is_file && without_extension(&row.path) == path;
    let folded = fold(path);
    let is_at_in_another_case =
        |row: &&KeyRow| fold(&row.path) == folded || !is_file && fold(without_extension(&row.path)) == folded;
    let mut rows: Vec<KeyRow> = found.iter().filter(is_at).cloned().collect();
    if rows.is_empty() && in_any_case {
        rows = found.iter().filter(is_at_in_another_case).cloned().collect();
        rows.dedup_by_key(|row| row.page);
        rows.truncate(if rows.len() == 1 { 1 } else { 0 });
    }
    if rows.is_empty() && !is_file {
        let slugs = index.lookup(project, &NameQuery::Exact(&[path]))?;
        rows = slugs.into_iter().filter(|row| row.kind == KeyKind::Slug && row.slug == path).collect();
    }
    Ok(rows.into_iter().next())
}

/// Whether a reference names a page well enough to write it.
fn is_named(row: &KeyRow, reference: &str, purpose: Purpose) -> bool {
    let name = fold(reference);
    let is_path = reference.contains('/') || is_page_path(reference);
    // `C#` is not the page `C++`, although both have the slug `c`.
    let as_written = row.key == name || !is_lossy_slug(reference);
    // The file name of a page in a folder is the end of its path, even where it is the title too. Several words are not
    // typed as the end of a path.
    let is_file_name =
        || row.path.contains('/') && !name.trim().contains(' ') && fold(file_stem(&row.path)) == name;
    match row.kind {
        KeyKind::Id | KeyKind::Path => true,
        KeyKind::Slug => !is_page_path(reference) && as_written,
        KeyKind::Title | KeyKind::Alias if purpose == Purpose::Remove => {
            !is_path && row.key == name && !is_file_name()
        }
        KeyKind::Title | KeyKind::Alias | KeyKind::NameSlug | KeyKind::Suffix => {
            !is_path && as_written && purpose == Purpose::Change
        }
        KeyKind::DesiredSlug | KeyKind::Former => false,
    }
}

fn wanted(names: &[String; 2]) -> Vec<&str> {
    names.iter().map(|name| name.strip_prefix("id/").unwrap_or(name)).collect()
}

/// Returns the only page that fits best.
fn only(rows: &[KeyRow], reference: &str) -> Result<Option<KeyRow>> {
    match choose(rows, without_scheme(reference.trim()), None) {
        Resolution::One(row) => Ok(Some(row.clone())),
        Resolution::Many(rows) => one_of(rows, reference),
        Resolution::None => Ok(None),
    }
}

/// Returns the page of a list of at most one; several are ambiguous.
fn one_of(rows: Vec<&KeyRow>, reference: &str) -> Result<Option<KeyRow>> {
    match rows.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        several => Err(Error::Ambiguous {
            reference: reference.to_owned(),
            candidates: several.iter().map(|row| row.slug.clone()).collect(),
        }),
    }
}

/// Returns the slugs most similar to the given names.
fn suggestions(index: &dyn Index, project: ProjectNo, names: &[String; 2]) -> Result<Vec<String>> {
    let wanted = if names[1].is_empty() { &names[0] } else { &names[1] };
    if wanted.is_empty() || wanted.len() > 200 {
        return Ok(Vec::new());
    }
    let last = wanted.rsplit('/').next().unwrap_or(wanted);
    let mut scored: Vec<(f64, String)> = index
        .lookup(project, &NameQuery::AllSlugs)?
        .into_iter()
        .filter_map(|row| {
            let name = row.slug.rsplit('/').next().unwrap_or(&row.slug);
            let score = strsim::jaro_winkler(wanted, &row.slug).max(strsim::jaro_winkler(last, name));
            let score = if name.contains(last) { score.max(0.9) } else { score };
            (score > 0.75).then_some((score, row.slug))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.truncate(SUGGESTIONS);
    Ok(scored.into_iter().map(|(_, slug)| slug).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_named(kind: KeyKind, key: &str, path: &str, reference: &str, change: bool, remove: bool) {
        let slug = without_extension(path).to_owned();
        let row = KeyRow { key: key.into(), kind, page: 1, path: path.into(), slug };
        let named = |purpose| is_named(&row, reference, purpose);
        assert_eq!((named(Purpose::Change), named(Purpose::Remove)), (change, remove), "{reference}");
    }

    #[test]
    fn page_to_write_is_not_guessed() {
        use KeyKind::{Id, NameSlug, Path, Slug, Suffix, Title};
        check_named(Slug, "a/plan", "a/plan.md", "a/Plan", true, true);
        check_named(Slug, "a/plan", "a/Plan.md", "a/plan.md", false, false);
        check_named(Path, "a/plan.md", "a/plan.md", "a/plan.md", true, true);
        check_named(Id, "0192f3a1", "a/plan.md", "0192f3a1", true, true);
        check_named(Suffix, "a/plan", "x/a/plan.md", "a/plan", false, false);
        check_named(Suffix, "plan", "a/plan.md", "plan", true, false);
        check_named(Title, "plan", "a/plan.md", "Plan", true, false);
        check_named(Title, "the plan", "a/plan.md", "The plan", true, true);
        check_named(Title, "a/b", "c.md", "a/b", false, false);
        check_named(NameSlug, "the-plan", "a/plan.md", "the-plan", true, false);
        check_named(Slug, "c", "c.md", "C#", false, false);
    }
}
