//! git around a write: fetch and fast-forward before it, commit after it, edits made outside Lore committed separately,
//! and failures remembered until they are resolved. A vault without a repository is not affected.

use std::time::Duration;

use lore_ports::no_progress;
use lore_text::ContentHash;
use lore_vault::FolderLock;
use lore_vault::git::{CommitMessage, GitError, Repo, State};

use super::git_state::{Pending, PushFailure, remember, remembered};
use super::record::Entry;
use super::{Paths, publish};
use crate::context::{Author, Memory};
use crate::error::{Error, Result};
use crate::index::{Look, Trust, reconcile};
use crate::lint;
use crate::policy::Dirty;

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

fn repo(memory: &Memory) -> Option<Repo> {
    if memory.policy().git.commit { Repo::find(memory.vault().root()) } else { None }
}

/// Whether writes are committed, with the names of their author and session.
pub fn is_committed(memory: &Memory) -> bool {
    repo(memory).is_some()
}

/// Fetches if there is a remote and the last attempt is old enough. Returns whether it succeeded; being offline is
/// fine.
pub(super) fn fetch_if_old(memory: &Memory) -> bool {
    let Some(repo) = repo(memory) else { return false };
    let known = remembered(memory);
    let old = known.fetched <= memory.policy().git.fetch_after.before(&memory.now());
    if !old || !repo.has_remote() {
        return false;
    }
    fetch(memory, &repo, FETCH).is_ok()
}

fn fetch(memory: &Memory, repo: &Repo, patience: Duration) -> std::result::Result<(), GitError> {
    let done = repo.fetch(patience);
    remember(memory, |now| {
        now.fetched = memory.now().timestamp().as_millisecond();
        now.fetch_failure = done.as_ref().err().map(ToString::to_string);
    });
    done
}

/// Checks the preconditions of a write: the branch has not diverged from its upstream, and, if the policy requires it,
/// there are no uncommitted changes made outside Lore.
pub(super) fn before_write(memory: &Memory, paths: &Paths, fetched: bool, mending: bool) -> Result<()> {
    let Some(repo) = repo(memory) else { return Ok(()) };
    if fetched || remembered(memory).apart {
        follow_upstream(memory, &repo)?;
    }
    if memory.policy().git.dirty == Dirty::Refuse && !mending {
        let foreign: Vec<String> =
            foreign(memory, &repo)?.into_iter().filter(|path| !paths.contains(path)).collect();
        if !foreign.is_empty() {
            return Err(Error::Dirty { paths: foreign });
        }
    }
    Ok(())
}

/// Fast-forwards to the upstream if it is ahead; fails if that is not possible.
fn follow_upstream(memory: &Memory, repo: &Repo) -> Result<bool> {
    let state = repo.state().map_err(failed)?;
    let (ahead, behind) = (state.ahead, state.behind);
    remember(memory, |now| now.apart = behind > 0);
    if behind == 0 {
        return Ok(false);
    }
    if ahead > 0 {
        let upstream = state.upstream.unwrap_or_else(|| "the remote".into());
        return Err(Error::Diverged { upstream, ahead, behind });
    }
    let dirty = foreign(memory, repo)?;
    if !dirty.is_empty() {
        return Err(Error::Dirty { paths: dirty });
    }
    let moved = repo.fast_forward().map_err(failed)?;
    remember(memory, |now| now.apart = false);
    reconcile(memory, &Look::Everything(Trust::Stat), &no_progress)?;
    Ok(moved)
}

/// Returns the files that differ from the last commit and are not pending for one of Lore's own.
fn foreign(memory: &Memory, repo: &Repo) -> Result<Vec<String>> {
    let own: Vec<String> = remembered(memory).pending.into_iter().flat_map(|one| one.paths).collect();
    let all = repo.uncommitted(None).map_err(failed)?;
    let staging = |path: &str| path.starts_with(".lore/staging/");
    Ok(all.into_iter().map(|one| one.path).filter(|path| !own.contains(path) && !staging(path)).collect())
}

/// Returns the files of a change that were edited outside Lore since it last wrote them, or that it never wrote.
pub(super) fn foreign_edits(memory: &Memory, entries: &[Entry]) -> Vec<String> {
    let edited = |entry: &&Entry| {
        let author = memory.store().author(memory.project(), &entry.path).ok().flatten();
        let hash = entry.old.as_deref().map(ContentHash::of);
        hash.is_some() && author.map(|author| author.hash) != hash
    };
    entries.iter().filter(edited).map(|entry| entry.path.clone()).collect()
}

/// Commits edits made outside Lore to the files of a change before it is made, so that each line keeps its author.
pub(super) fn keep_foreign_edits(memory: &Memory, lock: &FolderLock, paths: &[String]) {
    let Some(repo) = repo(memory) else { return };
    if paths.is_empty() || repo.uncommitted(Some(paths)).is_ok_and(|changed| changed.is_empty()) {
        return;
    }
    let subject = format!("Commit edits made outside Lore to {}", paths.join(", "));
    let message = CommitMessage { subject, body: None, trailers: vec![("Lore-Face", "file".into())] };
    // If this fails, the edits become part of the write's own commit.
    let _ = repo.commit(paths, &message, lock.hold());
}

/// Commits these paths. A failure is remembered, reported, and retried by the next commit. If the commit `waited`, the
/// files may have been edited since.
pub(super) fn commit(
    memory: &Memory,
    lock: &FolderLock,
    paths: &[String],
    subject: &str,
    author: &Author,
    waited: bool,
) -> std::result::Result<Option<String>, String> {
    let Some(repo) = repo(memory) else { return Ok(None) };
    let mut waiting = remembered(memory).pending;
    let had = waiting.len();
    waiting.push(Pending { paths: paths.to_vec(), subject: subject.to_owned(), author: author.clone() });
    let (mut last, mut failure) = (None, None);
    while failure.is_none() && !waiting.is_empty() {
        let had_to_wait = waited || waiting.len() > 1;
        match repo.commit(&waiting[0].paths, &message(memory, &waiting[0], had_to_wait), lock.hold()) {
            Ok(commit) => {
                last = commit;
                waiting.remove(0);
            }
            Err(error) => failure = Some(error.to_string()),
        }
    }
    if had > 0 || failure.is_some() {
        remember(memory, |now| {
            now.pending = waiting;
            now.commit_failure = failure.clone();
        });
    }
    match failure {
        None => Ok(last),
        Some(message) => Err(format!("the write is not committed yet: {message}")),
    }
}

fn message(memory: &Memory, pending: &Pending, had_to_wait: bool) -> CommitMessage {
    let Author { actor, face, session } = &pending.author;
    // Edits made while the commit was pending are not the author's.
    if had_to_wait && pending.paths.iter().any(|path| edited_since(memory, path)) {
        let subject = format!("{}, with edits made outside Lore", pending.subject);
        return CommitMessage { subject, body: None, trailers: vec![("Lore-Face", "file".into())] };
    }
    let trailers =
        vec![("Lore-Actor", actor.clone()), ("Lore-Face", face.clone()), ("Lore-Session", session.clone())];
    CommitMessage { subject: pending.subject.clone(), body: None, trailers }
}

/// Whether a file that Lore wrote has changed since.
fn edited_since(memory: &Memory, path: &str) -> bool {
    let author = memory.store().author(memory.project(), path).ok().flatten();
    let there = memory.vault().read(path, u64::MAX).ok().flatten();
    match (author, there) {
        (Some(author), Some(file)) => author.hash != ContentHash::of(&file.bytes),
        _ => false,
    }
}

/// Commits changes made outside Lore, if the whole vault is valid; returns the commit and its files.
pub fn commit_by_hand(memory: &Memory, subject: Option<&str>) -> Result<(Option<String>, Vec<String>)> {
    let lock = memory.lock()?;
    super::recover::recover(memory, &lock)?;
    let repo = repo(memory).ok_or_else(no_repository)?;
    reconcile(memory, &Look::Everything(Trust::Stat), &no_progress)?;
    // Nothing is written unless everything is valid.
    lint::refuse(lint::lint(memory, None)?)?;
    publish::refresh(memory, &lock)?;
    let paths: Vec<String> =
        repo.uncommitted(None).map_err(failed)?.into_iter().map(|one| one.path).collect();
    if paths.is_empty() {
        return Ok((None, paths));
    }
    let files =
        if paths.len() == 1 { "1 edited file".into() } else { format!("{} edited files", paths.len()) };
    let subject = subject.map_or_else(|| format!("Commit {files}"), str::to_owned);
    let commit = commit(memory, &lock, &paths, &subject, memory.author(), false)
        .map_err(|message| Error::Git { message })?;
    Ok((commit, paths))
}

/// Returns the state of the repository; `None` without one.
pub fn git_state(memory: &Memory) -> Result<Option<GitState>> {
    let Some(repo) = repo(memory) else { return Ok(None) };
    let known = remembered(memory);
    let waiting = known.pending.len();
    Ok(Some(GitState {
        state: repo.state().map_err(failed)?,
        uncommitted: repo.uncommitted(None).map_err(failed)?.into_iter().map(|one| one.path).collect(),
        fetched: (known.fetched > 0).then_some(known.fetched),
        fetch_failure: known.fetch_failure,
        push_failure: known.push_failure,
        commit_failure: known.commit_failure.map(|message| (message, waiting)),
    }))
}

/// Pushes new commits. A rejection is remembered, and not retried while the branches have diverged.
pub fn push(memory: &Memory) -> Result<u64> {
    let repo = repo(memory).ok_or_else(no_repository)?;
    let state = repo.state().map_err(failed)?;
    let rejected = remembered(memory).push_failure.is_some_and(|failure| failure.rejected);
    if rejected && state.ahead > 0 && state.behind > 0 {
        let upstream = state.upstream.unwrap_or_else(|| "the remote".into());
        return Err(Error::Diverged { upstream, ahead: state.ahead, behind: state.behind });
    }
    let done = repo.push(PUSH);
    let failure = done.as_ref().err().map(|error| PushFailure {
        at: memory.now().timestamp().as_millisecond(),
        rejected: matches!(error, GitError::Rejected { .. }),
        message: error.to_string(),
    });
    remember(memory, |now| {
        now.apart |= failure.as_ref().is_some_and(|failure| failure.rejected);
        now.push_failure = failure;
    });
    let pushed = done.map_err(failed)?;
    // Deferred to this moment, so that writes stay fast.
    let _ = repo.maintain();
    Ok(pushed)
}

/// Checks that the remote answers, if there is one.
pub fn reach_remote(memory: &Memory) -> std::result::Result<(), String> {
    match repo(memory).filter(Repo::has_remote) {
        Some(repo) => repo.reachable(FETCH).map_err(|error| format!("the remote does not answer: {error}")),
        None => Ok(()),
    }
}

/// Fetches and fast-forwards; returns whether anything changed.
pub fn pull(memory: &Memory) -> Result<bool> {
    let repo = repo(memory).ok_or_else(no_repository)?;
    fetch(memory, &repo, PUSH).map_err(failed)?;
    let _lock = memory.lock()?;
    follow_upstream(memory, &repo)
}

fn failed(error: GitError) -> Error {
    let message = error.to_string();
    match error {
        // git was not run: the vault's setup does not allow the operation.
        GitError::NoRemote { .. } => Error::BadInput { message, hint: "see `lore git status`".into() },
        _ => Error::Git { message },
    }
}

fn no_repository() -> Error {
    Error::BadInput {
        message: "the vault is not in a git repository, or its policy disables commits".into(),
        hint: "see `lore git status`; create a repository with `git init` in the vault".into(),
    }
}
