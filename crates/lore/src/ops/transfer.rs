//! Operations that bring whole sources into a vault and take it out again.

mod basic_memory;
pub mod distill;
pub mod export;
pub mod import;
mod import_output;
pub mod imports;
pub mod pack;
