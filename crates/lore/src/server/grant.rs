//! The rights of a client.

use lore_engine::Code;

use crate::failure::{Failure, Result};
use crate::ops::Entry;

/// The rights of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The actor recorded in the history.
    pub actor: String,
    /// The projects it is limited to; none: all.
    pub projects: Option<Vec<String>>,
    /// Whether writes are allowed.
    pub writes: bool,
}

impl Grant {
    /// Returns an error unless the grant allows an operation.
    pub fn check(&self, entry: &Entry) -> Result<()> {
        if entry.writes && !self.writes {
            return Err(denied(format!(
                "the token of {} is read-only, and {} writes",
                self.actor, entry.name
            )));
        }
        if entry.machine && self.projects.is_some() {
            return Err(denied(format!(
                "the token of {} is limited to projects, and {} affects the whole machine",
                self.actor, entry.name
            )));
        }
        Ok(())
    }

    /// Returns an error unless the grant covers a project.
    pub fn check_project(&self, name: &str) -> Result<()> {
        match &self.projects {
            Some(projects) if !projects.iter().any(|project| project == name) => {
                Err(denied(format!("the token of {} does not cover the project {name}", self.actor)))
            }
            _ => Ok(()),
        }
    }
}

fn denied(message: String) -> Failure {
    let hint = "use a token with this right; see `lore token --help`".into();
    Failure { code: Code::Denied, message, hint, current_version: None }
}
