//! What follows a change that is in the vault and in the index: generated files, then the commit. Neither can undo
//! the write; what goes wrong is told.

use super::intent::Intent;
use super::{Outcome, Ready, carry_out, commit};
use crate::error::Result;
use crate::fault::fault;
use crate::generated;
use crate::memory::Memory;
use crate::vault::{FolderLock, is_sidecar};

/// What followed.
#[derive(Debug, Default)]
pub(super) struct Published {
    pub generated: Vec<String>,
    pub commit: Option<String>,
    pub warnings: Vec<String>,
}

/// Writes the generated files anew and commits everything. After a crash, generated files that may have been written
/// already are given.
pub(super) fn publish(
    memory: &Memory,
    lock: &FolderLock,
    intent: &Intent,
    recovered: Option<Vec<String>>,
) -> Result<Published> {
    let waited = recovered.is_some();
    let mut published = Published { generated: recovered.unwrap_or_default(), ..Published::default() };
    match refresh(memory, lock) {
        Ok(paths) => published.generated.extend(paths),
        Err(error) => {
            let message = format!("the generated files were not written: {error}; run `lore index`");
            published.warnings.push(message);
        }
    }
    fault("generated");
    let mut paths = intent.paths();
    paths.extend(published.generated.iter().cloned());
    match commit::commit(memory, lock, &paths, &intent.subject, &intent.author, waited) {
        Ok(commit) => published.commit = commit,
        Err(warning) => published.warnings.push(warning),
    }
    fault("published");
    Ok(published)
}

/// Writes every generated file that is not what the pages say; gives their paths.
pub(super) fn refresh(memory: &Memory, lock: &FolderLock) -> Result<Vec<String>> {
    let mut ready = Vec::new();
    for (path, text) in generated::due(memory)? {
        let old = memory.vault().read(&path, u64::MAX)?.map(|file| file.bytes);
        let row = memory.page_at(&path)?;
        let outcome = match (&old, &text) {
            (None, _) => Outcome::Created,
            (_, Some(_)) => Outcome::Updated,
            (_, None) => Outcome::Deleted,
        };
        ready.push(Ready {
            path,
            row,
            old,
            new: text.map(String::into_bytes),
            to: None,
            outcome,
            whole: false,
        });
    }
    if ready.is_empty() {
        return Ok(Vec::new());
    }
    let intent = Intent::new(memory, &ready, "Write the generated files".into(), true);
    let (staging, _) = carry_out(memory, lock, &ready, &intent, None)?;
    staging.end()?;
    Ok(intent.paths())
}

/// What a commit's first line says of a change.
pub(super) fn subject(ready: &[Ready]) -> String {
    // Data beside a page goes with it without a word.
    let beside = |one: &&Ready| ready.len() == 1 || !is_sidecar(&one.path);
    let changed: Vec<&Ready> =
        ready.iter().filter(|one| one.outcome != Outcome::Unchanged).filter(beside).collect();
    let done = |one: &Ready| match (one.outcome, &one.to) {
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
