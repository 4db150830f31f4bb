//! Operations that find: search, questions, context for agents.

pub mod build_context;
pub mod context;
pub mod query;
pub mod search;
