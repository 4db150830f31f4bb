//! What a change intends, noted before the first file is replaced, so that whoever comes after a crash can finish it
//! or undo it.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use serde::{Deserialize, Serialize};

use super::{Noted, Ready};
use crate::error::{Error, Result};
use crate::fault::fault;
use crate::hash::ContentHash;
use crate::memory::{Author, Memory};
use crate::vault::Staging;

/// The record of a change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Intent {
    /// The change's name, the same as its folder's.
    pub id: String,
    /// Who makes it.
    pub author: Author,
    /// The commit's first line.
    pub subject: String,
    /// What becomes of each file.
    pub steps: Vec<Step>,
    /// Pages that get another path: from, to.
    pub moved: Vec<(String, String)>,
    /// Whether it follows another change, whose own record must not be taken for this one's.
    pub follows: bool,
    /// What the ledger learns with it.
    #[serde(default)]
    pub noted: Noted,
}

/// What becomes of one file; its number is its place among the steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Step {
    /// From the vault's root.
    pub path: String,
    /// What the file is now; `None` when there is none.
    pub old: Option<ContentHash>,
    /// What it is to be; `None` when it is to go.
    pub new: Option<ContentHash>,
    /// Whether nothing of anybody else's is left in it.
    pub whole: bool,
}

/// Where a step stands, by the file as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Not done yet.
    Before,
    /// Done.
    After,
    /// Somebody has changed the file since.
    Foreign,
}

impl Intent {
    /// The intent of a change that is ready.
    pub(super) fn new(memory: &Memory, ready: &[Ready], subject: String, follows: bool) -> Intent {
        // In the order of time; the clock may stand still, so chance keeps two of them apart.
        let chance = RandomState::new().build_hasher().finish();
        let id = format!("{:020}-{chance:016x}", memory.now().timestamp().as_nanosecond());
        let steps = ready.iter().flat_map(Ready::steps).collect();
        let moved = ready.iter().filter_map(|one| Some((one.path.clone(), one.to.clone()?))).collect();
        Intent {
            id,
            author: memory.author().clone(),
            subject,
            steps,
            moved,
            follows,
            noted: Noted::default(),
        }
    }

    /// The intent that a record holds; a record that was cut short holds none.
    pub(super) fn read(bytes: &[u8]) -> Option<Intent> {
        serde_json::from_slice(bytes).ok()
    }

    /// The intent with what lies beside its record; none where that is not what it names.
    pub(super) fn reattached(mut self, staging: &Staging) -> Option<Intent> {
        self.noted.reattach(staging).then_some(self)
    }

    /// The paths that the change is about.
    pub(super) fn paths(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.path.clone()).collect()
    }

    /// Writes the new bytes beside the vault's pages, keeps the old ones, and notes the intent.
    pub(super) fn stage(&self, staging: &Staging, ready: &[Ready]) -> Result<()> {
        let news = ready.iter().flat_map(Ready::news);
        for (number, (step, new)) in self.steps.iter().zip(news).enumerate() {
            if let Some(bytes) = new {
                staging.add(number, &step.path, bytes)?;
                fault("staged");
            }
            if step.old.is_some() {
                staging.keep(number, &step.path)?;
                fault("kept");
            }
        }
        if let Some(import) = &self.noted.import {
            staging.attach(&import.bytes)?;
            fault("staged");
        }
        let record = serde_json::to_vec(self).unwrap_or_default();
        // One file is replaced whole or not at all even without its record; more than one need it on the disk, and so
        // does what the ledger is to learn.
        staging.note(&record, self.steps.len() > 1 || !self.noted.is_empty())?;
        fault("noted");
        Ok(())
    }

    /// Fails when somebody has changed one of the files since it was read.
    pub(super) fn check_unchanged(&self, memory: &Memory) -> Result<()> {
        for step in &self.steps {
            if Intent::progress(memory, step)? == Progress::Foreign {
                let current = memory.version_of(&step.path)?;
                let expected = current.saturating_sub(1);
                return Err(Error::Conflict { slug: step.path.clone(), expected, current });
            }
        }
        Ok(())
    }

    /// Puts every file in place, from step `done` on, and counts how far it got.
    pub(super) fn install(&self, staging: &Staging, done: &mut usize) -> Result<()> {
        for (number, step) in self.steps.iter().enumerate().skip(*done) {
            self.install_step(staging, number, step)?;
            *done = number + 1;
            fault("installed");
        }
        Ok(())
    }

    /// Puts one file in place.
    pub(super) fn install_step(&self, staging: &Staging, number: usize, step: &Step) -> Result<()> {
        match step.new {
            Some(_) => staging.install(number, &step.path),
            None => staging.remove(&step.path),
        }
    }

    /// Takes one file back.
    pub(super) fn undo_step(&self, staging: &Staging, number: usize, step: &Step) -> Result<()> {
        match step.old {
            Some(_) => staging.put_back(number, &step.path),
            None => staging.remove(&step.path),
        }
    }

    /// Takes the first `done` steps back, the last first.
    pub(super) fn undo(&self, staging: &Staging, done: usize) -> Result<()> {
        for (number, step) in self.steps.iter().enumerate().take(done).rev() {
            self.undo_step(staging, number, step)?;
        }
        staging.unmake_folders();
        Ok(())
    }

    /// Where a step stands.
    pub(super) fn progress(memory: &Memory, step: &Step) -> Result<Progress> {
        let there = memory.vault().read(&step.path, u64::MAX)?.map(|file| ContentHash::of(&file.bytes));
        Ok(match there {
            there if there == step.new => Progress::After,
            there if there == step.old => Progress::Before,
            _ => Progress::Foreign,
        })
    }
}
