//! The past of a vault: snapshots from the ledger, commits from git, the vault at a commit; and which vault is meant.

mod commit_view;
mod projects;

pub use commit_view::{OpenStore, Past};
pub use projects::{Chosen, Projects};

use lore_ports::SnapshotRow;
use lore_text::ContentHash;
use lore_text::diff::attribute;
use lore_vault::git::{Commit, Repo};
use lore_vault::is_page_path;

use crate::context::Memory;
use crate::error::{Error, Result};

/// A page's snapshots.
#[derive(Debug)]
pub struct Kept {
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
pub struct Line {
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
pub fn kept(memory: &Memory, reference: &str) -> Result<Kept> {
    let (store, project) = (memory.store(), memory.project());
    let path = match memory.page(reference) {
        Ok(page) => page.path,
        Err(error @ Error::NotFound { .. }) => gone(memory, reference)?.ok_or(error)?,
        Err(error) => return Err(error),
    };
    let there = memory.vault().read(&path, u64::MAX)?.map(|file| ContentHash::of(&file.bytes));
    let author = store.author(project, &path)?.filter(|author| Some(author.hash) == there);
    Ok(Kept {
        version: memory.version_of(&path)?,
        actor: author.map(|author| author.actor),
        snapshots: store.snapshots(project, &path)?,
        path,
    })
}

/// Returns the path of a deleted file or a file that is not a page, if the ledger has snapshots of it.
fn gone(memory: &Memory, reference: &str) -> Result<Option<String>> {
    let plain = reference.strip_prefix("memory://").unwrap_or(reference);
    let plain = memory.policy().alias(plain).unwrap_or_else(|| plain.to_owned());
    let with_extension = if is_page_path(&plain) { plain.clone() } else { format!("{plain}.md") };
    for path in [plain, with_extension] {
        let Ok(path) = memory.vault().file_path(&path) else { continue };
        if !memory.store().snapshots(memory.project(), &path)?.is_empty() {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Returns the bytes of a snapshot.
pub fn snapshot(memory: &Memory, kept: &Kept, number: i64) -> Result<Vec<u8>> {
    let bytes = memory.store().snapshot_bytes(memory.project(), number)?;
    bytes.ok_or_else(|| Error::NotFound {
        reference: format!("{} (snapshot {number})", kept.path),
        suggestions: Vec::new(),
    })
}

/// Returns the commits that changed a page, newest first; none without a repository. If git fails, its reason.
pub fn commits(memory: &Memory, path: &str, limit: usize) -> std::result::Result<Vec<Commit>, String> {
    match Repo::find(memory.vault().root()) {
        Some(repo) => repo.log(path, limit).map_err(|error| format!("cannot list commits: {error}")),
        None => Ok(Vec::new()),
    }
}

/// Returns who wrote each line: from git if it tracks the page, else from the snapshots.
pub fn blame(memory: &Memory, path: &str) -> Result<(&'static str, Vec<Line>)> {
    let by_git = Repo::find(memory.vault().root()).and_then(|repo| repo.blame(path).ok());
    if let Some(lines) = by_git {
        let line = |one: lore_vault::git::BlamedLine| Line {
            number: one.line,
            text: one.text,
            actor: one.actor,
            face: one.face,
            commit: one.commit,
            at: one.at,
        };
        return Ok(("git", lines.into_iter().map(line).collect()));
    }
    by_snapshots(memory, path).map(|lines| ("snapshots", lines))
}

fn by_snapshots(memory: &Memory, path: &str) -> Result<Vec<Line>> {
    let kept = kept(memory, path)?;
    let mut versions: Vec<(String, String)> = Vec::new();
    for row in kept.snapshots.iter().rev() {
        let bytes = snapshot(memory, &kept, row.number)?;
        versions.push((row.actor.clone(), String::from_utf8_lossy(&bytes).into_owned()));
    }
    let now = memory.vault().read(path, u64::MAX)?.map(|file| file.bytes).unwrap_or_default();
    versions.push((kept.actor.unwrap_or_default(), String::from_utf8_lossy(&now).into_owned()));
    let list: Vec<(&str, &str)> =
        versions.iter().map(|(actor, text)| (actor.as_str(), text.as_str())).collect();
    let lines = attribute(&list).into_iter().zip(1..);
    Ok(lines
        .map(|((version, text), number)| Line {
            number,
            text,
            actor: Some(versions[version].0.clone()).filter(|actor| !actor.is_empty()),
            face: None,
            commit: None,
            at: None,
        })
        .collect())
}
