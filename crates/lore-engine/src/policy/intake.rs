//! The parts of a policy about what comes in: questions that are answered badly, sources that are taken in.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// What becomes of questions that are answered badly.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gaps {
    /// Whether `lore query` notes them, by their checksum.
    pub log: bool,
    /// The confidence, from 0 to 1, below which an answer is bad.
    #[serde(deserialize_with = "share")]
    pub threshold: f64,
}

impl Default for Gaps {
    /// Half of the words of a question, or half of the way to its meaning: see `docs/policy.md` for what was measured.
    fn default() -> Self {
        Gaps { log: false, threshold: 0.5 }
    }
}

/// What `lore ingest` makes of a source.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ingest {
    /// The folder of pages that hold a source.
    pub folder: String,
    /// Other folders, by the type of the source: `meeting = "meetings"`.
    pub folders: BTreeMap<String, String>,
    /// Their names: `{slug}` is made from the title, `{date}` is the source's day, `{time}` the moment.
    pub name: String,
    /// A tag for them.
    pub tag: Option<String>,
    /// Properties for them.
    pub set: BTreeMap<String, String>,
}

impl Default for Ingest {
    fn default() -> Self {
        Ingest {
            folder: "sources".into(),
            folders: BTreeMap::new(),
            name: "{date}-{slug}".into(),
            tag: None,
            set: BTreeMap::new(),
        }
    }
}

impl Ingest {
    /// The folder of a source of this type.
    pub fn folder(&self, source_type: &str) -> &str {
        self.folders.get(source_type).unwrap_or(&self.folder)
    }
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    match (0.0..=1.0).contains(&share) {
        true => Ok(share),
        false => Err(D::Error::custom(format!("{share} is not between 0 and 1"))),
    }
}
