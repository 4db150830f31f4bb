//! Validates page paths. Every path that comes from outside is checked here first.

use std::fmt;
use std::ops::Deref;

use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Result};
use crate::names::{EXTENSIONS, POLICY_FILE, is_hidden, is_page};

/// Maximum length of a name in bytes on common file systems.
const NAME_LIMIT: usize = 255;

/// Full stops of several scripts; a name may contain them but not consist of them.
const DOTS: [char; 5] = ['.', '\u{3002}', '\u{ff61}', '\u{2026}', '\u{b7}'];

/// Maximum length of a path in bytes: longer ones fail on some systems.
const PATH_LIMIT: usize = 1024;

/// Maximum depth of a path: every write checks each directory for ignore files.
const DEPTH_LIMIT: usize = 51;

/// The directory beside a page that contains its sidecar data; the only hidden name that Lore writes to.
const SIDECARS: &str = ".raw";

/// Characters that look like `/`, `\` or `.` and can disguise a path.
const LOOKALIKES: [char; 11] = [
    '\u{2044}', '\u{2215}', '\u{29f8}', '\u{ff0f}', '\u{29f5}', '\u{ff3c}', '\u{2024}', '\u{2025}',
    '\u{ff0e}', '\u{fe52}', '\u{fe68}',
];

/// A checked path of a file in a vault: relative to its root, `/` between names, NFC, no `.` components.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VaultPath(String);

impl VaultPath {
    /// Checks and normalizes a path that comes from outside.
    pub fn parse(path: &str) -> Result<VaultPath> {
        safe_path(path).map(VaultPath)
    }

    /// Checks and normalizes a path that must name a page, with or without its extension.
    pub fn parse_page(path: &str) -> Result<VaultPath> {
        safe_page_path(path).map(VaultPath)
    }

    /// Takes a path that the index, a scan or the policy gave: it was checked when it got there.
    pub fn known(path: impl Into<String>) -> VaultPath {
        VaultPath(path.into())
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path as an owned string.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for VaultPath {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks and normalizes a vault-relative path: `/` between names, NFC, no `.` components.
pub(crate) fn safe_path(path: &str) -> Result<String> {
    let refuse = |reason| Err(Error::BadPath { path: path.chars().take(200).collect(), reason });
    if path.trim().is_empty() {
        return refuse("it is empty");
    }
    if path.starts_with('/') || path.starts_with('~') {
        return refuse("it is absolute; use a path relative to the vault's root");
    }
    if path.contains('\\') || path.as_bytes().get(1) == Some(&b':') {
        return refuse("it is a Windows path; separate names with /");
    }
    if path.chars().any(char::is_control) {
        return refuse("it contains a control character");
    }
    if path.chars().any(|character| LOOKALIKES.contains(&character)) {
        return refuse("it contains a character that only looks like / or .");
    }
    if path.len() > PATH_LIMIT {
        return refuse("it is longer than 1,024 bytes");
    }
    let names: Vec<String> =
        path.split('/').filter(|name| !name.is_empty() && *name != ".").map(nfc).collect();
    if names.len() > DEPTH_LIMIT {
        return refuse("it is more than 50 folders deep");
    }
    for name in &names {
        if name == ".." {
            return refuse("it leads outside the vault");
        }
        if is_hidden(name) && name != SIDECARS {
            return refuse("names that start with a dot are not allowed");
        }
        if name.len() > NAME_LIMIT {
            return refuse("a name in it is longer than 255 bytes");
        }
        if name.chars().all(|letter| DOTS.contains(&letter)) {
            return refuse("a name in it consists of dots or lookalikes");
        }
        if name.ends_with('.') {
            return refuse("a name in it ends with a dot");
        }
        if name.trim() != name {
            return refuse("a name in it starts or ends with a space");
        }
    }
    if names.is_empty() { refuse("it does not name a page") } else { Ok(names.join("/")) }
}

/// Checks a path that must name a page, with or without its extension.
fn safe_page_path(path: &str) -> Result<String> {
    let refuse = |reason| Err(Error::BadPath { path: path.into(), reason });
    let safe = safe_path(path)?;
    if safe.split('/').any(|name| name == SIDECARS) {
        return refuse("names that start with a dot are not allowed");
    }
    if safe.eq_ignore_ascii_case(POLICY_FILE) {
        return refuse("it is the vault's policy, which only a person may edit");
    }
    Ok(safe)
}

/// Whether a path is a page's, not a sidecar's or another file's.
pub fn is_page_path(path: &str) -> bool {
    is_page(path.rsplit('/').next().unwrap_or(path)) && !path.split('/').any(|name| name == SIDECARS)
}

/// Whether a path is that of a file beside the pages, which they may embed: not hidden, no page, no settings.
pub fn is_attachment_path(path: &str) -> bool {
    let is_settings = |name: &str| name.eq_ignore_ascii_case(POLICY_FILE) || name == EXPECTATIONS_FILE;
    !is_page_path(path) && !path.split('/').any(is_hidden) && !is_settings(path)
}

/// Name of the file in the vault's root with the vault's own tests.
pub const EXPECTATIONS_FILE: &str = "expectations.toml";

/// Whether a path is that of a page's sidecar data.
pub fn is_sidecar(path: &str) -> bool {
    let mut names = path.rsplit('/');
    names.next().is_some_and(|name| name.ends_with(".json")) && names.next() == Some(SIDECARS)
}

/// Returns the path of a page's sidecar data.
pub fn sidecar(page: &str) -> String {
    let stem = without_extension(page);
    let (folder, name) = stem.rsplit_once('/').map_or(("", stem), |(folder, name)| (folder, name));
    if folder.is_empty() {
        format!("{SIDECARS}/{name}.json")
    } else {
        format!("{folder}/{SIDECARS}/{name}.json")
    }
}

/// Returns the paths that the page of some sidecar data may have.
pub fn pages_of_sidecar(path: &str) -> Vec<String> {
    let Some(stem) = path.strip_suffix(".json").filter(|_| is_sidecar(path)) else { return Vec::new() };
    let (folder, name) = stem.rsplit_once('/').unwrap_or_default();
    let folder = folder.strip_suffix(SIDECARS).unwrap_or(folder);
    EXTENSIONS.iter().map(|extension| format!("{folder}{name}.{extension}")).collect()
}

/// Returns the path without a page's extension.
pub fn without_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, _)) if is_page(path.rsplit('/').next().unwrap_or(path)) => stem,
        _ => path,
    }
}

/// Returns the parent directory of a path; empty at the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns `to` relative to the directory of `from`, as in Markdown links.
pub fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = folder(from).split('/').filter(|name| !name.is_empty()).collect();
    let target: Vec<&str> = to.split('/').collect();
    let shared = from.iter().zip(&target[..target.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(target[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

fn nfc(name: &str) -> String {
    name.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized() {
        for (given, expected) in [
            ("people/ada", "people/ada"),
            ("./people//ada.md", "people/ada.md"),
            ("Cafe\u{301}", "Café"),
            ("日本/東京.md", "日本/東京.md"),
        ] {
            assert_eq!(safe_path(given).expect(given), expected);
        }
    }

    #[test]
    fn hostile_paths_are_refused() {
        let long = format!("a/{}", "x".repeat(300));
        for path in [
            "",
            " ",
            "/",
            ".",
            "..",
            "../../etc/passwd",
            "a/../../b",
            "/etc/passwd",
            "~/x",
            "C:\\x",
            "c:x",
            "a\\..\\b",
            "a\0b",
            "a\nb",
            "people/\u{2024}\u{2024}/x",
            "a\u{2215}b",
            "a\u{ff0f}b",
            ".git/config",
            "a/.hidden",
            "a/ b",
            &long,
        ] {
            assert!(safe_path(path).is_err(), "{path:?} was taken");
        }
    }

    #[test]
    fn relative_paths_climb_only_as_far_as_needed() {
        for (from, to, expected) in [
            ("a/b.md", "a/c.md", "c.md"),
            ("a/b.md", "c.md", "../c.md"),
            ("a/x/b.md", "a/y/c.md", "../y/c.md"),
            ("b.md", "a/c.md", "a/c.md"),
        ] {
            assert_eq!(relative(from, to), expected);
        }
    }
}
