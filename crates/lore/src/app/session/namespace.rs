//! The namespace that a session works in.

use lore_engine::{VaultContext, named_namespace};
use lore_ports::Namespace;

use super::Session;

/// The name that stands for all pages of a vault.
const ALL: &str = "all";

impl Session {
    /// Returns the namespace that was asked for, else the one that the working directory is mapped to. `all` stands for
    /// the whole vault.
    pub fn namespace(&self, context: &VaultContext, asked: Option<&str>) -> Option<String> {
        match asked.map(str::trim).filter(|asked| !asked.is_empty()) {
            Some(asked) => (asked != ALL).then(|| asked.to_owned()),
            None => self.mapped_namespace(context),
        }
    }

    /// Returns the pages of [`Session::namespace`]; `None` means all of them.
    pub fn namespace_filter(&self, context: &VaultContext, asked: Option<&str>) -> Option<Namespace> {
        self.namespace(context, asked).map(|name| named_namespace(context, &name))
    }

    /// Returns whether the working directory is mapped to this vault as a whole.
    pub fn is_mapped(&self, context: &VaultContext) -> bool {
        self.is_mapped_to(context) && self.mapped_namespace(context).is_none()
    }

    fn mapped_namespace(&self, context: &VaultContext) -> Option<String> {
        let projects = self.projects();
        let map = projects.mapping(self.environment.here.as_deref()?)?;
        map.namespace.clone().filter(|_| map.project == context.name())
    }

    fn is_mapped_to(&self, context: &VaultContext) -> bool {
        let projects = self.projects();
        let map = self.environment.here.as_deref().and_then(|here| projects.mapping(here));
        map.is_some_and(|map| map.project == context.name())
    }
}
