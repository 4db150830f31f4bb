//! Chooses among the pages that have the name of a reference.

use std::collections::HashMap;

use lore_ports::{KeyKind, KeyRow, PageNo};
use lore_text::fold;
use lore_vault::{folder, without_extension};

use super::reference::is_lossy_slug;

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

/// Returns the name of a file without its extension.
pub(super) fn file_stem(path: &str) -> &str {
    let stem = without_extension(path);
    stem.rsplit('/').next().unwrap_or(stem)
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
}
