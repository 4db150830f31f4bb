//! Operations that find: search, questions, context for agents.

pub mod briefing;
pub mod build_context;
pub mod context;
pub mod full_text;
pub mod query;
pub mod request;
pub mod verdict;
