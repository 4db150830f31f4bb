//! `lore`: a memory for AI agents and people, in plain files that they own.

mod app;
mod cli;
mod eval;
mod expectations;
mod http;
mod mcp;
mod ops;
mod server;
mod service;
mod setup;
mod skills;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
