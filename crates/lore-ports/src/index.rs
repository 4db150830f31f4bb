//! The derived half of the storage port.

use std::collections::BTreeSet;

use crate::error::Result;
use crate::filter::{Filter, LinkFilter, NameQuery, Order, StatementFilter, TextHit, TextQuery, Window};
use crate::gaps::GapsAndImports;
use crate::ledger::Ledger;
use crate::rows::{
    Counts, Fingerprint, KeyRow, LabelKind, LinkRow, PageDraft, PageNo, PageRow, ProjectNo, PutPage,
    StatementRow,
};
use crate::vectors::Vectors;

/// A database with index, ledger and vectors.
pub trait Store: Index + Ledger + GapsAndImports + Vectors {}

impl<T: Index + Ledger + GapsAndImports + Vectors> Store for T {}

/// The derived half: everything in it can be rebuilt from the files.
pub trait Index {
    /// Runs `work` in a transaction; a nested call joins the outer one.
    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Runs `work`, which only reads, in one read transaction, so that it sees a single state of the database.
    fn read_transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Frees memory that is used only as a cache, when the database is idle.
    fn shrink_memory(&self) -> Result<()>;

    /// Returns the number of a project, creating it on first use. A project whose root changed starts with an empty
    /// index.
    fn project(&self, name: &str, root: &str) -> Result<ProjectNo>;

    /// Deletes a project's index and, if asked for, its durable rows.
    fn forget(&self, project: ProjectNo, ledger: Forget) -> Result<()>;

    /// Returns the fingerprints of all pages, or of these paths, sorted by path.
    fn fingerprints(&self, project: ProjectNo, paths: Option<&BTreeSet<String>>) -> Result<Vec<Fingerprint>>;

    /// Writes a page under its path, replacing the existing one.
    fn put_page(&self, project: ProjectNo, page: &PageDraft<'_>) -> Result<PutPage>;

    /// Records a new mtime of a file whose bytes are unchanged: `mtime` as in the fingerprint, and `updated` in
    /// milliseconds since 1970.
    fn touch_page(&self, page: PageNo, mtime: i64, updated: i64) -> Result<()>;

    /// Moves a page to another path, keeping its number and replacing any page there. Returns all names of both pages.
    fn rename_page(&self, project: ProjectNo, page: PageNo, to: &str) -> Result<Vec<String>>;

    /// Removes a page and returns the names it had. Links to it become pending.
    fn remove_page(&self, project: ProjectNo, page: PageNo) -> Result<Vec<String>>;

    /// Returns the rows of these pages in the given order; missing ones are left out.
    fn pages(&self, project: ProjectNo, numbers: &[PageNo]) -> Result<Vec<PageRow>>;

    /// Returns the pages that match a filter.
    fn list(&self, project: ProjectNo, filter: &Filter, order: Order, window: Window)
    -> Result<Vec<PageRow>>;

    /// Returns the pages with any of these names.
    fn lookup(&self, project: ProjectNo, names: &NameQuery<'_>) -> Result<Vec<KeyRow>>;

    /// Returns links selected by one end or by the names they refer to.
    fn links(&self, project: ProjectNo, ends: &LinkFilter<'_>) -> Result<Vec<LinkRow>>;

    /// Returns the number of links from other pages to each of these pages, in the given order.
    fn inbound(&self, project: ProjectNo, pages: &[PageNo]) -> Result<Vec<u64>>;

    /// Sets the target pages of links, or clears them.
    fn resolve_links(&self, targets: &[(i64, Option<PageNo>)]) -> Result<()>;

    /// Returns observations, facts and entries, sorted by page, kind and line.
    fn statements(&self, project: ProjectNo, wanted: &StatementFilter<'_>) -> Result<Vec<StatementRow>>;

    /// Returns facts on any page whose subject or object is one of these names, normalized by [`name_in_fact`].
    fn facts_naming(&self, project: ProjectNo, names: &[&str]) -> Result<Vec<StatementRow>>;

    /// Returns pages whose text matches, best first, with a positive score.
    fn search(&self, project: ProjectNo, query: &TextQuery<'_>) -> Result<Vec<TextHit>>;

    /// Returns the tags or types in use with their page counts, most used first.
    fn labels(&self, project: ProjectNo, kind: LabelKind) -> Result<Vec<(String, u64)>>;

    /// Returns the sizes of the index.
    fn counts(&self, project: ProjectNo) -> Result<Counts>;

    /// Checks the database and returns the problems found; empty when it is sound.
    fn problems(&self) -> Result<Vec<String>>;
}

/// Whether the durable rows are deleted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forget {
    /// Only the index, which can be rebuilt.
    IndexOnly,
    /// Everything.
    LedgerToo,
}
