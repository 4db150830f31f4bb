//! Directory handles held open during a write. Every step names a file by an open directory and one name, and follows
//! no symlink, so that a directory swapped for a symlink between check and write has no effect.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use crate::regular::{not_regular, read_bounded};

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

    /// Writes a new file with this mode; without one, the umask decides as for any new file.
    pub(crate) fn create(&self, name: &str, bytes: &[u8], mode: Option<u32>, sync: bool) -> io::Result<()> {
        let mut file: File = handle::create(&self.0, name, mode)?;
        file.write_all(bytes)?;
        if sync { file.sync_all() } else { Ok(()) }
    }

    /// Reads a regular file; `None` when it does not exist.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.read_at_most(name, u64::MAX)
    }

    /// Reads a regular file of a limited size; `None` when it does not exist.
    pub(crate) fn read_at_most(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match handle::read(&self.0, name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(not_regular());
        }
        read_bounded(&file, limit).map(Some)
    }

    /// Moves a file atomically, replacing any file at the target.
    pub(crate) fn rename(&self, name: &str, to: &DirFd, to_name: &str) -> io::Result<()> {
        handle::rename(&self.0, name, &to.0, to_name)
    }

    /// Moves a file to a free name; fails with `AlreadyExists` if there is anything under it.
    ///
    /// This is atomic where the file system can do it, or has hard links. Where it has neither, as on FAT, a file
    /// created between the look and the rename is replaced.
    pub(crate) fn rename_new(&self, name: &str, to: &DirFd, to_name: &str) -> io::Result<()> {
        match handle::rename_new(&self.0, name, &to.0, to_name) {
            Err(error) if is_unsupported(&error) => {}
            done => return done,
        }
        match handle::link(&self.0, name, &to.0, to_name) {
            Ok(()) => return handle::remove(&self.0, name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error),
            Err(_) => {}
        }
        if to.exists(to_name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename(name, to, to_name)
    }

    /// Exchanges two files atomically; `false` if the file system cannot.
    pub(crate) fn exchange(&self, name: &str, with: &DirFd, with_name: &str) -> io::Result<bool> {
        if crate::fault::is_set(crate::fault::NO_EXCHANGE) {
            return Ok(false);
        }
        match handle::exchange(&self.0, name, &with.0, with_name) {
            Err(error) if is_unsupported(&error) => Ok(false),
            done => done.map(|()| true),
        }
    }

    /// Whether there is anything under a name, even a dangling symlink.
    pub(crate) fn exists(&self, name: &str) -> bool {
        handle::exists(&self.0, name)
    }

    /// Returns the target of a symlink; `None` if it is not one.
    pub(crate) fn link_target(&self, name: &str) -> Option<Vec<u8>> {
        handle::link_target(&self.0, name)
    }

    /// Creates a hard link to a file, or a copy if the file system does not support links.
    pub(crate) fn link(&self, name: &str, to: &DirFd, to_name: &str) -> io::Result<()> {
        if handle::link(&self.0, name, &to.0, to_name).is_ok() {
            return Ok(());
        }
        match self.read(name)? {
            Some(bytes) => to.create(to_name, &bytes, self.mode(name), true),
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

    /// Makes everything on its file system durable, in one call instead of one per file. Fails where the system has no
    /// such call.
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        handle::sync_file_system(&self.0)
    }
}

/// Whether a rename failed because the system or the file system does not know its flags.
fn is_unsupported(error: &io::Error) -> bool {
    handle::is_flag_error(error) || error.kind() == io::ErrorKind::Unsupported
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
    use rustix::io::Errno;

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
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn create(at: &Handle, name: &str, mode: Option<u32>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let first = if mode.is_some() { 0o600 } else { 0o666 };
        let file = fs::openat(at, name, flags, Mode::from_raw_mode(first))?;
        // Set separately, so that the process's umask does not change the mode of a page that is replaced.
        if let Some(mode) = mode {
            fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        Ok(File::from(file))
    }

    pub(super) fn read(at: &Handle, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(File::from(fs::openat(at, name, flags, Mode::empty())?))
    }

    pub(super) fn rename(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        Ok(fs::renameat(at, name, to, to_name)?)
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    pub(super) fn rename_new(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        Ok(fs::renameat_with(at, name, to, to_name, fs::RenameFlags::NOREPLACE)?)
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    pub(super) fn exchange(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        Ok(fs::renameat_with(at, name, to, to_name, fs::RenameFlags::EXCHANGE)?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    pub(super) fn rename_new(_: &Handle, _: &str, _: &Handle, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    pub(super) fn exchange(_: &Handle, _: &str, _: &Handle, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn is_flag_error(error: &io::Error) -> bool {
        let codes = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
        error.raw_os_error().is_some_and(|code| codes.iter().any(|known| known.raw_os_error() == code))
    }

    pub(super) fn exists(at: &Handle, name: &str) -> bool {
        fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    pub(super) fn link_target(at: &Handle, name: &str) -> Option<Vec<u8>> {
        fs::readlinkat(at, name, Vec::new()).ok().map(std::ffi::CString::into_bytes)
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

    #[cfg(target_os = "linux")]
    pub(super) fn sync_file_system(at: &Handle) -> io::Result<()> {
        Ok(fs::syncfs(at)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn sync_file_system(_at: &Handle) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
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

    pub(super) fn create(at: &Handle, name: &str, _mode: Option<u32>) -> io::Result<File> {
        File::options().write(true).create_new(true).open(at.join(name))
    }

    pub(super) fn read(at: &Handle, name: &str) -> io::Result<File> {
        File::open(at.join(name))
    }

    pub(super) fn rename(at: &Handle, name: &str, to: &Handle, to_name: &str) -> io::Result<()> {
        fs::rename(at.join(name), to.join(to_name))
    }

    pub(super) fn rename_new(_: &Handle, _: &str, _: &Handle, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn exchange(_: &Handle, _: &str, _: &Handle, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn is_flag_error(_: &io::Error) -> bool {
        false
    }

    pub(super) fn exists(at: &Handle, name: &str) -> bool {
        fs::symlink_metadata(at.join(name)).is_ok()
    }

    pub(super) fn link_target(_: &Handle, _: &str) -> Option<Vec<u8>> {
        None
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

    pub(super) fn sync_file_system(_at: &Handle) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
