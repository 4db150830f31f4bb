//! `map`: maps working directories to projects.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::config::Config;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::views::lines;
use crate::ops::{Operation, Render};

/// Map working directories to a project by glob
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore map '/home/me/code/*' work\n  lore map --list\n  lore map --remove '/home/me/code/*'"
)]
pub struct Map {
    /// Directories, such as /home/me/code/*; subdirectories match too
    #[arg(required_unless_present_any = ["list", "remove"])]
    #[serde(default)]
    glob: Option<String>,
    /// Project name
    #[arg(requires = "glob")]
    #[serde(default)]
    project: Option<String>,
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
                session.projects().choose(Some(project), None)?;
                let glob = &absolute(session, glob)?;
                Config::change(&session.environment, |config| {
                    config.add_map(glob, project);
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
        let maps =
            config.projects().maps.into_iter().map(|(glob, project)| MapItem { glob, project }).collect();
        Ok(Maps { maps })
    }
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
        lines(self.maps.iter().map(|map| format!("{}  {}", map.glob, map.project)))
    }
}
