//! The watcher: an event only means "check this path again", and too many of them mean "check everything". The index is
//! correct whichever events arrive, in whichever order.

mod wake;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::error::{Error, Result};
use crate::vault::Vault;
use crate::walk::folders;

pub use wake::{Wake, next_source_wake, next_wake};

/// Quiet period after which a burst of events is processed.
pub const DEBOUNCE: Duration = Duration::from_millis(1000);

/// How often the watched directory itself is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// A watcher event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A path changed.
    Path(PathBuf),
    /// Events were lost.
    Lost,
    /// The vault's directory was renamed, unmounted or replaced.
    Replaced,
    /// The watcher must stop.
    Stop,
}

/// Whether the system watches a directory recursively. Elsewhere every directory is watched by itself, and only those
/// that may contain pages are: watching the others would cost more than all pages do.
const WATCHES_TREES: bool = cfg!(any(target_os = "macos", target_os = "windows"));

/// A watched vault; dropping this stops watching.
pub struct Watching {
    watcher: notify::RecommendedWatcher,
    /// Ends the thread that looks at the directory itself.
    _looking: Sender<()>,
}

/// Starts watching a vault and sends events to `events`.
pub fn watch(vault: &Vault, events: Sender<Event>) -> Result<Watching> {
    let mut watching = begin(vault.root(), events)?;
    if WATCHES_TREES {
        watching.watch_tree(vault.root())?;
    } else {
        watching.widen(vault)?;
    }
    Ok(watching)
}

/// Starts watching a directory of another program, with everything below it.
pub fn watch_source(root: &Path, events: Sender<Event>) -> Result<Watching> {
    let mut watching = begin(root, events)?;
    watching.watch_tree(root)?;
    Ok(watching)
}

fn begin(root: &Path, events: Sender<Event>) -> Result<Watching> {
    let looking = look_at_root(root.to_owned(), events.clone());
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| match event {
        Ok(event) if event.need_rescan() => drop(events.send(Event::Lost)),
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
        Ok(event) => event.paths.into_iter().for_each(|path| drop(events.send(Event::Path(path)))),
        Err(_) => drop(events.send(Event::Lost)),
    })
    .map_err(|error| failed(root, &error))?;
    Ok(Watching { watcher, _looking: looking })
}

/// Looks every few seconds whether the path still leads to the same directory: an unmounted or replaced directory sends no
/// events. Ends when the returned sender is dropped.
fn look_at_root(root: PathBuf, events: Sender<Event>) -> Sender<()> {
    let (sender, stop) = channel::<()>();
    let first = identity(&root);
    std::thread::spawn(move || {
        while stop.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if identity(&root) != first {
                let _ = events.send(Event::Replaced);
                return;
            }
        }
    });
    sender
}

/// Returns what tells a directory from another one at the same path: its file system and its number there.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    crate::files::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// On other systems, only whether the directory exists.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.is_dir().then_some((0, 0))
}

fn failed(root: &Path, error: &notify::Error) -> Error {
    Error::Watch { path: root.to_owned(), message: error.to_string() }
}

impl Watching {
    fn watch_tree(&mut self, root: &Path) -> Result<()> {
        self.watcher.watch(root, RecursiveMode::Recursive).map_err(|error| failed(root, &error))
    }

    /// Watches the directories created since. Each is watched before it is read, so that a directory created meanwhile
    /// causes an event.
    pub fn widen(&mut self, vault: &Vault) -> Result<()> {
        if WATCHES_TREES {
            return Ok(());
        }
        for folder in folders(vault) {
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                // A directory that is already gone needs no watch.
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                watched => watched.map_err(|error| failed(vault.root(), &error))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_directories_end_the_watch() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("v");
        std::fs::create_dir(&root).expect("a folder");
        let (sender, events) = channel();
        let looking = look_at_root(root.clone(), sender);
        std::fs::rename(&root, folder.path().join("w")).expect("renamed");
        std::fs::create_dir(&root).expect("a folder");
        assert_eq!(events.recv(), Ok(Event::Replaced));
        drop(looking);
    }
}
