//! The grammar of structured lines, on the text of one list item: what Markdown and Org have in common.
//!
//! Each reader takes the item's text on one line and returns `None` when it is something else. Text that was
//! clearly meant to be such a line and is not gives a diagnostic.

mod entry;
mod fact;
mod observation;
mod relation;
mod tail;
mod words;

pub(crate) use entry::entry;
pub(crate) use fact::fact;
pub(crate) use observation::observation;
pub(crate) use relation::{Relation, is_verb, relation};
pub(crate) use tail::NO_INTERVAL;
pub(crate) use words::{Show, shown_links, tag_end};

/// What is odd about a line, as a sentence without a full stop; the caller knows the line.
pub(crate) type Oddities = Vec<String>;
