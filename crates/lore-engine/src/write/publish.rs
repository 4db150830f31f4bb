//! What follows a change that is in the vault and in the index: generated files, then the commit. Neither can roll back
//! the write; failures are reported.

use lore_page::edit::LineChanges;
use lore_vault::fault::fault;
use lore_vault::{FolderLock, is_sidecar};

use super::commit_gate::not_committed;
use super::intent::Intent;
use super::rescue::end;
use super::{Executed, Outcome, PreparedChange, commit, execute};
use crate::context::{Author, VaultContext};
use crate::error::Result;

/// The result.
#[derive(Debug, Default)]
pub(super) struct Published {
    pub generated: Vec<String>,
    pub commit: Option<String>,
    pub warnings: Vec<String>,
}

/// Updates the generated files and commits everything. After a crash, `recovered` contains generated files that may
/// already have been written.
pub(super) fn publish(
    context: &VaultContext,
    lock: &FolderLock,
    intent: &Intent,
    recovered: Option<Vec<String>>,
) -> Result<Published> {
    let waited = recovered.is_some();
    let mut published = Published { generated: recovered.unwrap_or_default(), ..Published::default() };
    match refresh(context, lock, &intent.author) {
        Ok(paths) => published.generated.extend(paths),
        Err(error) => {
            let message = format!("cannot update generated files: {error}; the next write tries again");
            published.warnings.push(message);
        }
    }
    fault("generated");
    let mut paths = intent.paths();
    paths.extend(published.generated.iter().cloned());
    match commit::commit(context, lock, &paths, &intent.subject, &intent.author, waited) {
        Ok(done) => {
            published.commit = done.id;
            published.warnings.extend(done.left_out.iter().map(not_committed));
        }
        Err(warning) => published.warnings.push(warning),
    }
    fault("published");
    Ok(published)
}

/// Updates every generated file that is out of date, on behalf of the author of the change that made it so; returns their
/// paths.
pub(super) fn refresh(context: &VaultContext, lock: &FolderLock, author: &Author) -> Result<Vec<String>> {
    let mut ready = Vec::new();
    for (path, text) in context.hooks().derived_files(context)? {
        let old = context.vault().read(&path, u64::MAX)?.map(|file| file.bytes);
        let row = context.page_at(&path)?;
        let outcome = match (&old, &text) {
            (None, _) => Outcome::Created,
            (_, Some(_)) => Outcome::Updated,
            (_, None) => Outcome::Deleted,
        };
        ready.push(PreparedChange {
            mode: context.vault().mode(&path),
            path,
            row,
            old,
            new: text.map(String::into_bytes),
            to: None,
            outcome,
            sole_author: false,
            lines: LineChanges::default(),
        });
    }
    if ready.is_empty() {
        return Ok(Vec::new());
    }
    let intent = Intent {
        author: author.clone(),
        ..Intent::new(context, &ready, "Update generated files".into(), true)
    };
    let Executed { staging, .. } = execute(context, lock, &ready, &intent, None)?;
    // Nobody edits these by hand on purpose; what somebody did is in a snapshot.
    end(context, staging, &intent, true)?;
    Ok(intent.paths())
}

/// Returns the first line of the commit message.
pub(super) fn subject(ready: &[PreparedChange]) -> String {
    let mut changed: Vec<&PreparedChange> =
        ready.iter().filter(|one| one.outcome != Outcome::Unchanged).collect();
    // Sidecar data is not mentioned along with its page.
    if changed.len() > 1 {
        changed.retain(|one| !is_sidecar(&one.path));
    }
    let done = |one: &PreparedChange| match (one.outcome, &one.to) {
        (Outcome::Created, _) => format!("Create {}", one.path),
        (Outcome::Deleted, _) => format!("Delete {}", one.path),
        (_, Some(to)) => format!("Move {} to {to}", one.path),
        _ => format!("Update {}", one.path),
    };
    match changed.as_slice() {
        [] => String::new(),
        [one] => done(one),
        [first, rest @ ..] => format!("{} and {} more", done(first), rest.len()),
    }
}
