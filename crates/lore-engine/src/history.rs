//! The past of a vault: snapshots from the ledger, commits from git, the vault at a commit; and which vault is meant.

mod commit_view;
mod projects;
mod truth;

pub use commit_view::{CommitView, OpenStore};
pub use projects::{Chosen, Mapping, Projects};
pub use truth::{TruthChange, truth_change};

use lore_ports::SnapshotRow;
use lore_text::ContentHash;
use lore_text::diff::attribute;
use lore_vault::git::Commit;
use lore_vault::is_page_path;

use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::without_scheme;

/// A page's snapshots.
#[derive(Debug)]
pub struct PageSnapshots {
    /// Its path.
    pub path: String,
    /// Its current version; 0 when it is gone.
    pub version: u64,
    /// Who last wrote it through Lore; `None` when it was edited outside Lore since.
    pub actor: Option<String>,
    /// Newest first.
    pub snapshots: Vec<SnapshotRow>,
}

/// A line and its author.
#[derive(Debug)]
pub struct LineAuthor {
    /// Line number, from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// Who wrote it, if known.
    pub actor: Option<String>,
    /// The face it was written through.
    pub face: Option<String>,
    /// The commit that introduced it.
    pub commit: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub at: Option<i64>,
}

/// Returns the snapshots of the referenced page. A deleted page is named by its path.
pub fn kept(context: &VaultContext, reference: &str) -> Result<PageSnapshots> {
    match kept_to_restore(context, reference) {
        Err(Error::NotFound { .. }) => of_path(context, context.page(reference)?.path),
        kept => kept,
    }
}

/// Returns the snapshots of a page that will be restored: nothing is guessed.
pub fn kept_to_restore(context: &VaultContext, reference: &str) -> Result<PageSnapshots> {
    let path = match context.page_to_remove(reference) {
        Ok(page) => page.path,
        Err(error @ Error::NotFound { .. }) => gone(context, reference)?.ok_or(error)?,
        Err(error) => return Err(error),
    };
    of_path(context, path)
}

fn of_path(context: &VaultContext, path: String) -> Result<PageSnapshots> {
    let (store, project) = (context.store(), context.project());
    let there = context.vault().read(&path, u64::MAX)?.map(|file| ContentHash::of(&file.bytes));
    let author = store.author(project, &path)?.filter(|author| Some(author.hash) == there);
    Ok(PageSnapshots {
        version: context.version_of(&path)?,
        actor: author.map(|author| author.actor),
        snapshots: store.snapshots(project, &path)?,
        path,
    })
}

/// Returns the path of a deleted file or a file that is not a page, if the ledger has snapshots of it.
fn gone(context: &VaultContext, reference: &str) -> Result<Option<String>> {
    let plain = without_scheme(reference);
    let plain = context.policy().alias(plain).unwrap_or_else(|| plain.to_owned());
    let mut paths = vec![plain.clone()];
    if !is_page_path(&plain) {
        paths.extend(["md", "org"].map(|extension| format!("{plain}.{extension}")));
    }
    for path in paths {
        let Ok(path) = context.vault().file_path(&path) else { continue };
        if !context.store().snapshots(context.project(), &path)?.is_empty() {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Returns the bytes of a snapshot.
pub fn snapshot(context: &VaultContext, kept: &PageSnapshots, number: i64) -> Result<Vec<u8>> {
    let bytes = context.store().snapshot_bytes(context.project(), number)?;
    bytes.ok_or_else(|| Error::NotFound {
        reference: format!("{} (snapshot {number})", kept.path),
        suggestions: Vec::new(),
    })
}

/// Returns the commits that changed a page, newest first; none without a repository. If git fails, its reason.
pub fn commits(context: &VaultContext, path: &str, limit: usize) -> std::result::Result<Vec<Commit>, String> {
    match context.repo() {
        Some(repo) => repo.log(path, limit).map_err(|error| format!("cannot list commits: {error}")),
        None => Ok(Vec::new()),
    }
}

/// Returns who wrote each line: from git if it tracks the page, else from the snapshots.
pub fn blame(context: &VaultContext, path: &str) -> Result<(&'static str, Vec<LineAuthor>)> {
    let by_git = context.repo().and_then(|repo| repo.blame(path).ok());
    if let Some(lines) = by_git {
        let line = |one: lore_vault::git::BlamedLine| LineAuthor {
            number: one.line,
            text: one.text,
            actor: one.actor,
            face: one.face,
            commit: one.commit,
            at: one.at,
        };
        return Ok(("git", lines.into_iter().map(line).collect()));
    }
    by_snapshots(context, path).map(|lines| ("snapshots", lines))
}

fn by_snapshots(context: &VaultContext, path: &str) -> Result<Vec<LineAuthor>> {
    let kept = kept(context, path)?;
    let mut versions: Vec<(String, String)> = Vec::new();
    for row in kept.snapshots.iter().rev() {
        let bytes = snapshot(context, &kept, row.number)?;
        versions.push((row.actor.clone(), String::from_utf8_lossy(&bytes).into_owned()));
    }
    let now = context.vault().read(path, u64::MAX)?.map(|file| file.bytes).unwrap_or_default();
    versions.push((kept.actor.unwrap_or_default(), String::from_utf8_lossy(&now).into_owned()));
    let list: Vec<(&str, &str)> =
        versions.iter().map(|(actor, text)| (actor.as_str(), text.as_str())).collect();
    let lines = attribute(&list).into_iter().zip(1..);
    Ok(lines
        .map(|((version, text), number)| LineAuthor {
            number,
            text,
            actor: Some(versions[version].0.clone()).filter(|actor| !actor.is_empty()),
            face: None,
            commit: None,
            at: None,
        })
        .collect())
}
