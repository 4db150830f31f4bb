//! Access rights: tokens, and what each of them grants.

mod tokens;

use lore_engine::Code;

use crate::app::error::{AppError, Result};

pub use tokens::Tokens;

/// What an operation demands of a grant.
pub struct Demand {
    /// Name of the operation.
    pub name: &'static str,
    /// Whether it changes anything.
    pub writes: bool,
    /// Whether it concerns the machine rather than one vault.
    pub machine: bool,
}

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
    pub fn check(&self, operation: &Demand) -> Result<()> {
        let Demand { name, writes, machine } = operation;
        let actor = &self.actor;
        if *writes && !self.writes {
            return Err(denied(format!("the token of {actor} is read-only, and {name} writes")));
        }
        if *machine && self.projects.is_some() {
            let message =
                format!("the token of {actor} is limited to projects, and {name} affects the whole machine");
            return Err(denied(message));
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

fn denied(message: String) -> AppError {
    AppError::new(Code::Denied, message, "use a token with this right, or create one with `lore token add`")
}
