//! The errors of a port: a variant per decision a caller can make.

use std::io;
use std::path::PathBuf;

use crate::embed::EmbedError;
use crate::text_model::TextModelError;

/// Result of a call to a port.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong in a database or a model.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database was written by a newer Lore.
    #[error("{location} has schema {found}; this version of Lore supports up to {known}")]
    IndexNewer {
        /// Where the database is.
        location: String,
        /// Its schema version.
        found: i64,
        /// The newest version this build supports.
        known: i64,
    },
    /// The database is damaged.
    #[error("{location} is damaged: {message}")]
    IndexBroken {
        /// Where the database is.
        location: String,
        /// What the database reported.
        message: String,
    },
    /// The file at the database's path belongs to another program. It was not changed.
    #[error("{} is not a database of Lore: {reason}", .path.display())]
    ForeignFile {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
    /// The database cannot be written.
    #[error("cannot {doing}: the database is read-only")]
    IndexReadOnly {
        /// The operation in the imperative, to complete "cannot …".
        doing: &'static str,
    },
    /// The open database was deleted, or replaced by another one.
    #[error("{location} was deleted or replaced while it was open")]
    DatabaseReplaced {
        /// Where the database was.
        location: String,
    },
    /// A database operation failed.
    #[error("cannot {doing}: {message}")]
    Index {
        /// The operation in the imperative, to complete "cannot …".
        doing: &'static str,
        /// What the database reported.
        message: String,
        /// Whether a retry may succeed: the disk is full or the database busy.
        transient: bool,
    },
    /// A file of the database could not be created or moved.
    #[error("cannot write {}: {source}", .path.display())]
    DatabaseFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No embedding could be computed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// No text could be generated.
    #[error(transparent)]
    TextModel(#[from] TextModelError),
    /// The caller cancelled the request.
    #[error("the request was cancelled")]
    Cancelled,
    /// The work inside a transaction failed, so it was rolled back; the caller has the reason.
    #[error("the transaction was rolled back")]
    RolledBack,
}
