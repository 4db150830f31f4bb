//! The errors of file access, locking, watching and git. Each names the file.

use std::io;
use std::path::PathBuf;

use crate::git::GitError;
use crate::regular::is_not_a_file;

/// Result of file access.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A path that Lore neither reads nor writes.
    #[error("{path:?} is not a page path: {reason}")]
    BadPath {
        /// The path as given.
        path: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// The file is larger than the policy's limit.
    #[error("{path} has {size} bytes, over the limit of {limit}")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        size: u64,
        /// The policy's limit.
        limit: u64,
    },
    /// A source of an import or a pack is not what it should be. Nothing was changed.
    #[error("cannot read {}: {reason}", .path.display())]
    Source {
        /// The directory or file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file to create is already there.
    #[error("{} already exists", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A directory to create already has files.
    #[error("{} already exists and is not an empty directory", .path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// Another process holds the vault's lock.
    #[error("{} is locked by {holder}", .vault.display())]
    Locked {
        /// The vault's root.
        vault: PathBuf,
        /// The process that holds it.
        holder: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file could not be written. Nothing was changed.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The vault's directory does not exist.
    #[error("the vault directory {} does not exist", .path.display())]
    VaultMissing {
        /// Its root.
        path: PathBuf,
    },
    /// The vault's directory was renamed, unmounted or replaced while it was watched.
    #[error("the vault directory {} was replaced or removed", .path.display())]
    VaultReplaced {
        /// Its root.
        path: PathBuf,
    },
    /// The watcher could not be started.
    #[error("cannot watch {}: {message}", .path.display())]
    Watch {
        /// The vault's root.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A git command failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Error {
    /// Whether there is something that Lore does not read: a symlink that leads out of the vault, a directory, a special
    /// file. Other errors may pass.
    pub fn is_not_a_file(&self) -> bool {
        match self {
            Error::BadPath { .. } => true,
            Error::Read { source, .. } | Error::Write { source, .. } => is_not_a_file(source),
            _ => false,
        }
    }
}
