//! Resolves references, wherever they come from, to pages.

use lore_ports::{Index, KeyKind, KeyRow, NameQuery, ProjectNo};
use lore_text::{fold, slugify};
use lore_vault::{folder, without_extension};

use crate::error::{Error, Result};

/// Number of suggestions when nothing matches.
const SUGGESTIONS: usize = 3;

/// Minimum length of an id prefix.
const ID_PREFIX: usize = 6;

/// The result of resolving a reference.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolution<'a> {
    /// One page.
    One(&'a KeyRow),
    /// Several equally good pages.
    Many(Vec<&'a KeyRow>),
    /// None.
    None,
}

/// Returns the two names a reference is looked up by: as written, and as a slug.
pub fn names_of(reference: &str) -> [String; 2] {
    let reference = without_scheme(reference.trim());
    let slug = slugify(without_extension(reference));
    let name = fold(reference);
    let slug = if slug == name { String::new() } else { slug };
    [name, slug]
}

/// Returns a reference without the scheme `memory://`.
pub fn without_scheme(reference: &str) -> &str {
    reference.strip_prefix("memory://").unwrap_or(reference)
}

/// Whether a name has characters that its slug drops: `C++` is more than `c`.
pub fn is_lossy_slug(name: &str) -> bool {
    name.trim().chars().any(|letter| {
        !letter.is_alphanumeric() && !letter.is_whitespace() && !"-_/.,:'’()?!\"".contains(letter)
    })
}

/// Chooses among the pages that match a reference: the strongest kind of name wins; between equals, a link in directory
/// `near` prefers the same directory, then the nearest one above, then the shortest path. A name exactly as `written`
/// beats its slug form, especially if the slug drops characters, and a path with the same case beats one with another.
pub fn choose<'a>(rows: &'a [KeyRow], written: &str, near: Option<&str>) -> Resolution<'a> {
    let (name, lossy) = (fold(written), is_lossy_slug(written));
    let strength = |row: &KeyRow| {
        let as_written = row.key == name && row.kind <= KeyKind::Alias;
        (lossy && !as_written, row.kind, row.key != name, row.kind == KeyKind::Path && row.path != written)
    };
    let named = rows.iter().filter(|row| row.kind != KeyKind::DesiredSlug);
    let Some(strongest) = named.clone().map(strength).min() else {
        return Resolution::None;
    };
    let mut best: Vec<&KeyRow> = named.filter(|row| strength(row) == strongest).collect();
    best.sort_by(|a, b| a.path.cmp(&b.path));
    best.dedup_by_key(|row| row.page);
    match (best.as_slice(), near) {
        ([one], _) => Resolution::One(one),
        (_, None) => Resolution::Many(best),
        (_, Some(near)) => match best.iter().min_by_key(|row| distance(near, &row.path)) {
            Some(row) => Resolution::One(row),
            None => Resolution::None,
        },
    }
}

/// Same directory, then directories above from near to far, then everything else by length of path.
fn distance<'p>(near: &str, path: &'p str) -> (usize, usize, &'p str) {
    let home = folder(path);
    let above =
        home.is_empty() || near == home || near.strip_prefix(home).is_some_and(|rest| rest.starts_with('/'));
    let steps = |folder: &str| folder.split('/').filter(|name| !name.is_empty()).count();
    let climb = if above { steps(near) - steps(home) } else { usize::MAX };
    (climb, path.len(), path)
}

/// Resolves a reference given by a person or agent; an error suggests the nearest pages.
pub fn resolve(index: &dyn Index, project: ProjectNo, reference: &str) -> Result<KeyRow> {
    match find(index, project, reference)? {
        Some(row) => Ok(row),
        None => Err(Error::NotFound {
            reference: reference.to_owned(),
            suggestions: suggestions(index, project, &names_of(reference))?,
        }),
    }
}

/// Resolves a reference given by a person or agent: id or id prefix, slug, path, title, alias, slug suffix.
pub fn find(index: &dyn Index, project: ProjectNo, reference: &str) -> Result<Option<KeyRow>> {
    check_uri(reference)?;
    if reference.trim().chars().any(char::is_control) {
        let path = reference.chars().take(200).collect();
        return Err(lore_vault::Error::BadPath { path, reason: "it contains a control character" }.into());
    }
    let names = names_of(reference);
    let wanted: Vec<&str> = names.iter().map(|name| name.strip_prefix("id/").unwrap_or(name)).collect();
    let mut rows = index.lookup(project, &NameQuery::Exact(&wanted))?;
    rows.retain(|row| row.kind != KeyKind::DesiredSlug);
    if rows.is_empty() && may_be_id(wanted[0]) {
        rows = index.lookup(project, &NameQuery::IdPrefix(wanted[0]))?;
    }
    match choose(&rows, without_scheme(reference.trim()), None) {
        Resolution::One(row) => Ok(Some(row.clone())),
        Resolution::Many(rows) => Err(Error::Ambiguous {
            reference: reference.to_owned(),
            candidates: rows.iter().map(|row| row.slug.clone()).collect(),
        }),
        Resolution::None => Ok(None),
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

/// Long enough and with a digit, so that no word and no year is taken as an id prefix.
fn may_be_id(name: &str) -> bool {
    let hexadecimal = name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    hexadecimal && name.len() >= ID_PREFIX && name.bytes().any(|byte| byte.is_ascii_digit())
}

/// Checks the syntax of `memory://` references; other references are names and may contain anything.
fn check_uri(reference: &str) -> Result<()> {
    let Some(path) = reference.trim().strip_prefix("memory://") else { return Ok(()) };
    let bad = path.is_empty()
        || path.contains("://")
        || path.contains("//")
        || path.contains(['<', '>', '"', '|', '?']);
    if bad {
        return Err(Error::BadInput {
            message: format!("{reference:?} is not a memory:// reference"),
            hint: "use memory:// and the page's slug, such as memory://people/ada-lovelace".into(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: KeyKind, path: &str) -> KeyRow {
        let page = path.len() as i64;
        KeyRow { key: "x".into(), kind, page, path: path.into(), slug: without_extension(path).into() }
    }

    #[track_caller]
    fn check(rows: &[KeyRow], near: Option<&str>, expected: &str) {
        let found = match choose(rows, "x", near) {
            Resolution::One(row) => row.path.clone(),
            Resolution::Many(rows) => {
                rows.iter().map(|row| row.path.as_str()).collect::<Vec<_>>().join(" or ")
            }
            Resolution::None => "none".into(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn stronger_kind_of_name_wins() {
        let rows = [row(KeyKind::Title, "a.md"), row(KeyKind::Slug, "bb.md"), row(KeyKind::Suffix, "ccc.md")];
        check(&rows, None, "bb.md");
        check(&rows[..1], None, "a.md");
        check(&[], None, "none");
        check(&[row(KeyKind::DesiredSlug, "a.md")], None, "none");
        let other = KeyRow { key: "y".into(), ..row(KeyKind::Slug, "a.md") };
        check(&[other, row(KeyKind::Slug, "bb.md")], None, "bb.md");
    }

    #[test]
    fn equal_matches_are_ambiguous_unless_a_link_is_nearer_to_one() {
        let rows = [
            row(KeyKind::Title, "notes.md"),
            row(KeyKind::Title, "a/notes.md"),
            row(KeyKind::Title, "b/c/notes.md"),
        ];
        check(&rows, None, "a/notes.md or b/c/notes.md or notes.md");
        check(&rows, Some("b/c"), "b/c/notes.md");
        check(&rows, Some("a/deep/er"), "a/notes.md");
        check(&rows, Some("elsewhere"), "notes.md");
    }

    #[test]
    fn reference_is_looked_up_as_written_and_as_a_slug() {
        assert_eq!(names_of("memory://People/Ada Lovelace"), ["people/ada lovelace", "people/ada-lovelace"]);
        assert_eq!(names_of("people/ada.md"), ["people/ada.md", "people/ada"]);
        assert_eq!(names_of("ada"), ["ada", ""]);
    }
}
