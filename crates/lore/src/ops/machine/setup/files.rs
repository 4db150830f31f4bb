//! Settings files: reads, changes, backs up, writes atomically and restores them.

use std::path::{Path, PathBuf};

use lore_engine::Code;
use lore_text::diff::unified;
use lore_vault::{exists, read_text, remove_file, replace_unchanged, write_private};

use super::FileItem;
use crate::app::error::{AppError, Result};
use crate::setup::{Broken, Client, FilePlan, Record};

/// Number of attempts when the client writes the file concurrently.
const ATTEMPTS: usize = 5;

/// The requested change.
pub(super) struct Change<'a> {
    /// The client.
    pub client: Client,
    /// Whether Lore is removed, not added.
    pub remove: bool,
    /// Whether to only show the change.
    pub dry_run: bool,
    /// Directory in which Lore records its changes.
    pub state: &'a Path,
}

/// The planned state of a file.
struct New {
    /// New text; `None` if the file is to be deleted.
    text: Option<String>,
    /// Keys that had to be created in it.
    made: Vec<Vec<String>>,
}

/// Applies the change. Every file is checked before the first one is written.
pub(super) fn change(plans: &[FilePlan], wanted: &Change) -> Result<Vec<FileItem>> {
    for plan in plans {
        planned(plan, wanted, read(&plan.path)?.as_deref())?;
    }
    plans.iter().map(|plan| one(plan, wanted)).collect()
}

fn one(plan: &FilePlan, wanted: &Change) -> Result<FileItem> {
    let path = plan.path.as_path();
    for _ in 0..ATTEMPTS {
        let old = read(path)?;
        let new = planned(plan, wanted, old.as_deref())?;
        let diff = difference(path, old.as_deref(), new.text.as_deref());
        let item = |state, backup: Option<&Path>, diff| FileItem {
            path: path.display().to_string(),
            state,
            backup: backup.map(|path| path.display().to_string()),
            diff,
        };
        if old == new.text {
            return Ok(item("unchanged", None, String::new()));
        }
        if wanted.dry_run {
            return Ok(item("planned", None, diff));
        }
        let backup = match wanted.remove {
            true => None,
            false => keep(path, old.as_deref(), wanted.state)?,
        };
        let Some(text) = new.text else {
            remove_file(path)?;
            forget(path, wanted.state)?;
            return Ok(item("removed", None, String::new()));
        };
        if replace_unchanged(path, old.as_deref(), &text)? {
            if wanted.remove {
                forget(path, wanted.state)?;
            } else {
                let known = Record::load(wanted.state, path)?;
                Record::next(known, old.as_deref(), &text, new.made).save(wanted.state, path)?;
            }
            return Ok(item("written", backup.as_deref(), String::new()));
        }
    }
    let message = format!("{} is being written by {}", path.display(), wanted.client.name());
    Err(AppError::new(Code::Locked, message, "close it and retry"))
}

/// Returns the planned state of a file.
fn planned(plan: &FilePlan, wanted: &Change, old: Option<&str>) -> Result<New> {
    let broken = |broken| failure(&plan.path, wanted.client, broken);
    if !wanted.remove {
        let added = plan.add(wanted.client, old.unwrap_or_default()).map_err(broken)?;
        return Ok(New { text: Some(added.text), made: added.made });
    }
    let Some(now) = old else { return Ok(New { text: None, made: Vec::new() }) };
    let record = Record::load(wanted.state, &plan.path)?.unwrap_or_default();
    let text = plan.remove(now, &record.made).map_err(broken)?;
    let text = match read(&backup(&plan.path))? {
        // The file has not changed since: restore it byte for byte.
        Some(before) if record.restores(now, &before) => Some(before),
        _ if record.unchanged_since_made(now) || (record.created && plan.is_blank(&text)) => None,
        _ => Some(text),
    };
    Ok(New { text, made: Vec::new() })
}

/// Backs up a file as it was before Lore was added; after several changes, as it was before the first.
fn keep(path: &Path, old: Option<&str>, state: &Path) -> Result<Option<PathBuf>> {
    let Some(old) = old else { return Ok(None) };
    let backup = backup(path);
    let before = read(&backup)?;
    let record = Record::load(state, path)?;
    let kept = record.zip(before).is_some_and(|(record, before)| record.restores(old, &before));
    if !kept {
        write_private(&backup, old.as_bytes())?;
    }
    Ok(Some(backup))
}

/// Deletes the record and the backup, which are no longer needed. A backup with other content stays.
fn forget(path: &Path, state: &Path) -> Result<()> {
    let backup = backup(path);
    if exists(&backup) && read(&backup)? == read(path)? {
        remove_file(&backup)?;
    }
    Record::forget(state, path)
}

fn backup(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lore-backup");
    path.with_file_name(name)
}

fn read(path: &Path) -> Result<Option<String>> {
    Ok(read_text(path)?)
}

fn difference(path: &Path, old: Option<&str>, new: Option<&str>) -> String {
    let name = path.display().to_string();
    unified(old.unwrap_or_default(), new.unwrap_or_default(), &name, &name)
}

fn failure(path: &Path, client: Client, broken: Broken) -> AppError {
    let line = broken.line.map(|line| format!(":{line}")).unwrap_or_default();
    let hint = format!("fix the settings of {} first; nothing was changed", client.name());
    AppError::new(Code::Config, broken.message, hint).at(format!("{}{line}", path.display()))
}
