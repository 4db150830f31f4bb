//! What Lore writes by itself from the pages: whole files under a seal, and blocks between two markers.
//!
//! A generated file is for navigation and says nothing of its own, so that no page has a link, a tag or a
//! statement from it: whatever a title or a summary holds, it is written as plain text.

mod block;
mod catalogue;
mod due;
mod lists;
mod seal;
mod text;

pub use block::{CLOSE, OPEN, put_block};
pub use catalogue::{BUDGET, Node, Section, catalogue};
pub use due::{broken_blocks, due, every_path, whole_files};
pub use lists::{FileLine, PolicyLine, file_catalogue, folder_list, redaction, registry};
pub use seal::{Seal, is_merged, seal, state_of};

#[cfg(test)]
mod tests;
