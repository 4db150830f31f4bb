//! The git repository around a vault, accessed through the user's own `git`: credentials, hooks and signing are theirs.
//!
//! Nothing here merges, forces or removes a lock. Paths are relative to the vault's root, with `/`; files in the
//! repository but outside the vault are neither read nor committed.

mod blame;
mod call;
mod commit;
mod message;
mod objects;
mod remote;
mod run;
mod status;
#[cfg(test)]
mod tests;
mod tree;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use blame::{BlamedLine, Commit};
pub use call::HeldLock;

pub use objects::{Object, ObjectKind, Origin};

pub use message::{ACTOR, CommitMessage, FACE, SESSION};
pub use remote::State;
pub use status::{Kind, Uncommitted};
pub use tree::Revision;

use crate::files::{exists, read_text, real_folder};

/// Maximum wait for another git that holds the index lock.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// The repository around a vault.
#[derive(Debug, Clone)]
pub struct Repo {
    /// The vault's directory, with symlinks resolved.
    root: PathBuf,
    /// The git directory of this work tree: its index, and the state of a merge in progress.
    git_dir: PathBuf,
    /// The vault's path in the repository: empty, or ending with `/`.
    prefix: String,
    environment: Vec<(OsString, OsString)>,
    patience: Duration,
}

/// Why a git command failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The git program is not installed.
    #[error("git is not installed; install it, or add it to PATH")]
    Missing,
    /// It timed out and was killed with all its child processes.
    #[error("git {command} timed out after {seconds} s; run it by hand to see why")]
    TimedOut {
        /// The git command.
        command: String,
        /// The timeout.
        seconds: u64,
    },
    /// git failed.
    #[error("git {command} failed: {message}")]
    Failed {
        /// The git command.
        command: String,
        /// What git or a hook reported, without credentials.
        message: String,
    },
    /// There is no remote to fetch from or push to.
    #[error("git {command} failed: no remote is configured; add one with `git remote add origin URL`")]
    NoRemote {
        /// The git command.
        command: String,
    },
    /// The remote has commits that this branch lacks, so it rejected the push. The local commits are untouched.
    #[error("{message}")]
    Rejected {
        /// What happened and how to resolve it.
        message: String,
    },
    /// The branch and its upstream have diverged.
    #[error(
        "the branch and its upstream have diverged: {ahead} commits only here, {behind} only there; \
         merge them with `git pull --rebase`"
    )]
    Diverged {
        /// Commits that only the branch has.
        ahead: u64,
        /// Commits that only the upstream has.
        behind: u64,
    },
    /// Another git process holds a lock.
    #[error("{message}")]
    Locked {
        /// The lock, and how to resolve it.
        message: String,
    },
}

impl GitError {
    fn failed(command: &str, message: impl Into<String>) -> GitError {
        GitError::Failed { command: command.to_owned(), message: message.into() }
    }
}

impl Repo {
    /// Returns the repository that contains the vault at `root`, if any. Runs no program.
    pub fn find(root: &Path) -> Option<Repo> {
        let root = real_folder(root)?;
        let (top, git_dir) = root.ancestors().find_map(|folder| Some((folder, git_dir_of(folder)?)))?;
        let names = root.strip_prefix(top).ok()?.components();
        let prefix = names.map(|name| format!("{}/", name.as_os_str().to_string_lossy())).collect();
        Some(Repo { root, git_dir, prefix, environment: Vec::new(), patience: LOCK_PATIENCE })
    }

    /// Sets an environment variable for every git process.
    pub fn with_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Repo {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Runs git's automatic maintenance.
    pub fn maintain(&self) -> Result<(), GitError> {
        let call = call::Call::new(&["maintenance", "run", "--auto", "--quiet"]).within(call::TIDYING);
        self.run(&call)?.expect_success().map(drop)
    }

    /// Fails while a merge, rebase or similar is in progress: a commit would become part of it.
    fn refuse_midway(&self, command: &str) -> Result<(), GitError> {
        // A rebase that stopped at a conflict leaves CHERRY_PICK_HEAD too, so rebases are checked first.
        let marks = [
            ("rebase-merge", "rebase"),
            ("rebase-apply/applying", "am"),
            ("rebase-apply", "rebase"),
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
        ];
        match marks.iter().find(|(mark, _)| exists(&self.git_dir.join(mark))) {
            None => Ok(()),
            Some((_, under_way)) => Err(GitError::failed(
                command,
                format!(
                    "a git {under_way} is in progress in this repository; finish it with \
                     `git {under_way} --continue` or abort it with `git {under_way} --abort`, and retry"
                ),
            )),
        }
    }
}

/// Returns the git directory of a directory with a `.git`: the `.git` itself, or the directory that a `.git` file
/// points to, as in a linked work tree or a submodule. Like git, it ignores a `.git` that is not a repository.
fn git_dir_of(folder: &Path) -> Option<PathBuf> {
    let at = folder.join(".git");
    if exists(&at.join("HEAD")) {
        return Some(at);
    }
    let text = read_text(&at).ok()??;
    Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
}
