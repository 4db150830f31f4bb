//! Single files and directories, most of them outside any vault: private state, configuration, temporary copies.

use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::names::is_hidden;
use crate::regular::{absent, not_regular, open_regular, read_bounded, read_to_limit};

/// Maximum size of a text file outside any vault.
const TEXT_LIMIT: u64 = 256 * 1024 * 1024;

/// Reads a text file outside any vault (configuration, a template, a backup); `None` when it does not exist. Only regular
/// files are read: a pipe could block for ever, and a device could be endless.
pub fn read_text(path: &Path) -> Result<Option<String>> {
    match read_settings(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if absent(&error) => Ok(None),
        Err(source) => Err(Error::Read { path: path.to_owned(), source }),
    }
}

fn read_settings(path: &Path) -> io::Result<String> {
    // Checked before opening: opening some devices has an effect. A symlink is the user's own here, and is followed.
    if !fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    let bytes = read_bounded(&open_regular(path, true)?, TEXT_LIMIT)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Reads a file outside any vault, which may be a pipe; one with more than `limit` bytes is an error.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let read = File::open(path).and_then(|file| read_to_limit(file, limit));
    read.map_err(|source| Error::Read { path: path.to_owned(), source })
}

/// Which file is at a path, and when it was last changed in any way.
pub type ChangeStamp = (u64, i64, i64);

/// Returns the stamp of a file or symlink; `None` if there is none, or the system does not tell.
pub(crate) fn change_stamp(path: &Path) -> Option<ChangeStamp> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::symlink_metadata(path).ok().map(|found| (found.ino(), found.ctime(), found.ctime_nsec()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Reads a regular file, or the target of a symlink as text, which is not followed; `None` for anything else.
pub fn read_entry(path: &Path) -> Option<Vec<u8>> {
    let about = fs::symlink_metadata(path).ok()?;
    if about.is_symlink() {
        return fs::read_link(path).ok().map(|to| to.into_os_string().into_encoded_bytes());
    }
    // A FIFO or device is not opened: it might never answer.
    about.is_file().then(|| fs::read(path).ok()).flatten()
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
pub(crate) fn write_note(path: &Path, text: &str) -> Result<()> {
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

/// Returns the device and number of a file, by which it is known under any name; `None` if there is none, or the system
/// does not tell.
pub fn file_id(path: &Path) -> Option<(u64, u64)> {
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

/// Writes a file that only its owner can read, unless one exists; returns whether it was written.
pub fn write_new_private(path: &Path, bytes: &[u8]) -> Result<bool> {
    let failed = |source| Error::Write { path: path.to_owned(), source };
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
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

/// Returns the user id of a file's owner, where the system has one.
pub(crate) fn owner_of(path: &Path) -> Option<u32> {
    identity_of(path).map(|identity| identity.owner)
}

/// What tells a directory from another one that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderIdentity {
    /// The owner's user id.
    pub owner: u32,
    /// The number of the directory on its file system.
    pub inode: u64,
}

/// Returns the identity of a file or directory; `None` when it does not exist or the system has no such thing.
pub fn identity_of(path: &Path) -> Option<FolderIdentity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let found = fs::metadata(path).ok()?;
        Some(FolderIdentity { owner: found.uid(), inode: found.ino() })
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Returns the user id of this process, where the system has one.
pub fn own_user() -> Option<u32> {
    #[cfg(unix)]
    return Some(rustix::process::geteuid().as_raw());
    #[cfg(not(unix))]
    return None;
}

/// Whether anything exists at the path.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether a directory, or a symlink to one, exists at the path.
pub fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

/// Returns the names in a directory that are not hidden, directories first, each with whether it is a directory.
pub fn list_folder(path: &Path) -> Result<Vec<(String, bool)>> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_hidden(&name) {
            names.push((name, entry.path().is_dir()));
        }
    }
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(names)
}

/// Whether a path is itself a directory, not a symlink to one.
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Returns all names in a directory, including hidden ones, sorted.
pub fn list_names(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(target_os = "linux")]
pub(crate) fn place_of(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn place_of(_file: &File) -> Option<PathBuf> {
    None
}

pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    fs::metadata(path)
}

/// Makes a rename or removal durable. Some file systems cannot; the file itself is intact even then.
pub(crate) fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
