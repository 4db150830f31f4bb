//! Resolves references, wherever they come from, to pages.
//!
//! Reading may guess: any name of a page works, and so do the end of a slug and the start of an id. Writing guesses less:
//! a reference with a slash or an extension is a whole path or slug and nothing else. Deleting, moving and restoring guess
//! nothing: a page in a folder is not named by its file name alone. A reference that starts with `./` is a path, whatever
//! it is for.
//!
//! Pointers that other files use are references too: `id:ID`, `lore: Title (ID)` and `ai-kb: Title (ID)` name the page
//! with that id, else the one with that title. The start of an id has at least four characters and must be unique; where
//! a page is removed, or made if there is none, it has eight, or is marked as an id (`id:a1b2`, `kt-a1b2`).

use std::collections::HashMap;

use lore_ports::{Filter, Index, KeyKind, KeyRow, NameQuery, Order, PageNo, PageRow, ProjectNo, Window};
use lore_text::{fold, percent_decode, slugify};
use lore_vault::{EXTENSIONS, folder, is_page_path, without_extension};

use crate::error::{Error, Result};

/// Number of suggestions when nothing matches.
const SUGGESTIONS: usize = 3;

/// Minimum length of an id prefix. One without both a digit and a letter could be a year or a word; it has to be marked
/// as an id or longer.
const ID_PREFIX: usize = 4;

/// Minimum length of an id prefix of digits only.
const DIGITS_ID_PREFIX: usize = 6;

/// Minimum length of an id prefix that is not marked as one, where it could be the name of a new page or names a page to
/// remove.
const WRITE_ID_PREFIX: usize = 8;

/// Words before the title in a pointer.
const POINTERS: [&str; 2] = ["lore:", "ai-kb:"];

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
    if let Some(Pointer { id, title }) = pointer(reference) {
        return [id, slugify(title)];
    }
    let slug = slugify(without_extension(reference));
    let name = fold(reference);
    let slug = if slug == name { String::new() } else { slug };
    [name, slug]
}

/// A reference by id, with the title as a fallback.
struct Pointer<'a> {
    /// The id, folded.
    id: String,
    /// The title; empty if the pointer has none.
    title: &'a str,
}

/// Parses a pointer: `id:ID` (in Org, an id is any word), `lore: Title (ID)`, `ai-kb: Title (ID)`, or `Title (UUID)` as in a generated index.
fn pointer(reference: &str) -> Option<Pointer<'_>> {
    let found = |id: &str, title| Pointer { id: fold(id), title };
    if let Some(id) = after_word(reference, "id:") {
        let is_written =
            !id.is_empty() && !reference[3..].starts_with(' ') && !id.contains(char::is_whitespace);
        return (is_hexadecimal(id) || is_written).then(|| found(id, ""));
    }
    let marked = POINTERS.iter().find_map(|word| after_word(reference, word));
    let (title, rest) = marked.unwrap_or(reference).rsplit_once('(')?;
    let id = rest.strip_suffix(')')?.trim();
    let is_id = if marked.is_some() { id.len() >= ID_PREFIX && is_hexadecimal(id) } else { is_uuid(id) };
    is_id.then(|| found(id, title.trim()))
}

/// Returns the text after a word, whatever its case.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then(|| rest.trim())
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && is_hexadecimal(text) && text.match_indices('-').map(|(at, _)| at).eq([8, 13, 18, 23])
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
/// especially if the slug drops characters, and a path with the same case beats one with another. Of pages with one title,
/// the one whose file has that name wins, as in tools whose links are file names. Made once for all links with the same
/// name, so that links to a name that many pages have cost no more than others.
pub struct Candidates<'a> {
    /// Equally good pages, by path.
    best: Vec<&'a KeyRow>,
    /// The first of them in each directory: the one with the shortest path.
    by_folder: HashMap<&'a str, &'a KeyRow>,
    /// The one with the shortest path below each directory.
    below: HashMap<&'a str, &'a KeyRow>,
}

impl<'a> Candidates<'a> {
    /// Chooses the best matches for a reference as it is `written`.
    pub fn new(rows: impl IntoIterator<Item = &'a KeyRow>, written: &str) -> Candidates<'a> {
        let (name, lossy) = (fold(written), is_lossy_slug(written));
        // A reference with folders is the end of a path before it is anybody's alias.
        let is_path = written.contains('/');
        let strength = |row: &KeyRow| {
            let as_written = row.key == name && row.kind <= KeyKind::Alias;
            let kind = if is_path && row.kind == KeyKind::Suffix { KeyKind::Path } else { row.kind };
            let is_title = matches!(row.kind, KeyKind::Title | KeyKind::Alias);
            let is_other_file = is_title && fold(file_stem(&row.path)) != name;
            let is_other_case = row.kind == KeyKind::Path && row.path != written;
            (lossy && !as_written, kind, row.key != name, is_other_case, is_other_file)
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
        let (mut by_folder, mut below): (HashMap<&str, &KeyRow>, HashMap<&str, &KeyRow>) = Default::default();
        for row in &best {
            let mut at = folder(&row.path);
            shorter(by_folder.entry(at).or_insert(row), row);
            loop {
                shorter(below.entry(at).or_insert(row), row);
                if at.is_empty() {
                    break;
                }
                at = folder(at);
            }
        }
        Candidates { best, by_folder, below }
    }

    /// Returns the equally good pages, by path.
    pub fn pages(&self) -> impl Iterator<Item = PageNo> {
        self.best.iter().map(|row| row.page)
    }

    /// Returns the paths of the equally good pages.
    pub fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.best.iter().map(|row| row.path.as_str())
    }

    /// Returns the page that a link in directory `near` means: one in the same directory, else in the nearest directory
    /// above, else the one with the shortest path below the nearest directory that they share.
    pub fn nearest(&self, near: &str) -> Option<&'a KeyRow> {
        let find = |rows: &HashMap<&str, &'a KeyRow>| {
            let mut at = near;
            loop {
                match rows.get(at) {
                    None if !at.is_empty() => at = folder(at),
                    found => return found.copied(),
                }
            }
        };
        find(&self.by_folder).or_else(|| find(&self.below))
    }
}

/// Keeps the row with the shorter path.
fn shorter<'a>(kept: &mut &'a KeyRow, row: &'a KeyRow) {
    if length(row) < length(kept) {
        *kept = row;
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

/// Returns the pattern of slugs that a reference is: `memory://people/*`, `people/a*`.
pub fn as_pattern(reference: &str) -> Option<String> {
    let reference = reference.trim();
    let plain = reference.strip_prefix("memory://pages/").unwrap_or(without_scheme(reference));
    plain.contains('*').then(|| fold(plain))
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

fn file_stem(path: &str) -> &str {
    let stem = without_extension(path);
    stem.rsplit('/').next().unwrap_or(stem)
}

/// Returns the slug in the address of a page's resource: `memory://pages/people/ada`.
fn resource_slug(reference: &str) -> Option<String> {
    let slug = reference.trim().strip_prefix("memory://pages/")?;
    Some(percent_decode(slug).into_owned()).filter(|slug| !slug.trim().is_empty())
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

/// Returns the start of an id that a name may be. It has a digit and a letter, or enough digits, and at least `minimum`
/// characters, unless it is marked as an id (`id:2026`, `kt-2026`): no word and no year is taken as an id.
fn id_start<'a>(reference: &str, name: &'a str, minimum: usize) -> Option<&'a str> {
    let marked = name.strip_prefix("kt-");
    let start = marked.unwrap_or(name);
    let has = |is: fn(&u8) -> bool| start.as_bytes().iter().any(is);
    let is_marked = marked.is_some() || pointer(without_scheme(reference.trim())).is_some();
    let is_clear = has(u8::is_ascii_digit)
        && (has(u8::is_ascii_alphabetic) || start.len() >= DIGITS_ID_PREFIX)
        && start.len() >= minimum;
    ((is_marked || is_clear) && start.len() >= ID_PREFIX && is_hexadecimal(start)).then_some(start)
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
    fn file_name_decides_between_equal_titles() {
        let rows = [row(KeyKind::Title, "a/x.md"), row(KeyKind::Title, "b/tags.x.md")];
        check(&rows, None, "a/x.md");
        check(&rows, Some("b"), "a/x.md");
        // A title is still stronger than the end of a path.
        check(&[row(KeyKind::Suffix, "a/x.md"), row(KeyKind::Title, "b/y.z.md")], None, "b/y.z.md");
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
        // Without one above, the one that shares the most directories.
        check(&rows[1..], Some("b/x/y"), "b/c/notes.md");
        check(&rows[1..], Some("elsewhere"), "a/notes.md");
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
    fn pointers_are_looked_up_by_id_then_by_title() {
        let id = "0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f";
        for (written, title) in [
            (format!("id:{id}"), ""),
            (format!("ai-kb: Commit style ({id})"), "commit-style"),
            (format!("lore: Commit style ({})", id.to_uppercase()), "commit-style"),
            (format!("LORE:Plans (2026) ({id})"), "plans-2026"),
            (format!("Commit style ({id})"), "commit-style"),
        ] {
            assert_eq!(names_of(&written), [id, title], "{written}");
        }
        assert_eq!(names_of("lore: Plans (0f3a)"), ["0f3a", "plans"]);
        for name in ["id: the passport", "Plans (2026)", "lore: Plans (x)", "Identity"] {
            assert!(pointer(name).is_none(), "{name}");
        }
    }

    #[test]
    fn start_of_an_id_is_neither_a_word_nor_a_year() {
        for (name, expected) in [
            ("a1b2", Some("a1b2")),
            ("kt-a1b2", Some("a1b2")),
            ("kt-2026", Some("2026")),
            ("123456", Some("123456")),
            ("2026", None),
            ("face", None),
            ("a1b", None),
            ("kt-plan", None),
        ] {
            assert_eq!(id_start(name, name, ID_PREFIX), expected, "{name}");
        }
        let to_write = |reference, name| id_start(reference, name, WRITE_ID_PREFIX);
        assert_eq!(to_write("id:2026", "2026"), Some("2026"));
        assert_eq!(to_write("kt-a1b2", "kt-a1b2"), Some("a1b2"));
        assert_eq!(to_write("a1b2c3d4", "a1b2c3d4"), Some("a1b2c3d4"));
        assert_eq!(to_write("a1b2c3d", "a1b2c3d"), None);
    }

    #[test]
    fn reference_is_looked_up_as_written_and_as_a_slug() {
        assert_eq!(names_of("memory://People/Ada Lovelace"), ["people/ada lovelace", "people/ada-lovelace"]);
        assert_eq!(names_of("people/ada.md"), ["people/ada.md", "people/ada"]);
        assert_eq!(names_of("ada"), ["ada", ""]);
    }
}
