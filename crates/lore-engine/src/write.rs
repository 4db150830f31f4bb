//! The one way in. Every change to a page, from every face, is made here: permission, version and validity are
//! checked before a byte reaches the disk, and the files of one change are staged before any of them is replaced.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::hash::ContentHash;
use crate::index::{NewSnapshot, PageRow};
use crate::memory::Memory;
use crate::policy::Verb;
use crate::reconcile::{Look, reconcile};
use crate::vault::{Staged, decode, exists, ignored};

/// New text from old.
pub type Edit<'a> = Box<dyn Fn(&str) -> Result<String> + 'a>;

/// What becomes of a page.
pub enum Action<'a> {
    /// These bytes, whatever was there.
    Put(Vec<u8>),
    /// Its text, changed; the page must exist.
    Edit(Edit<'a>),
    /// Its text, changed, under another path, which must be free.
    Move(String, Edit<'a>),
    /// Nothing.
    Delete,
}

/// A change to one page.
pub struct PageChange<'a> {
    /// Its path, from the vault's root.
    pub path: String,
    /// What becomes of it.
    pub action: Action<'a>,
    /// The version the caller has read; 0 says that there must be no page yet.
    pub expected_version: Option<u64>,
}

/// What became of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its path now.
    pub path: String,
    /// Its slug now.
    pub slug: String,
    /// Its version now.
    pub version: u64,
    /// What happened.
    pub outcome: Outcome,
}

/// What a write did to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Made it.
    Created,
    /// Changed it.
    Updated,
    /// Gave it another path.
    Moved,
    /// Took it away.
    Deleted,
    /// Found nothing to change, and wrote nothing.
    Unchanged,
}

/// A change that is ready: nothing can be refused any more.
struct Ready {
    path: String,
    row: Option<PageRow>,
    old: Option<Vec<u8>>,
    to: Option<String>,
    staged: Option<Staged>,
    outcome: Outcome,
}

/// Makes the changes. Every one of them is checked and staged before the first is put in place, so that a refusal
/// leaves all files as they were.
pub fn write(memory: &Memory, changes: &[PageChange<'_>]) -> Result<Vec<Written>> {
    let mut paths = BTreeSet::new();
    for change in changes {
        let to = match &change.action {
            Action::Move(to, _) => Some(to),
            _ => None,
        };
        for path in std::iter::once(&change.path).chain(to) {
            if !paths.insert(memory.vault().page_path(path)?) {
                return Err(Error::BadInput {
                    message: format!("{path} is changed twice in one write"),
                    hint: "put both changes into one".into(),
                });
            }
        }
    }
    let _lock = memory.lock()?;
    // What somebody else did to these files meanwhile counts first, so that versions tell the truth.
    reconcile(memory, &Look::Paths { paths: &paths, moved: &[] }, &|_, _| ())?;
    let mut ready = changes.iter().map(|change| prepare(memory, change)).collect::<Result<Vec<Ready>>>()?;
    if ready.iter().any(|one| one.outcome != Outcome::Unchanged) {
        commit(memory, &mut ready, &paths)?;
    }
    ready.into_iter().map(|one| written(memory, one)).collect()
}

fn prepare(memory: &Memory, change: &PageChange<'_>) -> Result<Ready> {
    let path = memory.vault().page_path(&change.path)?;
    check_visible(memory, &path)?;
    let limit = memory.policy().limits.page_bytes;
    let old = memory.vault().read(&path, limit)?.map(|file| file.bytes);
    let row = memory.page_at(&path)?;
    check_version(&path, row.as_ref(), change.expected_version)?;
    memory.policy().allow(&path, verb(&change.action, old.is_some()))?;
    let mut ready = Ready { path, row, old, to: None, staged: None, outcome: Outcome::Updated };
    let new = match &change.action {
        Action::Put(bytes) => bytes.clone(),
        Action::Edit(edit) => edited(&ready, edit)?,
        Action::Move(to, edit) => {
            let to = memory.vault().page_path(to)?;
            check_visible(memory, &to)?;
            if exists(&memory.vault().root().join(&to)) {
                return Err(Error::Exists { path: to });
            }
            ready.to = Some(to);
            ready.outcome = Outcome::Moved;
            edited(&ready, edit)?
        }
        Action::Delete => {
            existing(&ready)?;
            ready.outcome = Outcome::Deleted;
            return Ok(ready);
        }
    };
    if new.len() as u64 > limit {
        return Err(Error::TooLarge { path: ready.path, size: new.len() as u64, limit });
    }
    if ready.old.is_none() {
        ready.outcome = Outcome::Created;
    } else if ready.to.is_none() && ready.old.as_deref() == Some(new.as_slice()) {
        ready.outcome = Outcome::Unchanged;
        return Ok(ready);
    }
    let target = ready.to.as_ref().unwrap_or(&ready.path);
    ready.staged = Some(memory.vault().stage(target, &new)?);
    Ok(ready)
}

/// Puts every staged file in place and tells the index and the ledger, in one transaction.
fn commit(memory: &Memory, ready: &mut [Ready], paths: &BTreeSet<String>) -> Result<()> {
    let moved: Vec<(String, String)> =
        ready.iter().filter_map(|one| Some((one.path.clone(), one.to.clone()?))).collect();
    memory.store().transaction(&mut || {
        for one in ready.iter().filter(|one| one.outcome != Outcome::Unchanged) {
            keep_snapshot(memory, one)?;
        }
        for one in ready.iter_mut() {
            if let Some(staged) = one.staged.take() {
                staged.commit()?;
            }
            if matches!(one.outcome, Outcome::Deleted | Outcome::Moved) {
                memory.vault().remove(&one.path)?;
            }
        }
        reconcile(memory, &Look::Paths { paths, moved: &moved }, &|_, _| ())?;
        Ok(())
    })
}

fn keep_snapshot(memory: &Memory, one: &Ready) -> Result<()> {
    let (Some(bytes), Some(row)) = (&one.old, &one.row) else { return Ok(()) };
    let snapshot = NewSnapshot {
        path: &one.path,
        version: row.version,
        hash: ContentHash::of(bytes),
        bytes,
        at: memory.now().timestamp().as_millisecond(),
        actor: &memory.author().actor,
    };
    memory.store().add_snapshot(memory.project(), &snapshot)
}

fn written(memory: &Memory, one: Ready) -> Result<Written> {
    let path = one.to.unwrap_or(one.path);
    let row = memory.page_at(&path)?.or(one.row);
    let (slug, version) = row.map_or_else(|| (path.clone(), 0), |row| (row.slug, row.version));
    Ok(Written { path, slug, version, outcome: one.outcome })
}

fn edited(ready: &Ready, edit: &Edit<'_>) -> Result<Vec<u8>> {
    let decoded = decode(existing(ready)?);
    if decoded.encoding.is_some() {
        return Err(Error::NotUtf8 { path: ready.path.clone() });
    }
    edit(&decoded.text).map(String::into_bytes)
}

fn existing(ready: &Ready) -> Result<&[u8]> {
    let missing = || Error::NotFound { reference: ready.path.clone(), suggestions: Vec::new() };
    ready.old.as_deref().ok_or_else(missing)
}

/// What the vault leaves out is nobody's page: it is neither written nor removed.
fn check_visible(memory: &Memory, path: &str) -> Result<()> {
    if ignored(memory.vault(), path) {
        return Err(Error::BadPath {
            path: path.to_owned(),
            reason: "an ignore file of the vault leaves it out",
        });
    }
    Ok(())
}

fn check_version(path: &str, row: Option<&PageRow>, expected: Option<u64>) -> Result<()> {
    let current = row.map_or(0, |row| row.version);
    match expected {
        Some(expected) if expected != current => {
            let slug = row.map_or_else(|| path.to_owned(), |row| row.slug.clone());
            Err(Error::Conflict { slug, expected, current })
        }
        _ => Ok(()),
    }
}

fn verb(action: &Action<'_>, exists: bool) -> Verb {
    match action {
        Action::Put(_) if exists => Verb::Put,
        Action::Put(_) => Verb::Create,
        Action::Edit(_) => Verb::Patch,
        Action::Move(..) | Action::Delete => Verb::Delete,
    }
}
