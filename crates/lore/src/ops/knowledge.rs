//! Operations on knowledge: links, facts, checks, capture, ingest, lifecycle, lint.

pub mod capture;
pub mod check;
pub mod compact;
pub mod curate;
pub mod facts;
pub mod gaps;
pub mod generate;
pub mod graph;
pub mod ingest;
pub mod link;
pub mod links;
pub mod lint;
pub mod merge;
pub mod path;
pub mod schema;
pub mod set_status;
pub mod stale;
