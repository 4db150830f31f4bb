//! Records the changes to a client's file in Lore's state directory, so that they can be undone byte for byte.

use std::path::{Path, PathBuf};

use lore_text::ContentHash;
use lore_vault::{exists, read_text, remove_file, write_private};
use serde::{Deserialize, Serialize};

use crate::app::error::Result;

/// The changes to a file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SetupRecord {
    /// Whether Lore created the file.
    pub created: bool,
    /// The paths of the objects that were created.
    #[serde(rename = "made")]
    pub created_keys: Vec<Vec<String>>,
    /// Hash of the text before Lore changed it.
    pub before: Option<String>,
    /// Hash of the text that Lore last wrote; none if someone else changed the file in between.
    pub after: Option<String>,
}

impl SetupRecord {
    /// Loads the record of a file.
    pub fn load(state: &Path, file: &Path) -> Result<Option<SetupRecord>> {
        let text = read_text(&record_path(state, file))?;
        // A record that cannot be parsed counts as missing: Lore's entries can still be removed without it.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Returns the record after another change, given the text before and after it.
    pub fn next(
        known: Option<SetupRecord>,
        old: Option<&str>,
        new: &str,
        created_keys: Vec<Vec<String>>,
    ) -> SetupRecord {
        let after = Some(hash(new));
        match known {
            None => SetupRecord { created: old.is_none(), created_keys, before: old.map(hash), after },
            Some(mut known) => {
                let own = old.is_some_and(|old| known.after.as_ref() == Some(&hash(old)));
                known.after = after.filter(|_| own);
                known.created_keys.extend(created_keys);
                known
            }
        }
    }

    /// Whether the backup is the text before Lore's changes, and the file is unchanged since.
    pub fn restores(&self, now: &str, backup: &str) -> bool {
        self.after.as_ref() == Some(&hash(now)) && self.before.as_ref() == Some(&hash(backup))
    }

    /// Whether a text is that before Lore's changes.
    pub fn was_before(&self, text: &str) -> bool {
        self.before.as_ref() == Some(&hash(text))
    }

    /// Whether Lore created the file and it is unchanged since.
    pub fn unchanged_since_created(&self, now: &str) -> bool {
        self.created && self.after.as_ref() == Some(&hash(now))
    }

    /// Saves the record.
    pub fn save(&self, state: &Path, file: &Path) -> Result<()> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Ok(write_private(&record_path(state, file), text.as_bytes())?)
    }

    /// Deletes the record.
    pub fn forget(state: &Path, file: &Path) -> Result<()> {
        let path = record_path(state, file);
        if exists(&path) {
            remove_file(&path)?;
        }
        Ok(())
    }
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn record_path(state: &Path, file: &Path) -> PathBuf {
    let name: String = hash(&file.to_string_lossy()).chars().take(16).collect();
    state.join("setup").join(format!("{name}.json"))
}
