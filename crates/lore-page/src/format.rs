//! The formats of a page, chosen by the file's extension.

use std::borrow::Cow;

use crate::body::{Blocks, Inline};
use crate::grammar::{self, Show};
use crate::page::Parsed;
use crate::{frontmatter, markdown, org};

/// How a page is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown with YAML frontmatter.
    #[default]
    Markdown,
    /// Org with property drawers.
    Org,
}

impl Format {
    /// Returns the format of the file at a path: Org if it ends in `.org`, otherwise Markdown.
    ///
    /// ```
    /// use lore_page::Format;
    /// assert_eq!(Format::of("notes/Plan.ORG"), Format::Org);
    /// assert_eq!(Format::of("notes/plan.md"), Format::Markdown);
    /// ```
    pub fn of(path: &str) -> Format {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if extension.eq_ignore_ascii_case("org") { Format::Org } else { Format::Markdown }
    }

    /// Guesses the format of a text that comes without a path: Org if it starts with a drawer, a keyword or a headline,
    /// or has an Org link.
    pub fn guess(text: &str) -> Format {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim_start();
        let starts =
            |start: &str| first.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start));
        let has_headline = || text.lines().any(|line| line.starts_with("** ") || line.starts_with("*** "));
        let is_org = starts(":PROPERTIES:")
            || starts("#+")
            || text.contains("[[id:")
            || text.contains("[[file:")
            || text.contains("#+begin_")
            || text.contains("#+BEGIN_")
            || has_headline();
        if is_org { Format::Org } else { Format::Markdown }
    }

    /// Parses a text that has no path.
    pub fn parse(self, text: &str) -> Parsed {
        self.read("", text).0
    }

    /// Parses a page, and also returns the blocks and inline elements it was built from.
    pub(crate) fn read(self, path: &str, text: &str) -> (Parsed, Blocks, Inline) {
        match self {
            Format::Markdown => markdown::read(path, text),
            Format::Org => org::read(path, text),
        }
    }

    /// Returns the byte where the text starts: after the frontmatter, or the drawer and keywords.
    pub fn body_start(self, text: &str) -> usize {
        self.read("", text).0.page.truth.start
    }

    /// Returns the blocks of a body, and the byte where the body starts.
    pub(crate) fn blocks(self, text: &str) -> (Blocks, usize) {
        match self {
            Format::Markdown => {
                let body_start = frontmatter::read(text).body_start;
                (markdown::blocks(text, body_start), body_start)
            }
            Format::Org => org::blocks(text),
        }
    }

    /// Returns the character that headings start with.
    pub(crate) fn heading_mark(self) -> char {
        match self {
            Format::Markdown => '#',
            Format::Org => '*',
        }
    }

    /// Returns the marks before a heading of this level.
    pub(crate) fn heading_marks(self, level: usize) -> String {
        self.heading_mark().to_string().repeat(level)
    }

    /// Returns the level of the sections directly below the title: 2 in Markdown, where the title is a heading, 1 in Org.
    pub fn section_level(self) -> u8 {
        match self {
            Format::Markdown => 2,
            Format::Org => 1,
        }
    }

    /// Whether a level-one heading at the start of a page is its title.
    pub(crate) fn has_title_heading(self) -> bool {
        self == Format::Markdown
    }

    /// Whether a line outside code is a heading.
    pub(crate) fn is_heading_line(self, line: &str) -> bool {
        match self {
            Format::Markdown => line.trim_start().starts_with('#'),
            Format::Org => line.starts_with('*') && line.trim_start_matches('*').starts_with(' '),
        }
    }

    /// Returns the rule between truth and timeline.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Format::Markdown => "---",
            Format::Org => "-----",
        }
    }

    /// Whether a line is a rule of dashes.
    pub(crate) fn is_rule_line(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.rule().len() && line.bytes().all(|byte| byte == b'-')
    }

    /// Writes a text in bold.
    pub(crate) fn bold(self, text: &str) -> String {
        match self {
            Format::Markdown => format!("**{text}**"),
            Format::Org => format!("*{text}*"),
        }
    }

    /// Writes a link.
    pub(crate) fn link(self, target: &str, label: Option<&str>) -> String {
        match (self, label) {
            (_, None) => format!("[[{target}]]"),
            (Format::Markdown, Some(label)) => format!("[[{target}|{label}]]"),
            (Format::Org, Some(label)) => format!("[[{target}][{label}]]"),
        }
    }

    /// Replaces the links in a short text with what they show.
    pub(crate) fn shown_links(self, text: &str, show: Show) -> Cow<'_, str> {
        match self {
            Format::Markdown => grammar::shown_links(text, show),
            Format::Org => org::shown_links(text),
        }
    }
}

/// Parses a page in the format of its path, which is relative to the vault's root, with `/` as separator.
///
/// Parsing never fails: problems become diagnostics, and the rest is still parsed.
///
/// ```
/// let parsed = lore_page::parse("people/ada.md", "- knows [[Charles Babbage]] (since 1833)\n");
/// assert_eq!(parsed.page.title, "ada");
/// assert_eq!(parsed.page.links[0].relation, "knows");
/// let parsed = lore_page::parse("ada.org", "#+title: Ada\nKnows [[id:7][Charles]].\n");
/// assert_eq!(parsed.page.links[0].target, "id:7");
/// ```
pub fn parse(path: &str, text: &str) -> Parsed {
    Format::of(path).read(path, text).0
}
