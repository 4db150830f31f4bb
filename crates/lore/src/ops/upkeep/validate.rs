//! `validate`: integrity of the index and the ledger.

use clap::Args;
use lore_engine::Check;
use lore_memory::validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::{Operation, Render};

/// Check that the index is consistent and matches the files
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore validate\n  lore validate --all")]
pub struct Validate {
    /// Check link targets, interval order and overlapping intervals
    #[arg(long)]
    #[serde(default)]
    links: bool,
    /// Check fact intervals, duplicates and values that were not closed
    #[arg(long, visible_alias = "assertions")]
    #[serde(default)]
    facts: bool,
    /// Check that every chunk has its vector and sign code or is pending
    #[arg(long)]
    #[serde(default)]
    embeddings: bool,
    /// Run all checks and compare every page with its file
    #[arg(long)]
    #[serde(default)]
    all: bool,
}

/// Output of `validate`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValidationOutput {
    /// Checks that ran.
    checked: Vec<&'static str>,
    /// Problems found; empty if there are none.
    problems: Vec<String>,
}

impl Operation for Validate {
    const NAME: &'static str = "validate";
    type Output = ValidationOutput;

    fn run(self, session: &Session) -> Result<ValidationOutput> {
        let context = session.context()?;
        let requested =
            [(Check::Links, self.links), (Check::Facts, self.facts), (Check::Embeddings, self.embeddings)];
        let any_requested = requested.iter().any(|(_, is_requested)| *is_requested);
        let mut checks = vec![Check::Database];
        checks.extend(
            requested.iter().filter(|(_, is_requested)| *is_requested || self.all).map(|(check, _)| *check),
        );
        if self.all || !any_requested {
            checks.push(Check::Files);
        }
        let mut problems = Vec::new();
        for check in &checks {
            problems.extend(validate(context, *check)?);
        }
        Ok(ValidationOutput { checked: checks.into_iter().map(Check::name).collect(), problems })
    }
}

impl Render for ValidationOutput {
    fn human(&self) -> String {
        if self.problems.is_empty() {
            return format!("no problems: {}\n", self.checked.join(", "));
        }
        crate::ops::views::lines(self.problems.iter().map(|problem| format!("problem: {problem}")))
    }

    fn exit(&self) -> u8 {
        if self.problems.is_empty() { 0 } else { 5 }
    }
}
