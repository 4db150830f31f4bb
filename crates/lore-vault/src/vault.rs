//! A vault's directory: reading its pages, and checking where a path really leads.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::{exists, list_folder, list_names, metadata, place_of};
use crate::path::{is_page_path, safe_path};
use crate::regular::{absent, not_regular, open_regular, read_bounded};
use crate::secret::machine_secret;
use crate::walk;

/// Maximum size of a text file that is not a page.
const TEXT_LIMIT: u64 = 1024 * 1024;

/// A directory of pages.
#[derive(Debug, Clone)]
pub struct Vault {
    root: PathBuf,
    /// The file with the secret that seals the records of writes in progress.
    secret: Option<PathBuf>,
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
        if root.is_dir() { Ok(Vault { root, secret: None }) } else { Err(Error::VaultMissing { path: root }) }
    }

    /// Sets the directory of private state, which holds the secret that seals the records of writes in progress.
    pub fn with_state(self, state: &Path) -> Vault {
        Vault { secret: Some(state.join("staging.key")), ..self }
    }

    /// Returns that secret, created when it is first needed.
    pub(crate) fn secret(&self) -> Option<[u8; 32]> {
        machine_secret(self.secret.as_deref()?)
    }

    /// Returns the vault's directory, with symlinks resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a page; `None` when it does not exist.
    pub fn read(&self, path: &str, limit: u64) -> Result<Option<FileBytes>> {
        let full = self.root.join(path);
        let failed = |source| Error::Read { path: full.clone(), source };
        let file = match self.open_file(&full, path) {
            Ok(file) => file,
            Err(Error::Read { source, .. }) if absent(&source) => return Ok(None),
            Err(error) => return Err(error),
        };
        let found = file.metadata().map_err(failed)?;
        if found.len() > limit {
            return Err(Error::TooLarge { path: path.into(), size: found.len(), limit });
        }
        let bytes = read_bounded(&file, limit).map_err(failed)?;
        Ok(Some(FileBytes { bytes, mtime: walk::mtime(&found) }))
    }

    /// Returns a file's mtime in nanoseconds since 1970 and its size; `None` when it does not exist.
    pub fn stamp(&self, path: &str) -> Option<(i64, u64)> {
        let found = fs::metadata(self.root.join(path)).ok()?;
        Some((walk::mtime(&found), found.len()))
    }

    /// Whether a page can be opened and is not larger than the limit.
    pub fn can_open(&self, path: &str, limit: u64) -> bool {
        let opened = self.open_file(&self.root.join(path), path);
        opened.is_ok_and(|file| file.metadata().is_ok_and(|found| found.len() <= limit))
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

    /// Reads a small text file of the vault that is not a page: the policy, a template, an ignore file. `None` when it does
    /// not exist.
    pub fn read_text(&self, path: &str) -> Result<Option<String>> {
        let Some(file) = self.read(path, TEXT_LIMIT)? else { return Ok(None) };
        let failed = |_| Error::Read {
            path: self.root.join(path),
            source: io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"),
        };
        String::from_utf8(file.bytes).map(Some).map_err(failed)
    }

    /// Opens a regular file inside the vault. A symlink, of the file or of a directory above it, is followed only if it
    /// stays inside, and is checked before anything is opened: opening some devices has an effect.
    fn open_file(&self, full: &Path, path: &str) -> Result<File> {
        let failed = |source| Error::Read { path: full.to_owned(), source };
        let out = || Error::BadPath { path: path.into(), reason: "it leads outside the vault" };
        let found = fs::symlink_metadata(full).map_err(failed)?;
        let real = fs::canonicalize(full).map_err(failed)?;
        if !real.starts_with(&self.root) {
            return Err(out());
        }
        if !metadata(&real).map_err(failed)?.is_file() {
            return Err(failed(not_regular()));
        }
        let file = open_regular(full, found.is_symlink()).map_err(failed)?;
        if self.holds(&file, full) { Ok(file) } else { Err(out()) }
    }

    /// Returns the names in a directory of the vault that are not hidden, directories first, each with whether it is a
    /// directory; `None` when there is no such directory. No symlink is followed out of the vault.
    pub fn list(&self, folder: &str) -> Result<Option<Vec<(String, bool)>>> {
        let full = self.root.join(folder);
        if !full.is_dir() || !self.contains(&full) {
            return Ok(None);
        }
        list_folder(&full).map(Some)
    }

    /// Refuses a path that leads outside the vault when its symlinks are followed, and one where a file cannot be.
    pub fn check_writable(&self, path: &str) -> Result<()> {
        let refuse = |reason| Err(Error::BadPath { path: path.into(), reason });
        let target = self.root.join(path);
        let mut existing = target.as_path();
        while fs::symlink_metadata(existing).is_err() {
            let Some(parent) = existing.parent() else { break };
            existing = parent;
        }
        if !self.contains(existing) {
            return refuse("it leads outside the vault through a symlink");
        }
        match metadata(existing) {
            Ok(found) if existing == target && !found.is_file() => {
                refuse("something other than a file is there, such as a directory")
            }
            Ok(found) if existing != target && !found.is_dir() => {
                refuse("a file is in the place of one of its directories")
            }
            _ => Ok(()),
        }
    }

    /// Returns a path as it is spelled on disk: a name that exists in one other case only is replaced by that name.
    pub fn spelled(&self, path: &str) -> String {
        let mut spelled = String::new();
        let mut is_new = false;
        for name in path.split('/') {
            let folder = self.root.join(&spelled);
            is_new = is_new || !exists(&folder.join(name));
            // What is outside the vault is not listed.
            let mut twins = if is_new && self.contains(&folder) { twins(&folder, name) } else { Vec::new() };
            let found = if twins.len() == 1 { twins.pop() } else { None };
            is_new &= found.is_none();
            if !spelled.is_empty() {
                spelled.push('/');
            }
            spelled.push_str(found.as_deref().unwrap_or(name));
        }
        spelled
    }

    /// Finds a file or directory on a path whose name differs only in case: some systems would treat them as one.
    pub fn case_twin(&self, path: &str) -> Option<String> {
        let mut at = String::new();
        for name in path.split('/') {
            let folder = self.root.join(&at);
            if !exists(&folder.join(name)) {
                let twin = twins(&folder, name).into_iter().next();
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

/// Returns the names in a directory that differ from a name only in case.
fn twins(folder: &Path, name: &str) -> Vec<String> {
    // Upper-cased first, so that `ß` and `SS` are equal, as they are on some file systems.
    let caseless = |name: &str| lore_text::fold(&name.to_uppercase());
    let folded = caseless(name);
    let names = list_names(folder).unwrap_or_default();
    names.into_iter().filter(|other| caseless(other) == folded).collect()
}
