//! The state of git that is kept between commands: the last fetch, a failed push, pending commits.

use std::collections::BTreeSet;

use lore_ports::StateChange;
use serde::{Deserialize, Serialize};

use crate::context::{Author, VaultContext};

/// The state of git that is kept between commands, per vault.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Remembered {
    /// When the last fetch was attempted, in milliseconds since 1970.
    pub(super) fetched: i64,
    /// Its error, if it failed.
    pub(super) fetch_failure: Option<String>,
    /// The error of the last push, if it failed.
    pub(super) push_failure: Option<PushFailure>,
    /// Whether the branch and its upstream differed when last checked.
    pub(super) apart: bool,
    /// Writes that could not be committed.
    pub(super) pending: Vec<Pending>,
    /// Why they could not be committed.
    pub(super) commit_failure: Option<String>,
    /// Files that an editor saved and that were refused, because a page was invalid.
    pub(super) refused: BTreeSet<String>,
}

/// A write that is not committed yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) paths: Vec<String>,
    pub(super) subject: String,
    pub(super) author: Author,
}

/// A failed push.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PushFailure {
    /// When it failed, in milliseconds since 1970.
    pub at: i64,
    /// Whether the remote had moved: the push is not retried until that is resolved.
    pub rejected: bool,
    /// Whether the commits of the remote were fetched then, so that the branch is known to be behind until that is
    /// resolved.
    #[serde(default)]
    pub fetched: bool,
    /// What git reported.
    pub message: String,
}

/// Returns the stored state.
pub(super) fn remembered(context: &VaultContext) -> Remembered {
    let text = context.store().state(context.project()).ok().and_then(|state| state.git).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Changes the stored state.
pub(super) fn remember(context: &VaultContext, change: impl FnOnce(&mut Remembered)) {
    let mut now = remembered(context);
    change(&mut now);
    // This only serves messages and retries; a database that cannot store it must not fail a write.
    if let Ok(text) = serde_json::to_string(&now) {
        let _ = context.store().set_state(context.project(), &StateChange::Git(&text));
    }
}
