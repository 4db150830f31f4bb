//! Turns bursts of watcher events into what to check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::Event;
use crate::names::{IGNORE_FILES, POLICY_FILE, is_hidden, is_page};

/// Above this many paths, the whole directory is checked.
const MANY: usize = 1000;

/// A burst is processed after this many quiet periods even if it continues.
const MAX_QUIET_PERIODS: u32 = 10;

/// What to check after a burst.
#[derive(Debug, PartialEq, Eq)]
pub enum Wake {
    /// These paths: files, and deleted paths that may have been directories.
    Paths(BTreeSet<String>),
    /// The whole directory.
    Everything,
    /// Nothing: the directory is no longer the one that is watched.
    Replaced,
    /// Nothing: the watcher stops.
    Stop,
}

/// Waits for a burst of events in a vault and returns what to check.
pub fn next_wake(events: &Receiver<Event>, root: &Path, quiet: Duration) -> Wake {
    next(events, quiet, |wake, event| note(wake, root, event))
}

/// Waits for a burst of events in a directory of another program and returns what to read.
pub fn next_source_wake(events: &Receiver<Event>, root: &Path, quiet: Duration) -> Wake {
    next(events, quiet, |wake, event| note_source(wake, root, event))
}

fn next(events: &Receiver<Event>, quiet: Duration, note: impl Fn(&mut Wake, Event)) -> Wake {
    let mut wake = Wake::Paths(BTreeSet::new());
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
            note(&mut wake, event);
        }
        if !quiet.is_zero() && started.elapsed() > quiet * MAX_QUIET_PERIODS {
            return wake;
        }
        match events.recv_timeout(quiet) {
            Ok(event) => next = Some(event),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => match &wake {
                // Only hidden and unrelated files so far: keep waiting.
                Wake::Paths(pages) if pages.is_empty() => match events.recv() {
                    Ok(event) => next = Some(event),
                    Err(_) => return Wake::Stop,
                },
                _ => return wake,
            },
        }
    }
}

/// Returns the absolute and the relative path of an event; none if it concerns everything or nothing.
fn path_of(wake: &mut Wake, root: &Path, event: Event) -> Option<(PathBuf, String)> {
    let Event::Path(path) = event else {
        *wake = Wake::Everything;
        return None;
    };
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
    Some((path, relative))
}

fn note_source(wake: &mut Wake, root: &Path, event: Event) {
    let Some((path, relative)) = path_of(wake, root, event) else { return };
    let Wake::Paths(files) = wake else { return };
    // What a new directory contains may have no events of its own.
    if path.is_dir() && !relative.is_empty() || files.len() >= MANY {
        *wake = Wake::Everything;
    } else if !relative.is_empty() {
        files.insert(relative);
    }
}

fn note(wake: &mut Wake, root: &Path, event: Event) {
    let Some((path, relative)) = path_of(wake, root, event) else { return };
    let Wake::Paths(pages) = wake else { return };
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
    use std::sync::mpsc::channel;

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
        check(&[at("/v/a.md"), at("/v/d/b.md"), at("/v/a.md")], Wake::Paths(pages));
    }

    #[test]
    fn hidden_and_unrelated_files_are_ignored() {
        check(&[at("/v/.git/index"), at("/w/a.md"), at("/v/.lore-1.tmp")], Wake::Stop);
    }

    #[test]
    fn directories_ignore_files_and_lost_events_mean_everything() {
        check(&[at("/v/a.md"), at("/v/gone.d")], Wake::Paths(["a.md", "gone.d"].map(str::to_owned).into()));
        check(&[at("/v/.gitignore")], Wake::Everything);
        check(&[at("/v/lore.toml")], Wake::Everything);
        check(&[Event::Lost], Wake::Everything);
        let many: Vec<Event> = (0..=MANY + 1).map(|number| at(&format!("/v/{number}.md"))).collect();
        check(&many, Wake::Everything);
    }

    #[test]
    fn every_file_of_a_source_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let (sender, receiver) = channel();
        for name in ["a.jsonl", ".x/b.json", "a.jsonl"] {
            sender.send(Event::Path(folder.path().join(name))).expect("open");
        }
        let wake = || next_source_wake(&receiver, folder.path(), Duration::ZERO);
        assert_eq!(wake(), Wake::Paths(["a.jsonl", ".x/b.json"].map(str::to_owned).into()));
        std::fs::create_dir(folder.path().join("new")).expect("a folder");
        sender.send(Event::Path(folder.path().join("new"))).expect("open");
        assert_eq!(wake(), Wake::Everything);
        drop(sender);
        assert_eq!(wake(), Wake::Stop);
    }

    #[test]
    fn replaced_directories_end_a_burst() {
        check(&[at("/v/a.md"), Event::Replaced], Wake::Replaced);
    }

    #[test]
    fn stop_ends_a_burst() {
        check(&[at("/v/a.md"), Event::Stop], Wake::Stop);
        check(&[], Wake::Stop);
    }
}
