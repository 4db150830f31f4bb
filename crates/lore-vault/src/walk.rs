//! Finds the pages of a vault: a scan that only stats, honours ignore files and never leaves the vault.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::files::metadata;
use crate::ignore_rules::{IgnoreRules, Unusable};
use crate::names::{PACKAGES, is_hidden, is_page};
use crate::path::VaultPath;
use crate::regular::absent;
use crate::vault::Vault;

/// A page's file as listed by the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskFile {
    /// Vault-relative path, with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime: i64,
}

/// The result of a scan: pages sorted by path, and what was skipped for a reason worth reporting.
#[derive(Debug, Default)]
pub struct Scan {
    /// The pages.
    pub files: Vec<DiskFile>,
    /// Files that look like pages but were skipped.
    pub skipped: Vec<Skipped>,
    /// Directories that could not be read: what is indexed of their pages stays valid.
    pub unreadable: Vec<String>,
}

/// A file that was not indexed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Vault-relative path.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// Walks what the vault does not ignore. Ignore files that cannot be used are recorded in `unusable`.
fn walk(vault: &Vault, unusable: &Unusable) -> Walk {
    let rules = IgnoreRules::new(vault.clone(), unusable.clone());
    WalkBuilder::new(vault.root())
        .standard_filters(false)
        .follow_links(false)
        // An ignore file can whitelist a hidden name; for Lore it stays hidden.
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0 || !is_hidden(entry.file_name()) && !rules.ignore(entry.path(), is_folder)
        })
        .build()
}

/// Returns the directories of a vault that may contain pages, the root first; each before its contents are read.
pub fn folders(vault: &Vault) -> impl Iterator<Item = PathBuf> {
    let folder = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_dir());
    walk(vault, &Unusable::default()).flatten().filter(folder).map(DirEntry::into_path)
}

/// Scans the whole vault.
pub fn scan(vault: &Vault) -> Scan {
    let mut scan = Scan::default();
    let mut folders = Folders::default();
    let unusable = Unusable::default();
    for entry in walk(vault, &unusable) {
        match entry {
            Ok(entry) => take(vault, &entry, &mut folders, &mut scan),
            // A directory that was removed after it was listed is not an error.
            Err(error) if error.io_error().is_some_and(absent) => {}
            Err(error) => note_unreadable(vault, &error, &mut scan),
        }
    }
    scan.skipped.extend(unusable.take());
    scan.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    scan
}

/// Records a directory that cannot be read. If its path is unknown, no page counts as gone.
fn note_unreadable(vault: &Vault, error: &ignore::Error, scan: &mut Scan) {
    let place = place_of(error).and_then(|path| path.strip_prefix(vault.root()).ok());
    let path = place.map(|path| with_slashes(&path.to_string_lossy())).unwrap_or_default();
    let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
    scan.skipped.push(Skipped { path: format!("{path}/"), reason: format!("cannot be read: {why}") });
    scan.unreadable.push(path);
}

fn place_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place_of(err),
        _ => None,
    }
}

/// Counts the files that would be pages but are hidden or in hidden directories, except those of version control.
pub fn hidden_pages(vault: &Vault) -> usize {
    let walker = WalkBuilder::new(vault.root())
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git" && entry.file_name() != ".lore")
        .build();
    let hidden = |entry: &DirEntry| {
        let inside = entry.path().strip_prefix(vault.root()).unwrap_or(entry.path());
        is_page(&entry.file_name().to_string_lossy()) && inside.iter().any(is_hidden)
    };
    walker
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()) && hidden(entry))
        .count()
}

/// Returns every file below a directory of the vault that is not hidden, with its size, sorted. Symlinks are not
/// followed.
pub fn files_below(vault: &Vault, folder: &str) -> Vec<(String, u64)> {
    // The folder's name comes from the policy, and a walk enters its first directory even through a symlink.
    let full = vault.root().join(folder);
    if VaultPath::parse(folder).is_err() || std::fs::canonicalize(&full).ok().as_ref() != Some(&full) {
        return Vec::new();
    }
    let walker = WalkBuilder::new(full).standard_filters(false).hidden(true).build();
    let file = |entry: DirEntry| {
        let found = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let inside = entry.path().strip_prefix(vault.root()).ok()?;
        Some((with_slashes(&inside.to_string_lossy()), found.len()))
    };
    let mut files: Vec<(String, u64)> = walker.flatten().filter_map(file).collect();
    files.sort();
    files
}

/// Returns every file of the vault that is not hidden, also what the ignore files exclude, sorted: a link may lead to any of
/// them. Symlinks are not followed.
pub fn files(vault: &Vault) -> Vec<String> {
    files_of(vault, visible(vault))
}

/// Returns the same files with size and mtime, in no particular order.
pub fn stat_files(vault: &Vault) -> Vec<DiskFile> {
    let file = |entry: DirEntry| {
        let found = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let inside = entry.path().strip_prefix(vault.root()).ok()?;
        Some(disk_file(with_slashes(&inside.to_string_lossy()), &found))
    };
    visible(vault).flatten().filter_map(file).collect()
}

fn visible(vault: &Vault) -> Walk {
    WalkBuilder::new(vault.root())
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(|entry| {
            entry.depth() == 0 || !is_hidden(entry.file_name()) && entry.file_name() != PACKAGES
        })
        .build()
}

/// Returns every file of the vault, hidden ones too, except those of git, sorted. Symlinks are not followed.
pub fn all_files(vault: &Vault) -> Vec<String> {
    let walker = WalkBuilder::new(vault.root())
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    files_of(vault, walker)
}

fn files_of(vault: &Vault, walker: Walk) -> Vec<String> {
    let file = |entry: DirEntry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let inside = entry.path().strip_prefix(vault.root()).ok().filter(|_| is_file)?;
        Some(with_slashes(&inside.to_string_lossy()))
    };
    let mut files: Vec<String> = walker.flatten().filter_map(file).collect();
    files.sort();
    files
}

/// Whether the vault ignores a path, by the same rules as a scan: hidden names; then, for each directory on the
/// path and the file itself, every `.loreignore` from the nearest up, then every `.gitignore`. Nothing inside an
/// ignored directory can be whitelisted.
pub fn ignored(vault: &Vault, path: &str) -> bool {
    is_ignored(vault, &IgnoreRules::new(vault.clone(), Unusable::default()), path)
}

fn is_ignored(vault: &Vault, rules: &IgnoreRules, path: &str) -> bool {
    let mut ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    ends.push(path.len());
    path.split('/').any(is_hidden)
        || ends.into_iter().any(|end| rules.ignore(&vault.root().join(&path[..end]), end < path.len()))
}

/// Stats only these paths. Paths that no longer exist are left out.
pub fn stat(vault: &Vault, paths: &BTreeSet<String>) -> Scan {
    let mut scan = Scan::default();
    let rules = IgnoreRules::new(vault.clone(), Unusable::default());
    for path in paths {
        let full = vault.root().join(path);
        let name = path.rsplit('/').next().unwrap_or(path);
        if !is_page(name) || is_ignored(vault, &rules, path) || !vault.has_no_linked_folder(&full) {
            continue;
        }
        match metadata(&full) {
            Ok(found) if found.is_file() && vault.contains(&full) => {
                scan.files.push(disk_file(path.clone(), &found));
            }
            _ => {}
        }
    }
    scan
}

fn take(vault: &Vault, entry: &DirEntry, folders: &mut Folders, scan: &mut Scan) {
    if entry.depth() == 0 {
        return;
    }
    let Some(kind) = entry.file_type() else { return };
    let name = entry.file_name().to_string_lossy();
    if !is_page(&name) {
        return;
    }
    // The scan starts at the root, so every path begins with it and a slash.
    let root = vault.root().as_os_str().len() + 1;
    let Some(path) = entry.path().to_str().and_then(|path| path.get(root..)).map(with_slashes) else {
        return skip(scan, entry.path().to_string_lossy().into_owned(), "its name is not UTF-8");
    };
    if kind.is_dir() {
        return skip(scan, path, "it is a directory, not a page");
    }
    if kind.is_symlink() && !vault.contains(entry.path()) {
        return skip(scan, path, "it is a symlink that is broken or leaves the vault");
    }
    // A symlink inside the vault counts as its target, so its stat must follow it.
    let file = if kind.is_symlink() {
        match metadata(entry.path()) {
            Ok(found) if !found.is_file() => return skip(scan, path, "it is not a regular file"),
            found => found.ok().map(|found| disk_file(path, &found)),
        }
    } else if kind.is_file() {
        folders.stat(entry, path)
    } else {
        return skip(scan, path, "it is not a regular file");
    };
    // A file that was removed after it was listed is left out: the next scan finds it gone.
    scan.files.extend(file);
}

/// Stats files by their name in an open directory, so that the system need not resolve the whole path for each:
/// every command stats every file, and this is the avoidable part of the cost.
#[derive(Default)]
struct Folders {
    #[cfg(unix)]
    open: Option<(std::path::PathBuf, std::fs::File)>,
}

impl Folders {
    #[cfg(unix)]
    fn stat(&mut self, entry: &DirEntry, path: String) -> Option<DiskFile> {
        use rustix::fs::{AtFlags, statat};
        let parent = entry.path().parent()?;
        if self.open.as_ref().is_none_or(|(known, _)| known != parent) {
            self.open = Some((parent.to_owned(), std::fs::File::open(parent).ok()?));
        }
        let (_, folder) = self.open.as_ref()?;
        let found = statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let mtime = found.st_mtime.saturating_mul(1_000_000_000).saturating_add(found.st_mtime_nsec as i64);
        Some(DiskFile { path, size: found.st_size.unsigned_abs(), mtime })
    }

    #[cfg(not(unix))]
    fn stat(&mut self, entry: &DirEntry, path: String) -> Option<DiskFile> {
        entry.metadata().ok().map(|found| disk_file(path, &found))
    }
}

fn skip(scan: &mut Scan, path: String, reason: &str) {
    scan.skipped.push(Skipped { path, reason: reason.into() });
}

fn disk_file(path: String, found: &std::fs::Metadata) -> DiskFile {
    DiskFile { path, size: found.len(), mtime: mtime(found) }
}

/// Returns a file's mtime in nanoseconds since 1970.
pub(crate) fn mtime(found: &std::fs::Metadata) -> i64 {
    let modified = found.modified().unwrap_or(UNIX_EPOCH);
    match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

fn with_slashes(path: &str) -> String {
    if Path::new("a").join("b").to_str() == Some("a/b") { path.to_owned() } else { path.replace('\\', "/") }
}
