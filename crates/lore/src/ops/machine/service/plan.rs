//! The services a vault needs, and their files.

use std::path::{Path, PathBuf};

use lore_engine::{VaultContext, git_state};
use lore_vault::exists;

use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::service::{Job, Schedule, launchd, systemd, vault_name};

/// Name prefix of the watcher.
const WATCHER: &str = "lore-watch-";

/// Name prefix of the server.
const SERVER: &str = "lore-serve-";

/// Name prefix of the timer that runs routines.
const ROUTINES: &str = "lore-routines-";

/// Name prefix of the timer that makes generated files again.
const GENERATE: &str = "lore-generate-";

/// Interval at which due routines are looked for, in minutes.
const ROUTINES_EVERY: u32 = 5;

/// Interval between pulls and pushes, in minutes.
const PUSH_EVERY: u32 = 15;

/// Service files and their jobs.
pub(super) struct ServicePlan {
    /// `systemd` or `launchd`.
    pub manager: &'static str,
    /// Paths and contents.
    pub files: Vec<(PathBuf, String)>,
    /// The jobs they run.
    pub jobs: Vec<Job>,
}

/// Which services are wanted besides the timers.
pub(super) enum ServiceRequest {
    /// Those that were requested.
    Requested {
        /// Whether to install the watcher.
        watcher: bool,
        /// Address of the server, if it is wanted; empty for the default.
        server: Option<String>,
        /// The agent's command that runs routines, if it is wanted.
        agent: Vec<String>,
    },
    /// Those that are installed.
    Installed,
}

/// Returns the services for this vault: timers by its policy, the others as wanted.
pub(super) fn plan(session: &Session, request: &ServiceRequest) -> Result<ServicePlan> {
    let context = session.context()?;
    let policy = context.policy();
    let remote = git_state(context)?.is_some_and(|git| git.state.url.is_some());
    let daily = policy.rotate.is_some() || policy.rules.iter().any(|rule| rule.keep.is_some());
    let (watcher, server, agent) = match request {
        ServiceRequest::Requested { watcher, server, agent } => {
            (Some(*watcher), Some(server.clone()), agent.as_slice())
        }
        ServiceRequest::Installed => (None, None, [].as_slice()),
    };
    let is_requested = matches!(request, ServiceRequest::Requested { .. });
    let address = server.clone().flatten().filter(|address| !address.is_empty());
    let is_included = |job: &Job| match job.schedule {
        _ if job.name.starts_with(ROUTINES) => match is_requested {
            true => !agent.is_empty(),
            false => is_installed(session, job),
        },
        _ if job.name.starts_with(GENERATE) => policy.rebuild.time().is_some(),
        Schedule::Every(_) => remote,
        Schedule::Daily(..) => daily,
        Schedule::Always if job.name.starts_with(WATCHER) => {
            watcher.unwrap_or_else(|| is_installed(session, job))
        }
        Schedule::Always => server.as_ref().map_or_else(|| is_installed(session, job), Option::is_some),
    };
    let jobs = jobs(session, context, address.as_deref(), agent)?.into_iter().filter(is_included).collect();
    files(session, jobs)
}

/// Whether a file belongs to a service whose command depends on how it was installed.
pub(super) fn is_chosen(path: &Path) -> bool {
    let chosen = |name: &str| name.starts_with(SERVER) || name.starts_with(ROUTINES);
    path.file_name().is_some_and(|name| chosen(&name.to_string_lossy()))
}

fn is_installed(session: &Session, job: &Job) -> bool {
    files(session, vec![job.clone()]).is_ok_and(|plan| plan.files.iter().any(|(path, _)| exists(path)))
}

/// Returns every service that this vault could have.
pub(super) fn every_file(session: &Session) -> Result<ServicePlan> {
    files(session, jobs(session, session.context()?, None, &[])?)
}

fn jobs(
    session: &Session,
    context: &VaultContext,
    address: Option<&str>,
    agent: &[String],
) -> Result<Vec<Job>> {
    let project = context.name();
    let slug = vault_name(project, session.environment.own.as_deref());
    let program = session.environment.program.clone().ok_or_else(|| {
        AppError::usage("cannot find the path of the lore program", "run lore by its full path")
    })?;
    let command = |words: &[&str]| -> Vec<String> {
        let start = [program.display().to_string(), "--project".into(), project.to_owned()];
        start.into_iter().chain(words.iter().map(|word| (*word).to_owned())).collect()
    };
    let policy = context.policy();
    let hour = policy.rotate.as_ref().map_or(4, |rotate| *rotate.day_begins.get_ref());
    let zone = policy
        .rotate
        .as_ref()
        .and_then(|rotate| rotate.time_zone.as_ref())
        .map(|zone| zone.get_ref().clone());
    let mut daily = vec![command(&["retention", "run"])];
    if policy.rotate.is_some() {
        daily.insert(0, command(&["rotate"]));
    }
    let environment = variables(session)?;
    let words =
        |start: &[&str]| -> Vec<String> { command(start).into_iter().chain(agent.iter().cloned()).collect() };
    let (at_hour, at_minute) = policy.rebuild.time().unwrap_or_default();
    Ok(vec![
        Job {
            name: format!("{ROUTINES}{slug}"),
            about: format!("Run due routines of the Lore vault {project}"),
            commands: vec![words(&["routine", "due", "--"])],
            schedule: Schedule::Every(ROUTINES_EVERY),
            environment: environment.clone(),
        },
        Job {
            name: format!("{GENERATE}{slug}"),
            about: format!("Make generated files of the Lore vault {project} again"),
            commands: vec![command(&["generate"])],
            schedule: Schedule::Daily(at_hour, at_minute, zone.clone()),
            environment: environment.clone(),
        },
        Job {
            name: format!("lore-push-{slug}"),
            about: format!("Pull and push the commits of the Lore vault {project}"),
            commands: vec![command(&["git", "pull"]), command(&["git", "push"])],
            schedule: Schedule::Every(PUSH_EVERY),
            environment: environment.clone(),
        },
        Job {
            name: format!("lore-daily-{slug}"),
            about: format!("Roll over and expire pages of the Lore vault {project}"),
            commands: daily,
            schedule: Schedule::Daily(hour, 0, zone),
            environment: environment.clone(),
        },
        Job {
            name: format!("{WATCHER}{slug}"),
            about: format!("Index changes of the Lore vault {project}"),
            commands: vec![command(&["sync", "--watch"])],
            schedule: Schedule::Always,
            environment: environment.clone(),
        },
        Job {
            name: format!("{SERVER}{slug}"),
            about: format!("Serve the Lore vault {project}"),
            commands: vec![command(&[&["serve", "--http"], address.as_slice()].concat())],
            schedule: Schedule::Always,
            environment,
        },
    ])
}

/// Returns the variables with which a service uses the same configuration, database and models as this shell.
fn variables(session: &Session) -> Result<Vec<(String, String)>> {
    let environment = &session.environment;
    let database = session.database()?;
    let named = (database != environment.data.join("lore.db")).then_some(database);
    let folders = [
        ("LORE_HOME", environment.own.clone()),
        ("XDG_CONFIG_HOME", environment.user_config.clone().filter(|_| environment.own.is_none())),
        ("XDG_STATE_HOME", moved(environment, &environment.state, ".local/state")),
        ("XDG_DATA_HOME", moved(environment, &environment.data, ".local/share")),
        ("LORE_DB", named),
        ("LORE_MODELS", environment.models.clone()),
    ];
    let folders = folders.into_iter().filter_map(|(name, path)| Some((name, path?.display().to_string())));
    let model = environment.model.clone().map(|model| ("LORE_MODEL", model));
    Ok(folders.chain(model).map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Returns the parent of one of Lore's directories if it is not in its usual place below the home directory.
fn moved(environment: &Environment, folder: &Path, usual: &str) -> Option<PathBuf> {
    let parent = folder.parent()?;
    let is_usual = environment.home.as_ref().is_some_and(|home| parent == home.join(usual));
    (environment.own.is_none() && !is_usual).then(|| parent.to_owned())
}

fn files(session: &Session, jobs: Vec<Job>) -> Result<ServicePlan> {
    let environment = &session.environment;
    let home = environment.home.clone().ok_or_else(|| {
        AppError::usage("no home directory to install services in", "set HOME to an absolute path")
    })?;
    if cfg!(target_os = "macos") {
        let log = environment.state.join("service.log");
        let file = |job: &Job| {
            let (name, text) = launchd(job, &log);
            (home.join("Library/LaunchAgents").join(name), text)
        };
        return Ok(ServicePlan { manager: "launchd", files: jobs.iter().map(file).collect(), jobs });
    }
    let folder = environment.user_config.clone().unwrap_or_else(|| home.join(".config")).join("systemd/user");
    let files = jobs.iter().flat_map(systemd).map(|(name, text)| (folder.join(name), text)).collect();
    Ok(ServicePlan { manager: "systemd", files, jobs })
}
