//! Settings files: reads, changes, backs up, writes atomically and restores them.

use std::path::{Path, PathBuf};

use lore_engine::Code;
use lore_text::diff::unified;
use lore_vault::{exists, read_text, remove_file, replace_unchanged, write_new_private};

use super::FileItem;
use crate::app::error::{AppError, Result};
use crate::setup::{Client, FilePlan, SettingsError, SetupRecord};

/// Number of attempts when the client writes the file concurrently.
const ATTEMPTS: usize = 5;

/// The requested change.
pub(super) struct ChangeRequest<'a> {
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
struct NewContent {
    /// New text; `None` if the file is to be deleted.
    text: Option<String>,
    /// Keys that had to be created in it.
    created_keys: Vec<Vec<String>>,
}

/// Applies the change. Every file is checked before the first one is written.
pub(super) fn change(plans: &[FilePlan], request: &ChangeRequest) -> Result<Vec<FileItem>> {
    for plan in plans {
        new_content(plan, request, read(&plan.path)?.as_deref())?;
    }
    plans.iter().map(|plan| change_file(plan, request)).collect()
}

fn change_file(plan: &FilePlan, request: &ChangeRequest) -> Result<FileItem> {
    let path = plan.path.as_path();
    for _ in 0..ATTEMPTS {
        let old = read(path)?;
        let new = new_content(plan, request, old.as_deref())?;
        let diff = diff_text(path, old.as_deref(), new.text.as_deref());
        let item = |state, backup: Option<&Path>, diff| FileItem {
            path: path.display().to_string(),
            state,
            backup: backup.map(|path| path.display().to_string()),
            diff,
        };
        if old == new.text {
            return Ok(item("unchanged", None, String::new()));
        }
        if request.dry_run {
            return Ok(item("planned", None, diff));
        }
        let backup = match request.remove {
            true => None,
            false => back_up(path, old.as_deref(), request.state)?,
        };
        let Some(text) = new.text else {
            remove_file(path)?;
            forget(path, request.state)?;
            return Ok(item("removed", None, String::new()));
        };
        if replace_unchanged(path, old.as_deref(), &text)? {
            if request.remove {
                forget(path, request.state)?;
            } else {
                let known = SetupRecord::load(request.state, path)?;
                SetupRecord::next(known, old.as_deref(), &text, new.created_keys)
                    .save(request.state, path)?;
            }
            return Ok(item("written", backup.as_deref(), String::new()));
        }
    }
    let message = format!("{} is being written by {}", path.display(), request.client.name());
    Err(AppError::new(Code::Locked, message, "close it and retry"))
}

/// Returns the planned state of a file.
fn new_content(plan: &FilePlan, request: &ChangeRequest, old: Option<&str>) -> Result<NewContent> {
    let to_failure = |error| failure(&plan.path, request.client, error);
    if !request.remove {
        let added = plan.add(request.client, old.unwrap_or_default()).map_err(to_failure)?;
        return Ok(NewContent { text: Some(added.text), created_keys: added.created_keys });
    }
    let Some(current) = old else { return Ok(NewContent { text: None, created_keys: Vec::new() }) };
    let record = SetupRecord::load(request.state, &plan.path)?.unwrap_or_default();
    let text = plan.remove(current, &record.created_keys).map_err(to_failure)?;
    let text = match find_backup(&plan.path, |before| record.restores(current, before)) {
        // The file has not changed since: restore it byte for byte.
        Some((_, before)) => Some(before),
        _ if record.unchanged_since_created(current) || (record.created && plan.is_blank(&text)) => None,
        _ => Some(text),
    };
    Ok(NewContent { text, created_keys: Vec::new() })
}

/// Backs up a file as it was before Lore was added; after several changes, as it was before the first.
fn back_up(path: &Path, old: Option<&str>, state: &Path) -> Result<Option<PathBuf>> {
    let Some(old) = old else { return Ok(None) };
    let record = SetupRecord::load(state, path)?.unwrap_or_default();
    if let Some((backup, _)) = find_backup(path, |before| before == old || record.restores(old, before)) {
        return Ok(Some(backup));
    }
    for backup in backups(path) {
        // A file that exists is somebody's backup of something else.
        if write_new_private(&backup, old.as_bytes())? {
            return Ok(Some(backup));
        }
    }
    Ok(None)
}

/// Deletes the record and the backup, which are no longer needed. A backup with other content stays.
fn forget(path: &Path, state: &Path) -> Result<()> {
    let (now, record) = (read(path)?, SetupRecord::load(state, path)?.unwrap_or_default());
    if let Some((backup, _)) =
        find_backup(path, |before| record.was_before(before) && now.as_deref() == Some(before))
    {
        remove_file(&backup)?;
    }
    SetupRecord::forget(state, path)
}

/// Returns the backup of a file whose content fits.
fn find_backup(path: &Path, fits: impl Fn(&str) -> bool) -> Option<(PathBuf, String)> {
    let there = backups(path).take_while(|backup| exists(backup));
    // What cannot be read is not a backup of Lore's.
    let texts = there.filter_map(|backup| read(&backup).ok().flatten().map(|text| (backup, text)));
    texts.into_iter().find(|(_, text)| fits(text))
}

/// Returns the names for backups of a file: a first one, then numbered ones.
fn backups(path: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    (1..).map(move |number| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".lore-backup");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        path.with_file_name(name)
    })
}

fn read(path: &Path) -> Result<Option<String>> {
    Ok(read_text(path)?)
}

fn diff_text(path: &Path, old: Option<&str>, new: Option<&str>) -> String {
    let name = path.display().to_string();
    unified(old.unwrap_or_default(), new.unwrap_or_default(), &name, &name)
}

fn failure(path: &Path, client: Client, error: SettingsError) -> AppError {
    let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
    let hint = format!("fix the settings of {} first; nothing was changed", client.name());
    AppError::new(Code::Config, format!("{}{line}: {}", path.display(), error.message), hint)
}
