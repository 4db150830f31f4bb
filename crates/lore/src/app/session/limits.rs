//! What the caller of a session may reach and see.

use std::path::Path;

use lore_engine::Projects;

use super::Session;
use crate::app::access::{Limits, PathNames};
use crate::app::environment::Environment;

impl Session {
    /// Returns the session with the limits of its caller.
    pub fn limited(mut self, limits: Limits) -> Session {
        self.limits = limits;
        self
    }

    /// Returns the limits of the caller.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the registered vaults that the caller may know of.
    pub fn projects(&self) -> Projects {
        let mut projects = self.config.projects();
        projects.roots.retain(|name, _| self.limits.covers(name));
        projects.maps.retain(|map| self.limits.covers(&map.project));
        projects.default = projects.default.filter(|name| self.limits.covers(name));
        projects
    }

    /// Returns a path as the caller may see it: one that is limited to projects sees no absolute path.
    pub fn shown_path(&self, path: &Path) -> String {
        self.shown(&path.display().to_string())
    }

    /// Returns a text of this machine, such as a warning, as the caller may see it.
    pub fn shown(&self, text: &str) -> String {
        match self.limits.projects {
            None => text.to_owned(),
            Some(_) => path_names(&self.environment, &self.config.projects(), &self.limits).text(text),
        }
    }
}

/// Returns the names that replace the directories of this machine in messages to a limited caller.
pub fn path_names(environment: &Environment, projects: &Projects, limits: &Limits) -> PathNames {
    let vaults = projects.roots.iter().map(|(name, root)| {
        let shown = if limits.covers(name) { name.clone() } else { "…".to_owned() };
        (root.as_path(), shown)
    });
    let config_folder = environment.config_file.parent();
    let own = [config_folder, Some(&environment.data), Some(&environment.state)];
    let own = own.into_iter().flatten().map(|folder| (folder, "…".to_owned()));
    let outer = [environment.home.as_deref(), environment.here.as_deref()];
    let outer = outer.into_iter().flatten().map(|folder| (folder, "…".to_owned()));
    PathNames::new(vaults.chain(own).chain(outer))
}
