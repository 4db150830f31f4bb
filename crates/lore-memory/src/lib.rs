//! What Lore does with its pages, on top of the engine: capture, ingest, facts, contradiction checks, compaction,
//! curation, gaps, generated files, daily pages and the brief.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_embed::StaticModel; // It knows no provider of models.
//! ```

mod brief;
mod capture;
pub mod check;
mod compact;
mod curate;
pub mod daily;
mod derived;
mod distill;
mod export;
mod facts;
mod gaps;
pub mod generated;
mod hooks;
mod import;
pub mod inbox;
mod ingest;
mod inject;
mod lint_fix;
mod mentions;
mod merge;
mod mirror;
mod novelty;
mod page_text;
mod raw_captures;
pub mod retention;
pub mod routine;
mod routine_list;
pub mod schema;
mod scope;
mod secrets;
mod tables;
mod validate;

pub use brief::{Brief, BriefRequest, Node, brief, short_id};
pub use capture::{
    CaptureRequest, Captured, Comparison, NewCapture, Similar, SimilarityMethod, capture, similar_pages,
    similar_pages_in,
};
pub use compact::{
    Attempt, Cluster, ClusterTie, CompactPlan, CompactRequest, Compacted, Connection, Extractive,
    GivenSummary, INSTRUCTIONS, Inbound, Measure, Member, ModelSummarizer, Summarizer, SummarySource,
    apply_summaries, bare, compact, plan_compaction, preview, prompt,
};
pub use curate::{BrokenLink, Curation, TagVariants, curate, curation_due, mark_curated};
pub use distill::{Candidate, CandidateKind, Distilled, distill};
pub use export::{Difference, ExportFormat, Exported, TreeComparison, compare_trees, export, export_raw};
pub use facts::{
    FactQuery, FactRow, FactWritten, FoundFacts, NewAssertion, add_fact, fact_contradictions, facts,
};
pub use gaps::{
    Approval, NewGap, add_gap, approve_gap, check_gaps, gap_id, is_watched, record_answer, resolve_gap,
    unrecorded_answer,
};
pub use hooks::FeatureHooks;
pub use import::{
    ImportKind, ImportOptions, ImportOutcome, ImportReport, ImportedPage, Manifest, OriginalFile, import,
    import_batches, manifest_of,
};
pub use ingest::{
    DateOrigin, Evidence, IngestReport, IngestRequest, Ingested, PageIngest, PageReport, RewriteOutcome,
    SourceNovelty, SourceText, ingest,
};
pub use inject::{Injected, injected};
pub use lint_fix::{FixRequest, Fixed, fix, new_id};
pub use mentions::{LinksAdded, Mention, MissingLink, add_missing_links, missing_links};
pub use merge::{
    DroppedValue, MergePlan, SplitPart, SplitPlan, apply_merge, apply_split, plan_merge, plan_split,
};
pub use mirror::{Mirrored, mirrored_pages};
pub use novelty::{Novelty, NoveltyKind, jaccard};
pub use raw_captures::RawText;
pub use secrets::{Purged, SecretLocation, SecretOccurrence, purge_secrets, scan_history, scan_secrets};
pub use tables::{Row, TableData, read_table, remove_table_row, set_table_row};
pub use validate::validate;
