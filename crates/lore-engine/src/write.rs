//! The write path. Every change to a file of a vault, from every face, is made here: permission, version and validity
//! are checked before a byte reaches the disk; the files of a change are staged and the intent is recorded before any
//! of them is replaced; index, ledger, generated files and git follow.

mod commit;
mod commit_gate;
mod cycle;
mod fast_forward;
mod former_names;
mod git_state;
mod intent;
mod keep;
mod prepare;
mod publish;
mod record;
mod recover;
mod relations;
mod relocate;
mod rescue;
mod save;
mod sections;

use std::collections::BTreeSet;

use lore_ports::{no_progress, transaction};
use lore_text::ContentHash;
use lore_vault::fault::fault;
use lore_vault::{FolderLock, Staging};
use tracing::field::Empty;
use tracing::info_span;

use crate::change::{
    Action, Authority, Edit, LedgerNotes, Outcome, PageChange, Precondition, PreparedChange, Receipt,
    WriteOptions, Written,
};
use crate::context::{Access, VaultContext};
use crate::error::{Error, Result};
use crate::hooks::{FurtherChange, Rewrites};
use crate::index::{Proposal, ReconcileScope, ScanMode, reconcile, record_times};
use crate::lint::{gate, has_errors, refuse_secret, refuse_secret_bytes};
use crate::policy::{Finding, Level};

pub use commit::{
    GitState, HandCommit, commit_by_hand, git_state, is_committed, pull, push, reach_remote, remote_privacy,
};
use commit_gate::{Committed, not_committed, refuse_message};
use intent::{Intent, IntentStep};
use record::{FileChange, record};

pub use fast_forward::FastForward;
pub use former_names::FormerNames;
pub use git_state::PushFailure;
pub use relations::{
    LinkWritten, NewLink, RelationLine, Unlinked, close_link, link, link_target, node_target,
    overlapping_relations, target_of, unlink, with_relation,
};
pub use relocate::{FormerLinks, relocate, relocate_all};
pub use save::{NotSaved, Saved, save};

/// How often a change is made again because somebody edited one of its files meanwhile.
const ATTEMPTS: usize = 3;

impl PreparedChange {
    /// Returns the steps for its files: a move creates one and deletes one.
    fn steps(&self) -> Vec<IntentStep> {
        let hash = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(ContentHash::of);
        let (path, old, new, sole_author) =
            (self.path.clone(), hash(&self.old), hash(&self.new), self.sole_author);
        match &self.to {
            _ if self.outcome == Outcome::Unchanged => Vec::new(),
            None => vec![IntentStep { path, old, new, sole_author }],
            Some(to) => {
                vec![
                    IntentStep { path: to.clone(), old: None, new, sole_author },
                    IntentStep { path, old, new: None, sole_author },
                ]
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

    fn entries(&self) -> Vec<FileChange> {
        let old = |step: &IntentStep| if step.old.is_some() { self.old.clone() } else { None };
        let entry = |step: IntentStep| FileChange {
            old: old(&step),
            path: step.path,
            new: step.new,
            sole_author: step.sole_author,
            mode: self.mode,
        };
        self.steps().into_iter().map(entry).collect()
    }
}

impl Receipt {
    fn note_commit(&mut self, done: Committed) {
        self.commit = done.id;
        self.warnings.extend(done.left_out.iter().map(not_committed));
    }
}

/// Makes the changes under the rules of the policy: all or none.
pub fn write(context: &VaultContext, changes: &[PageChange<'_>]) -> Result<Receipt> {
    write_as(context, changes, &WriteOptions::default())
}

/// Makes the changes: all or none.
pub fn write_as(context: &VaultContext, changes: &[PageChange<'_>], terms: &WriteOptions) -> Result<Receipt> {
    let span = info_span!(
        "write",
        changes = changes.len(),
        files = Empty,
        generated = Empty,
        committed = Empty,
        warnings = Empty
    )
    .entered();
    // Refuses a bad path before the network is asked and the lock is taken.
    prepare::paths(context, changes)?;
    refuse_secrets(context, terms)?;
    let fetched = commit::fetch_if_old(context);
    let lock = context.lock()?;
    // The policy as it is under the lock decides, whichever process or editor changed it since.
    let reindex = context.reload_policy()?;
    context.check_writable_vault()?;
    let paths = prepare::paths(context, changes)?;
    let mut recovered = recover::recover(context, &lock)?;
    recovered.extend(commit::before_write(context, &paths, fetched, terms.is_fix)?);
    if reindex {
        reconcile(context, &ReconcileScope::Everything(ScanMode::Stat), &no_progress)?;
    }
    let mut edited = Vec::new();
    let mut receipt = loop {
        match attempt(context, &lock, changes, &paths, terms) {
            // Made again from the edited files. A version that the caller expects is checked again too.
            Err(error @ Error::EditedMeanwhile { .. }) if edited.len() + 1 < ATTEMPTS => edited.push(error),
            // It was there a moment ago: the caller did not name a wrong page.
            Err(error @ Error::NotFound { .. }) => return Err(edited.pop().unwrap_or(error)),
            done => break done?,
        }
    };
    receipt.warnings.splice(0..0, recovered);
    span.record("files", receipt.files.len()).record("generated", receipt.generated.len());
    span.record("committed", receipt.commit.is_some()).record("warnings", receipt.warnings.len());
    Ok(receipt)
}

/// Makes the changes from the files as they are now. The vault's lock is held.
fn attempt(
    context: &VaultContext,
    lock: &FolderLock,
    changes: &[PageChange<'_>],
    paths: &Paths,
    terms: &WriteOptions,
) -> Result<Receipt> {
    let mut receipt = Receipt::default();
    // What somebody else did to these files meanwhile counts first, so that versions tell the truth.
    reconcile(context, &ReconcileScope::Paths { paths, moved: &[], proposal: None }, &no_progress)?;
    if let Some(Precondition(holds)) = &terms.precondition {
        holds(context)?;
    }
    let prepare = |change| prepare::prepare(context, change, terms);
    let mut ready = changes.iter().map(prepare).collect::<Result<Vec<PreparedChange>>>()?;
    if terms.authority == Authority::Author && !terms.is_fix {
        receipt.warnings.extend(rewrite(context, &mut ready)?);
    }
    if ready.iter().any(|one| one.outcome != Outcome::Unchanged) {
        let subject = terms.subject.clone().unwrap_or_else(|| publish::subject(&ready));
        let mut intent = Intent::new(context, &ready, subject, false);
        intent.noted = terms.noted.clone();
        let gated = terms.authority == Authority::Author && !terms.is_fix;
        let fixes_page = gated && has_errors(context, paths)?;
        let Executed { staging, findings, files } =
            execute(context, lock, &ready, &intent, gated.then_some(fixes_page))?;
        receipt.files = files;
        receipt.warnings.extend(findings.iter().map(ToString::to_string));
        let published = publish::publish(context, lock, &intent, None)?;
        receipt.warnings.extend(rescue::end(context, staging, &intent, true)?);
        fault("ended");
        receipt.generated = published.generated;
        receipt.commit = published.commit;
        receipt.warnings.extend(published.warnings);
    } else {
        record_notes_alone(context, &terms.noted)?;
        receipt.files = ready.iter().map(|one| written(context, one)).collect::<Result<_>>()?;
    }
    Ok(receipt)
}

/// Fails if what is recorded beside the files contains a credential: in the commit's message, in the ledger.
fn refuse_secrets(context: &VaultContext, terms: &WriteOptions) -> Result<()> {
    refuse_message(context, terms.subject.as_deref())?;
    match &terms.noted.import {
        None => Ok(()),
        Some(import) => {
            refuse_secret(context, "the name of the source", &import.source)?;
            refuse_secret_bytes(context, "the source", &import.bytes)
        }
    }
}

/// Applies what the features add to the prepared changes; returns their warnings.
fn rewrite(context: &VaultContext, ready: &mut Vec<PreparedChange>) -> Result<Vec<String>> {
    let Rewrites { texts, further, mut warnings } = context.hooks().before_commit(context, ready)?;
    for (path, text) in texts {
        if let Some(one) = ready.iter_mut().find(|one| one.to.as_deref().unwrap_or(&one.path) == path) {
            one.new = Some(text.into_bytes());
        }
    }
    let upkeep = WriteOptions { authority: Authority::Upkeep, ..WriteOptions::default() };
    for FurtherChange { change, purpose } in further {
        let paths = BTreeSet::from([change.path.to_string()]);
        reconcile(
            context,
            &ReconcileScope::Paths { paths: &paths, moved: &[], proposal: None },
            &no_progress,
        )?;
        match prepare::prepare(context, &change, &upkeep) {
            Ok(one) if one.outcome != Outcome::Unchanged => ready.push(one),
            Ok(_) => {}
            Err(error) => warnings.push(format!("{} could not be {purpose}: {error}", change.path)),
        }
    }
    Ok(warnings)
}

/// Records notes when no file changes.
fn record_notes_alone(context: &VaultContext, notes: &LedgerNotes) -> Result<()> {
    if notes.is_empty() {
        return Ok(());
    }
    transaction(context.store(), || context.hooks().in_transaction(context, notes, false))
}

/// Updates every generated file that is out of date, and commits them.
pub fn refresh_generated(context: &VaultContext) -> Result<Receipt> {
    let lock = context.lock()?;
    if context.reload_policy()? {
        reconcile(context, &ReconcileScope::Everything(ScanMode::Stat), &no_progress)?;
    }
    context.check_writable_vault()?;
    let warnings = recover::recover(context, &lock)?;
    let generated = publish::refresh(context, &lock, context.author())?;
    let mut receipt = Receipt { generated, warnings, ..Receipt::default() };
    if !receipt.generated.is_empty() {
        let subject = "Update generated files";
        match commit::commit(context, &lock, &receipt.generated, subject, context.author(), false) {
            Ok(done) => receipt.note_commit(done),
            Err(warning) => receipt.warnings.push(warning),
        }
    }
    Ok(receipt)
}

/// Completes the creation of a vault: generated files, and the first commit.
pub fn begin(context: &VaultContext, created: &[String]) -> Result<Receipt> {
    let lock = context.lock()?;
    let generated = publish::refresh(context, &lock, context.author())?;
    let mut receipt = Receipt { generated, ..Receipt::default() };
    let paths: Vec<String> = created.iter().chain(&receipt.generated).cloned().collect();
    match commit::commit(context, &lock, &paths, "Create the vault", context.author(), false) {
        Ok(done) => receipt.note_commit(done),
        Err(warning) => receipt.warnings.push(warning),
    }
    Ok(receipt)
}

/// Completes or rolls back the unfinished writes of a killed process; returns messages for the user. A process that is
/// writing right now is not disturbed.
pub fn recover_if_needed(context: &VaultContext) -> Result<Vec<String>> {
    if context.access() == Access::ReadOnly || context.vault().under_way().is_empty() {
        return Ok(Vec::new());
    }
    match context.try_lock()? {
        Some(lock) => match recover::recover(context, &lock) {
            // What can be read is still answered; the next write fails with this error.
            Err(error @ Error::Unrecovered { .. }) => Ok(vec![error.to_string()]),
            done => done,
        },
        None => Ok(Vec::new()),
    }
}

/// A change that is in the vault and in the index.
struct Executed {
    staging: Staging,
    findings: Vec<Finding>,
    /// As recorded in the transaction: somebody may have moved or deleted a file since.
    files: Vec<Written>,
}

/// Applies files and database changes, all or none: a failure after the first file is in place is rolled back. If
/// `gated` is set, lint must pass; its value is whether the change fixes a page with errors.
fn execute(
    context: &VaultContext,
    lock: &FolderLock,
    ready: &[PreparedChange],
    intent: &Intent,
    gated: Option<bool>,
) -> Result<Executed> {
    let entries: Vec<FileChange> = ready.iter().flat_map(PreparedChange::entries).collect();
    let proposal = proposal(ready);
    let staging = context.vault().stage(&intent.id)?;
    // Determined before the ledger records the change.
    let foreign = if intent.follows { Vec::new() } else { commit::foreign_edits(context, &entries) };
    let (mut installed, mut findings, mut files) = (0, Vec::new(), Vec::new());
    let cycles_before = cycle::cycles(context, ready)?;
    let done = transaction(context.store(), || {
        record(context, intent, &entries, Some(&proposal))?;
        cycle::refuse_new_cycle(context, ready, &cycles_before)?;
        if let Some(fixes_page) = gated {
            findings = gate(context, &proposal, fixes_page)?;
            // What is imported stays as it is.
            if intent.noted.batch.is_none() {
                ready.iter().try_for_each(prepare::refuse_null)?;
            }
        }
        findings.extend(commit::keep_foreign_edits(context, lock, &foreign).into_iter().map(edited_outside));
        intent.stage(&staging, ready)?;
        intent.check_unchanged(context)?;
        intent.install(&staging, &mut installed)?;
        fault("before-commit");
        // Only now do the files have the mtimes that the index must record.
        record_times(context, &proposal.keys().cloned().collect())?;
        files = ready.iter().map(|one| written(context, one)).collect::<Result<_>>()?;
        Ok(())
    });
    match done {
        Ok(()) => {
            fault("committed");
            Ok(Executed { staging, findings, files })
        }
        Err(error) => {
            intent.undo(&staging, installed)?;
            rescue::end(context, staging, intent, false)?;
            Err(error)
        }
    }
}

/// Beginning of a warning about an edit made outside Lore that must not be committed.
pub const KEPT_AS_SNAPSHOT: &str = "an edit made outside Lore is not committed, only kept as a snapshot";

/// Rewords the finding for an edit made outside Lore that was not committed. The write replaces it; only its snapshot is
/// left.
fn edited_outside(found: Finding) -> Finding {
    let message = format!("{KEPT_AS_SNAPSHOT}: {}", found.message);
    Finding { level: Level::Warning, message, ..found }
}

fn proposal(ready: &[PreparedChange]) -> Proposal {
    let steps = ready.iter().flat_map(|one| one.steps().into_iter().zip(one.news()));
    steps.map(|(step, new)| (step.path, new.map(<[u8]>::to_vec))).collect()
}

fn written(context: &VaultContext, one: &PreparedChange) -> Result<Written> {
    let path = one.to.as_ref().unwrap_or(&one.path).clone();
    let (slug, version) = match context.page_at(&path)?.or(one.row.clone()) {
        Some(row) => (row.slug, row.version),
        None => (path.clone(), context.version_of(&path)?),
    };
    Ok(Written { path, slug, version, outcome: one.outcome, lines: one.lines.clone() })
}

fn twice(path: &str) -> Error {
    Error::BadInput {
        message: format!("{path} is changed twice in one write"),
        hint: "combine both changes into one".into(),
    }
}

/// The normalized paths of a change.
type Paths = BTreeSet<String>;
