//! Finds the repository around a vault without running git, and refuses one that is not the folder's own: a `.git` that
//! leads elsewhere would make Lore read from, commit to and delete from somebody else's repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::config;
use crate::files::{exists, is_folder, real_folder};
use crate::regular::read_regular;

/// Maximum size of a `.git` file and of the files that point back to it.
const LIMIT: u64 = 4096;

/// A repository on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Located {
    /// The top directory of the work tree.
    pub(super) top: PathBuf,
    /// The git directory of this work tree.
    pub(super) git_dir: PathBuf,
    /// The git directory with the configuration and the objects; another one in a linked work tree.
    pub(super) common_dir: PathBuf,
}

/// The innermost `.git` at or above a directory: a repository, or why it is not used.
pub(super) fn locate(root: &Path) -> Option<Result<Located, String>> {
    root.ancestors().find_map(|folder| {
        let at = folder.join(".git");
        let found = if is_folder(&at) {
            // Like git, ignores a `.git` that is not a repository.
            exists(&at.join("HEAD")).then(|| directory(folder, &at))?
        } else if exists(&at) {
            file(folder, &at)
        } else {
            return None;
        };
        let found = found.and_then(|found| check_files([root, &found.top]).map(|()| found));
        Some(found.map_err(|why| format!("{} is not used: {why}", at.display())))
    })
}

fn directory(folder: &Path, at: &Path) -> Result<Located, String> {
    if exists(&at.join("commondir")) {
        return Err("it shares the objects and settings of another repository".into());
    }
    check_contents(at)?;
    let at = at.to_owned();
    Ok(Located { top: folder.to_owned(), common_dir: at.clone(), git_dir: at })
}

/// A `.git` file is used if the repository that it points to points back: a linked work tree or a submodule.
fn file(folder: &Path, at: &Path) -> Result<Located, String> {
    if fs::symlink_metadata(at).is_ok_and(|found| found.is_symlink()) {
        return Err("it is a symlink".into());
    }
    let text = line(at).ok_or("it is not a readable file")?;
    let target = text.strip_prefix("gitdir:").ok_or("it does not name a repository")?.trim();
    let git_dir = real_folder(&folder.join(target)).ok_or("the repository that it names does not exist")?;
    let leads_back = |path: PathBuf, to: &Path| fs::canonicalize(path).is_ok_and(|path| path == to);
    if let Some(back) = line(&git_dir.join("gitdir")) {
        let common = line(&git_dir.join("commondir")).unwrap_or_default();
        let common = real_folder(&git_dir.join(common)).ok_or("its main repository does not exist")?;
        let in_place = git_dir.parent().and_then(Path::parent) == Some(&common);
        if in_place && leads_back(git_dir.join(back), at) {
            check_contents(&git_dir)?;
            check_contents(&common)?;
            return Ok(Located { top: folder.to_owned(), git_dir, common_dir: common });
        }
    } else if !exists(&git_dir.join("commondir")) {
        let settings = config::read(&git_dir.join("config"));
        let mut trees = settings.iter().filter(|entry| entry.key() == "core.worktree");
        if trees.next_back().is_some_and(|tree| leads_back(git_dir.join(&tree.value), folder)) {
            check_contents(&git_dir)?;
            return Ok(Located { top: folder.to_owned(), common_dir: git_dir.clone(), git_dir });
        }
    }
    Err(format!("it points to {}, which belongs to another directory", git_dir.display()))
}

/// The directories of a repository whose entries git opens by name.
const LOOKED_INTO: [&str; 7] = ["", "info", "objects", "objects/info", "refs", "refs/heads", "logs"];

/// Fails if a part of the repository is a symlink, through which git would write elsewhere, or a pipe or device, on which
/// it would wait. People link their hooks, which are judged by what they are.
fn check_contents(git_dir: &Path) -> Result<(), String> {
    for folder in LOOKED_INTO {
        for entry in fs::read_dir(git_dir.join(folder)).into_iter().flatten().flatten() {
            let is_usual = |kind: fs::FileType| kind.is_file() || kind.is_dir() || is_socket(kind);
            let name = entry.file_name();
            if name != "hooks" && !entry.file_type().is_ok_and(is_usual) {
                let path = Path::new(folder).join(name);
                return Err(format!("{:?} in it is not a file or a directory", path.display().to_string()));
            }
        }
    }
    Ok(())
}

/// Fails if git would wait for a file of the work tree that it reads in every command.
fn check_files(folders: [&Path; 2]) -> Result<(), String> {
    const READ_BY_GIT: [&str; 4] = [".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];
    let mut paths = folders.into_iter().flat_map(|folder| READ_BY_GIT.map(|name| folder.join(name)));
    let is_stuck = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    match paths.find(is_stuck) {
        Some(path) => Err(format!("{} is not a file", path.display())),
        None => Ok(()),
    }
}

/// git's own file system monitor leaves a socket.
#[cfg(unix)]
fn is_socket(kind: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

#[cfg(not(unix))]
fn is_socket(_kind: fs::FileType) -> bool {
    false
}

fn line(path: &Path) -> Option<String> {
    let bytes = read_regular(path, LIMIT).ok()??;
    Some(String::from_utf8(bytes).ok()?.trim_end().to_owned())
}
