//! A new directory outside any vault, filled under a temporary name and renamed when it is complete: it has all of its
//! files or does not exist.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use crate::error::{Error, Result};

/// A directory that is being filled.
#[derive(Debug)]
pub struct NewFolder {
    target: PathBuf,
    temporary: TempDir,
}

impl NewFolder {
    /// Starts a directory, which must not exist yet or be empty.
    pub fn create(target: &Path) -> Result<NewFolder> {
        let failed = |source| Error::Write { path: target.to_owned(), source };
        match fs::read_dir(target).map(|mut entries| entries.next().is_some()) {
            Ok(true) => {
                return Err(Error::NotEmpty { path: target.to_owned() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(Error::NotEmpty { path: target.to_owned() });
            }
            _ => {}
        }
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(failed)?;
        let temporary = tempfile::Builder::new().prefix(".lore-").tempdir_in(parent).map_err(failed)?;
        Ok(NewFolder { target: target.to_owned(), temporary })
    }

    /// Writes a new file with the mode of any new file. One that is there stays as it is, and is an error.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.write_within(path, bytes, None)
    }

    /// Like [`write`](NewFolder::write), for a file made from others: nobody may do more with it than their mode says.
    pub fn write_within(&self, path: &str, bytes: &[u8], widest: Option<u32>) -> Result<()> {
        let full = self.prepare(path)?;
        let failed = |source| Error::Write { path: self.target.join(path), source };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        limit(&mut options, widest);
        options.open(full).and_then(|mut file| file.write_all(bytes)).map_err(failed)
    }

    /// Writes the next piece of a file, which begins with the first one. The first one decides its mode, as for
    /// [`write_within`](NewFolder::write_within).
    pub fn append(&self, path: &str, bytes: &[u8], widest: Option<u32>) -> Result<()> {
        let full = self.prepare(path)?;
        let failed = |source| Error::Write { path: self.target.join(path), source };
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        limit(&mut options, widest);
        options.open(full).and_then(|mut file| file.write_all(bytes)).map_err(failed)
    }

    /// Whether something has this path, or one that is the same to a file system that ignores case.
    pub fn has(&self, path: &str) -> bool {
        self.inside(path).is_ok_and(|full| crate::files::exists(&full))
    }

    /// Returns the temporary path of a file, whose directory exists then.
    pub fn prepare(&self, path: &str) -> Result<PathBuf> {
        let full = self.inside(path)?;
        let made = fs::create_dir_all(full.parent().unwrap_or(self.temporary.path()));
        made.map_err(|source| Error::Write { path: self.target.join(path), source })?;
        Ok(full)
    }

    /// Creates a directory.
    pub fn make_folder(&self, path: &str) -> Result<()> {
        let full = self.inside(path)?;
        fs::create_dir_all(full).map_err(|source| Error::Write { path: self.target.join(path), source })
    }

    /// Returns the temporary path of a file.
    pub fn inside(&self, path: &str) -> Result<PathBuf> {
        let names = Path::new(path).components();
        let is_plain = |name: Component<'_>| matches!(name, Component::Normal(_));
        if path.is_empty() || path.contains('\0') || !names.clone().all(is_plain) {
            let reason = "it leads outside the directory";
            return Err(Error::BadPath { path: path.to_owned(), reason });
        }
        Ok(self.temporary.path().join(path))
    }

    /// Gives the directory its name.
    pub fn finish(self) -> Result<()> {
        let failed = |source| Error::Write { path: self.target.clone(), source };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // A temporary directory is private; this one is an ordinary directory.
            let probe = tempfile::Builder::new().prefix(".lore-").tempdir_in(self.temporary.path());
            let ordinary = probe.and_then(|probe| {
                let made = probe.path().join("d");
                fs::create_dir(&made)?;
                Ok(fs::metadata(&made)?.permissions().mode())
            });
            let mode = fs::Permissions::from_mode(ordinary.map_err(failed)?);
            fs::set_permissions(self.temporary.path(), mode).map_err(failed)?;
        }
        // An empty directory of that name is replaced; it is removed first, which some systems need.
        match fs::remove_dir(&self.target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        fs::rename(self.temporary.path(), &self.target).map_err(failed)?;
        // It has another name now, so there is nothing to delete.
        let _ = self.temporary.keep();
        Ok(())
    }
}

/// Limits the mode of a file that is created. Its owner may write it, whatever the mode of the others.
fn limit(options: &mut OpenOptions, widest: Option<u32>) {
    #[cfg(unix)]
    if let Some(widest) = widest {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(widest & 0o666 | 0o200);
    }
    #[cfg(not(unix))]
    let _ = (options, widest);
}

/// Returns the absolute path of something that need not exist yet, with the symlinks of what does exist resolved.
pub fn real_target(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        if let Ok(real) = fs::canonicalize(at) {
            return missing.iter().rev().fold(real, |full, name| full.join(name));
        }
        match (at.file_name(), at.parent()) {
            (Some(name), Some(parent)) => {
                missing.push(name);
                at = parent;
            }
            _ => return path.to_owned(),
        }
    }
}
