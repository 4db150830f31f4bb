//! The database port: the derived [`Index`] and the durable [`Ledger`], in plain rows.
//!
//! The SQL lives below these traits and the rules above them. Methods take `&self` so that one transaction can
//! span both: everything called inside [`Index::transaction`] is committed or rolled back together.

use std::collections::BTreeSet;

use lore_page::{Diagnostic, Interval, LineRange, Properties};

use crate::chunk::ChunkDraft;
use crate::error::Result;
use crate::hash::ContentHash;
use crate::intake::Intake;
use crate::search::Expression;
use crate::vectors::Vectors;

/// A project's number in its database.
pub type ProjectNo = i64;

/// A page's number in its index. It changes when the index is rebuilt, so nothing outside may store it.
pub type PageNo = i64;

/// A database with index, ledger and vectors.
pub trait Store: Index + Ledger + Intake + Vectors {}

impl<T: Index + Ledger + Intake + Vectors> Store for T {}

/// The derived half: everything in it can be rebuilt from the files.
pub trait Index {
    /// Runs `work` in a transaction; a nested call joins the outer one.
    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Runs `work`, which only reads, in one read transaction, so that it sees a single state of the database.
    fn reading(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Frees memory that is used only as a cache, when the database is idle.
    fn rest(&self) -> Result<()>;

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
    fn lookup(&self, project: ProjectNo, names: &Names<'_>) -> Result<Vec<KeyRow>>;

    /// Returns links selected by one end or by the names they refer to.
    fn links(&self, project: ProjectNo, ends: &LinkEnds<'_>) -> Result<Vec<LinkRow>>;

    /// Returns the number of links from other pages to each of these pages, in the given order.
    fn inbound(&self, project: ProjectNo, pages: &[PageNo]) -> Result<Vec<u64>>;

    /// Sets the target pages of links, or clears them.
    fn resolve_links(&self, targets: &[(i64, Option<PageNo>)]) -> Result<()>;

    /// Returns observations, facts and entries, sorted by page, kind and line.
    fn statements(&self, project: ProjectNo, wanted: &Wanted<'_>) -> Result<Vec<StatementRow>>;

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

/// The durable half: data that no file contains. Upgrades preserve it; it cannot be rebuilt.
pub trait Ledger {
    /// Returns a page's version and the hash of its bytes; `None` when it was never changed.
    fn version(&self, project: ProjectNo, path: &str) -> Result<Option<(u64, ContentHash)>>;

    /// Stores a page's version.
    fn set_version(&self, project: ProjectNo, path: &str, version: u64, hash: ContentHash) -> Result<()>;

    /// Returns the id assigned to a page whose file has none, if it differs from the one derived from its path.
    fn identity(&self, project: ProjectNo, path: &str) -> Result<Option<String>>;

    /// Stores such an id.
    fn set_identity(&self, project: ProjectNo, path: &str, id: &str) -> Result<()>;

    /// Moves version and snapshots to a page's new path, replacing those that a deleted page left there.
    fn rename(&self, project: ProjectNo, from: &str, to: &str) -> Result<()>;

    /// Stores the bytes that a write replaced or removed.
    fn add_snapshot(&self, project: ProjectNo, snapshot: &NewSnapshot<'_>) -> Result<()>;

    /// Returns a page's snapshots, newest first, without their bytes.
    fn snapshots(&self, project: ProjectNo, path: &str) -> Result<Vec<SnapshotRow>>;

    /// Returns the bytes of a snapshot.
    fn snapshot_bytes(&self, project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>>;

    /// Deletes a project's snapshots taken before a time in milliseconds since 1970; returns how many.
    fn prune_snapshots(&self, project: ProjectNo, before: i64) -> Result<usize>;

    /// Returns who last wrote a file through Lore.
    fn author(&self, project: ProjectNo, path: &str) -> Result<Option<Authorship>>;

    /// Stores who wrote a file.
    fn set_author(&self, project: ProjectNo, path: &str, author: &Authorship) -> Result<()>;

    /// Returns the files that could not be indexed, sorted by path.
    fn failures(&self, project: ProjectNo) -> Result<Vec<Failure>>;

    /// Stores a failure, or clears it with `None`.
    fn set_failure(&self, project: ProjectNo, path: &str, failure: Option<&Failure>) -> Result<()>;

    /// Returns the resolved findings of checks, sorted by id.
    fn settled(&self, project: ProjectNo) -> Result<Vec<Settled>>;

    /// Marks a finding as resolved; an existing mark is kept.
    fn settle(&self, project: ProjectNo, finding: &Settled) -> Result<()>;

    /// Returns a setting of this database.
    fn setting(&self, key: &str) -> Result<Option<String>>;

    /// Stores a setting.
    fn set_setting(&self, key: &str, value: &str) -> Result<()>;

    /// Checkpoints the write-ahead log and releases free pages.
    fn checkpoint(&self) -> Result<()>;

    /// Copies the database to a new file, in a consistent state.
    fn backup(&self, to: &std::path::Path) -> Result<()>;
}

/// The result of writing a page.
#[derive(Debug)]
pub struct PutPage {
    /// Its number.
    pub page: PageNo,
    /// The names it gained and lost.
    pub names: Vec<String>,
}

/// Whether the durable rows are deleted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forget {
    /// Only the index, which can be rebuilt.
    IndexOnly,
    /// Everything.
    LedgerToo,
}

/// State of a page's file when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The page.
    pub page: PageNo,
    /// Vault-relative path.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970; 0 when the file was too recent to trust it.
    pub mtime: i64,
    /// Hash of the bytes.
    pub hash: ContentHash,
}

/// Kinds of names that refer to a page, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum KeyKind {
    /// Its id.
    Id = 0,
    /// Its slug.
    Slug = 1,
    /// Its path, extension included.
    Path = 2,
    /// Its title.
    Title = 3,
    /// An alias, or its first heading.
    Alias = 4,
    /// A title or alias as a slug.
    NameSlug = 5,
    /// The end of its slug, starting after a `/`.
    Suffix = 6,
    /// The slug it would have if another page did not already have it. Never resolved.
    Claim = 7,
}

impl KeyKind {
    /// Returns the kind with this number.
    pub fn from_number(number: u8) -> KeyKind {
        use KeyKind::{Alias, Claim, Id, NameSlug, Path, Slug, Suffix, Title};
        [Id, Slug, Path, Title, Alias, NameSlug, Suffix, Claim][usize::from(number.min(7))]
    }
}

/// A name that refers to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// The name.
    pub key: String,
    /// The kind of name.
    pub kind: KeyKind,
    /// The page.
    pub page: PageNo,
    /// Its path.
    pub path: String,
    /// Its slug.
    pub slug: String,
}

/// The names to look up.
#[derive(Debug)]
pub enum Names<'a> {
    /// Any of these names, exactly.
    Exact(&'a [&'a str]),
    /// Ids with this prefix.
    IdPrefix(&'a str),
    /// Every slug, for suggestions.
    AllSlugs,
}

/// Everything the index stores about a page.
#[derive(Debug)]
pub struct PageDraft<'a> {
    /// The row.
    pub row: PageRow,
    /// Modification time in nanoseconds since 1970; 0 when it cannot be trusted.
    pub mtime: i64,
    /// The latest of its `reviewed` and `updated` dates, in milliseconds since 1970.
    pub stated: Option<i64>,
    /// Names that refer to it.
    pub keys: Vec<(KeyKind, String)>,
    /// Outbound links.
    pub links: Vec<LinkDraft>,
    /// Observations, facts and entries.
    pub statements: Vec<Statement>,
    /// The chunks to embed.
    pub chunks: Vec<ChunkDraft>,
    /// The text to search.
    pub text: SearchText<'a>,
}

/// A page's text by field.
#[derive(Debug, Default)]
pub struct SearchText<'a> {
    /// Aliases and the first heading.
    pub aliases: String,
    /// Headings.
    pub headings: String,
    /// Tags and property values.
    pub tags: String,
    /// Text above the first horizontal rule.
    pub truth: &'a str,
    /// Text below it.
    pub timeline: &'a str,
}

/// A page in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRow {
    /// Its number.
    pub number: PageNo,
    /// Vault-relative path.
    pub path: String,
    /// Its slug.
    pub slug: String,
    /// Its `id`, or one derived from the path it was first seen at.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its type.
    pub kind: String,
    /// Its declared status.
    pub status: Option<String>,
    /// The entity it belongs to.
    pub wing: String,
    /// Its summary.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its frontmatter.
    pub properties: Properties,
    /// Parse warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Hash of the bytes.
    pub hash: ContentHash,
    /// Size in bytes.
    pub size: u64,
    /// When it was created, in milliseconds since 1970.
    pub created: i64,
    /// When its file last changed, in milliseconds since 1970.
    pub updated: i64,
    /// Number of changes, from 1.
    pub version: u64,
}

/// A link as written in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDraft {
    /// Identifies the link, the same on every machine and after every rebuild.
    pub id: u64,
    /// The verb, or `links_to`.
    pub relation: String,
    /// The target as written.
    pub target: String,
    /// The names used to look up the target.
    pub names: [String; 2],
    /// The text after `#`.
    pub heading: Option<String>,
    /// The text shown instead of the target.
    pub label: Option<String>,
    /// The text around it.
    pub context: Option<String>,
    /// When it is valid.
    pub interval: Interval,
    /// Its line number.
    pub line: u32,
}

/// A link in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// Its row number, for [`Index::resolve_links`].
    pub number: i64,
    /// The page that contains it.
    pub from: PageNo,
    /// That page's path.
    pub from_path: String,
    /// The page it resolves to, if any.
    pub to: Option<PageNo>,
    /// The link.
    pub link: LinkDraft,
}

/// Selects links.
#[derive(Debug)]
pub enum LinkEnds<'a> {
    /// Links on these pages.
    From(&'a [PageNo]),
    /// Links to these pages.
    To(&'a [PageNo]),
    /// Links that refer to one of these names, resolved or not.
    Named(&'a [&'a str]),
    /// Unresolved links.
    Pending,
    /// Links with one of these ids.
    Ids(&'a [u64]),
    /// Links with one of these relations, ignoring case.
    Typed(&'a [&'a str]),
    /// Links with one of these relations that start or end at one of these pages.
    TypedAt(&'a [&'a str], &'a [PageNo]),
    /// Links with an explicit verb, sorted by page and line.
    WithVerb,
}

/// The kinds of structured line that are not links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StatementKind {
    /// `- [category] …`: predicate is the category, object the content.
    Observation = 0,
    /// `- predicate:: object`.
    Fact = 1,
    /// `- **date** | source — summary`: predicate is the source, object the summary, the interval the day.
    Entry = 2,
}

impl StatementKind {
    /// Returns the kind with this number.
    pub fn from_number(number: u8) -> StatementKind {
        [StatementKind::Observation, StatementKind::Fact, StatementKind::Entry][usize::from(number.min(2))]
    }
}

/// A structured line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its kind.
    pub kind: StatementKind,
    /// The subject of a fact, if it is not the page.
    pub subject: Option<String>,
    /// Category, predicate or source.
    pub predicate: String,
    /// Content, object or summary.
    pub object: String,
    /// When it is valid.
    pub interval: Interval,
    /// Tags, context, provenance or detail, by name.
    pub notes: Vec<(String, String)>,
    /// Its lines.
    pub lines: LineRange,
}

impl Statement {
    /// Returns a note by name.
    pub fn note(&self, name: &str) -> Option<&str> {
        self.notes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Normalizes a fact's subject or object for comparison: without link brackets, case-folded.
pub fn name_in_fact(text: &str) -> String {
    let plain = text.trim().trim_matches(['.', ',', ';', '"']);
    let inside = plain.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")).unwrap_or(plain);
    let target = inside.split(['|', '#']).next().unwrap_or(inside);
    lore_page::fold(target.trim())
}

/// A statement with its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRow {
    /// The page that contains it.
    pub page: PageNo,
    /// The statement.
    pub statement: Statement,
}

/// Selects statements.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// Only of these pages.
    pub pages: Option<&'a [PageNo]>,
    /// Only of this kind.
    pub kind: Option<StatementKind>,
}

/// Selects pages. Empty fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// One of these types.
    pub kinds: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// This status.
    pub status: Option<String>,
    /// This wing.
    pub wing: Option<String>,
    /// Path prefix.
    pub path: Option<String>,
    /// This slug.
    pub slug: Option<String>,
    /// Slug glob; without `*`, a prefix.
    pub slug_match: Option<String>,
    /// Titles that contain this text.
    pub title: Option<String>,
    /// Changed at or after, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Changed before, in milliseconds since 1970.
    pub until: Option<i64>,
    /// All of these properties, with these values.
    pub properties: Vec<(String, String)>,
    /// One of these slugs, if any are given.
    pub among: Vec<String>,
    /// Only old pages without an explicit status.
    pub aged: Option<Aged>,
}

/// When a page counts as old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aged {
    /// Last touched before this, in milliseconds since 1970: by its declared date, else by the file's mtime.
    pub before: i64,
    /// Only pages without inbound links that were last touched at or after this.
    pub orphans_since: Option<i64>,
}

/// Sort order of a list of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Most recently changed first.
    Updated,
    /// Most recently touched first: by the declared date, else by the file's mtime.
    Touched,
    /// Most recently created first.
    Created,
    /// By title.
    Title,
}

/// A range of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Maximum number of results.
    pub limit: usize,
    /// Number of results to skip.
    pub offset: usize,
}

/// A full-text query.
#[derive(Debug)]
pub struct TextQuery<'a> {
    /// The expression to match.
    pub expression: &'a Expression,
    /// Which pages to search.
    pub filter: &'a Filter,
    /// Weights of the fields.
    pub weights: Weights,
    /// Which range of the results.
    pub window: Window,
}

/// Weight of a match in an alias or heading, relative to 1 in the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Weight of an alias.
    pub aliases: f64,
    /// Weight of a heading.
    pub headings: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights { aliases: 8.0, headings: 3.0 }
    }
}

/// A page whose text matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextHit {
    /// The page.
    pub page: PageNo,
    /// The score; higher is better.
    pub score: f64,
}

/// Labels that can be counted over all pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelKind {
    /// Tags.
    Tag,
    /// Types.
    Type,
}

/// Sizes of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages.
    pub pages: u64,
    /// Resolved links.
    pub links: u64,
    /// Unresolved links.
    pub pending: u64,
    /// Observations.
    pub observations: u64,
    /// Facts.
    pub facts: u64,
    /// Timeline entries.
    pub entries: u64,
    /// Distinct tags.
    pub tags: u64,
    /// Pages with parse warnings.
    pub diagnosed: u64,
    /// Size of the database file in bytes.
    pub bytes: u64,
}

/// A file that could not be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
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

/// Who last wrote a file through Lore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorship {
    /// Hash of the file at that time.
    pub hash: ContentHash,
    /// Who wrote it.
    pub actor: String,
    /// Whether the file contained nothing written by anyone else.
    pub whole: bool,
}

/// A finding that was marked as resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The finding's id.
    pub id: String,
    /// When it was resolved, in milliseconds since 1970.
    pub at: i64,
    /// Who resolved it.
    pub actor: String,
}

/// A snapshot to store.
#[derive(Debug)]
pub struct NewSnapshot<'a> {
    /// The page's path.
    pub path: &'a str,
    /// The version of these bytes.
    pub version: u64,
    /// Hash of the bytes.
    pub hash: ContentHash,
    /// The bytes.
    pub bytes: &'a [u8],
    /// When it was taken, in milliseconds since 1970.
    pub at: i64,
    /// Who wrote the bytes through Lore; empty when unknown.
    pub actor: &'a str,
}

/// A stored snapshot of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Its number.
    pub number: i64,
    /// The page's version at that time.
    pub version: u64,
    /// Hash of the bytes.
    pub hash: ContentHash,
    /// Size in bytes.
    pub size: u64,
    /// When it was replaced, in milliseconds since 1970.
    pub at: i64,
    /// Who wrote it through Lore; empty when unknown.
    pub actor: String,
}
