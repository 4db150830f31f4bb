//! One writer per folder (a vault, the configuration) at a time, whatever its process: an operating-system lock that dies with its holder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{make_folder, make_private, read_text, write_note};
use crate::error::{Error, Result};
use crate::hash::stable_number;

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a waiting writer looks.
const PAUSE: Duration = Duration::from_millis(5);

/// The right to write to a folder, given back when dropped.
#[derive(Debug)]
pub struct FolderLock {
    held: File,
}

impl FolderLock {
    /// Waits for the folder's lock; after ten seconds names who holds it.
    ///
    /// The directory itself is locked, so that no file is added to it and processes with different
    /// state directories still exclude each other. Who holds it is noted in `state`, for the message only.
    pub fn acquire(root: &Path, state: &Path, holder: &str) -> Result<FolderLock> {
        let note = note_of(root, state);
        let file = open_lock(root, &note)?;
        let started = Instant::now();
        while let Err(error) = file.try_lock() {
            if matches!(error, std::fs::TryLockError::Error(_)) || started.elapsed() > PATIENCE {
                return Err(Error::Locked { vault: root.to_owned(), holder: read_holder(&note) });
            }
            thread::sleep(PAUSE);
        }
        Ok(FolderLock::noted(file, &note, holder))
    }

    /// The folder's lock, unless somebody holds it.
    pub fn try_acquire(root: &Path, state: &Path, holder: &str) -> Result<Option<FolderLock>> {
        let note = note_of(root, state);
        let file = open_lock(root, &note)?;
        Ok(file.try_lock().is_ok().then(|| FolderLock::noted(file, &note, holder)))
    }

    /// Something to hand to a child process, so that the lock lives as long as it does.
    pub fn hold(&self) -> Option<File> {
        self.held.try_clone().ok()
    }

    fn noted(held: File, note: &Path, holder: &str) -> FolderLock {
        // The note only serves a message; a state directory that cannot be written must not stop a write.
        let _ = write_note(note, holder);
        FolderLock { held }
    }
}

/// The right to watch a vault for a database: one process has it at a time, and the system passes it on when that one
/// ends, however it ends.
#[derive(Debug)]
pub struct WatchLock {
    _held: File,
}

impl WatchLock {
    /// The right to watch what these paths name, unless somebody has it.
    pub fn attempt(state: &Path, what: &[&Path]) -> Result<Option<WatchLock>> {
        let (file, _) = open_watch_lock(state, what)?;
        Ok(file.try_lock().is_ok().then_some(WatchLock { _held: file }))
    }

    /// Waits for it, as long as it takes.
    pub fn wait(state: &Path, what: &[&Path]) -> Result<WatchLock> {
        let (file, path) = open_watch_lock(state, what)?;
        file.lock().map_err(|source| Error::Write { path, source })?;
        Ok(WatchLock { _held: file })
    }
}

fn open_watch_lock(state: &Path, what: &[&Path]) -> Result<(File, PathBuf)> {
    let names: Vec<String> = what.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let path = state.join(format!("watch-{:x}.lock", stable_number(&names)));
    make_folder(state)?;
    make_private(&path)?;
    match File::options().write(true).open(&path) {
        Ok(file) => Ok((file, path)),
        Err(source) => Err(Error::Write { path, source }),
    }
}

fn note_of(root: &Path, state: &Path) -> PathBuf {
    state.join(format!("writer-{:x}.txt", stable_number(&[&root.to_string_lossy()])))
}

#[cfg(unix)]
fn open_lock(root: &Path, _note: &Path) -> Result<File> {
    File::open(root).map_err(|source| Error::Read { path: root.to_owned(), source })
}

/// Directories cannot be locked on other systems, so a file in the state directory stands for the vault.
#[cfg(not(unix))]
fn open_lock(_root: &Path, note: &Path) -> Result<File> {
    let path = note.with_extension("lock");
    make_folder(path.parent().unwrap_or(Path::new(".")))?;
    File::create(&path).map_err(|source| Error::Write { path, source })
}

fn read_holder(note: &Path) -> String {
    let noted = read_text(note).ok().flatten().unwrap_or_default();
    if noted.is_empty() { "another process".into() } else { noted }
}
