//! `generate`: generated files.

use clap::Args;
use lore_engine::refresh_generated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::{lines, warning_lines};
use crate::ops::{Operation, Render};

/// Regenerate generated files
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore generate")]
pub struct Generate {}

/// Output of `generate`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Generated {
    /// Files that were out of date.
    written: Vec<String>,
    /// Commit id, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Operation for Generate {
    const NAME: &'static str = "generate";
    const FORMER_NAMES: &'static [&'static str] = &["index"];
    const WRITES: bool = true;
    type Output = Generated;

    fn run(self, session: &Session) -> Result<Generated> {
        let receipt = refresh_generated(session.fresh()?)?;
        Ok(Generated { written: receipt.generated, commit: receipt.commit, warnings: receipt.warnings })
    }
}

impl Render for Generated {
    fn human(&self) -> String {
        let mut text = match self.written.is_empty() {
            true => "all generated files are up to date\n".into(),
            false => lines(self.written.iter().map(|path| format!("wrote {path}"))),
        };
        text.push_str(&warning_lines(&self.warnings));
        text
    }
}
