//! Creates the repository of a new vault.

use std::path::Path;
use std::process::{Command, Stdio};

use super::call::Call;
use super::{GitError, Repo};

/// Makes sure that a vault is in a repository: the one around it, unless that ignores the vault, or a new one. Adds the
/// remote `origin` if an address is given and there is none.
pub fn create(root: &Path, remote: Option<&str>) -> Result<Repo, GitError> {
    // `git init` would follow a `.git` that leads elsewhere, and change what is there.
    if let Some(problem) = Repo::problem(root) {
        return Err(GitError::failed("init", problem));
    }
    let around = Repo::find(root).filter(|repo| !repo.ignores_vault());
    let repo = match around {
        Some(repo) => repo,
        None => {
            initialize(root)?;
            Repo::find(root).ok_or_else(|| GitError::failed("init", "git created no repository"))?
        }
    };
    if let Some(address) = remote
        && !repo.run(&Call::look(&["remote", "get-url", "--", "origin"]))?.success()
    {
        repo.run(&Call::new(&["remote", "add", "--", "origin", address]))?.expect_success()?;
    }
    Ok(repo)
}

impl Repo {
    /// Whether the repository ignores the vault's directory, so that it has no history there.
    fn ignores_vault(&self) -> bool {
        self.run(&Call::look(&["check-ignore", "--quiet", "."])).is_ok_and(|output| output.success())
    }
}

/// Runs `git init`, the only command for which there is no repository yet.
fn initialize(root: &Path) -> Result<(), GitError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(["init", "--quiet", "--initial-branch=main"]);
    for name in super::run::FOREIGN {
        command.env_remove(name);
    }
    let done = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match done {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(GitError::failed("init", status.to_string())),
        Err(_) => Err(GitError::Missing),
    }
}
