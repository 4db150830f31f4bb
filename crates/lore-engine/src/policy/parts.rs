//! The smaller parts of a policy: limits, generated and injected files, secrets, git, upkeep.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::Pattern;
use crate::upkeep::Age;

/// Limits of a vault.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The largest page that is read or written, in bytes.
    pub page_bytes: u64,
    /// How long snapshots are kept.
    pub snapshots: Age,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { page_bytes: 16 * 1024 * 1024, snapshots: Age::days(30) }
    }
}

/// How a generated file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Make {
    /// A whole file (and its parts): every page in a table by its type tag.
    Catalogue,
    /// A block: every file of the vault by folder.
    Files,
    /// A block: the pages of the file's own folder.
    Folder,
    /// A block: the pages of the file's own folder in an active and a removed table.
    Registry,
    /// A block: the credential formats that are refused.
    Secrets,
}

/// A file, or a block of one, that Lore writes from the pages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generated {
    /// The page; a pattern stands for every folder that fits it.
    pub path: Pattern,
    /// What is written.
    pub make: Make,
    /// The largest single file, in bytes.
    #[serde(default = "catalogue_bytes")]
    pub budget: usize,
    /// The sections of a catalogue, each with the tag of its pages.
    #[serde(default)]
    pub sections: Vec<Section>,
}

/// A section of a catalogue.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// The tag of its pages.
    pub tag: String,
}

/// A file whose text every agent is given at the start.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inject {
    /// The page.
    pub path: String,
    /// What the text is called there.
    #[serde(rename = "as")]
    pub name: String,
    /// A larger file is left out with a warning.
    #[serde(default)]
    pub max_bytes: Option<u64>,
    /// The section whose list is cut to its last entries.
    #[serde(default)]
    pub section: Option<String>,
    /// How many entries of that section stay.
    #[serde(default = "last_entries")]
    pub last: usize,
}

/// Which credential formats are refused.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Secrets {
    /// Rules that are not used.
    pub off: Vec<Spanned<String>>,
    /// Lines that may stay.
    pub allow: Vec<AllowedLine>,
}

/// A line that looks like a credential and is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedLine {
    /// The rule that it breaks.
    pub rule: Spanned<String>,
    /// The line's fingerprint, as the finding shows it.
    pub line: String,
}

/// What a write does when the work tree has changes that are not Lore's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dirty {
    /// It commits its own pages and leaves the others alone.
    #[default]
    Keep,
    /// It refuses until they are committed.
    Refuse,
}

/// How git is used.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GitPolicy {
    /// Whether every write is committed.
    pub commit: bool,
    /// How old the last fetch may be before a write fetches again.
    pub fetch_after: Age,
    /// What other people's changes do to a write.
    pub dirty: Dirty,
}

impl Default for GitPolicy {
    fn default() -> Self {
        GitPolicy { commit: true, fetch_after: Age::minutes(10), dirty: Dirty::Keep }
    }
}

/// A page of the day, kept for one more day when the next begins.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// The page of the day.
    pub today: String,
    /// Where it goes.
    pub yesterday: String,
    /// The folder whose files are cleared when a day begins.
    #[serde(default)]
    pub inbox: Option<String>,
    /// The folder they go to.
    #[serde(default)]
    pub scratch: Option<String>,
    /// The hour at which a day begins.
    #[serde(default = "day_begins")]
    pub day_begins: Spanned<i8>,
    /// The time zone; without one, the system's.
    #[serde(default)]
    pub time_zone: Option<Spanned<String>>,
}

/// A log whose dated sections are kept in limited number.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RollUp {
    /// The page.
    pub path: String,
    /// How many sections stay, by the form of their heading: `Weekly {week}`.
    pub keep: BTreeMap<String, usize>,
    /// A section larger than this is warned of.
    #[serde(default = "section_bytes")]
    pub warn_bytes: usize,
}

/// Captures of outside sources.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// The folder of the captures.
    pub folder: String,
    /// The longest excerpt, in words.
    #[serde(default = "excerpt_words")]
    pub excerpt_words: usize,
    /// The longest excerpt, in bytes.
    #[serde(default = "excerpt_bytes")]
    pub excerpt_bytes: usize,
    /// A file larger than this is flagged.
    #[serde(default = "large_bytes")]
    pub large_bytes: u64,
}

/// When a person should look over the pages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Curate {
    /// With how many pages the first look is due; 0 is never.
    pub first: u64,
    /// After how many more pages the next is due.
    pub every: u64,
    /// A page untouched for longer is listed.
    pub untouched: Age,
    /// A page with more words is listed as too broad.
    pub broad_words: usize,
}

impl Default for Curate {
    fn default() -> Self {
        Curate { first: 150, every: 50, untouched: Age::days(180), broad_words: 2000 }
    }
}

/// What `lore compact` gathers and what it makes of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compact {
    /// How many stale pages make a cluster at the least.
    pub smallest: usize,
    /// How many at the most; what is larger is cut.
    pub largest: usize,
    /// Above which cosine two pages are alike, by their vectors.
    pub similar: f64,
    /// From which part of their words on, where there is no model.
    pub shared_words: f64,
    /// The folder of summaries; empty is that of most of the pages.
    pub folder: String,
    /// Their names: `{slug}` is made from the title, `{date}` is the day.
    pub name: String,
    /// About how many tokens the built-in summariser writes.
    pub tokens: usize,
}

impl Default for Compact {
    fn default() -> Self {
        Compact {
            smallest: 3,
            largest: 20,
            similar: 0.8,
            shared_words: 0.5,
            folder: String::new(),
            name: "{slug}".into(),
            tokens: 700,
        }
    }
}

impl Compact {
    /// What only shows when the parts are held against each other.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.smallest < 2 || self.largest < self.smallest {
            let Compact { smallest, largest, .. } = self;
            return Err(format!(
                "compact.smallest is {smallest} and compact.largest {largest}: the one is at least 2, the other no less"
            ));
        }
        match [self.similar, self.shared_words].into_iter().find(|value| !(0.0..=1.0).contains(value)) {
            Some(value) => {
                Err(format!("{value} is not from 0 to 1, as compact.similar and compact.shared_words are"))
            }
            None => Ok(()),
        }
    }
}

fn catalogue_bytes() -> usize {
    32 * 1024
}

fn last_entries() -> usize {
    10
}

fn day_begins() -> Spanned<i8> {
    Spanned::new(0..0, 4)
}

fn section_bytes() -> usize {
    4000
}

fn excerpt_words() -> usize {
    2000
}

fn excerpt_bytes() -> usize {
    16 * 1024
}

fn large_bytes() -> u64 {
    256 * 1024
}
