//! The files of a vault: the only module that accesses the file system.
//!
//! Every error names the file. A write is staged in the vault, synced, then renamed, so that at any moment a file has
//! either its old bytes or its new ones.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this is the module the ban points to"
)]

mod lock;
mod path;
mod place;
mod replace;
mod staging;
mod text;
mod walk;

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

pub use lock::{FolderLock, WatchLock};
pub use path::{
    EXPECTATIONS_FILE, EXTENSIONS, folder, is_page, is_page_path, is_sidecar, relative, safe_page_path,
    safe_path, sidecar, without_extension,
};
pub use replace::{replace_unchanged, size_of};
pub use staging::Staging;
pub use text::{Decoded, decode};
pub use walk::{DiskFile, Scan, Skipped, files_below, folders, hidden_pages, ignored, scan, stat};

use crate::error::{Error, Result};

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
                let caseless = |name: &str| lore_page::fold(&name.to_uppercase());
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

/// Reads a text file outside any vault (configuration, a template, an input); `None` when it does not exist.
pub fn read_text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if absent(&error) => Ok(None),
        Err(source) => Err(Error::Read { path: path.to_owned(), source }),
    }
}

/// Reads a file outside any vault.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

/// Replaces a file outside any vault atomically. Only its owner can read it.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |source| Error::Write { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    // Temporary files are created with mode 0600, and renaming keeps that.
    let mut temporary = NamedTempFile::new_in(folder).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    sync_folder(path);
    Ok(())
}

/// Writes a short private file that need not survive a power failure.
fn write_note(path: &Path, text: &str) -> Result<()> {
    make_folder(path.parent().unwrap_or(Path::new(".")))?;
    make_private(path)?;
    fs::write(path, text).map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// Creates an empty file that only its owner can read, unless it exists.
pub fn make_private(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(Error::Write { path: path.to_owned(), source }),
    }
}

/// Whether only its owner can read a file.
pub fn is_private(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 == 0)
    }
    #[cfg(not(unix))]
    path.exists()
}

/// Makes a file readable by its owner only.
pub fn restrict(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let failed = |source| Error::Write { path: path.to_owned(), source };
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    }
    Ok(())
}

/// Renames a file and its companions (given by suffix) to unused names; returns the new path of the first.
pub fn set_aside(path: &Path, endings: &[&str]) -> Result<PathBuf> {
    let named = |base: &Path, ending: &str| {
        let mut name = base.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut asides = (1..).map(|number| named(path, &format!(".damaged-{number}")));
    let aside = asides.find(|aside| !exists(aside)).unwrap_or_else(|| named(path, ".damaged"));
    for ending in endings {
        let from = named(path, ending);
        if exists(&from) {
            let to = named(&aside, ending);
            fs::rename(&from, &to).map_err(|source| Error::Write { path: from, source })?;
        }
    }
    Ok(aside)
}

/// Writes a file unless it exists; returns whether it was written.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<bool> {
    let failed = |source| Error::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    match File::options().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(bytes).and_then(|()| file.sync_all()).map(|()| true).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(error)),
    }
}

/// Returns the mtime of a file outside any vault; `None` when it does not exist.
pub fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|about| about.modified()).ok()
}

/// Removes a file outside any vault.
pub fn remove_file(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// Creates a directory and its parents.
pub fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// Writes a file that can be recreated at any time: in place, and without syncing.
pub fn write_passing(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// Writes such a file with a given mtime, in seconds since 1970.
pub fn write_dated(path: &Path, bytes: &[u8], at: i64) -> Result<()> {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(u64::try_from(at).unwrap_or(0));
    let written = File::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.set_modified(time)
    });
    written.map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// A private temporary directory, deleted when dropped.
pub struct TemporaryFolder(tempfile::TempDir);

impl TemporaryFolder {
    /// Creates one in the system's temporary directory.
    pub fn new(name: &str) -> Result<TemporaryFolder> {
        let made = tempfile::Builder::new().prefix(name).tempdir();
        let made = made.map_err(|source| Error::Write { path: std::env::temp_dir(), source })?;
        Ok(TemporaryFolder(made))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Returns the directory with symlinks resolved; `None` when it does not exist.
pub fn real_folder(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().filter(|real| real.is_dir())
}

/// Whether anything exists at the path.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Returns the names in a directory that are not hidden, directories first, each with whether it is a directory.
pub fn list_folder(path: &Path) -> Result<Vec<(String, bool)>> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push((name, entry.path().is_dir()));
        }
    }
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(names)
}

/// Whether a path is itself a directory, not a symlink to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Returns all names in a directory, including hidden ones, sorted.
pub(crate) fn list_names(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(target_os = "linux")]
fn place_of(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(not(target_os = "linux"))]
fn place_of(_file: &File) -> Option<PathBuf> {
    None
}

fn metadata(path: &Path) -> io::Result<Metadata> {
    fs::metadata(path)
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Makes a rename or removal durable. Some file systems cannot; the file itself is intact even then.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
