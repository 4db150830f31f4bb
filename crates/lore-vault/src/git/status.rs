//! Differences from the last commit in the vault's part of the repository.

use std::collections::{BTreeMap, HashSet};

use super::call::{ARGUMENTS, Call};
use super::{GitError, Repo};

/// With more paths than this, the status of the whole vault is cheaper: git compares each file with each path.
const MANY: usize = 200;

/// How a file differs from the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its bytes differ.
    Modified,
    /// The last commit does not have it.
    Added,
    /// The file is gone.
    Deleted,
}

/// A file that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncommitted {
    /// Its path in the vault.
    pub path: String,
    /// How it differs.
    pub kind: Kind,
}

/// How a file differs, and its state in git's index.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) kind: Kind,
    /// Whether git does not track it yet.
    pub(super) untracked: bool,
    /// Whether it has an unresolved merge conflict.
    pub(super) in_conflict: bool,
}

/// The files that differ, by path.
pub(super) type Differences = BTreeMap<String, Difference>;

impl Repo {
    /// Returns the files that differ from the last commit: of these paths (a directory means everything in it), or of
    /// the whole vault. Ignored files do not count.
    pub fn uncommitted(&self, paths: Option<&[String]>) -> Result<Vec<Uncommitted>, GitError> {
        let found = self.differences(paths)?;
        Ok(found.into_iter().map(|(path, Difference { kind, .. })| Uncommitted { path, kind }).collect())
    }

    pub(super) fn differences(&self, paths: Option<&[String]>) -> Result<Differences, GitError> {
        let Some(paths) = paths else { return self.status(&["."]) };
        if paths.is_empty() {
            return Ok(Differences::new());
        }
        if let Some(outside) = paths.iter().find(|path| leads_out(path)) {
            return Err(GitError::failed("status", format!("{outside:?} is not a path inside the vault")));
        }
        if paths.len() <= MANY && paths.iter().map(String::len).sum::<usize>() <= ARGUMENTS {
            return self.status(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let asked: HashSet<&str> = paths.iter().map(String::as_str).collect();
        let mut found = self.status(&["."])?;
        found.retain(|path, _| with_folders(path).any(|name| asked.contains(name)));
        Ok(found)
    }

    fn status(&self, paths: &[&str]) -> Result<Differences, GitError> {
        let call = Call::look(&[
            "status",
            "--porcelain=v1",
            "-z",
            "-uall",
            "--no-renames",
            "--ignore-submodules=all",
            "--",
        ])
        .with(paths);
        let mut found = Differences::new();
        for field in self.run(&call)?.expect_success()?.fields() {
            let Some((marks, path)) = field.split_at_checked(3) else { continue };
            let Some(path) = path.strip_prefix(self.prefix.as_str()) else { continue };
            // A name with a trailing slash is a nested repository.
            if !path.ends_with('/') {
                note(&mut found, path, marks);
            }
        }
        Ok(found)
    }
}

/// Records one line of git's status. A file that was removed from the index but still exists has two.
fn note(found: &mut Differences, path: &str, marks: &str) {
    let kind = match marks.as_bytes() {
        // Staged, then removed: neither the last commit nor the disk has it.
        [b'A', b'D', ..] => return,
        [b'?', ..] if found.contains_key(path) => Kind::Modified,
        [b'?' | b'A', ..] | [_, b'A', ..] => Kind::Added,
        [b'D', ..] | [_, b'D', ..] => Kind::Deleted,
        _ => Kind::Modified,
    };
    // Writes in progress and editors' own files never enter git; if somebody committed some, their removal may.
    if (path.starts_with(".lore/staging/") || is_editor_file(path)) && kind != Kind::Deleted {
        return;
    }
    let in_conflict = marks.contains('U') || marks.starts_with("AA") || marks.starts_with("DD");
    found.insert(path.to_owned(), Difference { kind, untracked: marks.starts_with('?'), in_conflict });
}

/// Returns the path, then each of its parent directories from the inside out.
pub(super) fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(folder, _)| folder))
}

fn leads_out(path: &str) -> bool {
    path.is_empty()
        || path.starts_with('/')
        || path.contains('\0')
        || path.split('/').any(|name| name == "..")
}

/// Whether an editor or the system keeps this file for itself: locks, backups, autosaves, the state of windows. Such files
/// come and go while somebody works and are no part of the vault.
fn is_editor_file(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_folder = |wanted: &str| folder == wanted || folder.ends_with(&format!("/{wanted}"));
    let is_swap = |extension: &str| {
        let kinds = extension.strip_prefix("sw").filter(|rest| rest.len() == 1);
        kinds.is_some_and(|kind| kind.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    let is_hidden = name.starts_with('.');
    name.starts_with(".#")
        || name.len() > 2 && name.starts_with('#') && name.ends_with('#')
        || name.len() > 1 && name.ends_with('~')
        || is_hidden && name.rsplit_once('.').is_some_and(|(_, extension)| is_swap(extension))
        || is_hidden && name.ends_with(".kate-swp")
        || name.starts_with(".~lock.") && name.ends_with('#')
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini")
        || in_folder(".obsidian") && name.starts_with("workspace")
}

#[cfg(test)]
mod tests {
    use super::is_editor_file;

    #[test]
    fn editors_own_files_are_told_from_pages() {
        for path in [
            ".#plan.md",
            "notes/.#plan.md",
            "notes/#plan.md#",
            "plan.md~",
            "notes/.plan.md.swp",
            ".plan.md.swo",
            ".plan.md.kate-swp",
            ".~lock.plan.odt#",
            ".DS_Store",
            "notes/.DS_Store",
            ".obsidian/workspace.json",
            "sub/.obsidian/workspace-mobile.json",
        ] {
            assert!(is_editor_file(path), "{path}");
        }
        for path in [
            "plan.md",
            "#1 priority.md",
            "C#",
            "~",
            "notes/plan.swp",
            ".gitignore",
            ".obsidian/app.json",
            "workspace.json",
            "notes/workspace.md",
            "DS_Store.md",
        ] {
            assert!(!is_editor_file(path), "{path}");
        }
    }
}
