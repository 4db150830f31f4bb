//! `lore-model.json`: the downloaded model and the hash of each of its files.

use std::path::Path;

use lore_ports::{EmbedError, EmbedResult};
use serde::{Deserialize, Serialize};

use super::HubModel;
use crate::files;

const NAME: &str = "lore-model.json";

/// The record of a downloaded model.
#[derive(Debug, Serialize, Deserialize)]
pub struct ModelRecord {
    /// The model's name.
    pub name: String,
    repository: String,
    revision: String,
    /// The downloaded files.
    pub files: Vec<RecordedFile>,
}

/// A downloaded file.
#[derive(Debug, Serialize, Deserialize)]
pub struct RecordedFile {
    /// Path in the model's directory.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Its SHA-256.
    pub sha256: String,
}

impl ModelRecord {
    /// Creates the record of a downloaded model.
    pub fn new(model: &HubModel, files: Vec<RecordedFile>) -> Self {
        let [name, repository, revision] = [model.name, model.repository, model.revision].map(str::to_owned);
        ModelRecord { name, repository, revision, files }
    }

    /// Returns whether this is a record of the model at its current revision.
    pub fn is_of(&self, model: &HubModel) -> bool {
        (self.name.as_str(), self.repository.as_str(), self.revision.as_str())
            == (model.name, model.repository, model.revision)
    }

    /// Returns the record of one file.
    pub fn file(&self, path: &str) -> Option<&RecordedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Reads the record of a directory.
    pub fn read(folder: &Path) -> EmbedResult<Self> {
        let path = folder.join(NAME);
        serde_json::from_slice(&files::map(&path)?).map_err(|error| EmbedError::Model {
            place: path.display().to_string(),
            reason: error.to_string(),
        })
    }

    /// Writes the record into a directory.
    pub fn write(&self, folder: &Path) -> EmbedResult<()> {
        let mut text =
            serde_json::to_string_pretty(self).expect("a record contains only strings and numbers");
        text.push('\n');
        files::write(&folder.join(NAME), text.as_bytes())
    }
}
