//! Lossless edits: text in, text out, with every line outside the edit kept byte for byte.
//!
//! An edit never normalizes. It finds its lines by parsing, replaces only those, writes new ones with the file's own
//! line ending, and returns the same text if there is nothing to change. An edit that writes a structured line parses
//! the result and fails if the line does not read back as intended.

mod batch;
mod carry;
mod combine;
mod doc;
mod entry;
mod fact;
mod heading;
mod items;
mod layout;
mod lines;
mod link;
mod mention;
mod node;
mod org_heading;
mod org_link;
mod org_property;
mod outline;
mod own_link;
mod property;
mod relation;
mod removal;
mod section;
mod table;
mod tag;
mod text;
mod truth;
mod write;

pub use batch::{add_entries, add_relations};
pub use carry::{Dropped, LineChanges, LineKind, RewriteTerms, Rewritten, carry_over};
pub use combine::combine;
pub use entry::{NewEntry, add_entry};
pub use fact::{NewFact, add_fact, close_fact};
pub use heading::{demote_headings, promote_headings, rename_heading};
pub use items::section_items;
pub use link::{repoint_links, retarget_links};
pub use mention::{LinkTo, link_words};
pub use node::{
    add_node_tag, append_to_node, edit_node, edit_node_property, prepend_to_node, remove_node_tag,
};
pub use outline::{SectionPlace, remove_sections, sections};
pub use own_link::{MovedTo, OwnLink, retarget_own_links};
pub use property::{TypedValue, remove_property, set_property, set_typed_property};
pub use relation::{NewRelation, add_relation, close_relation, remove_link_line};
pub use removal::remove_relation;
pub use section::{
    append_to_section, insert_after_section, insert_before_section, insert_below_heading, replace_in_section,
    replace_own_text, replace_section,
};
pub use table::{TableRow, TableText, put_row, remove_row, table};
pub use tag::{add_tag, remove_tag};
pub use text::{append, prepend, replace_text};
pub use truth::{add_to_truth, replace_truth};

/// Why an edit failed. The text is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The frontmatter cannot be edited safely.
    #[error("line {line}: {message}; fix the frontmatter and retry")]
    Frontmatter {
        /// Line of the problem.
        line: u32,
        /// What is wrong.
        message: String,
    },
    /// The property would not read back as intended, or other properties would change with it.
    #[error("cannot change property `{key}` safely; edit its line in the file")]
    Property {
        /// Key of the property.
        key: String,
    },
    /// The tag is empty or has more than one line.
    #[error("a tag must be a single line with at least one character besides `#`")]
    EmptyTag,
    /// The tag is part of the prose, which only its author can rephrase.
    #[error("tag `{tag}` is in the text on line {line}, not in the frontmatter; edit that line")]
    InlineTag {
        /// The tag, without `#`.
        tag: String,
        /// Line of the tag.
        line: u32,
    },
    /// The tag of a node is that of the file or of a heading above it.
    #[error("tag `{tag}` is inherited from the file or a heading above; remove it there")]
    InheritedTag {
        /// The tag.
        tag: String,
    },
    /// There is no heading with an id on the line.
    #[error("no heading with an id on line {line}; read the page for its current lines")]
    NoNode {
        /// The given line.
        line: u32,
    },
    /// The text to find is empty.
    #[error("the text to find is empty; give the text to replace")]
    EmptyFind,
    /// The text occurs more or less often than expected.
    #[error("the text occurs {found} times, expected {expected}; {}", count_hint(*found))]
    Count {
        /// Number of occurrences.
        found: usize,
        /// Expected number of occurrences.
        expected: usize,
    },
    /// No heading has this text.
    #[error("no section named {heading:?}; {}", list_sections(sections))]
    NoSection {
        /// The requested heading.
        heading: String,
        /// The headings of the page.
        sections: Vec<String>,
    },
    /// More than one heading has this text.
    #[error("{count} sections are named {heading:?}; give a heading path, such as {example:?}")]
    AmbiguousSection {
        /// The requested heading.
        heading: String,
        /// Number of headings with this text.
        count: usize,
        /// A heading path that names one of them.
        example: String,
    },
    /// The timeline would start elsewhere.
    #[error(
        "the text has a rule (`---`) or an unclosed code block, which would move the timeline; remove or close it"
    )]
    Timeline,
    /// A line to drop is not on the page.
    #[error("no line `{line}` to drop; read the page for its current lines")]
    NoLine {
        /// The given line.
        line: String,
    },
    /// The new text lacks a heading with an id.
    #[error(
        "the text lacks the heading {heading:?} with the id {id}, to which links may lead; keep it with its property \
         drawer, or drop it by its id"
    )]
    LostNode {
        /// Text of the heading.
        heading: String,
        /// Its id.
        id: String,
    },
    /// The new text is that of a single heading of the page.
    #[error(
        "the text is only that of the heading {heading:?} with the id {id}, and would replace the whole page; replace \
         the section {heading:?} instead"
    )]
    LoneNode {
        /// Text of the heading.
        heading: String,
        /// Its id.
        id: String,
    },
    /// Lines of the page that are kept would not parse in the new text.
    #[error(
        "the text would hide {count} structured {} of the page; close its code blocks and comments",
        if *count == 1 { "line" } else { "lines" }
    )]
    Hidden {
        /// Number of lines.
        count: usize,
    },
    /// There is no relation on the line.
    #[error("no relation on line {line}; read the page for its current lines")]
    NoRelation {
        /// The given line.
        line: u32,
    },
    /// The line has nested content, which would become part of another item without it.
    #[error("line {line} has nested content; move that first, or edit the lines in the file")]
    NestedContent {
        /// The given line.
        line: u32,
    },
    /// There is no fact on the line.
    #[error("no fact on line {line}; read the page for its current lines")]
    NoFact {
        /// The given line.
        line: u32,
    },
    /// The end date is before the start date.
    #[error("line {line} is valid from {from}, which is after {until}; give a later end date")]
    EndBeforeStart {
        /// Line of the relation or fact.
        line: u32,
        /// Start date.
        from: String,
        /// The given end date.
        until: String,
    },
    /// The date of a timeline entry is not valid.
    #[error(
        "invalid date {date:?}; use YYYY-MM-DD, YYYY-MM, YYYY, or a range such as 2022-03-10..2022-03-16"
    )]
    NotADay {
        /// The given date.
        date: String,
    },
    /// A required part of a line is empty.
    #[error("the {part} must not be empty")]
    Missing {
        /// Name of the part, such as `target`.
        part: &'static str,
    },
    /// The line would parse as something else.
    #[error("the line `{line}` would not parse as {kind}: {}", advice(part, *character))]
    Unreadable {
        /// Expected kind: `a relation`, `a fact`, `an entry` or `a heading`.
        kind: &'static str,
        /// The line as it would be written.
        line: String,
        /// The part that is the reason.
        part: &'static str,
        /// The first character in it that has a meaning there.
        character: Option<char>,
    },
}

impl EditError {
    /// Returns the error for a line that would not parse because of the text of one part.
    fn unreadable(kind: &'static str, line: &str, part: &'static str, text: &str) -> EditError {
        let character = text.chars().find(|c| "[]{}()<>|:;`*#%\"\\—–".contains(*c) || c.is_control());
        EditError::Unreadable { kind, line: line.to_owned(), part, character }
    }
}

fn advice(part: &str, character: Option<char>) -> String {
    match character {
        _ if part == "place" => "close the code block or comment above it".to_owned(),
        Some(character) => format!("change its {part}, which contains {character:?}"),
        None => format!("change its {part}"),
    }
}

fn count_hint(found: usize) -> &'static str {
    match found {
        0 => "read the page for its current text",
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
