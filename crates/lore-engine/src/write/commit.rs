//! When git is asked what: a fetch and fast-forward before a write, a commit after it, other people's edits kept apart,
//! and what went wrong remembered until it is mended. A vault without a repository passes through untouched.

use std::time::Duration;

use super::record::Entry;
use super::remembered::{Pending, PushFailure, remember, remembered};
use super::{Paths, publish};
use crate::diff::Trust;
use crate::error::{Error, Result};
use crate::git::{CommitMessage, GitError, Repo, State};
use crate::hash::ContentHash;
use crate::lint;
use crate::memory::{Author, Memory};
use crate::policy::Dirty;
use crate::progress::unwatched;
use crate::reconcile::{Look, reconcile};
use crate::vault::FolderLock;

/// How long a write waits for the network.
const FETCH: Duration = Duration::from_secs(3);

/// How long a push or pull that was asked for may take.
const PUSH: Duration = Duration::from_secs(60);

/// How a vault's repository is.
#[derive(Debug, Clone)]
pub struct GitState {
    /// Branch, upstream, ahead and behind.
    pub state: State,
    /// Files that differ from the last commit.
    pub uncommitted: Vec<String>,
    /// When a fetch was last tried, in milliseconds since 1970.
    pub fetched: Option<i64>,
    /// What it said when it failed.
    pub fetch_failure: Option<String>,
    /// The last push, when it failed.
    pub push_failure: Option<PushFailure>,
    /// Why writes could not be committed, and how many wait.
    pub commit_failure: Option<(String, usize)>,
}

fn repo(memory: &Memory) -> Option<Repo> {
    if memory.policy().git.commit { Repo::find(memory.vault().root()) } else { None }
}

/// Whether a write is committed, with the names of its author and session.
pub(crate) fn is_committed(memory: &Memory) -> bool {
    repo(memory).is_some()
}

/// Fetches where there is a remote and the last try is old. Whether it came through; offline is no failure.
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

/// What must be in order before a write: the branch not apart from its upstream, and, where the policy says so, no
/// change of anybody else's lying about.
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

/// Fast-forwards to the upstream where it is ahead; refuses where that is not possible.
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
    reconcile(memory, &Look::Everything(Trust::Stat), &unwatched)?;
    Ok(moved)
}

/// Files that differ from the last commit and are not waiting for one of Lore's own.
fn foreign(memory: &Memory, repo: &Repo) -> Result<Vec<String>> {
    let own: Vec<String> = remembered(memory).pending.into_iter().flat_map(|one| one.paths).collect();
    let all = repo.uncommitted(None).map_err(failed)?;
    let staging = |path: &str| path.starts_with(".lore/staging/");
    Ok(all.into_iter().map(|one| one.path).filter(|path| !own.contains(path) && !staging(path)).collect())
}

/// Files of a change that somebody has edited outside Lore since it last wrote them, or that it never wrote.
pub(super) fn foreign_edits(memory: &Memory, entries: &[Entry]) -> Vec<String> {
    let edited = |entry: &&Entry| {
        let author = memory.store().author(memory.project(), &entry.path).ok().flatten();
        let hash = entry.old.as_deref().map(ContentHash::of);
        hash.is_some() && author.map(|author| author.hash) != hash
    };
    entries.iter().filter(edited).map(|entry| entry.path.clone()).collect()
}

/// Commits what other people did to the files of a change before it is made, so that each line keeps its author.
pub(super) fn keep_foreign_edits(memory: &Memory, lock: &FolderLock, paths: &[String]) {
    let Some(repo) = repo(memory) else { return };
    if paths.is_empty() || repo.uncommitted(Some(paths)).is_ok_and(|changed| changed.is_empty()) {
        return;
    }
    let subject = format!("Keep edits made outside Lore to {}", paths.join(", "));
    let message = CommitMessage { subject, body: None, trailers: vec![("Lore-Face", "file".into())] };
    // What cannot be committed now goes with the write's own commit.
    let _ = repo.commit(paths, &message, lock.hold());
}

/// Commits these paths. A failure is remembered, told, and made good by the next commit. Where the commit `waited`,
/// somebody may have edited the files since.
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
    // What somebody added while the commit had to wait is not the author's.
    if had_to_wait && pending.paths.iter().any(|path| edited_since(memory, path)) {
        let subject = format!("{}, with edits made outside Lore", pending.subject);
        return CommitMessage { subject, body: None, trailers: vec![("Lore-Face", "file".into())] };
    }
    let trailers =
        vec![("Lore-Actor", actor.clone()), ("Lore-Face", face.clone()), ("Lore-Session", session.clone())];
    CommitMessage { subject: pending.subject.clone(), body: None, trailers }
}

/// Whether a file that Lore wrote has other bytes now.
fn edited_since(memory: &Memory, path: &str) -> bool {
    let author = memory.store().author(memory.project(), path).ok().flatten();
    let there = memory.vault().read(path, u64::MAX).ok().flatten();
    match (author, there) {
        (Some(author), Some(file)) => author.hash != ContentHash::of(&file.bytes),
        _ => false,
    }
}

/// Commits what was changed outside Lore, once the whole vault is valid; gives the commit and its files.
pub fn commit_by_hand(memory: &Memory, subject: Option<&str>) -> Result<(Option<String>, Vec<String>)> {
    let lock = memory.lock()?;
    super::recover::recover(memory, &lock)?;
    let repo = repo(memory).ok_or_else(no_repository)?;
    reconcile(memory, &Look::Everything(Trust::Stat), &unwatched)?;
    // Nothing is written before all is valid.
    lint::refuse(lint::lint(memory, None)?)?;
    publish::refresh(memory, &lock)?;
    let paths: Vec<String> =
        repo.uncommitted(None).map_err(failed)?.into_iter().map(|one| one.path).collect();
    if paths.is_empty() {
        return Ok((None, paths));
    }
    let files =
        if paths.len() == 1 { "1 edited file".into() } else { format!("{} edited files", paths.len()) };
    let subject = subject.map_or_else(|| format!("Keep {files}"), str::to_owned);
    let commit = commit(memory, &lock, &paths, &subject, memory.author(), false)
        .map_err(|message| Error::Git { message })?;
    Ok((commit, paths))
}

/// How the repository is; `None` without one.
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

/// Pushes what the remote does not have. A rejection is remembered and not tried again while the branches are apart.
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
    // Each commit leaves that to this moment, so that writes stay quick.
    let _ = repo.maintain();
    Ok(pushed)
}

/// Asks the remote whether it is there. A vault without one has nothing to ask.
pub fn reach_remote(memory: &Memory) -> std::result::Result<(), String> {
    match repo(memory).filter(Repo::has_remote) {
        Some(repo) => repo.reachable(FETCH).map_err(|error| format!("the remote does not answer: {error}")),
        None => Ok(()),
    }
}

/// Fetches and fast-forwards; gives whether anything moved.
pub fn pull(memory: &Memory) -> Result<bool> {
    let repo = repo(memory).ok_or_else(no_repository)?;
    fetch(memory, &repo, PUSH).map_err(failed)?;
    let _lock = memory.lock()?;
    follow_upstream(memory, &repo)
}

fn failed(error: GitError) -> Error {
    let message = error.to_string();
    match error {
        // Git was not asked: what was wanted cannot be done with this vault.
        GitError::NoRemote { .. } => Error::BadInput { message, hint: "see `lore git status`".into() },
        _ => Error::Git { message },
    }
}

fn no_repository() -> Error {
    Error::BadInput {
        message: "the vault is not in a git repository, or its policy says not to commit".into(),
        hint: "see `lore git status`; `git init` in the vault makes a repository".into(),
    }
}
