//! What a client of the server may do.

use lore_engine::Code;

use crate::failure::{Failure, Result};
use crate::ops::Entry;

/// What was granted to whoever holds a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The name that stands in the history.
    pub actor: String,
    /// The only projects it is for, where it is not for all.
    pub projects: Option<Vec<String>>,
    /// Whether it may write.
    pub writes: bool,
}

impl Grant {
    /// Fails unless an operation may be run at all.
    pub fn check(&self, entry: &Entry) -> Result<()> {
        if entry.writes && !self.writes {
            return Err(denied(format!("{} may read only, and {} writes", self.actor, entry.name)));
        }
        if entry.machine && self.projects.is_some() {
            return Err(denied(format!(
                "{} is for projects, and {} is about the machine",
                self.actor, entry.name
            )));
        }
        Ok(())
    }

    /// Fails unless a project may be used.
    pub fn check_project(&self, name: &str) -> Result<()> {
        match &self.projects {
            Some(projects) if !projects.iter().any(|project| project == name) => {
                Err(denied(format!("{} may not use the project {name}", self.actor)))
            }
            _ => Ok(()),
        }
    }
}

fn denied(message: String) -> Failure {
    let hint = "ask for a token that may, or leave it".into();
    Failure { code: Code::Denied, message, hint, current_version: None }
}
