//! Settings of gaps (unanswered questions) and ingested sources.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// What happens to unanswered questions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gaps {
    /// Whether `lore query` logs them, by their hash.
    pub log: bool,
    /// Confidence, from 0 to 1, below which an answer counts as missing; none: where the verdict is `nothing`.
    #[serde(deserialize_with = "share")]
    pub threshold: Option<f64>,
}

/// Settings of `lore ingest`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ingest {
    /// Directory of the pages created from sources.
    pub folder: String,
    /// Other directories, by source type: `meeting = "meetings"`.
    pub folders: BTreeMap<String, String>,
    /// File name: `{slug}` is derived from the title, `{date}` is the source's date, `{time}` the time.
    pub name: String,
    /// Their tag.
    pub tag: Option<String>,
    /// Their properties.
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
    /// Returns the directory for a source of this type.
    pub fn folder(&self, source_type: &str) -> &str {
        self.folders.get(source_type).unwrap_or(&self.folder)
    }
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let share = f64::deserialize(deserializer)?;
    match (0.0..=1.0).contains(&share) {
        true => Ok(Some(share)),
        false => Err(D::Error::custom(format!("{share} is not between 0 and 1"))),
    }
}
