//! Reads a page with the reader of its format.

use std::borrow::Cow;

use crate::body::{Blocks, Inline};
use crate::format::Format;
use crate::grammar::{self, Show};
use crate::page::Parsed;
use crate::{frontmatter, markdown, org};

impl Format {
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

    /// Replaces the links in a text with their labels, or with their targets where they have none.
    pub fn link_labels(self, text: &str) -> Cow<'_, str> {
        self.shown_links(text, Show::Label)
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
