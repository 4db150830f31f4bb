//! The grammar of structured lines, applied to the text of one list item. Markdown and Org share it.
//!
//! Each parser takes an item's text on one line and returns `None` if it is something else. Text that looks like such a
//! line but is malformed gives a diagnostic.

mod entry;
mod escape;
mod fact;
mod observation;
mod relation;
mod tail;
mod words;

pub(crate) use entry::{entry, entry_dates, separators, without_braces};
pub(crate) use escape::{CONTEXT, ENTRY_SOURCE, OBJECT, PROVENANCE, SUMMARY, escape, escape_where, unescape};
pub(crate) use fact::fact;
pub(crate) use observation::observation;
pub(crate) use relation::{Relation, is_verb, relation};
pub(crate) use tail::NO_INTERVAL;
pub(crate) use words::{Show, shown_links, tag_end, tags};

/// The relations that a label in capitals before a link gives it, anywhere in an Org file.
pub(crate) const RELATION_LABELS: [&str; 5] =
    ["supersedes", "contradicts", "relates_to", "implements", "derived_from"];

/// Warnings about a line, each a sentence without a full stop; the caller adds the line number.
pub(crate) type LineWarnings = Vec<String>;
