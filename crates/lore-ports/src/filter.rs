//! Queries in the index's terms: which pages, names, links and statements, and in which order.

use crate::expression::Expression;
use crate::rows::{PageNo, StatementKind};

/// The names to look up.
#[derive(Debug)]
pub enum NameQuery<'a> {
    /// Any of these names, exactly.
    Exact(&'a [&'a str]),
    /// Up to this many of the ids with this prefix.
    IdPrefix(&'a str, usize),
    /// Every slug, for suggestions.
    AllSlugs,
}

/// Selects links.
#[derive(Debug)]
pub enum LinkFilter<'a> {
    /// Links on these pages, in the given order; those of a page by line.
    From(&'a [PageNo]),
    /// Links to these pages, in the given order; those to a page by path and line.
    To(&'a [PageNo]),
    /// Links that refer to one of these names, resolved or not.
    Named(&'a [&'a str]),
    /// Unresolved links.
    Pending,
    /// Links to a heading or block of a page, sorted by page and line.
    WithHeading,
    /// Links with one of these ids.
    Ids(&'a [u64]),
    /// Links with one of these relations, ignoring case.
    Typed(&'a [&'a str]),
    /// Links with one of these relations that start or end at one of these pages.
    TypedAt(&'a [&'a str], &'a [PageNo]),
    /// Links with an explicit verb, sorted by page and line.
    WithVerb,
}

/// Selects statements.
#[derive(Debug, Default)]
pub struct StatementFilter<'a> {
    /// Only of these pages.
    pub pages: Option<&'a [PageNo]>,
    /// Only of this kind.
    pub kind: Option<StatementKind>,
    /// Only facts whose named subject or whose object is one of these names, each as [`name_in_fact`] gives it.
    ///
    /// [`name_in_fact`]: crate::name_in_fact
    pub naming: Option<&'a [&'a str]>,
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
    /// One of these wings.
    pub wings: Vec<String>,
    /// Path prefix.
    pub path: Option<String>,
    /// This slug.
    pub slug: Option<String>,
    /// A pattern of slugs, as [`SlugPattern::parse`](crate::SlugPattern::parse) reads it.
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
    /// This namespace.
    pub namespace: Option<Namespace>,
}

/// A group of pages: those below a folder, and those that have its name as `namespace`, project, tag or wing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Namespace {
    /// Name, case-folded.
    pub name: String,
    /// Path prefixes.
    pub prefixes: Vec<String>,
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

/// How much a match counts in each column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Weight of the title.
    pub title: f64,
    /// Weight of an alias.
    pub aliases: f64,
    /// Weight of a heading.
    pub headings: f64,
    /// Weight of a tag or property.
    pub tags: f64,
    /// Weight of the summary.
    pub summary: f64,
    /// Weight of the truth.
    pub truth: f64,
    /// Weight of the timeline.
    pub timeline: f64,
}

/// How many pages contain each of several terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFrequencies {
    /// Number of pages.
    pub pages: u64,
    /// Number of pages with each term, in the order asked for.
    pub counts: Vec<u64>,
}

/// A page whose text matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextHit {
    /// The page.
    pub page: PageNo,
    /// The score; higher is better.
    pub score: f64,
}
