//! One run of another program: its output gathered without a deadlock, and an end after its time.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often a run that says nothing is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long the last words of a program that has ended may take to arrive, where something it left behind keeps its
/// pipes open.
const DRAINING: Duration = Duration::from_secs(1);

/// How long a program that was told to end may take to tidy up, or last words to arrive.
const GRACE: Duration = Duration::from_secs(1);

/// The wait between two looks at something that is about to happen.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// So many bytes of talk are kept, the last ones.
const TALK: usize = 64 * 1024;

/// Why a program gave nothing that can be used.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It could not be started.
    #[error("it cannot be started: {0}")]
    Start(io::Error),
    /// It could not be waited for.
    #[error("it was lost: {0}")]
    Lost(io::Error),
    /// It took too long and was stopped, with everything it had started.
    #[error("it was stopped because it had not ended after {0} s")]
    TimedOut(u64),
    /// It ended badly.
    #[error("it ended with {status}{}", said(.talk))]
    Failed {
        /// How.
        status: ExitStatus,
        /// What it said on its standard error.
        talk: String,
    },
}

/// Runs a program with a text on its standard input and gives what it writes to its standard output, if it ends well
/// and within its time. What it starts is ended with it.
pub fn run_program(words: &[String], input: &str, time: Duration) -> Result<Vec<u8>, ProgramError> {
    let missing = || ProgramError::Start(io::Error::new(io::ErrorKind::InvalidInput, "no program is named"));
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

/// The last line of what was said, where there is one.
fn said(talk: &str) -> String {
    match talk.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!(": {}", line.chars().take(300).collect::<String>()),
        None => String::new(),
    }
}

/// Makes a program the head of a group, so that everything it starts can be ended with it.
pub(crate) fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Writes the standard input of a child that has a pipe for it.
pub(crate) fn feed(child: &mut Child, input: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take() {
        // On a thread of its own: a program may answer before it has read everything, or read nothing at all.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
}

/// Gathers what a child says until it has ended; without a status, the deadline came first and it still runs.
pub(crate) fn gather(child: &mut Child, deadline: Instant) -> io::Result<(Option<ExitStatus>, Gathered)> {
    let (pieces, arriving) = channel();
    if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
        listen(stdout, Stream::Data, pieces.clone());
        listen(stderr, Stream::Talk, pieces);
    }
    let mut gathered = Gathered::default();
    let status = wait(child, &arriving, &mut gathered, deadline)?;
    Ok((status, gathered))
}

#[derive(Debug, Clone, Copy)]
enum Stream {
    Data,
    Talk,
}

/// What a program said.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// On its standard output.
    pub(crate) data: Vec<u8>,
    /// On its standard error; of very much, the end.
    pub(crate) talk: Vec<u8>,
}

impl Gathered {
    fn take(&mut self, (stream, piece): (Stream, Vec<u8>)) {
        match stream {
            Stream::Data => self.data.extend(piece),
            Stream::Talk => {
                self.talk.extend(piece);
                // Some talk without end, as a remote does.
                if self.talk.len() > 2 * TALK {
                    self.talk.drain(..self.talk.len() - TALK);
                }
            }
        }
    }
}

/// Reads a pipe on a thread of its own, so that a full one never stops the program.
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
            // What it leaves running, such as the shared connection of ssh, may keep a pipe open for hours.
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

/// Ends the child and all that it started: first kindly, so that it can tidy up, as git does with its lock files.
#[cfg(unix)]
pub(crate) fn end(child: &mut Child) {
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
pub(crate) fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
