//! `rotate` and `retention`: daily rollover and expiry.

use clap::Args;
use lore_memory::daily::rotate;
use lore_memory::retention::{ageing, retain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{count, lines, warning_lines};
use crate::ops::{Operation, Render};

/// Roll over the daily page
///
/// Today's page becomes yesterday's and a new one is created. Inbox pages that are marked as sorted are moved to the
/// scratch folder; all other files stay. Does nothing until a new day begins.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore rotate")]
pub struct Rotate {}

/// Output of `rotate`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rotated {
    /// Current day, by the hour at which a day begins.
    day: String,
    /// Whether a new day began.
    turned: bool,
    /// Sorted inbox files that were moved away.
    cleared: Vec<Cleared>,
    /// Number of inbox files that nobody has sorted.
    unread: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A file that was moved away.
#[derive(Debug, Serialize, JsonSchema)]
struct Cleared {
    from: String,
    to: String,
}

impl Operation for Rotate {
    const NAME: &'static str = "rotate";
    const WRITES: bool = true;
    type Output = Rotated;

    fn run(self, session: &Session) -> Result<Rotated> {
        let rotation = rotate(session.fresh()?)?;
        let warnings = rotation.warnings.into_iter().chain(rotation.receipt.warnings).collect();
        let cleared = rotation.cleared.into_iter().map(|(from, to)| Cleared { from, to }).collect();
        let unread = rotation.unread;
        Ok(Rotated { day: rotation.day.to_string(), turned: rotation.rolled_over, cleared, unread, warnings })
    }
}

impl Render for Rotated {
    fn human(&self) -> String {
        let mut text = match self.turned {
            true => format!("rolled over to {}\n", self.day),
            false => format!("still {}; nothing was done\n", self.day),
        };
        text.extend(self.cleared.iter().map(|one| format!("moved {} to {}\n", one.from, one.to)));
        if self.unread > 0 {
            text.push_str(&format!(
                "{} to sort; see `lore triage`\n",
                count(self.unread as u64, "inbox file")
            ));
        }
        text.push_str(&warning_lines(&self.warnings));
        text
    }
}

/// Delete expired files, old log sections and old snapshots
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore retention run")]
pub struct Run {}

/// Output of `retention run`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Retained {
    /// Files that were deleted; their last version is kept as a snapshot.
    expired: Vec<String>,
    /// Logs that were rolled up.
    rolled_up: Vec<RolledUp>,
    /// Number of snapshots that were deleted.
    snapshots: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A log that was rolled up.
#[derive(Debug, Serialize, JsonSchema)]
struct RolledUp {
    path: Line,
    /// Sections that were removed.
    sections: Vec<String>,
}

impl Operation for Run {
    const NAME: &'static str = "retention run";
    const WRITES: bool = true;
    type Output = Retained;

    fn run(self, session: &Session) -> Result<Retained> {
        let result = retain(session.fresh()?)?;
        Ok(Retained {
            expired: result.expired,
            rolled_up: result
                .rolled
                .into_iter()
                .map(|(path, sections)| RolledUp { path: path.into(), sections })
                .collect(),
            snapshots: result.snapshots,
            warnings: result.warnings.into_iter().chain(result.receipt.warnings).collect(),
        })
    }
}

impl Render for Retained {
    fn human(&self) -> String {
        let mut text = lines(self.expired.iter().map(|path| format!("expired {path}")));
        text.extend(self.rolled_up.iter().map(|one| {
            let sections = count(one.sections.len() as u64, "section");
            format!("rolled up {}: {sections} removed\n", one.path)
        }));
        if self.snapshots > 0 {
            text.push_str(&format!("deleted {}\n", count(self.snapshots as u64, "snapshot")));
        }
        text.push_str(&warning_lines(&self.warnings));
        if text.is_empty() { "nothing has expired\n".into() } else { text }
    }
}

/// List files with a retention limit, and which have expired
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore retention status")]
pub struct Status {}

/// Output of `retention status`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgeingFiles {
    files: Vec<AgeingFile>,
}

/// A file with a retention limit.
#[derive(Debug, Serialize, JsonSchema)]
struct AgeingFile {
    path: Line,
    /// Rule that sets the limit.
    rule: String,
    /// How long it is kept.
    keep: String,
    /// When its age starts.
    since: String,
    /// Whether `lore retention run` deletes it.
    expired: bool,
}

impl Operation for Status {
    const NAME: &'static str = "retention status";
    type Output = AgeingFiles;

    fn run(self, session: &Session) -> Result<AgeingFiles> {
        let file = |one: lore_memory::retention::Ageing| AgeingFile {
            path: one.path.into(),
            rule: one.rule,
            keep: one.keep,
            since: one.since.to_string(),
            expired: one.expired,
        };
        Ok(AgeingFiles { files: ageing(session.fresh()?)?.into_iter().map(file).collect() })
    }
}

impl Render for AgeingFiles {
    fn human(&self) -> String {
        if self.files.is_empty() {
            return "no file has a retention limit\n".into();
        }
        lines(self.files.iter().map(|file| {
            let state = if file.expired { "expired" } else { "kept" };
            let since = file.since.get(..16).unwrap_or(&file.since);
            format!("{state:<7}  {}  {} from {since} (rule {})", file.path, file.keep, file.rule)
        }))
    }
}
