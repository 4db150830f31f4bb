//! The write path. Every change to a file of a vault, from every face, is made here: permission, version and validity
//! are checked before a byte reaches the disk; the files of a change are staged and the intent is recorded before any
//! of them is replaced; index, ledger, generated files and git follow.

mod commit;
mod git_state;
mod intent;
mod prepare;
mod publish;
mod record;
mod recover;
mod relations;
mod relocate;

use std::collections::BTreeSet;

use lore_ports::{no_progress, transaction};
use lore_text::ContentHash;
use lore_vault::fault::fault;
use lore_vault::{FolderLock, Staging};

use crate::change::{Action, Authority, Edit, Noted, Outcome, PageChange, Ready, Receipt, Terms, Written};
use crate::context::Memory;
use crate::error::{Error, Result};
use crate::hooks::{FurtherChange, Rewrites};
use crate::index::{Look, Proposal, Trust, reconcile};
use crate::lint::{gate, has_errors};
use crate::policy::Finding;

pub use commit::{GitState, commit_by_hand, git_state, is_committed, pull, push, reach_remote};
use intent::{Intent, Step};
use record::{Entry, record};

pub use git_state::PushFailure;
pub use relations::{LinkWritten, NewLink, Unlinked, check_format, close_link, link, target_of, unlink};
pub use relocate::relocate;

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
        true => reconcile(memory, &Look::Everything(Trust::Stat), &no_progress)?,
        false => reconcile(memory, &Look::Paths { paths: &paths, moved: &[], proposal: None }, &no_progress)?,
    };
    let prepare = |change| prepare::prepare(memory, change, terms);
    let mut ready = changes.iter().map(prepare).collect::<Result<Vec<Ready>>>()?;
    if terms.authority == Authority::Author && !terms.mending {
        receipt.warnings.extend(rewrite(memory, &mut ready)?);
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
        record_notes_alone(memory, &terms.noted)?;
    }
    receipt.files = ready.into_iter().map(|one| written(memory, one)).collect::<Result<_>>()?;
    Ok(receipt)
}

/// Applies what the features add to the prepared changes; returns their warnings.
fn rewrite(memory: &Memory, ready: &mut Vec<Ready>) -> Result<Vec<String>> {
    let Rewrites { texts, further, mut warnings } = memory.hooks().before_commit(memory, ready)?;
    for (path, text) in texts {
        if let Some(one) = ready.iter_mut().find(|one| one.to.as_deref().unwrap_or(&one.path) == path) {
            one.new = Some(text.into_bytes());
        }
    }
    let upkeep = Terms { authority: Authority::Upkeep, ..Terms::default() };
    for FurtherChange { change, purpose } in further {
        let paths = BTreeSet::from([change.path.clone()]);
        reconcile(memory, &Look::Paths { paths: &paths, moved: &[], proposal: None }, &no_progress)?;
        match prepare::prepare(memory, &change, &upkeep) {
            Ok(one) if one.outcome != Outcome::Unchanged => ready.push(one),
            Ok(_) => {}
            Err(error) => warnings.push(format!("{} could not be {purpose}: {error}", change.path)),
        }
    }
    Ok(warnings)
}

/// Records notes when no file changes.
fn record_notes_alone(memory: &Memory, notes: &Noted) -> Result<()> {
    if notes.is_empty() {
        return Ok(());
    }
    transaction(memory.store(), || memory.hooks().in_transaction(memory, notes, false))
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
    let done = transaction(memory.store(), || {
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
        reconcile(memory, &Look::Paths { paths: &paths, moved: &[], proposal: None }, &no_progress).map(drop)
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
