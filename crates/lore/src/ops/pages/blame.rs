//! `blame`: who wrote each line of a page.

use clap::Args;
use lore_engine::history::{self, LineAuthor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{lines, timestamp};
use crate::ops::{Operation, Render};

/// Show who wrote each line of a page
///
/// Uses git if there is a repository, otherwise the snapshots.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore blame people/ada")]
pub struct Blame {
    /// Page to show
    #[arg(value_name = "REF")]
    reference: String,
}

/// Output of `blame`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Blamed {
    path: Line,
    /// `git` or `snapshots`.
    from: &'static str,
    lines: Vec<LineItem>,
}

/// A line and its author.
#[derive(Debug, Serialize, JsonSchema)]
struct LineItem {
    line: u32,
    /// Null if it was not written through Lore.
    actor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    face: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    text: String,
}

impl Operation for Blame {
    const NAME: &'static str = "blame";
    type Output = Blamed;

    fn run(self, session: &Session) -> Result<Blamed> {
        let context = session.fresh()?;
        let page = context.page(&self.reference)?;
        let (from, found) = history::blame(context, &page.path)?;
        let item = |line: LineAuthor| LineItem {
            line: line.number,
            actor: line.actor,
            face: line.face,
            commit: line.commit,
            at: line.at.map(timestamp),
            text: line.text,
        };
        Ok(Blamed { path: page.path.into(), from, lines: found.into_iter().map(item).collect() })
    }
}

impl Render for Blamed {
    fn human(&self) -> String {
        let actor = |line: &LineItem| line.actor.clone().unwrap_or_else(|| "-".into());
        let width = self.lines.iter().map(|line| actor(line).chars().count()).max().unwrap_or(0);
        lines(self.lines.iter().map(|line| {
            let day = line.at.as_deref().and_then(|at| at.get(..10)).unwrap_or("-");
            format!("{:<width$}  {day:<10}  {:>4}  {}", actor(line), line.line, line.text)
        }))
    }
}
