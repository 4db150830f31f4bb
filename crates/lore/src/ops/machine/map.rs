//! `map`: maps working directories to projects and namespaces.

use clap::Args;
use lore_engine::{Mapping, is_known_namespace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::config::Config;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::views::lines;
use crate::ops::{Operation, Render};

/// Map working directories to a project or namespace by glob
///
/// In these directories, that vault is used. If they are mapped to a namespace, `context`, `search`, `query`, `list`,
/// `stale`, `compact` and `stats` only show its pages, and `capture` writes there, unless another namespace, or `all`, is
/// given.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore map '/home/me/code/*' work\n  lore map '~/GitHub/client-x/*' clients\n  lore map --list\n  lore map --remove '/home/me/code/*'"
)]
pub struct Map {
    /// Directories, such as /home/me/code/*; subdirectories match too
    #[arg(required_unless_present_any = ["list", "remove"])]
    #[serde(default)]
    glob: Option<String>,
    /// Project, or namespace of the current one
    #[arg(requires = "glob")]
    #[serde(default)]
    project: Option<String>,
    /// Namespace of the project
    #[arg(long, value_name = "NAME", requires = "project")]
    #[serde(default)]
    namespace: Option<String>,
    /// List the mappings
    #[arg(long)]
    #[serde(default)]
    list: bool,
    /// Remove the mapping of this glob
    #[arg(long, value_name = "GLOB", conflicts_with_all = ["glob", "list"])]
    #[serde(default)]
    remove: Option<String>,
}

/// Mappings in the order in which they are tried.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Maps {
    maps: Vec<MapItem>,
}

/// One mapping.
#[derive(Debug, Serialize, JsonSchema)]
struct MapItem {
    glob: String,
    project: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
}

impl Operation for Map {
    const NAME: &'static str = "map";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Maps;

    fn run(self, session: &Session) -> Result<Maps> {
        let config = match (&self.remove, &self.glob, &self.project) {
            (Some(glob), _, _) => Config::change(&session.environment, |config| {
                if config.remove_map(glob) {
                    return Ok(());
                }
                Err(AppError::usage(format!("no mapping has the glob {glob:?}"), "see `lore map --list`"))
            })?,
            (None, Some(glob), Some(project)) => {
                let map = mapping(session, glob, project, self.namespace.as_deref())?;
                Config::change(&session.environment, |config| {
                    config.add_map(&map);
                    Ok(())
                })?
            }
            (None, Some(_), None) => {
                return Err(AppError::usage(
                    "no project given for the glob",
                    "pass the project after the glob",
                ));
            }
            (None, None, _) => Config::load(&session.environment.config_file)?,
        };
        let item = |Mapping { glob, project, namespace }| MapItem { glob, project, namespace };
        Ok(Maps { maps: config.projects().maps.into_iter().map(item).collect() })
    }
}

/// Returns the mapping of a glob to a project, to a namespace of it, or to a namespace of the current vault.
fn mapping(session: &Session, glob: &str, name: &str, namespace: Option<&str>) -> Result<Mapping> {
    let glob = absolute(session, glob)?;
    let projects = session.projects();
    if !projects.roots.contains_key(name) && namespace.is_none() {
        // Without a vault to look in, the error about the project is the one that helps.
        let context = session.fresh().ok();
        if let Some(context) = context
            && is_known_namespace(context, name)?
        {
            let (project, namespace) = (context.name().to_owned(), Some(name.to_owned()));
            return Ok(Mapping { glob, project, namespace });
        }
        projects.choose(Some(name), None).map_err(|error| {
            let failure = AppError::from(error);
            AppError {
                hint: format!("{}, or create a namespace with `lore ns create {name}`", failure.hint),
                ..failure
            }
        })?;
    }
    projects.choose(Some(name), None)?;
    Ok(Mapping { glob, project: name.to_owned(), namespace: namespace.map(str::to_owned) })
}

/// Expands `~` in a glob. A relative glob is an error because it could never match.
fn absolute(session: &Session, glob: &str) -> Result<String> {
    let home = session.environment.home.as_ref().map(|home| home.display().to_string());
    let path = match (glob.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => format!("{home}/{rest}"),
        _ => glob.to_owned(),
    };
    if path.starts_with('/') {
        return Ok(path);
    }
    Err(AppError::usage(
        format!("{glob:?} is not an absolute path"),
        "use an absolute path, such as /home/me/code/*",
    ))
}

impl Render for Maps {
    fn human(&self) -> String {
        if self.maps.is_empty() {
            return "no mappings\n".into();
        }
        lines(self.maps.iter().map(|map| {
            let namespace = map.namespace.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
            format!("{}  {}{namespace}", map.glob, map.project)
        }))
    }
}
