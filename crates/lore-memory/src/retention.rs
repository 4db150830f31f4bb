//! Retention: deletes expired files, rolls up logs and prunes old snapshots.

mod rollup;

use std::collections::BTreeSet;

use jiff::{Timestamp, Zoned};
use lore_engine::{
    Action, Authority, Edit, Outcome, PageChange, Receipt, Result, Rule, Since, VaultContext, WriteOptions,
    write_as,
};
use lore_text::date_in_name;
use lore_vault::{DiskFile, Scan, VaultPath, files_below, scan, stat, without_extension};

use crate::daily::local_now;

pub use rollup::{KeepRule, RollUpResult, roll_up};

/// A file with limited retention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ageing {
    /// Path.
    pub path: String,
    /// Rule that limits it.
    pub rule: String,
    /// Retention period as text.
    pub keep: String,
    /// Time from which its age counts.
    pub since: Timestamp,
    /// Whether it has expired.
    pub expired: bool,
}

/// Result of applying retention.
#[derive(Debug, Default)]
pub struct Retained {
    /// Deleted files.
    pub expired: Vec<String>,
    /// Rolled-up logs, with the removed sections.
    pub rolled: Vec<(String, Vec<String>)>,
    /// Number of pruned snapshots.
    pub snapshots: usize,
    /// Receipt of the write.
    pub receipt: Receipt,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Returns the files with limited retention, sorted by path.
pub fn ageing(context: &VaultContext) -> Result<Vec<Ageing>> {
    let policy = context.policy();
    if policy.rules.iter().all(|rule| rule.keep.is_none()) {
        return Ok(Vec::new());
    }
    let Scan { files, .. } = scan(context.vault());
    Ok(files.into_iter().filter_map(|file| ageing_file(context, file)).collect())
}

fn ageing_file(context: &VaultContext, file: DiskFile) -> Option<Ageing> {
    let (policy, now) = (context.policy(), local_now(context));
    let rule = policy.rule(&file.path)?;
    let keep = rule.keep?;
    let since = since(rule, &file, &now)?;
    let expired = keep.is_over(since, &now);
    Some(Ageing { rule: rule.name().to_owned(), keep: keep.to_string(), since, expired, path: file.path })
}

/// Returns the time from which a file's age counts. If the rule needs a date in the name and there is none, the file is
/// kept.
fn since(rule: &Rule, file: &DiskFile, now: &Zoned) -> Option<Timestamp> {
    match rule.since {
        Since::Change => Timestamp::from_nanosecond(file.mtime.into()).ok(),
        Since::Name => Some(date_in_name(without_extension(&file.path))?.end(now.time_zone())),
    }
}

/// Deletes everything that has expired. Writes nothing if there is nothing to do. Files expire by the clock, since their
/// last versions are kept; snapshots, which are gone for good, by the time that all writers agree on.
pub fn retain(context: &VaultContext) -> Result<Retained> {
    let policy = context.policy();
    let snapshots = match context.ledger_time()?.expiry {
        Some(expiry) => {
            let before = policy.limits.snapshots.before(&expiry);
            context.store().prune_snapshots(context.project(), before)?
        }
        None => 0,
    };
    let mut result = Retained { snapshots, ..Retained::default() };
    let mut changes = Vec::new();
    for one in ageing(context)?.into_iter().filter(|one| one.expired) {
        let path = one.path.clone();
        // A file that is modified before it is deleted is still needed.
        let is_still_expired = move || {
            let file = stat(context.vault(), &BTreeSet::from([one.path.clone()])).files.pop();
            file.and_then(|file| ageing_file(context, file)).is_some_and(|now| now.expired)
        };
        changes.push(PageChange {
            path: VaultPath::known(path),
            action: Action::DeleteIf(Box::new(is_still_expired)),
            expected_version: None,
        });
    }
    for log in &policy.rollup {
        changes.extend(roll_up_log(context, log, &mut result)?);
    }
    if !changes.is_empty() {
        let subject = Some("Apply retention".to_owned());
        result.receipt = write_as(
            context,
            &changes,
            &WriteOptions { authority: Authority::Upkeep, subject, ..WriteOptions::default() },
        )?;
        let deleted = result.receipt.files.iter().filter(|file| file.outcome == Outcome::Deleted);
        result.expired = deleted.map(|file| file.path.clone()).collect();
    }
    Ok(result)
}

fn roll_up_log<'a>(
    context: &VaultContext,
    log: &lore_engine::RollUp,
    retained: &mut Retained,
) -> Result<Option<PageChange<'a>>> {
    let path = format!("{}.md", without_extension(&log.path));
    let Some(file) = context.vault().read(&path, u64::MAX)? else { return Ok(None) };
    let Ok(text) = String::from_utf8(file.bytes) else { return Ok(None) };
    let rules: Vec<KeepRule> =
        log.keep.iter().map(|(heading, last)| KeepRule { heading: heading.clone(), last: *last }).collect();
    let result = roll_up(&text, &rules, log.warn_bytes);
    retained.warnings.extend(result.warnings.iter().map(|warning| format!("{path}: {warning}")));
    if result.text == text {
        return Ok(None);
    }
    let removed: Vec<String> = result.dropped.into_iter().chain(result.collapsed).collect();
    retained.rolled.push((path.clone(), removed));
    let (rules, warn_bytes) = (rules, log.warn_bytes);
    let edit: Edit<'a> = Box::new(move |text| Ok(roll_up(text, &rules, warn_bytes).text));
    Ok(Some(PageChange { path: VaultPath::known(path), action: Action::Edit(edit), expected_version: None }))
}

/// Returns the number of raw captures and their total size in bytes.
pub fn raw_size(context: &VaultContext) -> Option<(usize, u64)> {
    let policy = context.policy();
    let files = files_below(context.vault(), &policy.raw.as_ref()?.folder);
    Some((files.len(), files.iter().map(|(_, size)| size).sum()))
}
