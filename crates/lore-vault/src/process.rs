//! Runs an external program: its output, collected without deadlock, and a timeout.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which a silent program is polled.
const TICK: Duration = Duration::from_millis(50);

/// Maximum wait for the last output of a program that has exited, if a process it left behind keeps its pipes open.
const DRAINING: Duration = Duration::from_secs(1);

/// Maximum wait for a terminated program to clean up.
const GRACE: Duration = Duration::from_secs(1);

/// Polling interval for something that is about to happen.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// Maximum bytes of standard error that are kept, from the end.
const TALK: usize = 64 * 1024;

/// Why a program gave no usable output.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// It could not be waited for.
    #[error("cannot be waited for: {0}")]
    Lost(io::Error),
    /// It timed out and was killed with all its child processes.
    #[error("timed out after {0} s")]
    TimedOut(u64),
    /// It exited with an error.
    #[error("failed with {status}{}", said(.talk))]
    Failed {
        /// Its exit status.
        status: ExitStatus,
        /// Its standard error.
        talk: String,
    },
}

/// Runs a program with a text on its standard input and returns its standard output, if it exits successfully and in
/// time. Its child processes are killed with it.
pub fn run_program(words: &[String], input: &str, time: Duration) -> Result<Vec<u8>, ProgramError> {
    let missing = || ProgramError::Start(io::Error::new(io::ErrorKind::InvalidInput, "no program given"));
    let (program, arguments) = words.split_first().ok_or_else(missing)?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    let mut child = command.spawn().map_err(ProgramError::Start)?;
    feed(&mut child, input.into());
    let (status, gathered) = gather(&mut child, Instant::now() + time).map_err(ProgramError::Lost)?;
    match status {
        Some(status) if status.success() => Ok(gathered.data),
        Some(status) => {
            let talk = String::from_utf8_lossy(&gathered.talk).into_owned();
            Err(ProgramError::Failed { status, talk })
        }
        None => {
            end(&mut child);
            Err(ProgramError::TimedOut(time.as_secs()))
        }
    }
}

/// Returns the last line of the output, if any.
fn said(talk: &str) -> String {
    match talk.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!(": {}", line.chars().take(300).collect::<String>()),
        None => String::new(),
    }
}

/// Makes a program the leader of its own process group, so that its child processes can be killed with it.
pub(crate) fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Writes to the standard input of a child, if it is piped.
pub(crate) fn feed(child: &mut Child, input: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take() {
        // In a thread of its own: a program may answer before it has read everything, or read nothing at all.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
}

/// Collects a child's output until it exits; without a status, the deadline passed and it is still running.
pub(crate) fn gather(child: &mut Child, deadline: Instant) -> io::Result<(Option<ExitStatus>, Gathered)> {
    let (pieces, arriving) = channel();
    if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
        listen(stdout, Stream::Data, pieces.clone());
        listen(stderr, Stream::Stderr, pieces);
    }
    let mut gathered = Gathered::default();
    let status = wait(child, &arriving, &mut gathered, deadline)?;
    Ok((status, gathered))
}

#[derive(Debug, Clone, Copy)]
enum Stream {
    Data,
    Stderr,
}

/// The output of a program.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Its standard output.
    pub(crate) data: Vec<u8>,
    /// Its standard error; if very long, the end of it.
    pub(crate) talk: Vec<u8>,
}

impl Gathered {
    fn take(&mut self, (stream, piece): (Stream, Vec<u8>)) {
        match stream {
            Stream::Data => self.data.extend(piece),
            Stream::Stderr => {
                self.talk.extend(piece);
                // Some programs never stop writing, for example a remote.
                if self.talk.len() > 2 * TALK {
                    self.talk.drain(..self.talk.len() - TALK);
                }
            }
        }
    }
}

/// Reads a pipe in a thread of its own, so that a full pipe never blocks the program.
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

/// Collects the child's output until it exits; `None` when the deadline passed first.
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
            // Both pipes are closed, so it has exited or is about to.
            Err(RecvTimeoutError::Disconnected) => match child.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None => {
                    thread::sleep(pause.min(left));
                    pause = (pause * 2).min(TICK);
                }
            },
            // A process it leaves behind, such as ssh's shared connection, may keep a pipe open for hours.
            Err(RecvTimeoutError::Timeout) => {
                if let Some(status) = child.try_wait()? {
                    // Its output is in the pipes, but on a busy machine may not have arrived yet.
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

/// Terminates the child and its process group: first with SIGTERM, so that it can clean up, as git does with lock
/// files.
#[cfg(unix)]
pub(crate) fn end(child: &mut Child) {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    let group = Pid::from_child(child);
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + GRACE;
    // It is polled without being reaped: until then its process id cannot be reused.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(group), look), Ok(None)) && Instant::now() < deadline {
        thread::sleep(PAUSE);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

#[cfg(not(unix))]
pub(crate) fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
