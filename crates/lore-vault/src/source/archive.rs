//! Zip archives. Their directories are checked before any entry is read: names that lead out of the archive, encrypted
//! entries, and contents out of proportion to the archive.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::SourceFile;
use crate::error::{Error, Result};
use crate::regular::open_regular;
use crate::walk::Skipped;

/// Maximum number of entries of an archive.
const MAX_ENTRIES: usize = 500_000;

/// Maximum size of the contents of an archive.
const MAX_CONTENTS: u64 = 64 * 1024 * 1024 * 1024;

/// Contents below this size may be compressed to any degree.
const HARMLESS: u64 = 256 * 1024 * 1024;

/// Maximum ratio of larger contents to the archive. Text rarely exceeds 20.
const MAX_RATIO: u64 = 100;

/// An open archive.
pub(super) struct Archive(RefCell<ZipArchive<File>>);

/// The archives of a file, their entries, and what was skipped.
type Opened = (Vec<Archive>, Vec<SourceFile>, Vec<Skipped>);

/// Opens an archive. One that contains nothing but archives, as large exports do, is opened with those.
pub(super) fn open(path: &Path) -> Result<Opened> {
    let refuse = |reason: String| Error::Source { path: path.to_owned(), reason };
    let file = open_regular(path, false).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let outer = listed(file, 0).map_err(refuse)?;
    let is_zip = |file: &SourceFile| file.path.to_ascii_lowercase().ends_with(".zip");
    if outer.files.is_empty() || !outer.files.iter().all(is_zip) {
        return Ok((vec![outer.archive], outer.files, outer.skipped));
    }
    let packed = std::fs::metadata(path).map_or(0, |found| found.len());
    let mut archives = Vec::new();
    let (mut files, mut skipped, mut contents) = (Vec::new(), outer.skipped, 0u64);
    for part in &outer.files {
        let copied = outer.archive.stream(part.entry.1, |reader| copy(reader));
        let copied = copied.map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let inner =
            listed(copied, archives.len()).map_err(|reason| refuse(format!("{}: {reason}", part.path)))?;
        // Each may be harmless by itself.
        contents = contents.saturating_add(inner.contents);
        check_size(contents, packed).map_err(refuse)?;
        archives.push(inner.archive);
        files.extend(inner.files);
        skipped.extend(inner.skipped);
    }
    Ok((archives, files, skipped))
}

struct Listed {
    archive: Archive,
    files: Vec<SourceFile>,
    skipped: Vec<Skipped>,
    /// Size of the contents.
    contents: u64,
}

/// Checks the directory of an archive and returns its entries.
fn listed(mut file: File, number: usize) -> std::result::Result<Listed, String> {
    let packed = file.seek(SeekFrom::End(0)).map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(file).map_err(|error| broken(&error))?;
    if archive.len() > MAX_ENTRIES {
        return Err(format!("it has more than {MAX_ENTRIES} entries"));
    }
    let (mut files, mut skipped, mut contents) = (Vec::new(), Vec::new(), 0u64);
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|error| broken(&error))?;
        let name = entry.name().map_err(|error| broken(&error))?.into_owned();
        let path = name.replace('\\', "/");
        if path.starts_with('/') || path.split('/').any(|part| part == "..") || path.contains('\0') {
            return Err(format!("the entry {name:?} leads outside the archive"));
        }
        if entry.encrypted() {
            return Err(format!("the entry {name:?} is encrypted"));
        }
        contents = contents.saturating_add(entry.size());
        let is_noise = path.starts_with("__MACOSX/");
        if entry.is_symlink() {
            let reason = "it is a symlink; symlinks are not followed".to_owned();
            skipped.push(Skipped { path, reason });
        } else if !entry.is_dir() && !path.ends_with('/') && !is_noise {
            let path = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>();
            files.push(SourceFile { path: path.join("/"), size: entry.size(), entry: (number, index) });
        }
    }
    check_size(contents, packed)?;
    Ok(Listed { archive: Archive(RefCell::new(archive)), files, skipped, contents })
}

/// Fails if contents are out of proportion to their archive.
pub(crate) fn check_size(contents: u64, packed: u64) -> std::result::Result<(), String> {
    if contents > MAX_CONTENTS || contents > HARMLESS && contents / MAX_RATIO > packed {
        return Err(format!("its contents claim {contents} bytes, out of proportion to its {packed} bytes"));
    }
    Ok(())
}

impl Archive {
    /// Reads an entry piece by piece, at most as much as the directory says.
    pub(super) fn stream<T>(
        &self,
        index: usize,
        work: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut archive = self.0.borrow_mut();
        let entry = archive.by_index(index).map_err(|error| io::Error::other(broken(&error)))?;
        let left = entry.size();
        work(&mut Bounded { entry, left })
    }
}

/// An entry that fails when it is longer than its directory says.
struct Bounded<R> {
    entry: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other("the entry is longer than the archive says")),
        }
        Ok(read)
    }
}

/// Copies an inner archive to a file without a name.
fn copy(reader: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(reader, &mut file)?;
    file.flush()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

fn broken(error: &ZipError) -> String {
    format!("it is not a readable zip archive: {error}")
}
