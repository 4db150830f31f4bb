//! `validate`: integrity of index and ledger.

use clap::Args;
use lore_engine::{Check, validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Check that the index says what the files say, and that it is sound
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore validate\n  lore validate --all")]
pub struct Validate {
    /// Links: their targets, and that intervals are in order and those of one relation do not overlap
    #[arg(long)]
    #[serde(default)]
    links: bool,
    /// Facts: that intervals are in order, none is stated twice on a page, and a new value has ended the old one
    #[arg(long)]
    #[serde(default)]
    facts: bool,
    /// Embeddings: that every chunk has its vector and code, or waits for them, model by model
    #[arg(long)]
    #[serde(default)]
    embeddings: bool,
    /// All of these, and every page against its file
    #[arg(long)]
    #[serde(default)]
    all: bool,
}

/// What is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Validity {
    /// What was looked at.
    checked: Vec<&'static str>,
    /// Empty when all is well.
    problems: Vec<String>,
}

impl Operation for Validate {
    const NAME: &'static str = "validate";
    type Output = Validity;

    fn run(self, session: &Session) -> Result<Validity> {
        let memory = session.memory()?;
        let wanted =
            [(Check::Links, self.links), (Check::Facts, self.facts), (Check::Embeddings, self.embeddings)];
        let some = wanted.iter().any(|(_, asked)| *asked);
        let mut checks = vec![Check::Database];
        checks.extend(wanted.iter().filter(|(_, asked)| *asked || self.all).map(|(check, _)| *check));
        if self.all || !some {
            checks.push(Check::Files);
        }
        let mut problems = Vec::new();
        for check in &checks {
            problems.extend(validate(memory, *check)?);
        }
        Ok(Validity { checked: checks.into_iter().map(Check::name).collect(), problems })
    }
}

impl Render for Validity {
    fn human(&self) -> String {
        if self.problems.is_empty() {
            return format!("sound: {}\n", self.checked.join(", "));
        }
        super::views::lines(self.problems.iter().map(|problem| format!("problem: {problem}")))
    }

    fn exit(&self) -> u8 {
        if self.problems.is_empty() { 0 } else { 5 }
    }
}
