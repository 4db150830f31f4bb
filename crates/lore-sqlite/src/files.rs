//! The database's own files. They lie outside any vault, so the vault's rules for files do not apply; every error names
//! the path.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "all file access of the crate is here"
)]

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use lore_ports::{Error, Result};

/// Creates a directory and its parents.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(failed(path))
}

/// Creates an empty file that only its owner can read, unless it exists.
pub(crate) fn make_private(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(path)(error)),
        _ => Ok(()),
    }
}

/// Creates an empty file that only its owner can read; one that exists is an error.
pub(crate) fn create_private(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(failed(path))
}

/// Returns the first bytes of a regular file; `None` when nothing is there. Anything else is refused before it is opened:
/// opening a pipe would block, and a device could act.
pub(crate) fn head(path: &Path, length: usize) -> Result<Option<Vec<u8>>> {
    let foreign = |reason: &str| Error::ForeignFile { path: path.to_owned(), reason: reason.to_owned() };
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(foreign("it is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path)(error)),
    }
    let mut bytes = Vec::with_capacity(length);
    let file = File::open(path).map_err(failed(path))?;
    file.take(length as u64).read_to_end(&mut bytes).map_err(failed(path))?;
    Ok(Some(bytes))
}

/// Makes a file's bytes durable.
pub(crate) fn sync(path: &Path) -> Result<()> {
    File::open(path).and_then(|file| file.sync_all()).map_err(failed(path))
}

/// Removes a file; a missing one is not an error.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(path)(error)),
        _ => Ok(()),
    }
}

/// Gives a finished file its name, which must be free.
pub(crate) fn publish(from: &Path, to: &Path) -> Result<()> {
    // A link fails where a file exists, which a rename would replace.
    let linked = match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // The file system has no links.
        Err(_) if !exists(to) => fs::rename(from, to),
        Err(error) => Err(error),
    };
    linked.map_err(failed(to))?;
    if let Some(Ok(folder)) = to.parent().map(File::open) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Makes a file readable by its owner only.
fn restrict(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed(path))?;
    }
    Ok(())
}

/// Takes the permissions of everybody else from a file, as far as this user may; a missing file is fine.
pub(crate) fn withhold(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let Ok(mode) = fs::metadata(path).map(|found| found.permissions().mode()) else { return };
        if mode & 0o077 != 0 {
            // It may belong to another user, who decides about it.
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Device and number of a file, by which it is known under any name.
pub(crate) type Identity = (u64, u64);

/// Returns the identity of the file at a path; `None` if there is none, or the system does not tell.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Renames a file and its companions (given by suffix) to unused names; returns the new path of the first.
pub(crate) fn set_aside(path: &Path, endings: &[&str]) -> Result<PathBuf> {
    let mut asides = (1..).map(|number| with_ending(path, &format!(".damaged-{number}")));
    let aside = asides.find(|aside| !exists(aside)).unwrap_or_else(|| with_ending(path, ".damaged"));
    for ending in endings {
        let from = with_ending(path, ending);
        if exists(&from) {
            restrict(&from)?;
            fs::rename(&from, with_ending(&aside, ending)).map_err(failed(&from))?;
        }
    }
    Ok(aside)
}

/// Returns the path with this ending, or with a number after it when that file exists.
pub(crate) fn unused(path: &Path, ending: &str) -> PathBuf {
    let first = with_ending(path, ending);
    let numbered = (2..).map(|number| with_ending(&first, &format!("-{number}")));
    std::iter::once(first.clone()).chain(numbered).find(|path| !exists(path)).unwrap_or(first)
}

/// Returns the path with this ending.
pub(crate) fn with_ending(base: &Path, ending: &str) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Whether anything exists at the path.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |source| Error::DatabaseFile { path: path.to_owned(), source }
}
