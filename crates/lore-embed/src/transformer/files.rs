//! The files of a model's folder, and what to say of one that cannot be used.
#![allow(unsafe_code)]

use std::io::{self, ErrorKind};
use std::ops::{Deref, Range};
use std::path::Path;

use lore_engine::{EmbedError, EmbedResult};

use crate::files;

/// A file that cannot be used, and why.
pub(super) fn refuse(path: &Path, reason: impl Into<String>) -> EmbedError {
    EmbedError::Model { place: path.display().to_string(), reason: reason.into() }
}

/// The bytes of a file that must be there.
pub(super) fn read(path: &Path) -> EmbedResult<Vec<u8>> {
    files::read(path).map_err(|error| unreadable(path, &error))
}

/// The bytes of a file that may be missing.
pub(super) fn read_optional(path: &Path) -> EmbedResult<Option<Vec<u8>>> {
    match files::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> EmbedError {
    let reason = match error.kind() {
        ErrorKind::NotFound => "the file is missing; fetch the model again, or choose a folder that holds \
            model.safetensors, tokenizer.json and config.json"
            .to_owned(),
        _ => format!("it cannot be read ({error}); check the file's permissions or fetch the model again"),
    };
    refuse(path, reason)
}

/// A file mapped into memory. Its pages are read when they are touched and shared with every other process.
#[derive(Debug)]
pub(super) struct Mapped(files::Mapped);

impl Mapped {
    /// Maps a file that must be there and is not empty.
    pub(super) fn open(path: &Path) -> EmbedResult<Mapped> {
        let map = files::try_map(path).map_err(|error| unreadable(path, &error))?;
        if map.is_empty() {
            return Err(refuse(path, "the file is empty; fetch the model again"));
        }
        Ok(Mapped(map))
    }

    /// Lets the system take back the memory of a range that will not be read soon. Reading it again is allowed, and
    /// only costs the time to map it again.
    #[cfg(unix)]
    pub(super) fn release(&self, range: &Range<usize>) {
        // SAFETY: the pages are those of a file mapped read only, so dropping them loses nothing: the next read brings
        // the same bytes back.
        let _ = unsafe {
            self.0.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
        };
    }

    /// Other systems take memory back when they need it.
    #[cfg(not(unix))]
    pub(super) fn release(&self, _range: &Range<usize>) {}
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// The bytes as numbers without copying them; `None` where they do not lie as the processor wants them.
pub(super) fn as_floats(bytes: &[u8]) -> Option<&[f32]> {
    if cfg!(target_endian = "big") {
        return None;
    }
    // SAFETY: every four bytes are some f32.
    let (before, floats, after) = unsafe { bytes.align_to::<f32>() };
    (before.is_empty() && after.is_empty()).then_some(floats)
}
