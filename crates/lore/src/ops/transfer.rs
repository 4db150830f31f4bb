//! Operations that bring whole sources into a vault and take it out again.

pub mod import;
pub mod imports;
