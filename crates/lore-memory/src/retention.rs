//! Retention: deletes expired files, rolls up logs and prunes old snapshots.

mod entries;
mod rollup;

use std::collections::BTreeSet;

use jiff::{Timestamp, Zoned};
use lore_engine::{
    Action, Authority, Edit, Outcome, PageChange, Receipt, Result, Rule, Since, VaultContext, WriteOptions,
    write_as,
};
use lore_text::date_in_name;
use lore_vault::{
    DiskFile, Scan, VaultPath, files_below, folder, is_page_path, modified, scan, size_of, stat,
    without_extension,
};

pub use entries::expire_entries;
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
    let Scan { mut files, .. } = scan(context.vault());
    files.extend(other_files(context));
    let mut ageing: Vec<Ageing> = files.into_iter().filter_map(|file| ageing_file(context, file)).collect();
    ageing.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(ageing)
}

/// Returns the files that are not pages and have a rule for files of any kind.
fn other_files(context: &VaultContext) -> Vec<DiskFile> {
    let policy = context.policy();
    let rules = policy.rules.iter().filter(|rule| rule.any_file && rule.keep.is_some());
    let folders: BTreeSet<&str> =
        rules.flat_map(|rule| &rule.paths).map(|pattern| folder(pattern.as_str())).collect();
    let files = folders.into_iter().flat_map(|folder| files_below(context.vault(), folder));
    files.filter(|(path, _)| !is_page_path(path)).filter_map(|(path, _)| other_file(context, path)).collect()
}

fn other_file(context: &VaultContext, path: String) -> Option<DiskFile> {
    let full = context.vault().root().join(&path);
    let changed: Timestamp = modified(&full)?.try_into().ok()?;
    let mtime = i64::try_from(changed.as_nanosecond()).ok()?;
    Some(DiskFile { size: size_of(&full)?, path, mtime })
}

fn ageing_file(context: &VaultContext, file: DiskFile) -> Option<Ageing> {
    let (policy, now) = (context.policy(), context.local_now());
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
        let size = size_of(&context.vault().root().join(&path)).unwrap_or_default();
        if size > policy.limits.page_bytes {
            // Its last version could not be kept.
            result.warnings.push(format!("{path} has expired, but is too large to delete: {size} bytes"));
            continue;
        }
        // A file that is modified before it is deleted is still needed.
        let is_still_expired = move || {
            let file = match is_page_path(&one.path) {
                true => stat(context.vault(), &BTreeSet::from([one.path.clone()])).files.pop(),
                false => other_file(context, one.path.clone()),
            };
            file.and_then(|file| ageing_file(context, file)).is_some_and(|now| now.expired)
        };
        changes.push(PageChange {
            path: VaultPath::known(path),
            action: Action::DeleteIf(Box::new(is_still_expired)),
            expected_version: None,
        });
    }
    for log in &policy.rollup {
        for path in log_paths(context, log) {
            changes.extend(roll_up_log(context, log, path, &mut result)?);
        }
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

/// Returns the files of a log: its page, or those that match its pattern.
fn log_paths(context: &VaultContext, log: &lore_engine::RollUp) -> Vec<String> {
    let pattern = log.path.as_str();
    if !pattern.contains(['*', '{', '?', '[']) {
        return vec![format!("{}.md", without_extension(pattern))];
    }
    let files = scan(context.vault()).files.into_iter().map(|file| file.path);
    files.filter(|path| log.path.matches(path)).collect()
}

fn roll_up_log<'a>(
    context: &VaultContext,
    log: &lore_engine::RollUp,
    path: String,
    retained: &mut Retained,
) -> Result<Option<PageChange<'a>>> {
    let Some(file) = context.vault().read(&path, u64::MAX)? else { return Ok(None) };
    let Ok(text) = String::from_utf8(file.bytes) else { return Ok(None) };
    let rules: Vec<KeepRule> =
        log.keep.iter().map(|(heading, last)| KeepRule { heading: heading.clone(), last: *last }).collect();
    let (now, entries) = (context.local_now(), log.entries);
    let mut result = roll_up(&text, &rules, log.warn_bytes);
    if let Some(age) = entries {
        let (kept, dropped) = expire_entries(&result.text, &age, &now);
        result.text = kept;
        result.dropped.extend(dropped);
    }
    retained.warnings.extend(result.warnings.iter().map(|warning| format!("{path}: {warning}")));
    if result.text == text {
        return Ok(None);
    }
    let removed: Vec<String> = result.dropped.into_iter().chain(result.collapsed).collect();
    retained.rolled.push((path.clone(), removed));
    let (rules, warn_bytes) = (rules, log.warn_bytes);
    let edit: Edit<'a> = Box::new(move |text| {
        let rolled = roll_up(text, &rules, warn_bytes).text;
        Ok(entries.map(|age| expire_entries(&rolled, &age, &now).0).unwrap_or(rolled))
    });
    Ok(Some(PageChange { path: VaultPath::known(path), action: Action::Edit(edit), expected_version: None }))
}

/// Returns the number of raw captures and their total size in bytes.
pub fn raw_size(context: &VaultContext) -> Option<(usize, u64)> {
    let policy = context.policy();
    let files = files_below(context.vault(), &policy.raw.as_ref()?.folder);
    Some((files.len(), files.iter().map(|(_, size)| size).sum()))
}
