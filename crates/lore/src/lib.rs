//! The command `lore`: a memory for AI agents and people, in plain files that they own.
//!
//! A library only so that `main.rs` and the fuzz targets can share it; it has no stable interface.

mod app;
mod cli;
mod eval;
mod expectations;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod http;
mod mcp;
mod ops;
mod server;
mod service;
mod setup;
mod skills;

pub use cli::main;
