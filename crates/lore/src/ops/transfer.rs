//! Operations that bring whole sources into a vault and take it out again.

pub mod distill;
pub mod export;
pub mod import;
pub mod imports;
pub mod pack;
