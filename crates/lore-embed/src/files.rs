//! All file access of this crate. Models are outside any vault, so the engine's rules for vault files do not apply;
//! every error names the path.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "all file access of the crate is here"
)]
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use lore_ports::{EmbedError, EmbedResult};
use lore_text::ContentHash;

/// The bytes of a memory-mapped file.
pub type Mapped = memmap2::Mmap;

/// Maps a file into memory.
pub fn map(path: &Path) -> EmbedResult<Mapped> {
    try_map(path).map_err(|error| unusable(path, &error))
}

/// Maps a file into memory and returns the raw I/O error on failure.
pub fn try_map(path: &Path) -> io::Result<Mapped> {
    check_regular(path)?;
    let file = File::open(path)?;
    // SAFETY: the bytes change only if another process writes to the file in place. Models are replaced by renaming,
    // never written in place, and the mapped data is only used as numbers and bounds-checked indices.
    unsafe { Mapped::map(&file) }
}

/// Maximum size of a file that is read as a whole: settings and vocabularies.
const READ_LIMIT: u64 = 256 << 20;

/// Reads a file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if check_regular(path)? > READ_LIMIT {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(READ_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the size of a file, which must be a regular one: opening a pipe could block for ever, and a device be endless.
fn check_regular(path: &Path) -> io::Result<u64> {
    let found = fs::metadata(path)?;
    match found.is_file() {
        true => Ok(found.len()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// Checks a file that is about to be written, if it exists.
fn check_target(path: &Path) -> io::Result<()> {
    match check_regular(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the SHA-256 of a file.
pub fn hash(path: &Path) -> EmbedResult<String> {
    Ok(ContentHash::of(&map(path)?).to_string())
}

/// Writes a file.
pub fn write(path: &Path, bytes: &[u8]) -> EmbedResult<()> {
    check_target(path).and_then(|()| fs::write(path, bytes)).map_err(|error| unusable(path, &error))
}

/// Creates a directory and its missing parents.
pub fn create_folder(path: &Path) -> EmbedResult<()> {
    fs::create_dir_all(path).map_err(|error| unusable(path, &error))
}

/// Returns whether the path exists, without following symlinks.
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

/// Replaces a directory, which may be missing.
pub fn replace_folder(new: &Path, old: &Path) -> EmbedResult<()> {
    match fs::remove_dir_all(old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(old, &error)),
        _ => rename(new, old),
    }
}

/// Appends a suffix to the last component of a path.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// An exclusive file lock, released on drop.
pub struct Lock(#[expect(dead_code, reason = "held, not used")] File);

/// Acquires a lock, or fails if another process holds it.
pub fn lock(path: &Path) -> EmbedResult<Lock> {
    let file =
        check_target(path).and_then(|()| File::create(path)).map_err(|error| unusable(path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(EmbedError::Unavailable {
            place: path.display().to_string(),
            reason: "another process is downloading this model".to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unusable(path, &error)),
    }
}

/// A partially downloaded file.
pub struct Part {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Part {
    /// Opens the part file of an earlier attempt, or creates one.
    pub fn open(path: &Path) -> EmbedResult<Self> {
        create_folder(path.parent().unwrap_or(path))?;
        let open = || {
            check_target(path)?;
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let length = file.metadata()?.len();
            Ok(Part { file, path: path.to_owned(), length })
        };
        open().map_err(|error| unusable(path, &error))
    }

    /// Returns the length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> EmbedResult<()> {
        self.file.write_all(bytes).map_err(|error| unusable(&self.path, &error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Syncs the bytes to disk; must happen before the file is renamed.
    pub fn flush(&self) -> EmbedResult<()> {
        self.file.sync_all().map_err(|error| unusable(&self.path, &error))
    }

    /// Truncates the file to zero bytes.
    pub fn clear(&mut self) -> EmbedResult<()> {
        self.file.set_len(0).map_err(|error| unusable(&self.path, &error))?;
        self.length = 0;
        Ok(())
    }
}

fn unusable(path: &Path, error: &io::Error) -> EmbedError {
    EmbedError::Model { place: path.display().to_string(), reason: error.to_string() }
}
