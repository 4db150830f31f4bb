//! `service install|status|uninstall`: the vault's timers, watcher and server as user services.

mod plan;

use std::process::{Command, Stdio};

use clap::Args;
use lore_vault::{exists, read_text, remove_file, write_private};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::plan::{ServicePlan, ServiceRequest, every_file, is_chosen, plan};
use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::lines;
use crate::ops::{Operation, Render};
use crate::service::{Job, Schedule};

/// Install background services for this vault
///
/// Timers pull and push commits, roll over the daily page and make generated files again; the watcher, the server and an
/// agent that runs routines are optional. A vault without a remote
/// gets no push timer; one without rotation or retention gets no daily timer.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore service install --dry-run\n  lore service install\n  lore service install --watcher\n  lore service install --server 127.0.0.1:7700\n  lore service install -- claude -p"
)]
pub struct Install {
    /// Also install the watcher, which indexes each change
    #[arg(long)]
    #[serde(default)]
    watcher: bool,
    /// Also install the HTTP and MCP server, at this address
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "")]
    #[serde(default)]
    server: Option<String>,
    /// Only show the files
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Also run due routines with this agent's command, which gets each brief on standard input
    #[arg(last = true, value_name = "AGENT")]
    #[serde(skip)]
    agent: Vec<String>,
}

/// Show which services of this vault are installed
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore service status")]
pub struct Status {}

/// Remove the services of this vault
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore service uninstall")]
pub struct Uninstall {}

/// Output of the `service` commands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Services {
    /// `systemd` or `launchd`.
    manager: &'static str,
    files: Vec<ServiceFile>,
    /// Notes for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A service file.
#[derive(Debug, Serialize, JsonSchema)]
struct ServiceFile {
    path: String,
    /// `written`, `unchanged`, `planned`, `installed`, `differs`, `absent` or `removed`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Operation for Install {
    const NAME: &'static str = "service install";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Services;

    fn run(self, session: &Session) -> Result<Services> {
        let (watcher, server) = (self.watcher, self.server.clone());
        let request = ServiceRequest::Requested { watcher, server, agent: self.agent.clone() };
        let plan = plan(session, &request)?;
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
            services.warnings.push("no timer needed: no remote, no rotation and no retention".into());
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
        let plan = plan(session, &ServiceRequest::Installed)?;
        let mut files = Vec::new();
        for (path, text) in plan.files {
            let state = match read_text(&path)? {
                None => "absent",
                // Its command depends on how it was installed.
                Some(current) if current == text || is_chosen(&path) => "installed",
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
            run(&["systemctl", "--user", "disable", "--now", &job.unit()]);
        }
        let mut files = Vec::new();
        for (path, _) in plan.files.into_iter().filter(|(path, _)| exists(path)) {
            if plan.manager == "launchd" {
                run(&["launchctl", "unload", &path.to_string_lossy()]);
            }
            remove_file(&path)?;
            if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
                let places = ["timers.target.wants", "default.target.wants"];
                for enabled in
                    places.map(|target| folder.join(target).join(name)).iter().filter(|link| exists(link))
                {
                    remove_file(enabled)?;
                }
            }
            files.push(ServiceFile { path: path.display().to_string(), state: "removed", text: None });
        }
        Ok(Services { manager: plan.manager, files, warnings: Vec::new() })
    }
}

/// A timer of a vault.
pub struct Timer {
    /// Name of its unit.
    pub unit: String,
    /// Whether its files are there.
    pub installed: bool,
    /// Whether it runs.
    pub active: bool,
}

/// Returns the timers that the vault needs.
pub fn timers(session: &Session) -> Result<Vec<Timer>> {
    let plan = plan(session, &ServiceRequest::Installed)?;
    let timer = |job: &Job| {
        let installed = plan.files.iter().any(|(path, _)| {
            path.file_stem().is_some_and(|stem| stem.to_string_lossy() == job.name) && exists(path)
        });
        let active = installed
            && match plan.manager {
                "launchd" => run(&["launchctl", "list", &job.name]),
                _ => run(&["systemctl", "--user", "--quiet", "is-active", &job.unit()]),
            };
        Timer { unit: job.unit(), installed, active }
    };
    Ok(plan.jobs.iter().filter(|job| job.schedule != Schedule::Always).map(timer).collect())
}

/// Loads and starts the services; for what fails, returns the command to run by hand.
fn start(plan: &ServicePlan) -> Vec<String> {
    let mut failed = Vec::new();
    let mut attempt = |words: &[&str]| {
        if !run(words) {
            failed.push(format!("could not start it; run: {}", words.join(" ")));
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
        attempt(&["systemctl", "--user", "enable", "--now", &job.unit()]);
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
            text.push_str("no services\n");
        }
        text.extend(self.warnings.iter().map(|warning| format!("note: {warning}\n")));
        text
    }
}
