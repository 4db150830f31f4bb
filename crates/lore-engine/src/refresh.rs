//! The one call that makes the index current. The command line, the server, the watcher and hooks all use it, so each
//! of them sees an edited policy, finishes interrupted writes, indexes changed files and embeds new chunks.

mod follow;

use std::collections::BTreeSet;

use lore_ports::Progress;
use tracing::field::Empty;
use tracing::info_span;

use crate::context::VaultContext;
use crate::error::Result;
use crate::index::{ReconcileScope, Report, ScanMode, reconcile};
use crate::write::recover_if_needed;

pub use follow::{Follow, follow};

/// Maximum chunks embedded before an answer when a watcher keeps the index current; the rest go to its worker.
const INLINE_EMBED_LIMIT: u64 = 200;

/// Maximum chunks embedded before an answer when the files were scanned: about a second's work. The rest stay queued for
/// the next commands, a server, `lore sync` or `lore embed`.
pub(crate) const SCAN_EMBED_LIMIT: u64 = 10_000;

/// Which files a refresh looks at.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// Every file of the vault.
    Vault(ScanMode),
    /// These paths.
    Paths(&'a BTreeSet<String>),
    /// No file: a watcher has looked at them already.
    Watched,
}

impl Scope<'_> {
    fn name(&self) -> &'static str {
        match self {
            Scope::Vault(_) => "vault",
            Scope::Paths(_) => "paths",
            Scope::Watched => "watched",
        }
    }
}

/// Makes the index current: policy, recovery, reconcile, embedding. A policy that changes how pages are indexed widens
/// the scope to the whole vault.
pub fn refresh(context: &VaultContext, scope: Scope<'_>, progress: Progress<'_>) -> Result<Report> {
    let span = info_span!(
        "refresh",
        scope = scope.name(),
        added = Empty,
        modified = Empty,
        moved = Empty,
        removed = Empty,
        skipped = Empty,
        recovered = Empty,
    )
    .entered();
    // Otherwise an index that nobody else sees would be kept current.
    context.store().check_in_place()?;
    let scope = match context.reload_policy()? {
        true => Scope::Vault(ScanMode::Stat),
        false => scope,
    };
    let recovered = recover_if_needed(context)?;
    let mut report = match scope {
        Scope::Vault(trust) => reconcile(context, &ReconcileScope::Everything(trust), progress)?,
        Scope::Paths(paths) => {
            reconcile(context, &ReconcileScope::Paths { paths, moved: &[], proposal: None }, progress)?
        }
        Scope::Watched => Report::default(),
    };
    report.recovered = recovered;
    let limit = if matches!(scope, Scope::Watched) { INLINE_EMBED_LIMIT } else { SCAN_EMBED_LIMIT };
    context.embed_pending_inline(limit)?;
    span.record("added", report.added.len()).record("modified", report.modified.len());
    span.record("moved", report.moved.len()).record("removed", report.removed.len());
    span.record("skipped", report.skipped.len()).record("recovered", report.recovered.len());
    Ok(report)
}
