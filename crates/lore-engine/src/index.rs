//! The index and how it follows the files: look at the disk, plan, apply.
//!
//! Start-up, `sync`, the watcher and the writer all go through [`reconcile`], so that whatever happened to the files, the
//! index follows by the same rules.

mod candidates;
mod chunk;
mod diff;
mod draft;
mod embed_queue;
mod former;
mod lookup;
mod naming;
mod node;
mod proposal;
mod reconcile;
mod reference;
mod relink;
mod resolve;
mod structured;
mod validate;

pub(crate) use candidates::Candidates;
pub use candidates::{Resolution, choose};
pub use chunk::{Chunk, chunks};
pub use diff::ScanMode;
pub(crate) use draft::links;
pub use embed_queue::{Embedded, choose_model, drain_queue, embed_pending};
pub use former::{links_by_former, moved_pages};
pub use node::{node_named, node_place, refused_node};
pub use proposal::Proposal;
pub(crate) use reconcile::record_times;
pub use reconcile::{ReconcileScope, Report, reconcile};
pub use reference::{as_path, is_lossy_slug, names_of, without_scheme};
pub(crate) use relink::equal_targets;
pub use relink::resolve_targets;
pub use resolve::{find, resolve};
pub use validate::{Check, FileProblems, duplicate_ids, file_problems, validate};
