//! The spine of Lore: policy, index, the one write path, lint, lifecycle, search, graph and history.
//!
//! Files are the truth; the index follows them through one reconcile; every write goes through one function. It is
//! synchronous, has no database and touches no file itself: it works through the ports and the vault.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_sqlite::SqliteStore; // It knows no database.
//! ```
//! ```compile_fail
//! use lore_memory::capture; // It knows no feature.
//! ```

mod change;
mod context;
mod error;
mod expiry;
mod graph;
pub mod history;
mod hooks;
mod index;
pub mod lifecycle;
mod lint;
mod note;
mod policy;
mod refresh;
mod search;
mod write;

pub use change::{
    Action, Authority, Edit, ImportNote, LedgerNotes, Outcome, PageChange, PreparedChange, Receipt,
    WriteOptions, Written,
};
pub use context::{Access, Author, Clock, ContextParts, VaultContext};
pub use error::{Code, Error, LISTED_FINDINGS, Result};
pub use expiry::LedgerTime;
pub use graph::{Chain, Neighbour, Neighbourhood, Neighbours, Reach, Temporal, neighbours};
pub use history::{Chosen, CommitView, OpenStore, Projects};
pub use hooks::{Derived, FindingScope, FurtherChange, Hooks, NoHooks, Rewrites};
pub use index::{
    Check, Chunk, Embedded, Proposal, ReconcileScope, Report, Resolution, ScanMode, as_path, choose,
    choose_model, chunks, drain_queue, duplicate_ids, embed_pending, find, is_lossy_slug, names_of,
    reconcile, resolve, resolve_targets, validate, without_scheme,
};
pub use lifecycle::{
    Conflict, Reason, Stale, State, Stated, StatusChange, conflicts, find_stale, is_live, plan_status,
    stale_pages, states, status, supersession, touched,
};
pub use lint::{
    Findings, file_findings, lint, page_findings, property_values, refuse, refuse_name, refuse_secret,
    refuse_secret_bytes, secrets_in, shown,
};
pub use note::Note;
pub use policy::{
    Ageing, Capture, DEFAULT_TYPE, Facts, Finding, Format, Generated, Inject, Level, Limits, Lint, Make,
    OnEdited, Owner, PathClass, Policy, Profile, Raw, RollUp, Rotate, Rule, Schema, Since, Verb, fill,
    line_of, plain_predicate, verbs,
};
pub use refresh::{Follow, Scope, follow, refresh};
pub use search::{
    AnswerQuality, Budget, ChunkHit, Content, Depth, Excerpt, Fusion, Hit, HitKind, MAX_HITS, Mode,
    SearchRequest, SearchResult, Signals, Spent, VectorQuery, Verdict, WEIGHTS, full_text, nearest, page_body,
    page_similarity, page_terms, page_vectors, prepare, search, updated,
};
pub use write::{
    FastForward, GitState, HandCommit, KEPT_AS_SNAPSHOT, LinkWritten, NewLink, PushFailure, Unlinked, begin,
    check_format, close_link, commit_by_hand, git_state, is_committed, link, pull, push, reach_remote,
    refresh_generated, relocate, target_of, unlink, write, write_as,
};
