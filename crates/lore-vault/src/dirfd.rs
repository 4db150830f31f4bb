//! Directory handles held open during a write. Every step names a file by an open directory and one name, and follows
//! no symlink, so that a directory swapped for a symlink between check and write has no effect.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// An open directory.
#[derive(Debug)]
pub(crate) struct DirFd(handle::Handle);

impl DirFd {
    /// Opens the directory at a path, which must not contain a symlink.
    pub(crate) fn open(path: &Path) -> io::Result<DirFd> {
        handle::open(path).map(DirFd)
    }

    /// Opens a directory below this one. With `made`, missing directories are created and recorded there.
    pub(crate) fn inside(&self, folder: &str, mut made: Option<&mut Vec<String>>) -> io::Result<DirFd> {
        let mut at = DirFd(handle::again(&self.0)?);
        let mut walked = String::new();
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            walked = if walked.is_empty() { name.to_owned() } else { format!("{walked}/{name}") };
            at = match (handle::enter(&at.0, name), made.as_deref_mut()) {
                (Ok(next), _) => DirFd(next),
                (Err(error), Some(made)) if error.kind() == io::ErrorKind::NotFound => {
                    if handle::make(&at.0, name)? {
                        made.push(walked.clone());
                    }
                    DirFd(handle::enter(&at.0, name)?)
                }
                (Err(error), _) => return Err(error),
            };
        }
        Ok(at)
    }

    /// Writes a new file.
    pub(crate) fn create(&self, name: &str, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
        let mut file: File = handle::create(&self.0, name, mode)?;
        file.write_all(bytes)?;
        if sync { file.sync_all() } else { Ok(()) }
    }

    /// Reads a file; `None` when it does not exist.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let mut file = match handle::read(&self.0, name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Moves a file atomically, replacing any file at the target.
    pub(crate) fn rename(&self, name: &str, to: &DirFd, to_name: &str) -> io::Result<()> {
        handle::rename(&self.0, name, &to.0, to_name)
    }

    /// Creates a hard link to a file, or a copy if the file system does not support links.
    pub(crate) fn link(&self, name: &str, to: &DirFd, to_name: &str) -> io::Result<()> {
        if handle::link(&self.0, name, &to.0, to_name).is_ok() {
            return Ok(());
        }
        match self.read(name)? {
            Some(bytes) => to.create(to_name, &bytes, self.mode(name).unwrap_or(0o644), true),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Removes a file; a missing one is not an error.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        gone(handle::remove(&self.0, name))
    }

    /// Removes an empty directory; a non-empty one is kept.
    pub(crate) fn remove_folder(&self, name: &str) {
        let _ = handle::remove_folder(&self.0, name);
    }

    /// Returns the mode of an existing file.
    pub(crate) fn mode(&self, name: &str) -> Option<u32> {
        handle::mode(&self.0, name)
    }

    /// Makes renames and removals in it durable. Some file systems cannot; the files are intact even then.
    pub(crate) fn sync(&self) {
        handle::sync(&self.0);
    }
}

fn gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(unix)]
mod handle {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{self, AtFlags, Mode, OFlags};

    pub(super) type Handle = OwnedFd;

    const FOLDER: OFlags =
        OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        Ok(fs::open(path, FOLDER, Mode::empty())?)
    }

    pub(super) fn again(at: &Handle) -> io::Result<Handle> {
        at.try_clone()
    }

    pub(super) fn enter(at: &Handle, name: &str) -> io::Result<Handle> {
        Ok(fs::openat(at, name, FOLDER, Mode::empty())?)
    }

    pub(super) fn make(at: &Handle, name: &str) -> io::Result<bool> {
        match fs::mkdirat(at, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn create(at: &Handle, name: &str, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(at, name, flags, Mode::from_raw_mode(0o600))?;
        // Set separately, so that the process's umask does not change the mode of a page that is replaced.
        fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        Ok(File::from(file))
    }

    pub(super) fn read(at: &Handle, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(File::from(fs::openat(at, name, flags, Mode::empty())?))
    }

    pub(super) fn rename(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        Ok(fs::renameat(at, name, to, to_name)?)
    }

    pub(super) fn link(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        Ok(fs::linkat(at, name, to, to_name, AtFlags::empty())?)
    }

    pub(super) fn remove(at: &Handle, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(at, name, AtFlags::empty())?)
    }

    pub(super) fn remove_folder(at: &Handle, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(at, name, AtFlags::REMOVEDIR)?)
    }

    pub(super) fn mode(at: &Handle, name: &str) -> Option<u32> {
        let found = fs::statat(at, name, AtFlags::empty()).ok()?;
        Some(Mode::from_raw_mode(found.st_mode).bits() & 0o7777)
    }

    pub(super) fn sync(at: &Handle) {
        let _ = fs::fsync(at);
    }
}

/// On other systems, a directory is identified by its path.
#[cfg(not(unix))]
mod handle {
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};

    pub(super) type Handle = PathBuf;

    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        Ok(path.to_owned())
    }

    pub(super) fn again(at: &Handle) -> io::Result<Handle> {
        Ok(at.clone())
    }

    pub(super) fn enter(at: &Handle, name: &str) -> io::Result<Handle> {
        let found = fs::symlink_metadata(at.join(name))?;
        if found.is_dir() { Ok(at.join(name)) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub(super) fn make(at: &Handle, name: &str) -> io::Result<bool> {
        fs::create_dir(at.join(name)).map(|()| true)
    }

    pub(super) fn create(at: &Handle, name: &str, _mode: u32) -> io::Result<File> {
        File::options().write(true).create_new(true).open(at.join(name))
    }

    pub(super) fn read(at: &Handle, name: &str) -> io::Result<File> {
        File::open(at.join(name))
    }

    pub(super) fn rename(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        fs::rename(at.join(name), to.join(to_name))
    }

    pub(super) fn link(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        fs::hard_link(at.join(name), to.join(to_name))
    }

    pub(super) fn remove(at: &Handle, name: &str) -> io::Result<()> {
        fs::remove_file(at.join(name))
    }

    pub(super) fn remove_folder(at: &Handle, name: &str) -> io::Result<()> {
        fs::remove_dir(at.join(name))
    }

    pub(super) fn mode(_at: &Handle, _name: &str) -> Option<u32> {
        None
    }

    pub(super) fn sync(_at: &Handle) {}
}
