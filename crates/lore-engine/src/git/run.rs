//! One run of git: its environment, its output gathered without a deadlock, and an end after its time.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::call::Call;
use super::message::{explain, held_lock};
use super::{GitError, Repo};

/// How often a run that says nothing is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long the last words of a git that has ended may take to arrive, where something it left behind keeps its pipes open.
const DRAINING: Duration = Duration::from_secs(1);

/// How long a git that was told to end may take to remove its lock files, or last words to arrive.
const GRACE: Duration = Duration::from_secs(1);

/// How long a taken lock is waited for before the next try.
const PAUSE: Duration = Duration::from_millis(20);

/// So many bytes of talk are kept, the last ones.
const TALK: usize = 64 * 1024;

/// Variables that would turn git to another repository (a hook sets them) or read paths in another way.
const FOREIGN: [&str; 11] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// What a run gave.
#[derive(Debug)]
pub(super) struct Output {
    command: String,
    status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Output {
    pub(super) fn success(&self) -> bool {
        self.status.success()
    }

    /// Itself, or what git said as an error.
    pub(super) fn expect_success(self) -> Result<Output, GitError> {
        if self.success() { Ok(self) } else { Err(self.failure()) }
    }

    pub(super) fn failure(&self) -> GitError {
        GitError::failed(&self.command, explain(&self.stderr, self.status))
    }

    /// The standard output as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end_matches(['\n', '\r']).to_owned()
    }

    /// The fields of an output that separates or ends them with NUL.
    pub(super) fn fields(&self) -> Vec<String> {
        if self.stdout.is_empty() {
            return Vec::new();
        }
        let whole = self.stdout.strip_suffix(&[0]).unwrap_or(&self.stdout);
        whole.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned()).collect()
    }
}

impl Repo {
    /// Runs git and waits for its end, but no longer than the call allows.
    pub(super) fn run(&self, call: &Call) -> Result<Output, GitError> {
        let failed = |error: io::Error| GitError::failed(&call.command(), error.to_string());
        let mut child = self.command(call).map_err(failed)?.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GitError::Missing,
            _ => failed(error),
        })?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), call.input.clone()) {
            // On a thread of its own, for git may answer before it has read it all; one that ends early says why itself.
            thread::spawn(move || stdin.write_all(&input));
        }
        let (pieces, arriving) = channel();
        if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
            listen(stdout, Stream::Data, pieces.clone());
            listen(stderr, Stream::Talk, pieces);
        }
        let mut gathered = Gathered::default();
        let deadline = Instant::now() + call.timeout;
        match wait(&mut child, &arriving, &mut gathered, deadline).map_err(failed)? {
            Some(status) => Ok(Output {
                command: call.command(),
                status,
                stdout: gathered.data,
                stderr: String::from_utf8_lossy(&gathered.talk).into_owned(),
            }),
            None => {
                end(&mut child);
                let seconds = call.timeout.as_millis().div_ceil(1000);
                let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
                Err(GitError::TimedOut { command: call.command(), seconds })
            }
        }
    }

    /// Runs git, again and again while another git holds a lock that it needs.
    pub(super) fn run_locking(&self, call: &Call) -> Result<Output, GitError> {
        let started = Instant::now();
        loop {
            let output = self.run(call)?;
            let Some(lock) = held_lock(&output) else { return Ok(output) };
            if started.elapsed() >= self.patience {
                let command = call.command();
                return Err(GitError::Locked {
                    message: format!(
                        "git {command} waited in vain for another git that holds {lock}; when none is running, \
                         remove that file and try again"
                    ),
                });
            }
            thread::sleep(PAUSE);
        }
    }

    /// A setting of git's, wherever the user made it.
    pub(super) fn setting(&self, key: &str) -> Result<Option<String>, GitError> {
        let output = self.run(&Call::look(&["config", "--get", key]))?;
        Ok(Some(output.text()).filter(|value| output.success() && !value.is_empty()))
    }

    fn command(&self, call: &Call) -> io::Result<Command> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root);
        for setting in &call.config {
            command.arg("-c").arg(setting);
        }
        command.args(&call.arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
        if call.reads_only {
            // Hooks would inherit the second one and read their own patterns as names, so it is not for writes.
            command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_LITERAL_PATHSPECS", "1");
        }
        command.stdin(match call.hold {
            Some(lock) => Stdio::from(lock.try_clone()?),
            None if call.input.is_some() => Stdio::piped(),
            None => Stdio::null(),
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }
}

#[derive(Debug, Clone, Copy)]
enum Stream {
    Data,
    Talk,
}

#[derive(Debug, Default)]
struct Gathered {
    data: Vec<u8>,
    talk: Vec<u8>,
}

impl Gathered {
    fn take(&mut self, (stream, piece): (Stream, Vec<u8>)) {
        match stream {
            Stream::Data => self.data.extend(piece),
            Stream::Talk => {
                self.talk.extend(piece);
                // A remote may talk without end.
                if self.talk.len() > 2 * TALK {
                    self.talk.drain(..self.talk.len() - TALK);
                }
            }
        }
    }
}

/// Reads a pipe on a thread of its own, so that a full one never stops git.
fn listen(mut pipe: impl Read + Send + 'static, stream: Stream, pieces: Sender<(Stream, Vec<u8>)>) {
    thread::spawn(move || {
        let mut buffer = vec![0; 32 * 1024];
        loop {
            match pipe.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(length) if length > 0 && pieces.send((stream, buffer[..length].to_vec())).is_ok() => {}
                _ => return,
            }
        }
    });
}

/// Gathers what the child says until it has ended; `None` when the deadline came first.
fn wait(
    child: &mut Child,
    arriving: &Receiver<(Stream, Vec<u8>)>,
    gathered: &mut Gathered,
    deadline: Instant,
) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(50);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match arriving.recv_timeout(TICK.min(left)) {
            Ok(piece) => gathered.take(piece),
            // Both pipes are closed, so it has ended or is about to.
            Err(RecvTimeoutError::Disconnected) => match child.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None => {
                    thread::sleep(pause.min(left));
                    pause = (pause * 2).min(TICK);
                }
            },
            // What git leaves running, such as the shared connection of ssh, may keep a pipe open for hours.
            Err(RecvTimeoutError::Timeout) => {
                if let Some(status) = child.try_wait()? {
                    // What it said is in the pipes, but on a busy machine not here yet.
                    let last = Instant::now() + DRAINING;
                    while let Some(left) = last.checked_duration_since(Instant::now())
                        && let Ok(piece) = arriving.recv_timeout(left)
                    {
                        gathered.take(piece);
                    }
                    return Ok(Some(status));
                }
            }
        }
        if left.is_zero() {
            return Ok(None);
        }
    }
}

/// Ends the child and all that it started: first kindly, so that git removes its lock files.
#[cfg(unix)]
fn end(child: &mut Child) {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    let group = Pid::from_child(child);
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + GRACE;
    // It is looked at without being reaped: while it is there, its number is nobody else's.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(group), look), Ok(None)) && Instant::now() < deadline {
        thread::sleep(PAUSE);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

#[cfg(not(unix))]
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
