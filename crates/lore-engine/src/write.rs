//! The write path. Every change to a file of a vault, from every face, is made here: permission, version and validity
//! are checked before a byte reaches the disk; the files of a change are staged and the intent is recorded before any
//! of them is replaced; index, ledger, generated files and git follow.

mod commit;
mod intent;
mod noted;
mod prepare;
mod publish;
mod record;
mod recover;
mod remembered;

use std::collections::BTreeSet;

use crate::check::guard::contest;
use crate::diff::Trust;
use crate::error::{Error, Result};
use crate::fault::fault;
use crate::hash::ContentHash;
use crate::index::PageRow;
use crate::lint::{Finding, gate, has_errors};
use crate::memory::Memory;
use crate::progress::unwatched;
use crate::reconcile::{Look, reconcile};
use crate::vault::{FolderLock, Staging};

pub(crate) use commit::is_committed;
pub use commit::{GitState, commit_by_hand, git_state, pull, push, reach_remote};
use intent::{Intent, Step};
pub(crate) use noted::known_source;
pub use noted::{Noted, TakenIn};
pub(crate) use record::Proposal;
use record::{Entry, record};
pub use remembered::PushFailure;

/// A function from old text to new text.
pub type Edit<'a> = Box<dyn Fn(&str) -> Result<String> + 'a>;

/// What to do with a file.
pub enum Action<'a> {
    /// Write these bytes, replacing any existing file.
    Put(Vec<u8>),
    /// Edit its text; the file must exist.
    Edit(Edit<'a>),
    /// Edit its text and move it to another path, which must be free.
    Move(String, Edit<'a>),
    /// Delete it.
    Delete,
    /// Delete it if the condition still holds once the vault is locked.
    DeleteIf(Box<dyn Fn() -> bool + 'a>),
}

/// A change to one file.
pub struct PageChange<'a> {
    /// Its vault-relative path.
    pub path: String,
    /// What to do with it.
    pub action: Action<'a>,
    /// The version the caller has read; 0 means that the file must not exist yet.
    pub expected_version: Option<u64>,
}

/// The authority under which a change is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Authority {
    /// Its author's: the rules of the policy apply.
    #[default]
    Author,
    /// The policy's own: rotation, expiry, generated files.
    Upkeep,
}

/// Options of a write.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// The authority under which it is made.
    pub authority: Authority,
    /// The first line of its commit; by default, derived from the pages.
    pub subject: Option<String>,
    /// Whether it only fixes lint findings: it is allowed despite other findings and uncommitted changes.
    pub mending: bool,
    /// Whether a page is replaced even where the policy would add a revision to somebody else's text.
    pub verbatim: bool,
    /// What is recorded in the ledger with it.
    pub noted: Noted,
}

/// The result of a write.
#[derive(Debug, Clone, Default)]
pub struct Receipt {
    /// The files, in the given order.
    pub files: Vec<Written>,
    /// Generated files that were updated.
    pub generated: Vec<String>,
    /// The commit, if any.
    pub commit: Option<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The result of a change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its new path.
    pub path: String,
    /// Its new slug.
    pub slug: String,
    /// Its new version.
    pub version: u64,
    /// What happened.
    pub outcome: Outcome,
}

/// What a write did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Created it.
    Created,
    /// Changed it.
    Updated,
    /// Moved it.
    Moved,
    /// Deleted it.
    Deleted,
    /// Nothing: there was no change.
    Unchanged,
}

/// A prepared change: permitted, at the expected version, with its new bytes.
pub(crate) struct Ready {
    pub path: String,
    pub row: Option<PageRow>,
    pub old: Option<Vec<u8>>,
    pub new: Option<Vec<u8>>,
    pub to: Option<String>,
    pub outcome: Outcome,
    /// Whether the new bytes contain nothing written by anyone else.
    pub whole: bool,
}

impl Ready {
    /// Returns the steps for its files: a move creates one and deletes one.
    fn steps(&self) -> Vec<Step> {
        let hash = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(ContentHash::of);
        let (path, old, new, whole) = (self.path.clone(), hash(&self.old), hash(&self.new), self.whole);
        match &self.to {
            _ if self.outcome == Outcome::Unchanged => Vec::new(),
            None => vec![Step { path, old, new, whole }],
            Some(to) => {
                vec![Step { path: to.clone(), old: None, new, whole }, Step { path, old, new: None, whole }]
            }
        }
    }

    /// Returns the new bytes of each step.
    fn news(&self) -> Vec<Option<&[u8]>> {
        match &self.to {
            _ if self.outcome == Outcome::Unchanged => Vec::new(),
            None => vec![self.new.as_deref()],
            Some(_) => vec![self.new.as_deref(), None],
        }
    }

    fn entries(&self) -> Vec<Entry> {
        let old = |step: &Step| if step.old.is_some() { self.old.clone() } else { None };
        let entry = |step: Step| Entry { old: old(&step), path: step.path, new: step.new, whole: step.whole };
        self.steps().into_iter().map(entry).collect()
    }
}

/// Makes the changes under the rules of the policy: all or none.
pub fn write(memory: &Memory, changes: &[PageChange<'_>]) -> Result<Receipt> {
    write_as(memory, changes, &Terms::default())
}

/// Makes the changes: all or none.
pub fn write_as(memory: &Memory, changes: &[PageChange<'_>], terms: &Terms) -> Result<Receipt> {
    // Refuses a bad path before the network is asked and the lock is taken.
    prepare::paths(memory, changes)?;
    let fetched = commit::fetch_if_old(memory);
    let lock = memory.lock()?;
    // The policy as it is under the lock decides, whichever process or editor changed it since.
    let reindex = memory.reload_policy()?;
    let paths = prepare::paths(memory, changes)?;
    let mut receipt = Receipt { warnings: recover::recover(memory, &lock)?, ..Receipt::default() };
    commit::before_write(memory, &paths, fetched, terms.mending)?;
    // What somebody else did to these files meanwhile counts first, so that versions tell the truth.
    match reindex {
        true => reconcile(memory, &Look::Everything(Trust::Stat), &unwatched)?,
        false => reconcile(memory, &Look::Paths { paths: &paths, moved: &[], proposal: None }, &unwatched)?,
    };
    let prepare = |change| prepare::prepare(memory, change, terms);
    let mut ready = changes.iter().map(prepare).collect::<Result<Vec<Ready>>>()?;
    if terms.authority == Authority::Author && !terms.mending {
        let upkeep = Terms { authority: Authority::Upkeep, ..Terms::default() };
        let mark = |change: PageChange<'_>| prepare::prepare(memory, &change, &upkeep);
        receipt.warnings.extend(contest(memory, &mut ready, &mark)?);
    }
    if ready.iter().any(|one| one.outcome != Outcome::Unchanged) {
        let subject = terms.subject.clone().unwrap_or_else(|| publish::subject(&ready));
        let mut intent = Intent::new(memory, &ready, subject, false);
        intent.noted = terms.noted.clone();
        let gated = terms.authority == Authority::Author && !terms.mending;
        let mends = gated && has_errors(memory, &paths)?;
        let (staging, found) = carry_out(memory, &lock, &ready, &intent, gated.then_some(mends))?;
        receipt.warnings.extend(found.iter().map(ToString::to_string));
        let published = publish::publish(memory, &lock, &intent, None)?;
        staging.end()?;
        fault("ended");
        receipt.generated = published.generated;
        receipt.commit = published.commit;
        receipt.warnings.extend(published.warnings);
    } else {
        terms.noted.record_alone(memory)?;
    }
    receipt.files = ready.into_iter().map(|one| written(memory, one)).collect::<Result<_>>()?;
    Ok(receipt)
}

/// Updates every generated file that is out of date, and commits them.
pub fn refresh_generated(memory: &Memory) -> Result<Receipt> {
    let lock = memory.lock()?;
    let warnings = recover::recover(memory, &lock)?;
    let generated = publish::refresh(memory, &lock)?;
    let mut receipt = Receipt { generated, warnings, ..Receipt::default() };
    if !receipt.generated.is_empty() {
        let subject = "Update generated files";
        match commit::commit(memory, &lock, &receipt.generated, subject, memory.author(), false) {
            Ok(commit) => receipt.commit = commit,
            Err(warning) => receipt.warnings.push(warning),
        }
    }
    Ok(receipt)
}

/// Completes the creation of a vault: generated files, and the first commit.
pub fn begin(memory: &Memory, created: &[String]) -> Result<Receipt> {
    let lock = memory.lock()?;
    let generated = publish::refresh(memory, &lock)?;
    let mut receipt = Receipt { generated, ..Receipt::default() };
    let paths: Vec<String> = created.iter().chain(&receipt.generated).cloned().collect();
    match commit::commit(memory, &lock, &paths, "Create the vault", memory.author(), false) {
        Ok(commit) => receipt.commit = commit,
        Err(warning) => receipt.warnings.push(warning),
    }
    Ok(receipt)
}

/// Completes or rolls back the unfinished writes of a killed process; returns messages for the user. A process that is
/// writing right now is not disturbed.
pub fn recover_if_needed(memory: &Memory) -> Result<Vec<String>> {
    if memory.vault().under_way().is_empty() {
        return Ok(Vec::new());
    }
    match memory.try_lock()? {
        Some(lock) => recover::recover(memory, &lock),
        None => Ok(Vec::new()),
    }
}

/// Applies files and database changes, all or none: a failure after the first file is in place is rolled back. If
/// `gated` is set, lint must pass; its value is whether the change fixes a page with errors.
fn carry_out(
    memory: &Memory,
    lock: &FolderLock,
    ready: &[Ready],
    intent: &Intent,
    gated: Option<bool>,
) -> Result<(Staging, Vec<Finding>)> {
    let entries: Vec<Entry> = ready.iter().flat_map(Ready::entries).collect();
    let proposal = proposal(ready);
    let staging = memory.vault().stage(&intent.id)?;
    // Determined before the ledger records the change.
    let foreign = if intent.follows { Vec::new() } else { commit::foreign_edits(memory, &entries) };
    let (mut installed, mut found) = (0, Vec::new());
    let done = memory.store().transaction(&mut || {
        record(memory, intent, &entries, Some(&proposal))?;
        if let Some(mends) = gated {
            found = gate(memory, &proposal, mends)?;
        }
        commit::keep_foreign_edits(memory, lock, &foreign);
        intent.stage(&staging, ready)?;
        intent.check_unchanged(memory)?;
        intent.install(&staging, &mut installed)?;
        fault("before-commit");
        // Only now do the files have the mtimes that the index must record.
        let paths: Paths = proposal.keys().cloned().collect();
        reconcile(memory, &Look::Paths { paths: &paths, moved: &[], proposal: None }, &unwatched).map(drop)
    });
    match done {
        Ok(()) => {
            fault("committed");
            Ok((staging, found))
        }
        Err(error) => {
            intent.undo(&staging, installed)?;
            staging.end()?;
            Err(error)
        }
    }
}

fn proposal(ready: &[Ready]) -> Proposal {
    let steps = ready.iter().flat_map(|one| one.steps().into_iter().zip(one.news()));
    steps.map(|(step, new)| (step.path, new.map(<[u8]>::to_vec))).collect()
}

fn written(memory: &Memory, one: Ready) -> Result<Written> {
    let path = one.to.unwrap_or(one.path);
    let (slug, version) = match memory.page_at(&path)?.or(one.row) {
        Some(row) => (row.slug, row.version),
        None => (path.clone(), memory.version_of(&path)?),
    };
    Ok(Written { path, slug, version, outcome: one.outcome })
}

fn twice(path: &str) -> Error {
    Error::BadInput {
        message: format!("{path} is changed twice in one write"),
        hint: "combine both changes into one".into(),
    }
}

/// The normalized paths of a change.
type Paths = BTreeSet<String>;
