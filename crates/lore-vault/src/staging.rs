//! The staging area of a write: a directory of its own in the vault's hidden `.lore/staging`, with the new bytes of
//! every file, hard links to the old ones, and the intent record.
//!
//! A vault may come from somebody else with a staging area in it. So a record is sealed with a secret of this machine, and
//! one without a valid seal is set aside, never completed. The area has its own ignore file, so that it never enters git.

mod steps;

use std::cell::{Cell, RefCell};
use std::io;
use std::path::PathBuf;

use lore_text::keyed_hash;

use crate::dirfd::DirFd;
use crate::error::{Error, Result};
use crate::files::{is_folder, list_names};
use crate::path::folder;
use crate::regular::is_link_error;
use crate::vault::Vault;

pub use steps::StepHashes;
use steps::{kept, staged};

/// The directory of writes in progress, relative to the vault's root.
const STAGING: &str = ".lore/staging";

/// File name of the intent record.
const INTENT: &str = "intent.json";

/// File name of the ignore file of all writes in progress, and its text.
const IGNORE: (&str, &str) = (".gitignore", "*\n");

/// End of the name of a write that was set aside.
const ASIDE: &str = ".rejected";

/// Maximum size of an intent record.
const RECORD_LIMIT: u64 = 256 * 1024 * 1024;

/// Number of files from which they are synced together.
const MANY: usize = 100;

/// File name of the record's attachment.
const ATTACHED: &str = "attached";

/// A staged write. Only the holder of the vault's lock has one.
#[derive(Debug)]
pub struct Staging {
    base: PathBuf,
    root: DirFd,
    all: DirFd,
    own: DirFd,
    name: String,
    secret: Option<[u8; 32]>,
    /// Directories created for this write, to be removed on rollback.
    made: RefCell<Vec<String>>,
    /// Whether files and directories are synced together instead of one by one.
    syncs_together: Cell<bool>,
}

/// An intent record.
#[derive(Debug)]
pub struct SealedRecord {
    /// The record.
    pub bytes: Vec<u8>,
    /// Whether it was written on this machine, for this vault.
    pub is_genuine: bool,
}

impl Vault {
    /// Creates an empty staging directory.
    pub fn stage(&self, name: &str) -> Result<Staging> {
        self.staging(name, true)
    }

    /// Opens the staging directory of a write that was in progress when its process exited.
    pub fn staged(&self, name: &str) -> Result<Staging> {
        self.staging(name, false)
    }

    /// Returns the writes that are, or were, in progress.
    pub fn under_way(&self) -> Vec<String> {
        let all = self.root().join(STAGING);
        let mut names = list_names(&all).unwrap_or_default();
        names.retain(|name| is_folder(&all.join(name)));
        names
    }

    fn staging(&self, name: &str, make: bool) -> Result<Staging> {
        let failed = |source| Error::Write { path: self.root().join(STAGING), source };
        let root = DirFd::open(self.root()).map_err(failed)?;
        let mut made = Vec::new();
        let all = root.inside(STAGING, make.then_some(&mut made)).map_err(failed)?;
        if make {
            ignore_all(&all);
        }
        let own = all.inside(name, make.then_some(&mut made)).map_err(failed)?;
        let base = self.root().to_owned();
        let secret = self.secret();
        Ok(Staging {
            base,
            root,
            all,
            own,
            name: name.to_owned(),
            secret,
            made: RefCell::default(),
            syncs_together: Cell::default(),
        })
    }
}

impl Staging {
    /// Returns the name of the write.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Announces a write of so many files. With many of them, all are synced together before the record is written, and
    /// again once they are in place.
    pub fn expect(&self, files: usize) {
        self.syncs_together.set(files >= MANY && self.own.sync_file_system().is_ok());
    }

    /// Makes the steps durable, if each of them did not do so itself.
    pub fn sync_steps(&self) -> Result<()> {
        match self.syncs_together.get() {
            true => self.own.sync_file_system().map_err(|source| self.failed(STAGING, source)),
            false => Ok(()),
        }
    }

    /// Stages the new bytes of file `number`, synced, with the mode of the file at `path` that they replace as far as the
    /// given one allows it, else with the given mode, else as the umask says.
    pub fn add(&self, number: usize, path: &str, bytes: &[u8], mode: Option<u32>) -> Result<()> {
        let replaced = self.folder_of(path, false).ok().and_then(|place| place.mode(file_name(path)));
        let mode = match (replaced, mode) {
            (Some(replaced), Some(mode)) => Some(replaced & mode),
            (replaced, mode) => replaced.or(mode),
        };
        let done = self.own.create(&staged(number), bytes, mode, !self.syncs_together.get());
        done.map_err(|source| self.failed(path, source))
    }

    /// Keeps the old bytes of a file, without copying them if the file system supports it.
    pub fn keep(&self, number: usize, path: &str) -> Result<()> {
        let done = self
            .folder_of(path, false)
            .and_then(|place| place.link(file_name(path), &self.own, &kept(number)));
        done.map_err(|source| self.failed(path, source))
    }

    /// Writes the intent record. From here on, any process can complete the write.
    pub fn note(&self, intent: &[u8], sync: bool) -> Result<()> {
        self.sync_steps()?;
        let seal = self.seal(intent).unwrap_or_default();
        let record = [intent, b"\n", seal.as_bytes()].concat();
        let done = self.own.create(INTENT, &record, Some(0o600), sync);
        if sync {
            self.own.sync();
            self.all.sync();
        }
        done.map_err(|source| self.failed(INTENT, source))
    }

    /// Returns the intent record, if it was written.
    pub fn intent(&self) -> Result<Option<SealedRecord>> {
        let read = self.own.read_at_most(INTENT, RECORD_LIMIT);
        let Some(mut bytes) = read.map_err(|source| self.unreadable(INTENT, source))? else {
            return Ok(None);
        };
        let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let seal = bytes.split_off(end);
        let seal = seal.strip_prefix(b"\n").unwrap_or_default();
        let is_genuine = self.seal(&bytes).is_some_and(|expected| expected.as_bytes() == seal);
        Ok(Some(SealedRecord { bytes, is_genuine }))
    }

    /// Moves the write to a name under which it is never completed here. Returns the new path, relative to the vault;
    /// `None` when it was set aside before.
    pub fn set_aside(self) -> Result<Option<String>> {
        if self.name.contains(ASIDE) {
            return Ok(None);
        }
        ignore_all(&self.all);
        let names = (1..).map(|number| match number {
            1 => format!("{}{ASIDE}", self.name),
            number => format!("{}{ASIDE}-{number}", self.name),
        });
        let mut free = names.filter(|name| self.all.mode(name).is_none());
        let name = free.next().unwrap_or_default();
        let done = self.all.rename(&self.name, &self.all, &name);
        done.map_err(|source| self.failed(STAGING, source))?;
        Ok(Some(format!("{STAGING}/{name}")))
    }

    /// Returns the seal of a record: nobody without the secret can compute it, and it is valid in this vault only.
    fn seal(&self, record: &[u8]) -> Option<String> {
        let root = self.base.as_os_str().as_encoded_bytes();
        Some(keyed_hash(&self.secret?, &[b"lore staging", root, record]).to_string())
    }

    /// Stages bytes that belong to the record but are not a file of the vault.
    pub fn attach(&self, bytes: &[u8]) -> Result<()> {
        self.own.create(ATTACHED, bytes, Some(0o600), true).map_err(|source| self.failed(ATTACHED, source))
    }

    /// Returns those bytes.
    pub fn attached(&self) -> Result<Option<Vec<u8>>> {
        self.own.read(ATTACHED).map_err(|source| self.unreadable(ATTACHED, source))
    }

    /// Returns the new bytes of a file, if they are still staged.
    pub fn new_bytes(&self, number: usize) -> Result<Option<Vec<u8>>> {
        let name = staged(number);
        self.own.read(&name).map_err(|source| self.unreadable(&name, source))
    }

    /// Whether the new bytes of a file are still staged.
    pub fn holds_new(&self, number: usize) -> bool {
        self.own.mode(&staged(number)).is_some()
    }

    /// Returns the mode of the old file, if it was kept.
    pub fn old_mode(&self, number: usize) -> Option<u32> {
        self.own.mode(&kept(number))
    }

    /// Returns the old bytes of a file, if they were kept. What a symlink names is not part of the write.
    pub fn old(&self, number: usize) -> Result<Option<Vec<u8>>> {
        let name = kept(number);
        if self.own.link_target(&name).is_some() {
            return Ok(None);
        }
        self.own.read(&name).map_err(|source| self.unreadable(&name, source))
    }

    /// Removes directories that were created for the write and are still empty.
    pub fn unmake_folders(&self) {
        for folder_path in self.made.borrow_mut().drain(..).rev() {
            if let Ok(parent) = self.root.inside(folder(&folder_path), None) {
                parent.remove_folder(file_name(&folder_path));
            }
        }
    }

    /// Ends the write: removes its record first, so that no process completes it twice, then everything else.
    pub fn end(self) -> Result<()> {
        self.own.remove(INTENT).map_err(|source| self.failed(INTENT, source))?;
        for name in list_names(&self.base.join(STAGING).join(&self.name)).unwrap_or_default() {
            // Anything Lore did not put there, such as a directory, may stay.
            let _ = self.own.remove(&name);
        }
        self.all.remove_folder(&self.name);
        let others = list_names(&self.base.join(STAGING)).unwrap_or_default();
        if others.iter().all(|name| name == IGNORE.0) {
            let _ = self.all.remove(IGNORE.0);
        }
        // Both are kept if they are not empty.
        if let Ok(hidden) = self.root.inside(".lore", None) {
            hidden.remove_folder("staging");
        }
        self.root.remove_folder(".lore");
        Ok(())
    }

    fn folder_of(&self, path: &str, make: bool) -> io::Result<DirFd> {
        let mut made = self.made.borrow_mut();
        self.root.inside(folder(path), make.then_some(&mut *made))
    }

    /// The error of reading a file of the staging directory.
    fn unreadable(&self, name: &str, source: io::Error) -> Error {
        Error::Read { path: self.base.join(STAGING).join(&self.name).join(name), source }
    }

    fn failed(&self, path: &str, source: io::Error) -> Error {
        let through_link = source.raw_os_error().is_some_and(is_link_error);
        match through_link {
            true => {
                Error::BadPath { path: path.into(), reason: "it leads outside the vault through a symlink" }
            }
            false => Error::Write { path: self.base.join(path), source },
        }
    }
}

/// Hides the area from git before anything is put into it.
fn ignore_all(all: &DirFd) {
    let (name, text) = IGNORE;
    // It may be there already; a vault on a file system that refuses it still works.
    let _ = all.create(name, text.as_bytes(), None, false);
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
