//! What a process that died left under way: finished where it can be, undone where somebody has changed one of its
//! files since. The vault's lock is held, so whatever is under way is nobody's any more.

use super::intent::{Intent, Progress};
use super::publish::publish;
use super::record::{Entry, record};
use crate::error::Result;
use crate::fault::fault;
use crate::memory::Memory;
use crate::vault::{FolderLock, Staging};

/// Finishes or undoes every change that is under way; gives what a person should know.
pub(super) fn recover(memory: &Memory, lock: &FolderLock) -> Result<Vec<String>> {
    let mut told = Vec::new();
    for name in memory.vault().under_way() {
        let staging = memory.vault().staged(&name)?;
        // Without a whole record no file was touched.
        if let Some(intent) = staging.intent()?.as_deref().and_then(Intent::read) {
            told.push(settle(memory, lock, &staging, &intent)?);
        }
        staging.end()?;
        fault("ended");
    }
    Ok(told)
}

fn settle(memory: &Memory, lock: &FolderLock, staging: &Staging, intent: &Intent) -> Result<String> {
    let states =
        intent.steps.iter().map(|step| Intent::progress(memory, step)).collect::<Result<Vec<Progress>>>()?;
    let pages = intent.paths().join(", ");
    if states.contains(&Progress::Foreign) && states.contains(&Progress::Before) {
        for (number, step) in intent.steps.iter().enumerate().rev() {
            if states[number] == Progress::After {
                intent.undo_step(staging, number, step)?;
            }
        }
        memory.sync_paths(&intent.paths().into_iter().collect())?;
        return Ok(format!("an interrupted write was undone, since a file of it had been edited: {pages}"));
    }
    for (number, step) in intent.steps.iter().enumerate() {
        if states[number] == Progress::Before {
            intent.install_step(staging, number, step)?;
            fault("installed");
        }
    }
    let entries = entries(staging, intent)?;
    memory.store().transaction(&mut || record(memory, intent, &entries, None))?;
    fault("committed");
    publish(memory, lock, intent)?;
    Ok(format!("an interrupted write was finished: {pages}"))
}

fn entries(staging: &Staging, intent: &Intent) -> Result<Vec<Entry>> {
    let entry = |(number, step): (usize, &super::intent::Step)| -> Result<Entry> {
        let old = if step.old.is_some() { staging.old(number)? } else { None };
        Ok(Entry { path: step.path.clone(), old, new: step.new, whole: step.whole })
    };
    intent.steps.iter().enumerate().map(entry).collect()
}
