//! The git repository around a vault, accessed through the user's own `git`: credentials, hooks and signing are theirs.
//!
//! Every invocation is built in `run.rs`, as if the repository were hostile: it names the git directory and the work tree
//! that `locate.rs` found, and a command that only reads runs nothing that the repository's own settings name. Whether git
//! is run in a vault at all is a person's decision (`risks.rs` lists what they should know).
//!
//! Nothing here merges, forces or removes a lock. Paths are relative to the vault's root, with `/`; files in the
//! repository but outside the vault are neither read nor committed.

mod blame;
mod call;
mod commit;
mod config;
mod create;
mod locate;
mod message;
mod objects;
mod privacy;
mod remote;
mod risks;
mod run;
mod status;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use blame::{BlamedLine, Commit};
pub use call::HeldLock;
pub use create::create;
pub use message::{ACTOR, CommitMessage, FACE, SESSION};
pub use objects::{Object, ObjectKind, Origin};
pub use privacy::Privacy;
pub use remote::State;
pub use risks::{Risk, risks};
pub use status::{Kind, Uncommitted};
pub use tree::Revision;

use crate::files::{exists, real_folder};
use locate::{Located, locate};

/// Maximum wait for another git that holds the index lock.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// The repository around a vault.
#[derive(Debug, Clone)]
pub struct Repo {
    /// The vault's directory, with symlinks resolved.
    root: PathBuf,
    /// The top directory of the work tree.
    top: PathBuf,
    /// The git directory of this work tree: its index, and the state of a merge in progress.
    git_dir: PathBuf,
    /// The git directory with the configuration.
    common_dir: PathBuf,
    /// The filters that the repository's own settings define, which a read must not run.
    filters: Vec<String>,
    /// The repository's own settings that say how a remote is contacted, such as by which program.
    transport: Vec<String>,
    /// Whether a write runs the user's hooks.
    hooks: bool,
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
    #[error("the branch and its upstream have diverged: {ahead} commits only here, {behind} only there")]
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
        let located = locate(&root)?.ok()?;
        let names = root.strip_prefix(&located.top).ok()?.components();
        let prefix = names.map(|name| format!("{}/", name.as_os_str().to_string_lossy())).collect();
        let own = risks::settings(&located);
        let transport =
            own.iter().filter(|entry| risks::is_about_transport(entry)).map(config::Entry::key).collect();
        let filters = own.into_iter().filter(|entry| entry.section == "filter");
        let filters: BTreeSet<String> = filters.filter_map(|entry| entry.subsection).collect();
        let Located { top, git_dir, common_dir } = located;
        Some(Repo {
            root,
            top,
            git_dir,
            common_dir,
            filters: filters.into_iter().collect(),
            transport,
            hooks: true,
            prefix,
            environment: Vec::new(),
            patience: LOCK_PATIENCE,
        })
    }

    /// Returns why the `.git` at or above a vault is not used, if there is one that is not.
    pub fn problem(root: &Path) -> Option<String> {
        locate(&real_folder(root)?)?.err()
    }

    /// Sets whether writes run the user's hooks.
    pub fn with_hooks(self, hooks: bool) -> Repo {
        Repo { hooks, ..self }
    }

    /// Returns the repository for looking at files as part of a write, which compares what the filters make of them.
    fn with_filters(&self) -> Repo {
        Repo { filters: Vec::new(), ..self.clone() }
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
