//! What the engine asks of the outside: the storage port ([`Index`], [`Ledger`], [`GapsAndImports`], [`Vectors`]) and the
//! model ports ([`Embedder`], [`TextModel`]), in plain rows.
//!
//! The SQL lives below these traits and the rules above them. Methods take `&self`, so that one transaction can span all
//! of them. This crate has no implementation; its feature `conformance` adds the tests that every database must pass.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_engine::VaultContext; // It knows nobody who uses it.
//! ```

mod batches;
mod chunk;
#[cfg(feature = "conformance")]
pub mod conformance;
mod embed;
mod error;
mod expression;
mod filter;
mod gaps;
mod imports;
mod index;
mod labels;
mod ledger;
mod maintenance;
mod progress;
mod project;
mod rows;
mod slug_pattern;
mod tables;
mod text_model;
mod transaction;
mod vectors;

pub use batches::{BatchRow, Batches, NewBatch};
pub use chunk::{ChunkDraft, ChunkKind};
pub use embed::{EmbedError, EmbedResult, Embedder, ModelIdentity, Models};
pub use error::{Error, Result};
pub use expression::Expression;
pub use filter::{
    Aged, DocumentFrequencies, Filter, LinkFilter, NameQuery, Namespace, Order, StatementFilter, TextHit,
    TextQuery, Weights, Window,
};
pub use gaps::{GapCounts, GapFilter, GapRow, GapsAndImports, Sensitivity};
pub use imports::{ImportFilter, ImportRow, NewImport};
pub use index::{Index, Store};
pub use labels::Label;
pub use ledger::{Authorship, Ledger, NewSnapshot, SnapshotRow, WrittenFile};
pub use maintenance::Maintenance;
pub use progress::{Progress, no_progress};
pub use project::{
    FileFailure, Forget, ProjectKey, ProjectState, Projects, ResolvedFinding, StateChange, is_local_id,
    local_id,
};
pub use rows::{
    Counts, Fingerprint, KeyKind, KeyRow, LabelKind, LinkDraft, LinkRow, PageDraft, PageNo, PageRow,
    PageWrite, PageWritten, ProjectNo, ReplicaNo, SearchText, Statement, StatementKind, StatementRow,
    name_in_fact,
};
pub use slug_pattern::{GlobPart, SlugPattern};
pub use tables::{Cell, Table};
pub use text_model::{TextModel, TextModelError};
pub use transaction::{read_transaction, transaction};
pub use vectors::{
    ChunkNo, ChunkRow, ChunkVector, CodeQuery, ModelNo, ModelRow, NearCode, NearCodes, PageCode, Vectors,
};
