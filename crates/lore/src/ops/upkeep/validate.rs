//! `validate`: integrity of the index and the ledger.

use std::path::{Path, PathBuf};

use clap::Args;
use lore_engine::{Check, shown};
use lore_memory::{Difference, compare_trees, fact_contradictions, validate};
use lore_vault::SourceTree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::lines;
use crate::ops::{Operation, Render};

/// Check that the index is consistent and matches the files
///
/// With --original and --exported, compares two directories instead: pages, properties, truths, timeline entries and
/// links must be the same. The order of properties, line endings and encodings are ignored.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore validate\n  lore validate --all\n  lore validate --original ~/notes --exported /tmp/notes"
)]
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
    /// Directory to compare with --exported
    #[arg(long, value_name = "DIR", requires = "exported")]
    #[serde(skip)]
    original: Option<PathBuf>,
    /// Directory that was exported
    #[arg(long, value_name = "DIR", requires = "original")]
    #[serde(skip)]
    exported: Option<PathBuf>,
}

/// Output of `validate`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValidationOutput {
    /// Checks that ran.
    checked: Vec<&'static str>,
    /// Problems found; empty if there are none.
    problems: Vec<String>,
    /// Facts that contradict each other and are not resolved. The vault is valid with them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradictions: Vec<String>,
}

impl Operation for Validate {
    const NAME: &'static str = "validate";
    type Output = ValidationOutput;

    fn run(self, session: &Session) -> Result<ValidationOutput> {
        if let (Some(original), Some(exported)) = (&self.original, &self.exported) {
            return compare(session, original, exported);
        }
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
        let contradictions = match checks.contains(&Check::Facts) {
            true => fact_contradictions(context)?,
            false => Vec::new(),
        };
        Ok(ValidationOutput {
            checked: checks.into_iter().map(Check::name).collect(),
            problems,
            contradictions,
        })
    }
}

/// Compares two directories of pages.
fn compare(session: &Session, original: &Path, exported: &Path) -> Result<ValidationOutput> {
    let (original, exported) =
        (SourceTree::open(&session.path(original))?, SourceTree::open(&session.path(exported))?);
    let found = compare_trees(&original, &exported)?;
    let problem = |one: &Difference| format!("{}: {}: {}", shown(&one.path), one.what, one.detail);
    Ok(ValidationOutput {
        checked: vec!["pages", "properties", "truths", "timelines", "links", "files"],
        problems: found.differences.iter().map(problem).collect(),
        contradictions: Vec::new(),
    })
}

impl Render for ValidationOutput {
    fn human(&self) -> String {
        let problems = match self.problems.is_empty() {
            true => format!("no problems: {}\n", self.checked.join(", ")),
            false => lines(self.problems.iter().map(|problem| format!("problem: {problem}"))),
        };
        problems + &lines(self.contradictions.iter().map(|found| format!("contradiction: {found}")))
    }

    fn exit(&self) -> u8 {
        if self.problems.is_empty() { 0 } else { 5 }
    }
}
