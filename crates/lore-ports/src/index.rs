//! The derived half of the storage port.

use std::collections::BTreeSet;

use crate::batches::Batches;
use crate::error::Result;
use crate::expression::Expression;
use crate::filter::{
    DocumentFrequencies, Filter, LinkFilter, NameQuery, Order, StatementFilter, TextHit, TextQuery, Window,
};
use crate::gaps::GapsAndImports;
use crate::ledger::Ledger;
use crate::maintenance::Maintenance;
use crate::project::Projects;
use crate::rows::{
    Counts, Fingerprint, KeyRow, LabelKind, LinkRow, PageNo, PageRow, PageWrite, PageWritten, ProjectNo,
    ReplicaNo, StatementRow,
};
use crate::vectors::Vectors;

/// A database with index, ledger and vectors.
pub trait Store: Projects + Index + Ledger + GapsAndImports + Batches + Vectors + Maintenance {}

impl<T: Projects + Index + Ledger + GapsAndImports + Batches + Vectors + Maintenance> Store for T {}

/// The derived half: everything in it can be rebuilt from the files.
pub trait Index {
    /// Runs `work` in a transaction; a nested call joins the outer one.
    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Runs `work`, which only reads, in one read transaction, so that it sees a single state of the database.
    fn read_transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Returns what a checkout knows about the files of all pages, or of these, sorted by path. A page that another checkout
    /// indexed has no mtime here.
    fn fingerprints(
        &self,
        project: ProjectNo,
        replica: ReplicaNo,
        paths: Option<&BTreeSet<String>>,
    ) -> Result<Vec<Fingerprint>>;

    /// Applies changes to pages in their order, all or none; returns for each what else it affects.
    fn apply(
        &self,
        project: ProjectNo,
        replica: ReplicaNo,
        writes: &[PageWrite<'_>],
    ) -> Result<Vec<PageWritten>>;

    /// Returns the rows of these pages in the given order; missing ones are left out.
    fn pages(&self, project: ProjectNo, numbers: &[PageNo]) -> Result<Vec<PageRow>>;

    /// Returns the pages that match a filter.
    fn list(&self, project: ProjectNo, filter: &Filter, order: Order, window: Window)
    -> Result<Vec<PageRow>>;

    /// Returns the number of pages that match a filter.
    fn count(&self, project: ProjectNo, filter: &Filter) -> Result<u64>;

    /// Returns the pages with any of these names.
    fn lookup(&self, project: ProjectNo, names: &NameQuery<'_>) -> Result<Vec<KeyRow>>;

    /// Returns links selected by one end or by the names they refer to.
    fn links(&self, project: ProjectNo, ends: &LinkFilter<'_>) -> Result<Vec<LinkRow>>;

    /// Returns the number of links from other pages to each of these pages, in the given order.
    fn inbound(&self, project: ProjectNo, pages: &[PageNo]) -> Result<Vec<u64>>;

    /// Sets the target pages of links, or clears them.
    fn resolve_links(&self, targets: &[(i64, Option<PageNo>)]) -> Result<()>;

    /// Returns observations, facts and entries, in the order of the given pages, else by page number; then by kind and
    /// line.
    fn statements(&self, project: ProjectNo, wanted: &StatementFilter<'_>) -> Result<Vec<StatementRow>>;

    /// Returns pages whose text matches, best first, with a positive score.
    fn search(&self, project: ProjectNo, query: &TextQuery<'_>) -> Result<Vec<TextHit>>;

    /// Counts the pages that contain each of these terms. A count may stop once it exceeds this share of all pages.
    fn document_frequencies(
        &self,
        project: ProjectNo,
        terms: &[&Expression],
        enough: f64,
    ) -> Result<DocumentFrequencies>;

    /// Returns the tags or types in use with their page counts, most used first.
    fn labels(&self, project: ProjectNo, kind: LabelKind) -> Result<Vec<(String, u64)>>;

    /// Returns the sizes of the index.
    fn counts(&self, project: ProjectNo) -> Result<Counts>;
}
