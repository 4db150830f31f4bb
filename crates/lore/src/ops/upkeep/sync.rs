//! `sync`: updates the index from the files.

use clap::Args;
use lore_engine::{Report, ScanMode, Scope, refresh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::{SkippedItem, count};
use crate::ops::{Operation, Render};

/// Update the index from the files
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore sync\n  lore sync --full\n  lore sync --watch")]
pub struct Sync {
    /// Read every file again, ignoring timestamps and sizes
    #[arg(long)]
    #[serde(default)]
    full: bool,
    /// Accept that lore.toml or all pages were deleted on purpose
    #[arg(long)]
    #[serde(skip)]
    accept_missing: bool,
    /// Keep running and index each change, until interrupted
    #[arg(long)]
    #[serde(skip)]
    pub watch: bool,
}

/// Output of `sync`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Synced {
    added: Vec<String>,
    modified: Vec<String>,
    moved: Vec<Move>,
    removed: Vec<String>,
    /// Files that were not indexed, and why.
    skipped: Vec<SkippedItem>,
    /// Pages in the index, if the whole vault was scanned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<usize>,
}

/// A page that moved.
#[derive(Debug, Serialize, JsonSchema)]
struct Move {
    from: String,
    to: String,
}

impl Operation for Sync {
    const NAME: &'static str = "sync";
    const WRITES: bool = true;
    type Output = Synced;

    fn run(self, session: &Session) -> Result<Synced> {
        let context = session.context()?;
        if self.accept_missing {
            context.accept_missing()?;
        }
        let mode = if self.full { ScanMode::Nothing } else { ScanMode::Stat };
        let report = refresh(context, Scope::Vault(mode), &session.talk.progress("Indexing"))?;
        // Unlike other commands, this one waits until an instant model has embedded everything.
        context.embed_pending_inline(u64::MAX)?;
        session.talk.finish();
        Ok(Synced::new(report))
    }
}

impl Synced {
    /// Converts a report.
    pub fn new(report: Report) -> Synced {
        Synced {
            pages: report.pages,
            added: report.added,
            modified: report.modified,
            moved: report.moved.into_iter().map(|(from, to)| Move { from, to }).collect(),
            removed: report.removed,
            skipped: report.skipped.into_iter().map(Into::into).collect(),
        }
    }

    /// Returns `+added ~modified >moved -removed !skipped`.
    pub fn line(&self) -> String {
        format!(
            "+{} ~{} >{} -{} !{}",
            self.added.len(),
            self.modified.len(),
            self.moved.len(),
            self.removed.len(),
            self.skipped.len()
        )
    }
}

impl Render for Synced {
    fn human(&self) -> String {
        let pages = self.pages.map(|pages| format!("{}  ", count(pages as u64, "page"))).unwrap_or_default();
        let mut text = format!("{pages}{}\n", self.line());
        text.extend(
            self.skipped.iter().map(|skipped| format!("skipped {}: {}\n", skipped.path, skipped.reason)),
        );
        text
    }

    fn brief(&self) -> String {
        format!("{}\n", self.line())
    }
}
