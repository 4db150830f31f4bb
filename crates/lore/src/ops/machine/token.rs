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
///
/// Without --for it covers every vault. A running server accepts a new token at once.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore token add ci --for brain\n  lore token add editor --write")]
pub struct Add {
    /// Name recorded in the history of what is written with it
    actor: String,
    /// Allow writes
    #[arg(long)]
    #[serde(default)]
    write: bool,
    /// Only this vault; repeatable; --project adds one too
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
    write: bool,
    /// Projects it is limited to; null means all.
    projects: Option<Vec<String>>,
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
        // The global option means a limit here too: a token that it silently did not limit would grant everything.
        let named = session.named_project().map(str::to_owned);
        let mut projects: Vec<String> = self.projects.into_iter().chain(named).collect();
        projects.sort();
        projects.dedup();
        for name in &projects {
            session.projects().choose(Some(name), None)?;
        }
        let projects = (!projects.is_empty()).then_some(projects);
        let grant = Grant { actor: self.actor.clone(), projects: projects.clone(), writes: self.write };
        let token = Tokens::add(&session.environment, &grant)?;
        let file = Tokens::place(&session.environment).display().to_string();
        Ok(TokenAdded { actor: self.actor, token, write: self.write, projects, file })
    }
}

impl Render for TokenAdded {
    fn human(&self) -> String {
        let rights = rights(self.write, self.projects.as_deref());
        format!("{}\ntoken for {}, which {rights}; stored in {}\n", self.token, self.actor, self.file)
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
        let line =
            |item: &GrantItem| format!("{}  {}", item.actor, rights(item.write, item.projects.as_deref()));
        format!("{}stored in {}\n", lines(self.tokens.iter().map(line)), self.file)
    }
}

fn rights(write: bool, projects: Option<&[String]>) -> String {
    let may = if write { "reads and writes" } else { "reads" };
    let what = projects.map_or_else(
        || "everything".to_owned(),
        |projects| if projects.is_empty() { "nothing".to_owned() } else { projects.join(", ") },
    );
    format!("{may} {what}")
}

/// Remove the tokens of a name; a running server refuses them at once
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
            _ => Ok(Done::new(format!("removed the tokens of {}", self.actor))),
        }
    }
}
