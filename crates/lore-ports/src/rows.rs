//! Plain rows: what the index stores of pages, links and structured lines.

use lore_page::{Diagnostic, Interval, LineRange, Properties};
use lore_text::{ContentHash, Language};

use crate::chunk::ChunkDraft;

/// A project's number in its database.
pub type ProjectNo = i64;

/// The number of a checkout of a project: one directory on one machine.
pub type ReplicaNo = i64;

/// A page's number in its index. It is not given to another page later. It changes when the index is rebuilt, so nothing
/// outside may store it.
pub type PageNo = i64;

/// A change to one page of the index.
#[derive(Debug)]
pub enum PageWrite<'a> {
    /// Writes a page under its path, replacing what was there.
    Put(Box<PageDraft>),
    /// Records the new time of a file whose bytes are unchanged: `mtime` as the fingerprint keeps it, and when the page
    /// changed in milliseconds since 1970.
    Touch {
        /// The page.
        page: PageNo,
        /// Nanoseconds since 1970; 0 when not to be trusted.
        mtime: i64,
        /// Milliseconds since 1970.
        updated: i64,
    },
    /// Moves a page to another path; it keeps its number, and the page at that path is removed.
    Move {
        /// The page.
        page: PageNo,
        /// Its new path.
        to: &'a str,
    },
    /// Removes a page. Links to it become pending.
    Remove(PageNo),
}

/// The effect of a [`PageWrite`].
#[derive(Debug)]
pub struct PageWritten {
    /// The page.
    pub page: PageNo,
    /// The names that came to mean another page, or none: links to them must be resolved again.
    pub names: Vec<String>,
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
    DesiredSlug = 7,
    /// A path that it had before it was moved outside Lore, the slug of that path, or the end of that slug.
    Former = 8,
}

impl KeyKind {
    /// Returns the kind with this number.
    pub fn from_number(number: u8) -> KeyKind {
        use KeyKind::{Alias, DesiredSlug, Former, Id, NameSlug, Path, Slug, Suffix, Title};
        [Id, Slug, Path, Title, Alias, NameSlug, Suffix, DesiredSlug, Former][usize::from(number.min(8))]
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

/// Everything the index stores about a page.
#[derive(Debug)]
pub struct PageDraft {
    /// The row.
    pub row: PageRow,
    /// Modification time in nanoseconds since 1970; 0 when it cannot be trusted.
    pub mtime: i64,
    /// The latest of its `reviewed` and `updated` dates, in milliseconds since 1970.
    pub declared_date: Option<i64>,
    /// Names that refer to it.
    pub keys: Vec<(KeyKind, String)>,
    /// Outbound links.
    pub links: Vec<LinkDraft>,
    /// Observations, facts and entries.
    pub statements: Vec<Statement>,
    /// The chunks to embed.
    pub chunks: Vec<ChunkDraft>,
    /// The terms to search.
    pub text: SearchText,
}

/// A page's terms by column, separated by spaces, as [`lore_text::search_terms`] gives them. A store splits them at the
/// spaces and matches them as they are: folding, stemming and scripts are decided above it.
#[derive(Debug, Default)]
pub struct SearchText {
    /// Title.
    pub title: String,
    /// Aliases and the first heading.
    pub aliases: String,
    /// Headings.
    pub headings: String,
    /// Tags and property values.
    pub tags: String,
    /// Summary.
    pub summary: String,
    /// Text above the first horizontal rule.
    pub truth: String,
    /// Text below it.
    pub timeline: String,
    /// The language whose stems they are.
    pub language: Language,
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
    /// Its row number, for [`resolve_links`](crate::Index::resolve_links).
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
    lore_text::fold(target.trim())
}

/// A statement with its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRow {
    /// The page that contains it.
    pub page: PageNo,
    /// The statement.
    pub statement: Statement,
}

/// Labels that can be counted over all pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelKind {
    /// Tags.
    Tag,
    /// Types.
    Type,
    /// Wings, case-folded.
    Wing,
    /// Languages other than English, by code.
    Language,
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
