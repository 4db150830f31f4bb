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
mod namespace;
mod note;
mod policy;
mod predicates;
mod refresh;
mod search;
mod wings;
mod write;

pub use change::{
    Action, Authority, BatchNote, Edit, ImportNote, LedgerNotes, Outcome, PageChange, Precondition,
    PreparedChange, Receipt, WriteOptions, Written,
};
pub use context::{Access, Author, Clock, ContextParts, VaultContext};
pub use error::{Code, Error, LISTED_FINDINGS, Result};
pub use expiry::LedgerTime;
pub use graph::{Chain, Neighbour, Neighbourhood, Neighbours, Reach, Temporal, neighbours};
pub use history::{Chosen, CommitView, Mapping, OpenStore, Projects};
pub use hooks::{Derived, FindingScope, FurtherChange, Hooks, NoHooks, Rewrites};
pub use index::{
    Check, Chunk, Embedded, FileProblems, Proposal, ReconcileScope, Report, Resolution, ScanMode, as_path,
    choose, choose_model, chunks, drain_queue, duplicate_ids, embed_pending, file_problems, find,
    is_lossy_slug, moved_pages, names_of, node_named, node_place, reconcile, refused_node, resolve,
    resolve_targets, validate, without_scheme,
};
pub use lifecycle::{
    Conflict, Reason, Stale, State, Stated, StatusChange, conflicts, find_stale, is_live, plan_status,
    stale_pages, states, status, supersession, touched,
};
pub use lint::{
    BrokenLink, Findings, broken_links, error_count, file_findings, heading_key, lint, page_findings,
    property_values, refuse, refuse_name, refuse_secret, refuse_secret_bytes, secrets_in, shown,
};
pub use namespace::{
    NamespaceInfo, create_namespace, directory_namespace, is_known_namespace, known_namespaces,
    named_namespace, namespaces,
};
pub use note::Note;
pub use policy::{
    Ageing, Capture, CustomRoutines, DEFAULT_TYPE, Facts, Finding, Generated, Inject, Level, Limits, Lint,
    Make, Mirror, NamespacePolicy, OnEdited, Owner, PageFormat, PathClass, Pattern, Policy, Profile,
    QueryMode, Raw, RollUp, Rotate, Routine, Rule, Schema, Since, Table, ValueFormat, Verb, fill,
    is_namespace_name, line_of, plain_predicate, verbs,
};
pub use predicates::ValueRules;
pub use refresh::{Follow, Scope, follow, refresh};
pub use search::{
    AnswerQuality, Budget, ChunkHit, Content, Depth, Excerpt, Fusion, Hit, HitKind, MAX_HITS, Mode, PageDate,
    Passage, SearchRequest, SearchResult, Signals, Spent, VectorQuery, Verdict, WEIGHTS, Within, full_text,
    is_transcript, nearest, page_body, page_date, page_similarity, page_terms, page_vectors, prepare, search,
    updated,
};
pub use wings::wings_named;
pub use write::{
    FastForward, FormerLinks, FormerNames, GitState, HandCommit, KEPT_AS_SNAPSHOT, LinkWritten, NewLink,
    NotSaved, PushFailure, RelationLine, Saved, Unlinked, begin, close_link, commit_by_hand, git_state,
    is_committed, link, link_target, node_target, overlapping_relations, pull, push, reach_remote,
    refresh_generated, relocate, relocate_all, remote_privacy, save, target_of, unlink, with_relation, write,
    write_as,
};
