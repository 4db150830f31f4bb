//! What the engine needs of a database: the derived [`Index`] and the durable [`Ledger`], in plain rows.
//!
//! The SQL lives below these traits and the rules above them. Methods take `&self` so that one transaction can
//! span both: everything called inside [`Index::transaction`] succeeds or fails as one.

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

/// A page's number in its index. It is not stable across a rebuild: nothing outside may keep it.
pub type PageNo = i64;

/// A database that holds both halves, and the vectors.
pub trait Store: Index + Ledger + Intake + Vectors {}

impl<T: Index + Ledger + Intake + Vectors> Store for T {}

/// The derived half: everything in it can be made again from the files.
pub trait Index {
    /// Runs `work` as one transaction; inside another it joins that one.
    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Runs `work`, which only reads, over one state of the database, and takes the right to read once for all of it.
    fn reading(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Gives memory back that is kept for speed only, where nothing is asked for a while.
    fn rest(&self) -> Result<()>;

    /// The number of a project, made on first use. A project whose root moved starts with an empty index.
    fn project(&self, name: &str, root: &str) -> Result<ProjectNo>;

    /// Forgets a project's index; with `ledger`, its durable rows too.
    fn forget(&self, project: ProjectNo, ledger: Forget) -> Result<()>;

    /// What is known of the files of pages, all or these, in the order of their paths.
    fn fingerprints(&self, project: ProjectNo, paths: Option<&BTreeSet<String>>) -> Result<Vec<Fingerprint>>;

    /// Writes a page under its path, in place of what was there.
    fn put_page(&self, project: ProjectNo, page: &PageDraft<'_>) -> Result<PutPage>;

    /// Notes a new time of a file whose bytes are the same: `mtime` as the fingerprint keeps it, and when the page
    /// was changed in milliseconds since 1970.
    fn touch_page(&self, page: PageNo, mtime: i64, updated: i64) -> Result<()>;

    /// Gives a page another path; its number stays. What stands under that path goes. Gives every name of both.
    fn rename_page(&self, project: ProjectNo, page: PageNo, to: &str) -> Result<Vec<String>>;

    /// Takes a page out and gives the names it had. Links to it become pending.
    fn remove_page(&self, project: ProjectNo, page: PageNo) -> Result<Vec<String>>;

    /// The rows of these pages, in the order asked for; missing ones are left out.
    fn pages(&self, project: ProjectNo, numbers: &[PageNo]) -> Result<Vec<PageRow>>;

    /// Pages that pass a filter.
    fn list(&self, project: ProjectNo, filter: &Filter, order: Order, window: Window)
    -> Result<Vec<PageRow>>;

    /// Which pages answer to these names.
    fn lookup(&self, project: ProjectNo, names: &Names<'_>) -> Result<Vec<KeyRow>>;

    /// Links by one of their ends or by what they name.
    fn links(&self, project: ProjectNo, ends: &LinkEnds<'_>) -> Result<Vec<LinkRow>>;

    /// How many links lead to each of these pages from other pages, in the order asked for.
    fn inbound(&self, project: ProjectNo, pages: &[PageNo]) -> Result<Vec<u64>>;

    /// Points links at pages, or at none.
    fn resolve_links(&self, targets: &[(i64, Option<PageNo>)]) -> Result<()>;

    /// Observations, facts and entries, by page, kind and line.
    fn statements(&self, project: ProjectNo, wanted: &Wanted<'_>) -> Result<Vec<StatementRow>>;

    /// Facts on any page whose named subject or whose object is one of these names, each as [`name_in_fact`] gives it.
    fn facts_naming(&self, project: ProjectNo, names: &[&str]) -> Result<Vec<StatementRow>>;

    /// Pages whose text matches, best first, with a positive score.
    fn search(&self, project: ProjectNo, query: &TextQuery<'_>) -> Result<Vec<TextHit>>;

    /// Tags or types in use, with the number of pages of each, most used first.
    fn labels(&self, project: ProjectNo, kind: LabelKind) -> Result<Vec<(String, u64)>>;

    /// How much there is.
    fn counts(&self, project: ProjectNo) -> Result<Counts>;

    /// What is wrong with the database's own structure; empty when sound.
    fn problems(&self) -> Result<Vec<String>>;
}

/// The durable half: what no file holds. An upgrade carries it over; nothing makes it again.
pub trait Ledger {
    /// A page's version and the bytes it stands for; `None` when it was never changed.
    fn version(&self, project: ProjectNo, path: &str) -> Result<Option<(u64, ContentHash)>>;

    /// Notes a page's version.
    fn set_version(&self, project: ProjectNo, path: &str, version: u64, hash: ContentHash) -> Result<()>;

    /// The id given to the page at a path whose file has none, where that is not the one derived from the path.
    fn identity(&self, project: ProjectNo, path: &str) -> Result<Option<String>>;

    /// Notes such an id.
    fn set_identity(&self, project: ProjectNo, path: &str, id: &str) -> Result<()>;

    /// Carries version and snapshots over to a page's new path. What a page that is gone left there makes room.
    fn rename(&self, project: ProjectNo, from: &str, to: &str) -> Result<()>;

    /// Keeps the bytes a write replaced or removed.
    fn add_snapshot(&self, project: ProjectNo, snapshot: &NewSnapshot<'_>) -> Result<()>;

    /// A page's snapshots, newest first, without their bytes.
    fn snapshots(&self, project: ProjectNo, path: &str) -> Result<Vec<SnapshotRow>>;

    /// The bytes of a snapshot.
    fn snapshot_bytes(&self, project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>>;

    /// Forgets a project's snapshots taken before a moment in milliseconds since 1970; says how many.
    fn prune_snapshots(&self, project: ProjectNo, before: i64) -> Result<usize>;

    /// Who wrote a file last through Lore.
    fn author(&self, project: ProjectNo, path: &str) -> Result<Option<Authorship>>;

    /// Notes who wrote a file.
    fn set_author(&self, project: ProjectNo, path: &str, author: &Authorship) -> Result<()>;

    /// Files that could not be indexed, by path.
    fn failures(&self, project: ProjectNo) -> Result<Vec<Failure>>;

    /// Notes a failure, or with `None` that a file is well again.
    fn set_failure(&self, project: ProjectNo, path: &str, failure: Option<&Failure>) -> Result<()>;

    /// The findings of a check that are settled, by their id.
    fn settled(&self, project: ProjectNo) -> Result<Vec<Settled>>;

    /// Notes that a finding is settled; one that is stays as it was noted first.
    fn settle(&self, project: ProjectNo, finding: &Settled) -> Result<()>;

    /// A setting of this database.
    fn setting(&self, key: &str) -> Result<Option<String>>;

    /// Writes a setting.
    fn set_setting(&self, key: &str, value: &str) -> Result<()>;

    /// Folds the write-ahead log into the database and gives back its free pages.
    fn checkpoint(&self) -> Result<()>;

    /// Copies the database, consistent, to a new file.
    fn backup(&self, to: &std::path::Path) -> Result<()>;
}

/// What became of a page that was written.
#[derive(Debug)]
pub struct PutPage {
    /// Its number.
    pub page: PageNo,
    /// The names it has now and had not before, and the other way round.
    pub names: Vec<String>,
}

/// Whether the durable rows go too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forget {
    /// Only what can be made again.
    IndexOnly,
    /// Everything.
    LedgerToo,
}

/// A page's file as it was when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The page.
    pub page: PageNo,
    /// From the vault's root.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970; 0 when the file was too young to be trusted by its time.
    pub mtime: i64,
    /// The bytes' checksum.
    pub hash: ContentHash,
}

/// By what a page can be named, strongest first.
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
    /// A title or alias in the form of a slug.
    NameSlug = 5,
    /// The end of its slug, from a `/` on.
    Suffix = 6,
    /// The slug it would have, had another page not had it first. Nothing resolves by it.
    Claim = 7,
}

impl KeyKind {
    /// The kind with this number.
    pub fn from_number(number: u8) -> KeyKind {
        use KeyKind::{Alias, Claim, Id, NameSlug, Path, Slug, Suffix, Title};
        [Id, Slug, Path, Title, Alias, NameSlug, Suffix, Claim][usize::from(number.min(7))]
    }
}

/// A name under which a page is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// The name.
    pub key: String,
    /// Why the page has it.
    pub kind: KeyKind,
    /// The page.
    pub page: PageNo,
    /// Its path.
    pub path: String,
    /// Its slug.
    pub slug: String,
}

/// What to look up.
#[derive(Debug)]
pub enum Names<'a> {
    /// Any of these, whole.
    Exact(&'a [&'a str]),
    /// Ids that start so.
    IdPrefix(&'a str),
    /// Every slug, for suggestions.
    AllSlugs,
}

/// Everything the index keeps of a page.
#[derive(Debug)]
pub struct PageDraft<'a> {
    /// The row.
    pub row: PageRow,
    /// Nanoseconds since 1970; 0 when not to be trusted.
    pub mtime: i64,
    /// The newest day that its file states as `reviewed` or `updated`, in milliseconds since 1970.
    pub stated: Option<i64>,
    /// Names it is found under.
    pub keys: Vec<(KeyKind, String)>,
    /// Outbound links.
    pub links: Vec<LinkDraft>,
    /// Observations, facts and entries.
    pub statements: Vec<Statement>,
    /// The pieces to embed.
    pub chunks: Vec<ChunkDraft>,
    /// The words to search.
    pub text: SearchText<'a>,
}

/// A page's words by field.
#[derive(Debug, Default)]
pub struct SearchText<'a> {
    /// Aliases and the first heading.
    pub aliases: String,
    /// Headings.
    pub headings: String,
    /// Tags and property values.
    pub tags: String,
    /// Above the rule.
    pub truth: &'a str,
    /// Below the rule.
    pub timeline: &'a str,
}

/// A page in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRow {
    /// Its number.
    pub number: PageNo,
    /// From the vault's root.
    pub path: String,
    /// Its slug.
    pub slug: String,
    /// Its `id`, or one derived from the path it was first seen at.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its type.
    pub kind: String,
    /// The status its file states.
    pub status: Option<String>,
    /// The entity it belongs to.
    pub wing: String,
    /// Its summary.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its frontmatter.
    pub properties: Properties,
    /// What was odd about its text.
    pub diagnostics: Vec<Diagnostic>,
    /// The bytes' checksum.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When its file last changed, in milliseconds since 1970.
    pub updated: i64,
    /// Counts its changes, from 1.
    pub version: u64,
}

/// A link as a page's text gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDraft {
    /// A number that names this link on every machine and after every rebuild.
    pub id: u64,
    /// The verb, or `links_to`.
    pub relation: String,
    /// The target as written.
    pub target: String,
    /// The names by which the target is looked up.
    pub names: [String; 2],
    /// What stands after `#`.
    pub heading: Option<String>,
    /// The words shown instead of the target.
    pub label: Option<String>,
    /// The words around it.
    pub context: Option<String>,
    /// When it holds.
    pub interval: Interval,
    /// Its line.
    pub line: u32,
}

/// A link in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// Its row, for [`Index::resolve_links`].
    pub number: i64,
    /// The page it stands on.
    pub from: PageNo,
    /// That page's path.
    pub from_path: String,
    /// The page it leads to, once there is one.
    pub to: Option<PageNo>,
    /// The link.
    pub link: LinkDraft,
}

/// Which links.
#[derive(Debug)]
pub enum LinkEnds<'a> {
    /// Those on these pages.
    From(&'a [PageNo]),
    /// Those to these pages.
    To(&'a [PageNo]),
    /// Those that look for one of these names, resolved or not.
    Named(&'a [&'a str]),
    /// Those that lead nowhere yet.
    Pending,
    /// Those with one of these ids.
    Ids(&'a [u64]),
    /// Those with one of these relations, whatever their case.
    Typed(&'a [&'a str]),
    /// Those of them that stand on one of these pages or lead to one.
    TypedAt(&'a [&'a str], &'a [PageNo]),
    /// Those with a verb of their own, by page and line.
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
    /// The kind with this number.
    pub fn from_number(number: u8) -> StatementKind {
        [StatementKind::Observation, StatementKind::Fact, StatementKind::Entry][usize::from(number.min(2))]
    }
}

/// One structured line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Whom a fact is about, where not the page.
    pub subject: Option<String>,
    /// Category, predicate or source.
    pub predicate: String,
    /// Content, object or summary.
    pub object: String,
    /// When it holds.
    pub interval: Interval,
    /// Tags, context, provenance or detail, by name.
    pub notes: Vec<(String, String)>,
    /// Where it stands.
    pub lines: LineRange,
}

impl Statement {
    /// A note by its name.
    pub fn note(&self, name: &str) -> Option<&str> {
        self.notes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The name that a fact's subject or object is compared by: without the brackets of a link, folded.
pub fn name_in_fact(text: &str) -> String {
    let plain = text.trim().trim_matches(['.', ',', ';', '"']);
    let inside = plain.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")).unwrap_or(plain);
    let target = inside.split(['|', '#']).next().unwrap_or(inside);
    lore_page::fold(target.trim())
}

/// A statement with its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRow {
    /// The page it stands on.
    pub page: PageNo,
    /// The statement.
    pub statement: Statement,
}

/// Which statements.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// Of these pages only.
    pub pages: Option<&'a [PageNo]>,
    /// Of this kind only.
    pub kind: Option<StatementKind>,
}

/// Which pages count. Empty fields say nothing.
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
    /// Paths that start so.
    pub path: Option<String>,
    /// This slug.
    pub slug: Option<String>,
    /// Slugs that match this glob; without `*`, that start so.
    pub slug_match: Option<String>,
    /// Titles with these words in them.
    pub title: Option<String>,
    /// Changed at or after, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Changed before, in milliseconds since 1970.
    pub until: Option<i64>,
    /// All of these properties, with these values.
    pub properties: Vec<(String, String)>,
    /// One of these slugs, where there are any.
    pub among: Vec<String>,
    /// Grown old, and without a status of their own.
    pub aged: Option<Aged>,
}

/// When a page counts as old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aged {
    /// Last touched before this, in milliseconds since 1970: by the day its file states, else by the file's time.
    pub before: i64,
    /// Only pages that no other page links to, last touched at or after this.
    pub orphans_since: Option<i64>,
}

/// In which order pages are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Last changed first.
    Updated,
    /// Last touched first: by the day its file states, else by the file's time.
    Touched,
    /// Last made first.
    Created,
    /// By title.
    Title,
}

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many at the most.
    pub limit: usize,
    /// How many to pass over first.
    pub offset: usize,
}

/// A search in the index's terms.
#[derive(Debug)]
pub struct TextQuery<'a> {
    /// What the text must have.
    pub expression: &'a Expression,
    /// Which pages count.
    pub filter: &'a Filter,
    /// How much a word counts where it stands.
    pub weights: Weights,
    /// Which part of the result.
    pub window: Window,
}

/// How much a word counts in an alias or a heading, where one in the text counts 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// In an alias.
    pub aliases: f64,
    /// In a heading.
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
    /// How well; more is better.
    pub score: f64,
}

/// What can be counted over all pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelKind {
    /// Tags.
    Tag,
    /// Types.
    Type,
}

/// How much an index holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages.
    pub pages: u64,
    /// Links that lead to a page.
    pub links: u64,
    /// Links that lead nowhere yet.
    pub pending: u64,
    /// Observations.
    pub observations: u64,
    /// Facts.
    pub facts: u64,
    /// Timeline entries.
    pub entries: u64,
    /// Different tags.
    pub tags: u64,
    /// Pages with something odd about their text.
    pub diagnosed: u64,
    /// Bytes of the database file.
    pub bytes: u64,
}

/// A file that could not be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// From the vault's root.
    pub path: String,
    /// Bytes it had.
    pub size: u64,
    /// Its time, in nanoseconds since 1970.
    pub mtime: i64,
    /// How often in a row.
    pub count: u32,
    /// Why.
    pub reason: String,
}

/// Who wrote a file last through Lore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorship {
    /// What the file was then.
    pub hash: ContentHash,
    /// Who wrote it.
    pub actor: String,
    /// Whether nothing of anybody else's was left in it.
    pub whole: bool,
}

/// A finding of a check that somebody has settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The finding's id.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who settled it.
    pub actor: String,
}

/// Bytes to keep.
#[derive(Debug)]
pub struct NewSnapshot<'a> {
    /// The page's path.
    pub path: &'a str,
    /// The version these bytes were.
    pub version: u64,
    /// Their checksum.
    pub hash: ContentHash,
    /// The bytes.
    pub bytes: &'a [u8],
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who wrote them through Lore; empty when nobody did.
    pub actor: &'a str,
}

/// A kept version of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Its number.
    pub number: i64,
    /// The version it was.
    pub version: u64,
    /// Its checksum.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
    /// When it was replaced, in milliseconds since 1970.
    pub at: i64,
    /// Who wrote it through Lore; empty when nobody did.
    pub actor: String,
}
