//! What was done to a client's file, kept in Lore's own state, so that it can be undone to the byte.

use std::path::{Path, PathBuf};

use lore_engine::ContentHash;
use lore_engine::vault::{exists, read_text, remove_file, write_private};
use serde::{Deserialize, Serialize};

use crate::failure::Result;

/// What was done to a file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Whether there was no file before.
    pub created: bool,
    /// The paths of the objects that were made.
    pub made: Vec<Vec<String>>,
    /// The checksum of the text before Lore was in it.
    pub before: Option<String>,
    /// The checksum of the text that Lore wrote last; none where somebody else has changed it between.
    pub after: Option<String>,
}

impl Record {
    /// What is known of a file.
    pub fn load(state: &Path, file: &Path) -> Result<Option<Record>> {
        let text = read_text(&place(state, file))?;
        // One that cannot be read is as good as none: what was added can still be taken out.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// What is known of a file after another change: its text before and after that.
    pub fn next(known: Option<Record>, old: Option<&str>, new: &str, made: Vec<Vec<String>>) -> Record {
        let after = Some(hash(new));
        match known {
            None => Record { created: old.is_none(), made, before: old.map(hash), after },
            Some(mut known) => {
                let own = old.is_some_and(|old| known.after.as_ref() == Some(&hash(old)));
                known.after = after.filter(|_| own);
                known.made.extend(made);
                known
            }
        }
    }

    /// Whether the backup is what stood there before Lore, and nobody has changed the file since.
    pub fn restores(&self, now: &str, backup: &str) -> bool {
        self.after.as_ref() == Some(&hash(now)) && self.before.as_ref() == Some(&hash(backup))
    }

    /// Whether the file was made by Lore and is still as it was made.
    pub fn unchanged_since_made(&self, now: &str) -> bool {
        self.created && self.after.as_ref() == Some(&hash(now))
    }

    /// Keeps it.
    pub fn save(&self, state: &Path, file: &Path) -> Result<()> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Ok(write_private(&place(state, file), text.as_bytes())?)
    }

    /// Forgets it.
    pub fn forget(state: &Path, file: &Path) -> Result<()> {
        let place = place(state, file);
        if exists(&place) {
            remove_file(&place)?;
        }
        Ok(())
    }
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn place(state: &Path, file: &Path) -> PathBuf {
    let name: String = hash(&file.to_string_lossy()).chars().take(16).collect();
    state.join("setup").join(format!("{name}.json"))
}
