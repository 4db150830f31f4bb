//! The error type of the engine: a variant per decision a caller can make, each with a stable code.

use std::io;
use std::path::PathBuf;

use lore_page::edit::EditError;

use crate::compact::SummaryError;
use crate::embed::EmbedError;
use crate::lint::Finding;
use crate::policy::Lint;

/// Result of the engine and the index.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, naming the file or page.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No page matches the reference.
    #[error("no page matches {reference:?}{}", nearest(.suggestions))]
    NotFound {
        /// The reference as given.
        reference: String,
        /// The nearest slugs, best first.
        suggestions: Vec<String>,
    },
    /// No gap has the id.
    #[error("no gap with id {id}")]
    NoGap {
        /// The id as given.
        id: u64,
    },
    /// More than one page matches the reference.
    #[error("{reference:?} matches {} pages: {}", .candidates.len(), .candidates.join(", "))]
    Ambiguous {
        /// The reference as given.
        reference: String,
        /// The slugs of the matching pages.
        candidates: Vec<String>,
    },
    /// Invalid input.
    #[error("{message}")]
    BadInput {
        /// What is wrong with the input.
        message: String,
        /// What to write instead.
        hint: String,
    },
    /// A path that Lore neither reads nor writes.
    #[error("{path:?} is not a page path: {reason}")]
    BadPath {
        /// The path as given.
        path: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// The page changed since the caller read it.
    #[error("{}", conflict(.slug, *.expected, *.current))]
    Conflict {
        /// The page.
        slug: String,
        /// The version the caller expected; 0 for a new page.
        expected: u64,
        /// The page's current version; 0 when it does not exist.
        current: u64,
    },
    /// The page already exists.
    #[error("{path} already exists")]
    Exists {
        /// Its path.
        path: String,
    },
    /// The policy forbids it.
    #[error("the policy does not allow {verb} on {path} ({rule})")]
    Denied {
        /// The path.
        path: String,
        /// The verb.
        verb: &'static str,
        /// The rule that forbids it.
        rule: String,
    },
    /// The page, or the vault, would be invalid.
    #[error("{}", refused(.findings))]
    Lint {
        /// The findings that are errors.
        findings: Vec<Finding>,
    },
    /// Two intervals that must not overlap would share a day.
    #[error("{slug}: `{new}` would overlap `{old}` on line {line}")]
    Overlap {
        /// The page.
        slug: String,
        /// The line to be written.
        new: String,
        /// The existing line.
        old: String,
        /// Line number of the existing line.
        line: u32,
        /// How to resolve it.
        way_out: String,
    },
    /// No link has this id.
    #[error("no link {what}")]
    NoLink {
        /// The link as given.
        what: String,
    },
    /// The remote and the vault have diverged.
    #[error(
        "the vault and {upstream} have diverged: {ahead} commits here, {behind} there; nothing was changed"
    )]
    Diverged {
        /// The remote branch.
        upstream: String,
        /// Commits that only the vault has.
        ahead: u64,
        /// Commits that only the remote has.
        behind: u64,
    },
    /// The work tree has changes that Lore did not make.
    #[error("{} uncommitted changes made outside Lore: {}; nothing was changed", files(.paths.len()), first_few(.paths))]
    Dirty {
        /// The files.
        paths: Vec<String>,
    },
    /// git failed.
    #[error("{message}")]
    Git {
        /// What git reported.
        message: String,
    },
    /// No embedding could be computed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A cluster changed after it was planned.
    #[error("cluster {cluster} changed since it was planned: {why}")]
    PlanChanged {
        /// Its id.
        cluster: String,
        /// What changed.
        why: String,
    },
    /// No summary could be made.
    #[error(transparent)]
    Summary(#[from] SummaryError),
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
    /// The file is not UTF-8, so its text cannot be edited without changing other bytes.
    #[error("{path} is not UTF-8, so it can be read and replaced but not edited in place")]
    NotUtf8 {
        /// The file.
        path: String,
    },
    /// The edit does not apply to the page.
    #[error("{slug}: {source}")]
    Edit {
        /// The page.
        slug: String,
        /// Why.
        source: EditError,
    },
    /// Another process holds the vault's lock.
    #[error("{} is locked by {holder}", .vault.display())]
    Locked {
        /// The vault's root.
        vault: PathBuf,
        /// The process that holds it.
        holder: String,
    },
    /// The caller cancelled the request.
    #[error("the request was cancelled")]
    Cancelled,
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
    /// A `lore.toml` or `config.toml` that cannot be read.
    #[error("{}{}: {message}", .path.display(), .line.map(|line| format!(":{line}")).unwrap_or_default())]
    Config {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
    },
    /// No project has that name.
    #[error("no vault named {name:?}")]
    UnknownProject {
        /// The name as given.
        name: String,
        /// The names of all projects.
        known: Vec<String>,
    },
    /// No project is selected, and there is not exactly one.
    #[error("{}", if .known.is_empty() { "no vault is registered yet" } else { "several vaults are registered and none is selected" })]
    NoProject {
        /// The names of all projects.
        known: Vec<String>,
    },
    /// The vault's directory does not exist.
    #[error("the vault directory {} does not exist", .path.display())]
    VaultMissing {
        /// Its root.
        path: PathBuf,
    },
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
    /// The watcher could not be started.
    #[error("cannot watch {}: {message}", .path.display())]
    Watch {
        /// The vault's root.
        path: PathBuf,
        /// Why.
        message: String,
    },
}

/// The stable name of a kind of error. Agents branch on it; the faces map it to their own status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// No such page.
    NotFound,
    /// More than one page matches.
    Ambiguous,
    /// Invalid input.
    Usage,
    /// The page changed in the meantime.
    Conflict,
    /// It already exists.
    Exists,
    /// Forbidden by policy or by path.
    Denied,
    /// An invalid page, or a credential in it.
    Lint,
    /// The state of git's work tree or remote prevents it.
    Diverged,
    /// git failed.
    Git,
    /// A model cannot be used or does not answer.
    Model,
    /// Over a limit.
    TooLarge,
    /// An edit that does not apply to the page.
    Edit,
    /// Another process is writing.
    Locked,
    /// The caller cancelled the request.
    Cancelled,
    /// A file system error.
    Io,
    /// A configuration file that cannot be read.
    Config,
    /// No such project, or no vault.
    NoVault,
    /// The index failed, or is too new.
    Index,
    /// The index is damaged.
    IndexBroken,
}

impl Code {
    /// All codes, in the order of the published table.
    pub const ALL: [Code; 19] = [
        Code::NotFound,
        Code::Ambiguous,
        Code::Usage,
        Code::Conflict,
        Code::Exists,
        Code::Denied,
        Code::Lint,
        Code::Diverged,
        Code::Git,
        Code::Model,
        Code::TooLarge,
        Code::Edit,
        Code::Locked,
        Code::Cancelled,
        Code::Io,
        Code::Config,
        Code::NoVault,
        Code::Index,
        Code::IndexBroken,
    ];

    /// The name that appears in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Code::NotFound => "not_found",
            Code::Ambiguous => "ambiguous",
            Code::Usage => "usage",
            Code::Conflict => "conflict",
            Code::Exists => "exists",
            Code::Denied => "denied",
            Code::Lint => "lint",
            Code::Diverged => "diverged",
            Code::Git => "git",
            Code::Model => "model",
            Code::TooLarge => "too_large",
            Code::Edit => "edit",
            Code::Locked => "locked",
            Code::Cancelled => "cancelled",
            Code::Io => "io",
            Code::Config => "config",
            Code::NoVault => "no_vault",
            Code::Index => "index",
            Code::IndexBroken => "index_broken",
        }
    }
}

impl Error {
    /// The error's stable code.
    pub fn code(&self) -> Code {
        match self {
            Error::NotFound { .. } | Error::NoLink { .. } | Error::NoGap { .. } => Code::NotFound,
            Error::Ambiguous { .. } => Code::Ambiguous,
            Error::BadInput { .. } => Code::Usage,
            Error::BadPath { .. } | Error::Denied { .. } => Code::Denied,
            Error::Lint { .. } | Error::Overlap { .. } => Code::Lint,
            Error::Diverged { .. } | Error::Dirty { .. } => Code::Diverged,
            Error::Git { .. } => Code::Git,
            Error::Embed(_) | Error::Summary(_) => Code::Model,
            Error::Conflict { .. } | Error::PlanChanged { .. } => Code::Conflict,
            Error::Exists { .. } => Code::Exists,
            Error::TooLarge { .. } => Code::TooLarge,
            Error::NotUtf8 { .. } | Error::Edit { .. } => Code::Edit,
            Error::Locked { .. } => Code::Locked,
            Error::Cancelled => Code::Cancelled,
            Error::Read { .. } | Error::Write { .. } | Error::Watch { .. } => Code::Io,
            Error::Config { .. } => Code::Config,
            Error::UnknownProject { .. } | Error::NoProject { .. } | Error::VaultMissing { .. } => {
                Code::NoVault
            }
            Error::IndexNewer { .. } | Error::Index { .. } => Code::Index,
            Error::IndexBroken { .. } => Code::IndexBroken,
        }
    }

    /// Returns what to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::NotFound { suggestions, .. } if suggestions.is_empty() => {
                "find it with `lore search`, or list pages with `lore list`".into()
            }
            Error::NotFound { .. } => "use one of these, or find the page with `lore search`".into(),
            Error::NoLink { .. } => "list a page's links and their ids with `lore links REF`".into(),
            Error::Overlap { way_out, .. } => format!("{way_out}; nothing was changed"),
            Error::NoGap { .. } => "list gaps and their ids with `lore gaps --resolved`".into(),
            Error::Ambiguous { .. } => "use the full slug".into(),
            Error::BadInput { hint, .. } => hint.clone(),
            Error::BadPath { .. } => "use a path inside the vault, such as people/ada-lovelace".into(),
            Error::Conflict { expected: 0, .. } => {
                "change it with `lore edit`, or choose another slug".into()
            }
            Error::Conflict { current: 0, .. } => "omit the version to create the page".into(),
            Error::Conflict { .. } => {
                "read the page again, merge, and write with its current version".into()
            }
            Error::Exists { .. } => "choose another name, or change the page with `lore edit`".into(),
            Error::Denied { path, .. } => {
                format!("see what is allowed there with `lore doctor --path {path}`; nothing was changed")
            }
            Error::Lint { findings } if findings.iter().any(|found| found.lint == Lint::Secret) => {
                "store the secret elsewhere and write its location instead; nothing was changed".into()
            }
            Error::Lint { .. } => "fix it and retry; nothing was changed".into(),
            Error::Diverged { .. } => {
                "merge them with git (`git pull --rebase`) and retry".into()
            }
            Error::Dirty { .. } => {
                "commit them with `lore git commit`, or revert them, and retry".into()
            }
            Error::Git { .. } => "see `lore git status`".into(),
            Error::Embed(EmbedError::Model { .. }) => {
                "list models with `lore model list` and switch with `lore model use`; full-text search still works".into()
            }
            Error::Embed(EmbedError::Unavailable { .. }) => {
                "pending chunks stay queued: run `lore embed` when it is available again".into()
            }
            Error::Embed(EmbedError::Wrong { .. }) => {
                "check the model name and the endpoint with `lore model list`".into()
            }
            Error::PlanChanged { .. } => {
                "read the new plan with `lore compact --plan` and summarize again; the cluster was not changed"
                    .into()
            }
            Error::Summary(_) => {
                "see its prompt with `lore compact --plan`, fix its settings (`lore config list`), or use \
                 `--summarizer extractive`; the cluster was not changed"
                    .into()
            }
            Error::TooLarge { .. } => {
                "split the file, or raise limits.page_bytes in the vault's lore.toml".into()
            }
            Error::NotUtf8 { .. } => {
                "convert the file to UTF-8 first, or replace it with `lore put`".into()
            }
            Error::Edit { .. } => {
                "read the page with `lore show` and retry the edit; nothing was changed".into()
            }
            Error::Locked { .. } => "retry when it has finished; the lock is released when its process exits".into(),
            Error::Cancelled => "retry: it resumes from the work already done".into(),
            Error::Read { source, .. } | Error::Write { source, .. } => io_hint(source).into(),
            Error::Config { .. } => "fix the file; nothing was changed".into(),
            Error::UnknownProject { known, .. } | Error::NoProject { known } if known.is_empty() => {
                "create a vault with `lore init PATH`".into()
            }
            Error::UnknownProject { known, .. } | Error::NoProject { known } => {
                format!("select one with --project: {}", known.join(", "))
            }
            Error::VaultMissing { .. } => {
                "restore the directory, or unregister the vault with `lore project remove NAME`".into()
            }
            Error::IndexNewer { .. } => "update Lore, or use another database with --db".into(),
            Error::IndexBroken { .. } => {
                "run the command again: the index is rebuilt from your files".into()
            }
            Error::Index { transient: true, .. } => {
                "retry in a moment, and check that the disk has space".into()
            }
            Error::Index { .. } => "run `lore doctor`".into(),
            Error::Watch { .. } => {
                "run `lore sync` without --watch, or raise the system's limit on file watches".into()
            }
        }
    }
}

fn io_hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "check the file's owner and permissions; nothing was changed"
        }
        io::ErrorKind::StorageFull => "free some disk space and retry; nothing was changed",
        io::ErrorKind::NotFound => "check the path",
        _ => "check the disk and the path, and retry",
    }
}

fn conflict(slug: &str, expected: u64, current: u64) -> String {
    match (expected, current) {
        (0, _) => format!("{slug} already exists at version {current}"),
        (_, 0) => format!("{slug} does not exist, so it is not at version {expected}"),
        _ => format!("{slug} is at version {current}, not {expected}"),
    }
}

/// Maximum number of findings listed after the first.
const SHOWN: usize = 30;

/// Formats the findings that blocked a write; of very many, the first.
fn refused(findings: &[Finding]) -> String {
    match findings {
        [] => "the page is invalid".into(),
        [one] => one.to_string(),
        [first, rest @ ..] => {
            let rest: Vec<String> = rest.iter().take(SHOWN).map(ToString::to_string).collect();
            let more = findings.len() - 1 - rest.len();
            let more = if more > 0 { format!("; and {more} more, see `lore lint`") } else { String::new() };
            format!("{first}; {}{more}", rest.join("; "))
        }
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file has".into() } else { format!("{count} files have") }
}

fn first_few(paths: &[String]) -> String {
    let shown = paths.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if paths.len() > 3 { format!("{shown} …") } else { shown }
}

fn nearest(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        some => format!("; did you mean one of {}?", some.join(", ")),
    }
}
