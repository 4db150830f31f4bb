//! Settings of routines, tables on pages, and mirrors of pages.

use std::collections::BTreeMap;

use lore_text::{Age, Cron};
use serde::Deserialize;

use super::Pattern;

/// What an agent does at regular times, and what it needs for it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Routine {
    /// Its name on the command line.
    pub name: String,
    /// When it is due, as a cron schedule; by default, only when it is asked for.
    pub schedule: Option<Cron>,
    /// The page with the person's own checks.
    pub rulebook: Option<String>,
    /// The page that carries its state from one run to the next.
    pub dossier: Option<String>,
    /// Further pages that it needs.
    pub pages: Vec<String>,
    /// The newest pages that match a pattern, with their number.
    pub newest: BTreeMap<String, usize>,
    /// Injected files that it does not need, by the name they are injected under.
    pub without: Vec<String>,
    /// Whether it gets injected lists in full.
    pub whole: bool,
    /// Whether it begins with the rollover of the daily page.
    pub rotate: bool,
    /// How far back it looks for changes if it has not run before.
    pub window: Age,
}

impl Default for Routine {
    fn default() -> Self {
        Routine {
            name: String::new(),
            schedule: None,
            rulebook: None,
            dossier: None,
            pages: Vec::new(),
            newest: BTreeMap::new(),
            without: Vec::new(),
            whole: false,
            rotate: false,
            window: Age::days(1),
        }
    }
}

impl Routine {
    /// Returns every page that it names.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let own = self.rulebook.iter().chain(&self.dossier);
        own.chain(&self.pages).map(String::as_str)
    }
}

/// Routines that a person adds: a page for each, with its schedule as a property.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomRoutines {
    /// The directory of their pages.
    pub folder: String,
    /// The directory of their dossiers.
    pub dossiers: String,
    /// The property with the cron schedule.
    #[serde(default = "schedule")]
    pub schedule: String,
    /// Further pages that they need.
    #[serde(default)]
    pub pages: Vec<String>,
}

/// A table on a page that is read as data, whoever wrote it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The page.
    pub path: String,
    /// The heading of its section; by default, the first table of the page.
    #[serde(default)]
    pub section: Option<String>,
    /// Its columns. The first identifies a row.
    pub columns: Vec<String>,
    /// Allowed values of a column.
    #[serde(default)]
    pub values: BTreeMap<String, Vec<String>>,
    /// Columns that must not be empty, besides the first.
    #[serde(default)]
    pub required: Vec<String>,
}

/// Where the content of an inbox file could go.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    /// The page; `{slug}` is derived from the text.
    pub to: String,
    /// The section of the page.
    #[serde(default)]
    pub section: Option<String>,
    /// Words that suggest it; none: it is always suggested, after the others.
    #[serde(default)]
    pub words: Vec<String>,
    /// What belongs there.
    pub about: String,
}

/// Pages that can be copied to another directory.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// The pages.
    pub pages: Pattern,
    /// The page with the rules of what is left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The property that keeps a page from being copied.
    #[serde(default)]
    pub opt_out: Option<String>,
}

fn schedule() -> String {
    "schedule".into()
}
