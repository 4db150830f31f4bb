//! Text to [`Page`] and back: Lore's page grammar, slugs, intervals and lossless edits.
//!
//! This crate is pure. It reads no file, no clock and no environment; parsing never fails; an edit changes
//! the lines it means to change and no others.

pub mod edit;
mod frontmatter;
mod grammar;
mod interval;
mod markdown;
mod page;
mod properties;
mod slug;
mod wiki;

pub use interval::{Interval, NotADate, PartialDate, Reversed};
pub use markdown::{Linkable, linkable, parse, prose};
pub use page::{
    ByteRange, Diagnostic, Entry, Fact, Heading, LINKS_TO, LineRange, Link, LinkStyle, Observation, Page,
    Parsed, Properties, Value,
};
pub use slug::{fold, observation_permalink, path_slug, relation_permalink, slugify};
