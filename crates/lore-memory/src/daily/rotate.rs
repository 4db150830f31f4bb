//! Rolls over the daily page: today's page becomes yesterday's, a fresh one replaces it, and sorted inbox files
//! are moved away.

use std::collections::BTreeSet;

use jiff::civil::Date;
use lore_engine::{
    Action, Authority, Error, PageChange, Receipt, Result, Rotate, Scope, VaultContext, WriteOptions,
    refresh, write_as,
};
use lore_page::parse;
use lore_ports::no_progress;
use lore_vault::{VaultPath, without_extension};

use crate::capture::is_taken;
use crate::inbox::inbox_items;

use super::{as_yesterday, date_of, fresh_today, scratch_name, with_date};

/// Maximum number of attempts if the page changes meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// Result of a rollover.
#[derive(Debug)]
pub struct Rotation {
    /// Current day.
    pub day: Date,
    /// Whether a new day has started.
    pub rolled_over: bool,
    /// Sorted inbox files that were moved, as pairs of old and new path.
    pub cleared: Vec<(String, String)>,
    /// Number of files that still have to be sorted.
    pub unread: usize,
    /// Receipt of the write.
    pub receipt: Receipt,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Rolls over the daily page if a new day has started since it was created. Idempotent. If the page changes meanwhile,
/// it is read again.
pub fn rotate(context: &VaultContext) -> Result<Rotation> {
    for _ in 0..MAX_ATTEMPTS {
        match rotate_once(context) {
            Err(Error::Conflict { .. }) => {}
            result => return result,
        }
    }
    rotate_once(context)
}

fn rotate_once(context: &VaultContext) -> Result<Rotation> {
    let policy = context.policy();
    let Some(plan) = &policy.rotate else {
        return Err(Error::BadInput {
            message: "this vault has no daily page".into(),
            hint: "add a [rotate] table to its lore.toml, or create a vault with the personal profile".into(),
        });
    };
    let day = context.day();
    let today = page_path(&plan.today);
    refresh(context, Scope::Paths(&BTreeSet::from([today.clone()])), &no_progress)?;
    let version = context.version_of(&today)?;
    let current = read(context, &today)?;
    let mut rotation = Rotation {
        day,
        rolled_over: false,
        cleared: Vec::new(),
        unread: 0,
        receipt: Receipt::default(),
        warnings: Vec::new(),
    };
    let dated = current.as_deref().and_then(date_of);
    let undated = if dated.is_none() { last_change(context, &today)? } else { None };
    match dated {
        None if undated.is_some_and(|date| date >= day) => {
            rotation.warnings.push(format!(
                "{today} has no valid `date`; it is taken to be of {day}, when it was last changed; `lore lint --fix` \
                 adds one"
            ));
            return Ok(rotation);
        }
        Some(date) if date == day => return Ok(rotation),
        // A page that a wrong clock has dated must not stop the rotation for years.
        Some(date) if date > day.tomorrow().unwrap_or(day) && context.ledger_time()?.is_confirmed => {
            rotation.warnings.push(format!("{today} was dated {date}, after {day}"));
            rotation.rolled_over = true;
        }
        Some(date) if date > day => {
            rotation.warnings.push(format!("{today} is dated {date}, after {day}; it is left unchanged"));
            return Ok(rotation);
        }
        _ => rotation.rolled_over = true,
    }
    let mut changes = Vec::new();
    if let Some(text) = &current {
        let text = match undated {
            // The day on which it was last changed, so that yesterday's page is valid.
            Some(date) => with_date(text, date),
            None => text.clone(),
        };
        changes.push(put(page_path(&plan.yesterday), as_yesterday(&text)));
    }
    let new_text = fresh_today(day, current.as_deref(), &template(context)?);
    changes.push(PageChange { expected_version: Some(version), ..put(today, new_text) });
    clear_inbox(context, plan, day, &mut changes, &mut rotation)?;
    let options = WriteOptions {
        authority: Authority::Upkeep,
        subject: Some(format!("Start {day}")),
        ..WriteOptions::default()
    };
    rotation.receipt = write_as(context, &changes, &options)?;
    Ok(rotation)
}

/// Returns the day on which a page was last changed.
fn last_change(context: &VaultContext, path: &str) -> Result<Option<Date>> {
    Ok(context.page_at(path)?.and_then(|page| context.day_at(page.updated)))
}

/// Moves the pages of the inbox that are marked as sorted to the scratch folder. Everything else stays.
fn clear_inbox(
    context: &VaultContext,
    plan: &Rotate,
    day: Date,
    changes: &mut Vec<PageChange<'static>>,
    rotation: &mut Rotation,
) -> Result<()> {
    let Some(scratch) = &plan.scratch else { return Ok(()) };
    for item in inbox_items(context)? {
        if !item.triaged {
            rotation.unread += 1;
            continue;
        }
        let taken: Vec<&String> = rotation.cleared.iter().map(|(_, to)| to).collect();
        let to = free_scratch_path(context, scratch, &item.path, day, &taken);
        let path = VaultPath::known(item.path.clone());
        changes.push(PageChange {
            path,
            action: Action::Relocate(VaultPath::known(to.clone())),
            expected_version: None,
        });
        rotation.cleared.push((item.path, to));
    }
    Ok(())
}

/// Returns a free path in the scratch folder for a file of the inbox.
pub(super) fn free_scratch_path(
    context: &VaultContext,
    scratch: &str,
    from: &str,
    day: Date,
    taken: &[&String],
) -> String {
    let name = scratch_name(from, day);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, "md"));
    let first = format!("{scratch}/{name}");
    let numbered = (2..).map(|number| format!("{scratch}/{stem}-{number}.{extension}"));
    let mut paths = std::iter::once(first.clone()).chain(numbered);
    paths.find(|path| !is_taken(context, path) && !taken.contains(&path)).unwrap_or(first)
}

fn put(path: String, text: String) -> PageChange<'static> {
    PageChange {
        path: VaultPath::known(path),
        action: Action::Put(text.into_bytes()),
        expected_version: None,
    }
}

fn page_path(path: &str) -> String {
    format!("{}.md", without_extension(path))
}

fn read(context: &VaultContext, path: &str) -> Result<Option<String>> {
    let file = context.vault().read(path, u64::MAX)?;
    Ok(file.and_then(|file| String::from_utf8(file.bytes).ok()))
}

/// Returns the template of the daily page: the vault's own, else the profile's.
fn template(context: &VaultContext) -> Result<String> {
    let text = context.template("today")?;
    let default_template = || {
        let sections: Vec<String> = super::SECTIONS.iter().map(|name| format!("## {name}\n")).collect();
        format!("---\ndate: {{{{date}}}}\n---\n# Today\n\n{}", sections.join("\n"))
    };
    let text = text.unwrap_or_else(default_template);
    // A template without the date would roll over on every run.
    if parse("today.md", &text).page.properties.get("date").is_none() {
        return Err(Error::BadInput {
            message: "the template of the daily page has no `date` property".into(),
            hint: "add `date: {{date}}` to the frontmatter of .lore/templates/today.md".into(),
        });
    }
    Ok(text)
}
