//! The routines of a vault: those of its policy and the person's own, with their schedules and last runs.

use jiff::Timestamp;
use lore_engine::{Error, Result, Routine, VaultContext};
use lore_page::parse;
use lore_ports::{Filter, Order, Window};
use lore_text::Cron;
use lore_vault::{decode, folder, without_extension};

/// Prefix of the name of a person's own routine.
const CUSTOM: &str = "custom/";

/// The property of a dossier with the time of the last run.
pub(crate) const LAST_RUN: &str = "last_run";

/// A routine of the vault.
#[derive(Debug, Clone)]
pub struct RoutineInfo {
    /// Its name: `morning`, or `custom/NAME`.
    pub name: String,
    /// Its schedule as written, if it has one.
    pub schedule: Option<String>,
    /// What is wrong with its schedule.
    pub problem: Option<String>,
    /// The pages it reads besides the injected ones.
    pub pages: Vec<String>,
    /// When it last ran, as its dossier says.
    pub last_run: Option<Timestamp>,
    /// The last time at which it should have run.
    pub last_due: Option<Timestamp>,
    pub(crate) routine: Routine,
}

impl RoutineInfo {
    /// Whether it should run, given when it last ran as far as the caller knows.
    pub fn is_due(&self, known_run: Option<Timestamp>) -> bool {
        let last = self.last_run.max(known_run);
        self.last_due.is_some_and(|due| last.is_none_or(|last| last < due))
    }
}

/// Returns the routines of the policy, then the person's own.
pub fn routines(context: &VaultContext) -> Result<Vec<RoutineInfo>> {
    let policy = context.policy();
    let mut all = Vec::new();
    for routine in &policy.routines {
        let schedule = routine.schedule.as_ref().map(ToString::to_string);
        all.push(info(context, routine.clone(), schedule, None)?);
    }
    let Some(custom) = &policy.custom_routines else { return Ok(all) };
    let filter = Filter { path: Some(format!("{}/", custom.folder)), ..Filter::default() };
    let everything = Window { limit: i64::MAX as usize, offset: 0 };
    let mut pages = context.store().list(context.project(), &filter, Order::Title, everything)?;
    pages.retain(|page| folder(&page.path) == custom.folder && !page.path.ends_with("/_index.md"));
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    for page in pages {
        let stem = without_extension(&page.path);
        let name = stem.rsplit('/').next().unwrap_or(stem);
        let text = page.properties.text(&custom.schedule).map(str::to_owned);
        let (schedule, problem) = match text.as_deref().map(str::parse::<Cron>) {
            Some(Ok(schedule)) => (Some(schedule), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, Some(format!("the property `{}` is missing", custom.schedule))),
        };
        let routine = Routine {
            name: format!("{CUSTOM}{name}"),
            schedule,
            rulebook: Some(stem.to_owned()),
            dossier: Some(format!("{}/custom-{name}", custom.dossiers)),
            pages: custom.pages.clone(),
            ..Routine::default()
        };
        all.push(info(context, routine, text, problem)?);
    }
    Ok(all)
}

fn info(
    context: &VaultContext,
    routine: Routine,
    schedule: Option<String>,
    problem: Option<String>,
) -> Result<RoutineInfo> {
    let last_run = match &routine.dossier {
        Some(dossier) => read(context, dossier)?.and_then(|text| last_run_of(&text)),
        None => None,
    };
    let now = context.local_now();
    let last_due = routine.schedule.as_ref().and_then(|schedule| schedule.last_before(&now));
    let newest = routine.newest.keys().cloned();
    Ok(RoutineInfo {
        name: routine.name.clone(),
        schedule,
        problem,
        pages: routine.paths().map(str::to_owned).chain(newest).collect(),
        // A wrong clock must not keep it from running.
        last_run: last_run.filter(|time| *time <= now.timestamp()),
        last_due: last_due.map(|time| time.timestamp()),
        routine,
    })
}

/// Returns the routine with this name.
pub fn routine_named(context: &VaultContext, name: &str) -> Result<RoutineInfo> {
    let all = routines(context)?;
    let known: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
    all.into_iter().find(|one| one.name == name).ok_or_else(|| Error::BadInput {
        message: format!("no routine named {name:?}"),
        hint: match known.is_empty() {
            true => "add a [[routine]] to lore.toml".into(),
            false => format!("use one of {}", known.join(", ")),
        },
    })
}

/// Returns the time of the last run in a dossier.
pub(crate) fn last_run_of(text: &str) -> Option<Timestamp> {
    parse("", text).page.properties.text(LAST_RUN)?.trim().parse().ok()
}

/// Returns the file of a page.
pub(crate) fn page_path(path: &str) -> String {
    format!("{}.md", without_extension(path))
}

/// Reads the text of a page.
pub(crate) fn read(context: &VaultContext, path: &str) -> Result<Option<String>> {
    let file = context.vault().read(&page_path(path), u64::MAX)?;
    Ok(file.map(|file| decode(&file.bytes).text.into_owned()))
}
