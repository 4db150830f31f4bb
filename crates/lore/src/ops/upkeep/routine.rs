//! `routine list|run|due`: what an agent does at regular times.

mod brief;
mod command;
pub mod runs;

use clap::Args;
use lore_memory::daily::rotate;
use lore_memory::routine::{RoutineInfo, record_run, rotates, routine_brief, routine_named, routines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::lines;
use crate::ops::{Operation, Render, for_agents};

use runs::{Failure, Runs};

pub use brief::RoutineRun;

/// List routines, when they are due and when they ran
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore routine list")]
pub struct List {}

/// Output of `routine list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Routines {
    routines: Vec<RoutineView>,
}

/// A routine.
#[derive(Debug, Serialize, JsonSchema)]
struct RoutineView {
    name: String,
    /// Cron schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<String>,
    /// What is wrong with the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Whether it should have run since it last ran.
    due: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_run: Option<String>,
    /// Last run on this machine, if its command failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    /// Pages it reads besides the injected ones.
    pages: Vec<String>,
}

impl Operation for List {
    const NAME: &'static str = "routine list";
    type Output = Routines;

    fn run(self, session: &Session) -> Result<Routines> {
        let known = Runs::read(session)?;
        let view = |info: RoutineInfo| RoutineView {
            due: info.is_due(known.since(&info.name)),
            last_run: info.last_run.max(known.last_run(&info.name)).map(|time| time.to_string()),
            failure: known.failure(&info.name).cloned(),
            name: info.name,
            schedule: info.schedule,
            problem: info.problem,
            pages: info.pages,
        };
        Ok(Routines { routines: routines(session.fresh()?)?.into_iter().map(view).collect() })
    }
}

impl Render for Routines {
    fn human(&self) -> String {
        let line = |one: &RoutineView| {
            let schedule = one.schedule.as_deref().unwrap_or("on request");
            let last = one.last_run.as_deref().unwrap_or("never");
            let due = if one.due { "  due" } else { "" };
            let problem = one.problem.as_ref().map(|why| format!("  problem: {why}")).unwrap_or_default();
            let failure = one.failure.as_ref();
            let failure =
                failure.map(|run| format!("  failed {}: {}", run.at, run.reason)).unwrap_or_default();
            format!("{:<10}  {schedule:<14}  last run {last}{due}{failure}{problem}", one.name)
        };
        match self.routines.is_empty() {
            true => "no routines\n".into(),
            false => lines(self.routines.iter().map(line)),
        }
    }
}

/// Print what an agent needs for a routine, and record the run
///
/// The brief contains the injected pages, the rulebook, the dossier, other pages that the policy names, yesterday's
/// handoff, changes since the last run, and the inbox. A command after -- is run with the brief on its standard input.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore routine run morning\n  lore routine run custom/water --dry-run\n  lore routine run evening -- claude -p"
)]
pub struct Run {
    /// Routine, such as morning or custom/NAME
    name: String,
    /// Do not record the run, and do not roll over the daily page
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Command to run, with the brief on its standard input
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "dry_run")]
    #[serde(skip)]
    command: Vec<String>,
}

impl Operation for Run {
    const NAME: &'static str = "routine run";
    const WRITES: bool = true;
    type Output = RoutineRun;

    fn run(self, session: &Session) -> Result<RoutineRun> {
        let context = session.fresh()?;
        let info = routine_named(context, &self.name)?;
        run_routine(session, info, self.dry_run, &self.command)
    }
}

/// Run the routines that are due
///
/// A routine is due if a scheduled time has passed since it last ran, or since the vault was created. The command after
/// -- is run for each, with the brief on its standard input; if it fails, the routine stays due. Without a command,
/// only the names are printed.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore routine due\n  lore routine due -- claude -p")]
pub struct Due {
    /// Command to run, with each brief on its standard input
    #[arg(last = true, value_name = "COMMAND")]
    #[serde(skip)]
    command: Vec<String>,
}

/// Output of `routine due`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct DueRoutines {
    /// Routines that are due, or that were run.
    routines: Vec<String>,
    /// Whether they were run.
    run: bool,
    /// Routines whose command failed.
    failed: Vec<String>,
}

impl Operation for Due {
    const NAME: &'static str = "routine due";
    const WRITES: bool = true;
    type Output = DueRoutines;

    fn run(self, session: &Session) -> Result<DueRoutines> {
        let known = Runs::read(session)?;
        let mut due = routines(session.fresh()?)?;
        due.retain(|info| info.is_due(known.since(&info.name)));
        let mut output = DueRoutines { run: !self.command.is_empty(), ..DueRoutines::default() };
        for info in due {
            let name = info.name.clone();
            output.routines.push(name.clone());
            if output.run && run_routine(session, info, false, &self.command)?.failed() {
                output.failed.push(name);
            }
        }
        Ok(output)
    }
}

impl Render for DueRoutines {
    fn human(&self) -> String {
        let done = if self.run { "ran" } else { "due" };
        let line = |name: &String| match self.failed.contains(name) {
            true => format!("failed {name}"),
            false => format!("{done} {name}"),
        };
        match self.routines.is_empty() {
            true => "no routine is due\n".into(),
            false => lines(self.routines.iter().map(line)),
        }
    }

    fn exit(&self) -> u8 {
        if self.failed.is_empty() { 0 } else { 5 }
    }
}

/// Assembles the brief, runs the command with it and records the run. A run whose command failed is not in the dossier,
/// and the routine stays due.
fn run_routine(
    session: &Session,
    info: RoutineInfo,
    dry_run: bool,
    command: &[String],
) -> Result<RoutineRun> {
    let context = session.fresh()?;
    let mut warnings = Vec::new();
    if rotates(&info) && !dry_run {
        let rotation = rotate(context)?;
        warnings.extend(rotation.warnings.into_iter().chain(rotation.receipt.warnings));
    }
    let name = info.name.clone();
    let mut run = RoutineRun::new(routine_brief(context, info)?, warnings);
    if dry_run {
        return Ok(run);
    }
    let now = context.now().timestamp();
    let before = runs::start(session, &name, now)?;
    let failed = |reason| Some(Failure { at: now.to_string(), reason });
    if !command.is_empty() {
        match command::run(session, command, &for_agents(&run.human())) {
            Ok(answer) => run.finish(answer),
            Err(error) => {
                runs::finish(session, &name, before, failed(error.message.clone()))?;
                return Err(error);
            }
        }
    }
    let failure = run.failure().and_then(failed);
    runs::finish(session, &name, before, failure)?;
    if !run.failed() {
        let info = routine_named(context, &name)?;
        let receipt = record_run(context, &info)?;
        run.recorded = receipt.is_some();
        run.warnings.extend(receipt.map(|receipt| receipt.warnings).unwrap_or_default());
    }
    Ok(run)
}
