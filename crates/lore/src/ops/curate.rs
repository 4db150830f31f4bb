//! `curate`: what a person should look over.

use clap::Args;
use lore_engine::{curate, mark_curated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::count;
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::session::Session;

/// List what a person should look over: duplicates, orphans, contested, old and broad pages, unused captures
///
/// Nothing is changed: merging, splitting and deleting are a person's decisions.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore curate --dry-run\n  lore curate --done")]
pub struct Curate {
    /// Only list
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Note that the pages were looked over, so that the next look is due later
    #[arg(long, conflicts_with = "dry_run")]
    #[serde(default)]
    done: bool,
}

/// What to look over.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ToLookOver {
    /// How many pages there are.
    pages: u64,
    /// Whether a look is due.
    due: bool,
    duplicates: Vec<Duplicate>,
    orphans: Vec<String>,
    contested: Vec<String>,
    superseded: Vec<String>,
    /// Untouched for long, the longest first.
    untouched: Vec<String>,
    broad: Vec<Broad>,
    /// Captures that no page names as its source.
    unused_captures: Vec<String>,
    large_captures: Vec<Large>,
}

/// Two pages that may be one.
#[derive(Debug, Serialize, JsonSchema)]
struct Duplicate {
    one: String,
    other: String,
    likeness: f64,
}

/// A page that may be several.
#[derive(Debug, Serialize, JsonSchema)]
struct Broad {
    path: String,
    words: usize,
}

/// A capture that is unusually large.
#[derive(Debug, Serialize, JsonSchema)]
struct Large {
    path: String,
    bytes: u64,
}

impl Operation for Curate {
    const NAME: &'static str = "curate";
    type Output = ToLookOver;

    fn run(self, session: &Session) -> Result<ToLookOver> {
        if !self.dry_run && !self.done {
            return Err(Failure::usage(
                "curation is a person's decision, page by page",
                "see what there is with `lore curate --dry-run`; say that it is done with `lore curate --done`",
            ));
        }
        let memory = session.fresh()?;
        if self.done {
            mark_curated(memory)?;
        }
        let found = curate(memory)?;
        let round = |likeness: f64| (likeness * 100.0).round() / 100.0;
        Ok(ToLookOver {
            pages: found.pages,
            due: found.due,
            duplicates: found
                .duplicates
                .into_iter()
                .map(|(one, other, likeness)| Duplicate { one, other, likeness: round(likeness) })
                .collect(),
            orphans: found.orphans,
            contested: found.contested,
            superseded: found.superseded,
            untouched: found.untouched,
            broad: found.broad.into_iter().map(|(path, words)| Broad { path, words }).collect(),
            unused_captures: found.unused_captures,
            large_captures: found
                .large_captures
                .into_iter()
                .map(|(path, bytes)| Large { path, bytes })
                .collect(),
        })
    }
}

impl Render for ToLookOver {
    fn human(&self) -> String {
        let due = if self.due { "a look is due" } else { "no look is due" };
        let mut text = format!("{}; {due}\n", count(self.pages, "page"));
        let mut list = |title: &str, items: Vec<String>| {
            if !items.is_empty() {
                text.push_str(&format!("\n{title} ({})\n", items.len()));
                text.extend(items.iter().map(|item| format!("  {item}\n")));
            }
        };
        let pair = |two: &Duplicate| format!("{:.2}  {}  {}", two.likeness, two.one, two.other);
        list("May be one page", self.duplicates.iter().map(pair).collect());
        list("No link from or to another page", self.orphans.clone());
        list("Contested", self.contested.clone());
        list("Superseded", self.superseded.clone());
        list("Untouched for long", self.untouched.clone());
        list(
            "May be several pages",
            self.broad.iter().map(|page| format!("{} ({} words)", page.path, page.words)).collect(),
        );
        list("Captures that no page rests on", self.unused_captures.clone());
        list(
            "Unusually large captures",
            self.large_captures.iter().map(|file| format!("{} ({} bytes)", file.path, file.bytes)).collect(),
        );
        text
    }
}
