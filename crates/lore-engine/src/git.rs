//! The repository around a vault, through the user's own `git`: credentials, hooks and signing stay theirs.
//!
//! Nothing here merges, forces or removes a lock. Paths are relative to the vault's root, with `/`; what lies in the
//! repository but outside the vault is neither looked at nor committed.

mod blame;
mod call;
mod commit;
mod message;
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

pub use message::{ACTOR, CommitMessage, FACE, SESSION};
pub use remote::State;
pub use status::{Kind, Uncommitted};
pub use tree::Revision;

use crate::vault::{exists, read_text, real_folder};

/// How long another git may hold the index before a write gives up.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// The repository around a vault.
#[derive(Debug, Clone)]
pub struct Repo {
    /// The vault's directory, with no symbolic link in it.
    root: PathBuf,
    /// Where git keeps what belongs to this work tree: its index, and the traces of a merge under way.
    git_dir: PathBuf,
    /// The vault's place in the repository: empty, or a path with `/` at its end.
    prefix: String,
    environment: Vec<(OsString, OsString)>,
    patience: Duration,
}

/// Why git did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git program.
    #[error("there is no git program; install git, or put it on the PATH")]
    Missing,
    /// It took too long and was stopped, with everything it had started.
    #[error(
        "git {command} was stopped because it had not ended after {seconds} s; run it by hand to see what holds it up"
    )]
    TimedOut {
        /// What git was doing.
        command: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Git said no.
    #[error("git {command} failed: {message}")]
    Failed {
        /// What git was doing.
        command: String,
        /// What git or a hook said, without credentials.
        message: String,
    },
    /// There is nothing to fetch from or push to.
    #[error("git {command} failed: no remote is known; add one with `git remote add origin URL`")]
    NoRemote {
        /// What git was to do.
        command: String,
    },
    /// The remote has commits that this branch lacks, so it took none. The local commits are untouched.
    #[error("{message}")]
    Rejected {
        /// What happened and the way out.
        message: String,
    },
    /// Both sides have commits of their own.
    #[error(
        "the branch and its upstream went apart: {ahead} here that are not there, {behind} there that are not here; \
         bring them together with `git pull --rebase`"
    )]
    Diverged {
        /// Commits that only the branch has.
        ahead: u64,
        /// Commits that only the upstream has.
        behind: u64,
    },
    /// Another git holds a lock.
    #[error("{message}")]
    Locked {
        /// Which lock, and the way out.
        message: String,
    },
}

impl GitError {
    fn failed(command: &str, message: impl Into<String>) -> GitError {
        GitError::Failed { command: command.to_owned(), message: message.into() }
    }
}

impl Repo {
    /// The repository that the vault at `root` lies in, if there is one. Runs no program.
    pub fn find(root: &Path) -> Option<Repo> {
        let root = real_folder(root)?;
        let (top, git_dir) = root.ancestors().find_map(|folder| Some((folder, git_dir_of(folder)?)))?;
        let names = root.strip_prefix(top).ok()?.components();
        let prefix = names.map(|name| format!("{}/", name.as_os_str().to_string_lossy())).collect();
        Some(Repo { root, git_dir, prefix, environment: Vec::new(), patience: LOCK_PATIENCE })
    }

    /// Sets a variable in the environment of every git this runs.
    pub fn with_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Repo {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Lets git tidy the repository if it finds that worth while.
    pub fn maintain(&self) -> Result<(), GitError> {
        let call = call::Call::new(&["maintenance", "run", "--auto", "--quiet"]).within(call::TIDYING);
        self.run(&call)?.expect_success().map(drop)
    }

    /// Refuses while a merge or its like is under way: a commit would become part of it.
    fn refuse_midway(&self, command: &str) -> Result<(), GitError> {
        // A rebase that stopped at a conflict leaves the mark of a cherry-pick too, so it comes first.
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
                    "a git {under_way} is under way in this repository; finish it with \
                     `git {under_way} --continue` or give it up with `git {under_way} --abort`, then try again"
                ),
            )),
        }
    }
}

/// The directory git uses for a folder that has a `.git`: that directory, or the one a `.git` file names, as in a
/// further work tree or a submodule. Like git, it passes over a `.git` that is no repository.
fn git_dir_of(folder: &Path) -> Option<PathBuf> {
    let at = folder.join(".git");
    if exists(&at.join("HEAD")) {
        return Some(at);
    }
    let text = read_text(&at).ok()??;
    Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
}
