//! Shared by the MCP and HTTP servers: the path of a request, workers that run operations, and background threads that
//! keep indexes up to date.
//!
//! Everything below a face is synchronous. A worker is a thread with its own sessions, and so its own database
//! connections; requests are dispatched to workers and awaited.

mod page_changes;
mod request;
mod stop;
mod vault_worker;
mod wording;
mod workers;

pub use page_changes::PageChanges;
pub use request::{ProgressSender, RequestTarget, resolve, with_project};
pub use stop::stopped;
pub use vault_worker::VaultWorkers;
pub use wording::Face;
#[cfg(test)]
pub use wording::{RequestWording, assert_worded};
pub use workers::{Caller, ClientDirectory, ProgressStep, ServerConfig, Workers};
