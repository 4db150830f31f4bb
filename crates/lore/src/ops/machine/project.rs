//! `project`: the registry of vaults.

use std::path::PathBuf;

use clap::Args;
use lore_engine::VaultContext;
use lore_ports::Forget;
use lore_vault::{exists, make_folder, real_folder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::config::Config;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::app::trust::{Judgement, Trust, TrustLevel};
use crate::ops::views::{Done, count, lines};
use crate::ops::{Operation, Render};

/// Register a directory as a project
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore project add notes ~/notes")]
pub struct Add {
    /// Project name
    name: String,
    /// Directory; created if it does not exist
    path: PathBuf,
    /// Make it the default project
    #[arg(long)]
    #[serde(default)]
    default: bool,
}

/// Output of `project add`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectAdded {
    #[serde(flatten)]
    project: ProjectItem,
    /// Whether it was newly registered.
    created: bool,
}

impl Render for ProjectAdded {
    fn human(&self) -> String {
        self.project.human()
    }
}

impl Operation for Add {
    const NAME: &'static str = "project add";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = ProjectAdded;

    fn run(self, session: &Session) -> Result<ProjectAdded> {
        let created = !session.projects().roots.contains_key(&self.name);
        let requested = session.path(&self.path);
        if self.name.trim().is_empty() {
            return Err(AppError::usage("the project name is empty", "pass a name, such as notes"));
        }
        session.check_name(&self.name, &real_folder(&requested).unwrap_or(requested.clone()))?;
        let is_new = !exists(&requested);
        make_folder(&requested)?;
        let root = real_folder(&requested).ok_or_else(|| {
            AppError::usage(format!("{} is not a directory", requested.display()), "pass a directory")
        })?;
        if is_new {
            session.trust(&root, TrustLevel::Full)?;
        }
        session.access(&root)?;
        session.register(Some(&self.name), &root)?;
        let context = session.open_fresh(&self.name, &root)?;
        if self.default {
            Config::change(&session.environment, |config| config.set("default_project", &self.name))?;
        }
        let default = self.default || session.projects().default.as_deref() == Some(&self.name);
        Ok(ProjectAdded { project: item(session, &context, default)?, created })
    }
}

/// List projects
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore project list")]
pub struct List {}

/// Output of `project list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectList {
    projects: Vec<ProjectItem>,
    /// How to create the first one.
    #[serde(skip)]
    hint: String,
}

/// A registered project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectItem {
    name: String,
    path: String,
    /// Whether it is used when nothing else selects a project.
    default: bool,
    /// Whether its directory exists and can be opened.
    active: bool,
    /// Whether it is not opened because the user has not trusted it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    untrusted: bool,
    pages: u64,
    links: u64,
    observations: u64,
    facts: u64,
}

impl Operation for List {
    const NAME: &'static str = "project list";
    type Output = ProjectList;

    fn run(self, session: &Session) -> Result<ProjectList> {
        let known = session.projects();
        let trust = Trust::load(&session.environment)?;
        let mut projects = Vec::new();
        for (name, root) in &known.roots {
            let default = known.default.as_ref() == Some(name);
            // A list asks nothing.
            let is_untrusted = matches!(trust.judge(root), Judgement::Untrusted(_)) && exists(root);
            let opened = if is_untrusted { None } else { session.open_fresh(name, root).ok() };
            projects.push(match opened {
                Some(context) => item(session, &context, default)?,
                None => ProjectItem {
                    name: name.clone(),
                    path: session.shown_path(root),
                    default,
                    active: false,
                    untrusted: is_untrusted,
                    pages: 0,
                    links: 0,
                    observations: 0,
                    facts: 0,
                },
            });
        }
        let first = || session.hint("create one with `lore init PATH`");
        Ok(ProjectList { hint: projects.is_empty().then(first).unwrap_or_default(), projects })
    }
}

fn item(session: &Session, context: &VaultContext, default: bool) -> Result<ProjectItem> {
    let counts = context.store().counts(context.project())?;
    Ok(ProjectItem {
        name: context.name().to_owned(),
        path: session.shown_path(context.vault().root()),
        default,
        active: true,
        untrusted: false,
        pages: counts.pages,
        links: counts.links,
        observations: counts.observations,
        facts: counts.facts,
    })
}

impl Render for ProjectList {
    fn human(&self) -> String {
        if self.projects.is_empty() {
            return format!("no projects yet; {}\n", self.hint);
        }
        lines(self.projects.iter().map(|project| {
            let mark = if project.default { "*" } else { " " };
            let state = match (project.active, project.untrusted) {
                (true, _) => count(project.pages, "page"),
                (false, true) => "not trusted".into(),
                (false, false) => "directory missing".into(),
            };
            format!("{mark} {:<20}  {}  ({state})", project.name, project.path)
        }))
    }

    fn brief(&self) -> String {
        lines(self.projects.iter().map(|project| project.name.clone()))
    }
}

impl Render for ProjectItem {
    fn human(&self) -> String {
        let mark = if self.default { " (default)" } else { "" };
        format!(
            "{}{mark}  {}\n{}, {}, {}, {}\n",
            self.name,
            self.path,
            count(self.pages, "page"),
            count(self.links, "link"),
            count(self.observations, "observation"),
            count(self.facts, "fact")
        )
    }
}

/// Set the default project
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore project default notes")]
pub struct Default {
    /// Project name
    name: String,
}

impl Operation for Default {
    const NAME: &'static str = "project default";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        session.projects().choose(Some(&self.name), None)?;
        Config::change(&session.environment, |config| config.set("default_project", &self.name))?;
        Ok(Done::new(format!("{} is the default project", self.name)))
    }
}

/// Unregister a project: delete its index and history, keep its files
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore project remove old-notes\n  lore project remove old-notes --yes")]
pub struct Remove {
    /// Project name
    name: String,
    /// Skip the confirmation prompt
    #[arg(long, short)]
    #[serde(default)]
    yes: bool,
}

impl Operation for Remove {
    const NAME: &'static str = "project remove";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let projects = session.projects();
        projects.choose(Some(&self.name), None)?;
        let root = projects.roots.get(&self.name).map(|root| root.display().to_string()).unwrap_or_default();
        session.confirm(
            self.yes,
            &format!(
                "Remove the project {}? Its files in {root} stay; its snapshots and history are deleted.",
                self.name
            ),
        )?;
        let store = session.store()?;
        for project in store.projects_at(&root)? {
            store.forget(project, Forget::LedgerToo)?;
        }
        Config::change(&session.environment, |config| {
            config.remove_project(&self.name);
            Ok(())
        })?;
        Ok(Done::new(format!("removed {}; its files are still in {root}", self.name)))
    }
}

/// Show a project with its counts
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore project info\n  lore project info notes --json")]
pub struct Info {
    /// Project name [default: the current project]
    #[serde(default)]
    name: Option<String>,
}

impl Operation for Info {
    const NAME: &'static str = "project info";
    type Output = ProjectItem;

    fn run(self, session: &Session) -> Result<ProjectItem> {
        let projects = session.projects();
        let (name, root) = match &self.name {
            Some(name) => match projects.choose(Some(name), None)? {
                lore_engine::Chosen::Known(name, root) | lore_engine::Chosen::First(name, root) => {
                    (name, root)
                }
                lore_engine::Chosen::Found(root) => (name.clone(), root),
            },
            None => session.choose()?,
        };
        let context = session.open_fresh(&name, &root)?;
        item(session, &context, projects.default.as_ref() == Some(&name))
    }
}
