//! `token`: who may ask the server over HTTP, and for what.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::{Done, lines};
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::http::Tokens;
use crate::server::Grant;
use crate::session::Session;

/// Make a token for the server over HTTP
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore token add ci --for brain\n  lore token add editor --write")]
pub struct Add {
    /// The name that stands in the history of what is written with it
    actor: String,
    /// Whether it may write
    #[arg(long)]
    #[serde(default)]
    write: bool,
    /// Only this project; may be given more than once
    #[arg(long = "for", value_name = "PROJECT")]
    #[serde(default)]
    projects: Vec<String>,
}

/// A new token.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Made {
    actor: String,
    /// The token; it is shown this once, and kept in the file.
    token: String,
    file: String,
}

impl Operation for Add {
    const NAME: &'static str = "token add";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Made;

    fn run(self, session: &Session) -> Result<Made> {
        if self.actor.trim().is_empty() {
            return Err(Failure::usage("a token needs the name of whom it is for", "give one, such as ci"));
        }
        let projects = (!self.projects.is_empty()).then_some(self.projects);
        let grant = Grant { actor: self.actor.clone(), projects, writes: self.write };
        let token = Tokens::add(&session.environment, &grant)?;
        let file = Tokens::place(&session.environment).display().to_string();
        Ok(Made { actor: self.actor, token, file })
    }
}

impl Render for Made {
    fn human(&self) -> String {
        format!(
            "{}\na token for {}, kept in {}; a running server takes it after a restart\n",
            self.token, self.actor, self.file
        )
    }

    fn brief(&self) -> String {
        format!("{}\n", self.token)
    }
}

/// List who has a token, without the tokens
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore token list")]
pub struct List {}

/// Who has tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Granted {
    /// Where they are kept.
    file: String,
    tokens: Vec<GrantItem>,
}

/// What a token grants.
#[derive(Debug, Serialize, JsonSchema)]
struct GrantItem {
    actor: String,
    write: bool,
    /// The only projects it is for; null is all.
    projects: Option<Vec<String>>,
}

impl Operation for List {
    const NAME: &'static str = "token list";
    const MACHINE: bool = true;
    type Output = Granted;

    fn run(self, session: &Session) -> Result<Granted> {
        let tokens = Tokens::all(&session.environment)?.into_iter().map(|grant| GrantItem {
            actor: grant.actor,
            write: grant.writes,
            projects: grant.projects,
        });
        let file = Tokens::place(&session.environment).display().to_string();
        Ok(Granted { file, tokens: tokens.collect() })
    }
}

impl Render for Granted {
    fn human(&self) -> String {
        let line = |item: &GrantItem| {
            let may = if item.write { "reads and writes" } else { "reads" };
            let what = item.projects.as_ref().map_or("everything".into(), |projects| projects.join(", "));
            format!("{}  {may} {what}", item.actor)
        };
        format!("{}kept in {}\n", lines(self.tokens.iter().map(line)), self.file)
    }
}

/// Forget the tokens of a name
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore token remove ci")]
pub struct Remove {
    /// The name
    actor: String,
}

impl Operation for Remove {
    const NAME: &'static str = "token remove";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        match Tokens::remove(&session.environment, &self.actor)? {
            0 => Err(Failure::usage(format!("{:?} has no token", self.actor), "see `lore token list`")),
            _ => Ok(Done::new(format!("{} has no token any more; restart a running server", self.actor))),
        }
    }
}
