//! `context`: what an agent is given at the start of its work.

use clap::Args;
use lore_engine::{git_state, injected};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::git::GitView;
use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Give what an agent needs at the start of its work: the vault's injected files, and what went wrong
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore context\n  lore context --whole --json")]
pub struct Context {
    /// Do not cut long lists
    #[arg(long)]
    #[serde(default)]
    whole: bool,
}

/// What an agent is given.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Brief {
    project: String,
    /// The files that every agent is given, in the policy's order.
    injected: Vec<InjectedFile>,
    /// What to know.
    warnings: Vec<String>,
}

/// A file that is given.
#[derive(Debug, Serialize, JsonSchema)]
struct InjectedFile {
    /// What it is called.
    name: String,
    path: String,
    text: String,
}

impl Operation for Context {
    const NAME: &'static str = "context";
    type Output = Brief;

    fn run(self, session: &Session) -> Result<Brief> {
        let memory = session.fresh()?;
        let (files, mut warnings) = injected(memory, self.whole)?;
        // A repository that cannot be asked is no reason to give nothing.
        let git = git_state(memory).map(GitView::new);
        if let Ok(git) = &git {
            if git.unpushed() > 0 {
                warnings.push(format!("{} commits are not pushed", git.unpushed()));
            }
            warnings.extend(git.warnings().iter().cloned());
        }
        if lore_engine::curation_due(memory)? {
            warnings.push("a look over the pages is due: see `lore curate --dry-run`".into());
        }
        let file =
            |one: lore_engine::Injected| InjectedFile { name: one.name, path: one.path, text: one.text };
        Ok(Brief {
            project: memory.name().to_owned(),
            injected: files.into_iter().map(file).collect(),
            warnings,
        })
    }
}

impl Render for Brief {
    fn human(&self) -> String {
        let mut text = String::new();
        for file in &self.injected {
            text.push_str(&format!(
                "<{0} path=\"{1}\">\n{2}\n</{0}>\n",
                file.name,
                file.path,
                file.text.trim_end()
            ));
        }
        text.extend(self.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        text
    }
}
