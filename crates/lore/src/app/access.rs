//! Access rights: tokens, what each of them grants, and what a caller of a server may reach.

mod redact;
mod tokens;

use lore_engine::Code;

use crate::app::error::{AppError, Result};

pub use redact::PathNames;
pub use tokens::Tokens;

/// What an operation reaches beyond the pages of one vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Nothing: only the vault, its index and its configured remote.
    Vault,
    /// It reads settings, tokens, services or models of this machine.
    ReadsMachine,
    /// It changes the machine, runs commands, or reads and writes files that a parameter names. A server offers it only
    /// if it was started with `--allow-machine`.
    ChangesMachine,
}

impl Reach {
    /// Returns the reach of an operation: one that concerns the machine and writes changes the machine.
    pub const fn of(machine: bool, writes: bool) -> Reach {
        match (machine, writes) {
            (false, _) => Reach::Vault,
            (true, false) => Reach::ReadsMachine,
            (true, true) => Reach::ChangesMachine,
        }
    }
}

/// What an operation demands of a grant.
pub struct Demand {
    /// Name of the operation.
    pub name: &'static str,
    /// Whether it changes anything.
    pub writes: bool,
    /// What it reaches beyond one vault.
    pub reach: Reach,
}

/// What a caller may reach. The default is what a person may at the command line: everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The projects it may use and know of; none: all.
    pub projects: Option<Vec<String>>,
    /// Whether it may change the machine and run commands.
    pub machine: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { projects: None, machine: true }
    }
}

impl Limits {
    /// Returns whether a project is within the limits.
    pub fn covers(&self, project: &str) -> bool {
        self.projects.as_ref().is_none_or(|projects| projects.iter().any(|covered| covered == project))
    }

    /// Returns an error if an operation exceeds the limits.
    pub fn check(&self, operation: &Demand) -> Result<()> {
        match operation.reach {
            Reach::ChangesMachine if !self.machine => Err(not_on_this_server(&format!(
                "{} changes this machine or names files outside the vault",
                operation.name
            ))),
            _ => Ok(()),
        }
    }

    /// Returns an error if running a command exceeds the limits; `what` names the command.
    pub fn check_command(&self, what: &str) -> Result<()> {
        match self.machine {
            true => Ok(()),
            false => Err(not_on_this_server(&format!("{what} runs a command"))),
        }
    }
}

fn not_on_this_server(what: &str) -> AppError {
    AppError::new(
        Code::Denied,
        format!("{what}, which this server does not allow"),
        "run it at a terminal or start the server with `lore serve --allow-machine`",
    )
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
        let Demand { name, writes, reach } = operation;
        let actor = &self.actor;
        if *writes && !self.writes {
            return Err(denied(format!("the token of {actor} is read-only, and {name} writes")));
        }
        if *reach != Reach::Vault && self.projects.is_some() {
            let message =
                format!("the token of {actor} is limited to projects, and {name} concerns the whole machine");
            return Err(denied(message));
        }
        Ok(())
    }
}

fn denied(message: String) -> AppError {
    AppError::new(Code::Denied, message, "use a token with this right, or create one with `lore token add`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_cover_all_projects_or_the_named_ones() {
        assert!(Limits::default().covers("any"));
        let limits = Limits { projects: Some(vec!["a".into()]), machine: false };
        assert!(limits.covers("a") && !limits.covers("b"));
        assert!(!Limits { projects: Some(Vec::new()), machine: true }.covers("a"));
    }
}
