//! The intent of a write, recorded before the first file is replaced, so that after a crash any process can complete it
//! or roll it back.

use std::io::ErrorKind;

use lore_text::ContentHash;
use lore_vault::fault::fault;
use lore_vault::{Staging, StepHashes};
use serde::{Deserialize, Serialize};
use uuid::{ContextV7, Uuid};

use super::{LedgerNotes, PreparedChange};
use crate::context::{Author, VaultContext};
use crate::error::{Error, Result};

/// The intent record of a write.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Intent {
    /// The write's name, also the name of its directory.
    pub id: String,
    /// Its author.
    pub author: Author,
    /// The commit's first line.
    pub subject: String,
    /// What happens to each file.
    pub steps: Vec<IntentStep>,
    /// Moved pages: from, to.
    pub moved: Vec<(String, String)>,
    /// Whether it follows another write, whose record must not be confused with this one.
    pub follows: bool,
    /// What is recorded in the ledger with it.
    #[serde(default)]
    pub noted: LedgerNotes,
}

/// What happens to one file; its number is its position among the steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct IntentStep {
    /// Vault-relative path.
    pub path: String,
    /// Hash of the current file; `None` when it does not exist.
    pub old: Option<ContentHash>,
    /// Hash of the new file; `None` when it is to be deleted.
    pub new: Option<ContentHash>,
    /// Whether it contains nothing written by anyone else.
    #[serde(alias = "whole")]
    pub sole_author: bool,
}

/// Progress of a step, judged by the current file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepProgress {
    /// Not done yet.
    Before,
    /// Done.
    After,
    /// Somebody else has changed the file since.
    Foreign,
}

impl IntentStep {
    /// Puts its file into place, unless somebody has changed it since it was read.
    pub(super) fn make(&self, staging: &Staging, number: usize) -> Result<()> {
        fault("installing");
        match unless_gone(&self.path, staging.make(number, &self.path, self.hashes()))? {
            true => Ok(()),
            false => Err(Error::EditedMeanwhile { paths: vec![self.path.clone()] }),
        }
    }

    pub(super) fn hashes(&self) -> StepHashes {
        StepHashes { old: self.old, new: self.new }
    }
}

impl Intent {
    /// Creates the intent of prepared changes.
    pub(super) fn new(
        context: &VaultContext,
        ready: &[PreparedChange],
        subject: String,
        follows: bool,
    ) -> Intent {
        // Sorted by time; the clock may not advance, so a random part makes ids unique.
        let now = context.now().timestamp();
        let (seconds, nanoseconds) = (now.as_second(), now.subsec_nanosecond());
        let at = uuid::Timestamp::from_unix(
            ContextV7::new().with_additional_precision(),
            u64::try_from(seconds).unwrap_or_default(),
            u32::try_from(nanoseconds).unwrap_or_default(),
        );
        let id = Uuid::new_v7(at).to_string();
        let steps = ready.iter().flat_map(PreparedChange::steps).collect();
        let moved = ready.iter().filter_map(|one| Some((one.path.clone(), one.to.clone()?))).collect();
        Intent {
            id,
            author: context.author().clone(),
            subject,
            steps,
            moved,
            follows,
            noted: LedgerNotes::default(),
        }
    }

    /// Parses a record; `None` if it is incomplete.
    pub(super) fn read(bytes: &[u8]) -> Option<Intent> {
        serde_json::from_slice(bytes).ok()
    }

    /// Adds the attachment of the record; `None` if it does not match.
    pub(super) fn reattached(mut self, staging: &Staging) -> Result<Option<Intent>> {
        if self.noted.attachment().is_none() {
            return Ok(Some(self));
        }
        self.noted.attach(unless_not_a_file(staging.attached())?.flatten().unwrap_or_default());
        let matches = self.noted.attachment().is_some_and(|(bytes, hash)| ContentHash::of(bytes) == hash);
        Ok(matches.then_some(self))
    }

    /// Returns the paths of the write.
    pub(super) fn paths(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.path.clone()).collect()
    }

    /// Stages the new bytes, keeps the old ones, and writes the record.
    pub(super) fn stage(&self, staging: &Staging, ready: &[PreparedChange]) -> Result<()> {
        staging.expect(self.steps.len());
        let news = ready.iter().flat_map(|one| one.news().into_iter().map(|new| (new, one.mode)));
        for (number, (step, (new, mode))) in self.steps.iter().zip(news).enumerate() {
            if let Some(bytes) = new {
                unless_gone(&step.path, staging.add(number, &step.path, bytes, mode))?;
                fault("staged");
            }
            if step.old.is_some() {
                unless_gone(&step.path, staging.keep(number, &step.path))?;
                fault("kept");
            }
        }
        if let Some((bytes, _)) = self.noted.attachment() {
            unless_gone(&self.subject_path(), staging.attach(bytes))?;
            fault("staged");
        }
        let record = serde_json::to_vec(self).unwrap_or_default();
        // A single file is replaced atomically even without its record; several need it on disk, and so does anything
        // to be recorded in the ledger.
        let sync = self.steps.len() > 1 || !self.noted.is_empty();
        unless_gone(&self.subject_path(), staging.note(&record, sync))?;
        fault("noted");
        Ok(())
    }

    /// Returns the path to name when the whole write cannot be staged.
    fn subject_path(&self) -> String {
        self.steps.first().map(|step| step.path.clone()).unwrap_or_default()
    }

    /// Fails if somebody has changed one of the files since it was read. Each step compares its own file again; this
    /// finds the usual case before any file is touched.
    pub(super) fn check_unchanged(&self, context: &VaultContext) -> Result<()> {
        let mut edited = Vec::new();
        for step in &self.steps {
            if Intent::progress(context, step)? == StepProgress::Foreign {
                edited.push(step.path.clone());
            }
        }
        if edited.is_empty() { Ok(()) } else { Err(Error::EditedMeanwhile { paths: edited }) }
    }

    /// Makes every step and counts the progress. Fails at the first file that somebody has changed since it was read.
    pub(super) fn install(&self, staging: &Staging, done: &mut usize) -> Result<()> {
        for (number, step) in self.steps.iter().enumerate() {
            step.make(staging, number)?;
            *done = number + 1;
            fault("installed");
        }
        Ok(staging.sync_steps()?)
    }

    /// Rolls back the first `done` steps, last first. A file that somebody has changed since stays as they left it.
    pub(super) fn undo(&self, staging: &Staging, done: usize) -> Result<()> {
        for (number, step) in self.steps.iter().enumerate().take(done).rev() {
            staging.unmake(number, &step.path, step.hashes())?;
        }
        staging.unmake_folders();
        Ok(())
    }

    /// Returns the progress of a step. Something that is no file, such as a symlink that leads out of the vault, is not
    /// what this write put there. A file that cannot be read now may be.
    pub(super) fn progress(context: &VaultContext, step: &IntentStep) -> Result<StepProgress> {
        let there = match context.vault().read(&step.path, u64::MAX) {
            Err(error) if error.is_not_a_file() => return Ok(StepProgress::Foreign),
            there => there?.map(|file| ContentHash::of(&file.bytes)),
        };
        Ok(match there {
            there if there == step.new => StepProgress::After,
            there if there == step.old => StepProgress::Before,
            _ => StepProgress::Foreign,
        })
    }
}

/// Returns `None` for something that is no file. An error that may pass is an error.
pub(super) fn unless_not_a_file<T>(read: lore_vault::Result<T>) -> Result<Option<T>> {
    match read {
        Err(error) if error.is_not_a_file() => Ok(None),
        read => Ok(Some(read?)),
    }
}

/// Reports a file or a directory that somebody has deleted or moved since it was read as an edit, not as a failure of the
/// disk.
fn unless_gone<T>(path: &str, done: lore_vault::Result<T>) -> Result<T> {
    match done {
        Err(lore_vault::Error::Write { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Err(Error::EditedMeanwhile { paths: vec![path.to_owned()] })
        }
        done => Ok(done?),
    }
}
