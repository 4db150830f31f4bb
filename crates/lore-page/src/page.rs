//! What a page says, in plain types: the result of parsing and the vocabulary of every layer above.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// A page as its text gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The frontmatter in its own order, scalars as text.
    pub properties: Properties,
    /// The lines of the frontmatter, fences included.
    pub frontmatter: Option<LineRange>,
    /// The `title` property, else the file's name without its extension.
    pub title: String,
    /// The text of the first level-one heading of the body, where there is one.
    pub heading_title: Option<String>,
    /// The `id` property.
    pub id: Option<String>,
    /// The `type` property.
    pub kind: Option<String>,
    /// The `status` property.
    pub status: Option<String>,
    /// The `summary` property, else the first blockquote of the truth.
    pub summary: Option<String>,
    /// Frontmatter tags, then inline tags, each once, without `#`.
    pub tags: Vec<String>,
    /// The `aliases`, `alias` and `permalink` properties.
    pub aliases: Vec<String>,
    /// The bytes above the first horizontal rule of the body (without frontmatter).
    pub truth: ByteRange,
    /// The bytes below that rule.
    pub timeline: Option<ByteRange>,
    /// Headings in order, each with the lines of its whole section.
    pub headings: Vec<Heading>,
    /// `- [category] text #tag (context)`.
    pub observations: Vec<Observation>,
    /// Relations and plain links in order of their place in the text.
    pub links: Vec<Link>,
    /// `- predicate:: object {from..until} (source: …)`.
    pub facts: Vec<Fact>,
    /// `- **YYYY-MM-DD** | source — summary`.
    pub entries: Vec<Entry>,
}

/// A page and what was odd about its text. Parsing never fails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The page.
    pub page: Page,
    /// What a person should look at, by line.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something odd in a page's text that did not stop it from being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: u32,
    /// What is odd, as a sentence without a full stop.
    pub message: String,
}

impl Diagnostic {
    /// Whether it is about braces that hold no interval, or one that ends before it begins.
    pub fn is_about_an_interval(&self) -> bool {
        self.message.contains(crate::grammar::NO_INTERVAL)
    }
}

/// Lines from `first` to `last`, both included, counted from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// Bytes of the page's text from `start` up to but not including `end`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl ByteRange {
    /// The text of this range.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A property's value. Null values are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A scalar as it was written; booleans are `True` and `False`.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping, in order.
    Map(Properties),
}

/// Properties in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties(pub Vec<(String, Value)>);

/// A heading with the lines of its section: to the next heading of the same or a higher level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The heading's text without markup.
    pub text: String,
    /// From the heading's own line to the last line of its section, subsections included.
    pub lines: LineRange,
}

/// An atomic statement with a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// What stands in the brackets.
    pub category: String,
    /// The text, its tags kept, its context removed.
    pub content: String,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// What stands in parentheses at the end.
    pub context: Option<String>,
    /// Where it stands.
    pub line: u32,
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkStyle {
    /// `[[Target]]`.
    Wiki,
    /// `[text](path.md)`.
    Markdown,
}

/// A link from this page to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The relation's verb, or `links_to`.
    pub relation: String,
    /// The target: for a wiki link the text before `#` and `|`; for a Markdown link the path from the
    /// vault's root with its extension (as written where it leaves the vault).
    pub target: String,
    /// How it is written.
    pub style: LinkStyle,
    /// What stands after `#`.
    pub heading: Option<String>,
    /// What stands after `|`, or a Markdown link's text.
    pub label: Option<String>,
    /// What stands in parentheses after a relation; for a plain link, the line around it.
    pub context: Option<String>,
    /// When the relation holds.
    pub interval: Interval,
    /// `![[Target]]`.
    pub embed: bool,
    /// Where it stands.
    pub line: u32,
    /// The bytes of the link itself, brackets included.
    pub span: ByteRange,
}

/// The relation of a link that has no verb of its own.
pub const LINKS_TO: &str = "links_to";

/// An assertion with validity and provenance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Whom it is about, where that is not the page.
    pub subject: Option<String>,
    /// What is said of the subject.
    pub predicate: String,
    /// The value, link brackets removed.
    pub object: String,
    /// When it holds.
    pub interval: Interval,
    /// `source: …`.
    pub source: Option<String>,
    /// `by: …`.
    pub by: Option<String>,
    /// `confidence: …` as written.
    pub confidence: Option<String>,
    /// What stands in quotes.
    pub evidence: Option<String>,
    /// Where it stands.
    pub line: u32,
}

/// A timeline entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Where it was learnt.
    pub source: Option<String>,
    /// The first line.
    pub summary: String,
    /// The indented lines that follow, without their indent.
    pub detail: Option<String>,
    /// Where it stands.
    pub lines: LineRange,
}
