//! The configuration of Basic Memory: its projects are registered where they are, and none of their files is changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lore_engine::Error;
use lore_vault::{Skipped, is_dir, read_text, real_folder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::import_output::ImportOutput;
use crate::app::config::Config;
use crate::app::environment::{self, Environment};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::machine::init::adopt;
use crate::ops::views::count;

/// The file of the configuration directory that lists the projects.
const SETTINGS: &str = "config.json";

/// The settings of Basic Memory that matter here.
#[derive(Debug, Deserialize)]
pub(super) struct Settings {
    projects: BTreeMap<String, Entry>,
    #[serde(default)]
    default_project: Option<String>,
}

/// A project; older versions wrote only its path.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Entry {
    Path(PathBuf),
    Project {
        #[serde(default)]
        path: PathBuf,
    },
}

/// A project of Basic Memory that is registered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegisteredProject {
    /// Name.
    name: Line,
    /// Absolute path of its directory.
    path: Line,
    /// `registered`, or `unchanged` if it was registered before.
    outcome: &'static str,
    /// Whether it is the default project.
    default: bool,
    /// Number of pages; none if it was only planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<u64>,
}

impl RegisteredProject {
    /// Returns the line of a list.
    pub(super) fn line(&self) -> String {
        let mark = if self.default { " (default)" } else { "" };
        let pages = self.pages.map(|pages| format!(": {}", count(pages, "page"))).unwrap_or_default();
        format!("{} {}{mark}  {}{pages}", self.outcome, self.name, self.path)
    }
}

/// Returns where Basic Memory keeps its configuration.
pub(super) fn folder(environment: &Environment) -> Option<PathBuf> {
    environment::folder("BASIC_MEMORY_CONFIG_DIR")
        .or_else(|| environment.user_config.as_ref().map(|folder| folder.join("basic-memory")))
        .filter(|folder| is_dir(folder))
        .or_else(|| Some(environment.home.as_ref()?.join(".basic-memory")))
}

/// Reads the settings of a configuration directory, or the file itself; none if there are none, as in a project.
pub(super) fn settings(source: &Path) -> Result<Option<Settings>> {
    let file = match source.file_name().is_some_and(|name| name == SETTINGS) {
        true => source.to_owned(),
        false => source.join(SETTINGS),
    };
    let Some(text) = read_text(&file).ok().flatten() else { return Ok(None) };
    Ok(serde_json::from_str(&text).ok())
}

/// Registers every project in place.
pub(super) fn register(
    session: &Session,
    source: &Path,
    settings: Settings,
    is_planned: bool,
) -> Result<ImportOutput> {
    let mut output = ImportOutput::of_projects(source, is_planned);
    let default = settings.default_project;
    for (name, entry) in settings.projects {
        let (Entry::Path(path) | Entry::Project { path }) = entry;
        let is_default = default.as_deref() == Some(name.as_str());
        match register_one(session, &name, &path, is_default, is_planned) {
            Ok(project) => output.projects.push(project),
            Err(error) => {
                let reason = format!("{}; {}", error.message, error.hint);
                output.skipped.push(Skipped { path: name, reason }.into());
            }
        }
    }
    if !is_planned && output.projects.iter().any(|project| project.outcome == REGISTERED) {
        output.outcome = "imported";
    }
    Ok(output)
}

const REGISTERED: &str = "registered";

fn register_one(
    session: &Session,
    name: &str,
    path: &Path,
    is_default: bool,
    is_planned: bool,
) -> Result<RegisteredProject> {
    let home = session.environment.home.as_deref();
    let path = match (path.strip_prefix("~"), home) {
        (Ok(inside), Some(home)) => home.join(inside),
        _ => path.to_owned(),
    };
    let root = real_folder(&path).filter(|root| path.is_absolute() && is_dir(root)).ok_or_else(|| {
        AppError::usage(
            format!("its directory {} does not exist", path.display()),
            "projects in the cloud have to be downloaded first",
        )
    })?;
    let projects = session.projects();
    let known = projects.roots.iter().find(|(_, known)| **known == root).map(|(name, _)| name.clone());
    let is_known = known.is_some();
    let name = known.unwrap_or_else(|| name.to_owned());
    session.check_name(&name, &root)?;
    let default = is_default && projects.default.as_ref().is_none_or(|current| *current == name);
    let mut project = RegisteredProject {
        name: name.clone().into(),
        path: root.display().to_string().into(),
        outcome: if is_known { "unchanged" } else { REGISTERED },
        default,
        pages: None,
    };
    if is_planned {
        return Ok(project);
    }
    adopt(session, &root, false)?;
    if !is_known {
        session.register(Some(&name), &root)?;
    }
    if default {
        Config::change(&session.environment, |config| config.set("default_project", &name))?;
    }
    let context = session.open_fresh(&name, &root)?;
    project.pages = Some(context.store().counts(context.project()).map_err(Error::from)?.pages);
    Ok(project)
}
