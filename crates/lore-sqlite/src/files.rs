//! The database's own files. They lie outside any vault, so the vault's rules for files do not apply; every error names
//! the path.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "all file access of the crate is here"
)]

use std::fs::{self, File};
use std::io;
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

/// Makes a file readable by its owner only.
pub(crate) fn restrict(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed(path))?;
    }
    Ok(())
}

/// Renames a file and its companions (given by suffix) to unused names; returns the new path of the first.
pub(crate) fn set_aside(path: &Path, endings: &[&str]) -> Result<PathBuf> {
    let mut asides = (1..).map(|number| with_ending(path, &format!(".damaged-{number}")));
    let aside = asides.find(|aside| !exists(aside)).unwrap_or_else(|| with_ending(path, ".damaged"));
    for ending in endings {
        let from = with_ending(path, ending);
        if exists(&from) {
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

fn with_ending(base: &Path, ending: &str) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |source| Error::DatabaseFile { path: path.to_owned(), source }
}
