//! The result of compaction, by cluster.

use lore_engine::{Code, Note};
use lore_memory::{Attempt, Compacted};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::error::{AppError, status};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::count;

/// The result of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AppliedOutput {
    /// Clusters that were compacted.
    compacted: Vec<CompactedItem>,
    /// Clusters that were not changed, and why.
    refused: Vec<RefusedItem>,
    /// Number of clusters that were not tried.
    left: usize,
    /// Notes for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip)]
    exit: u8,
}

/// A cluster that was compacted.
#[derive(Debug, Serialize, JsonSchema)]
struct CompactedItem {
    cluster: String,
    /// Slug of the summary.
    slug: String,
    path: Line,
    title: String,
    /// Pages it summarizes; they still exist.
    members: Vec<String>,
    /// Pages whose links now point to it.
    repointed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A cluster that was not changed.
#[derive(Debug, Serialize, JsonSchema)]
struct RefusedItem {
    cluster: String,
    /// Error code.
    code: &'static str,
    message: String,
    hint: String,
}

impl AppliedOutput {
    /// Collects the attempts, out of the given number of clusters.
    pub fn new(session: &Session, attempts: Vec<Attempt>, clusters: usize, notes: &[Note]) -> AppliedOutput {
        let notes = notes.iter().map(|note| session.note(note)).collect();
        let left = clusters.saturating_sub(attempts.len());
        let mut output = AppliedOutput { compacted: Vec::new(), refused: Vec::new(), left, notes, exit: 0 };
        let mut worst: Option<Code> = None;
        for attempt in attempts {
            match attempt.result {
                Ok(compacted) => output.compacted.push(CompactedItem::new(attempt.cluster, compacted)),
                Err(error) => {
                    let AppError { code, message, hint, .. } = error.into();
                    worst.get_or_insert(code);
                    let (code, hint) = (code.name(), session.hint(&hint));
                    output.refused.push(RefusedItem { cluster: attempt.cluster, code, message, hint });
                }
            }
        }
        output.exit = match worst {
            Some(code) => status(code).exit,
            None => u8::from(output.compacted.is_empty()),
        };
        output
    }

    /// Renders it for people.
    pub fn human(&self) -> String {
        let mut text = String::new();
        for one in &self.compacted {
            text.push_str(&format!(
                "compacted {} into {}\n",
                count(one.members.len() as u64, "page"),
                one.slug
            ));
            text.extend(one.members.iter().map(|slug| format!("  {slug}\n")));
            if !one.repointed.is_empty() {
                text.push_str(&format!("  links updated on {}\n", one.repointed.join(", ")));
            }
            text.extend(one.warnings.iter().map(|warning| format!("  warning: {warning}\n")));
        }
        for one in &self.refused {
            text.push_str(&format!(
                "not compacted: {}: {}\n  hint: {}\n",
                one.cluster, one.message, one.hint
            ));
        }
        text.extend(self.notes.iter().map(|note| format!("note: {note}\n")));
        match (self.compacted.len() + self.refused.len(), self.left) {
            (0, 0) => text.push_str("nothing to compact\n"),
            (_, 0) => {}
            (_, left) => text.push_str(&format!("{} left\n", count(left as u64, "cluster"))),
        }
        text
    }

    /// Returns the exit status of the first refusal; 1 if there was nothing to do.
    pub fn exit(&self) -> u8 {
        self.exit
    }
}

impl CompactedItem {
    fn new(cluster: String, one: Compacted) -> CompactedItem {
        CompactedItem {
            cluster,
            slug: one.slug,
            path: one.path.into(),
            title: one.title,
            members: one.members,
            repointed: one.repointed,
            commit: one.commit,
            warnings: one.warnings,
        }
    }
}
