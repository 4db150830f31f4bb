//! Routines: what an agent needs for one, as a single brief, when each is due, and the record of its runs.

use jiff::{Timestamp, Zoned};
use lore_engine::{
    Action, Authority, Edit, Error, PageChange, Receipt, Result, Routine, VaultContext, WriteOptions, fill,
    write_as,
};
use lore_page::{Format, Value, edit};
use lore_ports::{Filter, Order, PageRow, Window};
use lore_vault::{VaultPath, without_extension};

use crate::daily::handoff;
use crate::derived::is_external_text;
use crate::inbox::unread;
use crate::inject::{Injected, injected};
use crate::routine_list::{LAST_RUN, page_path, read};
pub use crate::routine_list::{RoutineInfo, routine_named, routines};

/// Maximum number of changed pages in a brief.
const CHANGES: usize = 50;

/// The section of a dossier about its last run.
const LAST_RUN_SECTION: &str = "Last run";

/// A dossier that does not exist yet.
const DOSSIER: &str = "---\ntitle: \"{{title:quoted}} dossier\"\ntype: dossier\n---\n# {{title}} dossier\n\n## Standing checklist\n\n\
                       ## Focus this period\n\n## Open items\n\n## Last run\n";

/// What an agent needs for a routine.
#[derive(Debug, Clone)]
pub struct RoutineBrief {
    /// The routine.
    pub info: RoutineInfo,
    /// Now, in the vault's time zone.
    pub now: Zoned,
    /// The beginning of the window of changes.
    pub since: Timestamp,
    /// The injected files.
    pub injected: Vec<Injected>,
    /// Rulebook, dossier and further pages.
    pub pages: Vec<BriefPage>,
    /// What yesterday's page hands over.
    pub handoff: Option<BriefPage>,
    /// Pages that changed in the window, newest first.
    pub changes: Vec<PageRow>,
    /// Number of changed pages that are left out.
    pub more_changes: usize,
    /// Files in the inbox that nobody has sorted.
    pub unread: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// A page that a routine needs, or a part of it.
#[derive(Debug, Clone)]
pub struct BriefPage {
    /// What it is for the routine.
    pub role: &'static str,
    /// Path.
    pub path: String,
    /// Text.
    pub text: String,
    /// Whether its text comes from outside.
    pub is_external: bool,
}

impl BriefPage {
    fn new(role: &'static str, path: String, text: String) -> BriefPage {
        let is_external = is_external_text(&path, &text);
        BriefPage { role, path, text, is_external }
    }
}

/// Whether a routine begins with the rollover of the daily page.
pub fn rotates(info: &RoutineInfo) -> bool {
    info.routine.rotate
}

/// Collects what an agent needs for a routine.
pub fn routine_brief(context: &VaultContext, info: RoutineInfo) -> Result<RoutineBrief> {
    let routine = &info.routine;
    let now = context.local_now();
    let before = Timestamp::from_millisecond(routine.window.before(&now)).unwrap_or(Timestamp::MIN);
    let since = info.last_run.unwrap_or(before);
    let (mut files, mut warnings) = injected(context, routine.whole)?;
    files.retain(|file| !routine.without.contains(&file.name));
    warnings.extend(info.problem.clone());
    let mut pages = Vec::new();
    let own = [("rulebook", &routine.rulebook), ("dossier", &routine.dossier)];
    let own = own.into_iter().filter_map(|(role, path)| Some((role, path.clone()?)));
    let others = routine.pages.iter().map(|path| ("page", path.clone()));
    for (role, path) in own.chain(others).chain(newest(context, routine)?) {
        if let Some(text) = read(context, &path)? {
            pages.push(BriefPage::new(role, page_path(&path), text));
        }
    }
    let policy = context.policy();
    let mut handed = None;
    if let Some(path) = policy.rotate.as_ref().map(|plan| &plan.yesterday)
        && let Some(text) = read(context, path)?
    {
        let yesterday = BriefPage::new("handoff", page_path(path), text);
        handed = Some(BriefPage { text: handoff(&yesterday.text), ..yesterday });
    }
    handed = handed.filter(|page| !page.text.trim().is_empty());
    let mut changes = changes(context, since)?;
    let more_changes = changes.len().saturating_sub(CHANGES);
    changes.truncate(CHANGES);
    let unread = unread(context)?.into_iter().map(|item| item.path).collect();
    Ok(RoutineBrief {
        now,
        since,
        injected: files,
        pages,
        handoff: handed,
        changes,
        more_changes,
        unread,
        warnings,
        info,
    })
}

/// Returns the newest pages of the routine's patterns, by name, oldest first.
fn newest(context: &VaultContext, routine: &Routine) -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    for (pattern, count) in &routine.newest {
        let prefix = pattern.split(['{', '*']).next().unwrap_or_default().to_owned();
        let filter = Filter { path: Some(prefix), ..Filter::default() };
        let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
        let Ok(pattern) = lore_engine::Pattern::new(pattern) else { continue };
        let mut paths: Vec<String> = pages.into_iter().map(|page| page.path).collect();
        paths.retain(|path| pattern.matches(path) && !path.ends_with("/_index.md"));
        paths.sort();
        let omitted = paths.len().saturating_sub(*count);
        found.extend(paths.split_off(omitted).into_iter().map(|path| ("page", path)));
    }
    Ok(found)
}

/// Returns the pages that changed since a time, newest first, without generated ones and records of runs.
fn changes(context: &VaultContext, since: Timestamp) -> Result<Vec<PageRow>> {
    let policy = context.policy();
    let dossiers: Vec<String> =
        policy.routines.iter().filter_map(|routine| routine.dossier.clone()).collect();
    let is_listed = |page: &PageRow| {
        let stem = without_extension(&page.path);
        !dossiers.iter().any(|dossier| dossier == stem)
            && !policy.generated.iter().any(|made| made.section.is_none() && made.path.matches(&page.path))
    };
    let filter = Filter { since: Some(since.as_millisecond()), ..Filter::default() };
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let mut pages = context.store().list(context.project(), &filter, Order::Touched, all)?;
    pages.retain(is_listed);
    pages.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| a.path.cmp(&b.path)));
    Ok(pages)
}

/// Records in the routine's dossier that it ran now. A routine without one has no record.
pub fn record_run(context: &VaultContext, info: &RoutineInfo) -> Result<Option<Receipt>> {
    let Some(dossier) = &info.routine.dossier else { return Ok(None) };
    let path = page_path(dossier);
    let time = context.local_now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let actor = context.author().actor.clone();
    let action = match read(context, dossier)? {
        Some(_) => {
            let path = path.clone();
            let edit: Edit<'static> = Box::new(move |text| {
                recorded(Format::of(&path), text, &time, &actor)
                    .map_err(|source| Error::Edit { slug: path.clone(), source })
            });
            Action::Edit(edit)
        }
        None => {
            let template = context.template("dossier")?.unwrap_or_else(|| DOSSIER.to_owned());
            let text = fill(&template, &info.name, &context.today());
            let text = recorded(Format::of(&path), &text, &time, &actor)
                .map_err(|source| Error::Edit { slug: path.clone(), source })?;
            Action::Put(text.into_bytes())
        }
    };
    let change = PageChange { path: VaultPath::known(path), action, expected_version: None };
    let options = WriteOptions {
        authority: Authority::Upkeep,
        subject: Some(format!("Run routine {}", info.name)),
        ..WriteOptions::default()
    };
    write_as(context, &[change], &options).map(Some)
}

/// Returns a dossier with the time of a run: as a property, and as the first line of its section.
fn recorded(
    format: Format,
    text: &str,
    time: &str,
    actor: &str,
) -> std::result::Result<String, edit::EditError> {
    let text = edit::set_property(format, text, LAST_RUN, &Value::Text(time.to_owned()))?;
    let places = edit::sections(format, &text);
    let Some(place) = places.iter().find(|place| place.heading.text == LAST_RUN_SECTION) else {
        return Ok(text);
    };
    let body = place.body.of(&text).to_owned();
    let is_record = |line: &str| line.starts_with("Run at ") || line.trim() == "Not run yet.";
    let notes: Vec<&str> = body.trim().lines().filter(|line| !is_record(line)).collect();
    let notes = notes.join("\n");
    let record = format!("Run at {time} by {actor}.\n\n{}", notes.trim());
    edit::replace_section(format, &text, LAST_RUN_SECTION, record.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routine_list::last_run_of;

    #[test]
    fn run_is_recorded_and_notes_are_kept() {
        let page = "---\ntitle: D\n---\n# D\n\n## Open items\n\n## Last run\n\nNot run yet.\n";
        let first =
            recorded(Format::Markdown, page, "2026-05-18T04:00:00+00:00", "agent").expect("a dossier");
        assert!(first.ends_with("## Last run\n\nRun at 2026-05-18T04:00:00+00:00 by agent.\n"), "{first}");
        assert_eq!(last_run_of(&first), "2026-05-18T04:00:00Z".parse().ok());
        let noted = first + "\nAll quiet.\n";
        let second =
            recorded(Format::Markdown, &noted, "2026-05-19T04:00:00+00:00", "agent").expect("a dossier");
        assert!(
            second.ends_with("## Last run\n\nRun at 2026-05-19T04:00:00+00:00 by agent.\n\nAll quiet.\n"),
            "{second}"
        );
    }
}
