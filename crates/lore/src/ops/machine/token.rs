//! `token`: HTTP access tokens.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::access::{Grant, Tokens};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::views::{Done, lines};
use crate::ops::{Operation, Render};

/// Create an HTTP access token
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore token add ci --for brain\n  lore token add editor --write")]
pub struct Add {
    /// Name recorded in the history of what is written with it
    actor: String,
    /// Allow writes
    #[arg(long)]
    #[serde(default)]
    write: bool,
    /// Only this project; repeatable
    #[arg(long = "for", value_name = "PROJECT")]
    #[serde(default)]
    projects: Vec<String>,
}

/// Output of `token add`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenAdded {
    actor: String,
    /// The token, shown only once.
    token: String,
    file: String,
}

impl Operation for Add {
    const NAME: &'static str = "token add";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = TokenAdded;

    fn run(self, session: &Session) -> Result<TokenAdded> {
        if self.actor.trim().is_empty() {
            return Err(AppError::usage("the token name is empty", "pass a name, such as ci"));
        }
        let projects = (!self.projects.is_empty()).then_some(self.projects);
        let grant = Grant { actor: self.actor.clone(), projects, writes: self.write };
        let token = Tokens::add(&session.environment, &grant)?;
        let file = Tokens::place(&session.environment).display().to_string();
        Ok(TokenAdded { actor: self.actor, token, file })
    }
}

impl Render for TokenAdded {
    fn human(&self) -> String {
        format!(
            "{}\ntoken for {}, stored in {}; restart a running server to accept it\n",
            self.token, self.actor, self.file
        )
    }

    fn brief(&self) -> String {
        format!("{}\n", self.token)
    }
}

/// List the names that have a token, without the tokens
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore token list")]
pub struct List {}

/// Output of `token list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenList {
    /// File they are stored in.
    file: String,
    tokens: Vec<GrantItem>,
}

/// What a token grants.
#[derive(Debug, Serialize, JsonSchema)]
struct GrantItem {
    actor: String,
    write: bool,
    /// Projects it is limited to; null means all.
    projects: Option<Vec<String>>,
}

impl Operation for List {
    const NAME: &'static str = "token list";
    const MACHINE: bool = true;
    type Output = TokenList;

    fn run(self, session: &Session) -> Result<TokenList> {
        let tokens = Tokens::all(&session.environment)?.into_iter().map(|grant| GrantItem {
            actor: grant.actor,
            write: grant.writes,
            projects: grant.projects,
        });
        let file = Tokens::place(&session.environment).display().to_string();
        Ok(TokenList { file, tokens: tokens.collect() })
    }
}

impl Render for TokenList {
    fn human(&self) -> String {
        let line = |item: &GrantItem| {
            let may = if item.write { "reads and writes" } else { "reads" };
            let what = item.projects.as_ref().map_or("everything".into(), |projects| projects.join(", "));
            format!("{}  {may} {what}", item.actor)
        };
        format!("{}stored in {}\n", lines(self.tokens.iter().map(line)), self.file)
    }
}

/// Remove the tokens of a name
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore token remove ci")]
pub struct Remove {
    /// Name given to `token add`
    actor: String,
}

impl Operation for Remove {
    const NAME: &'static str = "token remove";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        match Tokens::remove(&session.environment, &self.actor)? {
            0 => Err(AppError::usage(format!("{:?} has no token", self.actor), "run `lore token list`")),
            _ => Ok(Done::new(format!("removed the tokens of {}; restart a running server", self.actor))),
        }
    }
}
