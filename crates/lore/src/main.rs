//! `lore`: a memory for AI agents and people, in plain files that they own.

mod cli;
mod config;
mod environment;
mod eval;
mod expectations;
mod failure;
mod hints;
mod http;
mod mcp;
mod models;
mod ops;
mod server;
mod service;
mod session;
mod setup;
mod skills;
mod summarizers;
mod talk;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
