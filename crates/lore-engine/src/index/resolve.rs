//! Resolves references, wherever they come from, to pages.

use std::collections::HashMap;

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

/// Chooses among the pages that match a reference, see [`Candidates`].
pub fn choose<'a>(rows: &'a [KeyRow], written: &str, near: Option<&str>) -> Resolution<'a> {
    let candidates = Candidates::new(rows, written);
    match (candidates.best.as_slice(), near) {
        ([], _) => Resolution::None,
        ([one], _) => Resolution::One(one),
        (_, None) => Resolution::Many(candidates.best),
        (_, Some(near)) => candidates.nearest(near).map_or(Resolution::None, Resolution::One),
    }
}

/// The pages that match a reference best: the strongest kind of name wins. A name exactly as written beats its slug form,
/// especially if the slug drops characters, and a path with the same case beats one with another. Made once for all links
/// with the same name, so that links to a name that many pages have cost no more than others.
pub struct Candidates<'a> {
    /// Equally good pages, by path.
    best: Vec<&'a KeyRow>,
    /// The first of them in each directory: the one with the shortest path.
    by_folder: HashMap<&'a str, &'a KeyRow>,
    /// The one with the shortest path.
    shortest: Option<&'a KeyRow>,
}

impl<'a> Candidates<'a> {
    /// Chooses the best matches for a reference as it is `written`.
    pub fn new(rows: impl IntoIterator<Item = &'a KeyRow>, written: &str) -> Candidates<'a> {
        let (name, lossy) = (fold(written), is_lossy_slug(written));
        let strength = |row: &KeyRow| {
            let as_written = row.key == name && row.kind <= KeyKind::Alias;
            (
                lossy && !as_written,
                row.kind,
                row.key != name,
                row.kind == KeyKind::Path && row.path != written,
            )
        };
        let mut strongest = None;
        let mut best: Vec<&KeyRow> = Vec::new();
        for row in rows.into_iter().filter(|row| row.kind != KeyKind::DesiredSlug) {
            let strength = strength(row);
            if strongest.is_none_or(|strongest| strength < strongest) {
                strongest = Some(strength);
                best.clear();
            }
            if strongest == Some(strength) {
                best.push(row);
            }
        }
        best.sort_by(|a, b| a.path.cmp(&b.path));
        best.dedup_by_key(|row| row.page);
        let mut by_folder: HashMap<&str, &KeyRow> = HashMap::new();
        for row in &best {
            let first = by_folder.entry(folder(&row.path)).or_insert(row);
            if length(row) < length(first) {
                *first = row;
            }
        }
        let shortest = best.iter().copied().min_by_key(|row| length(row));
        Candidates { best, by_folder, shortest }
    }

    /// Returns the page that a link in directory `near` means: one in the same directory, else in the nearest directory
    /// above, else the one with the shortest path.
    pub fn nearest(&self, near: &str) -> Option<&'a KeyRow> {
        let mut at = near;
        loop {
            if let Some(row) = self.by_folder.get(at) {
                return Some(row);
            }
            if at.is_empty() {
                return self.shortest;
            }
            at = folder(at);
        }
    }
}

fn length(row: &KeyRow) -> (usize, &str) {
    (row.path.len(), &row.path)
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
