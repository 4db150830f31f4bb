//! `status`: a one-line status.

use clap::Args;
use lore_engine::git_state;
use lore_memory::inbox::unread;
use lore_memory::{curation_due, generated};
use lore_vault::{Scan, hidden_pages, scan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::upkeep::git::GitView;
use crate::ops::views::{count, timestamp, warning_lines};
use crate::ops::{Operation, Render};

/// Print a one-line status
///
/// With a page and a status, the same as `lore set-status`.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore status\n  lore status --json\n  lore status a1b2c3d4 active")]
pub struct Status {
    /// Page whose status to set
    #[arg(value_name = "REF", requires = "status")]
    #[serde(skip)]
    reference: Option<String>,
    /// Its new status
    #[arg(value_name = "STATUS")]
    #[serde(skip)]
    status: Option<String>,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N", requires = "status", hide = true)]
    #[serde(skip)]
    expected_version: Option<u64>,
}

/// Output of `status`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatusOutput {
    project: String,
    path: String,
    profile: &'static str,
    /// When the index last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_index: Option<String>,
    /// Pages in the index.
    pages: u64,
    /// Page files in the vault.
    files: u64,
    links: u64,
    /// Links whose target does not exist yet.
    pending_links: u64,
    /// Files that could not be indexed.
    failures: u64,
    /// Files with a page extension that are not indexed.
    skipped: u64,
    /// Hidden files that were skipped.
    hidden: u64,
    /// The current search mode.
    search: String,
    /// The embedding model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Chunks without a vector.
    pending_embeddings: u64,
    /// State of the git repository, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<String>,
    /// Commits that are not on the remote.
    unpushed: u64,
    /// Generated files that are out of date.
    stale_generated: usize,
    /// Whether a review of the pages is due.
    curation_due: bool,
    /// Files in the inbox that nobody has sorted.
    inbox: usize,
    /// Warnings for the user.
    warnings: Vec<String>,
}

impl Operation for Status {
    const NAME: &'static str = "status";
    type Output = StatusOutput;

    fn run(self, session: &Session) -> Result<StatusOutput> {
        // The command line runs `set-status` with these, since this operation only reads.
        if self.reference.or(self.status).is_some() || self.expected_version.is_some() {
            return Err(AppError::usage(
                "status takes no page here",
                "set it with `lore set-status REF STATUS`",
            ));
        }
        let context = session.fresh()?;
        let counts = context.store().counts(context.project())?;
        let Scan { files, skipped, .. } = scan(context.vault());
        let mut warnings = session.warnings();
        let git = match git_state(context) {
            Ok(state) => GitView::new(state),
            Err(error) => {
                warnings.push(session.shown(&error.to_string()));
                GitView::new(None)
            }
        };
        warnings.extend(git.warnings().iter().map(|warning| session.shown(warning)));
        let model = context.active_model()?;
        let pending = model.as_ref().map(|row| context.store().count_pending(context.project(), row.number));
        let pending_embeddings = pending.transpose()?.unwrap_or(0);
        let model = model.map(|row| row.identity.name);
        Ok(StatusOutput {
            project: context.name().to_owned(),
            path: session.shown_path(context.vault().root()),
            profile: context.policy().profile.name(),
            last_index: context.store().state(context.project())?.indexed.map(timestamp),
            pages: counts.pages,
            files: files.iter().filter(|file| context.indexes(&file.path)).count() as u64,
            links: counts.links,
            pending_links: counts.pending,
            failures: context.store().failures(context.project())?.len() as u64,
            skipped: skipped.len() as u64,
            hidden: hidden_pages(context.vault()) as u64,
            search: search_mode(session, model.as_deref(), pending_embeddings),
            model,
            pending_embeddings,
            git: git.line(),
            unpushed: git.unpushed(),
            stale_generated: generated::stale_files(context)?.len(),
            curation_due: curation_due(context)?,
            inbox: unread(context)?.len(),
            warnings,
        })
    }
}

/// Describes the search mode, given the model and the number of pending chunks.
fn search_mode(session: &Session, model: Option<&str>, pending: u64) -> String {
    match (model, pending) {
        (None, _) => "lexical: no embedding model".into(),
        (Some(model), 0) => format!("hybrid: {model}"),
        (Some(model), pending) => {
            let hint = session.hint("run `lore embed`");
            format!("hybrid: {model}; {} to embed, {hint}", count(pending, "chunk"))
        }
    }
}

impl Render for StatusOutput {
    fn human(&self) -> String {
        let mut text = format!(
            "{} ({}): {}, {}, {} pending; search is {}\n",
            self.project,
            self.path,
            count(self.pages, "page"),
            count(self.links, "link"),
            self.pending_links,
            self.search
        );
        text.extend(self.git.iter().map(|line| format!("{line}\n")));
        if self.stale_generated > 0 {
            let files = count(self.stale_generated as u64, "generated file");
            text.push_str(&format!("{files} out of date; run `lore generate`\n"));
        }
        if self.inbox > 0 {
            let files = count(self.inbox as u64, "inbox file");
            text.push_str(&format!("{files} to sort; see `lore triage`\n"));
        }
        if self.curation_due {
            text.push_str("review due: see `lore curate --dry-run`\n");
        }
        text.push_str(&warning_lines(&self.warnings));
        if self.failures + self.skipped > 0 {
            let files = count(self.failures + self.skipped, "file");
            text.push_str(&format!("{files} not indexed; see `lore doctor`\n"));
        }
        if self.hidden > 0 {
            text.push_str(&format!("{} skipped\n", count(self.hidden, "hidden file")));
        }
        text
    }
}
