//! One error for the whole of Lore: a variant per decision a caller can make, each with a stable code.

use std::io;
use std::path::PathBuf;

use lore_page::edit::EditError;

use crate::compact::SummaryError;
use crate::embed::EmbedError;
use crate::lint::Finding;
use crate::policy::Lint;

/// What the engine and the index return.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, to which file or page.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No page answers to the reference.
    #[error("no page is called {reference:?}{}", nearest(.suggestions))]
    NotFound {
        /// What was asked for.
        reference: String,
        /// The nearest slugs, best first.
        suggestions: Vec<String>,
    },
    /// No gap has the id.
    #[error("no gap has the id {id}")]
    NoGap {
        /// What was asked for.
        id: u64,
    },
    /// More than one page answers to the reference.
    #[error("{reference:?} means {} pages: {}", .candidates.len(), .candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        reference: String,
        /// The slugs it could mean.
        candidates: Vec<String>,
    },
    /// The caller's words cannot be acted on.
    #[error("{message}")]
    BadInput {
        /// What is wrong with them.
        message: String,
        /// What to write instead.
        hint: String,
    },
    /// A path that Lore does not write to or read from.
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
        /// What the caller expected.
        expected: u64,
        /// What the page is at; 0 when there is no page.
        current: u64,
    },
    /// There is a page already.
    #[error("{path} exists already")]
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
        /// The rule that says so.
        rule: String,
    },
    /// The page, or the vault, would not be valid.
    #[error("{}", refused(.findings))]
    Lint {
        /// What is wrong, the errors only.
        findings: Vec<Finding>,
    },
    /// Two intervals that may not, would share a day.
    #[error("{slug}: `{new}` would overlap `{old}` on line {line}")]
    Overlap {
        /// The page.
        slug: String,
        /// What was to be written.
        new: String,
        /// What is there.
        old: String,
        /// Where it stands.
        line: u32,
        /// What to do about it.
        way_out: String,
    },
    /// No link has this id.
    #[error("there is no link {what}")]
    NoLink {
        /// What was asked for.
        what: String,
    },
    /// The remote and the vault have gone different ways.
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
    /// The work tree has changes that are not Lore's.
    #[error("{} changed outside Lore and not committed: {}; nothing was changed", files(.paths.len()), first_few(.paths))]
    Dirty {
        /// The files.
        paths: Vec<String>,
    },
    /// git said no.
    #[error("{message}")]
    Git {
        /// What it said.
        message: String,
    },
    /// There is no vector to be had.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A cluster is not the one that was planned.
    #[error("cluster {cluster} is not what was planned: {why}")]
    PlanChanged {
        /// Its id.
        cluster: String,
        /// What became of it.
        why: String,
    },
    /// There is no summary to be had.
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
    /// An edit that does not fit the page.
    #[error("{slug}: {source}")]
    Edit {
        /// The page.
        slug: String,
        /// Why.
        source: EditError,
    },
    /// Another process holds the vault.
    #[error("{} is being written by {holder}", .vault.display())]
    Locked {
        /// The vault's root.
        vault: PathBuf,
        /// Who holds it.
        holder: String,
    },
    /// Nobody waits for the answer any more.
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
    /// No project of that name.
    #[error("no project is called {name:?}")]
    UnknownProject {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// It is not clear which project is meant.
    #[error("{}", if .known.is_empty() { "there is no vault yet" } else { "more than one project, and none is chosen" })]
    NoProject {
        /// The names there are.
        known: Vec<String>,
    },
    /// The vault's directory is gone.
    #[error("the vault {} is not there", .path.display())]
    VaultMissing {
        /// Its root.
        path: PathBuf,
    },
    /// The database was made by a newer Lore.
    #[error("{location} has schema {found}; this Lore knows up to {known}")]
    IndexNewer {
        /// Where the database is.
        location: String,
        /// Its schema version.
        found: i64,
        /// The newest version this build knows.
        known: i64,
    },
    /// The database is damaged.
    #[error("{location} is damaged: {message}")]
    IndexBroken {
        /// Where the database is.
        location: String,
        /// What the database said.
        message: String,
    },
    /// The database refused an operation.
    #[error("the index failed while it {doing}: {message}")]
    Index {
        /// What was being done, to complete "while it …".
        doing: &'static str,
        /// What the database said.
        message: String,
        /// Whether the disk is full or the database busy: a later try may succeed.
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
    /// More than one page.
    Ambiguous,
    /// Words that cannot be acted on.
    Usage,
    /// The page changed meanwhile.
    Conflict,
    /// There is one already.
    Exists,
    /// Forbidden by policy or by path.
    Denied,
    /// Not a valid page, or a credential in it.
    Lint,
    /// git's work tree or remote is in the way.
    Diverged,
    /// git failed.
    Git,
    /// A model cannot be used, or does not answer.
    Model,
    /// Over a limit.
    TooLarge,
    /// An edit that does not fit the page.
    Edit,
    /// Another process is writing.
    Locked,
    /// Nobody waits for the answer any more.
    Cancelled,
    /// The file system said no.
    Io,
    /// A configuration that cannot be read.
    Config,
    /// No such project, or no vault.
    NoVault,
    /// The index refused, or is too new.
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

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::NotFound { suggestions, .. } if suggestions.is_empty() => {
                "look for it with `lore search`, or list the pages with `lore list`".into()
            }
            Error::NotFound { .. } => "use a name that is there, or look for it with `lore search`".into(),
            Error::NoLink { .. } => "`lore links REF` lists the links of a page with their ids".into(),
            Error::Overlap { way_out, .. } => format!("{way_out}; nothing was changed"),
            Error::NoGap { .. } => "see `lore gaps --resolved` for their ids".into(),
            Error::Ambiguous { .. } => "give the whole slug".into(),
            Error::BadInput { hint, .. } => hint.clone(),
            Error::BadPath { .. } => "give a path inside the vault, such as people/ada-lovelace".into(),
            Error::Conflict { expected: 0, .. } => {
                "change it with `lore edit`, or choose another slug".into()
            }
            Error::Conflict { current: 0, .. } => "leave the version out to make the page".into(),
            Error::Conflict { .. } => {
                "read the page again, merge, and write with the version it has now".into()
            }
            Error::Exists { .. } => "choose another name, or change the page with `lore edit`".into(),
            Error::Denied { path, .. } => {
                format!("see what may be done there with `lore doctor --path {path}`; nothing was changed")
            }
            Error::Lint { findings } if findings.iter().any(|found| found.lint == Lint::Secret) => {
                "keep the secret elsewhere and write where it is kept; nothing was changed".into()
            }
            Error::Lint { .. } => "mend it and write again; nothing was changed".into(),
            Error::Diverged { .. } => {
                "bring them together in git (`git pull --rebase`), then write again".into()
            }
            Error::Dirty { .. } => {
                "commit them with `lore git commit`, or put them back, then write again".into()
            }
            Error::Git { .. } => "see `lore git status`".into(),
            Error::Embed(EmbedError::Model { .. }) => {
                "see `lore model list`, and choose another with `lore model use`; search by words works without".into()
            }
            Error::Embed(EmbedError::Unavailable { .. }) => {
                "what waits stays in the queue: run `lore embed` when it answers again".into()
            }
            Error::Embed(EmbedError::Wrong { .. }) => {
                "check the model's name and the endpoint with `lore model list`".into()
            }
            Error::PlanChanged { .. } => {
                "read the plan again with `lore compact --plan`, and write its summary anew; nothing of it was changed"
                    .into()
            }
            Error::Summary(_) => {
                "see what it is told with `lore compact --plan`, mend its settings (`lore config list`), or use \
                 `--summarizer extractive`; the cluster is as it was"
                    .into()
            }
            Error::TooLarge { .. } => {
                "split the file, or raise limits.page_bytes in the vault's lore.toml".into()
            }
            Error::NotUtf8 { .. } => {
                "convert the file to UTF-8 first, or replace it whole with `lore put`".into()
            }
            Error::Edit { .. } => {
                "see the page with `lore show`, then give the edit again; nothing was changed".into()
            }
            Error::Locked { .. } => "try again when it has finished; the lock goes with its process".into(),
            Error::Cancelled => "ask again: it goes on from what was done before".into(),
            Error::Read { source, .. } | Error::Write { source, .. } => io_hint(source).into(),
            Error::Config { .. } => "correct the file; nothing was changed".into(),
            Error::UnknownProject { known, .. } | Error::NoProject { known } if known.is_empty() => {
                "make a vault with `lore init PATH`".into()
            }
            Error::UnknownProject { known, .. } | Error::NoProject { known } => {
                format!("choose one with --project: {}", known.join(", "))
            }
            Error::VaultMissing { .. } => {
                "put the directory back, or forget the vault with `lore project remove NAME`".into()
            }
            Error::IndexNewer { .. } => "update Lore, or name another database with --db".into(),
            Error::IndexBroken { .. } => {
                "run the command again: the index is made anew from your files".into()
            }
            Error::Index { transient: true, .. } => {
                "try again in a moment; check that the disk has space".into()
            }
            Error::Index { .. } => "run `lore doctor`".into(),
            Error::Watch { .. } => {
                "run `lore sync` without --watch, or raise the system's limit of watches".into()
            }
        }
    }
}

fn io_hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "check the file's owner and permissions; nothing was changed"
        }
        io::ErrorKind::StorageFull => "free some space on the disk and try again; nothing was changed",
        io::ErrorKind::NotFound => "check the path",
        _ => "check the disk and the path, then try again",
    }
}

fn conflict(slug: &str, expected: u64, current: u64) -> String {
    match (expected, current) {
        (0, _) => format!("{slug} exists already, at version {current}"),
        (_, 0) => format!("there is no page {slug}, so it is not at version {expected}"),
        _ => format!("{slug} is at version {current}, not {expected}"),
    }
}

/// How many findings a refusal names after the first.
const SHOWN: usize = 30;

/// The findings that stand in the way; of very many, the first.
fn refused(findings: &[Finding]) -> String {
    match findings {
        [] => "the page is not valid".into(),
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
    if count == 1 { "1 file is".into() } else { format!("{count} files are") }
}

fn first_few(paths: &[String]) -> String {
    let shown = paths.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if paths.len() > 3 { format!("{shown} …") } else { shown }
}

fn nearest(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        [one] => format!("; the nearest is {one}"),
        some => format!("; the nearest are {}", some.join(", ")),
    }
}
