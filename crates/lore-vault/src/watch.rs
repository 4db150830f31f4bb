//! The watcher: an event only means "check this path again", and too many of them mean "check everything". The index is
//! correct whichever events arrive, in whichever order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::error::{Error, Result};
use crate::names::{IGNORE_FILES, POLICY_FILE, is_hidden, is_page};
use crate::vault::Vault;
use crate::walk::folders;

/// Quiet period after which a burst of events is processed.
pub const DEBOUNCE: Duration = Duration::from_millis(1000);

/// Above this many paths, the whole vault is checked.
const MANY: usize = 1000;

/// How often the watched directory itself is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// A burst is processed after this many quiet periods even if it continues.
const MAX_QUIET_PERIODS: u32 = 10;

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

/// What to check after a burst.
#[derive(Debug, PartialEq, Eq)]
pub enum Wake {
    /// These paths: pages, and deleted paths that may have been directories of pages.
    Pages(BTreeSet<String>),
    /// The whole vault.
    Everything,
    /// Nothing: the directory is no longer the one that is watched.
    Replaced,
    /// Nothing: the watcher stops.
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
    let looking = look_at_root(vault.root().to_owned(), events.clone());
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| match event {
        Ok(event) if event.need_rescan() => drop(events.send(Event::Lost)),
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
        Ok(event) => event.paths.into_iter().for_each(|path| drop(events.send(Event::Path(path)))),
        Err(_) => drop(events.send(Event::Lost)),
    })
    .map_err(|error| failed(vault, &error))?;
    let mut watching = Watching { watcher, _looking: looking };
    if WATCHES_TREES {
        let whole = watching.watcher.watch(vault.root(), RecursiveMode::Recursive);
        whole.map_err(|error| failed(vault, &error))?;
    } else {
        watching.widen(vault)?;
    }
    Ok(watching)
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

fn failed(vault: &Vault, error: &notify::Error) -> Error {
    Error::Watch { path: vault.root().to_owned(), message: error.to_string() }
}

impl Watching {
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
                watched => watched.map_err(|error| failed(vault, &error))?,
            }
        }
        Ok(())
    }
}

/// Waits for a burst of events and returns what to check.
pub fn next_wake(events: &Receiver<Event>, root: &Path, quiet: Duration) -> Wake {
    let mut wake = Wake::Pages(BTreeSet::new());
    let Ok(first) = events.recv() else { return Wake::Stop };
    let started = Instant::now();
    let mut next = Some(first);
    loop {
        if let Some(event) = next.take() {
            match event {
                Event::Stop => return Wake::Stop,
                Event::Replaced => return Wake::Replaced,
                _ => {}
            }
            note(&mut wake, root, event);
        }
        if !quiet.is_zero() && started.elapsed() > quiet * MAX_QUIET_PERIODS {
            return wake;
        }
        match events.recv_timeout(quiet) {
            Ok(event) => next = Some(event),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => match &wake {
                // Only hidden and unrelated files so far: keep waiting.
                Wake::Pages(pages) if pages.is_empty() => match events.recv() {
                    Ok(event) => next = Some(event),
                    Err(_) => return Wake::Stop,
                },
                _ => return wake,
            },
        }
    }
}

fn note(wake: &mut Wake, root: &Path, event: Event) {
    let Wake::Pages(pages) = wake else { return };
    let path = match event {
        Event::Path(path) => path,
        Event::Lost | Event::Replaced | Event::Stop => {
            *wake = Wake::Everything;
            return;
        }
    };
    let Some(relative) = path.strip_prefix(root).ok().and_then(Path::to_str) else { return };
    let relative = relative.replace('\\', "/");
    if relative.split('/').any(|name| is_hidden(name) && !IGNORE_FILES.contains(&name)) {
        return;
    }
    let name = relative.rsplit('/').next().unwrap_or(&relative);
    // A created, deleted or renamed directory contains pages without events of their own; an ignore file or the policy
    // changes what is indexed.
    let rules = IGNORE_FILES.contains(&name) || name == POLICY_FILE;
    if rules || path.is_dir() || pages.len() >= MANY {
        *wake = Wake::Everything;
    } else if is_page(name) || !path.exists() {
        // A deleted path may have been a directory of pages; the index knows.
        pages.insert(relative);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(events: &[Event], expected: Wake) {
        let (sender, receiver) = channel();
        events.iter().for_each(|event| sender.send(event.clone()).expect("open"));
        drop(sender);
        assert_eq!(next_wake(&receiver, Path::new("/v"), Duration::ZERO), expected);
    }

    fn at(path: &str) -> Event {
        Event::Path(path.into())
    }

    #[test]
    fn burst_becomes_a_set_of_pages() {
        let pages = ["a.md", "d/b.md"].map(str::to_owned).into();
        check(&[at("/v/a.md"), at("/v/d/b.md"), at("/v/a.md")], Wake::Pages(pages));
    }

    #[test]
    fn hidden_and_unrelated_files_are_ignored() {
        check(&[at("/v/.git/index"), at("/w/a.md"), at("/v/.lore-1.tmp")], Wake::Stop);
    }

    #[test]
    fn directories_ignore_files_and_lost_events_mean_everything() {
        check(&[at("/v/a.md"), at("/v/gone.d")], Wake::Pages(["a.md", "gone.d"].map(str::to_owned).into()));
        check(&[at("/v/.gitignore")], Wake::Everything);
        check(&[at("/v/lore.toml")], Wake::Everything);
        check(&[Event::Lost], Wake::Everything);
        let many: Vec<Event> = (0..=MANY + 1).map(|number| at(&format!("/v/{number}.md"))).collect();
        check(&many, Wake::Everything);
    }

    #[test]
    fn replaced_directories_end_the_watch() {
        check(&[at("/v/a.md"), Event::Replaced], Wake::Replaced);
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

    #[test]
    fn stop_ends_a_burst() {
        check(&[at("/v/a.md"), Event::Stop], Wake::Stop);
        check(&[], Wake::Stop);
    }
}
