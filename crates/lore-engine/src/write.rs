//! The one way in. Every change to a file of a vault, from every face, is made here: permission, version and validity
//! are checked before a byte reaches the disk; the files of one change are staged and the intent is noted before any
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

/// New text from old.
pub type Edit<'a> = Box<dyn Fn(&str) -> Result<String> + 'a>;

/// What becomes of a file.
pub enum Action<'a> {
    /// These bytes, whatever was there.
    Put(Vec<u8>),
    /// Its text, changed; the file must exist.
    Edit(Edit<'a>),
    /// Its text, changed, under another path, which must be free.
    Move(String, Edit<'a>),
    /// Nothing.
    Delete,
    /// Nothing, if this still holds when the vault is locked.
    DeleteIf(Box<dyn Fn() -> bool + 'a>),
}

/// A change to one file.
pub struct PageChange<'a> {
    /// Its path, from the vault's root.
    pub path: String,
    /// What becomes of it.
    pub action: Action<'a>,
    /// The version the caller has read; 0 says that there must be no file yet.
    pub expected_version: Option<u64>,
}

/// On whose account a change is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Authority {
    /// Its author's: the rules of the policy apply.
    #[default]
    Author,
    /// The policy's own: rotation, expiry, generated files.
    Upkeep,
}

/// How a change is made.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// On whose account.
    pub authority: Authority,
    /// The first line of its commit; without one, it is made from the pages.
    pub subject: Option<String>,
    /// Whether it only mends what lint has found: it is made although more is wrong, and beside other changes.
    pub mending: bool,
    /// Whether a whole page is put even where the policy would add it to somebody else's as a revision.
    pub verbatim: bool,
    /// What the ledger learns with it.
    pub noted: Noted,
}

/// What became of a change.
#[derive(Debug, Clone, Default)]
pub struct Receipt {
    /// The files, in the order they were given.
    pub files: Vec<Written>,
    /// Generated files that were written anew.
    pub generated: Vec<String>,
    /// The commit, where there is one.
    pub commit: Option<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// What became of a file.
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

/// What a write did to a file.
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

/// A change that is ready: permitted, at the right version, its new bytes made.
pub(crate) struct Ready {
    pub path: String,
    pub row: Option<PageRow>,
    pub old: Option<Vec<u8>>,
    pub new: Option<Vec<u8>>,
    pub to: Option<String>,
    pub outcome: Outcome,
    /// Whether nothing of anybody else's is left in the new bytes.
    pub whole: bool,
}

impl Ready {
    /// What becomes of each of its files: a move makes one and takes one away.
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

    /// The new bytes of each step.
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

/// Makes the changes under the rules of the policy: all of them, or none.
pub fn write(memory: &Memory, changes: &[PageChange<'_>]) -> Result<Receipt> {
    write_as(memory, changes, &Terms::default())
}

/// Makes the changes: all of them, or none.
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

/// Writes every generated file that is not what the pages say, and commits them.
pub fn refresh_generated(memory: &Memory) -> Result<Receipt> {
    let lock = memory.lock()?;
    let warnings = recover::recover(memory, &lock)?;
    let generated = publish::refresh(memory, &lock)?;
    let mut receipt = Receipt { generated, warnings, ..Receipt::default() };
    if !receipt.generated.is_empty() {
        let subject = "Write the generated files";
        match commit::commit(memory, &lock, &receipt.generated, subject, memory.author(), false) {
            Ok(commit) => receipt.commit = commit,
            Err(warning) => receipt.warnings.push(warning),
        }
    }
    Ok(receipt)
}

/// What follows the making of a vault: its generated files, and the first commit of the files that were made.
pub fn begin(memory: &Memory, created: &[String]) -> Result<Receipt> {
    let lock = memory.lock()?;
    let generated = publish::refresh(memory, &lock)?;
    let mut receipt = Receipt { generated, ..Receipt::default() };
    let paths: Vec<String> = created.iter().chain(&receipt.generated).cloned().collect();
    match commit::commit(memory, &lock, &paths, "Begin the vault", memory.author(), false) {
        Ok(commit) => receipt.commit = commit,
        Err(warning) => receipt.warnings.push(warning),
    }
    Ok(receipt)
}

/// Finishes or undoes what a process that died left under way; gives what a person should know. Another process that
/// is writing right now is left to its work.
pub fn recover_if_needed(memory: &Memory) -> Result<Vec<String>> {
    if memory.vault().under_way().is_empty() {
        return Ok(Vec::new());
    }
    match memory.try_lock()? {
        Some(lock) => recover::recover(memory, &lock),
        None => Ok(Vec::new()),
    }
}

/// Files and database, all or nothing: what fails after the first file is in place is undone. Where it is `gated`,
/// lint must agree; whether the change mends a page that has errors is told with it.
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
    // Asked before the ledger learns of the change.
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
        // Only now have the files the times that the index is to know them by.
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
        hint: "put both changes into one".into(),
    }
}

/// The paths of a change, each in its one form.
type Paths = BTreeSet<String>;
