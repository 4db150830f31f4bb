//! `service install|status|uninstall`: the vault's timers as services of the user.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use lore_engine::vault::{exists, read_text, remove_file, write_private};
use lore_engine::{Memory, git_state};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::lines;
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::service::{Job, When, launchd, systemd};
use crate::session::Session;

/// How often commits are pushed, in minutes.
const PUSH_EVERY: u32 = 15;

/// Install timers for this vault: pushing commits, and the turn of the day with expiry
///
/// A vault without a remote gets no push timer; one whose policy has nothing to turn or expire gets no daily one.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore service install --dry-run\n  lore service install")]
pub struct Install {
    /// Only show the files
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

/// Say which timers of this vault are installed
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore service status")]
pub struct Status {}

/// Remove the timers of this vault
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore service uninstall")]
pub struct Uninstall {}

/// The timers of a vault.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Services {
    /// `systemd` or `launchd`.
    manager: &'static str,
    files: Vec<ServiceFile>,
    /// What to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A file of a timer.
#[derive(Debug, Serialize, JsonSchema)]
struct ServiceFile {
    path: String,
    /// `written`, `unchanged`, `planned`, `installed`, `differs`, `absent` or `removed`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

struct Plan {
    manager: &'static str,
    files: Vec<(PathBuf, String)>,
    jobs: Vec<Job>,
}

impl Operation for Install {
    const NAME: &'static str = "service install";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Services;

    fn run(self, session: &Session) -> Result<Services> {
        let plan = plan(session)?;
        let mut services = Services { manager: plan.manager, files: Vec::new(), warnings: Vec::new() };
        for (path, text) in &plan.files {
            let same = read_text(path)?.as_ref() == Some(text);
            let state = if self.dry_run {
                "planned"
            } else if same {
                "unchanged"
            } else {
                write_private(path, text.as_bytes())?;
                "written"
            };
            let shown = self.dry_run.then(|| text.clone());
            services.files.push(ServiceFile { path: path.display().to_string(), state, text: shown });
        }
        if plan.files.is_empty() {
            services
                .warnings
                .push("nothing to do on a timer: no remote, and nothing that turns or expires".into());
        } else if !self.dry_run {
            services.warnings.extend(start(&plan));
        }
        Ok(services)
    }
}

impl Operation for Status {
    const NAME: &'static str = "service status";
    const MACHINE: bool = true;
    type Output = Services;

    fn run(self, session: &Session) -> Result<Services> {
        let plan = plan(session)?;
        let mut files = Vec::new();
        for (path, text) in plan.files {
            let state = match read_text(&path)? {
                None => "absent",
                Some(there) if there == text => "installed",
                Some(_) => "differs",
            };
            files.push(ServiceFile { path: path.display().to_string(), state, text: None });
        }
        Ok(Services { manager: plan.manager, files, warnings: Vec::new() })
    }
}

impl Operation for Uninstall {
    const NAME: &'static str = "service uninstall";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Services;

    fn run(self, session: &Session) -> Result<Services> {
        let plan = every_file(session)?;
        for job in plan.jobs.iter().filter(|_| plan.manager == "systemd") {
            run(&["systemctl", "--user", "disable", "--now", &format!("{}.timer", job.name)]);
        }
        let mut files = Vec::new();
        for (path, _) in plan.files.into_iter().filter(|(path, _)| exists(path)) {
            if plan.manager == "launchd" {
                run(&["launchctl", "unload", &path.to_string_lossy()]);
            }
            remove_file(&path)?;
            if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
                let enabled = folder.join("timers.target.wants").join(name);
                if exists(&enabled) {
                    remove_file(&enabled)?;
                }
            }
            files.push(ServiceFile { path: path.display().to_string(), state: "removed", text: None });
        }
        Ok(Services { manager: plan.manager, files, warnings: Vec::new() })
    }
}

/// The timers that this vault has a use for.
fn plan(session: &Session) -> Result<Plan> {
    let memory = session.memory()?;
    let policy = memory.policy();
    let remote = git_state(memory)?.is_some_and(|git| git.state.url.is_some());
    let daily = policy.rotate.is_some() || policy.rules.iter().any(|rule| rule.keep.is_some());
    let wanted = |job: &Job| if matches!(job.when, When::Every(_)) { remote } else { daily };
    let jobs = jobs(session, memory)?.into_iter().filter(wanted).collect();
    files(session, jobs)
}

/// Every timer that this vault could have.
fn every_file(session: &Session) -> Result<Plan> {
    files(session, jobs(session, session.memory()?)?)
}

fn jobs(session: &Session, memory: &Memory) -> Result<Vec<Job>> {
    let project = memory.name();
    let slug = lore_page::slugify(project).replace('/', "-");
    let program = session.environment.program.clone().ok_or_else(|| {
        Failure::usage("it is not known where the program is", "call lore by its full path")
    })?;
    let command = |words: &[&str]| -> Vec<String> {
        let start = [program.display().to_string(), "--project".into(), project.to_owned()];
        start.into_iter().chain(words.iter().map(|word| (*word).to_owned())).collect()
    };
    let policy = memory.policy();
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
    let environment = session
        .environment
        .own
        .iter()
        .map(|home| ("LORE_HOME".to_owned(), home.display().to_string()))
        .collect::<Vec<_>>();
    Ok(vec![
        Job {
            name: format!("lore-push-{slug}"),
            about: format!("Push the commits of the Lore vault {project}"),
            commands: vec![command(&["git", "push"])],
            when: When::Every(PUSH_EVERY),
            environment: environment.clone(),
        },
        Job {
            name: format!("lore-daily-{slug}"),
            about: format!("Turn the day and let go what is past its time in the Lore vault {project}"),
            commands: daily,
            when: When::Daily(hour, zone),
            environment,
        },
    ])
}

fn files(session: &Session, jobs: Vec<Job>) -> Result<Plan> {
    let environment = &session.environment;
    let home = environment.home.clone().ok_or_else(|| {
        Failure::usage("there is no home directory to install services in", "set HOME to an absolute path")
    })?;
    if cfg!(target_os = "macos") {
        let log = environment.state.join("service.log");
        let file = |job: &Job| {
            let (name, text) = launchd(job, &log);
            (home.join("Library/LaunchAgents").join(name), text)
        };
        return Ok(Plan { manager: "launchd", files: jobs.iter().map(file).collect(), jobs });
    }
    let folder = environment.user_config.clone().unwrap_or_else(|| home.join(".config")).join("systemd/user");
    let files = jobs.iter().flat_map(systemd).map(|(name, text)| (folder.join(name), text)).collect();
    Ok(Plan { manager: "systemd", files, jobs })
}

/// Tells the system of the new files; what it does not take is told with the command to give by hand.
fn start(plan: &Plan) -> Vec<String> {
    let mut failed = Vec::new();
    let mut attempt = |words: &[&str]| {
        if !run(words) {
            failed.push(format!("start it by hand: {}", words.join(" ")));
        }
    };
    if plan.manager == "launchd" {
        for (path, _) in &plan.files {
            attempt(&["launchctl", "load", "-w", &path.to_string_lossy()]);
        }
        return failed;
    }
    attempt(&["systemctl", "--user", "daemon-reload"]);
    for job in &plan.jobs {
        attempt(&["systemctl", "--user", "enable", "--now", &format!("{}.timer", job.name)]);
    }
    failed
}

fn run(words: &[&str]) -> bool {
    let [program, arguments @ ..] = words else { return false };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Render for Services {
    fn human(&self) -> String {
        let mut text = lines(self.files.iter().map(|file| format!("{:<9}  {}", file.state, file.path)));
        for file in &self.files {
            if let Some(content) = &file.text {
                text.push_str(&format!("\n# {}\n{content}", file.path));
            }
        }
        if text.is_empty() {
            text.push_str("no timers\n");
        }
        text.extend(self.warnings.iter().map(|warning| format!("note: {warning}\n")));
        text
    }
}
