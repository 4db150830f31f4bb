//! The workers: threads with sessions, as many as there is work for.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use lore_engine::vault::modified;
use tokio::sync::{oneshot, watch};

use super::keeper::Keepers;
use crate::environment::Environment;
use crate::failure::{Failure, Result};
use crate::session::{Options, Session};
use crate::talk::{Level, Listener, Talk};

/// A worker beyond the first ends when there was nothing to do for so long.
const IDLE: Duration = Duration::from_secs(20);

/// So many sessions are kept open by one worker.
const SESSIONS: usize = 8;

/// Requests that may wait; more at once are turned away.
const WAITING: usize = 4096;

/// Who asks, and about which vault. Sessions of different callers are kept apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// Whose name stands in the history; without one, the user who runs the server.
    pub actor: Option<String>,
    /// The project; without one, the server's.
    pub project: Option<String>,
    /// Which face: `mcp` or `http`.
    pub face: &'static str,
}

/// What a server was started with.
#[derive(Clone)]
pub struct Host {
    /// The surroundings.
    pub environment: Environment,
    /// `--db`.
    pub db: Option<String>,
    /// `--project`.
    pub project: Option<String>,
    /// Whether vaults are looked through for changed files and watched.
    pub sync: bool,
    /// How much is said on standard error.
    pub level: Level,
}

impl Host {
    /// A session for a caller.
    pub fn session(&self, caller: &Caller, sync: bool) -> Result<Session> {
        let mut environment = self.environment.clone();
        if let Some(actor) = &caller.actor {
            environment.actor.clone_from(actor);
        }
        let options = Options {
            db: self.db.clone(),
            project: caller.project.clone().or_else(|| self.project.clone()),
            sync,
            keeps_up: true,
            face: caller.face,
        };
        Session::new(environment, options, Talk::new(self.level))
    }
}

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub doing: &'static str,
    /// How much is done.
    pub done: usize,
    /// How much there is.
    pub total: usize,
}

/// Somebody who waits for an answer, for as long as this lives.
#[derive(Default)]
struct Waiting {
    gone: Arc<AtomicBool>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

type Job = Box<dyn FnOnce(&mut Desk) + Send>;

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Workers with nothing to do, the last that became so at the end: its memory is the warmest.
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
    host: Host,
    keepers: Keepers,
    most: usize,
    state: Mutex<State>,
}

impl Workers {
    /// Workers for a host, none of which runs yet.
    pub fn new(host: Host, keepers: Keepers) -> Workers {
        let most = thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 8));
        Workers { shared: Arc::new(Shared { host, keepers, most, state: Mutex::default() }) }
    }

    /// What the server was started with.
    pub fn host(&self) -> &Host {
        &self.shared.host
    }

    /// Runs something with a caller's session on some worker. When nobody waits for it any more it is not begun, or ends
    /// at the next point where it can. `told` hears how far it is.
    pub async fn run<T: Send + 'static>(
        &self,
        caller: Caller,
        told: Option<watch::Sender<Option<Step>>>,
        work: impl FnOnce(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let waiting = Waiting::default();
        let gone = waiting.gone.clone();
        self.hand_out(Box::new(move |desk| {
            if !reply.is_closed() {
                let listener = Listener {
                    gone: Box::new(move || gone.load(Ordering::Relaxed)),
                    told: Box::new(move |doing, done, total| {
                        // Nobody need want to know.
                        let _ = told.as_ref().map(|told| told.send(Some(Step { doing, done, total })));
                    }),
                };
                let _ = reply.send(desk.work(caller, listener, work));
            }
        }))?;
        answer.await.unwrap_or_else(|_| Err(broken("a worker ended before it could answer")))
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
            return Err(Failure {
                code: lore_engine::Code::Locked,
                message: "too many requests are waiting".into(),
                hint: "try again in a moment".into(),
                current_version: None,
            });
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
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self, number: usize) {
        let mut desk = Desk { host: &self.host, keepers: &self.keepers, sessions: Vec::new(), config: None };
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
            job(&mut desk);
        }
    }
}

/// A worker's open sessions, the last used at the end.
struct Desk<'a> {
    host: &'a Host,
    keepers: &'a Keepers,
    sessions: Vec<(Caller, Session)>,
    /// When the configuration was last changed, as far as this worker knows.
    config: Option<SystemTime>,
}

impl Desk<'_> {
    fn work<T>(
        &mut self,
        caller: Caller,
        listener: Listener,
        work: impl FnOnce(&Session) -> Result<T>,
    ) -> Result<T> {
        self.forget_old_configuration();
        let session = match self.sessions.iter().position(|(known, _)| *known == caller) {
            Some(at) => self.sessions.remove(at).1,
            None => self.host.session(&caller, false)?,
        };
        let fresh = self.keepers.keep(&session);
        let session = session.syncing(!fresh && self.host.sync);
        session.talk.listen(Some(listener));
        // A fault in one operation must not take the others' worker along.
        let done = catch_unwind(AssertUnwindSafe(|| work(&session)));
        session.talk.listen(None);
        match done {
            Ok(Err(failure)) if failure.code == lore_engine::Code::IndexBroken => {
                let note = lore_index::set_aside(&session.database()?, &failure.message);
                session.talk.warn(&note.unwrap_or_else(|error| error.to_string()));
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
            Err(_) => Err(broken("the operation failed in a way that it should not")),
        }
    }

    /// Sessions hold the configuration they began with; another one needs other sessions.
    fn forget_old_configuration(&mut self) {
        let changed = modified(&self.host.environment.config_file);
        if changed != self.config {
            self.sessions.clear();
            self.config = changed;
        }
    }
}

fn broken(message: &str) -> Failure {
    Failure {
        code: lore_engine::Code::Io,
        message: message.into(),
        hint: "see the server's standard error, and `lore doctor`".into(),
        current_version: None,
    }
}
