//! Keepers: for each vault that is asked for, a thread that looks it through, watches it, and embeds what waits.
//!
//! Any number of servers may run on one vault. The one that holds the watch lock watches; the others wait for the lock,
//! which the system gives to one of them as soon as the holder ends, however it ends.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use lore_engine::vault::WatchLock;
use lore_engine::{Follow, Memory, Report, Scope, Trust, drain_queue, follow, refresh, unwatched, watch};
use tokio::sync::broadcast;

use super::workers::{Caller, Host};
use crate::failure::Result;
use crate::session::Session;

/// How long a request waits for the first look at its vault. A small vault is looked through sooner; a large one
/// answers from the index as it is.
const FIRST_LOOK: Duration = Duration::from_millis(250);

/// How far the first look at a vault has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Pages that are indexed.
    pub done: usize,
    /// Pages that are to be.
    pub total: usize,
}

/// What is known of a vault that is kept.
#[derive(Default)]
struct Kept {
    done: AtomicUsize,
    total: AtomicUsize,
    looked: Mutex<Looked>,
    changed: Condvar,
}

/// How the first look went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Looked {
    #[default]
    NotYet,
    Well,
    /// Nobody keeps the vault: each request has to look itself.
    Failed,
}

/// The keepers of a server.
#[derive(Clone)]
pub struct Keepers {
    host: Host,
    kept: Arc<Mutex<HashMap<PathBuf, Arc<Kept>>>>,
    pages: broadcast::Sender<()>,
}

impl Keepers {
    /// Keepers for a host; none runs yet.
    pub fn new(host: Host) -> Keepers {
        let (pages, _) = broadcast::channel(16);
        Keepers { host, kept: Arc::default(), pages }
    }

    /// Tells whenever pages came, went or moved.
    pub fn page_changes(&self) -> broadcast::Receiver<()> {
        self.pages.subscribe()
    }

    /// Sees to it that a session's vault is kept; whether it is. Waits a moment for the first look at it.
    pub fn keep(&self, session: &Session) -> bool {
        if !self.host.sync {
            return true;
        }
        let Ok((name, root)) = session.choose() else { return false };
        let kept = self.kept_at(&name, &root);
        let looked = kept.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = |looked: &mut Looked| *looked == Looked::NotYet;
        match kept.changed.wait_timeout_while(looked, FIRST_LOOK, waiting) {
            Ok((looked, _)) => *looked != Looked::Failed,
            Err(_) => false,
        }
    }

    /// How far the first look at a session's vault has come; none when it is over.
    pub fn progress(&self, session: &Session) -> Option<Progress> {
        let (_, root) = session.choose().ok()?;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&root).cloned()?;
        let looked = *kept.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let progress =
            Progress { done: kept.done.load(Ordering::Relaxed), total: kept.total.load(Ordering::Relaxed) };
        (looked == Looked::NotYet).then_some(progress)
    }

    fn kept_at(&self, name: &str, root: &Path) -> Arc<Kept> {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = all.get(root) {
            return kept.clone();
        }
        let kept = Arc::new(Kept::default());
        all.insert(root.to_owned(), kept.clone());
        let keeper = Keeper {
            host: self.host.clone(),
            name: name.to_owned(),
            root: root.to_owned(),
            kept: kept.clone(),
            pages: self.pages.clone(),
        };
        thread::spawn(move || keeper.run());
        kept
    }
}

impl Kept {
    fn finish(&self, looked: Looked) {
        let mut state = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        *state = looked;
        self.changed.notify_all();
    }
}

struct Keeper {
    host: Host,
    name: String,
    root: PathBuf,
    kept: Arc<Kept>,
    pages: broadcast::Sender<()>,
}

impl Keeper {
    fn run(&self) {
        if let Err(failure) = self.keep() {
            crate::talk::Talk::new(self.host.level).warn(&format!(
                "{} is not watched: {}; every request looks for changed files itself",
                self.root.display(),
                failure.message
            ));
        }
        self.kept.finish(Looked::Failed);
    }

    fn keep(&self) -> Result<()> {
        let session = self.session()?;
        let memory = session.open(&self.name, &self.root)?;
        let progress = |done, total| {
            self.kept.done.store(done, Ordering::Relaxed);
            self.kept.total.store(total, Ordering::Relaxed);
            Ok(())
        };
        let (state, database) = (&self.host.environment.state, session.database()?);
        let watched: [&Path; 2] = [&database, &self.root];
        let _lock = match WatchLock::attempt(state, &watched)? {
            Some(lock) => lock,
            None => {
                self.told(refresh(&memory, Scope::Vault(Trust::Stat), &progress)?);
                self.kept.finish(Looked::Well);
                WatchLock::wait(state, &watched)?
            }
        };
        let (sender, events) = channel();
        let watching = watch(memory.vault(), sender)?;
        // The watch began first, so that nothing falls between the two.
        self.told(refresh(&memory, Scope::Vault(Trust::Stat), &progress)?);
        self.kept.finish(Looked::Well);
        memory.store().rest()?;
        let queue = self.embed_behind();
        let quiet = session.config.get("watch.debounce_ms")?.parse();
        let quiet = quiet.map_or(lore_engine::DEBOUNCE, Duration::from_millis);
        let followed = Follow { events: &events, watching: Some(watching), quiet };
        follow(&memory, followed, &mut |report| match report {
            Ok(report) => {
                let _ = queue.send(());
                self.told(report);
                // A watcher waits most of the time.
                let _ = memory.store().rest();
            }
            Err(error) => session.talk.warn(&format!("{error}; {}", error.hint())),
        });
        Ok(())
    }

    fn session(&self) -> Result<Session> {
        let caller = Caller { actor: None, project: Some(self.name.clone()), face: "watch" };
        self.host.session(&caller, false)
    }

    fn told(&self, report: Report) {
        if !(report.added.is_empty() && report.removed.is_empty() && report.moved.is_empty()) {
            // Nobody need be listening.
            let _ = self.pages.send(());
        }
    }

    /// A thread that drains the embedding queue now and whenever it is told to.
    fn embed_behind(&self) -> Sender<()> {
        let (sender, told) = channel();
        let _ = sender.send(());
        let (host, name, root) = (self.host.clone(), self.name.clone(), self.root.clone());
        thread::spawn(move || {
            let caller = Caller { actor: None, project: Some(name.clone()), face: "watch" };
            if let Ok(session) = host.session(&caller, false)
                && let Ok(memory) = session.open(&name, &root)
            {
                embed_when_told(&session, &memory, &told);
            }
        });
        sender
    }
}

/// Embeds what waits, again after every message. What cannot be embedded now waits for the next one.
fn embed_when_told(session: &Session, memory: &Memory, told: &Receiver<()>) {
    while told.recv().is_ok() {
        while told.try_recv().is_ok() {}
        if let Err(error) = drain_queue(memory, &unwatched) {
            session.talk.detail(&format!("chunks stay pending: {error}"));
        }
        let _ = memory.store().rest();
    }
}
