//! Compaction: merges related stale pages into one summary page.
//!
//! It runs in three passes. The lifecycle decides which pages are stale; [`plan_compaction`] groups related ones
//! without changing anything; each cluster is then written in one transaction: the summary, the mark on each of its
//! pages, and the links of other pages, which point to the summary from then on. The original pages stay where they
//! are.

mod apply;
mod cluster;
mod extract;
mod page;
mod pairs;
mod plan;
mod prose;
mod repoint;
mod similar_pairs;
mod summarizer;

pub use apply::{Attempt, Compacted, GivenSummary, apply_summaries, compact, preview};
pub use cluster::Connection;
pub use extract::Extractive;
pub(crate) use page::rebase_links;
pub use plan::{Cluster, ClusterTie, CompactPlan, CompactRequest, Measure, Member, plan_compaction};
pub use repoint::Inbound;
pub(crate) use repoint::obstacle;
pub use summarizer::{INSTRUCTIONS, ModelSummarizer, Summarizer, SummarySource, bare, prompt};
