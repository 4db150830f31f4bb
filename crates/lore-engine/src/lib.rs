//! The rules of Lore. Files are the truth; the index follows them through one reconcile; every write goes through
//! one function. Synchronous, and without a database of its own: it declares the [`Index`] and [`Ledger`] traits.

mod diff;
mod draft;
mod error;
mod graph;
mod hash;
mod index;
mod memory;
mod policy;
mod profile;
mod projects;
mod reconcile;
mod relink;
mod relocate;
mod resolve;
mod search;
mod timeframe;
mod validate;
pub mod vault;
mod watch;
mod write;

pub use diff::Trust;
pub use error::{Code, Error, Result};
pub use graph::{Neighbourhood, Reach, Temporal};
pub use hash::ContentHash;
pub use index::{
    Counts, Failure, Filter, Fingerprint, Forget, Index, KeyKind, KeyRow, LabelKind, Ledger, LinkDraft,
    LinkEnds, LinkRow, Names, NewSnapshot, Order, PageDraft, PageNo, PageRow, ProjectNo, PutPage, SearchText,
    SnapshotRow, Statement, StatementKind, StatementRow, Store, TextHit, TextQuery, Wanted, Window,
};
pub use memory::{Author, Clock, Memory, Parts};
pub use policy::{DEFAULT_TYPE, Limits, POLICY_FILE, Policy, Verb, line_of};
pub use profile::{Profile, fill};
pub use projects::{Chosen, Projects};
pub use reconcile::{Progress, Report};
pub use relocate::relocate;
pub use search::{Excerpt, Expression, Hit, HitKind, SearchRequest, SearchResult, prepare, set_apart};
pub use timeframe::{since, until};
pub use validate::{Check, duplicate_ids, validate};
pub use vault::Skipped;
pub use watch::{DEBOUNCE, Event, Watching, follow, watch};
pub use write::{Action, Edit, Outcome, PageChange, Written, write};
