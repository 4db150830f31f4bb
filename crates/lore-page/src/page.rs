//! The parsed page as plain types, which every layer above uses.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// A parsed page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Frontmatter properties in file order, with scalars as text.
    pub properties: Properties,
    /// Lines of the frontmatter, including the fences.
    pub frontmatter: Option<LineRange>,
    /// The `title` property, or the file name without its extension.
    pub title: String,
    /// Text of the first level-one heading in the body, if any.
    pub heading_title: Option<String>,
    /// The `id` property.
    pub id: Option<String>,
    /// The `type` property.
    pub kind: Option<String>,
    /// The `status` property.
    pub status: Option<String>,
    /// The `summary` property, or a blockquote directly under the title.
    pub summary: Option<String>,
    /// The first sentence of its prose.
    pub first_sentence: Option<String>,
    /// Frontmatter tags, then inline tags, without duplicates and without `#`.
    pub tags: Vec<String>,
    /// The `aliases`, `alias` and `permalink` properties.
    pub aliases: Vec<String>,
    /// Bytes above the first horizontal rule of the body (without frontmatter).
    pub truth: ByteRange,
    /// Bytes below that rule.
    pub timeline: Option<ByteRange>,
    /// Headings in order, each with the lines of its whole section.
    pub headings: Vec<Heading>,
    /// Observations: `- [category] text #tag (context)`.
    pub observations: Vec<Observation>,
    /// Relations and plain links, ordered by position in the text.
    pub links: Vec<Link>,
    /// Facts: `- predicate:: object {from..until} (source: …)`.
    pub facts: Vec<Fact>,
    /// Timeline entries: `- **YYYY-MM-DD** | source — summary`.
    pub entries: Vec<Entry>,
    /// The `ROAM_REFS` of an Org file: what it is about, as URLs and citation keys, `@key`.
    pub refs: Vec<String>,
    /// Headings of an Org file with an id of their own.
    pub nodes: Vec<Node>,
    /// Lines of the body of an Org file that say nothing themselves: drawers of headings, and keywords.
    pub markup: Vec<LineRange>,
}

/// A heading of an Org file with an id of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The `ID` property.
    pub id: String,
    /// Text of the heading, without markup.
    pub title: String,
    /// The `ROAM_ALIASES` property.
    pub aliases: Vec<String>,
    /// The `ROAM_REFS` property.
    pub refs: Vec<String>,
    /// Its own tags, after those it inherits from the file and the headings above it.
    pub tags: Vec<String>,
    /// The TODO keyword.
    pub todo: Option<String>,
    /// Level of the heading.
    pub level: u8,
    /// Lines from the heading to the end of its section, including subsections.
    pub lines: LineRange,
    /// All properties of the heading.
    pub properties: Properties,
}

impl Page {
    /// Returns the innermost node that contains a line; `None` if that is the page itself.
    pub fn node_at(&self, line: u32) -> Option<&Node> {
        self.nodes.iter().rfind(|node| (node.lines.first..=node.lines.last).contains(&line))
    }

    /// Returns the title to show: the `title` property, else the first level-one heading, else the file name.
    pub fn shown_title(&self) -> &str {
        let declared = self.properties.text("title").is_some_and(|title| !title.trim().is_empty());
        let heading = self.heading_title.as_deref().filter(|heading| !declared && !heading.is_empty());
        heading.unwrap_or(&self.title)
    }

    /// Returns the summary to show: the declared one, else the first sentence.
    pub fn shown_summary(&self) -> Option<&str> {
        self.summary.as_deref().or(self.first_sentence.as_deref())
    }
}

/// A page and its parse warnings. Parsing never fails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The parsed page.
    pub page: Page,
    /// Parse warnings, ordered by line.
    pub diagnostics: Vec<Diagnostic>,
}

/// A problem in a page's text that did not prevent parsing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Line number, starting at 1.
    pub line: u32,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
}

impl Diagnostic {
    /// Returns whether it reports an invalid interval, or one that ends before it starts.
    pub fn is_about_an_interval(&self) -> bool {
        self.message.contains(crate::grammar::NO_INTERVAL)
    }
}

/// An inclusive range of lines, numbered from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// A half-open range of bytes in the page's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl ByteRange {
    /// Returns the text of this range, or an empty string if the range is not valid in `text`.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A property value. Null values are dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A scalar as written; booleans become `True` and `False`.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping, in file order.
    Map(Properties),
}

/// Properties in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties(pub Vec<(String, Value)>);

/// A heading and its section, which extends to the next heading of the same or a higher level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Level: from 1 to 6 in Markdown, from 1 in Org.
    pub level: u8,
    /// Text of the heading, without markup.
    pub text: String,
    /// Lines from the heading to the end of its section, including subsections.
    pub lines: LineRange,
}

/// An atomic statement with a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The text in brackets.
    pub category: String,
    /// The text with its tags, without its context.
    pub content: String,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// The text in parentheses at the end.
    pub context: Option<String>,
    /// Line number, starting at 1.
    pub line: u32,
}

/// The syntax of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkStyle {
    /// By name: `[[Target]]`, and in Org `[[id:…]]` and `[[roam:…]]`.
    Wiki,
    /// By path: `[text](path.md)`, and in Org `[[file:path.org]]`.
    Markdown,
}

/// A link from this page to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The relation's verb, or `links_to`.
    pub relation: String,
    /// The target. For a wiki link, the text before `#` and `|`. For a Markdown link, the path from the vault's root,
    /// with its extension; a path that leaves the vault stays as written.
    pub target: String,
    /// The syntax.
    pub style: LinkStyle,
    /// The text after `#`.
    pub heading: Option<String>,
    /// The text after `|`, or the text of a Markdown link.
    pub label: Option<String>,
    /// The text in parentheses after a relation; for a plain link, the line that contains it.
    pub context: Option<String>,
    /// When the relation is valid.
    pub interval: Interval,
    /// Whether the link is an embed: `![[Target]]`.
    pub embed: bool,
    /// Line number, starting at 1.
    pub line: u32,
    /// Bytes of the link itself, including the brackets; empty for a link in the frontmatter.
    pub span: ByteRange,
}

/// The relations that determine the lifecycle of pages, in all accepted spellings. They are matched ignoring case.
pub const LIFECYCLE_RELATIONS: [&str; 5] =
    ["supersedes", "superseded_by", "superseded-by", "superseded by", "contradicts"];

/// The relation of a link without a verb.
pub const LINKS_TO: &str = "links_to";

/// An assertion with validity and provenance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The subject, if it is not the page itself.
    pub subject: Option<String>,
    /// The predicate.
    pub predicate: String,
    /// The value, without link brackets.
    pub object: String,
    /// When the fact is valid.
    pub interval: Interval,
    /// The value of `source:`.
    pub source: Option<String>,
    /// The value of `by:`.
    pub by: Option<String>,
    /// The value of `confidence:`, as written.
    pub confidence: Option<String>,
    /// The quoted evidence.
    pub evidence: Option<String>,
    /// Line number, starting at 1.
    pub line: u32,
}

/// A timeline entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Date: `YYYY-MM-DD`, a month, a year, or a range of these as `from..until`.
    pub date: String,
    /// Where the information came from.
    pub source: Option<String>,
    /// The summary on the first line.
    pub summary: String,
    /// The indented lines that follow, without their indent.
    pub detail: Option<String>,
    /// Lines of the entry.
    pub lines: LineRange,
}

impl Entry {
    /// Returns the days it covers.
    pub fn interval(&self) -> Interval {
        crate::grammar::entry_dates(&self.date).unwrap_or_default()
    }
}

impl Link {
    /// Returns the slug of the target, under which an unresolved link is stored.
    pub fn target_key(&self) -> String {
        lore_text::slugify(&self.target)
    }
}
