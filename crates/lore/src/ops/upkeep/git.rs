//! `git status|push|pull|commit`: the vault's repository.

use clap::Args;
use lore_engine::{Error, GitState, HandCommit, commit_by_hand, git_state, pull, push};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::hints::hint;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{Done, count, timestamp, warning_lines};
use crate::ops::{Operation, Render};

/// Show the branch, unpushed commits, uncommitted files and failures
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore git status")]
pub struct Status {}

/// State of a vault's repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GitView {
    /// Whether there is a repository.
    repository: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<String>,
    /// Commits that are not on the remote.
    ahead: u64,
    /// Commits on the remote that are not here.
    behind: u64,
    /// Files that differ from the last commit.
    uncommitted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_fetch: Option<String>,
    /// Warnings for the user.
    warnings: Vec<String>,
    /// What to do about each warning.
    #[serde(skip)]
    fixes: Vec<String>,
}

impl GitView {
    /// Converts a state; `None` without a repository.
    pub fn new(state: Option<GitState>) -> GitView {
        let Some(git) = state else {
            return GitView {
                repository: false,
                branch: None,
                upstream: None,
                remote: None,
                ahead: 0,
                behind: 0,
                uncommitted: Vec::new(),
                last_fetch: None,
                warnings: Vec::new(),
                fixes: Vec::new(),
            };
        };
        let (warnings, fixes) = warnings(&git).into_iter().unzip();
        GitView {
            repository: true,
            branch: git.state.branch,
            upstream: git.state.upstream,
            remote: git.state.url,
            ahead: git.state.ahead,
            behind: git.state.behind,
            uncommitted: git.uncommitted,
            last_fetch: git.fetched.map(timestamp),
            warnings,
            fixes,
        }
    }

    /// Converts a state for the caller of a session, who may not see everything.
    pub fn of(session: &Session, state: Option<GitState>) -> GitView {
        let mut view = GitView::new(state);
        view.remote = view.remote.map(|remote| session.shown(&remote));
        view.warnings = view.warnings.iter().map(|warning| session.shown(warning)).collect();
        view
    }

    /// Returns what to do about each warning.
    pub fn fixes(&self) -> &[String] {
        &self.fixes
    }

    /// Returns the number of unpushed commits, 0 without a remote.
    pub fn unpushed(&self) -> u64 {
        if self.remote.is_some() { self.ahead } else { 0 }
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns a one-line summary.
    pub fn line(&self) -> Option<String> {
        self.repository.then(|| {
            let branch = self.branch.as_deref().unwrap_or("no branch");
            let mut words = vec![branch.to_owned()];
            if self.remote.is_none() {
                words.push("no remote".into());
            }
            if self.ahead > 0 {
                words.push(format!("ahead {}", self.ahead));
            }
            if self.behind > 0 {
                words.push(format!("behind {}", self.behind));
            }
            if !self.uncommitted.is_empty() {
                words.push(format!("{} not committed", count(self.uncommitted.len() as u64, "file")));
            }
            format!("git: {}", words.join(", "))
        })
    }
}

/// Returns warnings, each with what to do about it.
fn warnings(git: &GitState) -> Vec<(String, String)> {
    let mut warnings = Vec::new();
    let (ahead, behind) = (git.state.ahead, git.state.behind);
    let upstream = git.state.upstream.clone().unwrap_or_else(|| "the remote".into());
    let diverged = hint(&Error::Diverged { upstream, ahead, behind });
    if ahead > 0 && behind > 0 {
        let what = format!("remote diverged: {} here, {behind} there", count(ahead, "commit"));
        warnings.push((what, diverged.clone()));
    }
    if let Some((message, pending)) = &git.commit_failure {
        let what = format!("not committed yet: {} ({message})", count(*pending as u64, "write"));
        warnings.push((what, "fix the cause; the next write commits it too".into()));
    }
    if let Some(failure) = &git.push_failure {
        let what = if failure.rejected { "push rejected" } else { "push failed" };
        let fix = if failure.rejected { diverged } else { "push again with `lore git push`".into() };
        warnings.push((format!("{what} at {}: {}", timestamp(failure.at), failure.message), fix));
    }
    if let Some(message) = &git.fetch_failure {
        let fix = "check the network and the remote; writes continue locally".into();
        warnings.push((format!("last fetch failed: {message}"), fix));
    }
    warnings
}

impl Operation for Status {
    const NAME: &'static str = "git status";
    type Output = GitView;

    fn run(self, session: &Session) -> Result<GitView> {
        Ok(GitView::of(session, git_state(session.context()?)?))
    }
}

impl Render for GitView {
    fn human(&self) -> String {
        let mut text = self.line().unwrap_or_else(|| "git: the vault is not in a repository".into()) + "\n";
        text.extend(
            self.uncommitted
                .iter()
                .take(20)
                .map(|path| format!("not committed: {}\n", Line::from(path.as_str()))),
        );
        text.push_str(&warning_lines(&self.warnings));
        text
    }
}

/// Push the vault's commits, never by force
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore git push")]
pub struct Push {}

impl Operation for Push {
    const NAME: &'static str = "git push";
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let pushed = push(session.context()?)?;
        Ok(Done::new(match pushed {
            0 => "nothing to push".into(),
            pushed => format!("pushed {}", count(pushed, "commit")),
        }))
    }
}

/// Fetch and fast-forward, never merge
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore git pull")]
pub struct Pull {}

impl Operation for Pull {
    const NAME: &'static str = "git pull";
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let done = pull(session.fresh()?)?;
        let mut message = if done.moved { "fast-forwarded" } else { "nothing new" }.to_owned();
        for warning in done.warnings {
            message += &format!("; {warning}");
        }
        Ok(Done::new(message))
    }
}

/// Commit edits made outside Lore, if the whole vault is valid
///
/// Editors call it after a save: generated files are regenerated, every page is checked, then everything is committed.
/// A file of any kind with a credential or a conflict marker is left out and named; the exit status is then 4.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore git commit\n  lore git commit --message 'Notes from the train'")]
pub struct Commit {
    /// First line of the commit message
    #[arg(long, short)]
    #[serde(default)]
    message: Option<String>,
}

/// Output of `git commit`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommitView {
    message: String,
    /// Files that were left out, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
}

/// A file that was not committed.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftOut {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    rule: &'static str,
    message: String,
}

impl Operation for Commit {
    const NAME: &'static str = "git commit";
    const WRITES: bool = true;
    type Output = CommitView;

    fn run(self, session: &Session) -> Result<CommitView> {
        if self.message.as_deref().is_some_and(|message| message.trim().is_empty()) {
            return Err(AppError::usage("the commit message is empty", "omit --message, or pass a text"));
        }
        let HandCommit { id, paths, left_out } = commit_by_hand(session.fresh()?, self.message.as_deref())?;
        let message = match id {
            None => "nothing to commit".into(),
            Some(_) => format!("committed {}", count(paths.len() as u64, "file")),
        };
        let left_out = left_out.into_iter().map(|found| LeftOut {
            path: found.path,
            line: found.line,
            rule: found.lint.name(),
            message: found.message,
        });
        Ok(CommitView { message, left_out: left_out.collect() })
    }
}

impl Render for CommitView {
    fn human(&self) -> String {
        let mut text = format!("{}\n", self.message);
        for LeftOut { path, line, rule, message } in &self.left_out {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            text.push_str(&format!("left out: {path}{line}: {message} ({rule})\n"));
        }
        text
    }

    fn exit(&self) -> u8 {
        if self.left_out.is_empty() { 0 } else { 4 }
    }
}
