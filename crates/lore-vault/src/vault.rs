//! A vault's directory: reading its pages, and checking where a path really leads.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::{absent, exists, list_names, metadata, place_of};
use crate::path::{is_page_path, safe_path};
use crate::walk;

/// A directory of pages.
#[derive(Debug, Clone)]
pub struct Vault {
    root: PathBuf,
}

/// A file's bytes and mtime.
#[derive(Debug)]
pub struct FileBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Modification time in nanoseconds since 1970.
    pub mtime: i64,
}

impl Vault {
    /// Opens the vault at `root`, which must be a directory.
    pub fn open(root: &Path) -> Result<Self> {
        let root = fs::canonicalize(root).map_err(|_| Error::VaultMissing { path: root.to_owned() })?;
        if root.is_dir() { Ok(Vault { root }) } else { Err(Error::VaultMissing { path: root }) }
    }

    /// Returns the vault's directory, with symlinks resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a page; `None` when it does not exist.
    pub fn read(&self, path: &str, limit: u64) -> Result<Option<FileBytes>> {
        let full = self.root.join(path);
        let failed = |source| Error::Read { path: full.clone(), source };
        // Checked before opening: opening a pipe would block until someone writes to it.
        let opened = metadata(&full).and_then(|found| match found.is_file() {
            true => File::open(&full),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        });
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if absent(&error) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if !self.holds(&file, &full) {
            return Err(Error::BadPath { path: path.into(), reason: "it leads outside the vault" });
        }
        let found = file.metadata().map_err(failed)?;
        if found.len() > limit {
            return Err(Error::TooLarge { path: path.into(), size: found.len(), limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0));
        file.read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(FileBytes { bytes, mtime: walk::mtime(&found) }))
    }

    /// Returns a file's mtime in nanoseconds since 1970 and its size; `None` when it does not exist.
    pub fn stamp(&self, path: &str) -> Option<(i64, u64)> {
        let found = fs::metadata(self.root.join(path)).ok()?;
        Some((walk::mtime(&found), found.len()))
    }

    /// Whether a page can be opened and is not larger than the limit.
    pub fn can_open(&self, path: &str, limit: u64) -> bool {
        let full = self.root.join(path);
        let is_fine = metadata(&full).is_ok_and(|found| found.is_file() && found.len() <= limit);
        is_fine && File::open(&full).is_ok_and(|file| self.holds(&file, &full))
    }

    /// Returns the mode of an existing file, where the system has modes.
    pub fn mode(&self, path: &str) -> Option<u32> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            metadata(&self.root.join(path)).ok().map(|found| found.permissions().mode() & 0o7777)
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None
        }
    }

    /// Refuses a path that leads outside the vault when its symlinks are followed.
    pub fn check_writable(&self, path: &str) -> Result<()> {
        let out =
            || Error::BadPath { path: path.into(), reason: "it leads outside the vault through a symlink" };
        let target = self.root.join(path);
        let mut existing = target.as_path();
        while fs::symlink_metadata(existing).is_err() {
            existing = existing.parent().ok_or_else(out)?;
        }
        if self.contains(existing) { Ok(()) } else { Err(out()) }
    }

    /// Finds a file or directory on a path whose name differs only in case: some systems would treat them as one.
    pub fn case_twin(&self, path: &str) -> Option<String> {
        let mut at = String::new();
        for name in path.split('/') {
            let folder = self.root.join(&at);
            if !exists(&folder.join(name)) {
                // Upper-cased first, so that `ß` and `SS` are equal, as they are on some file systems.
                let caseless = |name: &str| lore_text::fold(&name.to_uppercase());
                let folded = caseless(name);
                let names = list_names(&folder).unwrap_or_default();
                let twin = names.into_iter().find(|other| caseless(other) == folded);
                return twin.map(|twin| if at.is_empty() { twin } else { format!("{at}/{twin}") });
            }
            at = if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") };
        }
        None
    }

    /// Whether an open file is inside the vault. The system reports where the open file really is, so that a symlink
    /// swapped in meanwhile has no effect; if it cannot, the path is resolved again.
    fn holds(&self, file: &File, full: &Path) -> bool {
        match place_of(file) {
            Some(place) => place.starts_with(&self.root),
            None => self.contains(full),
        }
    }

    /// Whether no directory on a path is a symlink: a scan does not enter symlinked directories, so nothing else may.
    pub(crate) fn has_no_linked_folder(&self, full: &Path) -> bool {
        full.parent().is_some_and(|folder| fs::canonicalize(folder).is_ok_and(|real| real == folder))
    }

    /// Normalizes a page's path: see [`Vault::file_path`].
    pub fn page_path(&self, path: &str) -> Result<String> {
        let safe = self.file_path(path)?;
        match is_page_path(&safe) {
            true => Ok(safe),
            false => Err(Error::BadPath { path: path.into(), reason: "a page's name must end in .md" }),
        }
    }

    /// Checks and normalizes a path: composed (NFC), unless a file with a decomposed name exists, as created by some
    /// systems.
    pub fn file_path(&self, path: &str) -> Result<String> {
        let safe = safe_path(path)?;
        let composed: String = unicode_normalization::UnicodeNormalization::nfc(path).collect();
        let as_is = path != safe && composed == safe && exists(&self.root.join(path));
        Ok(if as_is { path.to_owned() } else { safe })
    }

    /// Whether an existing path, with symlinks resolved, is inside the vault.
    pub(crate) fn contains(&self, full: &Path) -> bool {
        fs::canonicalize(full).is_ok_and(|real| real.starts_with(&self.root))
    }
}
