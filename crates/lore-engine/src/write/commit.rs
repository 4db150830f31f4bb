//! git around a write: fetch and fast-forward before it, commit after it, edits made outside Lore committed separately,
//! and failures remembered until they are resolved. A vault without a repository is not affected.

use std::time::Duration;

use lore_ports::no_progress;
use lore_text::ContentHash;
use lore_vault::FolderLock;
use lore_vault::git::{CommitMessage, GitError, Privacy, Repo, State};

use super::commit_gate::{Admitted, Committed, admit, commit_checked, refuse_message};
use super::fast_forward::{FastForward, fast_forward};
use super::git_state::{Pending, PushFailure, remember, remembered};
use super::record::FileChange;
use super::{Paths, publish};
use crate::context::{Author, VaultContext};
use crate::error::{Error, Result};
use crate::index::{ReconcileScope, ScanMode, reconcile};
use crate::lint;
use crate::policy::{Dirty, Finding, Lint};

/// Maximum time a write waits for the network.
const FETCH: Duration = Duration::from_secs(3);

/// Timeout of an explicit push or pull.
const PUSH: Duration = Duration::from_secs(60);

/// State of a vault's repository.
#[derive(Debug, Clone)]
pub struct GitState {
    /// Branch, upstream, and commits ahead and behind.
    pub state: State,
    /// Files that differ from the last commit.
    pub uncommitted: Vec<String>,
    /// When the last fetch was attempted, in milliseconds since 1970.
    pub fetched: Option<i64>,
    /// Its error, if it failed.
    pub fetch_failure: Option<String>,
    /// The last push, if it failed.
    pub push_failure: Option<PushFailure>,
    /// Why writes could not be committed, and how many are pending.
    pub commit_failure: Option<(String, usize)>,
}

pub(super) fn repo(context: &VaultContext) -> Option<Repo> {
    if context.policy().git.commit { context.repo() } else { None }
}

/// Whether writes are committed, with the names of their author and session.
pub fn is_committed(context: &VaultContext) -> bool {
    repo(context).is_some()
}

/// Fetches if there is a remote and the last attempt is old enough. Returns whether it succeeded; being offline is
/// fine.
pub(super) fn fetch_if_old(context: &VaultContext) -> bool {
    let Some(repo) = repo(context) else { return false };
    let known = remembered(context);
    let now = context.now();
    // A time in the future was recorded by a clock that was wrong.
    let is_future = known.fetched > now.timestamp().as_millisecond();
    let old = is_future || known.fetched <= context.policy().git.fetch_after.before(&now);
    if !old || !repo.has_remote() {
        return false;
    }
    fetch(context, &repo, FETCH).is_ok()
}

fn fetch(context: &VaultContext, repo: &Repo, timeout: Duration) -> std::result::Result<(), GitError> {
    let done = repo.fetch(timeout);
    remember(context, |now| {
        now.fetched = context.now().timestamp().as_millisecond();
        now.fetch_failure = done.as_ref().err().map(ToString::to_string);
    });
    done
}

/// Checks the preconditions of a write: the branch has not diverged from its upstream, and, if the policy requires it,
/// there are no uncommitted changes made outside Lore.
/// Returns warnings.
pub(super) fn before_write(
    context: &VaultContext,
    paths: &Paths,
    fetched: bool,
    is_fix: bool,
) -> Result<Vec<String>> {
    let Some(repo) = repo(context) else { return Ok(Vec::new()) };
    let mut warnings = Vec::new();
    if fetched || remembered(context).apart {
        warnings = follow_upstream(context, &repo)?.warnings;
    }
    if context.policy().git.dirty == Dirty::Refuse && !is_fix {
        let foreign: Vec<String> =
            foreign(context, &repo)?.into_iter().filter(|path| !paths.contains(path)).collect();
        if !foreign.is_empty() {
            return Err(Error::Dirty { paths: foreign });
        }
    }
    Ok(warnings)
}

/// Fast-forwards to the upstream if it is ahead; fails if that is not possible.
fn follow_upstream(context: &VaultContext, repo: &Repo) -> Result<FastForward> {
    let state = repo.state().map_err(failed)?;
    let (ahead, behind) = (state.ahead, state.behind);
    remember(context, |now| now.apart = behind > 0);
    if behind == 0 {
        return Ok(FastForward::default());
    }
    if ahead > 0 {
        let upstream = state.upstream.unwrap_or_else(|| "the remote".into());
        return Err(Error::Diverged { upstream, ahead, behind });
    }
    let dirty = foreign(context, repo)?;
    if !dirty.is_empty() {
        return Err(Error::Dirty { paths: dirty });
    }
    let moved = fast_forward(context, repo)?;
    remember(context, |now| now.apart = false);
    reconcile(context, &ReconcileScope::Everything(ScanMode::Stat), &no_progress)?;
    Ok(moved)
}

/// Returns the files that differ from the last commit and are not pending for one of Lore's own.
fn foreign(context: &VaultContext, repo: &Repo) -> Result<Vec<String>> {
    let own: Vec<String> = remembered(context).pending.into_iter().flat_map(|one| one.paths).collect();
    let all = repo.uncommitted(None).map_err(failed)?;
    let staging = |path: &str| path.starts_with(".lore/staging/");
    Ok(all.into_iter().map(|one| one.path).filter(|path| !own.contains(path) && !staging(path)).collect())
}

/// Returns the files of a change that were edited outside Lore since it last wrote them, or that it never wrote.
pub(super) fn foreign_edits(context: &VaultContext, entries: &[FileChange]) -> Vec<String> {
    let edited = |entry: &&FileChange| {
        let author = context.store().author(context.project(), &entry.path).ok().flatten();
        let hash = entry.old.as_deref().map(ContentHash::of);
        hash.is_some() && author.map(|author| author.hash) != hash
    };
    entries.iter().filter(edited).map(|entry| entry.path.clone()).collect()
}

/// Commits edits made outside Lore to the files of a change before it is made, so that each line keeps its author.
/// Returns why edits were left out: the write that removes a credential must not commit it first.
pub(super) fn keep_foreign_edits(
    context: &VaultContext,
    lock: &FolderLock,
    paths: &[String],
) -> Vec<Finding> {
    let Some(repo) = repo(context) else { return Vec::new() };
    if paths.is_empty() || repo.uncommitted(Some(paths)).is_ok_and(|changed| changed.is_empty()) {
        return Vec::new();
    }
    let subject = format!("Commit edits made outside Lore to {}", paths.join(", "));
    let message = CommitMessage { subject, body: None, trailers: vec![("Lore-Face", "file".into())] };
    // If this fails, the edits become part of the write's own commit.
    commit_checked(context, &repo, paths, &message, lock).map(|done| done.left_out).unwrap_or_default()
}

/// Commits these paths. A failure is remembered, reported, and retried by the next commit. If the commit `waited`, the
/// files may have been edited since.
pub(super) fn commit(
    context: &VaultContext,
    lock: &FolderLock,
    paths: &[String],
    subject: &str,
    author: &Author,
    waited: bool,
) -> std::result::Result<Committed, String> {
    let Some(repo) = repo(context) else { return Ok(Committed::default()) };
    let mut waiting = remembered(context).pending;
    let had = waiting.len();
    waiting.push(Pending { paths: paths.to_vec(), subject: subject.to_owned(), author: author.clone() });
    let (mut last, mut failure) = (Committed::default(), None);
    while failure.is_none() && !waiting.is_empty() {
        let had_to_wait = waited || waiting.len() > 1;
        let message = message(context, &waiting[0], had_to_wait);
        match commit_checked(context, &repo, &waiting[0].paths, &message, lock) {
            Ok(done) => {
                last.id = done.id;
                last.left_out.extend(done.left_out);
                waiting.remove(0);
            }
            Err(error) => failure = Some(error.to_string()),
        }
    }
    if had > 0 || failure.is_some() {
        remember(context, |now| {
            now.pending = waiting;
            now.commit_failure = failure.clone();
        });
    }
    match failure {
        None => Ok(last),
        Some(message) => Err(format!("the write is not committed yet: {message}")),
    }
}

fn message(context: &VaultContext, pending: &Pending, had_to_wait: bool) -> CommitMessage {
    let Author { actor, face, session } = &pending.author;
    // Edits made while the commit was pending are not the author's.
    if had_to_wait && pending.paths.iter().any(|path| edited_since(context, path)) {
        let subject = format!("{}, with edits made outside Lore", pending.subject);
        return CommitMessage { subject, body: None, trailers: vec![("Lore-Face", "file".into())] };
    }
    let trailers =
        vec![("Lore-Actor", actor.clone()), ("Lore-Face", face.clone()), ("Lore-Session", session.clone())];
    CommitMessage { subject: pending.subject.clone(), body: None, trailers }
}

/// Whether a file that Lore wrote has changed since.
fn edited_since(context: &VaultContext, path: &str) -> bool {
    let author = context.store().author(context.project(), path).ok().flatten();
    let there = context.vault().read(path, u64::MAX).ok().flatten();
    match (author, there) {
        (Some(author), Some(file)) => author.hash != ContentHash::of(&file.bytes),
        _ => false,
    }
}

/// A commit of changes made outside Lore.
#[derive(Debug, Default)]
pub struct HandCommit {
    /// Its id; `None` if there was nothing to commit.
    pub id: Option<String>,
    /// Its files.
    pub paths: Vec<String>,
    /// Why files were left out.
    pub left_out: Vec<Finding>,
}

/// Commits changes made outside Lore, if the whole vault is valid. Files with credentials or conflict markers are left
/// out; it is an error if nothing else is to be committed.
pub fn commit_by_hand(context: &VaultContext, subject: Option<&str>) -> Result<HandCommit> {
    refuse_message(context, subject)?;
    let lock = context.lock()?;
    context.reload_policy()?;
    super::recover::recover(context, &lock)?;
    let repo = repo(context).ok_or(Error::NoRepository)?;
    reconcile(context, &ReconcileScope::Everything(ScanMode::Stat), &no_progress)?;
    // Nothing is written unless everything is valid. The gate of the commit judges the credentials of each file.
    let is_judged_later =
        |found: &Finding| matches!(found.lint, Lint::Secret | Lint::SecretLikely | Lint::Conflict);
    lint::refuse(lint::lint(context, None)?.into_iter().filter(|found| !is_judged_later(found)).collect())?;
    publish::refresh(context, &lock, context.author())?;
    let paths: Vec<String> =
        repo.uncommitted(None).map_err(failed)?.into_iter().map(|one| one.path).collect();
    // Asked here too, so that the message counts only what is committed.
    let Admitted { paths, left_out } = admit(context, &repo, paths);
    if paths.is_empty() {
        return if left_out.is_empty() {
            Ok(HandCommit::default())
        } else {
            Err(Error::Lint { findings: left_out })
        };
    }
    let files =
        if paths.len() == 1 { "1 edited file".into() } else { format!("{} edited files", paths.len()) };
    let subject = subject.map_or_else(|| format!("Commit {files}"), str::to_owned);
    let done = commit(context, &lock, &paths, &subject, context.author(), false)
        .map_err(|message| Error::Git { message })?;
    Ok(HandCommit { id: done.id, paths, left_out })
}

/// Returns the state of the repository; `None` without one.
pub fn git_state(context: &VaultContext) -> Result<Option<GitState>> {
    let Some(repo) = repo(context) else { return Ok(None) };
    let known = remembered(context);
    let waiting = known.pending.len();
    let state = repo.state().map_err(failed)?;
    Ok(Some(GitState {
        push_failure: known.push_failure.filter(|failure| still_stands(failure, &state)),
        state,
        uncommitted: repo.uncommitted(None).map_err(failed)?.into_iter().map(|one| one.path).collect(),
        fetched: (known.fetched > 0).then_some(known.fetched),
        fetch_failure: known.fetch_failure,
        commit_failure: known.commit_failure.map(|message| (message, waiting)),
    }))
}

/// Whether a failed push still needs attention: its commits are not on the remote yet, and a rejection is not resolved by
/// a merge or rebase since.
fn still_stands(failure: &PushFailure, state: &State) -> bool {
    let is_resolved = failure.rejected && failure.fetched && state.behind == 0;
    state.ahead > 0 && !is_resolved
}

/// Pushes new commits. A rejection is remembered, and not retried while the branches have diverged.
pub fn push(context: &VaultContext) -> Result<u64> {
    let repo = repo(context).ok_or(Error::NoRepository)?;
    let state = repo.state().map_err(failed)?;
    let rejected = remembered(context).push_failure.is_some_and(|failure| failure.rejected);
    if rejected && state.ahead > 0 && state.behind > 0 {
        let upstream = state.upstream.unwrap_or_else(|| "the remote".into());
        return Err(Error::Diverged { upstream, ahead: state.ahead, behind: state.behind });
    }
    let done = repo.push(PUSH);
    let failure = done.as_ref().err().map(|error| PushFailure {
        at: context.now().timestamp().as_millisecond(),
        rejected: matches!(error, GitError::Rejected { .. }),
        fetched: repo.state().is_ok_and(|state| state.behind > 0),
        message: error.to_string(),
    });
    remember(context, |now| {
        now.apart |= failure.as_ref().is_some_and(|failure| failure.rejected);
        now.push_failure = failure;
    });
    let pushed = done.map_err(failed)?;
    // Deferred to this moment, so that writes stay fast.
    let _ = repo.maintain();
    Ok(pushed)
}

/// Checks that the remote answers, if there is one.
pub fn reach_remote(context: &VaultContext) -> std::result::Result<(), String> {
    match repo(context).filter(Repo::has_remote) {
        Some(repo) => repo.reachable(FETCH).map_err(|error| format!("the remote does not answer: {error}")),
        None => Ok(()),
    }
}

/// Returns who can read the remote, as far as that can be known.
pub fn remote_privacy(context: &VaultContext) -> Result<Privacy> {
    match repo(context) {
        Some(repo) => repo.privacy(FETCH).map_err(failed),
        None => Ok(Privacy::NoRemote),
    }
}

/// Fetches and fast-forwards.
pub fn pull(context: &VaultContext) -> Result<FastForward> {
    let repo = repo(context).ok_or(Error::NoRepository)?;
    fetch(context, &repo, PUSH).map_err(failed)?;
    let _lock = context.lock()?;
    follow_upstream(context, &repo)
}

pub(super) fn failed(error: GitError) -> Error {
    let message = error.to_string();
    match error {
        // git was not run: the vault's setup does not allow the operation.
        GitError::NoRemote { .. } => Error::NoRemote { message },
        _ => Error::Git { message },
    }
}
