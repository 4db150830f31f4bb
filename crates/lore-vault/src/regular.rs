//! Bounded reads of regular files: no device, no pipe, no endless file, and no symlink in the last component.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes; `None` when it does not exist.
pub(crate) fn read_regular(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    // Checked before opening: opening some devices has an effect.
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Err(not_regular()),
        Ok(_) => {}
        Err(error) if absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    match open_regular(path, false) {
        Ok(file) => read_bounded(&file, limit).map(Some),
        Err(error) if absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a regular file without waiting, as a pipe would. A symlink in the last component is followed if `follow` is
/// set.
pub(crate) fn open_regular(path: &Path, follow: bool) -> io::Result<File> {
    let file = open(path, follow)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Reads an open file. The size is checked again while reading: the file may grow.
pub(crate) fn read_bounded(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    /// A file may claim any size.
    const RESERVED: u64 = 16 * 1024 * 1024;
    let size = file.metadata()?.len();
    let bytes = Vec::with_capacity(usize::try_from(size.min(limit).min(RESERVED)).unwrap_or(0));
    read_into(bytes, file, limit)
}

/// Reads to the end; more than `limit` bytes are an error. A device, a pipe and another program may never end.
pub fn read_to_limit(from: impl io::Read, limit: u64) -> io::Result<Vec<u8>> {
    read_into(Vec::new(), from, limit)
}

fn read_into(mut bytes: Vec<u8>, from: impl io::Read, limit: u64) -> io::Result<Vec<u8>> {
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Whether an error says that there is no such file.
pub(crate) fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(crate) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// Whether a file could not be read because there is something else in its place: a symlink, a directory, a special file,
/// or more bytes than any file there has.
pub(crate) fn is_not_a_file(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidInput, IsADirectory};
    matches!(error.kind(), InvalidInput | IsADirectory | FileTooLarge)
        || error.raw_os_error().is_some_and(is_link_error)
}

/// Whether this is the error of a symlink that is not followed.
#[cfg(unix)]
pub(crate) fn is_link_error(code: i32) -> bool {
    code == rustix::io::Errno::LOOP.raw_os_error() || code == rustix::io::Errno::NOTDIR.raw_os_error()
}

#[cfg(not(unix))]
pub(crate) fn is_link_error(_code: i32) -> bool {
    false
}

#[cfg(unix)]
fn open(path: &Path, follow: bool) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path, _follow: bool) -> io::Result<File> {
    File::open(path)
}
