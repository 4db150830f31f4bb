//! Parses text into a [`Page`] and edits it losslessly: Lore's page grammar, slugs and intervals.
//!
//! This crate is pure: it reads no files, clock or environment. Parsing never fails, and an edit changes only the
//! lines it targets.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_ports::Store; // It knows no database.
//! ```
//! ```compile_fail
//! use lore_vault::Vault; // It reads no files.
//! ```

mod body;
mod conflict;
mod convert;
pub mod edit;
mod format;
mod frontmatter;
mod grammar;
mod interval;
mod markdown;
mod org;
mod page;
mod properties;
mod reader;
mod revision;
mod wiki;

pub use body::{Linkable, heading_links, linkable, prose};
pub use conflict::conflict_markers;
pub use convert::convert;
pub use format::Format;
pub use interval::{Interval, Reversed, overlapping_pairs};
pub use markdown::{page_destination, path_from_root};
pub use reader::parse;

pub use page::{
    ByteRange, Diagnostic, Entry, Fact, Heading, LIFECYCLE_RELATIONS, LINKS_TO, LineRange, Link, LinkStyle,
    Node, Observation, Page, Parsed, Properties, Value,
};
pub use revision::{revision, revision_of_edit};
