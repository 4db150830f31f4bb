//! Generated content: whole files with a seal, and blocks between two markers.
//!
//! A generated file is for navigation only. It adds no links, tags or statements to any page: titles and summaries are
//! written as escaped plain text.

mod block;
mod catalogue;
mod edit_state;
mod findings;
mod lists;
mod stale;
mod text;

pub use block::{CLOSE, OPEN, put_block, put_block_in, without_block};
pub use catalogue::{BUDGET, CatalogueEntry, CatalogueSection, catalogue};
pub use edit_state::{EditState, is_merged, seal, state_of};
pub(crate) use findings::{edited_findings, generated_findings};
pub use lists::{
    FileLine, PolicyLine, active_list, file_catalogue, flow_table, folder_list, inbox_list, redaction,
    registry,
};
pub use stale::{broken_blocks, every_path, stale_files, whole_files};

#[cfg(test)]
mod tests;
