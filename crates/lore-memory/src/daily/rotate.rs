//! Rolls over the daily page: today's page becomes yesterday's, a fresh one replaces it, and the inbox is cleared.

use std::collections::BTreeSet;

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lore_engine::{
    Action, Authority, Edit, Error, PageChange, Receipt, Result, Rotate, Scope, VaultContext, WriteOptions,
    refresh, write_as,
};
use lore_page::parse;
use lore_ports::no_progress;
use lore_vault::{VaultPath, files_below, without_extension};

use crate::capture::is_taken;

use super::{as_yesterday, date_of, day_of, fresh_today, scratch_name};

/// Maximum number of attempts if the page changes meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// Result of a rollover.
#[derive(Debug)]
pub struct Rotation {
    /// Current day.
    pub day: Date,
    /// Whether a new day has started.
    pub rolled_over: bool,
    /// Cleared inbox files, as pairs of old and new path.
    pub cleared: Vec<(String, String)>,
    /// Receipt of the write.
    pub receipt: Receipt,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Returns the vault's local time: in the policy's time zone, else the system's.
pub fn local_now(context: &VaultContext) -> Zoned {
    let policy = context.policy();
    let zone = policy.rotate.as_ref().and_then(|rotate| rotate.time_zone.as_ref());
    let zone = zone.and_then(|name| TimeZone::get(name.get_ref()).ok());
    zone.map_or_else(|| context.now(), |zone| context.now().with_time_zone(zone))
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
    let day = day_of(&local_now(context), *plan.day_begins.get_ref());
    let today = page_path(&plan.today);
    refresh(context, Scope::Paths(&BTreeSet::from([today.clone()])), &no_progress)?;
    let version = context.version_of(&today)?;
    let current = read(context, &today)?;
    let mut rotation = Rotation {
        day,
        rolled_over: false,
        cleared: Vec::new(),
        receipt: Receipt::default(),
        warnings: Vec::new(),
    };
    match current.as_deref().and_then(date_of) {
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
        changes.push(put(page_path(&plan.yesterday), as_yesterday(text)));
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

/// Moves every inbox file to the scratch folder. A file that is not text stays and causes a warning.
fn clear_inbox(
    context: &VaultContext,
    plan: &Rotate,
    day: Date,
    changes: &mut Vec<PageChange<'static>>,
    rotation: &mut Rotation,
) -> Result<()> {
    let (Some(inbox), Some(scratch)) = (&plan.inbox, &plan.scratch) else { return Ok(()) };
    for (from, _) in files_below(context.vault(), inbox) {
        if read(context, &from)?.is_none() || !context.indexes(&from) {
            rotation.warnings.push(format!("{from} is not a text page and stays in the inbox"));
            continue;
        }
        let name = scratch_name(&from, day);
        let stem = format!("{scratch}/{}", without_extension(&name));
        let taken =
            |path: &String| is_taken(context, path) || rotation.cleared.iter().any(|(_, to)| to == path);
        let numbered = (2..).map(|number| format!("{stem}-{number}.md"));
        let mut names = std::iter::once(format!("{stem}.md")).chain(numbered);
        let to = names.find(|path| !taken(path)).unwrap_or_else(|| format!("{stem}.md"));
        let unchanged: Edit<'static> = Box::new(|text| Ok(text.to_owned()));
        let action = Action::Move(VaultPath::known(to.clone()), unchanged);
        changes.push(PageChange { path: VaultPath::known(from.clone()), action, expected_version: None });
        rotation.cleared.push((from, to));
    }
    Ok(())
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
