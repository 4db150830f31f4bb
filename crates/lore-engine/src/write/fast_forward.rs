//! Fast-forwards the branch to its upstream. git checks that a file is unchanged and replaces it a moment later; what an
//! editor writes to the file in that moment, or to the old file that it still has open, is kept as a snapshot.
//!
//! One gap remains, which only git could close: a program that puts another file in place of the old one within that
//! moment, instead of writing to it.

use lore_text::ContentHash;
use lore_vault::Staging;
use lore_vault::fault::fault;
use lore_vault::git::{GitError, Repo};
use uuid::Uuid;

use super::rescue::{hash_at, keep, warning};
use crate::context::VaultContext;
use crate::error::Result;

/// The result of a fast-forward.
#[derive(Debug, Default)]
pub struct FastForward {
    /// Whether anything changed.
    pub moved: bool,
    /// Warnings about edits that are kept as snapshots.
    pub warnings: Vec<String>,
}

/// A file that git is about to replace or delete, kept as a link.
struct KeptFile {
    number: usize,
    path: String,
    hash: ContentHash,
}

/// Fast-forwards the branch and the files. The vault's lock is held.
pub(super) fn fast_forward(context: &VaultContext, repo: &Repo) -> Result<FastForward> {
    let failed = |error: GitError| super::commit::failed(error);
    let paths = repo.incoming().map_err(failed)?;
    let staging = context.vault().stage(&Uuid::now_v7().to_string())?;
    let kept: Vec<KeptFile> =
        paths.into_iter().enumerate().filter_map(|(number, path)| link(&staging, number, path)).collect();
    let moved = repo.fast_forward();
    fault("fast-forwarded");
    let mut warnings = Vec::new();
    for file in kept {
        let Some(bytes) = staging.old(file.number)? else { continue };
        let hash = ContentHash::of(&bytes);
        if hash != file.hash && Some(hash) != hash_at(context, &file.path) {
            keep(context, &file.path, &bytes, file.hash)?;
            warnings.push(warning(&file.path));
        }
    }
    staging.end()?;
    Ok(FastForward { moved: moved.map_err(failed)?, warnings })
}

/// Keeps a file. One that cannot be read is left to git.
fn link(staging: &Staging, number: usize, path: String) -> Option<KeptFile> {
    staging.keep(number, &path).ok()?;
    let hash = ContentHash::of(&staging.old(number).ok()??);
    Some(KeptFile { number, path, hash })
}
