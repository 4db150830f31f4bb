//! Recovers the writes that a killed process left unfinished: completed where possible, rolled back if somebody has
//! changed one of their files since. The vault's lock is held, so no other process is working on them. A file that cannot
//! be read stops the recovery: nobody knows yet whether it was changed, and a later command tries again.

use lore_ports::{no_progress, transaction};
use lore_text::ContentHash;
use lore_vault::fault::fault;
use lore_vault::{FolderLock, Staging, is_page_path};

use super::intent::{Intent, IntentStep, StepProgress, unless_not_a_file};
use super::prepare::check_writable_target;
use super::publish::publish;
use super::record::{FileChange, is_recorded, record};
use super::rescue::end;
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::{ReconcileScope, reconcile};

/// Completes or rolls back every unfinished write; returns messages for the user.
pub(super) fn recover(context: &VaultContext, lock: &FolderLock) -> Result<Vec<String>> {
    let mut under_way = Vec::new();
    let mut messages = Vec::new();
    for name in context.vault().under_way() {
        // Anything there that is not one of Lore's writes is left alone.
        let Ok(staging) = context.vault().staged(&name) else { continue };
        // Without a complete record no file was touched. A record that this machine did not write is never completed:
        // the vault may come from anywhere.
        let record = unless_not_a_file(staging.intent()).map_err(unrecovered)?.flatten();
        let is_genuine = record.as_ref().is_some_and(|record| record.is_genuine);
        match record.and_then(|record| Intent::read(&record.bytes)) {
            Some(_) if !is_genuine => messages.extend(set_aside(staging)),
            Some(intent) => match sound(context, &staging, intent).map_err(unrecovered)? {
                Some(intent) => under_way.push((staging, intent)),
                None => drop(staging.end()),
            },
            None => drop(staging.end()),
        }
    }
    // Unfinished generated files come first: the write they follow then finds them done and commits them.
    under_way.sort_by_key(|(_, intent)| !intent.follows);
    let alone = under_way.iter().all(|(_, intent)| intent.follows);
    for (staging, intent) in under_way {
        let recovery = settle(context, &staging, &intent).map_err(unrecovered)?;
        let in_place = matches!(recovery, Recovery::Finished | Recovery::Edited);
        if in_place && (alone || !intent.follows) {
            publish(context, lock, &intent, Some(context.hooks().derived_paths(context)?))?;
        }
        if !intent.follows {
            messages.push(recovery.sentence(&intent));
        }
        messages.extend(end(context, staging, &intent, in_place).map_err(unrecovered)?);
        fault("ended");
    }
    Ok(messages)
}

/// Sets a write aside whose record was not made on this machine; returns a message the first time.
fn set_aside(staging: Staging) -> Option<String> {
    let place = staging.set_aside().ok()??;
    Some(format!(
        "an unfinished write that was not made on this machine was set aside in {place}; nothing of it was done"
    ))
}

/// Names the interrupted write in the error of a file that cannot be read.
fn unrecovered(error: Error) -> Error {
    match error {
        Error::Vault(source @ lore_vault::Error::Read { .. }) => Error::Unrecovered { source },
        error => error,
    }
}

/// Returns the intent of a record with its attachment, if a write could have made it.
fn sound(context: &VaultContext, staging: &Staging, intent: Intent) -> Result<Option<Intent>> {
    Ok(match intent.reattached(staging)? {
        Some(intent) if is_sound(context, staging, &intent)? => Some(intent),
        _ => None,
    })
}

/// Whether a write could have made this record: only files that Lore may write, with matching bytes.
fn is_sound(context: &VaultContext, staging: &Staging, intent: &Intent) -> Result<bool> {
    for (number, step) in intent.steps.iter().enumerate() {
        let written = intent.follows
            || check_writable_target(context, &step.path, intent.noted.batch.is_some()).is_ok();
        let known = context.vault().file_path(&step.path).is_ok_and(|path| path == step.path);
        let page = !intent.follows || is_page_path(&step.path);
        if !(written && known && page) {
            return Ok(false);
        }
        if unless_not_a_file(staging.settle_step(number, &step.path, step.hashes()))?.is_none() {
            return Ok(false);
        }
        let Some(waiting) = unless_not_a_file(staging.new_bytes(number))? else { return Ok(false) };
        let waiting = waiting.map(|bytes| ContentHash::of(&bytes));
        let there = progress(context, staging, (number, step))?;
        if waiting.is_some() && waiting != step.new
            || waiting.is_none() && step.new.is_some() && there == StepProgress::Before
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the progress of a step. A file that has its old bytes again, although the step displaced them, was edited.
fn progress(
    context: &VaultContext,
    staging: &Staging,
    (number, step): (usize, &IntentStep),
) -> Result<StepProgress> {
    Ok(match Intent::progress(context, step)? {
        StepProgress::Before if staging.holds_displaced(number) => StepProgress::Foreign,
        progress => progress,
    })
}

fn states(context: &VaultContext, staging: &Staging, intent: &Intent) -> Result<Vec<StepProgress>> {
    intent.steps.iter().enumerate().map(|step| progress(context, staging, step)).collect()
}

/// Whether a step displaced an edit instead of the file that it was prepared from.
fn displaced_edit(staging: &Staging, (number, step): (usize, &IntentStep)) -> Result<bool> {
    let displaced = staging.displaced(number)?.map(|bytes| ContentHash::of(&bytes));
    Ok(displaced.is_some() && displaced != step.old && displaced != step.new)
}

/// How an interrupted write was recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recovery {
    Finished,
    /// In place, and edited by somebody since.
    Edited,
    Undone,
    GivenUp,
}

impl Recovery {
    fn sentence(self, intent: &Intent) -> String {
        let pages = intent.paths().join(", ");
        match self {
            Recovery::Finished => format!("an interrupted write was completed: {pages}"),
            Recovery::Edited => {
                format!("an interrupted write was in place; one of its files was edited since: {pages}")
            }
            Recovery::Undone => {
                format!("an interrupted write was rolled back because one of its files was edited: {pages}")
            }
            Recovery::GivenUp => {
                format!("an interrupted write was abandoned because one of its files was edited: {pages}")
            }
        }
    }
}

/// Completes a write, or rolls it back if somebody has edited a file that was not in place yet.
fn settle(context: &VaultContext, staging: &Staging, intent: &Intent) -> Result<Recovery> {
    let states = states(context, staging, intent)?;
    let all_there = states.iter().all(|state| *state != StepProgress::Foreign);
    let finished = if all_there { Recovery::Finished } else { Recovery::Edited };
    // Everything the ledger records was in place; later edits came after it.
    if is_recorded(context, intent)? {
        return Ok(finished);
    }
    let mut edited = states.contains(&StepProgress::Foreign) && states.contains(&StepProgress::Before);
    for (number, step) in intent.steps.iter().enumerate() {
        // New bytes that are still staged were never in place; a file that should be deleted but exists was edited.
        edited |=
            states[number] == StepProgress::Foreign && (step.new.is_none() || staging.holds_new(number));
        edited |= displaced_edit(staging, (number, step))?;
    }
    if edited {
        return give_up(context, staging, intent);
    }
    for (number, step) in intent.steps.iter().enumerate() {
        if states[number] == StepProgress::Before {
            match step.make(staging, number) {
                Err(Error::EditedMeanwhile { .. }) => return give_up(context, staging, intent),
                done => done?,
            }
            fault("installed");
        }
    }
    let entries = entries(staging, intent)?;
    transaction(context.store(), || record(context, intent, &entries, None))?;
    fault("committed");
    Ok(finished)
}

fn give_up(context: &VaultContext, staging: &Staging, intent: &Intent) -> Result<Recovery> {
    let states = states(context, staging, intent)?;
    for (number, step) in intent.steps.iter().enumerate().rev() {
        if states[number] == StepProgress::After {
            staging.unmake(number, &step.path, step.hashes())?;
        }
    }
    let paths = intent.paths().into_iter().collect();
    reconcile(context, &ReconcileScope::Paths { paths: &paths, moved: &[], proposal: None }, &no_progress)?;
    let undone = states.contains(&StepProgress::After);
    Ok(if undone { Recovery::Undone } else { Recovery::GivenUp })
}

fn entries(staging: &Staging, intent: &Intent) -> Result<Vec<FileChange>> {
    let entry = |(number, step): (usize, &IntentStep)| -> Result<FileChange> {
        let old = if step.old.is_some() { staging.old(number)? } else { None };
        let (path, new, sole_author) = (step.path.clone(), step.new, step.sole_author);
        Ok(FileChange { path, old, new, sole_author, mode: staging.old_mode(number) })
    };
    intent.steps.iter().enumerate().map(entry).collect()
}
