//! Downloads models from a model hub. Every file is verified against its hash before the model's directory appears.
//!
//! Most hashes are pinned. A file without a pinned hash is accepted on the first download, its hash is recorded in
//! `lore-model.json` next to the files, and from then on only that hash is accepted (trust on first use).

mod download;
mod known;
mod record;

use std::path::{Path, PathBuf};

use lore_ports::{EmbedError, EmbedResult};

use self::download::{Download, Expected};

pub use self::known::{known_model, known_models};
use self::record::{ModelRecord, RecordedFile};
use crate::files;
use crate::http::Address;

/// The hub that hosts the known models.
pub const DEFAULT_HUB: &str = "https://huggingface.co";

/// A model that can be downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubModel {
    /// Name of the model and of its directory.
    pub name: &'static str,
    /// Repository on the hub.
    pub repository: &'static str,
    /// Commit, which makes the files immutable.
    pub revision: &'static str,
    /// Files to download.
    pub files: &'static [HubFile],
}

/// A file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubFile {
    /// Path in the repository and in the model's directory.
    pub path: &'static str,
    /// What is known about the content.
    pub check: Check,
}

/// What is known about a file before it is downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Size and hash are known. Any other content is rejected.
    Pinned {
        /// Size in bytes.
        size: u64,
        /// Its SHA-256.
        sha256: &'static str,
    },
    /// Only an upper limit is known. The first download is recorded, and any other content is rejected from then on.
    FirstUse {
        /// Maximum size in bytes.
        most: u64,
    },
}

/// Downloads a model into a directory of its name under `into` and returns that directory. The directory appears only
/// when it is complete; an interrupted download is resumed. An existing directory that verifies is left alone.
///
/// `progress` receives the bytes downloaded so far and the total as far as it is known.
pub fn pull(
    model: &HubModel,
    into: &Path,
    base_url: &str,
    progress: &mut dyn FnMut(u64, u64),
) -> EmbedResult<PathBuf> {
    let address = Address::parse(base_url)
        .map_err(|reason| EmbedError::Model { place: "the model hub".to_owned(), reason })?;
    let folder = into.join(model.name);
    if verify(&folder).is_ok_and(|()| ModelRecord::read(&folder).is_ok_and(|record| record.is_of(model))) {
        return Ok(folder);
    }
    files::create_folder(into)?;
    let _lock = files::lock(&into.join(format!(".{}.lock", model.name)))?;
    let before = before(&folder)?.filter(|record| record.is_of(model));
    let staging = into.join(format!(".{}.{}.part", model.name, model.revision));
    let expected: Vec<Expected> = model.files.iter().map(|file| expected(file, before.as_ref())).collect();
    let mut download = Download::new(&address, model, &expected, progress);
    let mut fetched = Vec::new();
    for (file, expected) in model.files.iter().zip(&expected) {
        let (size, sha256) = download.fetch(file.path, expected, &staging)?;
        fetched.push(RecordedFile { path: file.path.to_owned(), size, sha256 });
    }
    ModelRecord::new(model, fetched).write(&staging)?;
    files::replace_folder(&staging, &folder)?;
    Ok(folder)
}

/// Returns the record of an earlier download. Fails if the directory exists and is not a download of Lore's.
fn before(folder: &Path) -> EmbedResult<Option<ModelRecord>> {
    if !files::is_there(folder) {
        return Ok(None);
    }
    let record = ModelRecord::read(folder).map_err(|_| EmbedError::Model {
        place: folder.display().to_string(),
        reason: "the directory already exists and was not created by Lore; move it and retry".to_owned(),
    })?;
    Ok(Some(record))
}

/// Verifies every file of a model against `lore-model.json`, and that record against the pinned hashes.
pub fn verify(folder: &Path) -> EmbedResult<()> {
    let wrong = |reason| EmbedError::Model { place: folder.display().to_string(), reason };
    let record = ModelRecord::read(folder)?;
    let known = known_model(&record.name).filter(|model| record.is_of(model));
    for HubFile { path, check } in known.map_or(&[][..], |model| model.files) {
        let recorded =
            record.file(path).ok_or_else(|| wrong(format!("{path} is missing from lore-model.json")))?;
        if let Check::Pinned { sha256, .. } = check
            && recorded.sha256 != *sha256
        {
            let found = &recorded.sha256;
            return Err(wrong(format!("the recorded SHA-256 of {path} is {found}, expected {sha256}")));
        }
    }
    for RecordedFile { path, sha256, .. } in &record.files {
        let found = files::hash(&folder.join(path))?;
        if found != *sha256 {
            return Err(wrong(format!("the SHA-256 of {path} is {found}, expected {sha256}")));
        }
    }
    Ok(())
}

fn expected(file: &HubFile, before: Option<&ModelRecord>) -> Expected {
    match file.check {
        Check::Pinned { size, sha256 } => Expected { most: size, exact: Some((size, sha256.to_owned())) },
        Check::FirstUse { most } => {
            let recorded = before.and_then(|record| record.file(file.path));
            Expected { most, exact: recorded.map(|file| (file.size, file.sha256.clone())) }
        }
    }
}
