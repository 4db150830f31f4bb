//! What is remembered of git between commands: the last fetch, a push that failed, writes that wait for a commit.

use serde::{Deserialize, Serialize};

use crate::memory::{Author, Memory};

/// What is remembered of git between commands, for each vault.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Remembered {
    /// When a fetch was last tried, in milliseconds since 1970.
    pub(super) fetched: i64,
    /// What the last fetch said when it failed.
    pub(super) fetch_failure: Option<String>,
    /// What the last push said when it failed.
    pub(super) push_failure: Option<PushFailure>,
    /// Whether the branch and its upstream differed when last looked at.
    pub(super) apart: bool,
    /// Writes that could not be committed.
    pub(super) pending: Vec<Pending>,
    /// Why.
    pub(super) commit_failure: Option<String>,
}

/// A write that waits for its commit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) paths: Vec<String>,
    pub(super) subject: String,
    pub(super) author: Author,
}

/// A push that failed.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PushFailure {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether the remote had moved: it is not tried again before that is mended.
    pub rejected: bool,
    /// What git said.
    pub message: String,
}

/// What is remembered now.
pub(super) fn remembered(memory: &Memory) -> Remembered {
    let text = memory.store().setting(&key(memory)).ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Changes what is remembered.
pub(super) fn remember(memory: &Memory, change: impl FnOnce(&mut Remembered)) {
    let mut now = remembered(memory);
    change(&mut now);
    // What is remembered serves messages and the next try; a database that cannot take it must not stop a write.
    if let Ok(text) = serde_json::to_string(&now) {
        let _ = memory.store().set_setting(&key(memory), &text);
    }
}

fn key(memory: &Memory) -> String {
    format!("git/{}", memory.project())
}
