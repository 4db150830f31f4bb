//! Vault selection: the registry of projects, the map from working directories, and the order of precedence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use lore_vault::{POLICY_FILE, exists};

use crate::error::{Error, Result};

/// The registered vaults, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projects {
    /// Each vault's root.
    pub roots: BTreeMap<String, PathBuf>,
    /// The default vault.
    pub default: Option<String>,
    /// Working directories and what they map to, in order.
    pub maps: Vec<Mapping>,
}

/// Working directories that belong to a project, or to a namespace of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The directories; those below them match too.
    pub glob: String,
    /// The project.
    pub project: String,
    /// The namespace; without one, the whole project.
    pub namespace: Option<String>,
}

/// The selected vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// A registered vault.
    Known(String, PathBuf),
    /// None was selected: the first registered vault that exists.
    First(String, PathBuf),
    /// An unregistered vault: its root.
    Found(PathBuf),
}

impl Projects {
    /// Selects the named project, else the vault that contains the working directory, else by the map, else the
    /// default, else the only one, else the first that exists.
    pub fn choose(&self, asked: Option<&str>, here: Option<&Path>) -> Result<Chosen> {
        if let Some(name) = asked {
            return self.known(name);
        }
        if let Some(chosen) = here.and_then(|here| self.around(here)) {
            return Ok(chosen);
        }
        if let Some(map) = here.and_then(|here| self.mapping(here)) {
            return self.known(&map.project);
        }
        if let Some(name) = &self.default {
            return self.known(name);
        }
        match self.roots.iter().next() {
            Some((name, root)) if self.roots.len() == 1 => Ok(Chosen::Known(name.clone(), root.clone())),
            _ => match self.roots.iter().find(|(_, root)| exists(root)) {
                Some((name, root)) => Ok(Chosen::First(name.clone(), root.clone())),
                None => Err(Error::NoProject { known: self.names() }),
            },
        }
    }

    /// Returns the registered vault that a directory is in or mapped to, without falling back to a default.
    pub fn of_place(&self, here: &Path) -> Option<String> {
        match self.around(here) {
            Some(Chosen::Known(name, _) | Chosen::First(name, _)) => Some(name),
            Some(Chosen::Found(_)) => None,
            None => {
                let map = self.mapping(here).filter(|map| self.roots.contains_key(&map.project));
                map.map(|map| map.project.clone())
            }
        }
    }

    /// Returns the names of all projects.
    pub fn names(&self) -> Vec<String> {
        self.roots.keys().cloned().collect()
    }

    /// Returns an unused name based on the wanted one.
    pub fn free_name(&self, wanted: &str) -> String {
        let wanted = if wanted.is_empty() { "vault" } else { wanted };
        let mut names =
            std::iter::once(wanted.to_owned()).chain((2..).map(|number| format!("{wanted}-{number}")));
        names.find(|name| !self.roots.contains_key(name)).unwrap_or_else(|| wanted.to_owned())
    }

    fn known(&self, name: &str) -> Result<Chosen> {
        match self.roots.get(name) {
            Some(root) => Ok(Chosen::Known(name.to_owned(), root.clone())),
            None => Err(Error::UnknownProject { name: name.to_owned(), known: self.names() }),
        }
    }

    /// Finds the innermost vault that contains a directory, registered or not.
    fn around(&self, here: &Path) -> Option<Chosen> {
        here.ancestors().find_map(|folder| {
            let registered = self.roots.iter().find(|(_, root)| root.as_path() == folder);
            match registered {
                Some((name, root)) => Some(Chosen::Known(name.clone(), root.clone())),
                None => exists(&folder.join(POLICY_FILE)).then(|| Chosen::Found(folder.to_owned())),
            }
        })
    }

    /// Returns the first mapping of a directory.
    pub fn mapping(&self, here: &Path) -> Option<&Mapping> {
        let fits = |glob: &str| {
            let built = GlobBuilder::new(glob).literal_separator(true).build();
            built.is_ok_and(|glob| {
                let glob = glob.compile_matcher();
                here.ancestors().any(|folder| glob.is_match(folder))
            })
        };
        self.maps.iter().find(|map| fits(&map.glob))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projects() -> Projects {
        Projects {
            roots: [("brain", "/v/brain"), ("notes", "/v/notes")]
                .map(|(name, root)| (name.into(), root.into()))
                .into(),
            default: None,
            maps: vec![Mapping { glob: "/code/*".into(), project: "notes".into(), namespace: None }],
        }
    }

    #[track_caller]
    fn check(projects: &Projects, asked: Option<&str>, here: &str, expected: &str) {
        let found = match projects.choose(asked, Some(Path::new(here))) {
            Ok(Chosen::Known(name, _)) => name,
            Ok(Chosen::First(name, _)) => format!("first: {name}"),
            Ok(Chosen::Found(root)) => root.display().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn name_then_directory_then_map_then_default() {
        let mut projects = projects();
        check(&projects, Some("notes"), "/v/brain/people", "notes");
        check(&projects, None, "/v/brain/people", "brain");
        check(&projects, None, "/code/api/src", "notes");
        projects.default = Some("brain".into());
        check(&projects, None, "/elsewhere", "brain");
        check(&projects, None, "/code/api", "notes");
    }

    #[test]
    fn only_vault_is_selected_or_the_first_that_exists() {
        let mut projects = projects();
        check(&projects, None, "/elsewhere", "several vaults are registered and none is selected");
        let folder = lore_vault::TemporaryFolder::new("lore-projects").expect("a folder");
        projects.roots.insert("notes".into(), folder.path().to_owned());
        check(&projects, None, "/elsewhere", "first: notes");
        projects.roots.insert("aaa".into(), folder.path().to_owned());
        check(&projects, None, "/elsewhere", "first: aaa");
        projects.roots.remove("aaa");
        check(&projects, Some("x"), "/", "no vault named \"x\"");
        projects.roots.remove("brain");
        check(&projects, None, "/elsewhere", "notes");
        check(&Projects::default(), None, "/", "no vault is registered yet");
    }

    #[test]
    fn free_name_avoids_taken_names() {
        assert_eq!(projects().free_name("brain"), "brain-2");
        assert_eq!(projects().free_name("new"), "new");
        assert_eq!(projects().free_name(""), "vault");
    }
}
