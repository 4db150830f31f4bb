//! Edits that a person has saved in an editor: the files are on disk already, so the same gate as for a write decides
//! whether they are committed. A refused file stays as the person saved it and is committed with the next save that
//! leaves it valid. A file that is saved again meanwhile is taken again.

use std::collections::BTreeSet;

use lore_ports::no_progress;
use lore_vault::fault::fault;
use lore_vault::{FolderLock, VaultPath};

use super::commit_gate::not_committed;
use super::cycle::cycle_findings;
use super::git_state::{remember, remembered};
use super::{ATTEMPTS, commit, publish, recover};
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::{Proposal, ReconcileScope, ScanMode, reconcile};
use crate::lint::gate;
use crate::policy::{Finding, Gate, PathClass};

/// The result of [`save`].
#[derive(Debug, Default)]
pub struct Saved {
    /// The files that were checked and are valid, with those of earlier saves that are committed now.
    pub paths: Vec<String>,
    /// Generated files that were updated.
    pub generated: Vec<String>,
    /// The commit, if anything was committed.
    pub commit: Option<String>,
    /// Why nothing was committed.
    pub findings: Vec<Finding>,
    /// Files that are not taken, each with the reason.
    pub skipped: Vec<(String, NotSaved)>,
    /// Files that were saved and are still not committed. The next save takes them too.
    pub pending: Vec<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Why a file is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSaved {
    /// Lore generates it.
    Generated,
    /// It is a captured source.
    Raw,
}

/// Takes edits that are on disk: indexes them, lints what the policy requires, updates generated files and commits. If
/// lint fails, nothing is committed and the findings are returned.
pub fn save(context: &VaultContext, paths: &[VaultPath]) -> Result<Saved> {
    super::refuse_message(context, None)?;
    let lock = context.lock()?;
    context.reload_policy()?;
    context.check_writable_vault()?;
    let recovered = recover::recover(context, &lock)?;
    let mut saved = Saved { warnings: recovered.clone(), ..Saved::default() };
    let mut asked = BTreeSet::new();
    for path in paths {
        match not_saved(context, path) {
            Some(reason) => saved.skipped.push((path.to_string(), reason)),
            None => drop(asked.insert(path.to_string())),
        }
    }
    if asked.is_empty() {
        return Ok(saved);
    }
    check_known(context, &asked)?;
    let earlier = earlier_saves(context, &asked)?;
    let mut edited: BTreeSet<String> = BTreeSet::new();
    for _ in 0..ATTEMPTS {
        // An edit of another file may decide whether this one is valid.
        reconcile(context, &ReconcileScope::Everything(ScanMode::Stat), &no_progress)?;
        let proposal = on_disk(context, asked.iter().chain(&earlier))?;
        let judged = judge(context, &asked, &earlier, &proposal)?;
        fault("judged");
        // Saved again meanwhile: what was judged is not what would be committed.
        edited = changed_since(context, &proposal)?;
        if !edited.is_empty() {
            continue;
        }
        saved.warnings.clone_from(&recovered);
        finish(context, &lock, &mut saved, judged, asked.iter().chain(&earlier))?;
        // Saved again during the commit.
        edited = changed_since(context, &proposal)?;
        if edited.is_empty() {
            return Ok(saved);
        }
    }
    // Somebody writes without pause. What was not judged yet is left to the next save.
    edited.extend(remembered(context).refused);
    saved.paths.retain(|path| !edited.contains(path));
    saved.pending = edited.iter().cloned().collect();
    remember(context, |now| now.refused = edited);
    Ok(saved)
}

/// Returns the files that are not as they were when they were judged.
fn changed_since(context: &VaultContext, judged: &Proposal) -> Result<BTreeSet<String>> {
    let mut now = on_disk(context, judged.keys())?;
    now.retain(|path, bytes| judged.get(path) != Some(bytes));
    Ok(now.into_keys().collect())
}

/// The files to commit, or why there are none.
type Judged = std::result::Result<(BTreeSet<String>, Vec<Finding>), Vec<Finding>>;

/// Decides which files may be committed.
fn judge(
    context: &VaultContext,
    asked: &BTreeSet<String>,
    earlier: &BTreeSet<String>,
    proposal: &Proposal,
) -> Result<Judged> {
    let part = |paths: &BTreeSet<String>| -> Proposal {
        proposal
            .iter()
            .filter(|(path, _)| paths.contains(*path))
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect()
    };
    let mut accepted = asked.clone();
    if context.policy().lint.gate == Gate::Vault {
        accepted.extend(earlier.iter().cloned());
        return Ok(passes(context, proposal)?.map(|warnings| (accepted, warnings)));
    }
    let warnings = match passes(context, &part(asked))? {
        Ok(warnings) => warnings,
        Err(findings) => return Ok(Err(findings)),
    };
    for path in earlier {
        if passes(context, &part(&BTreeSet::from([path.clone()])))?.is_ok() {
            accepted.insert(path.clone());
        }
    }
    Ok(Ok((accepted, warnings)))
}

fn passes(
    context: &VaultContext,
    proposal: &Proposal,
) -> Result<std::result::Result<Vec<Finding>, Vec<Finding>>> {
    let circles = cycle_findings(context, proposal)?;
    match gate(context, proposal, false) {
        Ok(warnings) if circles.is_empty() => Ok(Ok(warnings)),
        Ok(_) => Ok(Err(circles)),
        Err(Error::Lint { mut findings }) => {
            findings.extend(circles);
            Ok(Err(findings))
        }
        Err(error) => Err(error),
    }
}

/// Commits what was accepted with the generated files, and remembers what was not.
fn finish<'a>(
    context: &VaultContext,
    lock: &FolderLock,
    saved: &mut Saved,
    judged: Judged,
    every: impl Iterator<Item = &'a String>,
) -> Result<()> {
    let accepted = match judged {
        Ok((accepted, warnings)) => {
            saved.findings.clear();
            saved.warnings.extend(warnings.iter().map(ToString::to_string));
            accepted
        }
        Err(findings) => {
            saved.findings = findings;
            BTreeSet::new()
        }
    };
    let mut pending: BTreeSet<String> = every.filter(|path| !accepted.contains(*path)).cloned().collect();
    if !accepted.is_empty() {
        let generated = publish::refresh(context, lock, context.author())?;
        let paths: Vec<String> = accepted.iter().chain(&generated).cloned().collect();
        saved.generated.extend(generated);
        saved.generated.sort();
        saved.generated.dedup();
        match commit::commit(context, lock, &paths, &subject(context, &accepted), context.author(), false) {
            Ok(done) => {
                saved.commit = done.id.or(saved.commit.take());
                saved.warnings.extend(done.left_out.iter().map(not_committed));
                pending.extend(done.left_out.into_iter().map(|found| found.path));
            }
            // It is remembered with its subject, and the next commit makes it.
            Err(warning) => saved.warnings.push(warning),
        }
        saved.paths = accepted.into_iter().collect();
    }
    saved.pending = pending.iter().cloned().collect();
    if remembered(context).refused != pending {
        remember(context, |now| now.refused = pending);
    }
    Ok(())
}

/// Returns why a file is not taken.
fn not_saved(context: &VaultContext, path: &str) -> Option<NotSaved> {
    if context.policy().is_generated(path) {
        return Some(NotSaved::Generated);
    }
    (context.classify(path) == PathClass::Raw).then_some(NotSaved::Raw)
}

/// Fails if one of the paths is neither on disk nor in the last commit.
fn check_known(context: &VaultContext, paths: &BTreeSet<String>) -> Result<()> {
    let missing: Vec<String> =
        paths.iter().filter(|path| context.vault().stamp(path).is_none()).cloned().collect();
    let deleted: BTreeSet<String> = uncommitted(context, &missing)?.into_iter().collect();
    match missing.into_iter().find(|path| !deleted.contains(path)) {
        None => Ok(()),
        Some(path) => Err(Error::BadInput {
            message: format!("there is no file {path}"),
            hint: "pass the path of a file that you edited; `lore capture` writes a note".into(),
        }),
    }
}

/// Returns the files of refused saves that still differ from the last commit.
fn earlier_saves(context: &VaultContext, asked: &BTreeSet<String>) -> Result<BTreeSet<String>> {
    let refused: Vec<String> = remembered(context).refused.into_iter().collect();
    let differing = uncommitted(context, &refused)?;
    Ok(differing.into_iter().filter(|path| !asked.contains(path)).collect())
}

/// Returns those of the paths that differ from the last commit; none without a repository.
fn uncommitted(context: &VaultContext, paths: &[String]) -> Result<Vec<String>> {
    match commit::repo(context) {
        Some(repo) if !paths.is_empty() => {
            let found = repo.uncommitted(Some(paths)).map_err(commit::failed)?;
            Ok(found.into_iter().map(|one| one.path).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Reads the files; `None` for one that was deleted.
fn on_disk<'a>(context: &VaultContext, paths: impl Iterator<Item = &'a String>) -> Result<Proposal> {
    let mut proposal = Proposal::new();
    for path in paths {
        proposal.insert(path.clone(), context.vault().read(path, u64::MAX)?.map(|file| file.bytes));
    }
    Ok(proposal)
}

/// Returns the first line of the commit's message. A deleted file comes last: most often the other one is its new name.
fn subject(context: &VaultContext, paths: &BTreeSet<String>) -> String {
    let edited = paths.iter().find(|path| context.vault().stamp(path).is_some());
    let verb = if edited.is_some() { "Edit" } else { "Delete" };
    let first = edited.or(paths.first()).map(String::as_str).unwrap_or_default();
    match paths.len() {
        0 | 1 => format!("{verb} {first}"),
        more => format!("{verb} {first} and {} more", more - 1),
    }
}
