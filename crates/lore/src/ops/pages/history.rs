//! `history`, `diff`, `restore`: earlier versions of a page.

use clap::Args;
use lore_engine::history::{self, PageSnapshots};
use lore_engine::{Action, PageChange, WriteOptions, write_as};
use lore_text::diff::{summary, unified};
use lore_vault::VaultPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{WriteResult, timestamp};
use crate::ops::{Operation, Render};

/// List snapshots and commits of a page
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore history people/ada\n  lore history people/ada --limit 5 --json")]
pub struct History {
    /// Page; use the path for a deleted page
    #[arg(value_name = "REF")]
    reference: String,
    /// Maximum number of snapshots and of commits
    #[arg(long, default_value_t = 20)]
    #[serde(default = "default_limit")]
    limit: usize,
}

fn default_limit() -> usize {
    20
}

/// Output of `history`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageHistory {
    path: Line,
    /// Current version; 0 if the page is deleted.
    version: u64,
    /// Who wrote the current version through Lore; null if it was edited otherwise.
    actor: Option<String>,
    snapshots: Vec<SnapshotItem>,
    commits: Vec<CommitItem>,
}

/// A snapshot.
#[derive(Debug, Serialize, JsonSchema)]
struct SnapshotItem {
    /// Number to pass to `--at`.
    snapshot: i64,
    version: u64,
    /// When it was replaced.
    replaced: String,
    /// Who wrote it through Lore; null if it was edited otherwise.
    actor: Option<String>,
    bytes: u64,
}

/// A commit that touched the page.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitItem {
    commit: String,
    at: String,
    author: String,
    actor: Option<String>,
    face: Option<String>,
    session: Option<String>,
    subject: String,
}

impl Operation for History {
    const NAME: &'static str = "history";
    type Output = PageHistory;

    fn run(self, session: &Session) -> Result<PageHistory> {
        let context = session.fresh()?;
        let page = history::kept(context, &self.reference)?;
        // Snapshots are listed even if git cannot be queried.
        let commits = history::commits(context, &page.path, self.limit).unwrap_or_else(|reason| {
            session.talk.warn(&reason);
            Vec::new()
        });
        Ok(PageHistory {
            version: page.version,
            actor: page.actor,
            snapshots: page
                .snapshots
                .into_iter()
                .take(self.limit)
                .map(|row| SnapshotItem {
                    snapshot: row.number,
                    version: row.version,
                    replaced: timestamp(row.at),
                    actor: Some(row.actor).filter(|actor| !actor.is_empty()),
                    bytes: row.size,
                })
                .collect(),
            commits: commits
                .into_iter()
                .map(|one| CommitItem {
                    commit: one.id,
                    at: timestamp(one.at),
                    author: one.author,
                    actor: one.actor,
                    face: one.face,
                    session: one.session,
                    subject: one.subject,
                })
                .collect(),
            path: page.path.into(),
        })
    }
}

impl Render for PageHistory {
    fn human(&self) -> String {
        let by = |actor: &Option<String>| actor.clone().unwrap_or_else(|| "edited outside Lore".into());
        let mut text = match self.version {
            0 => format!("{} is deleted\n", self.path),
            version => format!("{} is at version {version} ({})\n", self.path, by(&self.actor)),
        };
        for one in &self.snapshots {
            text.push_str(&format!(
                "snapshot {:<5} version {:<4} replaced {}  {:>7} bytes  {}\n",
                one.snapshot,
                one.version,
                one.replaced,
                one.bytes,
                by(&one.actor)
            ));
        }
        for one in &self.commits {
            let actor = one.actor.as_ref().unwrap_or(&one.author);
            let id = one.commit.get(..10).unwrap_or(&one.commit);
            text.push_str(&format!("commit {id}  {}  {actor}: {}\n", one.at, one.subject));
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.version == 0 && self.snapshots.is_empty() && self.commits.is_empty())
    }
}

/// Show what changed on a page since a snapshot
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore diff people/ada\n  lore diff people/ada --at 17")]
pub struct Diff {
    /// Page to compare
    #[arg(value_name = "REF")]
    reference: String,
    /// Snapshot number from `lore history` [default: the last one]
    #[arg(long, value_name = "SNAPSHOT")]
    #[serde(default)]
    at: Option<i64>,
}

/// Output of `diff`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageDiff {
    path: Line,
    /// Snapshot that the page is compared with.
    snapshot: i64,
    added: usize,
    removed: usize,
    /// Unified diff.
    diff: String,
}

impl Operation for Diff {
    const NAME: &'static str = "diff";
    type Output = PageDiff;

    fn run(self, session: &Session) -> Result<PageDiff> {
        let context = session.fresh()?;
        let page = history::kept(context, &self.reference)?;
        let snapshot = choose(&page, self.at)?;
        let old = history::snapshot(context, &page, snapshot)?;
        let new = context.vault().read(&page.path, u64::MAX)?.map(|file| file.bytes).unwrap_or_default();
        let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(&new));
        let (added, removed) = summary(&old, &new);
        let name = format!("{} (snapshot {snapshot})", page.path);
        let diff = unified(&old, &new, &name, &page.path);
        Ok(PageDiff { path: page.path.into(), snapshot, added, removed, diff })
    }
}

impl Render for PageDiff {
    fn human(&self) -> String {
        match self.diff.is_empty() {
            true => format!("{} is unchanged since snapshot {}\n", self.path, self.snapshot),
            false => self.diff.clone(),
        }
    }
}

/// Restore a page from a snapshot
///
/// The current version becomes a snapshot first.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore restore people/ada --at 17\n  lore restore notes/deleted.md --at 3 --yes"
)]
pub struct Restore {
    /// Page; use the path for a deleted page
    #[arg(value_name = "REF")]
    reference: String,
    /// Snapshot number from `lore history`
    #[arg(long, value_name = "SNAPSHOT")]
    at: i64,
    /// Skip the confirmation prompt
    #[arg(long, short)]
    #[serde(default)]
    yes: bool,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

impl Operation for Restore {
    const NAME: &'static str = "restore";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let context = session.fresh()?;
        let page = history::kept_to_restore(context, &self.reference)?;
        if let Some(row) = context.page_at(&page.path)? {
            context.refuse_node(&row, &self.reference)?;
        }
        let snapshot = choose(&page, Some(self.at))?;
        let bytes = history::snapshot(context, &page, snapshot)?;
        if page.version > 0 {
            session.confirm(self.yes, &format!("Replace {} with snapshot {snapshot}?", page.path))?;
        }
        let mode = page.snapshots.iter().find(|row| row.number == snapshot).and_then(|row| row.mode);
        let change = PageChange {
            path: VaultPath::known(page.path.clone()),
            action: Action::Put(bytes),
            expected_version: self.expected_version,
        };
        let subject = Some(format!("Restore {} from snapshot {snapshot}", page.path));
        Ok(WriteResult::new(write_as(
            context,
            &[change],
            &WriteOptions { subject, overwrite: true, mode, ..WriteOptions::default() },
        )?))
    }
}

fn choose(page: &PageSnapshots, at: Option<i64>) -> Result<i64> {
    let number = match at {
        Some(number) => page.snapshots.iter().find(|row| row.number == number),
        None => page.snapshots.first(),
    };
    number.map(|row| row.number).ok_or_else(|| {
        let message = match at {
            Some(number) => format!("{} has no snapshot {number}", page.path),
            None => format!("{} has no snapshot: Lore has not changed it yet", page.path),
        };
        AppError::usage(message, format!("run `lore history {}` to list snapshots", page.path))
    })
}
