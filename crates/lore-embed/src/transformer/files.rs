//! File access for a model's directory, with errors for unusable files.
#![allow(unsafe_code)]

use std::io::{self, ErrorKind};
use std::ops::{Deref, Range};
use std::path::Path;

use lore_ports::{EmbedError, EmbedResult};

use crate::files;

/// Returns the error for an unusable file.
pub(super) fn refuse(path: &Path, reason: impl Into<String>) -> EmbedError {
    EmbedError::Model { place: path.display().to_string(), reason: reason.into() }
}

/// Reads a required file.
pub(super) fn read(path: &Path) -> EmbedResult<Vec<u8>> {
    files::read(path).map_err(|error| unreadable(path, &error))
}

/// Reads a file that may be missing.
pub(super) fn read_optional(path: &Path) -> EmbedResult<Option<Vec<u8>>> {
    match files::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> EmbedError {
    let reason = match error.kind() {
        ErrorKind::NotFound => "file not found; download the model again, or use a directory that contains \
            model.safetensors, tokenizer.json and config.json"
            .to_owned(),
        _ => format!("cannot read the file ({error}); check its permissions or download the model again"),
    };
    refuse(path, reason)
}

/// A memory-mapped file. Its pages are loaded on access and shared with every other process.
#[derive(Debug)]
pub(super) struct Mapped(files::Mapped);

impl Mapped {
    /// Maps a required file and rejects an empty one.
    pub(super) fn open(path: &Path) -> EmbedResult<Mapped> {
        let map = files::try_map(path).map_err(|error| unreadable(path, &error))?;
        if map.is_empty() {
            return Err(refuse(path, "the file is empty; download the model again"));
        }
        Ok(Mapped(map))
    }

    /// Lets the system reclaim the memory of a range that will not be read soon. Reading it again is allowed and only
    /// costs the time to map it again.
    #[cfg(unix)]
    pub(super) fn release(&self, range: &Range<usize>) {
        // SAFETY: the pages belong to a file mapped read-only, so dropping them loses nothing: the next read loads the
        // same bytes.
        let _ = unsafe {
            self.0.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
        };
    }

    /// Other systems reclaim memory when they need it.
    #[cfg(not(unix))]
    pub(super) fn release(&self, _range: &Range<usize>) {}
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Reinterprets the bytes as numbers without copying; `None` if they are misaligned or in the wrong byte order.
pub(super) fn as_floats(bytes: &[u8]) -> Option<&[f32]> {
    if cfg!(target_endian = "big") {
        return None;
    }
    // SAFETY: any four bytes are a valid f32.
    let (before, floats, after) = unsafe { bytes.align_to::<f32>() };
    (before.is_empty() && after.is_empty()).then_some(floats)
}
