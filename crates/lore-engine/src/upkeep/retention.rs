//! What is kept how long: files past their age go, logs are rolled up, old snapshots are forgotten.

use std::collections::BTreeSet;

use jiff::{Timestamp, Zoned};

use super::rotate::local_now;
use super::{Kept, date_in_name, roll_up};
use crate::error::Result;
use crate::memory::Memory;
use crate::policy::{RollUp, Rule, Since};
use crate::vault::{DiskFile, Scan, files_below, scan, stat, without_extension};
use crate::write::{Action, Authority, Edit, Outcome, PageChange, Receipt, Terms, write_as};

/// A file that is not kept for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ageing {
    /// Its path.
    pub path: String,
    /// The rule that says how long.
    pub rule: String,
    /// How long, in words.
    pub keep: String,
    /// From when its age counts.
    pub since: Timestamp,
    /// Whether its time is over.
    pub over: bool,
}

/// What an expiry did.
#[derive(Debug, Default)]
pub struct Retained {
    /// Files that went.
    pub expired: Vec<String>,
    /// Logs that were rolled up, with the sections that went.
    pub rolled: Vec<(String, Vec<String>)>,
    /// Snapshots that were forgotten.
    pub snapshots: usize,
    /// What was written.
    pub receipt: Receipt,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Every file that is not kept for ever, in the order of the paths.
pub fn ageing(memory: &Memory) -> Result<Vec<Ageing>> {
    let policy = memory.policy();
    if policy.rules.iter().all(|rule| rule.keep.is_none()) {
        return Ok(Vec::new());
    }
    let Scan { files, .. } = scan(memory.vault());
    Ok(files.into_iter().filter_map(|file| ageing_file(memory, file)).collect())
}

fn ageing_file(memory: &Memory, file: DiskFile) -> Option<Ageing> {
    let (policy, now) = (memory.policy(), local_now(memory));
    let rule = policy.rule(&file.path)?;
    let keep = rule.keep?;
    let since = since(rule, &file, &now)?;
    let over = keep.is_over(since, &now);
    Some(Ageing { rule: rule.name().to_owned(), keep: keep.to_string(), since, over, path: file.path })
}

/// From when a file's age counts; a file whose name has no date where its rule wants one is kept.
fn since(rule: &Rule, file: &DiskFile, now: &Zoned) -> Option<Timestamp> {
    match rule.since {
        Since::Change => Timestamp::from_nanosecond(file.mtime.into()).ok(),
        Since::Name => Some(date_in_name(without_extension(&file.path))?.end(now.time_zone())),
    }
}

/// Lets everything go whose time is over. Nothing to do writes nothing.
pub fn retain(memory: &Memory) -> Result<Retained> {
    let policy = memory.policy();
    let before = policy.limits.snapshots.before(&memory.now());
    let snapshots = memory.store().prune_snapshots(memory.project(), before)?;
    let mut done = Retained { snapshots, ..Retained::default() };
    let mut changes = Vec::new();
    for one in ageing(memory)?.into_iter().filter(|one| one.over) {
        let path = one.path.clone();
        // A file that is touched before its turn comes is needed again.
        let still = move || {
            let file = stat(memory.vault(), &BTreeSet::from([one.path.clone()])).files.pop();
            file.and_then(|file| ageing_file(memory, file)).is_some_and(|now| now.over)
        };
        changes.push(PageChange { path, action: Action::DeleteIf(Box::new(still)), expected_version: None });
    }
    for log in &policy.rollup {
        changes.extend(rolled(memory, log, &mut done)?);
    }
    if !changes.is_empty() {
        let subject = Some("Let go what is past its time".to_owned());
        done.receipt =
            write_as(memory, &changes, &Terms { authority: Authority::Upkeep, subject, ..Terms::default() })?;
        let gone = done.receipt.files.iter().filter(|file| file.outcome == Outcome::Deleted);
        done.expired = gone.map(|file| file.path.clone()).collect();
    }
    Ok(done)
}

fn rolled<'a>(memory: &Memory, log: &RollUp, done: &mut Retained) -> Result<Option<PageChange<'a>>> {
    let path = format!("{}.md", without_extension(&log.path));
    let Some(file) = memory.vault().read(&path, u64::MAX)? else { return Ok(None) };
    let Ok(text) = String::from_utf8(file.bytes) else { return Ok(None) };
    let kept: Vec<Kept> =
        log.keep.iter().map(|(heading, last)| Kept { heading: heading.clone(), last: *last }).collect();
    let result = roll_up(&text, &kept, log.warn_bytes);
    done.warnings.extend(result.warnings.iter().map(|warning| format!("{path}: {warning}")));
    if result.text == text {
        return Ok(None);
    }
    let gone: Vec<String> = result.dropped.into_iter().chain(result.collapsed).collect();
    done.rolled.push((path.clone(), gone));
    let (kept, warn_bytes) = (kept, log.warn_bytes);
    let edit: Edit<'a> = Box::new(move |text| Ok(roll_up(text, &kept, warn_bytes).text));
    Ok(Some(PageChange { path, action: Action::Edit(edit), expected_version: None }))
}

/// How many bytes the raw captures have, and in how many files.
pub fn raw_size(memory: &Memory) -> Option<(usize, u64)> {
    let policy = memory.policy();
    let files = files_below(memory.vault(), &policy.raw.as_ref()?.folder);
    Some((files.len(), files.iter().map(|(_, size)| size).sum()))
}
