//! Where a change waits before it is put in place: a folder of its own in the vault's hidden `.lore/staging`, with
//! the new bytes of every file, a second name for the old ones, and the record of what is intended.

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;

use super::path::folder;
use super::place::Place;
use super::{Vault, is_folder, list_names};
use crate::error::{Error, Result};

/// The folder of changes under way, from the vault's root.
const STAGING: &str = ".lore/staging";

/// The record's file.
const INTENT: &str = "intent.json";

/// The file of what is attached to the record.
const ATTACHED: &str = "attached";

/// A change on its way into the vault. Only the holder of the vault's lock has one.
#[derive(Debug)]
pub struct Staging {
    base: PathBuf,
    root: Place,
    all: Place,
    own: Place,
    name: String,
    /// Folders made for this change, to be taken away again if it is undone.
    made: RefCell<Vec<String>>,
}

impl Vault {
    /// A new, empty place for a change.
    pub fn stage(&self, name: &str) -> Result<Staging> {
        self.staging(name, true)
    }

    /// The place of a change that was under way when its process ended.
    pub fn staged(&self, name: &str) -> Result<Staging> {
        self.staging(name, false)
    }

    /// The changes that are, or were, under way.
    pub fn under_way(&self) -> Vec<String> {
        let all = self.root().join(STAGING);
        let mut names = list_names(&all).unwrap_or_default();
        names.retain(|name| is_folder(&all.join(name)));
        names
    }

    fn staging(&self, name: &str, make: bool) -> Result<Staging> {
        let failed = |source| Error::Write { path: self.root().join(STAGING), source };
        let root = Place::open(self.root()).map_err(failed)?;
        let mut made = Vec::new();
        let all = root.inside(STAGING, make.then_some(&mut made)).map_err(failed)?;
        let own = all.inside(name, make.then_some(&mut made)).map_err(failed)?;
        let base = self.root().to_owned();
        Ok(Staging { base, root, all, own, name: name.to_owned(), made: RefCell::default() })
    }
}

impl Staging {
    /// The change's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Keeps the new bytes of file number `number`, synced, with the mode of the file at `path` that they replace.
    pub fn add(&self, number: usize, path: &str, bytes: &[u8]) -> Result<()> {
        let mode = self.folder_of(path, false).ok().and_then(|place| place.mode(file_name(path)));
        let done = self.own.create(&format!("{number}.new"), bytes, mode.unwrap_or(0o644), true);
        done.map_err(|source| self.failed(path, source))
    }

    /// Keeps the old bytes of a file, without copying them where the file system can.
    pub fn keep(&self, number: usize, path: &str) -> Result<()> {
        let done = self
            .folder_of(path, false)
            .and_then(|place| place.link(file_name(path), &self.own, &format!("{number}.old")));
        done.map_err(|source| self.failed(path, source))
    }

    /// Notes what is intended. From here on the change can be finished by anybody.
    pub fn note(&self, intent: &[u8], sync: bool) -> Result<()> {
        let done = self.own.create(INTENT, intent, 0o600, sync);
        if sync {
            self.own.sync();
            self.all.sync();
        }
        done.map_err(|source| self.failed(INTENT, source))
    }

    /// What is intended, where it was noted.
    pub fn intent(&self) -> Result<Option<Vec<u8>>> {
        self.own.read(INTENT).map_err(|source| self.failed(INTENT, source))
    }

    /// Keeps bytes that the record is about and that are no file of the vault.
    pub fn attach(&self, bytes: &[u8]) -> Result<()> {
        self.own.create(ATTACHED, bytes, 0o600, true).map_err(|source| self.failed(ATTACHED, source))
    }

    /// Those bytes.
    pub fn attached(&self) -> Result<Option<Vec<u8>>> {
        self.own.read(ATTACHED).map_err(|source| self.failed(ATTACHED, source))
    }

    /// Puts the new bytes of a file in place.
    pub fn install(&self, number: usize, path: &str) -> Result<()> {
        let done = self.folder_of(path, true).and_then(|place| {
            self.own.rename(&format!("{number}.new"), &place, file_name(path))?;
            place.sync();
            Ok(())
        });
        done.map_err(|source| self.failed(path, source))
    }

    /// Takes a file away.
    pub fn remove(&self, path: &str) -> Result<()> {
        let done = self.folder_of(path, false).and_then(|place| {
            place.remove(file_name(path))?;
            place.sync();
            Ok(())
        });
        done.map_err(|source| self.failed(path, source))
    }

    /// Puts the old bytes of a file back.
    pub fn put_back(&self, number: usize, path: &str) -> Result<()> {
        let done = self.folder_of(path, true).and_then(|place| {
            self.own.rename(&format!("{number}.old"), &place, file_name(path))?;
            place.sync();
            Ok(())
        });
        done.map_err(|source| self.failed(path, source))
    }

    /// The new bytes of a file, where they are waiting still.
    pub fn new_bytes(&self, number: usize) -> Result<Option<Vec<u8>>> {
        let name = format!("{number}.new");
        self.own.read(&name).map_err(|source| self.failed(&name, source))
    }

    /// Whether the new bytes of a file are waiting still.
    pub fn holds_new(&self, number: usize) -> bool {
        self.own.mode(&format!("{number}.new")).is_some()
    }

    /// The old bytes of a file, where they were kept.
    pub fn old(&self, number: usize) -> Result<Option<Vec<u8>>> {
        let name = format!("{number}.old");
        self.own.read(&name).map_err(|source| self.failed(&name, source))
    }

    /// Takes folders away that were made for the change and are still empty.
    pub fn unmake_folders(&self) {
        for folder_path in self.made.borrow_mut().drain(..).rev() {
            if let Ok(parent) = self.root.inside(folder(&folder_path), None) {
                parent.remove_folder(file_name(&folder_path));
            }
        }
    }

    /// Ends the change: its record first, so that nobody finishes it twice, then everything else.
    pub fn end(self) -> Result<()> {
        self.own.remove(INTENT).map_err(|source| self.failed(INTENT, source))?;
        for name in list_names(&self.base.join(STAGING).join(&self.name)).unwrap_or_default() {
            // What Lore did not put there, such as a folder, may stay.
            let _ = self.own.remove(&name);
        }
        self.all.remove_folder(&self.name);
        // Both are left to others that use them.
        if let Ok(hidden) = self.root.inside(".lore", None) {
            hidden.remove_folder("staging");
        }
        self.root.remove_folder(".lore");
        Ok(())
    }

    fn folder_of(&self, path: &str, make: bool) -> io::Result<Place> {
        let mut made = self.made.borrow_mut();
        self.root.inside(folder(path), make.then_some(&mut *made))
    }

    fn failed(&self, path: &str, source: io::Error) -> Error {
        let through_link = source.raw_os_error().is_some_and(is_link_error);
        match through_link {
            true => Error::BadPath { path: path.into(), reason: "it leads out of the vault through a link" },
            false => Error::Write { path: self.base.join(path), source },
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(unix)]
fn is_link_error(code: i32) -> bool {
    code == rustix::io::Errno::LOOP.raw_os_error() || code == rustix::io::Errno::NOTDIR.raw_os_error()
}

#[cfg(not(unix))]
fn is_link_error(_code: i32) -> bool {
    false
}
