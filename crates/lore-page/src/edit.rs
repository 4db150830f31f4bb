//! Lossless edits: text in, text out, with every line that is not meant left byte for byte as it was.
//!
//! An edit never normalises. It finds the lines it is about by parsing, replaces just those, writes new ones
//! with the file's own line ending, and gives the same text back when there is nothing to change. An edit
//! that writes a structured line parses the result and refuses what would not read back as it was meant.

mod doc;
mod entry;
mod fact;
mod heading;
mod items;
mod layout;
mod lines;
mod link;
mod mention;
mod outline;
mod property;
mod relation;
mod removal;
mod section;
mod tag;
mod text;
mod truth;
mod write;

pub use entry::{NewEntry, add_entry};
pub use fact::{NewFact, add_fact, close_fact};
pub use heading::{demote_headings, rename_heading};
pub use items::section_items;
pub use link::{repoint_links, retarget_links};
pub use mention::{LinkTo, link_words};
pub use outline::{SectionPlace, remove_sections, sections};
pub use property::{remove_property, set_property};
pub use relation::{NewRelation, add_relation, close_relation, remove_link_line};
pub use removal::remove_relation;
pub use section::{insert_after_section, insert_before_section, replace_section};
pub use tag::{add_tag, remove_tag};
pub use text::{append, prepend, replace_text};
pub use truth::{add_to_truth, replace_truth};

/// Why an edit was refused. The text is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The frontmatter cannot be changed safely as it stands.
    #[error("line {line}: {message}; mend the frontmatter first")]
    Frontmatter {
        /// The line to look at.
        line: u32,
        /// What is wrong with it.
        message: String,
    },
    /// The frontmatter would not read back as it was meant, or other properties would change with this one.
    #[error("changing the property `{key}` would not read back as meant; edit its line in the file")]
    Property {
        /// The key.
        key: String,
    },
    /// A tag of nothing.
    #[error("a tag needs at least one character besides `#`, on one line")]
    EmptyTag,
    /// The tag is part of the prose, which only its author can rephrase.
    #[error("the tag `{tag}` is not in the frontmatter but in the text of line {line}; edit that line")]
    InlineTag {
        /// The tag, without `#`.
        tag: String,
        /// Where it stands.
        line: u32,
    },
    /// There is nothing to look for.
    #[error("the text to find is empty; give the text that is to be replaced")]
    EmptyFind,
    /// The text occurs more or less often than expected.
    #[error("the text occurs {found} times, not {expected}; {}", count_hint(*found))]
    Count {
        /// How often it occurs.
        found: usize,
        /// How often it was expected.
        expected: usize,
    },
    /// No heading has this text.
    #[error("no section is called {heading:?}; {}", list_sections(sections))]
    NoSection {
        /// What was asked for.
        heading: String,
        /// What there is.
        sections: Vec<String>,
    },
    /// More than one heading has this text.
    #[error("{count} sections are called {heading:?}; give its heading path, such as {example:?}")]
    AmbiguousSection {
        /// What was asked for.
        heading: String,
        /// How many there are.
        count: usize,
        /// A path that names one of them.
        example: String,
    },
    /// The page's timeline would begin elsewhere.
    #[error(
        "the text has a rule (`---`) or an open code block, so the timeline would begin elsewhere; take it out or close it"
    )]
    Timeline,
    /// The line holds no relation.
    #[error("line {line} holds no relation; read the page again for its present lines")]
    NoRelation {
        /// The line that was given.
        line: u32,
    },
    /// Something else on the page belongs to the line, and would belong to another without it.
    #[error(
        "line {line} has more below it that belongs to it; move that first, or edit the lines in the file"
    )]
    Holds {
        /// The line that was given.
        line: u32,
    },
    /// The line holds no fact.
    #[error("line {line} holds no fact; read the page again for its present lines")]
    NoFact {
        /// The line that was given.
        line: u32,
    },
    /// An end before the beginning.
    #[error("line {line} holds from {from}, which is after {until}; give a later end")]
    EndsBeforeItBegins {
        /// The line of the relation or fact.
        line: u32,
        /// When it begins.
        from: String,
        /// The end that was given.
        until: String,
    },
    /// A timeline entry without a day.
    #[error("{date:?} is not a day; write YYYY-MM-DD")]
    NotADay {
        /// What was given.
        date: String,
    },
    /// A part that every such line needs is empty.
    #[error("the {part} is empty; give one")]
    Missing {
        /// What is empty, such as `target`.
        part: &'static str,
    },
    /// The line would be read as something else.
    #[error(
        "the line `{line}` would not read back as {kind}; leave out brackets, braces, parentheses and dashes, \
         and close any code block above it"
    )]
    Unreadable {
        /// `a relation`, `a fact`, `an entry` or `a heading`.
        kind: &'static str,
        /// The line as it would be written.
        line: String,
    },
}

fn count_hint(found: usize) -> &'static str {
    match found {
        0 => "read the page again for its present text",
        _ => "give a longer text or the right count",
    }
}

fn list_sections(sections: &[String]) -> String {
    if sections.is_empty() {
        "the page has no sections".to_owned()
    } else {
        format!("sections: {}", sections.join(", "))
    }
}

#[cfg(test)]
mod tests;
