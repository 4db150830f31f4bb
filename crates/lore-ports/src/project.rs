//! Projects in a database, and the durable state of each.

use crate::error::Result;
use crate::rows::{ProjectNo, ReplicaNo};

/// Projects and their state.
pub trait Projects {
    /// Returns the project of a checkout and the number of the checkout, created on first use. It is the project that the
    /// checkout had before, unless its vault has another id now; else the one with its vault id; else a new one.
    fn project(&self, key: &ProjectKey<'_>) -> Result<(ProjectNo, ReplicaNo)>;

    /// Returns the known checkouts of a vault, in the order they were recorded.
    fn checkouts(&self, vault_id: &str) -> Result<Vec<String>>;

    /// Returns the known checkouts of all vaults registered under a name, in the order they were recorded.
    fn checkouts_named(&self, name: &str) -> Result<Vec<String>>;

    /// Returns the projects with this checkout.
    fn projects_at(&self, checkout: &str) -> Result<Vec<ProjectNo>>;

    /// Deletes a project's index; with [`Forget::LedgerToo`] also its durable rows.
    fn forget(&self, project: ProjectNo, what: Forget) -> Result<()>;

    /// Returns a project's state.
    fn state(&self, project: ProjectNo) -> Result<ProjectState>;

    /// Changes one part of a project's state.
    fn set_state(&self, project: ProjectNo, change: &StateChange<'_>) -> Result<()>;

    /// Returns the files that could not be indexed, sorted by path.
    fn failures(&self, project: ProjectNo) -> Result<Vec<FileFailure>>;

    /// Stores the failures of these paths, or clears them with `None`.
    fn set_failures(&self, project: ProjectNo, failures: &[(&str, Option<&FileFailure>)]) -> Result<()>;

    /// Returns the resolved findings of checks, sorted by id.
    fn resolved_findings(&self, project: ProjectNo) -> Result<Vec<ResolvedFinding>>;

    /// Marks a finding as resolved; an existing mark is kept.
    fn resolve_finding(&self, project: ProjectNo, finding: &ResolvedFinding) -> Result<()>;
}

/// What identifies a project, and what is recorded with it.
#[derive(Debug, Clone, Copy)]
pub struct ProjectKey<'a> {
    /// Identity of the vault, the same in every checkout; a vault without one is identified by its checkout.
    pub vault_id: Option<&'a str>,
    /// The name it is registered under.
    pub name: &'a str,
    /// The checkout: a directory on a machine.
    pub checkout: &'a str,
    /// A checkout that no longer exists because the vault was moved. If the new one is not known yet, it takes over the
    /// project.
    pub moved_from: Option<&'a str>,
}

/// Prefix of the id of a vault that has none of its own: it is identified by its checkout.
const LOCAL: &str = "path:";

/// Returns the id of a vault that has none of its own.
pub fn local_id(checkout: &str) -> String {
    format!("{LOCAL}{checkout}")
}

/// Whether an id is only that of a checkout.
pub fn is_local_id(vault_id: &str) -> bool {
    vault_id.starts_with(LOCAL)
}

/// Whether the durable rows are deleted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forget {
    /// Only what can be rebuilt.
    IndexOnly,
    /// Everything.
    LedgerToo,
}

/// State that belongs to a project as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectState {
    /// Hash of the policy settings that the pages were indexed with.
    pub index_mark: Option<String>,
    /// Id of the last recorded write.
    pub last_write: Option<String>,
    /// Id of the last recorded write of generated files.
    pub last_generated: Option<String>,
    /// What is remembered of git between commands, as JSON.
    pub git: Option<String>,
    /// Number of pages at the last review.
    pub curated_pages: Option<u64>,
    /// The time that the clocks of the writers agree on, as JSON.
    pub clock: Option<String>,
    /// When the index last changed, in milliseconds since 1970. It belongs to the index, and is gone with it.
    pub indexed: Option<i64>,
    /// What the vault looked like when it was last linted as a whole, and the number of errors. Gone when the index changes.
    pub lint_errors: Option<(String, u64)>,
}

/// A change of [`ProjectState`].
#[derive(Debug, Clone, Copy)]
pub enum StateChange<'a> {
    /// The pages are indexed with these policy settings.
    IndexMark(&'a str),
    /// This write was recorded.
    LastWrite(&'a str),
    /// This write of generated files was recorded.
    LastGenerated(&'a str),
    /// What to remember of git.
    Git(&'a str),
    /// The pages were reviewed.
    CuratedPages(u64),
    /// The time that the clocks of the writers agree on.
    Clock(&'a str),
    /// The index changed at this time, in milliseconds since 1970.
    Indexed(i64),
    /// A vault that looks like this has this many lint errors. Not stored for an index that never changed.
    LintErrors(&'a str, u64),
}

/// A file that could not be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFailure {
    /// Vault-relative path.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its mtime in nanoseconds since 1970.
    pub mtime: i64,
    /// Number of consecutive failures.
    pub count: u32,
    /// The reason.
    pub reason: String,
}

/// A finding that was marked as resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedFinding {
    /// The finding's id.
    pub id: String,
    /// When it was resolved, in milliseconds since 1970.
    pub at: i64,
    /// Who resolved it.
    pub actor: String,
}
