//! The rules of Lore. Files are the source of truth; one reconcile brings the index up to date with them, and every
//! write goes through one function. Synchronous and database-agnostic: it declares the [`Index`] and [`Ledger`] traits.

mod capture;
pub mod check;
mod chunk;
mod compact;
pub mod compare;
mod curate;
mod diff;
mod draft;
mod embed;
mod error;
mod expand;
mod facts;
pub mod fault;
mod fields;
mod gaps;
pub mod generated;
pub mod git;
mod graph;
mod hash;
pub mod history;
mod index;
mod ingest;
mod inject;
mod intake;
mod lifecycle;
mod likeness;
mod lint;
mod meaning;
mod memory;
mod mentions;
mod novelty;
mod past;
mod policy;
mod process;
mod profile;
mod progress;
mod project_slug;
mod projects;
mod raw;
mod reconcile;
mod refresh;
mod relations;
mod relink;
mod relocate;
mod resolve;
mod search;
pub mod secrets;
mod timeframe;
pub mod upkeep;
mod validate;
pub mod vault;
mod vectors;
mod watch;
mod write;

pub use capture::{CaptureRequest, Captured, Comparison, NewCapture, Similar, Way, capture, similar_pages};
pub use chunk::{Chunk, ChunkDraft, ChunkKind, chunks, estimate_tokens};
pub use compact::{
    Attempt, Cluster, ClusterTie, CompactPlan, CompactRequest, Compacted, Extractive, GivenSummary, Held,
    INSTRUCTIONS, Inbound, Measure, Member, Source, Summarizer, SummaryError, apply_summaries, bare, compact,
    plan_compaction, preview, prompt,
};
pub use curate::{Alike, Broken, Curation, curate, curation_due, mark_curated};
pub use diff::Trust;
pub use embed::{EmbedError, EmbedResult, Embedder, ModelIdentity, Models};
pub use error::{Code, Error, Result};
pub use expand::{Budget, Budgeted, Depth, Opened, expand};
pub use facts::{FactQuery, FactRow, FactWritten, FoundFacts, NewAssertion, add_fact, facts};
pub use fields::{FieldHit, search_fields, updated};
pub use gaps::{Approval, NewGap, add_gap, approve_gap, check_gaps, gap_id, resolve_gap, weigh};
pub use graph::{Chain, Neighbourhood, Reach, Temporal};
pub use hash::ContentHash;
pub use index::{
    Aged, Authorship, Counts, Failure, Filter, Fingerprint, Forget, Index, KeyKind, KeyRow, LabelKind,
    Ledger, LinkDraft, LinkEnds, LinkRow, Names, NewSnapshot, Order, PageDraft, PageNo, PageRow, ProjectNo,
    PutPage, SearchText, Settled, SnapshotRow, Statement, StatementKind, StatementRow, Store, TextHit,
    TextQuery, Wanted, Weights, Window, name_in_fact,
};
pub use ingest::{
    Derived, Evidence, IngestReport, IngestRequest, Ingested, Mention, PageIngest, PageReport, SourceNovelty,
    SourceText, ingest,
};
pub use inject::{Injected, injected};
pub use intake::{GapCounts, GapRow, ImportRow, ImportsOf, Intake, NewImport, Sensitivity, Which};
pub use lifecycle::{
    Brief, BriefRequest, Conflict, Node, Reason, Stale, State, Stated, StatusChange, brief, conflicts,
    find_stale, is_live, plan_status, short_id, stale_pages, states, supersession,
};
pub use lint::{Finding, FixRequest, Fixed, fix, lint, new_id};
pub use meaning::{Embedded, choose_model, drain_queue, embed_pending};
pub use memory::{Author, Clock, Memory, Parts};
pub use mentions::{LinksMade, MissingLink, add_missing_links, missing_links};
pub use novelty::{Novelty, Verdict, jaccard};
pub use past::{OpenStore, Past};
pub use policy::{
    DEFAULT_TYPE, Level, Limits, Lint, OnEdited, Owner, POLICY_FILE, Policy, Rule, Verb, line_of, verbs,
};
pub use process::{ProgramError, run_program};
pub use profile::{Profile, fill};
pub use progress::{Progress, unwatched};
pub use project_slug::project_slug;
pub use projects::{Chosen, Projects};
pub use raw::RawText;
pub use reconcile::Report;
pub use refresh::{Scope, refresh};
pub use relations::{LinkWritten, NewLink, Unlinked, close_link, link, unlink};
pub use relocate::relocate;
pub use search::{
    Excerpt, Expression, Fusion, Hit, HitKind, Mode, SearchRequest, SearchResult, Signals, prepare, set_apart,
};
pub use timeframe::{since, until};
pub use validate::{Check, duplicate_ids, validate};
pub use vault::Skipped;
pub use vectors::{ChunkHit, ChunkRow, ModelNo, ModelRow, VectorQuery, Vectors};
pub use watch::{DEBOUNCE, Event, Follow, Watching, follow, watch};
pub use write::{
    Action, Authority, Edit, GitState, Noted, Outcome, PageChange, PushFailure, Receipt, TakenIn, Terms,
    Written, begin, commit_by_hand, git_state, pull, push, reach_remote, refresh_generated, write, write_as,
};
