//! Allows one writer per directory (a vault, the configuration) across all processes: an operating-system lock that is
//! released when its holder exits.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use lore_text::stable_number;

use crate::error::{Error, Result};
use crate::files::{make_folder, make_private, read_text, write_note};

/// Maximum time a writer waits for another.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Polling interval of a waiting writer.
const PAUSE: Duration = Duration::from_millis(5);

/// An exclusive lock on a directory, released when dropped.
#[derive(Debug)]
pub struct FolderLock {
    held: File,
}

impl FolderLock {
    /// Waits for the directory's lock; after ten seconds, fails with the name of its holder.
    ///
    /// The directory itself is locked, so that no file is added to it and processes with different
    /// state directories still exclude each other. The holder is recorded in `state`, for the error message only.
    pub fn acquire(root: &Path, state: &Path, holder: &str) -> Result<FolderLock> {
        let note = note_of(root, state);
        let file = open_lock(root, &note)?;
        let started = Instant::now();
        while let Err(error) = file.try_lock() {
            if matches!(error, std::fs::TryLockError::Error(_)) || started.elapsed() > LOCK_TIMEOUT {
                return Err(Error::Locked { vault: root.to_owned(), holder: read_holder(&note) });
            }
            thread::sleep(PAUSE);
        }
        Ok(FolderLock::noted(file, &note, holder))
    }

    /// Acquires the directory's lock unless it is held.
    pub fn try_acquire(root: &Path, state: &Path, holder: &str) -> Result<Option<FolderLock>> {
        let note = note_of(root, state);
        let file = open_lock(root, &note)?;
        Ok(file.try_lock().is_ok().then(|| FolderLock::noted(file, &note, holder)))
    }

    /// Returns a handle to pass to a child process, so that the lock is held as long as that runs.
    pub fn hold(&self) -> Option<File> {
        self.held.try_clone().ok()
    }

    fn noted(held: File, note: &Path, holder: &str) -> FolderLock {
        // The record only serves an error message; a state directory that cannot be written must not fail a write.
        let _ = write_note(note, holder);
        FolderLock { held }
    }
}

/// The lock for watching a vault on behalf of a database: one process holds it at a time, and the system releases it
/// when that process exits for any reason.
#[derive(Debug)]
pub struct WatchLock {
    _held: File,
}

impl WatchLock {
    /// Acquires the lock for these paths unless it is held.
    pub fn attempt(state: &Path, what: &[&Path]) -> Result<Option<WatchLock>> {
        let (file, _) = open_watch_lock(state, what)?;
        Ok(file.try_lock().is_ok().then_some(WatchLock { _held: file }))
    }

    /// Waits for the lock without a timeout.
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

/// Directories cannot be locked on other systems, so a file in the state directory represents the vault.
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
