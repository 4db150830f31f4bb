//! The error type of the engine: a variant per decision a caller can make, each with a stable code.

mod code;

use std::path::PathBuf;

use lore_page::edit::EditError;
use lore_ports::{EmbedError, TextModelError};
use lore_text::NotATimeframe;
use lore_vault::git::GitError;

use crate::policy::Finding;

pub use code::Code;

/// Result of the engine and the index.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, naming the file or page.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A database or a model failed.
    #[error(transparent)]
    Port(#[from] lore_ports::Error),
    /// A file, the lock, the watcher or git failed.
    #[error(transparent)]
    Vault(#[from] lore_vault::Error),
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
    /// Somebody edited files of a change while it was being made.
    #[error("{} while the change was being made: {}; the change was rolled back", were_edited(.paths.len()), first_few(.paths))]
    EditedMeanwhile {
        /// The files.
        paths: Vec<String>,
    },
    /// A file of an interrupted write cannot be read, so it is not known whether the write can be completed.
    #[error("an interrupted write cannot be recovered: {source}")]
    Unrecovered {
        /// The file.
        source: lore_vault::Error,
    },
    /// The page already exists.
    #[error("{path} already exists")]
    Exists {
        /// Its path.
        path: String,
    },
    /// A new file would take the slug of a page.
    #[error("{path} would take the slug {slug} from {holder}")]
    SlugTaken {
        /// The new file.
        path: String,
        /// The slug.
        slug: String,
        /// The file of the page that has it.
        holder: String,
    },
    /// Nobody has trusted the vault, or only for reading.
    #[error("the vault {} is not trusted: {why}", .path.display())]
    Untrusted {
        /// Its directory.
        path: PathBuf,
        /// What is known about it.
        why: String,
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
    /// An edit of the page must name its section.
    #[error("an edit of {path} must name its section: {}", .sections.join(", "))]
    SectionNeeded {
        /// The path.
        path: String,
        /// The sections of the page.
        sections: Vec<String>,
    },
    /// Text can only be added to the section.
    #[error("the section {section:?} of {path} is append-only: its text must stay as it is")]
    AppendOnly {
        /// The path.
        path: String,
        /// The section.
        section: String,
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
        /// Id of the existing link; none: the line is a fact.
        link: Option<u64>,
    },
    /// Pages would supersede each other, so that none of them is current.
    #[error("{}", cycle(.pages))]
    SupersessionCycle {
        /// Slugs of the pages.
        pages: Vec<String>,
    },
    /// No link has this id.
    #[error("no link {what}")]
    NoLink {
        /// The link as given.
        what: String,
    },
    /// The link has no interval, so it cannot be ended.
    #[error("link {id} ({path}:{line}) is {place}, which has no interval")]
    NoInterval {
        /// Id of the link.
        id: u64,
        /// The file.
        path: String,
        /// The line, from 1.
        line: u32,
        /// Where the link is.
        place: &'static str,
    },
    /// No cluster of stale pages has this id.
    #[error("no cluster has the id {id:?}")]
    NoCluster {
        /// The id as given.
        id: String,
    },
    /// A compacted page gets no other status.
    #[error("{slug} is compacted{} and cannot become {wanted}", .into.as_ref().map(|into| format!(" into {into}")).unwrap_or_default())]
    Compacted {
        /// The page.
        slug: String,
        /// Its summary, if it names one.
        into: Option<String>,
        /// The status as given.
        wanted: String,
    },
    /// There is no repository to commit to.
    #[error("the vault is not in a git repository, or its policy disables commits")]
    NoRepository,
    /// There is no remote to push to or pull from.
    #[error("{message}")]
    NoRemote {
        /// What is missing.
        message: String,
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
    /// A cluster changed after it was planned.
    #[error("cluster {cluster} changed since it was planned: {why}")]
    PlanChanged {
        /// Its id.
        cluster: String,
        /// What changed.
        why: String,
    },
    /// The file is not UTF-8, so its text cannot be edited without changing other bytes.
    #[error("{path} is not UTF-8, so it can be read and replaced but not edited in place")]
    NotUtf8 {
        /// The file.
        path: String,
    },
    /// git failed.
    #[error("{message}")]
    Git {
        /// What git reported.
        message: String,
    },
    /// The edit does not apply to the page.
    #[error("{slug}: {source}")]
    Edit {
        /// The page.
        slug: String,
        /// Why.
        source: EditError,
    },
    /// An invalid policy file, without which it is not known what the vault allows.
    #[error("{}{}: {message}", .path.display(), .line.map(|line| format!(":{line}")).unwrap_or_default())]
    Policy {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
    },
    /// A configuration file that is not part of a vault and is invalid.
    #[error("{}{}: {message}", .path.display(), .line.map(|line| format!(":{line}")).unwrap_or_default())]
    Config {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
    },
    /// The policy file of a vault that had one is gone. Without it everything would be allowed.
    #[error("{} is missing, and the vault had one", .path.display())]
    PolicyMissing {
        /// The file.
        path: PathBuf,
    },
    /// A vault that had pages has none left, and no policy file shows that it is the same vault.
    #[error("the vault {} is empty, but had {}", .path.display(), if *.pages == 1 { "1 page".into() } else { format!("{} pages", .pages) })]
    VaultEmpty {
        /// Its root.
        path: PathBuf,
        /// Number of indexed pages.
        pages: usize,
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
}

fn cycle(pages: &[String]) -> String {
    match pages {
        [one] => format!("{one} would supersede itself"),
        _ => format!("{} would supersede each other, so none of them would be current", pages.join(", ")),
    }
}

impl Error {
    /// The error's stable code.
    pub fn code(&self) -> Code {
        match self {
            Error::NotFound { .. } | Error::NoLink { .. } | Error::NoGap { .. } => Code::NotFound,
            Error::Ambiguous { .. } => Code::Ambiguous,
            Error::BadInput { .. }
            | Error::NoInterval { .. }
            | Error::NoCluster { .. }
            | Error::Compacted { .. }
            | Error::NoRepository
            | Error::NoRemote { .. } => Code::Usage,
            Error::Denied { .. } | Error::SectionNeeded { .. } | Error::AppendOnly { .. } => Code::Denied,
            Error::Untrusted { .. } => Code::Untrusted,
            Error::Lint { .. } | Error::Overlap { .. } | Error::SupersessionCycle { .. } => Code::Lint,
            Error::Diverged { .. } | Error::Dirty { .. } => Code::Diverged,
            Error::Conflict { .. } | Error::EditedMeanwhile { .. } | Error::PlanChanged { .. } => {
                Code::Conflict
            }
            Error::Exists { .. } | Error::SlugTaken { .. } => Code::Exists,
            Error::NotUtf8 { .. } | Error::Edit { .. } => Code::Edit,
            Error::Policy { .. } => Code::Policy,
            Error::Config { .. } => Code::Config,
            Error::UnknownProject { .. }
            | Error::NoProject { .. }
            | Error::PolicyMissing { .. }
            | Error::VaultEmpty { .. } => Code::NoVault,
            Error::Git { .. } => Code::Git,
            Error::Port(error) => port_code(error),
            Error::Vault(error) | Error::Unrecovered { source: error } => vault_code(error),
        }
    }
}

fn port_code(error: &lore_ports::Error) -> Code {
    match error {
        lore_ports::Error::IndexNewer { .. }
        | lore_ports::Error::ForeignFile { .. }
        | lore_ports::Error::IndexReadOnly { .. }
        | lore_ports::Error::Index { .. }
        | lore_ports::Error::DatabaseReplaced { .. } => Code::Index,
        lore_ports::Error::IndexBroken { .. } => Code::IndexBroken,
        lore_ports::Error::Embed(_) | lore_ports::Error::TextModel(_) => Code::Model,
        lore_ports::Error::DatabaseFile { .. } => Code::Io,
        lore_ports::Error::Cancelled => Code::Cancelled,
        lore_ports::Error::RolledBack => Code::Index,
    }
}

fn vault_code(error: &lore_vault::Error) -> Code {
    match error {
        lore_vault::Error::BadPath { .. } => Code::Denied,
        lore_vault::Error::Source { .. }
        | lore_vault::Error::Exists { .. }
        | lore_vault::Error::NotEmpty { .. } => Code::Usage,
        lore_vault::Error::TooLarge { .. } => Code::TooLarge,
        lore_vault::Error::Locked { .. } => Code::Locked,
        lore_vault::Error::Read { .. }
        | lore_vault::Error::Write { .. }
        | lore_vault::Error::Watch { .. } => Code::Io,
        lore_vault::Error::VaultMissing { .. } | lore_vault::Error::VaultReplaced { .. } => Code::NoVault,
        lore_vault::Error::Git(_) => Code::Git,
    }
}

impl From<EmbedError> for Error {
    fn from(error: EmbedError) -> Self {
        Error::Port(error.into())
    }
}

impl From<TextModelError> for Error {
    fn from(error: TextModelError) -> Self {
        Error::Port(error.into())
    }
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        Error::Vault(error.into())
    }
}

impl From<NotATimeframe> for Error {
    fn from(error: NotATimeframe) -> Self {
        Error::BadInput {
            message: error.to_string(),
            hint: "use 7d, 2 weeks, last month, yesterday or a date such as 2024-03-01".into(),
        }
    }
}

fn conflict(slug: &str, expected: u64, current: u64) -> String {
    match (expected, current) {
        (0, _) => format!("{slug} already exists at version {current}"),
        (_, 0) => format!("{slug} does not exist, so it is not at version {expected}"),
        _ => format!("{slug} is at version {current}, not {expected}"),
    }
}

/// Maximum number of findings that a refusal lists.
pub const LISTED_FINDINGS: usize = 31;

/// Formats the findings that blocked a write; of very many, the first.
fn refused(findings: &[Finding]) -> String {
    match findings {
        [] => "the page is invalid".into(),
        [one] => one.to_string(),
        some => {
            let listed: Vec<String> = some.iter().take(LISTED_FINDINGS).map(ToString::to_string).collect();
            let more = some.len() - listed.len();
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            format!("{}{more}", listed.join("; "))
        }
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file has".into() } else { format!("{count} files have") }
}

fn were_edited(count: usize) -> String {
    if count == 1 { "1 file was edited".into() } else { format!("{count} files were edited") }
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
