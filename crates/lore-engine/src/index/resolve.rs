//! Resolves references, wherever they come from, to pages.
//!
//! Reading may guess: any name of a page works, and so do the end of a slug and the start of an id. Writing guesses less:
//! a reference with a slash or an extension is a whole path or slug and nothing else, and the start of an id has at least
//! eight digits. Deleting, moving and restoring guess nothing: a page in a folder is not named by its file name alone. A
//! reference that starts with `./` is a path, whatever it is for.

use std::collections::HashMap;

use lore_ports::{Index, KeyKind, KeyRow, NameQuery, ProjectNo};
use lore_text::{fold, slugify};
use lore_vault::{EXTENSIONS, folder, is_page_path, without_extension};

use crate::error::{Error, Result};

/// Number of suggestions when nothing matches.
const SUGGESTIONS: usize = 3;

/// Minimum length of an id prefix.
const ID_PREFIX: usize = 6;

/// Minimum length of an id prefix that names a page to write.
const WRITE_ID_PREFIX: usize = 8;

/// Maximum number of pages that share an id prefix; more of them are ambiguous anyway.
const SIMILAR_IDS: usize = 20;

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

/// Returns the path of a reference that is one by its form: `./notes/plan`.
pub fn as_path(reference: &str) -> Option<&str> {
    without_scheme(reference.trim()).strip_prefix("./")
}

/// Whether a name has characters that its slug drops: `C++` is more than `c`.
pub fn is_lossy_slug(name: &str) -> bool {
    name.trim().chars().any(|letter| {
        !letter.is_alphanumeric() && !letter.is_whitespace() && !"-_/.,:'’()?!\"".contains(letter)
    })
}

/// Chooses among the pages that match a reference, see `Candidates`.
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
        None => {
            let reference = as_path(reference).unwrap_or(reference);
            let suggestions = suggestions(index, project, &names_of(reference))?;
            Err(Error::NotFound { reference: reference.to_owned(), suggestions })
        }
    }
}

/// Resolves a reference given by a person or agent: id or id prefix, slug, path, title, alias, slug suffix.
pub fn find(index: &dyn Index, project: ProjectNo, reference: &str) -> Result<Option<KeyRow>> {
    check(reference)?;
    if let Some(path) = as_path(reference) {
        return find_path(index, project, path);
    }
    let names = names_of(reference);
    let mut rows = index.lookup(project, &NameQuery::Exact(&wanted(&names)))?;
    rows.retain(|row| row.kind != KeyKind::DesiredSlug);
    if rows.is_empty() && may_be_id(wanted(&names)[0], ID_PREFIX) {
        rows = index.lookup(project, &NameQuery::IdPrefix(wanted(&names)[0], SIMILAR_IDS))?;
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
    if let Some(row) = find_to(purpose, index, project, reference)? {
        return Ok(row);
    }
    let reference = as_path(reference).unwrap_or(reference);
    let guessed = find(index, project, reference).ok().flatten().map(|row| row.slug);
    let mut near = suggestions(index, project, &names_of(reference))?;
    near.retain(|slug| Some(slug) != guessed.as_ref());
    let suggestions = guessed.into_iter().chain(near).take(SUGGESTIONS).collect();
    Err(Error::NotFound { reference: reference.to_owned(), suggestions })
}

/// Resolves a reference to a page that will be written.
pub fn find_to(
    purpose: Purpose,
    index: &dyn Index,
    project: ProjectNo,
    reference: &str,
) -> Result<Option<KeyRow>> {
    check(reference)?;
    if let Some(path) = as_path(reference) {
        return find_path(index, project, path);
    }
    let names = names_of(reference);
    let mut rows = index.lookup(project, &NameQuery::Exact(&wanted(&names)))?;
    rows.retain(|row| is_named(row, without_scheme(reference.trim()), purpose));
    if rows.is_empty() && may_be_id(wanted(&names)[0], WRITE_ID_PREFIX) {
        rows = index.lookup(project, &NameQuery::IdPrefix(wanted(&names)[0], SIMILAR_IDS))?;
    }
    only(&rows, reference)
}

/// Finds the page at a path, given with its extension or without. A file whose name is not its slug is found by its slug
/// too.
fn find_path(index: &dyn Index, project: ProjectNo, path: &str) -> Result<Option<KeyRow>> {
    let is_file = is_page_path(path);
    let mut names = names_of(path).to_vec();
    names
        .extend(EXTENSIONS.iter().filter(|_| !is_file).map(|extension| fold(&format!("{path}.{extension}"))));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut rows = index.lookup(project, &NameQuery::Exact(&names))?;
    rows.retain(|row| row.path == path || !is_file && without_extension(&row.path) == path);
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
    // The file name of a page in a folder is the end of its path, even where it is the title too.
    let is_file_name = || row.path.contains('/') && fold(file_stem(&row.path)) == name;
    match row.kind {
        KeyKind::Id | KeyKind::Path => true,
        KeyKind::Slug => !is_page_path(reference) && as_written,
        KeyKind::Title | KeyKind::Alias if purpose == Purpose::Remove => {
            !is_path && row.key == name && !is_file_name()
        }
        KeyKind::Title | KeyKind::Alias | KeyKind::NameSlug | KeyKind::Suffix => {
            !is_path && as_written && purpose == Purpose::Change
        }
        KeyKind::DesiredSlug => false,
    }
}

fn file_stem(path: &str) -> &str {
    let stem = without_extension(path);
    stem.rsplit('/').next().unwrap_or(stem)
}

/// Checks the form of a reference.
fn check(reference: &str) -> Result<()> {
    check_uri(reference)?;
    if reference.trim().chars().any(char::is_control) {
        let path = reference.chars().take(200).collect();
        return Err(lore_vault::Error::BadPath { path, reason: "it contains a control character" }.into());
    }
    Ok(())
}

fn wanted(names: &[String; 2]) -> Vec<&str> {
    names.iter().map(|name| name.strip_prefix("id/").unwrap_or(name)).collect()
}

/// Returns the only page that fits best.
fn only(rows: &[KeyRow], reference: &str) -> Result<Option<KeyRow>> {
    match choose(rows, without_scheme(reference.trim()), None) {
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
fn may_be_id(name: &str, length: usize) -> bool {
    let hexadecimal = name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    hexadecimal && name.len() >= length && name.bytes().any(|byte| byte.is_ascii_digit())
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

    #[track_caller]
    fn check_named(kind: KeyKind, key: &str, path: &str, reference: &str, change: bool, remove: bool) {
        let row = KeyRow { key: key.into(), ..row(kind, path) };
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

    #[test]
    fn reference_is_looked_up_as_written_and_as_a_slug() {
        assert_eq!(names_of("memory://People/Ada Lovelace"), ["people/ada lovelace", "people/ada-lovelace"]);
        assert_eq!(names_of("people/ada.md"), ["people/ada.md", "people/ada"]);
        assert_eq!(names_of("ada"), ["ada", ""]);
    }
}
