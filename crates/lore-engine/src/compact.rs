//! Compaction: stale pages that belong together become one page that says what is still worth knowing.
//!
//! Three passes. Which pages are stale is the lifecycle's to say; [`plan_compaction`] finds those that belong together
//! and changes nothing; each cluster is then written in one transaction: the summary, the mark on each of its pages, and
//! the links of other pages, which lead to the summary from then on. The pages themselves stay where they are.

mod alike;
mod apply;
mod cluster;
mod extract;
mod page;
mod pairs;
mod plan;
mod prose;
mod repoint;
mod summarizer;

pub use apply::{Attempt, Compacted, GivenSummary, apply_summaries, compact, preview};
pub use cluster::Held;
pub use extract::Extractive;
pub use plan::{Cluster, ClusterTie, CompactPlan, CompactRequest, Measure, Member, plan_compaction};
pub use repoint::Inbound;
pub use summarizer::{INSTRUCTIONS, Source, Summarizer, SummaryError, bare, prompt};
