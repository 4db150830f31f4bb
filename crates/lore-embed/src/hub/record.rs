//! `lore-model.json`: what was fetched, and the checksum of every file.

use std::path::Path;

use lore_engine::{EmbedError, EmbedResult};
use serde::{Deserialize, Serialize};

use super::HubModel;
use crate::files;

const NAME: &str = "lore-model.json";

/// What a folder holds.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    /// The model's name.
    pub name: String,
    repository: String,
    revision: String,
    /// Its files.
    pub files: Vec<RecordedFile>,
}

/// A file as it was fetched.
#[derive(Debug, Serialize, Deserialize)]
pub struct RecordedFile {
    /// Its path in the folder.
    pub path: String,
    /// Its bytes.
    pub size: u64,
    /// Its SHA-256.
    pub sha256: String,
}

impl Record {
    /// What was fetched of a model.
    pub fn new(model: &HubModel, files: Vec<RecordedFile>) -> Self {
        let [name, repository, revision] = [model.name, model.repository, model.revision].map(str::to_owned);
        Record { name, repository, revision, files }
    }

    /// Whether this is a record of the model at its present revision.
    pub fn is_of(&self, model: &HubModel) -> bool {
        (self.name.as_str(), self.repository.as_str(), self.revision.as_str())
            == (model.name, model.repository, model.revision)
    }

    /// The record of one file.
    pub fn file(&self, path: &str) -> Option<&RecordedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Reads the record in a folder.
    pub fn read(folder: &Path) -> EmbedResult<Self> {
        let path = folder.join(NAME);
        serde_json::from_slice(&files::map(&path)?).map_err(|error| EmbedError::Model {
            place: path.display().to_string(),
            reason: error.to_string(),
        })
    }

    /// Writes the record into a folder.
    pub fn write(&self, folder: &Path) -> EmbedResult<()> {
        let mut text = serde_json::to_string_pretty(self).expect("a record is plain strings and numbers");
        text.push('\n');
        files::write(&folder.join(NAME), text.as_bytes())
    }
}
