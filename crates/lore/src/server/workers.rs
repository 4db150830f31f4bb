//! A pool of worker threads with their own sessions, which grows on demand.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use lore_engine::Code;
use lore_vault::modified;
use tokio::sync::{oneshot, watch};

use super::vault_worker::VaultWorkers;
use crate::app::access::Limits;
use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};
use crate::app::session::{Session, SessionOptions};
use crate::app::stderr::{ProgressListener, Stderr, Verbosity};

/// Idle time after which a worker other than the first ends.
const IDLE: Duration = Duration::from_secs(20);

/// Maximum number of open sessions per worker.
const SESSIONS: usize = 8;

/// Maximum number of queued requests; further ones are refused.
const WAITING: usize = 4096;

/// The actor, project, face and rights of a request. Different callers have different sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The actor recorded in the history; default: the user who runs the server.
    pub actor: Option<String>,
    /// The project; default: the server's.
    pub project: Option<String>,
    /// The namespace; default: the server's, else that of the directory.
    pub namespace: Option<String>,
    /// The directory that the client works in.
    pub directory: ClientDirectory,
    /// The face: `mcp`, `http` or `watch`.
    pub face: &'static str,
    /// Whether its token may not write.
    pub read_only: bool,
    /// What it may reach.
    pub limits: Limits,
}

/// The directory that a client works in, which `lore map` maps to a project or a namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ClientDirectory {
    /// The directory of the server process, which the client started.
    #[default]
    Server,
    /// A directory that the client named.
    Named(PathBuf),
    /// Not known, because the client reaches the server over the network.
    Unknown,
}

/// The server's settings.
#[derive(Clone)]
pub struct ServerConfig {
    /// The process environment.
    pub environment: Environment,
    /// `--db`.
    pub db: Option<String>,
    /// `--project`.
    pub project: Option<String>,
    /// `--namespace`.
    pub namespace: Option<String>,
    /// Whether vaults are synced and watched.
    pub sync: bool,
    /// Verbosity on standard error.
    pub level: Verbosity,
    /// Whether clients may run operations that change the machine.
    pub allow_machine: bool,
}

impl ServerConfig {
    /// Returns a new session for a caller.
    pub fn session(&self, caller: &Caller, sync: bool) -> Result<Session> {
        let mut environment = self.environment.clone();
        if let Some(actor) = &caller.actor {
            environment.actor.clone_from(actor);
        }
        // A limited caller must not learn which project is the server's own.
        let own = self.project.clone().filter(|name| caller.limits.covers(name));
        environment.project = environment.project.filter(|name| caller.limits.covers(name));
        let server_directory = match &caller.directory {
            ClientDirectory::Server => None,
            ClientDirectory::Named(folder) => environment.here.replace(folder.clone()),
            ClientDirectory::Unknown => environment.here.take(),
        };
        let options = SessionOptions {
            db: self.db.clone(),
            project: caller.project.clone().or(own),
            namespace: caller.namespace.clone().or_else(|| self.namespace.clone()),
            server_directory,
            sync,
            keeps_up: true,
            face: caller.face,
            read_only: caller.read_only,
        };
        Ok(Session::new(environment, options, Stderr::new(self.level))?.limited(caller.limits.clone()))
    }
}

/// Progress of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgressStep {
    /// The current activity.
    pub doing: &'static str,
    /// Items done.
    pub done: usize,
    /// Items in total.
    pub total: usize,
}

/// Marks the caller as gone when dropped.
#[derive(Default)]
struct Waiting {
    gone: Arc<AtomicBool>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

type Job = Box<dyn FnOnce(&mut WorkerSessions) + Send>;

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    /// Idle workers, the most recently used last: its caches are the warmest.
    idle: Vec<(usize, Sender<Job>)>,
    threads: usize,
    next: usize,
}

/// Threads that run operations.
#[derive(Clone)]
pub struct Workers {
    shared: Arc<Shared>,
}

struct Shared {
    host: ServerConfig,
    vault_workers: VaultWorkers,
    most: usize,
    state: Mutex<Queue>,
}

impl Workers {
    /// Returns a pool without running threads.
    pub fn new(host: ServerConfig, vault_workers: VaultWorkers) -> Workers {
        let most = thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 8));
        Workers { shared: Arc::new(Shared { host, vault_workers, most, state: Mutex::default() }) }
    }

    /// Returns the server's settings.
    pub fn host(&self) -> &ServerConfig {
        &self.shared.host
    }

    /// Runs `work` with a caller's session on a worker. If the returned future is dropped, the work is not started, or
    /// is cancelled at its next progress report. `report` receives progress.
    pub async fn run<T: Send + 'static>(
        &self,
        caller: Caller,
        report: Option<watch::Sender<Option<ProgressStep>>>,
        work: impl FnOnce(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let waiting = Waiting::default();
        let gone = waiting.gone.clone();
        self.hand_out(Box::new(move |sessions| {
            if !reply.is_closed() {
                let listener = ProgressListener {
                    gone: Box::new(move || gone.load(Ordering::Relaxed)),
                    report: Box::new(move |doing, done, total| {
                        // It is fine if there is no receiver.
                        let _ = report
                            .as_ref()
                            .map(|report| report.send(Some(ProgressStep { doing, done, total })));
                    }),
                };
                let _ = reply.send(sessions.work(caller, listener, work));
            }
        }))?;
        answer.await.unwrap_or_else(|_| Err(broken("the worker ended before it could answer")))
    }

    fn hand_out(&self, mut job: Job) -> Result<()> {
        let mut state = self.shared.state();
        while let Some((_, worker)) = state.idle.pop() {
            match worker.send(job) {
                Ok(()) => return Ok(()),
                Err(returned) => job = returned.0,
            }
        }
        if state.waiting.len() >= WAITING {
            return Err(AppError::new(Code::Locked, "too many pending requests", "retry in a moment"));
        }
        state.waiting.push_back(job);
        if state.threads < self.shared.most {
            state.threads += 1;
            state.next += 1;
            let (number, shared) = (state.next, self.shared.clone());
            thread::spawn(move || shared.worker(number));
        }
        Ok(())
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, Queue> {
        // No panic can leave the state half changed under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self, number: usize) {
        let mut sessions = WorkerSessions {
            host: &self.host,
            vault_workers: &self.vault_workers,
            sessions: Vec::new(),
            config: None,
        };
        let (own, jobs) = channel::<Job>();
        loop {
            let next = {
                let mut state = self.state();
                let next = state.waiting.pop_front();
                if next.is_none() {
                    state.idle.push((number, own.clone()));
                }
                next
            };
            let job = match next {
                Some(job) => job,
                None => loop {
                    match jobs.recv_timeout(IDLE) {
                        Ok(job) => break job,
                        Err(RecvTimeoutError::Disconnected) => return,
                        Err(RecvTimeoutError::Timeout) => {
                            let mut state = self.state();
                            if let Ok(job) = jobs.try_recv() {
                                break job;
                            }
                            if state.threads > 1 {
                                state.idle.retain(|(other, _)| *other != number);
                                state.threads -= 1;
                                return;
                            }
                        }
                    }
                },
            };
            job(&mut sessions);
        }
    }
}

/// A worker's open sessions, the most recently used last.
struct WorkerSessions<'a> {
    host: &'a ServerConfig,
    vault_workers: &'a VaultWorkers,
    sessions: Vec<(Caller, Session)>,
    /// The mtime of the configuration that the sessions were opened with.
    config: Option<SystemTime>,
}

impl WorkerSessions<'_> {
    fn work<T>(
        &mut self,
        caller: Caller,
        listener: ProgressListener,
        work: impl FnOnce(&Session) -> Result<T>,
    ) -> Result<T> {
        self.forget_old_configuration();
        // A session keeps its database open, even if that was deleted or replaced.
        self.sessions.retain(|(_, session)| session.is_in_place());
        let session = match self.sessions.iter().position(|(known, _)| *known == caller) {
            Some(at) => self.sessions.remove(at).1,
            None => self.host.session(&caller, false)?,
        };
        let fresh = self.vault_workers.keep(&session);
        let session = session.syncing(!fresh && self.host.sync);
        session.talk.listen(Some(listener));
        // A panic in one operation must not end the worker.
        let done = catch_unwind(AssertUnwindSafe(|| work(&session)));
        session.talk.listen(None);
        match done {
            Ok(Err(failure)) if failure.code == Code::IndexBroken => {
                let note = session.set_database_aside(&failure.message);
                session.talk.warn(&note.unwrap_or_else(|error| error.message));
                self.sessions.clear();
                Err(failure)
            }
            Ok(outcome) => {
                if self.sessions.len() >= SESSIONS {
                    self.sessions.remove(0);
                }
                self.sessions.push((caller, session));
                outcome
            }
            Err(_) => Err(broken("the operation panicked")),
        }
    }

    /// Closes all sessions if the configuration has changed, because a session keeps the one it was opened with.
    fn forget_old_configuration(&mut self) {
        let changed = modified(&self.host.environment.config_file);
        if changed != self.config {
            self.sessions.clear();
            self.config = changed;
        }
    }
}

fn broken(message: &str) -> AppError {
    AppError::new(Code::Io, message, "check the server's standard error, or run `lore doctor`")
}
