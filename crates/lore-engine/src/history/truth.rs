//! When the text of a truth last changed, from the ledger and from git.

use lore_page::{Page, parse};
use lore_text::ContentHash;
use lore_vault::{decode, is_page_path};

use super::commits;
use crate::context::VaultContext;
use crate::error::Result;

/// Maximum number of commits of a page that are listed.
const COMMITS: usize = 10_000;

/// The last change of a truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruthChange {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether an earlier text is known; otherwise the truth is at least as old.
    pub replaced: bool,
}

/// Returns when the truth of a page last changed; none if neither ledger nor git know. Frontmatter and timeline do not
/// count.
pub fn truth_change(context: &VaultContext, path: &str, text: &str) -> Result<Option<TruthChange>> {
    let page = parse(path, text).page;
    let by_ledger = in_ledger(context, path, truth(&page, text))?;
    if by_ledger.is_some_and(|change| change.replaced) {
        return Ok(by_ledger);
    }
    Ok(in_git(context, path, &page, text).or(by_ledger))
}

/// Returns the text of a truth without white space around it.
fn truth<'t>(page: &Page, text: &'t str) -> &'t str {
    page.truth.of(text).trim()
}

/// A snapshot has the time at which it was replaced, so the newest one with another truth has the time of the change.
fn in_ledger(context: &VaultContext, path: &str, truth_now: &str) -> Result<Option<TruthChange>> {
    let (store, project) = (context.store(), context.project());
    let mut oldest = None;
    let mut seen: Vec<ContentHash> = Vec::new();
    for row in store.snapshots(project, path)? {
        oldest = Some(TruthChange { at: row.at, replaced: false });
        if seen.contains(&row.hash) {
            continue;
        }
        seen.push(row.hash);
        let Some(bytes) = store.snapshot_bytes(project, row.number)? else { continue };
        let old = decode(&bytes);
        if truth(&parse(path, &old.text).page, &old.text) != truth_now {
            return Ok(Some(TruthChange { at: row.at, replaced: true }));
        }
    }
    Ok(oldest)
}

/// Returns the time of the newest line of the truth. If git fails, nothing is known.
fn in_git(context: &VaultContext, path: &str, page: &Page, text: &str) -> Option<TruthChange> {
    let lines = context.repo().filter(|_| is_page_path(path))?.blame(path).ok()?;
    let line_at = |at: usize| 1 + text[..at].bytes().filter(|byte| *byte == b'\n').count() as u32;
    let own = truth(page, text);
    let start = page.truth.start + page.truth.of(text).find(own).unwrap_or_default();
    let (first, last) = (line_at(start), line_at(start + own.len()));
    let mut newest: Option<(i64, String)> = None;
    for line in
        lines.iter().filter(|line| (first..=last).contains(&line.line) && !line.text.trim().is_empty())
    {
        // An uncommitted line is as new as it gets, if the file was ever committed.
        let Some((at, commit)) = line.at.zip(line.commit.clone()) else {
            let is_known = lines.iter().any(|line| line.commit.is_some());
            let at = context.now().timestamp().as_millisecond();
            return is_known.then_some(TruthChange { at, replaced: true });
        };
        if newest.as_ref().is_none_or(|(known, _)| *known < at) {
            newest = Some((at, commit));
        }
    }
    let (at, commit) = newest?;
    let created = commits(context, path, COMMITS).ok().and_then(|mut commits| commits.pop());
    Some(TruthChange { at, replaced: created.is_none_or(|created| created.id != commit) })
}
