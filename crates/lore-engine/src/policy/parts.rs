//! The smaller settings: limits, generated and injected files, secrets, git, maintenance.

use std::collections::BTreeMap;

use lore_text::Age;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::Pattern;

/// Limits of a vault.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Maximum size of a page in bytes, for reading and writing.
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
    /// A whole file (and its parts): a table of all pages by their type tag.
    Catalogue,
    /// A block: all files of the vault by directory.
    Files,
    /// A block: the pages of the file's own directory.
    Folder,
    /// A block: the pages of the file's own directory in tables of active and removed ones.
    Registry,
    /// A block: the credential formats that are refused.
    Secrets,
    /// A block: the active pages of another directory.
    Active,
    /// A block: the files of the inbox that nobody has looked at yet; without any, there is no block.
    Inbox,
}

/// A file, or a block of one, that Lore generates from the pages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generated {
    /// The page; a pattern matches one in every matching directory.
    pub path: Pattern,
    /// What is generated.
    pub make: Make,
    /// The section that a block is in; by default, it is added at the end of the page.
    #[serde(default)]
    pub section: Option<String>,
    /// The directory of the pages that are listed; by default, the file's own.
    #[serde(default)]
    pub from: Option<String>,
    /// Maximum size of a single file in bytes.
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

/// When generated files are made again besides after a write.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rebuild {
    /// Whether a watcher makes them again when files change.
    pub on_change: bool,
    /// The time of day at which the services make them again, as `HH:MM`.
    pub at: Option<String>,
}

impl Rebuild {
    /// Returns the hour and the minute; none if there is no valid time.
    pub fn time(&self) -> Option<(i8, i8)> {
        let time = jiff::civil::Time::strptime("%H:%M", self.at.as_deref()?).ok()?;
        Some((time.hour(), time.minute()))
    }

    /// Checks the time.
    pub(super) fn check(&self) -> Result<(), String> {
        match (&self.at, self.time()) {
            (Some(at), None) => Err(format!("rebuild.at is {at:?}, which is not a time such as 03:45")),
            _ => Ok(()),
        }
    }
}

/// A file that is injected into every agent's context at the start.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inject {
    /// The page.
    pub path: String,
    /// The name the text is injected under.
    #[serde(rename = "as")]
    pub name: String,
    /// Maximum size in bytes; a larger file is skipped with a warning.
    #[serde(default)]
    pub max_bytes: Option<u64>,
    /// The section whose list is truncated to its last entries.
    #[serde(default)]
    pub section: Option<String>,
    /// Number of entries of that section to keep.
    #[serde(default = "last_entries")]
    pub last: usize,
    /// Whether the time at which it was read is added: it changes during a session.
    #[serde(default)]
    pub snapshot: bool,
}

/// Settings of credential detection.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Secrets {
    /// Disabled rules.
    pub off: Vec<Spanned<String>>,
    /// Allowed lines.
    pub allow: Vec<AllowedLine>,
}

/// A line that looks like a credential but is not one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedLine {
    /// The rule it matches.
    pub rule: Spanned<String>,
    /// The line's fingerprint, as the finding shows it.
    pub line: String,
}

/// What a write does when the work tree has changes that Lore did not make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dirty {
    /// Commits its own pages and leaves the others alone.
    #[default]
    Keep,
    /// Fails until they are committed.
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
    /// What a write does about uncommitted changes made outside Lore.
    pub dirty: Dirty,
    /// Whether commits run the repository's hooks.
    pub hooks: bool,
}

impl Default for GitPolicy {
    fn default() -> Self {
        GitPolicy { commit: true, fetch_after: Age::minutes(10), dirty: Dirty::Keep, hooks: true }
    }
}

/// A daily page that is kept for one more day.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// The daily page.
    pub today: String,
    /// Where it is moved when the next day begins.
    pub yesterday: String,
    /// The directory for anything that still has to be sorted.
    #[serde(default)]
    pub inbox: Option<String>,
    /// The directory its files are moved to once they are sorted.
    #[serde(default)]
    pub scratch: Option<String>,
    /// The property that marks a page of the inbox as sorted.
    #[serde(default = "triaged")]
    pub triaged: String,
    /// The hour at which a day begins, from 0 to 23.
    #[serde(default = "day_begins")]
    pub day_begins: Spanned<i8>,
    /// The time zone; by default, the system's.
    #[serde(default)]
    pub time_zone: Option<Spanned<String>>,
}

/// A log with a limited number of dated sections.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RollUp {
    /// The page, or a pattern of pages.
    pub path: Pattern,
    /// Number of sections to keep, by the form of their heading: `Weekly {week}`.
    #[serde(default)]
    pub keep: BTreeMap<String, usize>,
    /// Age at which a dated section or list entry is removed.
    #[serde(default)]
    pub entries: Option<Age>,
    /// Size in bytes above which a section causes a warning.
    #[serde(default = "section_bytes")]
    pub warn_bytes: usize,
}

/// Captures of external sources.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// Directory of the captures.
    pub folder: String,
    /// Maximum length of an excerpt in words.
    #[serde(default = "excerpt_words")]
    pub excerpt_words: usize,
    /// Maximum length of an excerpt in bytes.
    #[serde(default = "excerpt_bytes")]
    pub excerpt_bytes: usize,
    /// Size in bytes above which a file is flagged.
    #[serde(default = "large_bytes")]
    pub large_bytes: u64,
}

/// When a review of the pages is due.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Curate {
    /// Number of pages at which the first review is due; 0 means never.
    pub first: u64,
    /// Number of further pages after which the next one is due.
    pub every: u64,
    /// Age of the last change above which a page is listed.
    pub untouched: Age,
    /// Number of words above which a page is listed as too broad.
    pub broad_words: usize,
}

impl Default for Curate {
    fn default() -> Self {
        Curate { first: 150, every: 50, untouched: Age::days(180), broad_words: 2000 }
    }
}

/// Settings of `lore compact`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compact {
    /// Minimum number of stale pages in a cluster.
    pub smallest: usize,
    /// Maximum number of pages in a cluster; larger ones are split.
    pub largest: usize,
    /// Minimum cosine similarity of two pages' embeddings.
    pub similar: f64,
    /// Minimum share of common words, when there is no model.
    pub shared_words: f64,
    /// Directory of summaries; empty means the one of most of the pages.
    pub folder: String,
    /// File name: `{slug}` is derived from the title, `{date}` is the day.
    pub name: String,
    /// Approximate length in tokens of the built-in summarizer's summaries.
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
    /// Checks the settings.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.smallest < 2 || self.largest < self.smallest {
            let Compact { smallest, largest, .. } = self;
            return Err(format!(
                "compact.smallest is {smallest} and compact.largest {largest}: the first must be at least 2, the second not less"
            ));
        }
        match [self.similar, self.shared_words].into_iter().find(|value| !(0.0..=1.0).contains(value)) {
            Some(value) => Err(format!(
                "{value} is not from 0 to 1, as compact.similar and compact.shared_words must be"
            )),
            None => Ok(()),
        }
    }
}

/// Settings of `lore query`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Query {
    /// The mode of a question that names none.
    pub mode: QueryMode,
    /// Whether an answer reports lint errors and files that could not be indexed, with an exit status of its own.
    pub checks: bool,
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QueryMode {
    /// Lexical and semantic.
    #[default]
    Hybrid,
    /// By words.
    Lexical,
    /// By embedding.
    Semantic,
    /// By field, with fixed weights.
    Fields,
}

fn catalogue_bytes() -> usize {
    32 * 1024
}

fn last_entries() -> usize {
    10
}

fn triaged() -> String {
    "triaged".into()
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
