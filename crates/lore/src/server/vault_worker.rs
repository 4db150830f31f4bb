//! Background threads, one per requested vault, that sync it, watch it and embed pending chunks.
//!
//! Several servers can run on one vault. Each follows the files, to tell its own clients of changes. The one that holds the
//! watch lock embeds; the others wait for the lock, which the operating system passes on as soon as the holder exits, even
//! if it is killed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use lore_engine::{Error, Follow, Report, ScanMode, Scope, VaultContext, drain_queue, follow, refresh};
use lore_ports::no_progress;
use lore_vault::{Event, WatchLock, file_id, watch};
use tokio::sync::broadcast;

use super::page_changes::{ChangeTracker, PageChanges};
use super::workers::{Caller, ServerConfig};
use crate::app::error::Result;
use crate::app::hints::hint;
use crate::app::session::Session;

/// How long a request waits for the initial sync of its vault. A small vault is synced within this time; a large one
/// answers from the index as it is.
const INITIAL_SYNC_WAIT: Duration = Duration::from_millis(250);

/// Progress of the initial sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Indexed pages.
    pub done: usize,
    /// Pages to index.
    pub total: usize,
}

/// State of a vault with a background thread.
#[derive(Default)]
struct VaultState {
    done: AtomicUsize,
    total: AtomicUsize,
    initial_sync: Mutex<InitialSync>,
    changed: Condvar,
    /// The database file that the background thread keeps up to date.
    database: Mutex<Option<(u64, u64)>>,
}

/// State of the initial sync.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum InitialSync {
    #[default]
    NotYet,
    Well,
    /// The background thread ended: each request has to sync by itself.
    Failed,
}

/// The background threads of a server.
#[derive(Clone)]
pub struct VaultWorkers {
    host: ServerConfig,
    vaults: Arc<Mutex<HashMap<PathBuf, Arc<VaultState>>>>,
    pages: broadcast::Sender<PageChanges>,
}

impl VaultWorkers {
    /// Returns an empty set; threads start on demand.
    pub fn new(host: ServerConfig) -> VaultWorkers {
        let (pages, _) = broadcast::channel(16);
        VaultWorkers { host, vaults: Arc::default(), pages }
    }

    /// Returns a receiver of the changes of pages, whoever makes them.
    pub fn page_changes(&self) -> broadcast::Receiver<PageChanges> {
        self.pages.subscribe()
    }

    /// Starts the background thread of a session's vault if needed and waits briefly for the initial sync. Returns
    /// whether the thread keeps the index up to date.
    pub fn keep(&self, session: &Session) -> bool {
        if !self.host.sync {
            return true;
        }
        let Ok((name, root)) = session.choose() else { return false };
        let vault = self.vault_state(&name, &root);
        let initial_sync = vault.initial_sync.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = |initial_sync: &mut InitialSync| *initial_sync == InitialSync::NotYet;
        let initial_sync = match vault.changed.wait_timeout_while(initial_sync, INITIAL_SYNC_WAIT, waiting) {
            Ok((initial_sync, _)) => *initial_sync,
            Err(_) => return false,
        };
        // A database that was deleted or replaced is noticed by the thread only when a file changes.
        initial_sync != InitialSync::Failed && vault.keeps(session)
    }

    /// Returns the progress of the initial sync of a session's vault; none once it is done.
    pub fn progress(&self, session: &Session) -> Option<Progress> {
        let (_, root) = session.choose().ok()?;
        let vault = self.vaults.lock().unwrap_or_else(PoisonError::into_inner).get(&root).cloned()?;
        let initial_sync = *vault.initial_sync.lock().unwrap_or_else(PoisonError::into_inner);
        let progress =
            Progress { done: vault.done.load(Ordering::Relaxed), total: vault.total.load(Ordering::Relaxed) };
        (initial_sync == InitialSync::NotYet).then_some(progress)
    }

    fn vault_state(&self, name: &str, root: &Path) -> Arc<VaultState> {
        let mut all = self.vaults.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vault) = all.get(root) {
            return vault.clone();
        }
        let vault = Arc::new(VaultState::default());
        all.insert(root.to_owned(), vault.clone());
        let worker = VaultWorker {
            host: self.host.clone(),
            name: name.to_owned(),
            root: root.to_owned(),
            state: vault.clone(),
            pages: self.pages.clone(),
        };
        thread::spawn(move || worker.run());
        vault
    }
}

impl VaultState {
    /// Whether the database of a session is the one that the thread keeps up to date, as far as it has opened one.
    fn keeps(&self, session: &Session) -> bool {
        let opened = *self.database.lock().unwrap_or_else(PoisonError::into_inner);
        opened.is_none() || session.database().is_ok_and(|path| file_id(&path) == opened)
    }

    fn finish(&self, outcome: InitialSync) {
        let mut state = self.initial_sync.lock().unwrap_or_else(PoisonError::into_inner);
        *state = outcome;
        self.changed.notify_all();
    }
}

/// Why a background thread stopped watching.
enum Watched {
    Stopped,
    /// The database has to be opened again.
    DatabaseReplaced,
}

struct VaultWorker {
    host: ServerConfig,
    name: String,
    root: PathBuf,
    state: Arc<VaultState>,
    pages: broadcast::Sender<PageChanges>,
}

impl VaultWorker {
    fn run(&self) {
        loop {
            match self.keep() {
                Ok(Watched::Stopped) => break,
                Ok(Watched::DatabaseReplaced) => {}
                Err(failure) => {
                    crate::app::stderr::Stderr::new(self.host.level).warn(&format!(
                        "cannot watch {}: {}; every request checks for changed files instead",
                        self.root.display(),
                        failure.message
                    ));
                    break;
                }
            }
        }
        self.state.finish(InitialSync::Failed);
    }

    fn keep(&self) -> Result<Watched> {
        let session = self.session()?;
        let context = session.open(&self.name, &self.root)?;
        *self.state.database.lock().unwrap_or_else(PoisonError::into_inner) = file_id(&session.database()?);
        let progress = |done, total| {
            self.state.done.store(done, Ordering::Relaxed);
            self.state.total.store(total, Ordering::Relaxed);
            Ok(())
        };
        let (state, database) = (&self.host.environment.state, session.database()?);
        let watched: [&Path; 2] = [&database, &self.root];
        let mut lock = WatchLock::attempt(state, &watched)?;
        let (sender, events) = channel();
        let watching = watch(context.vault(), sender.clone())?;
        // The watcher started first, so that no change is missed in between.
        let mut tracker = ChangeTracker::new(&context)?;
        self.report(&context, &mut tracker, &refresh(&context, Scope::Vault(ScanMode::Stat), &progress)?);
        self.state.finish(InitialSync::Well);
        context.store().shrink_memory()?;
        let quiet = session.config.get("watch.debounce_ms")?.parse();
        let quiet = quiet.map_or(lore_vault::DEBOUNCE, Duration::from_millis);
        let mut followed = Follow { events: &events, watching: Some(watching), quiet };
        // A server without the lock follows the files too, to tell its own clients; only the holder embeds.
        let waiting = lock.is_none().then(|| wait_for_lock(state, watched.map(Path::to_owned), sender));
        let done = loop {
            let queue = lock.as_ref().map(|_| self.embed_behind());
            let done = follow(&context, &mut followed, &mut |report| match report {
                Ok(report) => {
                    let _ = queue.as_ref().map(|queue| queue.send(()));
                    self.report(&context, &mut tracker, &report);
                    // The watcher is idle most of the time.
                    let _ = context.store().shrink_memory();
                }
                Err(error) => session.talk.warn(&format!("{error}; {}", hint(&error))),
            });
            match waiting.as_ref().filter(|_| done.is_ok() && lock.is_none()).map(Receiver::try_recv) {
                Some(Ok(held)) => lock = Some(held),
                _ => break done,
            }
        };
        match done {
            Ok(()) => Ok(Watched::Stopped),
            Err(error @ Error::Port(lore_ports::Error::DatabaseReplaced { .. })) => {
                session.talk.warn(&format!("{error}; it is opened again and rebuilt from your files"));
                Ok(Watched::DatabaseReplaced)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn session(&self) -> Result<Session> {
        let caller = Caller { project: Some(self.name.clone()), face: "watch", ..Caller::default() };
        self.host.session(&caller, false)
    }

    /// Tells the clients what changed.
    fn report(&self, context: &VaultContext, tracker: &mut ChangeTracker, report: &Report) {
        if let Ok(Some(changes)) = tracker.changes(context, report) {
            // It is fine if there is no receiver.
            let _ = self.pages.send(changes);
        }
    }

    /// Starts a thread that drains the embedding queue now and after every message.
    fn embed_behind(&self) -> Sender<()> {
        let (sender, report) = channel();
        let _ = sender.send(());
        let (host, name, root) = (self.host.clone(), self.name.clone(), self.root.clone());
        thread::spawn(move || {
            let caller = Caller { project: Some(name.clone()), face: "watch", ..Caller::default() };
            if let Ok(session) = host.session(&caller, false)
                && let Ok(context) = session.open(&name, &root)
            {
                embed_when_told(&session, &context, &report);
            }
        });
        sender
    }
}

/// Waits for the watch lock in a thread of its own; once it is held, ends the current watch.
fn wait_for_lock(state: &Path, watched: [PathBuf; 2], events: Sender<Event>) -> Receiver<WatchLock> {
    let (sender, receiver) = channel();
    let state = state.to_owned();
    thread::spawn(move || {
        let watched: [&Path; 2] = [&watched[0], &watched[1]];
        if let Ok(lock) = WatchLock::wait(&state, &watched)
            && sender.send(lock).is_ok()
        {
            let _ = events.send(Event::Stop);
        }
    });
    receiver
}

/// Embeds pending chunks after every message. Chunks that fail stay pending until the next message.
fn embed_when_told(session: &Session, context: &VaultContext, report: &Receiver<()>) {
    while report.recv().is_ok() {
        while report.try_recv().is_ok() {}
        if let Err(error) = drain_queue(context, &no_progress) {
            session.talk.detail(&format!("chunks stay pending: {error}"));
        }
        let _ = context.store().shrink_memory();
    }
}
