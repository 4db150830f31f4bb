//! Fetches a model's files from a model hub. Every file is held against its checksum before the model's folder appears.
//!
//! Most checksums are known beforehand. Where one is not, the file of the first download is taken as it comes, its
//! checksum is written to `lore-model.json` beside the files, and from then on nothing else is accepted: trust at first
//! use, no more.

mod download;
mod known;
mod record;

use std::path::{Path, PathBuf};

use lore_engine::{EmbedError, EmbedResult};

use self::download::{Download, Expected};
pub use self::known::{known_model, known_models};
use self::record::{Record, RecordedFile};
use crate::files;
use crate::http::Address;

/// The hub that the known models are on.
pub const DEFAULT_HUB: &str = "https://huggingface.co";

/// A model that can be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubModel {
    /// The name it is chosen by, and of its folder.
    pub name: &'static str,
    /// Where it is on the hub.
    pub repository: &'static str,
    /// The commit, so that a file cannot change.
    pub revision: &'static str,
    /// What is fetched of it.
    pub files: &'static [HubFile],
}

/// A file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubFile {
    /// Its path in the repository, and in the folder.
    pub path: &'static str,
    /// What is known about it.
    pub check: Check,
}

/// What is known about a file before it is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// What it is. Anything else is refused.
    Pinned {
        /// Its bytes.
        size: u64,
        /// Its SHA-256.
        sha256: &'static str,
    },
    /// Nothing but a limit. What comes first is recorded, and anything else is refused from then on.
    FirstUse {
        /// The most bytes it may have.
        most: u64,
    },
}

/// Fetches a model into a folder of its name in `into`, and gives that folder. It appears only when it is complete; what
/// was fetched before an interruption is not fetched again. A folder that is there and right is left alone.
///
/// `progress` is told how many bytes are there and how many there will be, as far as it is known.
pub fn pull(
    model: &HubModel,
    into: &Path,
    base_url: &str,
    progress: &mut dyn FnMut(u64, u64),
) -> EmbedResult<PathBuf> {
    let address = Address::parse(base_url)
        .map_err(|reason| EmbedError::Model { place: "the model hub".to_owned(), reason })?;
    let folder = into.join(model.name);
    if verify(&folder).is_ok_and(|()| Record::read(&folder).is_ok_and(|record| record.is_of(model))) {
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
    Record::new(model, fetched).write(&staging)?;
    files::replace_folder(&staging, &folder)?;
    Ok(folder)
}

/// What was fetched into the folder before. A folder that holds anything else is not touched.
fn before(folder: &Path) -> EmbedResult<Option<Record>> {
    if !files::is_there(folder) {
        return Ok(None);
    }
    let record = Record::read(folder).map_err(|_| EmbedError::Model {
        place: folder.display().to_string(),
        reason: "it is in the way and was not fetched by Lore; move it to fetch the model".to_owned(),
    })?;
    Ok(Some(record))
}

/// Checks every file of a fetched model against `lore-model.json`, and that against what is known about the model.
pub fn verify(folder: &Path) -> EmbedResult<()> {
    let wrong = |reason| EmbedError::Model { place: folder.display().to_string(), reason };
    let record = Record::read(folder)?;
    let known = known_model(&record.name).filter(|model| record.is_of(model));
    for HubFile { path, check } in known.map_or(&[][..], |model| model.files) {
        let recorded = record.file(path).ok_or_else(|| wrong(format!("there is no record of {path}")))?;
        if let Check::Pinned { sha256, .. } = check
            && recorded.sha256 != *sha256
        {
            let found = &recorded.sha256;
            return Err(wrong(format!("the SHA-256 recorded for {path} is {found}, and should be {sha256}")));
        }
    }
    for RecordedFile { path, sha256, .. } in &record.files {
        let found = files::hash(&folder.join(path))?;
        if found != *sha256 {
            return Err(wrong(format!("the SHA-256 of {path} is {found}, and should be {sha256}")));
        }
    }
    Ok(())
}

fn expected(file: &HubFile, before: Option<&Record>) -> Expected {
    match file.check {
        Check::Pinned { size, sha256 } => Expected { most: size, exact: Some((size, sha256.to_owned())) },
        Check::FirstUse { most } => {
            let recorded = before.and_then(|record| record.file(file.path));
            Expected { most, exact: recorded.map(|file| (file.size, file.sha256.clone())) }
        }
    }
}
