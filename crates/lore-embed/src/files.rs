//! The one place where this crate touches files. A model is no page of a vault, so the engine's rules for those do not
//! apply; every error names the path.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the module for it")]
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lore_engine::{ContentHash, EmbedError, EmbedResult};

/// The bytes of a mapped file.
pub type Mapped = memmap2::Mmap;

/// Maps a file into memory.
pub fn map(path: &Path) -> EmbedResult<Mapped> {
    try_map(path).map_err(|error| unusable(path, &error))
}

/// Maps a file into memory, or gives the system's reason.
pub fn try_map(path: &Path) -> io::Result<Mapped> {
    let file = File::open(path)?;
    // SAFETY: the bytes change only if another process writes into the file in place. Models are replaced by renaming,
    // never written in place; and what is read from the map is only ever used as numbers and checked indices.
    unsafe { Mapped::map(&file) }
}

/// The bytes of a file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// The SHA-256 of a file.
pub fn hash(path: &Path) -> EmbedResult<String> {
    Ok(ContentHash::of(&map(path)?).to_string())
}

/// Writes a whole file.
pub fn write(path: &Path, bytes: &[u8]) -> EmbedResult<()> {
    fs::write(path, bytes).map_err(|error| unusable(path, &error))
}

/// Makes a folder and those above it, where they are missing.
pub fn create_folder(path: &Path) -> EmbedResult<()> {
    fs::create_dir_all(path).map_err(|error| unusable(path, &error))
}

/// Whether there is anything at the path.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Renames a file.
pub fn rename(from: &Path, to: &Path) -> EmbedResult<()> {
    fs::rename(from, to).map_err(|error| unusable(to, &error))
}

/// Removes a file.
pub fn remove(path: &Path) -> EmbedResult<()> {
    fs::remove_file(path).map_err(|error| unusable(path, &error))
}

/// Puts a folder in the place of another, which need not be there.
pub fn replace_folder(new: &Path, old: &Path) -> EmbedResult<()> {
    match fs::remove_dir_all(old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(old, &error)),
        _ => rename(new, old),
    }
}

/// The path with a suffix after its last name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Keeps others out as long as it lives.
pub struct Lock(#[expect(dead_code, reason = "held, not used")] File);

/// Takes a lock, or says that someone else has it.
pub fn lock(path: &Path) -> EmbedResult<Lock> {
    let file = File::create(path).map_err(|error| unusable(path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(EmbedError::Unavailable {
            place: path.display().to_string(),
            reason: "another process is fetching this model".to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unusable(path, &error)),
    }
}

/// A file that is fetched bit by bit.
pub struct Part {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Part {
    /// Opens a part file where an earlier try left it, or a new one.
    pub fn open(path: &Path) -> EmbedResult<Self> {
        create_folder(path.parent().unwrap_or(path))?;
        let open = || {
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let length = file.metadata()?.len();
            Ok(Part { file, path: path.to_owned(), length })
        };
        open().map_err(|error| unusable(path, &error))
    }

    /// How many bytes it has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds bytes at the end.
    pub fn append(&mut self, bytes: &[u8]) -> EmbedResult<()> {
        self.file.write_all(bytes).map_err(|error| unusable(&self.path, &error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Sees to it that the bytes are on the disk before the file gets its name.
    pub fn flush(&self) -> EmbedResult<()> {
        self.file.sync_all().map_err(|error| unusable(&self.path, &error))
    }

    /// Empties it.
    pub fn clear(&mut self) -> EmbedResult<()> {
        self.file.set_len(0).map_err(|error| unusable(&self.path, &error))?;
        self.length = 0;
        Ok(())
    }
}

fn unusable(path: &Path, error: &io::Error) -> EmbedError {
    EmbedError::Model { place: path.display().to_string(), reason: error.to_string() }
}
